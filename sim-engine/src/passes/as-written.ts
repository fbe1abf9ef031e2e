/** A kernel as the source has it, in a form that runs quickly: nothing is optimised that could change a value or an access. */
import { cloneKernel, linkBlocks } from "../ir/builder.ts";
import type { Kernel } from "../ir/kernel.ts";
import type { Work } from "../work.ts";
import { hoistLeaves } from "./fold/leaves.ts";
import { inferSpaces } from "./memory/infer-spaces.ts";
import { promote } from "./memory/promote.ts";

/** A copy; the kernel is left as it is, and what its threads may read before they set it stays in memory. @throws Cancelled */
export function asWritten(kernel: Kernel, work: Work): Kernel {
  const copy = cloneKernel(kernel);
  linkBlocks(copy);
  hoistLeaves(copy, work);
  promote(copy, work, false);
  inferSpaces(copy);
  return copy;
}
