/** Integer arithmetic, comparisons, selections and conversions. */
import { type Op, type ScalarType, scalarBytes } from "../kernel.ts";
import { powerOfTwo } from "../passes/fold-int.ts";
import { intConstant, isConstant } from "../passes/rewrite.ts";
import { integerExpansions } from "./expansions.ts";
import type { Instruction, Register } from "./machine.ts";
import type { Code, Selection } from "./selection.ts";

export function selectInt(selection: Selection, code: Code, op: Op): void {
  const { action, args } = op;
  if (action.kind !== "int") return;
  if (op.type === "i1") return selectFlag(selection, code, op);
  if (op.type === "i64") return selectLong(selection, code, op);
  const [, b] = args;
  const uniform = selection.isUniformValue(op);
  const taken = selection.absorption.takenBy(op);
  const takenOp = taken?.action.kind === "int" ? taken.action.op : undefined;
  const emit = (opcode: string): void => selection.emit(code, opcode, op, args);
  switch (action.op) {
    case "add":
    case "sub":
      if (takenOp === "mul") return emit(uniform ? "UIMAD" : "IMAD");
      if (takenOp === "shl") return emit(uniform ? "ULEA" : "LEA");
      return emit(uniform ? "UIADD3" : "IADD3");
    case "mul":
      return emit(uniform ? "UIMAD" : "IMAD");
    case "mulhi.s":
    case "mulhi.u":
      return emit("IMAD.HI");
    case "and":
    case "or":
    case "xor":
      return emit(uniform ? "ULOP3" : "LOP3");
    case "shl":
    case "lshr":
    case "ashr":
      return emit(uniform ? "USHF" : "SHF");
    case "smin":
    case "smax":
    case "umin":
    case "umax":
      return emit(takenOp === "add" ? "VIADDMNMX" : "VIMNMX");
    case "sdiv":
    case "udiv":
    case "srem":
    case "urem":
      return selectDivision(selection, code, op, action.op, intConstant(b));
  }
}

function selectDivision(selection: Selection, code: Code, op: Op, kind: "sdiv" | "udiv" | "srem" | "urem", divisor: number | undefined): void {
  const operands = divisor === undefined ? op.args : op.args.slice(0, 1);
  const twin = divisor === undefined ? twinDivision(selection, op) : undefined;
  // A quotient and a remainder of the same numbers share the division.
  if (twin) return selection.emitChain(code, ["IADD3", "IMAD"], op, [twin, ...op.args]);
  if (divisor === undefined) {
    const [, by] = op.args;
    const reciprocal = by ? [sharedReciprocal(selection, code, op, by, kind.startsWith("s"))] : [];
    return selection.emitChain(code, integerExpansions[kind] ?? [], op, operands, reciprocal);
  }
  const name = powerOfTwo(divisor) === undefined ? `${kind}Constant` : `${kind}Power`;
  selection.emitChain(code, integerExpansions[name] ?? integerExpansions[kind] ?? [], op, operands);
}

/** Divisions by one divisor share its reciprocal, which leaves loops with it. */
function sharedReciprocal(selection: Selection, code: Code, op: Op, divisor: Op, signed: boolean): Register {
  const opcodes = integerExpansions[signed ? "signedReciprocal" : "reciprocal"] ?? [];
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
    return (pair === "sdiv srem" || pair === "udiv urem") && other.args[0] === a && other.args[1] === b && selection.shape.home(other) === selection.shape.home(op);
  });
}

/** Predicates: a combination of two that no comparison could take in. */
function selectFlag(selection: Selection, code: Code, op: Op): void {
  selection.emit(code, "PLOP3", op, op.args);
}

