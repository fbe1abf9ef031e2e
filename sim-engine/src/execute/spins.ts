/**
 * Loops that go round until somebody else has changed memory: another block, the host, another GPU. Nothing here changes it meanwhile. One
 * that only looks is left after one look; one that tries to take a lock goes on until it has it, or is seen never to.
 */
import type { Loop } from "../ir/graph.ts";
import type { AtomicOperation, Block, Op } from "../ir/kernel.ts";
import { isPure } from "../ir/operations.ts";
import { comesOf } from "../ir/origins.ts";

/** The looks of such loops at what others write. */
export const looksOf = (loops: readonly Loop[]): ReadonlySet<Op> =>
  new Set(loops.filter(isWaiting).flatMap(({ blocks }) => [...blocks].flatMap(({ ops }) => ops.filter(looks))));

/** Blocks in which waiting loops end, with the block behind each. */
export function waitingExits(loops: readonly Loop[]): ReadonlyMap<Block, Block> {
  const exits = new Map<Block, Block>();
  for (const loop of loops) {
    if (!isWaiting(loop)) continue;
    for (const { from, to } of loop.exits) exits.set(from, to);
  }
  return exits;
}

/** It looks at the same places each turn, and by them alone it ends: what it counts meanwhile, or doubles to sleep for longer, does not matter. */
function isWaiting({ header, blocks, exits }: Loop): boolean {
  const ops = [...blocks].flatMap((block) => block.ops);
  if (exits.length === 0 || !ops.some(looks) || !ops.every((op) => looks(op) || isIdle(op))) return false;
  const turning = new Set(header.phis);
  if (turning.size === 0) return true;
  const isTurning = (value: Op | undefined): boolean =>
    comesOf(
      value,
      (op) => turning.has(op),
      ({ args }) => args,
    );
  return exits.every(({ from: { end } }) => end.kind === "branch" && !isTurning(end.cond));
}

/** A look at what others may write: a load that is done each time, or an atomic that leaves memory as it is. */
const looks = ({ action, args }: Op): boolean =>
  action.kind === "load" ? action.volatile === true || action.cache === "cv" : action.kind === "atomic" && changesNothing(action.op, args);

function changesNothing(op: AtomicOperation, [, value, compare]: readonly Op[]): boolean {
  const of = (operand: Op | undefined): number | bigint | undefined =>
    operand?.action.kind === "const" ? operand.action.value : undefined;
  if (op === "cas") return of(value) !== undefined && of(value) === of(compare);
  return /^(add|sub|or|xor)$/.test(op) && Number(of(value)) === 0;
}

function isIdle(op: Op): boolean {
  const { kind } = op.action;
  return isPure(op) || kind === "load" || kind === "fence" || kind === "syncwarp";
}

/** Turns in which the same lanes try in vain: whoever has the lock will not run. */
export const mostTries = 4096;

/** Headers of loops that do nothing but try to take a lock: nothing of one turn is left to the next but what memory holds. */
export function lockHeaders(loops: readonly Loop[]): ReadonlySet<Block> {
  return new Set(loops.filter(isLock).map(({ header }) => header));
}

function isLock({ header, blocks, exits }: Loop): boolean {
  const ops = [...blocks].flatMap((block) => block.ops);
  return header.phis.length === 0 && exits.length > 0 && ops.some(tries) && ops.every((op) => tries(op) || isIdle(op));
}

/** One that fails leaves memory as it is. */
const tries = ({ action }: Op): boolean => action.kind === "atomic" && (action.op === "cas" || action.op === "exch");

/** A reason for the user. */
export const neverReleased = (): Error =>
  new Error(
    `a thread waits for a lock that is never given back: after ${mostTries} tries the same threads of its warp still wait, and no others run meanwhile`,
  );
