/** At how many places blocks take turns, as where each has one of a few copies: what their index is divided by, with the rest as a place. */
import type { ConstantOf } from "../execute/constants.ts";
import type { Op } from "../ir/kernel.ts";
import { isPure } from "../ir/operations.ts";

/** Operations that an address is looked through. */
const mostOperations = 64;

/** The places at which blocks take turns by an address; undefined where none are told. */
export function turnsOf(address: Op, constantOf: ConstantOf): number | undefined {
  const looked = new Set([address]);
  for (const op of looked) {
    const turns = restOf(op, constantOf);
    if (turns !== undefined) return turns;
    if (looked.size >= mostOperations || !(isPure(op) || op.action.kind === "phi")) continue;
    for (const arg of op.args) looked.add(arg);
  }
  return undefined;
}

/** `blockIdx.x % n`, `blockIdx.x & (n - 1)` */
function restOf({ action, args }: Op, constantOf: ConstantOf): number | undefined {
  if (action.kind !== "int" || !/^([us]rem|and)$/.test(action.op)) return undefined;
  const [index, divisor] = args;
  const value = divisor && constantOf(divisor);
  if (!index || value === undefined || !isBlock(index)) return undefined;
  const turns = action.op === "and" ? value + 1 : value;
  return turns > 1 && (action.op !== "and" || Number.isInteger(Math.log2(turns))) ? turns : undefined;
}

function isBlock({ action, args: [from] }: Op): boolean {
  if (action.kind === "convert") return from !== undefined && isBlock(from);
  return action.kind === "special" && action.register === "ctaid.x";
}
