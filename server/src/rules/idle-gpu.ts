import { formatDim, formatTime } from "../units.ts";
import { defineRule, type Finding, type RuleContext, type SimulatedLaunch } from "./rule.ts";
import { costsOf, findingOf, isOfAnotherFile } from "./support/costs.ts";
import { smsOf } from "./support/sms.ts";
import { isWorthIt, leastGainPercent, longestTime } from "./worth.ts";

/** Share of the SMs that may have work where nothing else was simulated to compare with. */
const mostBusy = 1 / 8;

export default defineRule({
  id: "idle-gpu",
  group: "execution",
  severity: "warning",
  priority: "high",
  guide: { document: "best-practices", section: "10.3" },
  summary: "A launch has work for few of the GPU's SMs, or too few warps on them, and takes long.",
  why: "A block runs on one SM, and an SM needs several warps to have something to do while others wait. With fewer blocks than SMs the others stand idle.",
  remedy:
    "Launch smaller blocks, for more SMs, where it is the same to the kernel how its threads make up blocks. Or give the work to more threads: a thread an element in place of a loop over all of them, or a loop that goes on by the grid's size (`i += gridDim.x * blockDim.x`) and blocks for all SMs; where there is no more to do at a time, let other work run beside it in another stream.",
  notes: `Where the kernel's loop goes on by the grid's size, and its threads leave nothing at a place of their own behind it, a launch that fills the GPU was simulated; where it knows its threads by their number in the grid alone, one of as many threads in smaller blocks. Else it is told of known launches that take more than 20 µs and a tenth of the time of all of the program's launches, with work for an eighth of the SMs at most.`,
  fix: "none",
  simulated: true,
  tellsGain: true,
  options: {
    minLaunchTime: { unit: "µs", default: 20, most: longestTime, says: "The time that a launch has to take to be told of." },
    minShare: {
      unit: "percent",
      default: 10,
      most: 100,
      says: "The share of the time of all of the program's launches that a launch has to take, where no other was simulated to compare with.",
    },
  },
  specificity: 3,
  example: {
    bad: `__global__ void scale(float *out, const float *in, int n) {
  for (int i = 0; i < n; ++i) out[i] = 2 * in[i];
}
int main() {
  const int n = 1 << 18;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemset(in, 0, n * sizeof(float));
  scale<<<1, 1>>>(out, in, n);
}`,
    good: `__global__ void scale(float *out, const float *in, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = 2 * in[i];
}
int main() {
  const int n = 1 << 18;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemset(in, 0, n * sizeof(float));
  scale<<<1024, 256>>>(out, in, n);
}`,
  },
  *check(context, options) {
    const told = new Set<SimulatedLaunch>();
    for (const cost of costsOf(context, "few blocks", "large blocks")) {
      const other = cost.report.launch;
      if (!other || !(cost.gain.ns >= 1000 * options.minLaunchTime)) continue;
      // What smaller blocks gain too little of may still be shared out otherwise.
      if (
        cost.report.kind === "large blocks" &&
        !isWorthIt(cost, { minGain: leastGainPercent, minAssumedGain: leastGainPercent, minTime: 0 })
      )
        continue;
      told.add(cost.launch);
      const why = cost.report.kind === "few blocks" ? "its loop goes on by the grid's size, so" : "for more SMs";
      yield findingOf(cost, `${busyOf(cost.launch)}: ${why} launch ${formatDim(other.grid)} blocks of ${formatDim(other.block)}.`);
    }
    yield* idle(context, told, options);
  },
});

/** What nobody has another launch for: the worst launch of each kernel. */
function* idle(
  { launches }: RuleContext,
  told: ReadonlySet<SimulatedLaunch>,
  { minLaunchTime, minShare }: Readonly<Record<"minLaunchTime" | "minShare", number>>,
): Generator<Finding> {
  const takes = ({ fact, report }: SimulatedLaunch): number => (report.time?.ns ?? 0) * (fact.executions ?? 1);
  const all = launches.reduce((sum, launch) => sum + takes(launch), 0);
  const kernels = new Set([...told].map(({ fact }) => fact.kernelName));
  for (const launch of [...launches].sort((a, b) => takes(b) - takes(a))) {
    const { fact, report } = launch;
    const { time, grid } = report;
    if (!time || time.ns < 1000 * minLaunchTime || takes(launch) < (minShare / 100) * all || kernels.has(fact.kernelName)) continue;
    if (fact.configuration.length > 0 || isOfAnotherFile(launch) || report.assumed || !isShared(time.boundBy)) continue;
    const sms = smsOf(launch);
    if (sms === undefined || grid[0] * grid[1] * grid[2] > mostBusy * sms) continue;
    kernels.add(fact.kernelName);
    yield {
      span: fact.at,
      message: `${busyOf(launch)}, for ${formatTime(time.ns)}. Share its work out to more blocks, or let other work run beside it.`,
      kernel: report.kernel,
    };
  }
}

/** More blocks would share what bounds it: not the launch itself, nor functions of the device's runtime, whose calls follow each other. */
const isShared = (boundBy: string): boolean => !/^(launch-overhead|call|device-calls)$/.test(boundBy);

function busyOf(launch: SimulatedLaunch): string {
  const { kernel, grid, block } = launch.report;
  const blocks = grid[0] * grid[1] * grid[2];
  const threads = block[0] * block[1] * block[2];
  const sms = smsOf(launch) ?? 0;
  const busy = `${Math.min(blocks, sms)} of ${sms} SMs`;
  const each = threads === 1 ? "one thread" : `${threads} threads`;
  return `\`${kernel}\` gives work to ${busy}, ${blocks === 1 ? each : `in blocks of ${each}`}`;
}
