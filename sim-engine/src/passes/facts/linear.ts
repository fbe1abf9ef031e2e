/** Integers as sums of products: what an index is made of, so that two can be compared and a loop's part taken out. */

import { intConstant } from "../../ir/constants.ts";
import type { Op } from "../../ir/kernel.ts";

/** A product of a few values; none for the constant term. */
export interface Term {
  readonly factors: readonly Op[];
  readonly coefficient: number;
}

/** By the ids of their factors. */
export type Linear = ReadonlyMap<string, Term>;

const termLimit = 12;
/** `((batch * rows + j) * heads + h) * width` has four. */
const factorLimit = 4;

const keyOf = (factors: readonly Op[]): string => factors.map((op) => op.id).join(" ");

const constant = (value: number): Linear => (value === 0 ? new Map() : new Map([["", { factors: [], coefficient: value }]]));
const atom = (op: Op): Linear => new Map([[keyOf([op]), { factors: [op], coefficient: 1 }]]);

/** a + factor * b */
export function sum(a: Linear, b: Linear, factor = 1): Linear {
  const result = new Map(a);
  for (const [key, { factors, coefficient }] of b) {
    const total = (result.get(key)?.coefficient ?? 0) + factor * coefficient;
    if (total === 0) result.delete(key);
    else result.set(key, { factors, coefficient: total });
  }
  return result;
}

function product(a: Linear, b: Linear): Linear | undefined {
  let result: Linear = new Map();
  for (const x of a.values()) {
    for (const y of b.values()) {
      const factors = [...x.factors, ...y.factors].sort((p, q) => p.id - q.id);
      if (factors.length > factorLimit) return undefined;
      result = sum(result, new Map([[keyOf(factors), { factors, coefficient: x.coefficient * y.coefficient }]]));
    }
  }
  return result;
}

/**
 * An integer where no step wraps: 64 bits, or signed and exact; with `wrapping` all of 32 bits, for addresses that are computed
 * modulo 2^32. What is not such arithmetic is a value of its own. Sums of many terms are not taken apart.
 */
export function linearOf(op: Op, wrapping = false, depth = 0): Linear {
  const value = intConstant(op);
  if (value !== undefined) return constant(value);
  if (depth > 10) return atom(op);
  const { action, args } = op;
  const [a, b] = args;
  const extends32 = action.kind === "convert" && (action.op === "sext" || (wrapping && action.op === "zext"));
  if (extends32 && a && a.type === "i32") return linearOf(a, wrapping, depth + 1);
  if (action.kind !== "int" || !a || !b || !(action.exact || op.type === "i64" || wrapping)) return atom(op);
  const x = linearOf(a, wrapping, depth + 1);
  const y = linearOf(b, wrapping, depth + 1);
  let result: Linear | undefined;
  if (action.op === "add") result = sum(x, y);
  else if (action.op === "sub") result = sum(x, y, -1);
  else if (action.op === "mul") result = product(x, y);
  else if (action.op === "shl") {
    const shift = intConstant(b);
    result = shift !== undefined && shift < 31 ? product(x, constant(2 ** shift)) : undefined;
  }
  return result && result.size <= termLimit ? result : atom(op);
}

/** The coefficient of `counter`, as a sum of products of its own, and what does not depend on it. Undefined when it is squared. */
export function splitBy(linear: Linear, counter: Op): { readonly slope: Linear; readonly rest: Linear } | undefined {
  const slope = new Map<string, Term>();
  const rest = new Map<string, Term>();
  for (const [key, term] of linear) {
    const index = term.factors.indexOf(counter);
    if (index < 0) {
      rest.set(key, term);
      continue;
    }
    const factors = term.factors.filter((_, at) => at !== index);
    if (factors.includes(counter)) return undefined;
    slope.set(keyOf(factors), { factors, coefficient: term.coefficient });
  }
  return { slope, rest };
}

export const linearKey = (linear: Linear): string =>
  [...linear]
    .map(([key, { coefficient }]) => `${key}*${coefficient}`)
    .sort()
    .join("+");

/** The whole number of times `b` goes into `a`, plus a constant: a = times * b + left. Undefined when it does not. */
export function multipleOf(a: Linear, b: Linear): { readonly times: number; readonly left: number } | undefined {
  const left = a.get("")?.coefficient ?? 0;
  const first = [...b].find(([key]) => key !== "");
  if (!first) return sum(a, constant(left), -1).size === 0 ? { times: 0, left } : undefined;
  const times = (a.get(first[0])?.coefficient ?? 0) / first[1].coefficient;
  if (!Number.isInteger(times)) return undefined;
  const remaining = sum(a, b, -times);
  const value = remaining.get("")?.coefficient ?? 0;
  return sum(remaining, constant(value), -1).size === 0 ? { times, left: value } : undefined;
}

/** A positive multiple of one value. */
export function singleTerm(difference: Linear): { readonly value: Op; readonly coefficient: number } | undefined {
  if (difference.size !== 1) return undefined;
  const [term] = difference.values();
  const [value] = term?.factors ?? [];
  return term && value && term.factors.length === 1 && term.coefficient > 0 ? { value, coefficient: term.coefficient } : undefined;
}
