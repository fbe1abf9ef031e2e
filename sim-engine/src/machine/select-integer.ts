/** Integer arithmetic, comparisons, selections and conversions. */

import { calleeWords, opcodesOf } from "../compilers/expansions.ts";
import { intConstant, isConstant, powerOfTwo } from "../ir/constants.ts";
import { type Op, type ScalarType, scalarBytes } from "../ir/kernel.ts";
import { type Absorption, extendedBy, extensionOf } from "./absorb.ts";
import { roundingTo } from "./halves.ts";
import { highHalf } from "./high-halves.ts";
import type { Instruction, Register } from "./machine.ts";
import type { BlockCode, Choice, Selection } from "./selection.ts";

export function selectInt(selection: Selection, code: BlockCode, op: Op): Choice {
  const { action, args } = op;
  if (action.kind !== "int") return [];
  // Predicates: a combination of two that no comparison could take in.
  if (op.type === "i1") return ["PLOP3"];
  if (op.type === "i64")
    return selection.isUniformValue(op) ? onUniformDatapath(selectLong(selection, code, op)) : selectLong(selection, code, op);
  const [, b] = args;
  const uniform = selection.isUniformValue(op);
  const taken = selection.absorption.takenBy(op);
  const takenOp = taken?.action.kind === "int" ? taken.action.op : undefined;
  switch (action.op) {
    case "add":
    case "sub":
      if (takenOp === "mul") return [uniform ? "UIMAD" : "IMAD"];
      if (takenOp === "shl") return [uniform ? "ULEA" : "LEA"];
      return [uniform ? "UIADD3" : "IADD3"];
    case "mul":
      return [uniform ? "UIMAD" : "IMAD"];
    case "mulhi.s":
    case "mulhi.u":
      return ["IMAD.HI"];
    case "and":
    case "or":
    case "xor":
      return joining(selection, op) ?? [uniform ? "ULOP3" : "LOP3"];
    case "shl":
    case "lshr":
    case "ashr":
      return [uniform ? "USHF" : "SHF"];
    case "smin":
    case "smax":
    case "umin":
    case "umax":
      return [extreme(selection.absorption, op)];
    case "sdiv":
    case "udiv":
    case "srem":
    case "urem":
      return selectDivision(selection, code, op, action.op, intConstant(b));
  }
}

/** The instruction for the least or greatest of values, a sum or another extreme that it takes in among them. */
function extreme(absorption: Absorption, op: Op): string {
  const taken = absorption.takenBy(op);
  const taking = taken?.action.kind === "int" ? taken.action.op : undefined;
  if (taken && absorption.isRaised(op, taken)) return `${extreme(absorption, taken)}.RELU`;
  return taking === "add" ? "VIADDMNMX" : taking ? "VIMNMX3" : "VIMNMX";
}

function selectDivision(
  selection: Selection,
  code: BlockCode,
  op: Op,
  kind: "sdiv" | "udiv" | "srem" | "urem",
  divisor: number | undefined,
): Choice {
  if (divisor === undefined) {
    // A quotient and a remainder of the same numbers share the division.
    const twin = twinDivision(selection, op);
    if (twin) return { opcodes: ["IADD3", "IMAD"], operands: [twin, ...op.args] };
    const [, by] = op.args;
    const reciprocal = by ? [sharedReciprocal(selection, code, op, by, kind.startsWith("s"))] : [];
    return { opcodes: opcodesOf(`i32.${kind}`) ?? [], more: reciprocal };
  }
  const name = powerOfTwo(divisor) === undefined ? `${kind}Constant` : `${kind}Power`;
  return { opcodes: opcodesOf(`i32.${name}`) ?? opcodesOf(`i32.${kind}`) ?? [], operands: op.args.slice(0, 1) };
}

/** Divisions by one divisor share its reciprocal, which leaves loops with it. */
function sharedReciprocal(selection: Selection, code: BlockCode, op: Op, divisor: Op, signed: boolean): Register {
  const opcodes = opcodesOf(signed ? "i32.signedReciprocal" : "i32.reciprocal") ?? [];
  return selection.leaf(
    `reciprocal ${divisor.id} ${signed}`,
    code.block,
    () => {
      const made: Instruction[] = [];
      let last = selection.use(divisor, code.block);
      for (const opcode of opcodes) {
        const register = selection.newRegister("R");
        made.push(selection.instruction(opcode, op.span, [register], last));
        last = [register];
      }
      return { register: last[0] as Register, made };
    },
    { needs: divisor },
  );
}

/** The division already done whose remainder, or quotient, this is. */
function twinDivision(selection: Selection, op: Op): Op | undefined {
  const [a, b] = op.args;
  if (!a || !b) return undefined;
  return selection.shape.users(a).find((other) => {
    if (other === op || other.id >= op.id || other.action.kind !== "int" || op.action.kind !== "int") return false;
    const pair = [other.action.op, op.action.op].sort().join(" ");
    return (
      (pair === "sdiv srem" || pair === "udiv urem") &&
      other.args[0] === a &&
      other.args[1] === b &&
      selection.shape.home(other) === selection.shape.home(op)
    );
  });
}

const onUniformDatapath = (choice: Choice): Choice =>
  "opcodes" in choice
    ? { ...choice, opcodes: choice.opcodes.map((opcode) => `U${opcode}`) }
    : (choice as readonly string[]).map((opcode) => `U${opcode}`);

