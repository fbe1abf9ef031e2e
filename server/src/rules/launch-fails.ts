import type { LaunchFact } from "../analysis/facts.ts";
import { isLibraryHeader } from "../analysis/headers/index.ts";
import { namedKernel } from "../analysis/host/launches/launch-sites.ts";
import { formatCapacity, formatCount, formatDim } from "../units.ts";
import { defineRule, type RuleContext, type SimulatedLaunch } from "./rule.ts";
import { allowedBytes, allowing } from "./support/allow-shared-memory.ts";
import { isSaid } from "./support/said.ts";
import { Variables } from "./support/variables.ts";
import { isKnown } from "./support/violations.ts";

const clusterAttribute = "NonPortableClusterSizeAllowed";

export default defineRule({
  id: "launch-fails",
  group: "correctness",
  severity: "error",
  priority: "correctness",
  guide: { document: "best-practices", section: "10.3" },
  alsoIn: [
    { document: "volta", section: "1.4.3.2" },
    { document: "turing", section: "1.4.3.1" },
    { document: "volta", section: "1.4.1.3" },
  ],
  summary: "A launch asks for more than the GPU gives a block or a grid, so the kernel never runs.",
  why: "The launch returns an error that only `cudaGetLastError()` shows; the program goes on, with results that nobody computed.",
  remedy:
    "Stay within what the GPU allows: 1,024 threads a block, 65,535 blocks in y and z. More than 48 KB of dynamic shared memory has to be allowed first: `cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)`.",
  notes:
    "The limits are those of the chosen GPU. What `cudaFuncSetAttribute` allows a kernel is read where each call of the file names a kernel and a constant; else it is taken to be enough, as for clusters of more than 8 blocks. The fix puts the call before the launch: what the kernel then does, nobody has seen. Registers count only where a compiler or a comment tells them.",
  fix: "unsafe",
  changes: "faults",
  simulated: true,
  specificity: 3,
  example: {
    bad: `__global__ void reverse(float *out, const float *in) {
  extern __shared__ float s[];
  for (int i = threadIdx.x; i < 16384; i += 256) s[i] = in[blockIdx.x * 16384 + i];
  __syncthreads();
  for (int i = threadIdx.x; i < 16384; i += 256) out[blockIdx.x * 16384 + i] = s[16383 - i];
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 1024 * 16384 * sizeof(float));
  cudaMalloc(&out, 1024 * 16384 * sizeof(float));
  reverse<<<1024, 256, 16384 * sizeof(float)>>>(out, in);
}`,
    good: `__global__ void reverse(float *out, const float *in) {
  extern __shared__ float s[];
  for (int i = threadIdx.x; i < 16384; i += 256) s[i] = in[blockIdx.x * 16384 + i];
  __syncthreads();
  for (int i = threadIdx.x; i < 16384; i += 256) out[blockIdx.x * 16384 + i] = s[16383 - i];
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 1024 * 16384 * sizeof(float));
  cudaMalloc(&out, 1024 * 16384 * sizeof(float));
  cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 16384 * sizeof(float));
  reverse<<<1024, 256, 16384 * sizeof(float)>>>(out, in);
}`,
  },
  *check(context) {
    const impossible = context.program.launches.flatMap((fact) =>
      fact.refused || (fact.empty && isSaidGrid(fact, context)) ? [{ fact, reason: fact.reason ?? "" }] : [],
    );
    const simulated = context.launches.flatMap((launch) => {
      const reason = refusal(launch, context);
      const fix = launch.report.refused?.of === "opt-in" ? allowing(launch.fact, context) : undefined;
      return reason === undefined ? [] : [{ fact: launch.fact, reason, fix }];
    });
    const others = [...impossible, ...(context.refused ?? [])].map((each) => ({ ...each, fix: undefined }));
    for (const { fact, reason, fix } of [...others, ...simulated]) {
      if (!fact.expression || !isKnown({ fact })) continue;
      yield { span: fact.at, message: `The launch of \`${fact.kernelName}\` fails: ${reason}.`, kernel: fact.kernelName, fix };
    }
  },
});

/** The source says the size of the grid; else a size of zero may well be what a file that is not there left. */
function isSaidGrid({ expression }: LaunchFact, { program, syntax }: RuleContext): boolean {
  const grid = expression?.kind === "call" ? expression.launch?.grid : undefined;
  return grid !== undefined && isSaid(grid, new Variables(syntax, program.semantics), program.semantics);
}

function refusal({ report, fact }: SimulatedLaunch, context: RuleContext): string | undefined {
  const { reading } = context.program;
  const { refused, block } = report;
  if (!refused) return isCooperative(fact) ? tooManyAtOnce(report) : undefined;
  const { of, needs, allowed } = refused;
  const says = (text: string): boolean =>
    reading.sources.some((source, file) => !isLibraryHeader(reading.files[file] ?? "") && source.includes(text));
  switch (of) {
    case "shared":
      return `a block needs ${formatCapacity(needs)} of shared memory, and the GPU gives it at most ${formatCapacity(allowed)}`;
    case "registers":
      return `a block of ${formatDim(block)} threads needs ${formatCount(needs)} registers, and there are ${formatCount(allowed)}`;
    case "opt-in": {
      const allowedByCode = allowedBytes(context, fact.kernelName);
      if (allowedByCode === undefined || allowedByCode >= dynamicSharedOf(fact)) return undefined;
      return allowedByCode > 0
        ? `a block needs ${formatCapacity(needs)} of shared memory, and \`cudaFuncSetAttribute\` allows it ${formatCapacity(allowedByCode)}`
        : `a block needs ${formatCapacity(needs)} of shared memory; more than ${formatCapacity(allowed)} has to be allowed by \`cudaFuncSetAttribute\` first`;
    }
    case "cluster":
      return says(clusterAttribute)
        ? undefined
        : `a cluster has ${formatCount(needs)} blocks; more than ${formatCount(allowed)} have to be allowed by \`cudaFuncAttributeNonPortableClusterSizeAllowed\` first`;
  }
}

const dynamicSharedOf = ({ launch }: LaunchFact): number => launch?.dynamicSharedBytes ?? 0;

/** Its blocks wait for each other, so that all have to be there at once. */
const isCooperative = ({ expression }: SimulatedLaunch["fact"]): boolean =>
  expression?.kind === "call" && /^cu(da)?LaunchCooperativeKernel$/.test(namedKernel(expression.callee));

/** Where the number of registers decides it, it has to be known. */
function tooManyAtOnce({ grid, occupancy, resources }: SimulatedLaunch["report"]): string | undefined {
  const { wavesPerSm, limiters } = occupancy;
  if (!(wavesPerSm > 1) || (limiters.includes("registers") && resources.registersPerThread.basis === "estimated")) return undefined;
  const blocks = grid[0] * grid[1] * grid[2];
  return `a cooperative launch needs its ${formatCount(blocks)} blocks to be there at once, and the GPU holds ${formatCount(Math.round(blocks / wavesPerSm))} of them`;
}
