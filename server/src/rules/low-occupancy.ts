import { formatLimiters } from "../units.ts";
import { defineRule } from "./rule.ts";
import { costsOf, findingOf } from "./support/costs.ts";
import { gainOptions } from "./worth.ts";

const example = (bytes: number): string => `__global__ void chain(float *out, const float *in) {
  __shared__ float tile[${bytes / 4}];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = in[i];
  __syncthreads();
  float x = tile[threadIdx.x ^ 32];
  for (int k = 0; k < 1024; ++k) x = x * 1.5f + 2.5f;
  out[i] = x;
}
int main() {
  const int n = 1 << 20;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemset(in, 0, n * sizeof(float));
  chain<<<n / 64, 64>>>(out, in);
}`;

export default defineRule({
  id: "low-occupancy",
  group: "execution",
  severity: "information",
  priority: "medium",
  guide: { document: "best-practices", section: "10.1" },
  summary: "Registers or shared memory keep blocks off the SMs, and warps wait for want of others to run.",
  why: "While a warp waits for memory its scheduler runs another, if there is one. Where latency is what holds a kernel back, more resident warps hide more of it.",
  remedy:
    "Take fewer registers (`__launch_bounds__` with the blocks that are to fit, fewer values at a time), or less shared memory a block (smaller tiles, smaller types).",
  notes:
    "Told where the nearest step is near, a fifth of the registers or half of the shared memory at most, and the launch was simulated with the blocks that fit then; what the change itself costs is not known. Registers have to be known, from nvcc (`warplens.nvcc`, `--nvcc`) or a directive: where they are estimated nothing is said of them, as of 9 such findings in public programs 3 were off by a step.",
  fix: "none",
  simulated: true,
  tellsGain: true,
  // To do with fewer registers, or less shared memory, takes more than an edit.
  options: { minGain: { ...gainOptions.minGain, default: 10 } },
  specificity: 1,
  example: { bad: example(40 << 10), good: example(4 << 10) },
  *check(context) {
    for (const found of costsOf(context, "occupancy")) {
      const { occupancy, kernel, resources, block } = found.launch.report;
      const { words = "", resource } = found.report.change ?? {};
      const ofRegisters = resource === "registers";
      // A step of eight decides, and many an estimate is off by one.
      if (ofRegisters && resources.registersPerThread.basis === "estimated") continue;
      const blocks = `${occupancy.blocksPerSm} block${occupancy.blocksPerSm === 1 ? "" : "s"}`;
      const then = occupancy.advice?.gains.find((gain) => gain.resource === resource && gain.words === words);
      const threads = block[0] * block[1] * block[2];
      // Bounds are the kernel's: a launch of more threads would fail.
      const isLargest = context.launches.every(
        ({ fact: { kernel: other, launch } }) =>
          other?.declaration !== found.launch.fact.kernel?.declaration ||
          (launch !== undefined && launch.block[0] * launch.block[1] * launch.block[2] <= threads),
      );
      const bounds =
        ofRegisters && then && isLargest
          ? `, which \`__launch_bounds__(${threads}, ${then.blocksPerSm})\` makes the compiler try, by spilling if need be`
          : "";
      yield findingOf(
        found,
        `An SM holds ${blocks} of \`${kernel}\` (occupancy ${Math.round(occupancy.theoreticalPct)} %), limited by ${formatLimiters(occupancy.limiters)}${ofRegisters ? ` (${resources.registersPerThread.value} a thread)` : ""}, and its warps wait. Next step: ${words}${bounds}.`,
      );
    }
  },
});
