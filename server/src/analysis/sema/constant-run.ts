/** The state of evaluating a constant expression, and its values. */
import type { Expression, VariableDeclaration } from "../../syntax/ast.ts";
import { wrapInteger } from "./arithmetic-types.ts";
import type { Constant, Context } from "./context.ts";
import { isFloating, isInteger, underlying } from "./type-tools.ts";
import type { Substitution, Type } from "./types.ts";

/** Local variables of a `constexpr` function that is being run: by declaration. Arrays are lists of elements. */
export type Cell = { value: Value };

export type Value = Constant | Value[] | undefined;

export interface Run {
  readonly context: Context;
  /** An expression's value; throws `NotConstant`. */
  readonly evaluate: (run: Run, expression: Expression) => Value;
  /** A number, or what an object converts to. */
  readonly scalar: (run: Run, expression: Expression) => Constant;
  readonly substitution: Substitution | undefined;
  readonly locals: Map<object, Cell>;
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
  if (value === undefined || Array.isArray(value)) throw notConstant;
  return value;
}

export function listValue(run: Run, declaration: VariableDeclaration, type: Type | undefined): Value {
  const [first] = declaration.init?.values ?? [];
  const list = first?.kind === "list" ? first.elements.map((each) => each.value) : (declaration.init?.values ?? []);
  const values = list.map((each) => run.evaluate(run, each));
  if (type?.kind !== "array") return values.length === 1 ? values[0] : values.length === 0 ? 0n : undefined;
  for (let index = values.length; index < (type.size ?? 0) && index < 4096; index++) values.push(0n);
  return values;
}
