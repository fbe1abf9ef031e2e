/**
 * Loops that only look at memory until somebody else has changed it: another block, the host, another GPU. Nothing here changes it
 * meanwhile, so such a loop is left after one look.
 */
import type { Loop } from "../ir/graph.ts";
import type { Block, Op } from "../ir/kernel.ts";
import { isPure } from "../ir/operations.ts";

/** Blocks in which waiting loops end, with the block behind each. */
export function waitingExits(loops: readonly Loop[]): ReadonlyMap<Block, Block> {
  const exits = new Map<Block, Block>();
  for (const loop of loops) {
    if (!isWaiting(loop)) continue;
    for (const { from, to } of loop.exits) exits.set(from, to);
  }
  return exits;
}

function isWaiting({ header, blocks, exits }: Loop): boolean {
  const ops = [...blocks].flatMap((block) => block.ops);
  return header.phis.length === 0 && exits.length > 0 && ops.some(looks) && ops.every((op) => looks(op) || isIdle(op));
}

/** A look at what others may write. */
const looks = ({ action }: Op): boolean => action.kind === "load" && (action.volatile === true || action.cache === "cv");

function isIdle(op: Op): boolean {
  const { kind } = op.action;
  return isPure(op) || kind === "load" || kind === "fence" || kind === "syncwarp";
}
