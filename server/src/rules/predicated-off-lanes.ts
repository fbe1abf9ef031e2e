import { defineRule } from "./rule.ts";
import { costsOf, findingOf } from "./support/costs.ts";
import { excerptAt } from "./support/edits.ts";
import { isCallAt } from "./support/expression-at.ts";

export default defineRule({
  id: "predicated-off-lanes",
  group: "warp",
  severity: "information",
  priority: "high",
  guide: { document: "best-practices", section: "12.1" },
  summary: "Few lanes of the warps work in a part of the kernel, as values decide which.",
  why: "A warp stays in a loop until the last of its lanes is done, and goes a way that one of its lanes goes. The others are idle, though they take the same time.",
  remedy:
    "Give lanes of a warp the same amount to do: a warp a row in place of a thread a row, rows sorted by their length, or the elements that have work put side by side first.",
  notes:
    "Told where fewer than half of the lanes work, on average, and what decides is known. The time without it is that of so many fewer warps with all their lanes busy.",
  fix: "none",
  simulated: true,
  tellsGain: true,
  specificity: 2,
  example: {
    bad: `__global__ void sums(float *out, const float *values, const int *rows, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  float sum = 0;
  for (int k = rows[row]; k < rows[row + 1]; ++k) sum += sinf(values[k]);
  out[row] = sum;
}
int main() {
  const int n = 250000;
  int *starts = new int[n + 1], at = 0;
  for (int i = 0; i < n; ++i) {
    starts[i] = at;
    at += i % 32 ? 4 : 64;
  }
  starts[n] = at;
  int *rows;
  float *values, *out;
  cudaMalloc(&rows, (n + 1) * sizeof(int));
  cudaMalloc(&values, at * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemset(values, 0, at * sizeof(float));
  cudaMemcpy(rows, starts, (n + 1) * sizeof(int), cudaMemcpyHostToDevice);
  sums<<<(n + 255) / 256, 256>>>(out, values, rows, n);
}`,
    good: `__global__ void sums(float *out, const float *values, const int *rows, int n) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (row >= n) return;
  float sum = 0;
  for (int k = rows[row] + threadIdx.x % 32; k < rows[row + 1]; k += 32) sum += sinf(values[k]);
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
  if (threadIdx.x % 32 == 0) out[row] = sum;
}
int main() {
  const int n = 250000;
  int *starts = new int[n + 1], at = 0;
  for (int i = 0; i < n; ++i) {
    starts[i] = at;
    at += i % 32 ? 32 : 128;
  }
  starts[n] = at;
  int *rows;
  float *values, *out;
  cudaMalloc(&rows, (n + 1) * sizeof(int));
  cudaMalloc(&values, at * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemset(values, 0, at * sizeof(float));
  cudaMemcpy(rows, starts, (n + 1) * sizeof(int), cudaMemcpyHostToDevice);
  sums<<<(n + 7) / 8, 256>>>(out, values, rows, n);
}`,
  },
  *check(context) {
    for (const cost of costsOf(context, "idle lanes by values")) {
      const [at] = cost.report.at;
      const branch = cost.launch.report.branches.find(({ file, start, end }) => at?.file === file && at.start === start && at.end === end);
      // What a library does within a call is its own.
      if (!branch || isCallAt(context, cost.place)) continue;
      yield findingOf(
        cost,
        `Of the warps' lanes less than half work behind \`${excerptAt(context.program.reading, cost.place)}\`, as values decide which: the others wait. Give the lanes of a warp as much to do as each other.`,
      );
    }
  },
});
