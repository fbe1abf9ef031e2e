/** Texture and surface accesses. The instruction finds the texel; what its address is made of is its operands. */

import { isConstant } from "../ir/constants.ts";
import type { Op } from "../ir/kernel.ts";
import type { Register } from "./machine.ts";
import type { BlockCode, Selection } from "./selection.ts";

const opcodes = { sample: "TEX.LL", gather: "TLD4", fetch: "TLD.LZ", surface: "SULD.D.BA" } as const;

/** A load or store of space `texture`. */
export function selectTexture(selection: Selection, code: BlockCode, op: Op): void {
  const [address, ...values] = op.args;
  if (!address) return;
  const stored = values.flatMap((value) => selection.use(value, code.block));
  if (address.action.kind !== "texel") {
    push(selection, code, op, op.type === "void" ? "SUST.D.BA" : opcodes.sample, [...selection.use(address, code.block), ...stored]);
    return;
  }
  const { fetch, shape, layered } = address.action;
  const [object, ...coordinates] = address.args;
  const uses = [...coordinates.flatMap((each) => selection.use(each, code.block)), ...(object ? handle(selection, code, object) : [])];
  if (fetch !== "surface") uses.push(constant(selection, code, op, "texture offset", "UMOV"));
  if (fetch === "sample") {
    uses.push(constant(selection, code, op, "texture level", "HFMA2"));
    // One row of a two-dimensional texture.
    if (shape === "1d") uses.push(constant(selection, code, op, "texture row", "MOV"));
  }
  if (layered && !isConstant(coordinates.at(-1))) prepare(selection, code, op, uses, ["ISETP", "SEL"]);
  if (shape === "cube") prepare(selection, code, op, uses, ["FMNMX", "FMNMX", "MUFU.RCP", "FMUL", "FMUL", "FMUL"]);
  push(selection, code, op, op.type === "void" ? "SUST.D.BA" : opcodes[fetch], [...uses, ...stored]);
}

function push(selection: Selection, code: BlockCode, op: Op, opcode: string, uses: readonly Register[]): void {
  code.body.push(selection.instruction(opcode, op.span, op.type === "void" ? [] : [selection.define(op)], uses, op));
}

/** Of the object only the 32 bits that tell which it is are read. */
function handle(selection: Selection, code: BlockCode, object: Op): readonly Register[] {
  if (object.action.kind !== "param") return selection.use(object, code.block);
  return [constant(selection, code, object, `texture ${object.action.index}`, "ULDC")];
}

const constant = (selection: Selection, code: BlockCode, op: Op, key: string, opcode: string): Register =>
  selection.leaf(key, code.block, () => {
    const register = selection.newRegister(opcode.startsWith("U") ? "UR" : "R");
    return { register, made: [selection.instruction(opcode, op.span, [register], [])] };
  });

/** Operations on the coordinates that the hardware does not do; `uses` becomes their result. */
function prepare(selection: Selection, code: BlockCode, op: Op, uses: Register[], steps: readonly string[]): void {
  for (const opcode of steps) {
    const made = selection.newRegister(opcode === "ISETP" ? "P" : "R");
    code.body.push(selection.instruction(opcode, op.span, [made], [...uses]));
    uses.push(made);
  }
}
