/** What replayed code works on: variables as numbered slots, arrays as columns. */
import type { Expression, Statement } from "../../../syntax/ast.ts";
import type { Source, Stream } from "../library/random.ts";
import type { Interpreter } from "../memory/interpreter.ts";
import type { Allocation, Cell, HostType } from "../values/model.ts";
import type { Known, NumberName } from "./arithmetic.ts";
import type { Column } from "./columns.ts";
import type { Writer } from "./compiled/writer.ts";
import type { Flow } from "./flow.ts";
import type { Line } from "./lines.ts";
import type { List } from "./lists.ts";
import type { Nest } from "./nest.ts";
import type { RecordColumns } from "./record-columns.ts";
import type { Rows } from "./rows.ts";

/** The code has something that is not replayed. */
export class Unsupported extends Error {}

/** An array has too many elements to be gone through by closures. */
export class TooLarge extends Unsupported {}

/** In the place of a value that there has to be. @throws Unsupported */
export function unsupported(): never {
  throw new Unsupported();
}

/** What happens next is not known, or it takes too long. */
export class GivenUp extends Error {}

/** It takes too long, for all that is known. */
export class TooLong extends GivenUp {}

/** Nothing that it leaves will be known. */
export class Fruitless extends GivenUp {}

/** Operations of one loop. */
export const mostOfLoop = 32_000_000;

/** Operations that are done in the time of a step. */
export const operationsAStep = 64;

/** Of an element that is computed when it is asked for, besides: a formula is gone through. */
export const operationsALook = 16;

/** How a statement ended. */
export const ending = { normal: 0, breaks: 1, continues: 2, returns: 3 } as const;
export type Ending = (typeof ending)[keyof typeof ending];

/** The same as instructions: a number is left on the stack, nothing by a statement. @throws NotCompiled */
type Write = (w: Writer) => void;

/** Without `write` it is done by the closure alone. */
export interface Compilable {
  readonly write?: Write;
}
export interface Run extends Compilable {
  (): Known;
}
export interface Execute extends Compilable {
  (): Ending;
}

/** A closure and the instructions that do the same where all is known. */
export const compilable = <T extends object>(closure: T, write: Write): T & { readonly write: Write } => Object.assign(closure, { write });

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

/** One number of a list that is found as the code runs. */
export interface Item {
  readonly kind: "item";
  readonly list: () => List;
  /** The list, where it is always the same array. */
  readonly column?: Column;
  readonly at: Run;
  readonly type: NumberName;
  /** What stands for the list in `Flow`. */
  readonly source: unknown;
}

export interface NumberList {
  readonly kind: "numbers";
  readonly list: () => List;
  readonly column?: Column;
  readonly type: NumberName;
  readonly source: unknown;
}

/** Lists of equal length, one for each number of a record: by its path, as `center.x` or `weights.3`. */
export interface RecordList {
  readonly kind: "records";
  /** What its elements are, where that is a class of the program. */
  readonly type: HostType | undefined;
  readonly fields: ReadonlyMap<string, NumberList>;
}

export interface ListOfLists {
  readonly kind: "lists";
  readonly rows: () => Rows;
  readonly type: NumberName;
  readonly source: unknown;
}

/** A set of numbers, in order. */
export interface NumberSet {
  readonly kind: "set";
  readonly set: () => Set<number>;
  readonly type: NumberName;
  readonly source: unknown;
  /** Who goes through it finds the numbers in order. */
  readonly isOrdered: boolean;
  /** Of a set of pairs of integers, each of which stands there as one number. */
  readonly pair?: readonly (readonly [name: string, type: NumberName])[];
}

export type AnyList = NumberList | RecordList | ListOfLists | NumberSet;

/** A record of the replayed code's own, or an element of a list of them: its numbers by their paths. */
export interface Thing {
  readonly kind: "record";
  readonly type: HostType | undefined;
  readonly members: ReadonlyMap<string, Slot | Item>;
}

/** An engine of <random>. */
export interface Engine {
  readonly kind: "engine";
  readonly source: () => Source;
  readonly isExact: boolean;
  /** What stands for it in `Flow`. */
  readonly origin: unknown;
}

export interface Drawer {
  readonly kind: "distribution";
  readonly type: NumberName;
  /** Slots that it goes by, and those that it keeps something in. */
  readonly reads: readonly number[];
  readonly keeps: readonly number[];
  /** @throws GivenUp */
  readonly draw: (from: Source) => Known;
}

