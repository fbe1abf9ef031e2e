/** Launches of a kernel that do the same as one that has little of a GPU to itself: other blocks, or more of them. */
import { type Program, warpSize } from "../execute/program.ts";
import type { GpuValues } from "../gpus/figures.ts";
import type { Dim3, Op } from "../ir/kernel.ts";
import { isConvergent } from "../ir/operations.ts";

export interface OtherLaunch {
  /**
   * `small blocks`: as many threads in larger ones; `few blocks`: more threads for a loop that goes on by the grid's size; `large blocks`: as
   * many in smaller ones, for more SMs.
   */
  readonly kind: "small blocks" | "few blocks" | "large blocks";
  readonly grid: Dim3;
  readonly block: Dim3;
}

/** Threads of a block that any GPU runs well. */
const commonBlock = 256;
/** Threads up to which a block is small: an SM's schedulers have a warp each, or less. */
const smallBlock = 64;
/** Blocks for each SM from which on larger ones are no fewer than there are SMs. */
const manyBlocks = 8;
/** Warps an SM should have to choose from, at the least. */
const fewWarps = 8;

export function otherLaunch(program: Program, gpu: GpuValues): OtherLaunch | undefined {
  const { launch, kernel } = program;
  const [blocks, ...furtherBlocks] = launch.grid;
  const [threads, ...furtherThreads] = launch.block;
  if ([...furtherBlocks, ...furtherThreads].some((side) => side > 1) || launch.cluster || launch.dynamicSharedBytes > 0) return undefined;
  const isSmall = threads <= smallBlock;
  const isFew = blocks < gpu.smCount || (blocks * threads) / 32 < fewWarps * gpu.smCount;
  if (!isSmall && !isFew) return undefined;
  const numbered = threadsNumbered(kernel.blocks.flatMap((block) => [...block.phis, ...block.ops]));
  if (!numbered) return undefined;
  const block: Dim3 = [commonBlock, 1, 1];
  if (isFew && numbered.byGrid)
    return storesByThread(program)
      ? undefined
      : { kind: "few blocks", grid: [gpu.smCount * Math.floor(gpu.maxThreadsPerSm / commonBlock), 1, 1], block };
  // As many threads, of which each SM gets a share in whole warps.
  const share = warpSize * Math.ceil((blocks * threads) / gpu.smCount / warpSize);
  if (blocks < gpu.smCount && 2 * share <= threads)
    return { kind: "large blocks", grid: [Math.ceil((blocks * threads) / share), 1, 1], block: [share, 1, 1] };
  return isSmall && blocks >= manyBlocks * gpu.smCount
    ? { kind: "small blocks", grid: [Math.ceil((blocks * threads) / commonBlock), 1, 1], block }
    : undefined;
}

/** Behind its loop each thread leaves something at a place of its own: with more threads there would have to be more places. */
function storesByThread({ kernel, loops, divergence }: Program): boolean {
  const inLoops = new Set(loops.flatMap(({ blocks }) => [...blocks]));
  return kernel.blocks.some(
    (block) =>
      !inLoops.has(block) &&
      block.ops.some(
        ({ action, args: [address] }) =>
          action.kind === "store" && action.space !== "local" && address !== undefined && divergence.isVarying(address),
      ),
  );
}

/**
 * Whether a kernel knows its threads by their number in the grid alone, so that it is the same to it how they make up blocks; `byGrid`: it
 * asks how many there are, and goes on by that.
 */
function threadsNumbered(ops: readonly Op[]): { readonly byGrid: boolean } | undefined {
  const register = (op: Op | undefined): string | undefined => (op?.action.kind === "special" ? op.action.register : undefined);
  const isProduct = (op: Op | undefined, a: string, b: string): boolean => {
    const factors = op?.action.kind === "int" && op.action.op === "mul" ? op.args.map(register) : [];
    return factors.includes(a) && factors.includes(b);
  };
  let byGrid = false;
  for (const op of ops) {
    if (isConvergent(op) || op.action.kind === "shared.address" || op.action.kind === "unknown") return undefined;
    if (/^(laneid|warpid|activemask|smid)/.test(register(op) ?? "")) return undefined;
    const read = op.args.map(register);
    if (read.some((name) => name === "ctaid.x" || name === "ntid.x" || name === "nctaid.x")) {
      const numbers = isProduct(op, "ctaid.x", "ntid.x");
      const counts = isProduct(op, "nctaid.x", "ntid.x");
      if (!numbers && !counts) return undefined;
      byGrid ||= counts;
    }
    if (read.includes("tid.x")) {
      const isSum = op.action.kind === "int" && op.action.op === "add";
      if (!isSum || !op.args.some((arg) => isProduct(arg, "ctaid.x", "ntid.x"))) return undefined;
    }
  }
  return { byGrid };
}
