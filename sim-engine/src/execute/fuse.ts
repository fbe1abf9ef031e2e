/**
 * Runs of plain arithmetic as one loop over the lanes, in code made for them: values go from operation to operation without passing
 * through memory. The code is made of the IR's own operations and of numbers, of nothing the source spells. What it computes is
 * what the operations' own steps compute, which run until a block has proved hot, and always where making code is forbidden.
 */
import type { Action, IntBinary, Op } from "../ir/kernel.ts";
import { fma, fmaSingle } from "./floats.ts";
import type { Registers, Slot, Step } from "./registers.ts";

/** Times a run is executed before code is made for it. */
export const hotAfter = 400;

/** A value as an expression; an i64 has two. */
interface Value {
  readonly low: string;
  readonly high?: string;
}

const intOps: Partial<Record<IntBinary, (x: string, y: string) => string>> = {
  add: (x, y) => `${x} + ${y} | 0`,
  sub: (x, y) => `${x} - ${y} | 0`,
  mul: (x, y) => `imul(${x}, ${y})`,
  and: (x, y) => `${x} & ${y}`,
  or: (x, y) => `${x} | ${y}`,
  xor: (x, y) => `${x} ^ ${y}`,
  shl: (x, y) => `${y} >>> 0 > 31 ? 0 : ${x} << ${y}`,
  lshr: (x, y) => `${y} >>> 0 > 31 ? 0 : ${x} >>> ${y} | 0`,
  ashr: (x, y) => `${x} >> (${y} >>> 0 > 31 ? 31 : ${y})`,
  smin: (x, y) => `${x} < ${y} ? ${x} : ${y}`,
  smax: (x, y) => `${x} > ${y} ? ${x} : ${y}`,
  umin: (x, y) => `${x} >>> 0 < ${y} >>> 0 ? ${x} : ${y}`,
  umax: (x, y) => `${x} >>> 0 > ${y} >>> 0 ? ${x} : ${y}`,
};
const floatOps: Readonly<Record<string, string>> = { fadd: "+", fsub: "-", fmul: "*", fdiv: "/" };
const comparisons: Readonly<Record<string, string>> = { eq: "===", ne: "!==", lt: "<", le: "<=", gt: ">", ge: ">=" };

const isFloat = ({ type }: Op): boolean => type === "f32" || type === "f64";
const rounded = ({ type }: Op, value: string): string => (type === "f32" ? `fround(${value})` : value);

/** The code of an operation on values; undefined for those that only have steps. */
function codeOf(op: Op, values: readonly Value[]): Value | undefined {
  const { action, args, type } = op;
  const [a, b] = args;
  const [x = "", y = "", z = ""] = values.map(({ low }) => low);
  const plain = (low: string | undefined): Value | undefined => (low === undefined ? undefined : { low });
  switch (action.kind) {
    case "int":
      if (type === "i1" && !/^(and|or|xor)$/.test(action.op)) return undefined;
      return plain(type === "i32" || type === "i1" ? intOps[action.op]?.(x, y) : undefined);
    case "float": {
      const sign = floatOps[action.op];
      return plain(sign && isFloat(op) ? rounded(op, `${x} ${sign} ${y}`) : undefined);
    }
    case "fma":
      return plain(isFloat(op) ? `${type === "f32" ? "fmaSingle" : "fma"}(${x}, ${y}, ${z})` : undefined);
    case "icmp": {
      const { predicate } = action;
      const equality = predicate === "eq" || predicate === "ne";
      if (!a || !(/^i(8|16|32)$/.test(a.type) || (a.type === "i1" && equality))) return undefined;
      const shift = predicate.startsWith("u") ? " >>> 0" : "";
      return plain(`${x}${shift} ${comparisons[equality ? predicate : predicate.slice(1)]} ${y}${shift} ? 1 : 0`);
    }
    case "fcmp": {
      const sign = action.predicate === "une" ? "!==" : comparisons[action.predicate.slice(1)];
      return plain(sign && action.predicate !== "uno" ? `${x} ${sign} ${y} ? 1 : 0` : undefined);
    }
    case "select":
      return plain(type === "i64" ? undefined : `${x} ? ${y} : ${z}`);
    case "convert":
      return a && conversion(action, a, op, x);
    case "gep": {
      const high = values[1]?.high;
      const index = high === undefined ? y : `(${high} * 4294967296 + (${y} >>> 0))`;
      const isWhole = Number.isSafeInteger(action.scale) && Number.isSafeInteger(action.offset);
      return plain(b && isWhole ? `${x} + ${index} * ${action.scale} + ${action.offset}` : undefined);
    }
    default:
      return undefined;
  }
}

