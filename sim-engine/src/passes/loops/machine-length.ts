/** How long a turn is for ptxas: what it becomes in machine code, as far as that is known before it is made. */

import { expansion, opcodesOf } from "../../compilers/expansions.ts";
import { floatConstant, intConstant, isConstant } from "../../ir/constants.ts";
import type { Op } from "../../ir/kernel.ts";
import { isLeaf } from "../../ir/operations.ts";

/** Instructions of a turn: products are part of sums, constant offsets of accesses, and it jumps at the end. */
export function machineLength(ops: readonly Op[]): number {
  const fused = new Set<Op>();
  for (const { action, args } of ops)
    if (action.kind === "float" && (action.op === "fadd" || action.op === "fsub")) {
      const product = args.find((arg) => arg.action.kind === "float" && arg.action.op === "fmul" && ops.includes(arg));
      if (product) fused.add(product);
    }
  const free = (op: Op): boolean =>
    isLeaf(op) || fused.has(op) || (op.action.kind === "gep" && intConstant(op.args[1] ?? op) !== undefined);
  return ops.reduce((sum, op) => sum + (free(op) ? 0 : (codeOf(op)?.filter(isOfTurn).length ?? 1)), 1);
}

/** Constants that a sequence begins with are filled before the loop. */
const isOfTurn = (opcode: string): boolean => opcode !== "IMAD.MOV";

/** Whether it branches to other code for operands that are rare: ptxas leaves loops of more than one block (validation/compiler/callLoops.json). */
export const leavesForRare = (op: Op): boolean => codeOf(op)?.includes("BRA") === true;

/** What a function or a division becomes; undefined for what is one instruction, or nearly. */
function codeOf({ action, type, args }: Op): readonly string[] | undefined {
  const width = type === "f64" ? "f64" : "f32";
  if (action.kind === "math") return /^(f16|bf16)$/.test(type) ? undefined : expansion(action.fn, width, action.precision === "fast");
  if (action.kind === "float" && action.op === "fdiv" && (type === "f32" || type === "f64")) {
    const name = Math.abs(floatConstant(args[0]) ?? 0) === 1 ? "rcp" : args[1] && isConstant(args[1]) ? "divConstant" : "div";
    return expansion(name, width, action.precision === "fast");
  }
  if (action.kind === "float" && action.op === "frem") return expansion("fmod", width, false);
  if (action.kind !== "int" || !/^[su](div|rem)$/.test(action.op) || type !== "i32") return undefined;
  const divisor = args[1] && intConstant(args[1]);
  if (divisor === undefined) return opcodesOf(`i32.${action.op}`);
  return opcodesOf(`i32.${action.op}${(divisor & (divisor - 1)) === 0 ? "Power" : "Constant"}`);
}
