/** Floating-point arithmetic and the mathematical functions. */

import { calleeWords, expansion, hasSlowPath } from "../compilers/expansions.ts";
import { floatConstant, isConstant } from "../ir/constants.ts";
import type { Op } from "../ir/kernel.ts";
import { roundingTo } from "./halves.ts";
import type { BlockCode, Choice, Selection } from "./selection.ts";

export function selectFloat(selection: Selection, code: BlockCode, op: Op): Choice {
  const { action, type } = op;
  const half = type === "f16" || type === "bf16";
  const prefix = half ? "H" : type === "f64" ? "D" : "F";
  const pair = half ? "2" : "";
  if (action.kind === "fma") return withConstants(selection, code, `${half ? "HFMA2" : type === "f64" ? "DFMA" : "FFMA"}`, op);
  if (action.kind !== "float") return [];
  switch (action.op) {
    case "fadd":
    case "fsub":
      return withConstants(selection, code, `${prefix}ADD${pair}`, op);
    case "fmul":
      return withConstants(selection, code, `${prefix}MUL${pair}`, op);
    case "fmin":
    case "fmax":
      if (type === "f64") return expansion("min", "f64", false) ?? [];
      return withConstants(selection, code, `${prefix}MNMX${pair}`, op);
    case "fdiv":
      return selectDivision(selection, op, action.precision === "fast", flushes(selection, op));
    case "frem":
      return expansion("fmod", type === "f64" ? "f64" : "f32", false) ?? [];
  }
}

/** Denormals of single precision are zero. */
const flushes = ({ shape }: Selection, { type }: Op): boolean => type === "f32" && shape.kernel.floats?.flushed === true;

function selectDivision({ target }: Selection, op: Op, fast: boolean, flushed: boolean): Choice {
  const [a, b] = op.args;
  const type = op.type === "f64" ? "f64" : "f32";
  const half = op.type === "f16" || op.type === "bf16";
  if (half) return ["HADD2.F32", "HADD2.F32", "MUFU.RCP", "FMUL", "FFMA", ...roundingTo(1, target)];
  const name = Math.abs(floatConstant(a) ?? 0) === 1 ? "rcp" : isConstant(b) ? "divConstant" : "div";
  return { opcodes: expansion(name, type, fast, flushed) ?? [], callee: calleeWords(name, type, fast), guard: guardOf(name, type, fast) };
}

/** The name of a sequence that looks at its operands, where it is known what it does with special ones. */
const guardOf = (name: string, type: "f32" | "f64", fast: boolean): string | undefined =>
  !fast && hasSlowPath(name, type) ? name : undefined;

/** An instruction holds one constant; another has to be in a register, which the compiler fills before a loop. */
function withConstants(selection: Selection, code: BlockCode, opcode: string, op: Op): Choice {
  const constants = [...new Set(op.args.filter(isConstant))].filter((arg) => floatConstant(arg) !== 0);
  const words = op.type === "f64" ? 2 : 1;
  const immediate = constants.find((constant) => op.type !== "f64" || isShort(constant));
  const loaded = constants
    .filter((constant) => constant !== immediate)
    .map((constant) => {
      if (op.type === "f64") {
        // Both halves, in a uniform register where one operand may be.
        return selection.leaf(`const ${constant.id}`, code.block, () => {
          const register = selection.newRegister("UR", 2);
          const high = selection.newRegister("UR");
          return {
            register,
            made: [selection.instruction("UMOV", op.span, [high], []), selection.instruction("UMOV", op.span, [register], [high])],
          };
        });
      }
      return selection.leaf(`const ${constant.id}`, code.block, () => {
        const register = selection.newRegister("R", words);
        return { register, made: [selection.instruction("IMAD.MOV", op.span, [register], [])] };
      });
    });
  return { opcodes: [opcode], more: loaded };
}

/** A double whose low word is zero fits into an instruction. */
function isShort(constant: Op): boolean {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, floatConstant(constant) ?? 0);
  return view.getInt32(4) === 0;
}

export function selectMath(selection: Selection, op: Op): Choice {
  const { action, args, type } = op;
  if (action.kind !== "math") return [];
  const { fn } = action;
  const flushed = flushes(selection, op);
  switch (fn) {
    case "fabs":
    case "fneg":
      return [type === "f64" ? "DADD" : type === "f32" ? "FADD" : "HADD2"];
    case "floor":
    case "ceil":
    case "trunc":
    case "rint":
      return [type === "f64" ? "FRND.F64" : "FRND"];
    case "saturate":
      return ["FADD.SAT"];
    case "copysign":
      return ["LOP3"];
    case "fdim":
      return ["FADD", "FSETP", "FSEL"];
    case "isnan":
    case "isinf":
    case "isfinite":
      return [type === "f64" ? "DSETP" : "FSETP"];
    case "signbit":
      return ["SHF"];
    case "popc":
      return args[0]?.type === "i64" ? ["POPC", "POPC", "IADD3"] : ["POPC"];
    case "clz":
      return type === "i64" ? ["FLO", "FLO", "SEL", "IADD3"] : ["FLO", "IADD3"];
    case "ffs":
      return ["BREV", "FLO", "IADD3"];
    case "brev":
      return type === "i64" ? ["BREV", "BREV"] : ["BREV"];
    case "abs":
      return type === "i64" ? ["IADD3", "IADD3.X", "ISETP", "SEL", "SEL"] : ["IABS"];
    case "byteperm":
      return ["PRMT"];
    case "funnel.l":
    case "funnel.r":
      return ["SHF"];
    case "sad":
      return ["VABSDIFF", "IADD3"];
    case "sad4":
    case "absdiff4":
      return ["VABSDIFF4"];
    case "bfind":
      return ["FLO"];
    case "dp4a":
    case "dp4a.u":
      return ["IDP.4A"];
    case "mul24":
      return ["SGXT", "SGXT", "IMAD"];
    case "tf32":
      return ["FSETP", "IADD3", "LOP3"];
    case "add.16x2":
    case "sub.16x2":
      return ["VIADD"];
    case "pow": {
      const fast = action.precision === "fast";
      const name = !fast && isConstant(args[1]) && type !== "f64" ? "powConstant" : "pow";
      const width = type === "f64" ? "f64" : "f32";
      return { opcodes: expansion(name, width, fast, flushed) ?? [], callee: calleeWords(name, width, fast) };
    }
    default: {
      // Extremes of integers: of two, of three, of a sum and another.
      const [, kind] = /^(min|max|min3|max3|addmin|addmax)\.[su]/.exec(fn) ?? [];
      if (kind !== undefined) return [kind.startsWith("add") ? "VIADDMNMX" : kind.endsWith("3") ? "VIMNMX3" : "VIMNMX"];
      const width = type === "f64" ? "f64" : "f32";
      const fast = action.precision === "fast";
      const opcodes = expansion(fn, width, fast, flushed);
      if (!opcodes) return ["FADD"];
      // Half precision goes through single.
      const half = type === "f16" || type === "bf16";
      return {
        opcodes: half ? ["HADD2.F32", ...opcodes, ...roundingTo(1, selection.target)] : opcodes,
        callee: calleeWords(fn, width, fast),
        guard: half ? undefined : guardOf(fn, width, fast),
      };
    }
  }
}
