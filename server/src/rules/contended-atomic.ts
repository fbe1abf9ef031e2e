import type { AccessReport } from "@warplens/sim-engine";
import { defineRule, type Fix, type RuleContext } from "./rule.ts";
import { aggregatedByWarp, atomicSum } from "./support/aggregate-atomic.ts";
import { type Cost, costsOf, findingOf } from "./support/costs.ts";
import { textAt } from "./support/edits.ts";
import { gainOptions } from "./worth.ts";

export default defineRule({
  id: "contended-atomic",
  group: "memory",
  severity: "warning",
  priority: "medium",
  guide: { document: "maxwell", section: "1.4.3.3" },
  summary: "Atomic operations of many threads meet at the same address.",
  why: "Atomics at one address are done one after the other: those of a whole launch in the L2, those of a block in its SM.",
  remedy:
    "Sum up in a register, then over the warp with shuffles or `__reduce_add_sync`, then over the block in shared memory, and let one thread of the block do the atomic; of a histogram keep one copy a block in shared memory.",
  notes:
    "The time without it is that of a launch in which each block does one atomic where its threads meet. The fix, for sums to which all lanes of whole warps come, lets one lane of each warp add; it is unsafe, as floats are added in another order.",
  fix: "unsafe",
  changes: "rounding",
  simulated: true,
  tellsGain: true,
  // Less is lost in what a launch costs.
  options: { minTime: { ...gainOptions.minTime, default: 1.5 } },
  specificity: 2,
  example: {
    bad: `__global__ void total(float *sum, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, in[i]);
}
int main() {
  const int n = 1 << 22;
  float *in, *sum;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&sum, sizeof(float));
  cudaMemset(in, 0, n * sizeof(float));
  cudaMemset(sum, 0, sizeof(float));
  total<<<n / 256, 256>>>(sum, in, n);
}`,
    good: `__global__ void total(float *sum, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float own = 0;
  for (; i < n; i += gridDim.x * blockDim.x) own += in[i];
  for (int d = 16; d > 0; d /= 2) own += __shfl_down_sync(0xffffffff, own, d);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, own);
}
int main() {
  const int n = 1 << 22;
  float *in, *sum;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&sum, sizeof(float));
  cudaMemset(in, 0, n * sizeof(float));
  cudaMemset(sum, 0, sizeof(float));
  total<<<264, 256>>>(sum, in, n);
}`,
  },
  *check(context) {
    for (const cost of costsOf(context, "meetings")) {
      const access = cost.launch.report.accesses.find(({ operation, file, start, end }) => {
        const [at] = cost.report.at;
        return operation === "atomic" && at?.file === file && at.start === start && at.end === end;
      });
      if (!access || triesOut(context, cost)) continue;
      const object = cost.report.object === undefined ? "" : ` of \`${cost.report.object}\``;
      yield {
        ...findingOf(
          cost,
          `Up to ${access.worst ?? 0} lanes of a warp meet at one address${object}, and are served one after the other. ${advice(access, cost)}`,
        ),
        fix: access.worst === 32 ? aggregated(context, cost) : undefined,
      };
    }
  },
});

/** Operations at one array's elements from which on they are no computation: statistics take a sum, a least, a most and flags. */
const allKinds = 6;

/** A program that shows or tests atomics does one after another what no computation does together. */
function triesOut({ program: { reading } }: RuleContext, { place, besides }: Cost): boolean {
  const names = [place, ...besides].flatMap((at) => /^\w+/.exec(textAt(reading, at))?.[0] ?? []);
  return new Set(names).size >= allKinds;
}

/** What the shared memory of a block has without being asked for more. */
const mostOfBlock = 48 * 1024;

/** Where all lanes of a warp add to one place one of them can; what data spreads over a few a block can collect by itself. */
function advice({ space, worst = 0 }: AccessReport, { report: { object }, launch }: Cost): string {
  if (space === "shared") return "Let a warp's lanes that meet sum up first (shuffles, or `__match_any_sync`), or keep several copies.";
  const bytes = launch.fact.launch?.buffers.find(({ name }) => name === object)?.bytes ?? Number.POSITIVE_INFINITY;
  return worst < 32 && bytes <= mostOfBlock
    ? "Let each block collect in a copy of its own in shared memory, and add that to the whole at its end."
    : "Sum up over the warp and the block first, and let one thread of a block do the atomic.";
}

function aggregated(context: RuleContext, { place, launch }: Cost): Fix | undefined {
  const { reading } = context.program;
  const call = context.syntax.expressions("call").find((each) => {
    const at = reading.locate(each.start, each.end);
    return at.file === place.file && at.start === place.start && at.end === place.end;
  });
  const sum = call && atomicSum(call);
  return sum && aggregatedByWarp(context, sum, launch);
}
