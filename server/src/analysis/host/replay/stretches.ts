/** What an array holds before a loop, as far as it is known without a look at each element. */
import type { Content } from "@warplens/sim-engine";
import { modulo } from "../memory/content.ts";
import { isFloat } from "../values/values.ts";
import { conversion, type Known, type NumberName } from "./arithmetic.ts";
import { Formula } from "./formula.ts";

/** Numbers of an array that are known all at once: all the same, in a table, or by a formula. */
export interface Stretch {
  /** Elements `[from, to)` of the array. */
  readonly from: number;
  readonly to: number;
  readonly numbers: number | ArrayLike<number> | ((index: number) => number);
  /** Where in the table, or which of the formula's, the first of them is. */
  readonly first: number;
}

export interface Held {
  readonly content: Content;
  /** Numbers that are kept beside a content that tells how they are spread. */
  readonly numbers?: ArrayLike<number> | undefined;
  readonly type: NumberName;
  readonly elementBytes: number;
  readonly length: number;
  /** Numbers that stand for the program's are gone by, too. */
  readonly invents: boolean;
}

/** In order; nothing is said of elements between them. */
export function stretchesOf(held: Held): readonly Stretch[] {
  const { content, elementBytes: bytes, length, numbers } = held;
  if (content.kind !== "parts") {
    const all = numbers ? { kind: "values" as const, values: numbers } : content;
    return stretch(held, all, 0, length, 0);
  }
  return content.parts.flatMap(({ from, to, origin, content: part }) => {
    const [first, end, begin] = [from / bytes, Math.min(length, to / bytes), origin / bytes];
    return Number.isInteger(first) && Number.isInteger(end) && Number.isInteger(begin) ? stretch(held, part, first, end, begin) : [];
  });
}

/** Whether each element is in one of them. */
export function coverAll(stretches: readonly Stretch[], length: number): boolean {
  let end = 0;
  for (const { from, to } of stretches) if (from === end) end = to;
  return end >= length;
}

/** @param begin the element at which the content begins */
function stretch(held: Held, content: Content, from: number, to: number, begin: number): readonly Stretch[] {
  const { type, invents } = held;
  if (from >= to) return [];
  const convert = conversion(isFloat(type) ? "double" : "long", type);
  const isOne = (value: number): boolean => (isFloat(type) || Number.isInteger(value)) && convert(value) === value;
  const first = from - begin;
  switch (content.kind) {
    case "zero":
      return [{ from, to, numbers: 0, first }];
    case "constant":
      return isOne(content.value) ? [{ from, to, numbers: content.value, first }] : [];
    case "linear": {
      const { start, stride } = content;
      const at = (index: number): number => start + stride * index;
      const isExact = Number.isInteger(start) && Number.isInteger(stride) && isOne(at(first)) && isOne(at(to - 1 - begin));
      return isExact ? [{ from, to, numbers: at, first }] : [];
    }
    case "cyclic": {
      const { start, stride, modulus } = content;
      const isExact = [start, stride, modulus].every(Number.isInteger) && isOne(modulus - 1);
      return isExact ? [{ from, to, numbers: (index) => modulo(start + stride * index, modulus), first }] : [];
    }
    case "values": {
      const { values, drawn } = content;
      const isThere = first >= 0 && first + to - from <= values.length && (invents || !drawn);
      return isThere && areOf(values, type, convert) ? [{ from, to, numbers: values, first }] : [];
    }
    case "computed": {
      const values = content.by instanceof Formula ? content.by.all() : undefined;
      return values ? stretch(held, { kind: "values", values }, from, to, begin) : [];
    }
    default:
      return [];
  }
}

/** Of numbers that an array holds, whether they are all of a type: that is asked before each loop, and they do not change. */
const checked = new WeakMap<ArrayLike<number>, Map<NumberName, boolean>>();

export function areOf(values: ArrayLike<number>, type: NumberName, convert: (value: number) => Known): boolean {
  const answers = checked.get(values) ?? new Map<NumberName, boolean>();
  checked.set(values, answers);
  const before = answers.get(type);
  if (before !== undefined) return before;
  let are = true;
  for (let k = 0; k < values.length && are; k++) are = convert(values[k] ?? Number.NaN) === values[k];
  answers.set(type, are);
  return are;
}
