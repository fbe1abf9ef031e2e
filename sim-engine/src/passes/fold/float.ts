/** Floating-point arithmetic, where the result is the same to the last bit, and conversions between types. */

import { floatConstant, isConstant } from "../../ir/constants.ts";
import { evaluateConversion, evaluateFloat, evaluateMath, roundTo } from "../../ir/evaluate.ts";
import { type Action, type Op, type ScalarType, scalarBytes } from "../../ir/kernel.ts";
import { ofWantedBits } from "./bits.ts";
import { become, type Folding } from "./folding.ts";
import { foldSharedAddress } from "./shared-window.ts";

export function foldFloat(op: Op, folding: Folding): Op | undefined {
  const type = op.type as ScalarType;
  const { action } = op;
  const [a, b] = op.args;
  if (!a) return undefined;
  const wide = type === "f32" || type === "f64";
  const x = floatConstant(a);
  const y = floatConstant(b);
  if (action.kind === "math") {
    if (action.fn === "fneg" && a.action.kind === "math" && a.action.fn === "fneg") return a.args[0];
    if (action.fn === "fabs" && a.action.kind === "math" && a.action.fn === "fneg" && a.args[0]) return become(op, action, a.args[0]);
    if (!wide || op.args.some((arg) => floatConstant(arg) === undefined)) return undefined;
    const value = evaluateMath(
      action.fn,
      type,
      op.args.map((arg) => floatConstant(arg) ?? 0),
    );
    return value === undefined ? undefined : folding.constants.get(type, value);
  }
  if (action.kind !== "float" || !b) return undefined;
  if (wide && x !== undefined && y !== undefined) {
    const value = evaluateFloat(action.op, type, x, y);
    return value === undefined ? undefined : folding.constants.get(type, value);
  }
  if (isConstant(a) && (action.op === "fadd" || action.op === "fmul")) return become(op, action, b, a);
  switch (action.op) {
    case "fadd":
      return Object.is(y, -0) ? a : undefined;
    case "fsub":
      if (y === 0 && !Object.is(y, -0)) return a;
      if (wide && y !== undefined) return become(op, { kind: "float", op: "fadd" }, a, folding.constants.get(type, -y));
      if (Object.is(x, -0)) return become(op, { kind: "math", fn: "fneg", precision: "precise" }, b);
      return undefined;
    case "fmul":
      if (y === 1) return a;
      return y === -1 ? become(op, { kind: "math", fn: "fneg", precision: "precise" }, a) : undefined;
    case "fdiv":
      if (y === 1) return a;
      // A power of two has an exact reciprocal.
      if (wide && y !== undefined && y !== 0 && Number.isInteger(Math.log2(Math.abs(y))) && Math.abs(Math.log2(Math.abs(y))) < 126)
        return become(op, { kind: "float", op: "fmul" }, a, folding.constants.get(type, roundTo(type, 1 / y)));
      return undefined;
    default:
      return undefined;
  }
}

/** Whether a value is itself again when it has been a narrower one, as the smaller of two bytes is. */
function survives(op: Op, narrow: ScalarType, widened: "sext" | "zext", { ranges }: Folding): boolean {
  const { low, high } = ranges.of(op);
  const values = 2 ** (8 * scalarBytes[narrow]);
  return narrow !== "i1" && (widened === "zext" ? low >= 0 && high < values : low >= -values / 2 && high < values / 2);
}

type ConvertAction = Extract<Action, { kind: "convert" }>;

export function foldConversion(op: Op, action: ConvertAction, folding: Folding): Op | undefined {
  const to = op.type as ScalarType;
  const [a] = op.args;
  if (!a || a.type === "void") return undefined;
  if (a.type === to) return action.op === "ptrtoint" || action.op === "inttoptr" || action.op === "bitcast" ? a : undefined;
  if (a.action.kind === "const" && (action.op !== "fptrunc" || (action.rounding ?? "n") === "n")) {
    const value = evaluateConversion(action.op, a.type, to, a.action.value);
    return value === undefined ? undefined : folding.constants.get(to, value);
  }
  const inner = a.action.kind === "convert" ? a.action.op : undefined;
  const x = a.args[0];
  if (inner && x && x.type !== "void") {
    const narrow = scalarBytes[x.type];
    switch (action.op) {
      case "trunc":
        if (inner === "sext" || inner === "zext") {
          if (x.type === to) return x;
          return scalarBytes[to] < narrow ? become(op, action, x) : become(op, { kind: "convert", op: inner }, x);
        }
        if (inner === "trunc") return become(op, action, x);
        break;
      case "sext":
      case "zext":
        if (inner === action.op) return become(op, action, x);
        if (inner === "zext") return become(op, { kind: "convert", op: "zext" }, x);
        if (inner === "trunc" && x.type === to && survives(x, a.type, action.op, folding)) return x;
        break;
      case "bitcast":
        if (inner === "bitcast") return x.type === to ? x : become(op, action, x);
        break;
      case "ptrtoint":
        if (inner === "inttoptr" && x.type === to) return x;
        break;
      case "inttoptr":
        if (inner === "ptrtoint") return x;
        break;
      case "fptrunc":
        // Widened and narrowed again: nothing was lost.
        if (inner === "fpext" && x.type === to) return x;
        break;
      default:
        break;
    }
  }
  if (action.op === "inttoptr") return foldSharedAddress(a, folding);
  if (action.op === "trunc" && (to === "i16" || to === "i8")) {
    const wanted = ofWantedBits(a, to === "i16" ? 0xffff : 0xff);
    if (wanted !== a) return become(op, action, wanted);
  }
  // A value that is never negative widens either way; signed is what addresses take.
  if (action.op === "zext" && a.type === "i32" && folding.ranges.nonNegative(a)) return become(op, { kind: "convert", op: "sext" }, a);
  return undefined;
}