function selectLong(selection: Selection, code: Code, op: Op): void {
  const { action, args } = op;
  if (action.kind !== "int") return;
  const chain = (...opcodes: string[]): void => selection.emitChain(code, opcodes, op, args);
  const [a, b] = args;
  const constant = intConstant(b);
  switch (action.op) {
    case "add":
    case "sub":
      return chain("IADD3", "IADD3.X");
    case "mul": {
      const wide = (arg: Op | undefined): boolean => arg !== undefined && (isConstant(arg) || selection.absorption.has(arg));
      if (wide(a) && wide(b)) return chain("IMAD.WIDE");
      return constant === undefined ? chain("IMAD", "IMAD", "IMAD.WIDE.U32", "IADD3") : chain("IMAD.WIDE.U32", "IMAD", "IADD3");
    }
    case "and":
    case "or":
    case "xor":
      return chain("LOP3", "LOP3");
    case "shl":
    case "lshr":
    case "ashr":
      return chain("SHF", "SHF");
    case "mulhi.s":
    case "mulhi.u":
      return chain("IMAD.WIDE.U32", "IMAD.WIDE.U32", "IADD3", "IMAD.WIDE.U32", "IADD3.X", "IMAD.X");
    case "smin":
    case "smax":
    case "umin":
    case "umax":
      return chain("ISETP", "ISETP.EX", "SEL", "SEL");
    case "sdiv":
    case "udiv":
    case "srem":
    case "urem": {
      const name = /div/.test(action.op) ? "div64" : "rem64";
      return chain(...(integerExpansions[constant === undefined ? name : `${name}Constant`] ?? []));
    }
  }
}

export function selectCompare(selection: Selection, code: Code, op: Op): void {
  const [a] = op.args;
  const type = a?.type;
  if (op.action.kind === "fcmp") {
    const opcode = type === "f64" ? "DSETP" : type === "f16" || type === "bf16" ? "HSETP2" : "FSETP";
    return selection.emit(code, opcode, op, op.args);
  }
  if (type === "i1") return selection.emit(code, "PLOP3", op, op.args);
  const wide = type === "i64" || (type === "ptr" && !(a && selection.shape.isNarrowPointer(a)));
  if (wide) return selection.emitChain(code, ["ISETP", "ISETP.EX"], op, op.args);
  selection.emit(code, "ISETP", op, op.args);
}

export function selectSelect(selection: Selection, code: Code, op: Op): void {
  if (op.type === "i1") return selection.emit(code, "PLOP3", op, op.args);
  const float = op.type === "f32" || op.type === "f64";
  const opcode = float ? "FSEL" : "SEL";
  const wide = op.type !== "void" && scalarBytes[op.type] === 8 && !selection.shape.isNarrowPointer(op);
  selection.emitChain(code, wide ? [opcode, opcode] : [opcode], op, op.args);
}

export function selectConversion(selection: Selection, code: Code, op: Op): void {
  const { action, args } = op;
  if (action.kind !== "convert") return;
  const [from] = args;
  const to = op.type as ScalarType;
  const source = from?.type as ScalarType;
  const chain = (...opcodes: string[]): void => selection.emitChain(code, opcodes, op, args);
  const small = (type: ScalarType): boolean => type === "i8" || type === "i16";
  switch (action.op) {
    case "sext":
    case "zext":
      if (source === "i1") return chain("SEL");
      if (to === "i64") return chain("SHF");
      return chain(action.op === "sext" ? "PRMT" : "LOP3");
    case "sitofp":
    case "uitofp":
      if (source === "i64") return chain("I2F.S64");
      if (to === "f64") return chain("I2F.F64");
      if (to === "f16" || to === "bf16") return chain("I2F.F16");
      return small(source) ? chain("I2F.8") : chain("I2FP.F32");
    case "fptosi":
    case "fptoui":
      return chain(source === "f64" ? "F2I.F64" : "F2I.TRUNC");
    case "fpext":
      if (to === "f64") return source === "f32" ? chain("F2F.F64.F32") : chain("HADD2.F32", "F2F.F64.F32");
      return source === "bf16" ? chain("IMAD.U32") : chain("HADD2.F32");
    case "fptrunc":
      if (source === "f64") return to === "f32" ? chain("F2F.F32.F64") : chain("F2F.F16.F64");
      return chain("F2FP");
    default:
      return chain("MOV");
  }
}
