import { formatDim } from "../units.ts";
import { defineRule } from "./rule.ts";
import { withBlockOf } from "./support/block-size.ts";
import { costsOf, findingOf } from "./support/costs.ts";

export default defineRule({
  id: "small-block",
  group: "execution",
  severity: "warning",
  priority: "medium",
  guide: { document: "best-practices", section: "10.3" },
  summary: "A kernel is launched in blocks of so few threads that starting blocks, or their number on an SM, holds it back.",
  why: "An SM holds 16 to 32 blocks, however small, and blocks are started one after the other: of blocks of one warp most of its places for warps stay empty.",
  remedy: "Launch blocks of 128 to 512 threads, and as many fewer of them.",
  notes:
    "Told of blocks of up to 64 threads in one dimension, where the kernel knows its threads by `blockIdx.x * blockDim.x + threadIdx.x` alone and shares nothing among them, so that it is the same to it how they make up blocks; the launch with blocks of 256 was simulated. The kernel has to check its bounds where the threads are no multiple of 256. The fix exchanges the number of threads in the launch; it is unsafe, as other code may go by it.",
  fix: "unsafe",
  simulated: true,
  tellsGain: true,
  specificity: 2,
  example: {
    bad: `__global__ void add(float *c, const float *a, const float *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] = a[i] + b[i];
}
int main() {
  const int n = 1 << 24;
  float *a, *b, *c;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMalloc(&c, n * sizeof(float));
  cudaMemset(a, 0, n * sizeof(float));
  cudaMemset(b, 0, n * sizeof(float));
  add<<<n / 32, 32>>>(c, a, b);
}`,
    good: `__global__ void add(float *c, const float *a, const float *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] = a[i] + b[i];
}
int main() {
  const int n = 1 << 24;
  float *a, *b, *c;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMalloc(&c, n * sizeof(float));
  cudaMemset(a, 0, n * sizeof(float));
  cudaMemset(b, 0, n * sizeof(float));
  add<<<n / 256, 256>>>(c, a, b);
}`,
  },
  *check(context) {
    for (const cost of costsOf(context, "small blocks")) {
      const { grid, block, occupancy, kernel } = cost.launch.report;
      const other = cost.report.launch;
      if (!other) continue;
      yield {
        ...findingOf(
          cost,
          `\`${kernel}\` is launched in ${grid[0].toLocaleString("en-US")} blocks of ${formatDim(block)} threads, of which an SM holds ${occupancy.blocksPerSm} (occupancy ${Math.round(occupancy.theoreticalPct)} %). Launch ${formatDim(other.grid)} blocks of ${formatDim(other.block)}.`,
        ),
        fix: withBlockOf(context, cost.launch, other.block[0]),
      };
    }
  },
});