function selectLong(selection: Selection, code: BlockCode, op: Op): Choice {
  const { action, args } = op;
  if (action.kind !== "int") return [];
  const taken = selection.absorption.takenBy(op);
  // A sum with a product takes what the product does: IMAD.WIDE adds. A constant has to be in a pair of registers, which the sum then overwrites.
  if (taken) {
    const product = selectLong(selection, code, taken) as readonly string[];
    const summand = extendedBy(op);
    const opcodes = summand && selection.absorption.has(summand) ? ["SHF", ...product] : product;
    if (!args.some(isConstant)) return opcodes;
    const isUniform = selection.isUniformValue(op);
    const pair = selection.newRegister(isUniform ? "UR" : "R", 2);
    for (const opcode of isUniform ? ["UMOV", "UMOV"] : ["IMAD.MOV", "MOV"])
      code.body.push(selection.instruction(opcode, op.span, [pair], []));
    return { opcodes, more: [pair] };
  }
  const constant = intConstant(args[1]);
  const extended = extendedBy(op);
  switch (action.op) {
    case "add":
    case "sub":
      return ["IADD3", extended && selection.absorption.has(extended) ? "LEA.HI.X.SX32" : "IADD3.X"];
    case "mul": {
      if (selection.absorption.isWideProduct(op)) return ["IMAD.WIDE"];
      // A factor whose high half is zero, or known, takes one product less.
      const isShort = constant !== undefined || args.some((arg) => extensionOf(arg) === "zext");
      return isShort ? ["IMAD.WIDE.U32", "IMAD", "IADD3"] : ["IMAD", "IMAD", "IMAD.WIDE.U32", "IADD3"];
    }
    case "and":
    case "or":
    case "xor":
      return highHalf(op) === undefined ? ["LOP3", "LOP3"] : ["LOP3"];
    case "shl":
    case "lshr":
    case "ashr":
      return highHalf(op) === undefined ? ["SHF", "SHF"] : ["SHF"];
    case "mulhi.s":
    case "mulhi.u":
      return ["IMAD.WIDE.U32", "IMAD.WIDE.U32", "IADD3", "IMAD.WIDE.U32", "IADD3.X", "IMAD.X"];
    case "smin":
    case "smax":
    case "umin":
    case "umax":
      return ["ISETP", "ISETP.EX", "SEL", "SEL"];
    case "sdiv":
    case "udiv":
    case "srem":
    case "urem": {
      const name = /div/.test(action.op) ? "div" : "rem";
      return constant === undefined
        ? { opcodes: opcodesOf(`i64.${name}`) ?? [], callee: calleeWords(name, "i64", false) }
        : (opcodesOf(`i64.${name}Constant`) ?? []);
    }
  }
}

export function selectCompare(selection: Selection, op: Op): Choice {
  const [a] = op.args;
  const type = a?.type;
  if (op.action.kind === "fcmp") {
    const opcode = type === "f64" ? "DSETP" : type === "f16" || type === "bf16" ? "HSETP2" : "FSETP";
    return [opcode];
  }
  if (type === "i1") return ["PLOP3"];
  const wide = type === "i64" || (type === "ptr" && !(a && selection.shape.isNarrowPointer(a)));
  if (wide) return ["ISETP", "ISETP.EX"];
  return ["ISETP"];
}

export function selectSelect(selection: Selection, op: Op): Choice {
  if (op.type === "i1") return ["PLOP3"];
  const float = op.type === "f32" || op.type === "f64";
  const opcode = float ? "FSEL" : "SEL";
  const wide = op.type !== "void" && scalarBytes[op.type] === 8 && !selection.shape.isNarrowPointer(op);
  return wide ? [opcode, opcode] : [opcode];
}

export function selectConversion(selection: Selection, op: Op): Choice {
  const { action, args } = op;
  if (action.kind !== "convert") return [];
  const [from] = args;
  const to = op.type as ScalarType;
  const source = from?.type as ScalarType;
  const small = (type: ScalarType): boolean => type === "i8" || type === "i16";
  switch (action.op) {
    case "sext":
    case "zext":
      if (source === "i1") return ["SEL"];
      if (to === "i64") return [selection.isUniformValue(op) ? "USHF" : "SHF"];
      return [action.op === "sext" ? "PRMT" : "LOP3"];
    case "sitofp":
    case "uitofp":
      if (source === "i64") return ["I2F.S64"];
      if (to === "f64") return ["I2F.F64"];
      if (to === "f16" || to === "bf16") return ["I2F.F16"];
      // Only to the nearest where integers are added.
      return small(source) ? ["I2F.8"] : [(action.rounding ?? "n") === "n" ? "I2FP.F32" : "I2F"];
    case "fptosi":
    case "fptoui":
      return [source === "f64" ? "F2I.F64" : "F2I.TRUNC"];
    case "fpext":
      if (to === "f64") return source === "f32" ? ["F2F.F64.F32"] : ["HADD2.F32", "F2F.F64.F32"];
      return source === "bf16" ? ["IMAD.U32"] : ["HADD2.F32"];
    case "fptrunc":
      if (source === "f64") return to === "f32" ? ["F2F.F32.F64"] : ["F2F.F16.F64"];
      return selectRounding(selection, op);
    default:
      return ["MOV"];
  }
}

/** What puts two halves into one word, where the operation does that. */
function joining(selection: Selection, op: Op): readonly string[] | undefined {
  const by = selection.absorption.halves.joins(op);
  return by === "rounding" ? roundingTo(2, selection.target) : by && ["PRMT"];
}

/** With what goes into the other half of the word. */
function selectRounding(selection: Selection, op: Op): Choice {
  const other = selection.absorption.halves.beside(op);
  if (!other) return roundingTo(1, selection.target);
  selection.alias(other, selection.define(op));
  return { opcodes: roundingTo(2, selection.target), operands: [...other.args, ...op.args] };
}
