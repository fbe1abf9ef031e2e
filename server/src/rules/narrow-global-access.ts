import { defineRule } from "./rule.ts";
import { costsOf, findingOf } from "./support/costs.ts";
import { gainOptions, longestTime } from "./worth.ts";

const example = (
  type: string,
  threads: string,
  body: string,
): string => `__global__ void scale(${type} *out, const ${type} *in, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) ${body}
}
int main() {
  const int n = 1 << 25;
  ${type} *in, *out;
  cudaMalloc(&in, (1 << 25) * sizeof(float));
  cudaMalloc(&out, (1 << 25) * sizeof(float));
  cudaMemset(in, 0, (1 << 25) * sizeof(float));
  scale<<<${threads} / 256, 256>>>(out, in, 2, ${threads});
}`;

export default defineRule({
  id: "narrow-global-access",
  group: "memory",
  severity: "information",
  priority: "medium",
  guide: { document: "best-practices", section: "9.2.1" },
  summary: "Threads that do one thing to each element take one at a time, where a vector of 16 bytes would be one access, too.",
  why: "A memory is as fast as what is asked of it at once: its latency times its bandwidth is more than all threads of a large GPU ask for where each waits for 4 bytes. On an H200 such a copy reaches 51 % of the memory's bandwidth, one of `float4` 81 %.",
  remedy:
    "Let each thread take four elements that stand side by side as one `float4`, with a quarter of the threads; what is left at the end of the array goes one by one.",
  notes:
    "Told of kernels without loops whose threads meet each other nowhere, where all accesses of neighbouring threads are to neighbouring elements and begin where vectors may. The time then is that of so many fewer threads, each of which asks for a vector, but no less than what computes is busy today. It is told from a quarter of the time of launches that take 20 µs. Off by default: on public programs what it finds is true, but half of it are kernels that fill, check or demonstrate, about which nobody wants to hear.",
  fix: "none",
  simulated: true,
  offByDefault: true,
  tellsGain: true,
  // Another launch, and a rest that goes one by one, take more than an edit.
  options: {
    minGain: { ...gainOptions.minGain, default: 25 },
    minLaunchTime: { unit: "µs", default: 20, most: longestTime, says: "The time that a launch has to take to be told of." },
  },
  example: {
    bad: example("float", "n", "out[i] = by * in[i];"),
    good: example(
      "float4",
      "n / 4",
      `{
    float4 v = in[i];
    out[i] = make_float4(by * v.x, by * v.y, by * v.z, by * v.w);
  }`,
    ),
  },
  *check(context, { minLaunchTime }) {
    for (const cost of costsOf(context, "narrow accesses")) {
      const { elements, at } = cost.report;
      if (cost.gain.ns < 1000 * minLaunchTime) continue;
      const ofKernel = context.launches.filter(({ fact }) => fact.kernelName === cost.launch.fact.kernelName);
      const accesses = at.map((place) => ofKernel.map(({ report }) => report.accesses.find((each) => isAt(each, place))));
      // Where a launch begins elsewhere in the array, vectors would not be whole.
      if (accesses.flat().some((each) => each && each.transactions > aligned * each.ideal)) continue;
      const bytes = accesses[0]?.find((each) => each !== undefined)?.bytesPerLane;
      if (elements === undefined || bytes === undefined) continue;
      yield findingOf(
        cost,
        `Each thread of \`${cost.launch.report.kernel}\` moves ${bytes} ${bytes === 1 ? "byte" : "bytes"} at a time, and all of them together ask for less than the memory could bring. Let each take ${elements} neighbours as one vector of ${elements * bytes} bytes, with as many fewer threads.`,
      );
    }
  },
});

/** Transactions over those needed up to which an access begins where vectors may. */
const aligned = 1.01;

interface At {
  readonly file: number;
  readonly start: number;
  readonly end: number;
}

const isAt = (access: At, { file, start, end }: At): boolean => access.file === file && access.start === start && access.end === end;
