/** Floating-point arithmetic and the mathematical functions. */
import type { Op } from "../kernel.ts";
import { floatConstant, isConstant } from "../passes/rewrite.ts";
import { expansion } from "./expansions.ts";
import type { Code, Selection } from "./selection.ts";

export function selectFloat(selection: Selection, code: Code, op: Op): void {
  const { action, args, type } = op;
  const half = type === "f16" || type === "bf16";
  const prefix = half ? "H" : type === "f64" ? "D" : "F";
  const pair = half ? "2" : "";
  if (action.kind === "fma") return emitWithConstants(selection, code, `${half ? "HFMA2" : type === "f64" ? "DFMA" : "FFMA"}`, op);
  if (action.kind !== "float") return;
  switch (action.op) {
    case "fadd":
    case "fsub":
      return emitWithConstants(selection, code, `${prefix}ADD${pair}`, op);
    case "fmul":
      return emitWithConstants(selection, code, `${prefix}MUL${pair}`, op);
    case "fmin":
    case "fmax":
      if (type === "f64") return selection.emitChain(code, expansion("min", "f64", false) ?? [], op, args);
      return emitWithConstants(selection, code, `${prefix}MNMX${pair}`, op);
    case "fdiv":
      return selectDivision(selection, code, op, action.precision === "fast");
    case "frem":
      return selection.emitChain(code, expansion("fmod", type === "f64" ? "f64" : "f32", false) ?? [], op, args);
  }
}

function selectDivision(selection: Selection, code: Code, op: Op, fast: boolean): void {
  const [a, b] = op.args;
  const type = op.type === "f64" ? "f64" : "f32";
  const half = op.type === "f16" || op.type === "bf16";
  if (half) return selection.emitChain(code, ["HADD2.F32", "HADD2.F32", "MUFU.RCP", "FMUL", "FFMA", "F2FP"], op, op.args);
  const name = Math.abs(floatConstant(a) ?? 0) === 1 ? "rcp" : isConstant(b) && !fast ? "divConstant" : "div";
  selection.emitChain(code, expansion(name, type, fast) ?? [], op, op.args);
}

/** An instruction holds one constant; another has to be in a register, which the compiler fills before a loop. */
function emitWithConstants(selection: Selection, code: Code, opcode: string, op: Op): void {
  const constants = [...new Set(op.args.filter(isConstant))].filter((arg) => floatConstant(arg) !== 0);
  const words = op.type === "f64" ? 2 : 1;
  const immediate = constants.find((constant) => op.type !== "f64" || isShort(constant));
  const loaded = constants.filter((constant) => constant !== immediate).map((constant) => {
    if (op.type === "f64") {
      // Both halves, in a uniform register where one operand may be.
      return selection.leaf(`const ${constant.id}`, code.block, () => {
        const register = selection.newRegister("UR", 2);
        const high = selection.newRegister("UR");
        return { register, made: [selection.instruction("UMOV", op.span, [high], []), selection.instruction("UMOV", op.span, [register], [high])] };
      });
    }
    return selection.leaf(`const ${constant.id}`, code.block, () => {
      const register = selection.newRegister("R", words);
      return { register, made: [selection.instruction("IMAD.MOV", op.span, [register], [])] };
    });
  });
  const uses = [...op.args.flatMap((arg) => selection.use(arg, code.block)), ...loaded];
  code.body.push(selection.instruction(opcode, op.span, [selection.define(op)], uses, op));
}

/** A double whose low word is zero fits into an instruction. */
function isShort(constant: Op): boolean {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, floatConstant(constant) ?? 0);
  return view.getInt32(4) === 0;
}

export function selectMath(selection: Selection, code: Code, op: Op): void {
  const { action, args, type } = op;
  if (action.kind !== "math") return;
  const { fn } = action;
  const one = (opcode: string): void => selection.emit(code, opcode, op, args);
  const chain = (...opcodes: string[]): void => selection.emitChain(code, opcodes, op, args);
  switch (fn) {
    case "fabs":
    case "fneg":
      return one(type === "f64" ? "DADD" : type === "f32" ? "FADD" : "HADD2");
    case "floor":
    case "ceil":
    case "trunc":
    case "rint":
      return one(type === "f64" ? "FRND.F64" : "FRND");
    case "saturate":
      return one("FADD.SAT");
    case "copysign":
      return one("LOP3");
    case "fdim":
      return chain("FADD", "FSETP", "FSEL");
    case "isnan":
    case "isinf":
    case "isfinite":
      return one(type === "f64" ? "DSETP" : "FSETP");
    case "signbit":
      return one("SHF");
    case "popc":
      return type === "i64" ? chain("POPC", "POPC", "IADD3") : one("POPC");
    case "clz":
      return type === "i64" ? chain("FLO", "FLO", "SEL", "IADD3") : chain("FLO", "IADD3");
    case "ffs":
      return chain("BREV", "FLO", "IADD3");
    case "brev":
      return one("BREV");
    case "abs":
      return type === "i64" ? chain("IADD3", "IADD3.X", "ISETP", "SEL", "SEL") : one("IABS");
    case "byteperm":
      return one("PRMT");
    case "funnel.l":
    case "funnel.r":
      return one("SHF");
    case "sad":
      return chain("VABSDIFF", "IADD3");
    case "dp4a":
      return one("IDP.4A");
    case "mul24":
      return chain("SGXT", "SGXT", "IMAD");
    case "pow": {
      const fast = action.precision === "fast";
      const name = !fast && isConstant(args[1]) && type !== "f64" ? "powConstant" : "pow";
      return chain(...(expansion(name, type === "f64" ? "f64" : "f32", fast) ?? []));
    }
    default: {
      const opcodes = expansion(fn, type === "f64" ? "f64" : "f32", action.precision === "fast");
      if (!opcodes) return one("FADD");
      // Half precision goes through single.
      return type === "f16" || type === "bf16" ? chain("HADD2.F32", ...opcodes, "F2FP") : chain(...opcodes);
    }
  }
}
