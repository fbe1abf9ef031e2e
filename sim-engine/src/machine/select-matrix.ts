/** Matrix products and what moves their operands. */
import type { GpuValues } from "../gpus/model.ts";
import type { Op } from "../ir/kernel.ts";
import type { Register } from "./machine.ts";
import type { BlockCode, Selection } from "./selection.ts";

/** Shared memory's instruction for matrices of 16-bit elements. */
export function selectMatrixLoad(selection: Selection, code: BlockCode, op: Op): void {
  const [address] = op.args;
  if (op.action.kind !== "load" || !address) return;
  const uses = selection.use(address, code.block);
  code.body.push(selection.instruction(`LDSM.16.M88.${op.action.components}`, op.span, loadedWords(selection, op), uses, op));
}

const opcodes = { f16: "HMMA", bf16: "HMMA", tf32: "HMMA", s8: "IMMA", f64: "DMMA" } as const;

export function selectMatrix(selection: Selection, code: BlockCode, op: Op): void {
  const { action } = op;
  if (action.kind !== "matrix") return;
  const uses = op.args.flatMap((arg) => selection.use(arg, code.block));
  if (action.op === "transpose") {
    code.body.push(selection.instruction("MOVM.16.MT88", op.span, [selection.define(op)], uses, op));
    return;
  }
  const defs = resultWords(selection, op, action.components);
  const [m = 16, n = 8, k = 16] = (action.shape.match(/\d+/g) ?? []).map(Number);
  const digits = `${m}${n}${k}`;
  const suffix =
    action.of === "tf32" ? ".F32.TF32" : action.of === "s8" ? ".S8.S8" : action.of === "f64" ? "" : op.type === "f32" ? ".F32" : ".F16";
  const instruction = selection.instruction(`${opcodes[action.of]}.${digits}${suffix}`, op.span, defs, uses, op);
  code.body.push({ ...instruction, work: workOf(action.of, m * n * k, selection.target.limits) });
}

/** The registers that a load writes: one a word where they are registers of their own, else one for all. */
export function loadedWords(selection: Selection, op: Op): readonly Register[] {
  if (op.action.kind !== "load" || !selection.absorption.hasOwnWords(op)) return [selection.define(op)];
  return resultWords(selection, op, op.action.components);
}

/** The registers of a product's result, one a word. */
export function resultWords(selection: Selection, op: Op, components: number): Register[] {
  const results = new Map(selection.shape.users(op).map((user) => [user.action.kind === "extract" ? user.action.index : -1, user]));
  return Array.from({ length: components }, (_, index) => {
    const result = results.get(index);
    return result ? selection.define(result) : selection.newRegister("R");
  });
}

/** Bits of one operand's element. */
const bits = { f16: 16, bf16: 16, tf32: 32, s8: 8, f64: 64 } as const;

/** Time over that of 16 by 8 by 16 halves: it goes by the bits, but for doubles, and that little is not as much faster. */
function workOf(of: keyof typeof bits, products: number, { mmaDoubleWork, mmaLeastWork = 0 }: GpuValues): number {
  const share = (products * bits[of]) / (16 * 8 * 16 * bits.f16);
  if (of === "f64") return mmaDoubleWork ?? share;
  return share < 1 ? Math.max(share, mmaLeastWork) : share;
}
