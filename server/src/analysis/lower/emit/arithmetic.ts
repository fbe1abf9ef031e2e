/** The built-in operators on scalars. */
import type { FloatPredicate, IntBinary, IntPredicate, Op } from "@warplens/sim-engine";
import type { Node } from "../../../syntax/ast.ts";
import {
  boolType,
  decay,
  integerType,
  intType,
  isFloating,
  isInteger,
  promote,
  underlying,
  usualArithmetic,
} from "../../sema/type-tools.ts";
import type { Type } from "../../sema/types.ts";
import type { Lowering } from "./lowering.ts";
import { indexOf } from "./memory.ts";
import { divisionPrecision } from "./precision.ts";
import { convert, isSignedType, scalarOf, truth, zeroOf } from "./scalars.ts";

/** A scalar and its C++ type. */
export interface Typed {
  readonly op: Op;
  readonly type: Type;
}

const comparisons: Readonly<Record<string, readonly [signed: IntPredicate, unsigned: IntPredicate, float: FloatPredicate]>> = {
  "==": ["eq", "eq", "oeq"],
  "!=": ["ne", "ne", "une"],
  "<": ["slt", "ult", "olt"],
  "<=": ["sle", "ule", "ole"],
  ">": ["sgt", "ugt", "ogt"],
  ">=": ["sge", "uge", "oge"],
};

const integerOps: Readonly<Record<string, readonly [signed: IntBinary, unsigned: IntBinary]>> = {
  "+": ["add", "add"],
  "-": ["sub", "sub"],
  "*": ["mul", "mul"],
  "/": ["sdiv", "udiv"],
  "%": ["srem", "urem"],
  "&": ["and", "and"],
  "|": ["or", "or"],
  "^": ["xor", "xor"],
};
const floatOps = { "+": "fadd", "-": "fsub", "*": "fmul" } as const;

/** `a op b` with the usual conversions; not for assignments, `&&`, `||` and `,`. */
export function binary(lowering: Lowering, op: string, left: Typed, right: Typed, node: Node): Typed {
  const [a, b] = [decay(left.type), decay(right.type)];
  if (a.kind === "pointer" || b.kind === "pointer" || a.kind === "function" || b.kind === "function")
    return withPointers(lowering, op, { op: left.op, type: a }, { op: right.op, type: b }, node);
  if (op === "<<" || op === ">>") return shift(lowering, op, left, right, node);
  const scoped = a.kind === "enum" || b.kind === "enum";
  const common =
    usualArithmetic(scoped ? underlying(a) : a, scoped ? underlying(b) : b) ?? lowering.fail(`${op} on operands it does not take`, node);
  const x = convert(lowering, left.op, left.type, common);
  const y = convert(lowering, right.op, right.type, common);
  lowering.at(node);
  const compared = comparisons[op];
  if (compared) return { op: compare(lowering, compared, x, y, common), type: boolType };
  return { op: combine(lowering, op, x, y, common, node), type: common };
}

function compare(lowering: Lowering, [signed, unsigned, float]: NonNullable<(typeof comparisons)[string]>, x: Op, y: Op, type: Type): Op {
  if (isFloating(type)) return lowering.builder.fcmp(float, x, y);
  return lowering.builder.icmp(isSignedType(type) ? signed : unsigned, x, y);
}

/** Arithmetic on two operands of the type already converted to. */
function combine(lowering: Lowering, op: string, x: Op, y: Op, type: Type, node: Node): Op {
  lowering.at(node);
  if (isFloating(type)) {
    if (op === "/") return lowering.builder.float("fdiv", x, y, divisionPrecision(lowering, scalarOf(type) ?? "f32"));
    if (op === "+" || op === "-" || op === "*") return lowering.builder.float(floatOps[op], x, y);
    return lowering.fail(`${op} on floating operands`, node);
  }
  const ops = integerOps[op];
  if (!ops || !isInteger(type)) return lowering.fail(`${op} on operands it does not take`, node);
  const signed = isSignedType(type);
  // Signed overflow is undefined in C++: the optimiser may count on its absence.
  return lowering.builder.int(ops[signed ? 0 : 1], x, y, signed && (op === "+" || op === "-" || op === "*"));
}

