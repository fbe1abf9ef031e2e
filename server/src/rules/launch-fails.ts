import type { LaunchFact } from "../analysis/facts.ts";
import { isLibraryHeader } from "../analysis/headers/index.ts";
import { namedKernel } from "../analysis/host/launches/launch-sites.ts";
import { formatCapacity, formatCount, formatDim } from "../units.ts";
import { defineRule, type RuleContext, type SimulatedLaunch } from "./rule.ts";
import { isSaid } from "./support/said.ts";
import { Variables } from "./support/variables.ts";
import { isKnown } from "./support/violations.ts";

const attribute = "FuncSetAttribute";
const maxDynamicShared = "cudaFuncAttributeMaxDynamicSharedMemorySize";
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
    "The limits are those of the chosen GPU. That an attribute allows the shared memory, or clusters of more than 8 blocks, is taken for granted where the file sets any. Registers count only where a compiler or a comment tells them.",
  fix: "none",
  simulated: true,
  specificity: 3,
  example: {
    bad: `__global__ void fill(float *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f; }
int main() {
  float *out;
  cudaMalloc(&out, 8192 * sizeof(float));
  fill<<<4, 2048>>>(out);
}`,
    good: `__global__ void fill(float *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f; }
int main() {
  float *out;
  cudaMalloc(&out, 8192 * sizeof(float));
  fill<<<8, 1024>>>(out);
}`,
  },
  *check(context) {
    const impossible = context.program.launches.flatMap((fact) =>
      fact.refused || (fact.empty && isSaidGrid(fact, context)) ? [{ fact, reason: fact.reason ?? "" }] : [],
    );
    const simulated = context.launches.flatMap((launch) => {
      const reason = refusal(launch, context);
      return reason === undefined ? [] : [{ fact: launch.fact, reason }];
    });
    for (const { fact, reason } of [...impossible, ...(context.refused ?? []), ...simulated]) {
      if (!fact.expression || !isKnown({ fact })) continue;
      yield { span: fact.at, message: `The launch of \`${fact.kernelName}\` fails: ${reason}.`, kernel: fact.kernelName };
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
      const allowedByCode = says(attribute) ? allowedBytes(context, fact) : 0;
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

/**
 * The most dynamic shared memory that the file's calls of `cudaFuncSetAttribute` allow a kernel, 0 where all of them are for others;
 * undefined where one of them cannot be told.
 */
function allowedBytes({ program: { reading, semantics, launches }, syntax }: RuleContext, { kernelName }: LaunchFact): number | undefined {
  const calls = syntax
    .expressionsEverywhere("call")
    .filter(({ callee }) => callee.kind === "name" && callee.name.parts.at(-1)?.text === `cuda${attribute}`);
  const written = reading.sources.flatMap((source, file) =>
    isLibraryHeader(reading.files[file] ?? "") ? [] : [...source.matchAll(new RegExp(attribute, "g"))],
  );
  if (calls.length !== written.length) return undefined;
  let most = 0;
  for (const { arguments: args } of calls) {
    const [kernel, which, value] = args;
    const name = kernel && namedKernel(kernel);
    // What is no kernel's name may stand for any.
    if (!which || !value || !launches.some((launch) => launch.kernelName === name)) return undefined;
    if (which.kind !== "name" || which.name.parts.at(-1)?.text !== maxDynamicShared || name !== kernelName) continue;
    const bytes = semantics.constant(value);
    if (typeof bytes !== "bigint") return undefined;
    most = Math.max(most, Number(bytes));
  }
  return most;
}

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
