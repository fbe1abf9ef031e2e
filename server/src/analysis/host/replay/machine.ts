/** What replayed code works on: variables as numbered slots, arrays as columns. */
import type { Statement } from "../../../syntax/ast.ts";
import type { Interpreter } from "../memory/interpreter.ts";
import type { Allocation, Cell, HostType } from "../values/model.ts";
import type { Known, NumberName } from "./arithmetic.ts";
import type { Column } from "./columns.ts";
import type { Line } from "./lines.ts";
import type { Nest } from "./nest.ts";

/** The code has something that is not replayed. */
export class Unsupported extends Error {}

/** What happens next is not known, or it takes too long. */
export class GivenUp extends Error {}

/** Operations that are done in the time of a step. */
export const operationsAStep = 64;

/** How a statement ended. */
export const ending = { normal: 0, breaks: 1, continues: 2, returns: 3 } as const;
export type Ending = (typeof ending)[keyof typeof ending];

export type Run = () => Known;
export type Execute = () => Ending;

export interface Slot {
  readonly kind: "slot";
  readonly index: number;
  readonly type: NumberName;
}

/** An array from a byte offset on, or one of its elements. */
export interface Elements {
  readonly kind: "elements";
  readonly allocation: Allocation;
  readonly offset: Run;
  /** The same as a line; undefined where it is none, and where nobody asks. */
  readonly line?: Line | undefined;
  readonly type: HostType;
}

export type Target = Slot | Elements;

export interface Machine {
  readonly host: Interpreter;
  readonly slots: Known[];
  /** Variables of the host that have a slot. */
  readonly cells: Map<Cell, Slot>;
  /** Slots that the code stores to. */
  readonly stored: Set<number>;
  readonly columns: Map<Allocation, Column>;
  /** Names that the replayed code declares, innermost last. */
  scopes: Map<string, Target>[];
  /** What the function that is called has returned, and as what. */
  result: Known;
  resultType: NumberName | undefined;
  /** Calls within calls, as the code is gone through. */
  depth: number;
  /** Places of the code that store something. */
  effects: number;
  /** Operations that may still be run. */
  left: number;
  /** Turns that the loop in question has left, until code is made of it: one that would take too many operations is not begun. */
  turnsLeft?: number | undefined;
  /** Makes code of a statement. */
  readonly statement: (statement: Statement) => Execute;
  /** Where turns are to be run one by one. */
  readonly nest?: Nest;
}

/** @throws GivenUp */
export function spend(machine: Machine): void {
  machine.left -= 1;
  if (machine.left < 0) throw new GivenUp();
  // What it takes is spent at its end: until then it only asks whether it is still wanted.
  if (machine.left % operationsAStep === 0) machine.host.work?.goOn(1);
}

export function newSlot({ slots, nest }: Machine, type: NumberName): Slot {
  nest?.constants.push(type);
  slots.push(undefined);
  return { kind: "slot", index: slots.length - 1, type };
}
