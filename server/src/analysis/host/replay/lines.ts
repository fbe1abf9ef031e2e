/** Numbers that are sums of multiples of loop counters, for sure: what makes it possible to tell from an element who stores it. */
import { isFloatName } from "../../sema/arithmetic-types.ts";
import { bounds } from "../values/values.ts";
import type { NumberName } from "./arithmetic.ts";

/** The counter of a loop whose number of turns is known before its first. */
export interface Counter {
  /** The slot the counter has. */
  readonly slot: number;
  readonly start: number;
  readonly step: number;
  /** At least 1. */
  readonly turns: number;
}

export interface Line {
  readonly constant: number;
  /** What each counter is multiplied by; never 0. */
  readonly terms: ReadonlyMap<Counter, number>;
}

const none: ReadonlyMap<Counter, number> = new Map();

export const constantLine = (constant: number): Line => ({ constant, terms: none });

export const counterLine = (counter: Counter): Line => ({ constant: 0, terms: new Map([[counter, 1]]) });

/** The least and the greatest it comes to. */
export function extent({ constant, terms }: Line): readonly [number, number] {
  let [lo, hi] = [constant, constant];
  for (const [{ start, step, turns }, factor] of terms) {
    const [first, last] = [factor * start, factor * (start + step * (turns - 1))];
    lo += Math.min(first, last);
    hi += Math.max(first, last);
  }
  return [lo, hi];
}

/** Numbers up to which each integer is one of the type. */
const wholeOf: Readonly<Record<string, number>> = { double: 2 ** 53, float: 2 ** 24 };

/** The line as numbers of a type, where it has them all as they are; undefined where some would come out as others. */
export function lineAs(line: Line | undefined, type: NumberName): Line | undefined {
  if (line === undefined || type === "bool") return undefined;
  const [lo, hi] = extent(line);
  if (!Number.isFinite(lo + hi)) return undefined;
  if (!Number.isInteger(line.constant)) return isFloatName(type) && (type === "double" || Math.fround(lo) === lo) ? line : undefined;
  const most = isFloatName(type) ? (wholeOf[type] ?? 0) : Number.MAX_SAFE_INTEGER;
  const [least, greatest] = isFloatName(type) ? [-most, most] : bounds(type);
  return lo >= Math.max(least, -most) && hi <= Math.min(greatest, most) ? line : undefined;
}

/** `left op right` in a type; undefined where that is no line. */
export function combinedLine(op: string, type: NumberName, left: Line | undefined, right: Line | undefined): Line | undefined {
  const [a, b] = [lineAs(left, type), lineAs(right, type)];
  if (a === undefined || b === undefined || isFloatName(type)) return undefined;
  switch (op) {
    case "+":
      return lineAs(sum(a, b, 1), type);
    case "-":
      return lineAs(sum(a, b, -1), type);
    case "*":
      if (a.terms.size === 0) return lineAs(scaled(b, a.constant), type);
      return b.terms.size === 0 ? lineAs(scaled(a, b.constant), type) : undefined;
    default:
      return undefined;
  }
}

export function scaled({ constant, terms }: Line, factor: number): Line {
  return factor === 0
    ? constantLine(0)
    : { constant: constant * factor, terms: new Map([...terms].map(([counter, each]) => [counter, each * factor] as const)) };
}

/** `a + factor * b` */
export function sum(a: Line, b: Line, factor: number): Line {
  const terms = new Map(a.terms);
  for (const [counter, each] of b.terms) {
    const made = (terms.get(counter) ?? 0) + factor * each;
    if (made === 0) terms.delete(counter);
    else terms.set(counter, made);
  }
  return { constant: a.constant + factor * b.constant, terms };
}

/** The same for equal lines alone. */
export function lineText({ constant, terms }: Line): string {
  const factors = [...terms].map(([{ slot }, factor]) => `${factor}*${slot}`);
  return [constant, ...factors.sort()].join("+");
}
