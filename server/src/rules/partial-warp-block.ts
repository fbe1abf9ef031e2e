import { defineRule } from "./rule.ts";
import { costsOf, findingOf } from "./support/costs.ts";
import { gainOptions } from "./worth.ts";

export default defineRule({
  id: "partial-warp-block",
  group: "execution",
  severity: "warning",
  priority: "medium",
  guide: { document: "best-practices", section: "10.3" },
  summary: "The threads of a block are no multiple of 32, so that its last warp has lanes with nothing to do.",
  why: "A block is made up of whole warps. The lanes beyond its threads are idle in every instruction of the last warp, and take its place on the SM.",
  remedy: "Launch blocks of a multiple of 32 threads, and let the kernel check its bounds.",
  notes: "The time without it is that of as many warps as the threads need, all their lanes busy. Grids of one block are not told.",
  fix: "none",
  simulated: true,
  tellsGain: true,
  // What a block is to share often says how many threads it has.
  options: { minGain: { ...gainOptions.minGain, default: 10 } },
  specificity: 2,
  example: {
    bad: `__global__ void roots(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i];
  for (int k = 0; k < 20; ++k) x = sqrtf(x + 1);
  out[i] = x;
}
int main() {
  const int n = 1 << 22;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemset(in, 0, n * sizeof(float));
  roots<<<(n + 99) / 100, 100>>>(out, in, n);
}`,
    good: `__global__ void roots(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i];
  for (int k = 0; k < 20; ++k) x = sqrtf(x + 1);
  out[i] = x;
}
int main() {
  const int n = 1 << 22;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemset(in, 0, n * sizeof(float));
  roots<<<(n + 127) / 128, 128>>>(out, in, n);
}`,
  },
  *check(context) {
    for (const cost of costsOf(context, "partial warps")) {
      const { block, kernel } = cost.launch.report;
      const threads = block[0] * block[1] * block[2];
      const idle = 32 - (threads % 32);
      yield findingOf(
        cost,
        `\`${kernel}\` is launched in blocks of ${threads} threads: ${idle} lanes of the last warp of each are idle. Launch blocks of a multiple of 32.`,
      );
    }
  },
});
