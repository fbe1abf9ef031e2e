/** nvcc's optimisations in nvcc's order, as far as they change what is counted. */
import { linkBlocks } from "../builder.ts";
import type { Kernel } from "../kernel.ts";
import { anchorOffsets } from "./anchor-offsets.ts";
import { contract } from "./contract.ts";
import { removeDeadCode } from "./dce.ts";
import { duplicateReturns } from "./duplicate-returns.ts";
import { fold } from "./fold.ts";
import { forwardLoads } from "./forward-loads.ts";
import { mergeEqualValues } from "./gvn.ts";
import { convertBranches } from "./if-convert.ts";
import { inferSpaces } from "./infer-spaces.ts";
import { hoistLeaves } from "./leaves.ts";
import { hoistInvariants } from "./licm.ts";
import { completeLines } from "./lines.ts";
import { markReadOnly } from "./mark-read-only.ts";
import { promote } from "./promote.ts";
import { rotateLoops } from "./rotate.ts";
import { simplifyCfg } from "./simplify-cfg.ts";
import { removeDeadStores, sinkStores } from "./stores.ts";
import { reduceStraightLine } from "./straight-line.ts";
import { reduceStrength } from "./strength-reduce.ts";
import { unrollAgain, unrollConstantLoops, unrollLoops } from "./unroll.ts";
import { vectorizeAccesses } from "./vectorize.ts";

export interface OptimiseOptions {
  /** Contract products and sums (nvcc's default); `-fmad=false` forbids it. */
  readonly contract?: boolean;
}

/**
 * Makes of a kernel as written one as nvcc -O3 would compile it, in place: values instead of variables, loops unrolled, repeated
 * loads merged, and so on. What it stores and in which order other threads see it stays the same; floating-point sums of products
 * are rounded once where the compiler fuses them.
 */
export function optimise(kernel: Kernel, options: OptimiseOptions = {}): void {
  linkBlocks(kernel);
  hoistLeaves(kernel);
  promote(kernel);
  inferSpaces(kernel);
  clean(kernel);
  markReadOnly(kernel);
  simplifyMemory(kernel);

  if (kernel.blocks.length > 1) optimiseLoops(kernel);
  for (let round = 0; round < 2 && reduceStraightLine(kernel); round++) clean(kernel);
  removeDeadStores(kernel);
  vectorizeAccesses(kernel);
  if (options.contract !== false) contract(kernel);
  clean(kernel);
  duplicateReturns(kernel);
  completeLines(kernel);
}

function optimiseLoops(kernel: Kernel): void {
  if (rotateLoops(kernel)) clean(kernel);
  hoistInvariants(kernel);
  simplifyMemory(kernel);
  hoistInvariants(kernel);
  if (sinkStores(kernel)) clean(kernel);
  for (const unroll of [unrollConstantLoops, unrollLoops]) afterUnrolling(kernel, unroll);
  if (reduceStrength(kernel)) clean(kernel);
  if (unrollAgain(kernel)) {
    clean(kernel);
    if (promote(kernel)) clean(kernel);
    simplifyMemory(kernel);
  }
}

/** Unrolling makes constants of indices, so that arrays become values, and perhaps constants of inner trip counts. */
function afterUnrolling(kernel: Kernel, unroll: (kernel: Kernel) => boolean): void {
  for (let round = 0; round < 3 && unroll(kernel); round++) {
    clean(kernel);
    if (promote(kernel)) clean(kernel);
    simplifyMemory(kernel);
    hoistInvariants(kernel);
  }
}

/** Algebra, equal values and straight control flow, until nothing changes. */
function clean(kernel: Kernel): void {
  for (let round = 0; round < 4; round++) {
    const straightened = simplifyCfg(kernel);
    const folded = fold(kernel);
    anchorOffsets(kernel);
    const merged = mergeEqualValues(kernel);
    const removed = removeDeadCode(kernel);
    if (!straightened && !folded && !merged && !removed) return;
  }
}

/** Loads that are known, and small branches. */
function simplifyMemory(kernel: Kernel): void {
  for (let round = 0; round < 3; round++) {
    const converted = convertBranches(kernel);
    const forwarded = forwardLoads(kernel);
    if (!converted && !forwarded) return;
    clean(kernel);
  }
}
