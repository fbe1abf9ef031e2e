/** Kernels optimised: each once, whoever asks. */
import { cloneKernel } from "../ir/builder.ts";
import type { Kernel } from "../ir/kernel.ts";
import type { Work } from "../work.ts";
import { optimise } from "./pipeline.ts";

/**
 * Operations the optimiser may look at for one kernel: what unrolls to 50,000 of them (four tiles of 16 steps of 8 by 8 accumulators) takes
 * 8 million and some seconds, and run half optimised it took longer. The most that a launch of the measured sets takes is 393,478.
 */
const optimisingSteps = 10_000_000;

/** Of the work that is left, what optimising one kernel may take: more than half, as what is optimised in part takes longer to run. Assumed. */
const mostOfWork = 0.6;

export interface Optimised {
  readonly kernel: Kernel;
  /** The steps ran out: not all that the compiler does was done. */
  readonly inPart: boolean;
}

/** By the kernel as the front end made it: launches of it, and later launches that use what it stores, share what was made of it. */
const known = new WeakMap<Kernel, Map<number, Optimised>>();

/**
 * What nvcc would make of a kernel, which is left as it is.
 * @param steps the most the optimiser may spend of `work`: what takes more is optimised in part
 * @throws Cancelled
 */
export function optimised(kernel: Kernel, work: Work, steps = optimisingSteps): Optimised {
  const byLimit = known.get(kernel) ?? new Map<number, Optimised>();
  known.set(kernel, byLimit);
  const before = byLimit.get(steps);
  if (before) return before;
  const copy = cloneKernel(kernel);
  // What it makes is still to be run.
  const own = work.share(Math.min(steps, mostOfWork * work.left));
  optimise(copy, { work: own });
  const made = { kernel: copy, inPart: own.isOver };
  // With more left another time, more may come of it.
  if (!work.isOver) byLimit.set(steps, made);
  return made;
}
