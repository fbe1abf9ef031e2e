import { formatRatio } from "../units.ts";
import { defineRule } from "./rule.ts";
import { costsOf, findingOf } from "./support/costs.ts";
import { excerptAt } from "./support/edits.ts";
import { isCallAt } from "./support/expression-at.ts";
import { gainOptions } from "./worth.ts";

export default defineRule({
  id: "warp-divergence",
  group: "warp",
  severity: "warning",
  priority: "high",
  guide: { document: "best-practices", section: "12.1" },
  summary: "A branch by the thread's place in its block parts the lanes of warps.",
  why: "A warp goes both ways one after the other, each with the lanes that go it: the others are idle, though they take the same time.",
  remedy:
    "Let whole warps decide alike: number the threads so that those that have work come first (`if (threadIdx.x < active)` with `index = 2 * stride * threadIdx.x` in place of `if (threadIdx.x % (2 * stride) == 0)`), or decide by `threadIdx.x / 32`.",
  notes:
    "Told of conditions that follow from the thread's place in its block and what all threads share, since only these can be made to agree by numbering threads otherwise. The time without it is that of so many fewer warps with all their lanes busy.",
  fix: "none",
  simulated: true,
  tellsGain: true,
  // To number threads otherwise changes what each of them does: it has to be a large part.
  options: { minGain: { ...gainOptions.minGain, default: 20 } },
  specificity: 2,
  example: {
    bad: `__global__ void turns(float *out, const float *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i];
  if (threadIdx.x % 2)
    for (int k = 0; k < 64; ++k) x = sinf(x);
  else
    for (int k = 0; k < 64; ++k) x = sqrtf(x + 1);
  out[i] = x;
}
int main() {
  const int n = 1 << 22;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemset(in, 0, n * sizeof(float));
  turns<<<n / 256, 256>>>(out, in);
}`,
    good: `__global__ void turns(float *out, const float *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i];
  if (threadIdx.x / 32 % 2)
    for (int k = 0; k < 64; ++k) x = sinf(x);
  else
    for (int k = 0; k < 64; ++k) x = sqrtf(x + 1);
  out[i] = x;
}
int main() {
  const int n = 1 << 22;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemset(in, 0, n * sizeof(float));
  turns<<<n / 256, 256>>>(out, in);
}`,
  },
  *check(context) {
    for (const cost of costsOf(context, "idle lanes")) {
      const [at] = cost.report.at;
      const branch = cost.launch.report.branches.find(({ file, start, end }) => at?.file === file && at.start === start && at.end === end);
      // What a library does within a call is its own.
      if (!branch || isCallAt(context, cost.place)) continue;
      const share = Math.round((100 * branch.divergent) / branch.executions);
      const lanes = formatRatio(branch.lanes / branch.executions);
      yield findingOf(
        cost,
        `\`${excerptAt(context.program.reading, cost.place)}\` parts ${share} % of the warps that come to it, with ${lanes} lanes: some go one way while the others wait. Let whole warps decide alike, by numbering the threads that have work from 0.`,
      );
    }
  },
});
