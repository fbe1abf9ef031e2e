import type { Place } from "../syntax/reading.ts";
import { defineRule, type RuleContext } from "./rule.ts";
import { costsOf, findingOf } from "./support/costs.ts";
import { type For, shuffleTail } from "./support/shuffle-tail.ts";

export default defineRule({
  id: "reduction-by-barriers",
  group: "warp",
  severity: "information",
  priority: "medium",
  guide: { document: "best-practices", section: "9.2.3" },
  summary: "A reduction in shared memory goes on by barriers of the whole block where a single warp is left.",
  why: "A barrier waits for all warps of the block, in each turn. From 32 values on one warp has all that is left, and its lanes hand values to each other without shared memory.",
  remedy:
    "Stop the loop at 32 values, and let the first warp go on with `__shfl_down_sync`. Sums of floats are then added in the same order.",
  notes:
    "The time without it is that of the launch with half the instructions in the last five turns. The fix, for sums in blocks of one dimension, adds in the same order; it is unsafe, as the other values of the array are not what they were.",
  fix: "unsafe",
  simulated: true,
  tellsGain: true,
  specificity: 2,
  example: {
    bad: `__global__ void sums(float *out, const float *in) {
  __shared__ float part[256];
  part[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if (threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
int main() {
  const int n = 1 << 22;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemset(in, 0, n * sizeof(float));
  sums<<<n / 256, 256>>>(out, in);
}`,
    good: `__global__ void sums(float *out, const float *in) {
  __shared__ float part[256];
  part[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  for (int d = blockDim.x / 2; d > 16; d /= 2) {
    if (threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x < 32) {
    float sum = threadIdx.x < 32 ? part[threadIdx.x] : 0;
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
  }
}
int main() {
  const int n = 1 << 22;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemset(in, 0, n * sizeof(float));
  sums<<<n / 256, 256>>>(out, in);
}`,
  },
  *check(context) {
    for (const cost of costsOf(context, "barriers of a reduction")) {
      const loop = loopAt(context, cost.place);
      yield {
        ...findingOf(
          cost,
          "The reduction goes on by barriers of the block where one warp has all that is left. Stop at 32 values, and let the first warp go on with `__shfl_down_sync`.",
        ),
        fix: loop && shuffleTail(context, loop, cost.launch),
      };
    }
  },
});

/** The innermost loop that counts and holds a place. */
function loopAt({ syntax, program: { reading } }: RuleContext, { file, start, end }: Place): For | undefined {
  return syntax.statements("for").findLast((loop) => {
    const at = reading.locate(loop.start, loop.end);
    return at.file === file && at.start <= start && end <= at.end;
  });
}
