/** Steps that compute values: arithmetic, comparisons, selections, addresses. Nothing here touches memory or other lanes. */
import type { FloatPredicate, IntPredicate, Op, ScalarType } from "../ir/kernel.ts";
import { convertStep } from "./convert.ts";
import { floatCompareStep, floatStep, fmaStep } from "./floats.ts";
import { bitsOf, compareStep, intStep, zeroExtendStep } from "./ints.ts";
import { longCompareStep, longShiftStep, longStep } from "./longs.ts";
import { mathStep } from "./math.ts";
import { copyStep, type Doubles, type Ints, type Registers, type Slot, type Step } from "./registers.ts";

/** What an operation cannot be executed for, said to the user. */
export class NotExecutable extends Error {}

/** The step that computes `op` for `n` lanes (32, or 1 for a value all lanes share); undefined for operations of another sort. */
export function valueStep(op: Op, registers: Registers, n: number): Step | undefined {
  const { action, args, type } = op;
  const [a, b, c] = args;
  switch (action.kind) {
    case "int":
      if (!a || !b) break;
      if (type === "i64") {
        return action.op === "shl" || action.op === "lshr" || action.op === "ashr"
          ? longShiftStep(action.op, registers.long(op), registers.long(a), registers.ints(b), n)
          : longStep(action.op, registers.long(op), registers.long(a), registers.long(b), n);
      }
      return intStep(
        action.op,
        type as ScalarType,
        registers.ints(op),
        registers.ints(a),
        registers.ints(b),
        n,
        () => new Int32Array(registers.size),
      );
    case "float":
      if (!a || !b) break;
      return floatStep(action.op, type as ScalarType, registers.doubles(op), registers.doubles(a), registers.doubles(b), n);
    case "fma":
      if (!a || !b || !c) break;
      return fmaStep(type as ScalarType, registers.doubles(op), registers.doubles(a), registers.doubles(b), registers.doubles(c), n);
    case "icmp":
      if (!a || !b) break;
      return integerComparison(action.predicate, op, a, b, registers, n);
    case "fcmp":
      if (!a || !b) break;
      return floatCompareStep(action.predicate, registers.ints(op), registers.doubles(a), registers.doubles(b), n);
    case "select":
      if (!a || !b || !c) break;
      return selectStep(registers.ints(a), registers.slot(op), registers.slot(b), registers.slot(c), n);
    case "convert":
      if (!a) break;
      return convertStep(action, registers.slot(op), type as ScalarType, registers.slot(a), a.type, n);
    case "math": {
      const step = mathStep(action.fn, op, registers, n);
      if (!step) throw new NotExecutable(`${action.fn} of ${args.map((arg) => arg.type).join(", ")}`);
      return step;
    }
    case "gep":
      if (!a || !b) break;
      return addressStep(registers.doubles(op), registers.doubles(a), registers.slot(b), action.scale, action.offset, n);
    case "extract":
      if (!a) break;
      return copyAll(registers.slot(op), registers.slot(a, action.index), n);
    default:
      return undefined;
  }
  throw new NotExecutable(`${action.kind} with ${args.length} operands`);
}

/** All lanes, whatever the mask: values of lanes that are not active are never seen. */
function copyAll(to: Slot, from: Slot, n: number): Step {
  const step = copyStep(to, from, n);
  return (o) => step(o, -1);
}

const pointerPredicate: Readonly<Record<IntPredicate, FloatPredicate>> = {
  eq: "oeq",
  ne: "une",
  slt: "olt",
  sle: "ole",
  sgt: "ogt",
  sge: "oge",
  ult: "olt",
  ule: "ole",
  ugt: "ogt",
  uge: "oge",
};

function integerComparison(predicate: IntPredicate, op: Op, a: Op, b: Op, registers: Registers, n: number): Step {
  if (a.type === "ptr")
    return floatCompareStep(pointerPredicate[predicate], registers.ints(op), registers.doubles(a), registers.doubles(b), n);
  if (a.type === "i64") return longCompareStep(predicate, registers.ints(op), registers.long(a), registers.long(b), n);
  if (a.type !== "i1" || predicate === "eq" || predicate === "ne")
    return compareStep(predicate, registers.ints(op), registers.ints(a), registers.ints(b), n);
  // As signed numbers the two values of an i1 are 0 and -1: the order is the other way round.
  const signed = predicate.startsWith("s");
  const bits = bitsOf("i1");
  const [left, right] = [new Int32Array(registers.size), new Int32Array(registers.size)];
  const steps = [zeroExtendStep(left, registers.ints(a), bits, n), zeroExtendStep(right, registers.ints(b), bits, n)];
  const compare = compareStep(predicate, registers.ints(op), signed ? right : left, signed ? left : right, n);
  return (o, mask) => {
    for (const step of steps) step(o, mask);
    compare(o, mask);
  };
}

function selectStep(condition: Ints, to: Slot, yes: Slot, no: Slot, n: number): Step {
  const pick =
    (out: Ints | Doubles, a: Ints | Doubles, b: Ints | Doubles): Step =>
    (o) => {
      for (let i = o, e = o + n; i < e; i++) out[i] = condition[i] ? a[i]! : b[i]!;
    };
  if (to.kind === "long" && yes.kind === "long" && no.kind === "long") {
    const low = pick(to.data.lo, yes.data.lo, no.data.lo);
    const high = pick(to.data.hi, yes.data.hi, no.data.hi);
    return (o, mask) => {
      low(o, mask);
      high(o, mask);
    };
  }
  if (to.kind === "long" || yes.kind === "long" || no.kind === "long") throw new NotExecutable("a selection of values of several types");
  return pick(to.data, yes.data, no.data);
}

function addressStep(out: Doubles, base: Doubles, index: Slot, scale: number, offset: number, n: number): Step {
  if (index.kind === "int") {
    const { data } = index;
    return (o) => {
      for (let i = o, e = o + n; i < e; i++) out[i] = base[i]! + data[i]! * scale + offset;
    };
  }
  if (index.kind !== "long") throw new NotExecutable("an address with an index that is no integer");
  const { lo, hi } = index.data;
  return (o) => {
    for (let i = o, e = o + n; i < e; i++) out[i] = base[i]! + (hi[i]! * 0x1_0000_0000 + (lo[i]! >>> 0)) * scale + offset;
  };
}
