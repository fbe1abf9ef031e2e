/** Loops of which each lane may make another number of turns, and what ptxas does not do with them. */
import type { Loop } from "../../ir/graph.ts";
import type { Op } from "../../ir/kernel.ts";
import { isConvergent, isPure } from "../../ir/operations.ts";
import { comesOf } from "../../ir/origins.ts";
import { definedIn } from "./induction.ts";

/**
 * Whether lanes begin apart, and store to memory what they load of it, or where that says: such a loop, where NVVM has left it, ptxas leaves
 * too (validation/compiler/laneLoops.json), but not where its counter has 64 bits (longLoops.json).
 */
export function copiesByLane(loop: Loop, start: Op): boolean {
  if (!differsByThread(start)) return false;
  const inLoop = definedIn(loop);
  const loaded = (op: Op): boolean => op.action.kind === "load" && op.action.space === "global";
  const throughTurn = (op: Op): readonly Op[] => (inLoop(op) && isPure(op) ? op.args : []);
  return [...loop.blocks].some(({ ops }) =>
    ops.some(
      ({ action, args }) =>
        action.kind === "store" &&
        action.space === "global" &&
        args.some((arg) => comesOf(arg, (op) => inLoop(op) && loaded(op), throughTurn)),
    ),
  );
}

/**
 * Whether lanes meet in a loop that some of them may leave before others. nvcc unrolls it like any other; but here lanes meet only where they
 * execute the same copy of an operation, and not those that are in the rest with those that still go by fours.
 */
export const meetsWhileSomeLeave = ({ blocks }: Loop): boolean =>
  [...blocks].some(({ ops }) => ops.some(isConvergent)) &&
  [...blocks].some(({ end }) => end.kind === "branch" && !(blocks.has(end.then) && blocks.has(end.else)) && differsByLane(end.cond));

const warpSize = 32;

/** Whether lanes of a warp may have different values here: what they have in common is a quotient of the thread's index by as many as they are. */
const differsByLane = (value: Op): boolean => comesOf(value, isThreadIndex, (op) => (isOfWarp(op) ? [] : throughThread(op)));

/** `threadIdx.x / 32`, `(blockIdx.x * blockDim.x + threadIdx.x) >> 5` */
function isOfWarp({ action, args: [index, by] }: Op): boolean {
  if (action.kind !== "int" || by?.action.kind !== "const" || !index || !countsThreads(index)) return false;
  const value = Number(by.action.value);
  return /^[la]shr$/.test(action.op) ? value >= Math.log2(warpSize) : /^[us]div$/.test(action.op) && value > 0 && value % warpSize === 0;
}

/** Whether it is the thread's index in a row of its block, or of all: from one warp to the next by as many as a warp has, where rows are of whole warps. */
function countsThreads({ action, args: [a, b] }: Op): boolean {
  if (action.kind === "special") return action.register === "tid.x";
  if (action.kind === "convert") return a !== undefined && countsThreads(a);
  if (action.kind !== "int" || action.op !== "add" || !a || !b) return false;
  return (countsThreads(a) && isOfRows(b)) || (countsThreads(b) && isOfRows(a));
}

/** A multiple of how many threads a row of a block has. */
function isOfRows({ action, args }: Op): boolean {
  if (action.kind === "convert") return args[0] !== undefined && isOfRows(args[0]);
  return action.kind === "int" && action.op === "mul" && args.some(({ action: of }) => of.kind === "special" && of.register === "ntid.x");
}

/** Whether threads of a block may have different values here. */
const differsByThread = (value: Op): boolean => comesOf(value, isThreadIndex, throughThread);

const isThreadIndex = ({ action }: Op): boolean => action.kind === "special" && /^(tid|laneid)/.test(action.register);

const throughThread = (op: Op): readonly Op[] => (isPure(op) || op.action.kind === "phi" || op.action.kind === "load" ? op.args : []);