export interface Lambda {
  readonly kind: "lambda";
  readonly expression: Expression & { readonly kind: "lambda" };
  /** Calls it. */
  readonly call: (args: readonly Expression[]) => Code;
}

export type Target = Slot | Elements | Item | AnyList | Thing | Engine | Drawer | Lambda;

export interface Code {
  readonly type: NumberName;
  readonly run: Run;
  /** The same as a line; undefined where it is none, and where nobody asks. */
  readonly line?: Line | undefined;
}

export interface Machine {
  readonly host: Interpreter;
  readonly slots: Known[];
  /** Variables of the host that have a slot. */
  readonly cells: Map<Cell, Slot>;
  /** Slots that the code stores to. */
  readonly stored: Set<number>;
  readonly columns: Map<Allocation, Column>;
  /** Arrays of records. */
  readonly records: Map<Allocation, RecordColumns>;
  /** Names that the replayed code declares, innermost last. */
  scopes: Map<string, Target>[];
  /** What the function that is called has returned, and as what. */
  result: Known;
  /** `auto`: what it returns first says it. `void`: nothing. */
  resultType: NumberName | "auto" | "void" | undefined;
  /** What stands for that in `Flow`. */
  resultOrigin: unknown;
  /** Calls within calls, as the code is gone through. */
  depth: number;
  /** Places of the code that store something. */
  effects: number;
  /** Those of them that store a number to a variable or to an element of an array: `renewed` says of what. */
  followed: number;
  /** Slots and columns that are given something else than what stood there and more, but for what is assigned to them. */
  readonly renewed: Set<number | Column>;
  readonly assigned: { readonly to: number | Column; readonly left: Expression; readonly right: Expression }[];
  /** Elements that are read, and of what. */
  readonly loads: Map<Expression, Column>;
  /** Columns that are stored to. */
  readonly storedColumns: Set<Column>;
  /** Operations that may still be run. */
  left: number;
  /** Elements that had been computed, of all loops, when that was last counted. */
  computed: number;
  /** Elements that an array may have. */
  readonly mostElements: number;
  /** Of the loop in question it is to be told from its condition how many turns it has left. */
  foresees?: boolean;
  /** The loop in question, which is left where nothing that it leaves will be known. */
  inQuestion?: Statement | undefined;
  /** Turns that the loop in question has left, until code is made of it: one that would take too many operations is not begun. */
  turnsLeft?: number | undefined;
  /** Makes code of a statement. */
  readonly statement: (statement: Statement) => Execute;
  /** Makes code of an expression. */
  readonly code: (e: Expression) => Code;
  /** Where random numbers are drawn and lists grow; absent: neither is followed. */
  readonly random?: Random;
  /** Where turns are to be run one by one. */
  readonly nest?: Nest;
}

/** @throws GivenUp */
export function spend(machine: Machine): void {
  machine.left -= 1;
  if (machine.left < 0) throw new TooLong();
  // What it takes is spent at its end: until then it only asks whether it is still wanted.
  if (machine.left % operationsAStep !== 0) return;
  const { replays, work } = machine.host;
  machine.left -= (replays.computed - machine.computed) * operationsALook;
  machine.computed = replays.computed;
  work?.goOn(1);
}

export function newSlot({ slots, nest }: Machine, type: NumberName): Slot {
  nest?.constants.push(type);
  slots.push(undefined);
  return { kind: "slot", index: slots.length - 1, type };
}

/** What is noted of code that random numbers are drawn in and lists grow in. */
export interface Random {
  readonly flow: Flow;
  /** Lists of the host, by the variable that holds them. */
  readonly lists: Map<Cell, AnyList>;
  /** Engines of the host, by the variable that holds how many numbers they have given. */
  readonly engines: Map<Cell, { readonly engine: Engine; readonly source: Source; readonly seed: number; readonly stream: Stream }>;
}

/** A statement, or what is evaluated for itself. */
export function asStatement<T>({ random }: Machine, make: () => T): T {
  return random ? random.flow.statement(make) : make();
}

/** What decides where the program goes. */
export function asDecision<T>({ random }: Machine, make: () => T): T {
  return random ? random.flow.deciding(make) : make();
}
