import { aggregatedByBlock } from "../rules/support/aggregate-atomic.ts";
import { defineRefactoring } from "./refactoring.ts";
import { atomicSums } from "./support/atomic-sums.ts";
import { total } from "./support/examples.ts";

export default defineRefactoring({
  id: "aggregate-atomic-by-block",
  summary: "Sums up over the block, in the warps by shuffles and between them in shared memory, and lets one thread do the atomic.",
  where:
    "At an `atomicAdd` whose result nobody uses, alone or under an `if`, to which all threads of a block of whole warps come with one address; blocks have one dimension.",
  guide: { document: "maxwell", section: "1.4.3.3" },
  changes: "rounding",
  example: {
    before: total("  if (i < n) atomicAdd(sum, in[i]);"),
    cursor: "atomicAdd(sum",
    after: total(`  __shared__ float blockSum;
  if (threadIdx.x == 0) blockSum = 0;
  __syncthreads();
  float own = (i < n) ? in[i] : 0;
  for (int d = 16; d > 0; d /= 2) own += __shfl_down_sync(0xffffffff, own, d);
  if (threadIdx.x % 32 == 0) atomicAdd(&blockSum, own);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(sum, blockSum);`),
  },
  *offers(context) {
    for (const { sum, launch } of atomicSums(context)) {
      const fix = aggregatedByBlock(context, sum, launch);
      if (fix) yield { at: [sum.call], fix };
    }
  },
});
