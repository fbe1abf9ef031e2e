/**
 * Integers of 64 bits that no double holds, as generators of random numbers have them: `bigint`s, which stand in the place of numbers
 * between operations of such types alone.
 */
import { isFloatName } from "../../sema/arithmetic-types.ts";
import { bitsOf, isUnsigned, roundings } from "../values/values.ts";
import type { Known, NumberName, Operation } from "./arithmetic.ts";
import { compilable, type Run } from "./machine.ts";

type Exact = number | bigint;

export const isWide = (type: NumberName): boolean => !isFloatName(type) && bitsOf(type) === 64;

/** As a number where one holds it. */
export function reduced(value: bigint): Known {
  const isSafe = value >= -9007199254740991n && value <= 9007199254740991n;
  return (isSafe ? Number(value) : value) as Known;
}

const exactly = (value: Exact, unsigned: boolean): bigint =>
  unsigned ? BigInt.asUintN(64, BigInt(value)) : BigInt.asIntN(64, BigInt(value));

/** Of integers, however long. */
export const exactArithmetic: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
  "&": (a, b) => a & b,
  "|": (a, b) => a | b,
  "^": (a, b) => a ^ b,
};

const operations: Readonly<Record<string, (a: bigint, b: bigint) => bigint | boolean>> = {
  ...exactArithmetic,
  "<": (a, b) => a < b,
  ">": (a, b) => a > b,
  "<=": (a, b) => a <= b,
  ">=": (a, b) => a >= b,
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
};

/** @param near the same on numbers @param spend of each that has to be done exactly */
export function wideOperation(op: string, type: NumberName, near: Operation, spend: () => void): Operation {
  const operate = operations[op];
  const unsigned = !isFloatName(type) && isUnsigned(type);
  if (!operate) return near;
  return (a: Exact, b: Exact) => {
    if (typeof a === "number" && typeof b === "number") {
      const made = near(a, b);
      if (made !== undefined || (b === 0 && (op === "/" || op === "%"))) return made;
    }
    spend();
    const made = operate(exactly(a, unsigned), exactly(b, unsigned));
    return typeof made === "boolean" ? Number(made) : reduced(unsigned ? BigInt.asUintN(64, made) : BigInt.asIntN(64, made));
  };
}

/** @param near the same on numbers */
export function wideShift(op: "<<" | ">>", type: NumberName, near: Operation, spend: () => void): Operation {
  const unsigned = !isFloatName(type) && isUnsigned(type);
  return (a: Exact, count: Exact) => {
    if (typeof count !== "number") return undefined;
    if (typeof a === "number") {
      const made = near(a, count);
      if (made !== undefined) return made;
    }
    spend();
    const by = BigInt(((count % 64) + 64) % 64);
    const value = exactly(a, unsigned);
    return reduced(exactly(op === "<<" ? value << by : value >> by, unsigned));
  };
}

/** What a number of 64 bits becomes as one of another type, where no double holds it. */
export function fromWide(value: bigint, from: NumberName, to: NumberName): Known {
  const unsigned = !isFloatName(from) && isUnsigned(from);
  const exact = exactly(value, unsigned);
  if (isFloatName(to)) return roundings[to](Number(exact));
  if (to === "bool") return 1;
  const bits = bitsOf(to);
  return reduced(isUnsigned(to) ? BigInt.asUintN(bits, exact) : BigInt.asIntN(bits, exact));
}

/** A number that counts or indexes something: undefined where no double holds it. */
export const narrowed = (run: Run): Run => {
  const narrow = (): Known => {
    const value = run() as Exact | undefined;
    return typeof value === "number" ? value : undefined;
  };
  return run.write ? compilable(narrow, run.write) : narrow;
};