function conversion({ op, rounding }: Extract<Action, { kind: "convert" }>, from: Op, to: Op, x: string): Value | undefined {
  const bits = { i1: 1, i8: 8, i16: 16, i32: 32 };
  const width = bits[from.type as "i32"];
  const narrow = bits[to.type as "i32"];
  if (rounding !== undefined && rounding !== "n") return undefined;
  switch (op) {
    case "trunc":
      if (!width || !narrow) return undefined;
      return { low: narrow === 1 ? `${x} & 1` : `${x} << ${32 - narrow} >> ${32 - narrow}` };
    case "sext": {
      const low = width === 1 ? `-${x} | 0` : x;
      if (!width) return undefined;
      return to.type === "i64" ? { low, high: width === 1 ? low : `${x} >> 31` } : { low };
    }
    case "zext": {
      if (!width) return undefined;
      const low = width === 32 ? x : `${x} & ${2 ** width - 1}`;
      return to.type === "i64" ? { low, high: "0" } : { low };
    }
    case "sitofp":
      return width && width > 1 && isFloat(to) ? { low: rounded(to, x) } : undefined;
    case "uitofp":
      return width === 32 && isFloat(to) ? { low: rounded(to, `${x} >>> 0`) } : undefined;
    case "fpext":
    case "fptrunc":
      return isFloat(from) && isFloat(to) ? { low: rounded(to, x) } : undefined;
    default:
      return undefined;
  }
}

/** There is code for the operation. */
export function isFusible(op: Op): boolean {
  const placeholder = (arg: Op): Value => (arg.type === "i64" ? { low: "x", high: "y" } : { low: "x" });
  return op.args.every((arg) => arg.type !== "void") && codeOf(op, op.args.map(placeholder)) !== undefined;
}

/**
 * One step for a run of fusible operations on all 32 lanes, whose own steps are `steps`. Values that `isRead` elsewhere are kept in
 * registers.
 */
export function fusedStep(
  ops: readonly Op[],
  steps: readonly Step[],
  registers: Registers,
  isRead: (op: Op) => boolean,
  after: number,
): Step {
  const plain: Step = (o, mask) => {
    for (let k = 0; k < steps.length; k++) steps[k]!(o, mask);
  };
  let left = after;
  const counting: Step = (o, mask) => {
    if (left-- <= 0) run = made(ops, registers, isRead) ?? plain;
    (left < 0 ? run : plain)(o, mask);
  };
  let run: Step = counting;
  return (o, mask) => run(o, mask);
}

/** Undefined where code may not be made. */
function made(ops: readonly Op[], registers: Registers, isRead: (op: Op) => boolean): Step | undefined {
  const arrays: (Int32Array | Float64Array)[] = [];
  const names = new Map<Int32Array | Float64Array, string>();
  const nameOf = (array: Int32Array | Float64Array): string => {
    const known = names.get(array);
    if (known) return known;
    const name = `a${arrays.length}`;
    arrays.push(array);
    names.set(array, name);
    return name;
  };
  const place = (slot: Slot): Value =>
    slot.kind === "long" ? { low: `${nameOf(slot.data.lo)}[i]`, high: `${nameOf(slot.data.hi)}[i]` } : { low: `${nameOf(slot.data)}[i]` };
  const values = new Map<Op, Value>();
  const lines: string[] = [];
  const local = (name: string, code: string): string => {
    lines.push(`const ${name} = ${code};`);
    return name;
  };
  const operand = (op: Op): Value => {
    const known = values.get(op);
    if (known) return known;
    const { low, high } = place(registers.slot(op));
    const name = `r${values.size}`;
    const value = { low: local(name, low), ...(high === undefined ? {} : { high: local(`${name}h`, high) }) };
    values.set(op, value);
    return value;
  };
  for (const op of ops) {
    const code = codeOf(op, op.args.map(operand));
    if (!code) return undefined;
    const name = `r${values.size}`;
    const value = { low: local(name, code.low), ...(code.high === undefined ? {} : { high: local(`${name}h`, code.high) }) };
    values.set(op, value);
    if (!isRead(op)) continue;
    const to = place(registers.slot(op));
    lines.push(`${to.low} = ${value.low};`);
    if (to.high !== undefined) lines.push(`${to.high} = ${value.high};`);
  }
  const parameters = arrays.map((_, k) => `a${k}`).join(", ");
  const loop = `for (let i = o, e = o + 32; i < e; i++) { ${lines.join(" ")} }`;
  try {
    const make = new Function(
      "arrays",
      "fround",
      "imul",
      "fma",
      "fmaSingle",
      `"use strict"; const [${parameters}] = arrays; return (o) => { ${loop} };`,
    );
    return make(arrays, Math.fround, Math.imul, fma, fmaSingle) as Step;
  } catch (error) {
    // A content-security policy says no.
    if (error instanceof EvalError) return undefined;
    throw error;
  }
}
