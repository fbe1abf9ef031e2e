import { formatCount } from "../units.ts";
import { defineRule, type Finding } from "./rule.ts";
import { boundsOf, largestBlocks, withLaunchBounds } from "./support/launch-bounds.ts";

export default defineRule({
  id: "missing-launch-bounds",
  group: "execution",
  severity: "hint",
  priority: "medium",
  guide: { document: "best-practices", section: "10.1" },
  alsoIn: [{ document: "best-practices", section: "9.2.7.1" }],
  offByDefault: true,
  // A block of up to 256 starts with 255 registers a thread: with more a launch may fail, or registers be spent in vain.
  options: { maxThreads: { unit: "threads", default: 256, most: 1024, says: "The most threads of a block that a kernel need not say." } },
  simulated: true,
  summary: "A kernel that is launched with more than 256 threads a block and does not say so.",
  why: "The compiler does not know the size of a block: it may give a thread so many registers that a block of that many does not start, or fewer than there are.",
  remedy: "`__launch_bounds__(threads)` before the kernel's name.",
  fix: "unsafe",
  notes:
    "Off by default: mostly the registers are few enough either way. The fix is unsafe, as a launch with more threads than the bound fails.",
  example: {
    bad: `__global__ void fill(float *x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f; }
int main() {
  float *x;
  cudaMalloc(&x, 8192 * sizeof(float));
  fill<<<8, 1024>>>(x);
}`,
    good: `__global__ void __launch_bounds__(1024) fill(float *x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f; }
int main() {
  float *x;
  cudaMalloc(&x, 8192 * sizeof(float));
  fill<<<8, 1024>>>(x);
}`,
  },
  *check({ launches }, { maxThreads }): Generator<Finding> {
    for (const { kernel, threads } of largestBlocks(launches)) {
      if (threads <= maxThreads) continue;
      const fix = withLaunchBounds(kernel, threads);
      yield {
        span: kernel.nameAt,
        message: `\`${kernel.name}\` is launched with ${formatCount(threads)} threads a block, which the compiler does not know: \`${boundsOf(threads)}\` tells it.`,
        kernel: kernel.name,
        fix,
      };
    }
  },
});
