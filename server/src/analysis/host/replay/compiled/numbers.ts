/** C++ arithmetic as instructions: what `../arithmetic.ts` does on numbers that are known. */
import { roundBf16, roundF16 } from "@warplens/sim-engine";
import { isFloatName, promotedName } from "../../../sema/arithmetic-types.ts";
import type { IntegerName } from "../../../sema/types.ts";
import { bitsOf, isUnsigned } from "../../values/values.ts";
import type { NumberName } from "../arithmetic.ts";
import type { ValueType } from "./binary.ts";
import { NotCompiled } from "./not-compiled.ts";
import type { Writer } from "./writer.ts";

/** Of 16 bits: held as a float, which holds each of its numbers. */
export const isHalf = (type: NumberName): boolean => type === "half" || type === "bfloat16";

/** As what a number of a type is held: integers of less than 32 bits as they are. */
export function valueType(type: NumberName): ValueType {
  if (type === "double") return "f64";
  if (isFloatName(type)) return "f32";
  return bitsOf(type) === 64 ? "i64" : "i32";
}

export function writeConstant(w: Writer, value: number | bigint, type: NumberName): void {
  const held = valueType(type);
  if (held === "i64") w.i64(BigInt(value));
  else if (held === "i32") w.i32(Number(value));
  else w.float(Number(value), held);
}

/** Leaves 1 or 0: whether a number is other than 0. */
export function writeTruth(w: Writer, type: NumberName): void {
  const held = valueType(type);
  if (held === "i32" || held === "i64") {
    w.op(`${held}.eqz`);
    w.op("i32.eqz");
    return;
  }
  w.float(0, held);
  w.op(`${held}.ne`);
}

/** Brings what 32 bits hold into the range of a type that has no more. */
function writeWrapped(w: Writer, type: IntegerName): void {
  const bits = bitsOf(type);
  if (bits === 32) return;
  if (isUnsigned(type)) {
    w.i32(2 ** bits - 1);
    w.op("i32.and");
  } else w.op(bits === 8 ? "i32.extend8_s" : "i32.extend16_s");
}

export function writeConversion(w: Writer, from: NumberName, to: NumberName): void {
  if (from === to) return;
  if (to === "bool") writeTruth(w, from);
  else if (isHalf(to)) writeRounded(w, from, to);
  else if (isFloatName(to)) writeFloat(w, from, valueType(to));
  else if (isFloatName(from)) writeTruncated(w, from, to);
  else writeInteger(w, from, to);
}

/** Rounded once, from the number as it is. */
function writeRounded(w: Writer, from: NumberName, to: NumberName): void {
  writeFloat(w, from, "f64");
  w.costs(roundingCost);
  w.call(to === "half" ? roundF16 : roundBf16, ["f64"], "f64");
  w.op("f32.demote_f64");
}

function writeFloat(w: Writer, from: NumberName, to: ValueType): void {
  const held = valueType(from);
  if (held === to) return;
  if (held === "f32") w.op("f64.promote_f32");
  else {
    if (held !== "f64" && !isFloatName(from)) w.op(`f64.convert_${held}_${isUnsigned(from) ? "u" : "s"}`);
    if (to === "f32") w.op("f32.demote_f64");
  }
}

/** A floating-point number without its fraction. Beyond the type's range nothing says what comes out. */
function writeTruncated(w: Writer, from: NumberName, to: IntegerName): void {
  if (valueType(from) === "f32") w.op("f64.promote_f32");
  if (bitsOf(to) === 64) {
    const value = w.local("f64");
    w.tee(value);
    w.op("f64.abs");
    w.float(2 ** 53, "f64");
    w.op("f64.lt");
    w.op("i32.eqz");
    w.refuseIf();
    w.get(value);
    w.op("i64.trunc_f64_s");
    return;
  }
  w.op(bitsOf(to) === 32 && isUnsigned(to) ? "i32.trunc_f64_u" : "i32.trunc_f64_s");
  if (bitsOf(to) === 32) return;
  const value = w.local("i32");
  w.tee(value);
  writeWrapped(w, to);
  w.get(value);
  w.op("i32.ne");
  w.refuseIf();
  w.get(value);
}

function writeInteger(w: Writer, from: IntegerName, to: IntegerName): void {
  const [held, made] = [valueType(from), valueType(to)];
  if (made === "i64") {
    if (held === "i32") w.op(isUnsigned(from) ? "i64.extend_i32_u" : "i64.extend_i32_s");
    return;
  }
  if (held === "i64") w.op("i32.wrap_i64");
  writeWrapped(w, to);
}

const names: Readonly<Record<string, string>> = {
  "+": "add",
  "-": "sub",
  "*": "mul",
  "/": "div",
  "%": "rem",
  "&": "and",
  "|": "or",
  "^": "xor",
};
const compared: Readonly<Record<string, string>> = { "<": "lt", ">": "gt", "<=": "le", ">=": "ge", "==": "eq", "!=": "ne" };
/** Of a call of the host that rounds. */
const roundingCost = 20;
/** Of a division of integers. */
const divisionCost = 12;

/** `left op right` of two numbers of a type that are on the stack. Where there is no result the function ends. @throws NotCompiled */
export function writeOperation(w: Writer, op: string, type: NumberName): void {
  const held = valueType(type);
  const comparison = compared[op];
  const name = comparison ?? names[op];
  if (name === undefined) throw new NotCompiled();
  if (isHalf(type) && comparison === undefined) throw new NotCompiled();
  if (isFloatName(type)) {
    w.op(`${held}.${name}`);
    return;
  }
  if (type === "bool" && comparison === undefined) throw new NotCompiled();
  const isSigned = /^(lt|gt|le|ge|div|rem)$/.test(name);
  if (/^(div|rem)$/.test(name)) w.costs(divisionCost);
  w.op(`${held}.${name}${isSigned ? (isUnsigned(type) ? "_u" : "_s") : ""}`);
  if (comparison === undefined && held === "i32") writeWrapped(w, type);
}

/** `left << count`, `left >> count`; the count is on the stack, too. */
export function writeShift(w: Writer, op: "<<" | ">>", type: IntegerName, count: IntegerName): void {
  const promoted = promotedName(type);
  if (isFloatName(promoted)) throw new NotCompiled();
  const held = valueType(promoted);
  if (valueType(count) !== held) w.op(held === "i64" ? "i64.extend_i32_s" : "i32.wrap_i64");
  w.op(`${held}.${op === "<<" ? "shl" : isUnsigned(promoted) ? "shr_u" : "shr_s"}`);
}
