/** nvcc's optimisations in nvcc's order, as far as they change what is counted. */
import { linkBlocks } from "../ir/builder.ts";
import type { Kernel } from "../ir/kernel.ts";
import { Work } from "../work.ts";
import { isInOrder, orderOf } from "./edit/order.ts";
import { duplicateReturns } from "./flow/duplicate-returns.ts";
import { convertBranches } from "./flow/if-convert.ts";
import { completeLines } from "./flow/lines.ts";
import { simplifyCfg } from "./flow/simplify-cfg.ts";
import { sinkIntoBranches, sinkToUse } from "./flow/sink.ts";
import { sinkCommon } from "./flow/sink-common.ts";
import { anchorOffsets } from "./fold/anchor-offsets.ts";
import { contract } from "./fold/contract.ts";
import { removeDeadCode } from "./fold/dce.ts";
import { fold } from "./fold/fold.ts";
import { mergeEqualValues } from "./fold/gvn.ts";
import { hoistLeaves } from "./fold/leaves.ts";
import { narrowLongs } from "./fold/narrow-longs.ts";
import { reduceStraightLine } from "./fold/straight-line.ts";
import { hoistInvariants } from "./loops/licm.ts";
import { mergeAddresses } from "./loops/merge-addresses.ts";
import { rotateLoops } from "./loops/rotate.ts";
import { reduceStrength } from "./loops/strength-reduce.ts";
import { unrollAgain, unrollConstantLoops, unrollLoops } from "./loops/unroll.ts";
import { bypassL1 } from "./memory/bypass-l1.ts";
import { forwardLoads } from "./memory/forward-loads.ts";
import { offsetFragments } from "./memory/fragment-offsets.ts";
import { inferSpaces } from "./memory/infer-spaces.ts";
import { markReadOnly } from "./memory/mark-read-only.ts";
import { narrowLoads } from "./memory/narrow-loads.ts";
import { promote } from "./memory/promote.ts";
import { selectElements } from "./memory/select-elements.ts";
import { removeDeadStores, sinkStores } from "./memory/stores.ts";
import { vectorizeAccesses } from "./memory/vectorize.ts";

export interface OptimiseOptions {
  /** Contract products and sums, where the kernel's own options do (nvcc's default). */
  readonly contract?: boolean;
  /** Bounds how long it takes: when it is over, loops are unrolled no further and nothing is done twice. */
  readonly work?: Work;
  /** Called after each pass, with its name: for checks. */
  readonly afterPass?: (name: string) => void;
}

/**
 * Makes of a kernel as written one as nvcc -O3 would compile it, in place: values instead of variables, loops unrolled, repeated
 * loads merged, and so on. What it stores and in which order other threads see it stays the same; floating-point sums of products
 * are rounded once where the compiler fuses them. Throws `Cancelled`.
 */
export function optimise(kernel: Kernel, options: OptimiseOptions = {}): void {
  new Pipeline(kernel, options).run();
}

/** Changes a kernel in place; whether it did, where that matters. `"order"`: operations stand elsewhere, and are what they were. */
type Pass = (kernel: Kernel, work: Work) => unknown;

class Pipeline {
  readonly #kernel: Kernel;
  readonly #options: OptimiseOptions;
  readonly #work: Work;
  /** Passes that changed nothing, and have nothing to do until another does. */
  readonly #idle = new Set<Pass>();

  constructor(kernel: Kernel, options: OptimiseOptions) {
    this.#kernel = kernel;
    this.#options = options;
    this.#work = options.work ?? new Work(Number.POSITIVE_INFINITY);
  }

