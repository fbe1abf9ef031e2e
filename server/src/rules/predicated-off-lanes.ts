import type { Node } from "../syntax/ast.ts";
import type { Place } from "../syntax/reading.ts";
import { defineRule, type RuleContext, type SimulatedLaunch } from "./rule.ts";
import { costsOf, findingOf } from "./support/costs.ts";
import { excerptAt } from "./support/edits.ts";
import { isCallAt } from "./support/expression-at.ts";
import { smsOf } from "./support/sms.ts";
import { gainOptions } from "./worth.ts";

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
    "Told where fewer than half of the lanes work, on average, and what decides is known; not of a launch with a warp for each scheduler of the GPU or fewer, and from a fifth of the launch on. The time without it is that of so many fewer warps with all their lanes busy.",
  fix: "none",
  simulated: true,
  tellsGain: true,
  // Values decide, so that elements have to be moved: for a small share of a launch nobody does.
  options: { minGain: { ...gainOptions.minGain, default: 20 } },
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
      if (!branch || isCallAt(context, cost.place) || isThinlySpread(cost.launch)) continue;
      const condition = excerptAt(context.program.reading, cost.place);
      yield findingOf(
        cost,
        isLoopCondition(context, cost.place)
          ? `Of the warps' lanes less than half work in the loop while \`${condition}\`: each warp stays until its last lane is done. Give the lanes of a warp as many turns as each other.`
          : `Of the warps' lanes less than half work behind \`${condition}\`, as values decide which: a warp goes every way that one of its lanes goes. Put elements that go one way side by side, or move what the ways have in common out of the branch.`,
      );
    }
  },
});

/** Each scheduler of the GPU has a warp at most: with fewer of them none would be done sooner. */
function isThinlySpread(launch: SimulatedLaunch): boolean {
  const { grid, block } = launch.report;
  const product = ([x, y, z]: readonly [number, number, number]): number => x * y * z;
  return product(grid) * Math.ceil(product(block) / 32) <= schedulers * (smsOf(launch) ?? 0);
}

/** Of an SM, since Maxwell. */
const schedulers = 4;

function isLoopCondition({ program: { reading }, syntax }: RuleContext, { file, start, end }: Place): boolean {
  const holds = (node: Node | undefined): boolean => {
    const at = node && reading.locate(node.start, node.end);
    return at !== undefined && at.file === file && at.start <= start && end <= at.end;
  };
  return (["for", "while", "do"] as const).some((kind) => syntax.statements(kind).some(({ condition }) => holds(condition)));
}
