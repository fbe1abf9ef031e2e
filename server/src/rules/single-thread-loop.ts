import { defineRule } from "./rule.ts";
import { costsOf, findingOf } from "./support/costs.ts";
import { isCallAt } from "./support/expression-at.ts";

const example = (sum: string): string => `__global__ void norm(float *out, const float *in, int width) {
  const float *row = in + blockIdx.x * width;
  __shared__ float total;
${sum}
  __syncthreads();
  for (int k = threadIdx.x; k < width; k += blockDim.x) out[blockIdx.x * width + k] = row[k] / total;
}
int main() {
  const int rows = 4096, width = 1024;
  float *in, *out;
  cudaMalloc(&in, rows * width * sizeof(float));
  cudaMalloc(&out, rows * width * sizeof(float));
  cudaMemset(in, 0, rows * width * sizeof(float));
  norm<<<rows, 256>>>(out, in, width);
}`;

export default defineRule({
  id: "single-thread-loop",
  group: "warp",
  severity: "warning",
  priority: "high",
  guide: { document: "best-practices", section: "12.1" },
  summary: "One thread of a block sums up in a loop what all of its threads could.",
  why: "The other lanes of its warp are idle in each turn, the other warps wait at the next barrier, and each turn waits for the load of one value.",
  remedy:
    "Let each thread take a part, `for (int k = threadIdx.x; k < n; k += blockDim.x)`, and join the parts: shuffles within the warps, shared memory between them, or `cub::BlockReduce`.",
  notes:
    "Told of loops that load 64 values and more, which one thread alone of a block of two warps and more goes through, that store nothing, and from turn to turn hand on sums, extremes and counters only. The time then is that of one warp's lanes sharing the turns; what more warps could take of them, and joining the parts, is not in it.",
  fix: "none",
  simulated: true,
  tellsGain: true,
  specificity: 4,
  example: {
    bad: example(`  if (threadIdx.x == 0) {
    float sum = 0;
    for (int k = 0; k < width; ++k) sum += row[k];
    total = sum;
  }`),
    good: example(`  float sum = 0;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  for (int k = threadIdx.x; k < width; k += blockDim.x) sum += row[k];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
  if (threadIdx.x % 32 == 0) atomicAdd(&total, sum);`),
  },
  *check(context) {
    for (const cost of costsOf(context, "loop of one thread")) {
      // What a library does within a call is its own.
      if (isCallAt(context, cost.place)) continue;
      const [x, y, z] = cost.launch.report.block;
      yield findingOf(
        cost,
        `One thread of each block turns this loop alone, while ${x * y * z - 1} wait for it. Let all threads of the block take a part, and join the parts by shuffles.`,
      );
    }
  },
});