  run(): void {
    const kernel = this.#kernel;
    linkBlocks(kernel);
    this.#does(hoistLeaves);
    this.#does(promote);
    this.#does(inferSpaces);
    this.#clean();
    this.#does(markReadOnly);
    if (kernel.loadCache) this.#does(bypassL1);
    this.#simplifyMemory();

    if (kernel.blocks.length > 1 && !this.#work.isOver) this.#optimiseFlow();
    else {
      this.#selectElements();
      this.#mergeAddresses();
    }
    for (let round = 0; round < 2 && !this.#work.isOver && this.#does(reduceStraightLine); round++) this.#clean();
    if (this.#does(narrowLongs)) this.#clean();
    // Addresses that only now are seen to be the same (LLVM's early CSE behind its straight-line scalar passes).
    if (!this.#work.isOver && this.#does(forwardLoads)) this.#clean();
    if (this.#does(offsetFragments)) this.#clean();
    this.#does(removeDeadStores);
    this.#does(narrowLoads);
    this.#clean();
    this.#does(vectorizeAccesses);
    if (this.#options.contract !== false && !kernel.floats?.unfused) this.#does(contract);
    this.#does(sinkToUse);
    this.#clean();
    this.#does(duplicateReturns);
    this.#does(completeLines);
  }

  #does(pass: Pass): boolean {
    if (this.#idle.has(pass)) return false;
    this.#work.spend(this.#kernel.blocks.reduce((sum, { ops }) => sum + ops.length, 0));
    const changed = pass(this.#kernel, this.#work);
    if (changed !== false) this.#idle.clear();
    else this.#idle.add(pass);
    this.#options.afterPass?.(pass.name);
    return changed === true;
  }

  #optimiseFlow(): void {
    if (this.#does(rotateLoops)) this.#clean();
    this.#does(hoistInvariants);
    this.#simplifyMemory();
    this.#does(hoistInvariants);
    if (this.#does(sinkStores)) this.#clean();
    for (let round = 0; round < 3 && !this.#work.isOver && this.#does(sinkCommon); round++) {
      this.#clean();
      if (this.#does(convertBranches)) this.#clean();
    }
    for (const unroll of [unrollConstantLoops, unrollLoops]) this.#unrolled(unroll);
    this.#selectElements();
    this.#mergeAddresses();
    if (this.#does(reduceStrength)) this.#clean();
    if (!this.#work.isOver && this.#does(unrollAgain)) {
      this.#clean();
      if (this.#does(promote)) this.#clean();
      this.#simplifyMemory();
    }
  }

  /** Behind unrolling, after which fewer indices are unknown. */
  #selectElements(): void {
    if (!this.#does(selectElements)) return;
    this.#clean();
    if (this.#does(promote)) this.#clean();
    this.#simplifyMemory();
  }

  /** Behind unrolling, which looks for rows; strength reduction makes rows of its own, which are left. */
  #mergeAddresses(): void {
    if (!this.#work.isOver && this.#does(mergeAddresses)) this.#clean();
  }

  /** Unrolling makes constants of indices, so that arrays become values, and perhaps constants of inner trip counts. */
  #unrolled(unroll: Pass): void {
    for (let round = 0; round < 3 && !this.#work.isOver && this.#does(unroll); round++) {
      this.#clean();
      if (this.#does(promote)) this.#clean();
      this.#simplifyMemory();
      this.#does(hoistInvariants);
    }
  }

  /** Algebra, equal values and straight control flow, until nothing changes. */
  #clean(): void {
    for (let round = 0; round === 0 || (round < 4 && !this.#work.isOver); round++) {
      const before = orderOf(this.#kernel);
      const changing = [simplifyCfg, fold, anchorOffsets, mergeEqualValues, removeDeadCode, sinkIntoBranches].filter((pass) =>
        this.#does(pass),
      );
      // What some move into branches others move back: another round would do the same.
      if (changing.every((pass) => pass === sinkIntoBranches) && isInOrder(this.#kernel, before)) return;
    }
  }

  /** Loads that are known, and small branches. */
  #simplifyMemory(): void {
    for (let round = 0; round === 0 || (round < 3 && !this.#work.isOver); round++) {
      const converted = this.#does(convertBranches);
      const forwarded = this.#does(forwardLoads);
      if (!converted && !forwarded) return;
      this.#clean();
    }
  }
}
