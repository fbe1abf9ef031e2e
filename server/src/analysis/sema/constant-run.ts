/** The state of evaluating a constant expression, and its values. */
import type { Expression, VariableDeclaration } from "../../syntax/ast.ts";
import { wrapInteger } from "./arithmetic-types.ts";
import type { Constant, Context } from "./context.ts";
import { isFloating, isInteger, underlying } from "./type-tools.ts";
import type { RecordInstance, Substitution, Type } from "./types.ts";

/** Local variables of a `constexpr` function that is being run: by declaration. Arrays are lists of elements. */
export type Cell = { value: Value };

export type Value = Constant | Value[] | ObjectValue | undefined;

/** An object of a class: its members by name, its bases' among them. */
export class ObjectValue {
  readonly record: RecordInstance;
  readonly members: Map<string, Cell>;

  constructor(record: RecordInstance, members: Map<string, Cell>) {
    this.record = record;
    this.members = members;
  }
}

/** Another object, or array, of the same value. */
export function copied(value: Value): Value {
  if (Array.isArray(value)) return value.map(copied);
  if (!(value instanceof ObjectValue)) return value;
  return new ObjectValue(value.record, new Map([...value.members].map(([name, cell]) => [name, { value: copied(cell.value) }])));
}

export interface Run {
  readonly context: Context;
  /** An expression's value; throws `NotConstant`. */
  readonly evaluate: (run: Run, expression: Expression) => Value;
  /** A number, or what an object converts to. */
  readonly scalar: (run: Run, expression: Expression) => Constant;
  /** What a type makes of an initialiser. */
  readonly initialised: (run: Run, type: Type | undefined, init: VariableDeclaration["init"]) => Value;
  readonly substitution: Substitution | undefined;
  readonly locals: Map<object, Cell>;
  /** `*this` of a member function that is run. */
  readonly self?: ObjectValue | undefined;
  /** What the function returns that is run. */
  readonly result?: Type | undefined;
  readonly budget: Budget;
}

interface Budget {
  steps: number;
  depth: number;
  /** A `constexpr` function is run. Others are tried, too, and nothing is missing where that leads too far. */
  promised: boolean;
}

const stepBudget = 50_000;
const depthBudget = 128;

export const wholeBudget = (): Budget => ({ steps: stepBudget, depth: 0, promised: false });

/** Thrown where evaluation must stop: not constant, or over budget. Never leaves constant evaluation. */
export class NotConstant extends Error {}
/** One for all: a stack of calls each time would take longer than what was evaluated. */
export const notConstant = new NotConstant();

/** A value as a type keeps it: wrapped, rounded, or made a boolean. */
export function convertConstant(value: Constant, type: Type | undefined): Constant {
  const plain = type && underlying(type.kind === "reference" ? type.to : type);
  if (!plain) return value;
  if (isInteger(plain)) {
    if (plain.name === "bool") return typeof value === "number" ? value !== 0 : Boolean(value);
    const whole = typeof value === "number" ? (Number.isFinite(value) ? BigInt(Math.trunc(value)) : 0n) : BigInt(value);
    return wrapInteger(whole, plain.name);
  }
  if (isFloating(plain)) {
    const number = Number(value);
    return plain.name === "float" ? Math.fround(number) : number;
  }
  return value;
}

export function spend(run: Run): void {
  if (--run.budget.steps < 0) giveUp(run);
}

function giveUp({ budget, context }: Run): never {
  if (budget.promised) context.recursion.end();
  throw notConstant;
}

/** A function that is called, or a variable that stands for its value: a level deeper. */
export function deeper<T>(run: Run, work: () => T): T {
  if (run.budget.depth >= depthBudget) giveUp(run);
  run.budget.depth++;
  try {
    return work();
  } finally {
    run.budget.depth--;
  }
}

/** @throws NotConstant */
export function scalarOf(value: Value): Constant {
  if (value === undefined || typeof value === "object") throw notConstant;
  return value;
}
