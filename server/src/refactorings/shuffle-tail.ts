import reductionByBarriers from "../rules/reduction-by-barriers.ts";
import { shuffleTail } from "../rules/support/shuffle-tail.ts";
import { defineRefactoring } from "./refactoring.ts";

export default defineRefactoring({
  id: "shuffle-tail",
  summary: "Stops a reduction in shared memory at 32 values, and lets the first warp sum these up by shuffles, in the same order.",
  where:
    "At a loop that halves its distance down to 0 and does nothing but `if (tid < d) s[tid] += s[tid + d];` and a barrier, for sums, in blocks of one dimension of two warps or more.",
  guide: { document: "best-practices", section: "9.2.3" },
  rules: ["reduction-by-barriers"],
  example: {
    before: reductionByBarriers.example.bad,
    cursor: "for (int d = blockDim.x / 2",
    after: reductionByBarriers.example.bad.replace("d > 0", "d > 16").replace(
      "    __syncthreads();\n  }\n",
      `    __syncthreads();
  }
  if (threadIdx.x < 32) {
    auto value = part[threadIdx.x];
    for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffff, value, distance);
    if (threadIdx.x == 0) part[0] = value;
  }
  __syncthreads();
`,
    ),
  },
  *offers(context) {
    const { syntax, launches } = context;
    for (const loop of syntax.statements("for")) {
      const owner = syntax.code(loop)?.function;
      const launch = launches.find(({ fact }) => fact.kernel?.declaration === owner);
      const fix = launch && shuffleTail(context, loop, launch);
      if (fix) yield { at: [loop], fix };
    }
  },
});