function shift(lowering: Lowering, op: "<<" | ">>", left: Typed, right: Typed, node: Node): Typed {
  const type = promote(left.type);
  const x = convert(lowering, left.op, left.type, type);
  const count = convert(lowering, right.op, right.type, isSignedType(right.type) ? intType : integerType("uint"));
  lowering.at(node);
  return { op: lowering.builder.int(op === "<<" ? "shl" : isSignedType(type) ? "ashr" : "lshr", x, count), type };
}

function withPointers(lowering: Lowering, op: string, left: Typed, right: Typed, node: Node): Typed {
  const compared = comparisons[op];
  if (compared) {
    const pointer = left.type.kind === "pointer" ? left.type : right.type;
    const x = convert(lowering, left.op, left.type, pointer);
    const y = convert(lowering, right.op, right.type, pointer);
    lowering.at(node);
    return { op: lowering.builder.icmp(compared[1], x, y), type: boolType };
  }
  if (left.type.kind === "pointer" && right.type.kind === "pointer") {
    const bytes = lowering.context.sizeOf(left.type.to) ?? 1;
    const long = integerType("long");
    lowering.at(node);
    const difference = lowering.builder.int(
      "sub",
      convert(lowering, left.op, left.type, long),
      convert(lowering, right.op, right.type, long),
      true,
    );
    return { op: bytes === 1 ? difference : lowering.builder.int("sdiv", difference, lowering.constant("i64", BigInt(bytes))), type: long };
  }
  if (op === "+" || op === "-") {
    const swapped = left.type.kind !== "pointer";
    const [pointer, index] = swapped ? [right, left] : [left, right];
    if (pointer.type.kind === "pointer")
      return { op: advance(lowering, pointer.op, pointer.type.to, index, op === "-", node), type: pointer.type };
  }
  return lowering.fail(`${op} on pointers`, node);
}

/** A pointer moved by an index in elements. */
export function advance(lowering: Lowering, pointer: Op, element: Type, index: Typed, backwards: boolean, node: Node): Op {
  const bytes =
    element.kind === "void"
      ? 1
      : (lowering.context.sizeOf(element) ?? lowering.fail("arithmetic on a pointer to something of unknown size", node));
  const plain = convert(lowering, index.op, index.type, promote(index.type));
  const wide = indexOf(lowering, plain, promote(index.type));
  lowering.at(node);
  return lowering.builder.gep(pointer, wide, backwards ? -bytes : bytes);
}

export function negate(lowering: Lowering, operand: Typed, node: Node): Typed {
  const type = promote(operand.type);
  const op = convert(lowering, operand.op, operand.type, type);
  lowering.at(node);
  const scalar = scalarOf(type) ?? "i32";
  if (isFloating(type)) return { op: lowering.builder.math("fneg", "precise", scalar, op), type };
  return { op: lowering.builder.int("sub", zeroOf(lowering, scalar), op, isSignedType(type)), type };
}

export function complement(lowering: Lowering, operand: Typed, node: Node): Typed {
  const type = promote(operand.type);
  if (!isInteger(type)) return lowering.fail("~ on operands it does not take", node);
  const op = convert(lowering, operand.op, operand.type, type);
  lowering.at(node);
  return { op: lowering.builder.int("xor", op, lowering.constant(scalarOf(type) ?? "i32", op.type === "i64" ? -1n : -1)), type };
}

export function not(lowering: Lowering, operand: Typed, node: Node): Typed {
  const condition = truth(lowering, operand.op);
  lowering.at(node);
  return { op: lowering.builder.int("xor", condition, lowering.constant("i1", 1)), type: boolType };
}
