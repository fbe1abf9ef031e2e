import {
  adviseOccupancy,
  carveoutFor,
  findCapability,
  findGpu,
  type GpuModel,
  type GpuValues,
  maxActiveClusters,
  type Occupancy,
  type OccupancyInput,
  occupancy,
  occupancyProblem,
} from "@warplens/sim-engine";
import { formatCapacity, formatPercent } from "../../units.ts";
import { defaultGpu, gpuNamed } from "../gpu-option.ts";
import { type Io, UsageError } from "../io.ts";
import { type Given, wholeNumber } from "../options.ts";
import { ProjectFolders } from "../project-folders.ts";
import type { Command } from "./command.ts";
import { formatNamed } from "./format-option.ts";

export default {
  name: "occupancy",
  operands: "",
  summary: "how many blocks and warps of a kernel an SM holds, what limits them, and what would help",
  options: ["gpu", "registers", "static-shared", "dynamic-shared", "block", "carveout", "cluster", "stdin", "format"],
  async run({ given }, io) {
    const { gpus: own = [] } = new ProjectFolders(io.cwd).of(io.cwd).file;
    if (given.stdin) {
      const idle = fromLines.find((name) => given[name] !== undefined);
      if (idle !== undefined) throw new UsageError(`--stdin reads everything from the lines: --${idle} means nothing beside it`);
      return answerLines(io, own);
    }
    const format = formatNamed(given.format, ["text", "json"]);
    const name = given.gpu ?? defaultGpu;
    const model = valuesOf(name, own) ?? gpuNamed(name, own);
    const input = inputOf(given);
    const problem = occupancyProblem(input, model.values);
    if (problem !== undefined) throw new UsageError(problem.replace(/^\w+/, (field) => optionOf[field] ?? field));
    const cluster = given.cluster === undefined ? undefined : wholeNumber("--cluster", given.cluster, 1);
    if (cluster !== undefined && maxActiveClusters(model.values, 1, cluster) === undefined)
      throw new UsageError(`--cluster: ${model.name} has no clusters, or how its SMs are divided is not known`);
    io.out(
      format === "json" ? `${JSON.stringify(advised(model.values, input, cluster))}\n` : text(model.name, model.values, input, cluster),
    );
    return 0;
  },
} satisfies Command;

/** The options that say the fields of an `OccupancyInput`. */
const optionOf: Readonly<Record<string, string>> = {
  blockSize: "--block",
  registers: "--registers",
  staticShared: "--static-shared",
  dynamicShared: "--dynamic-shared",
  carveout: "--carveout",
};

/** The options that nothing reads with --stdin. */
const fromLines = ["gpu", "registers", "static-shared", "dynamic-shared", "block", "carveout", "cluster", "format"] as const;

/** A GPU's values, or those of a compute capability (`8.6`, `sm_86`). */
function valuesOf(name: string, own: readonly GpuModel[]): { readonly name: string; readonly values: GpuValues } | undefined {
  const gpu = findGpu(name, own);
  if (gpu) return gpu;
  const capability = findCapability(name.replace(/^sm_?(\d+)(\d)$/i, "$1.$2"));
  return capability && { name: `compute capability ${capability.computeCapability}`, values: capability.values };
}

function inputOf(given: Given): OccupancyInput {
  const required = (option: "registers" | "block", least: number): number => {
    const value = [given[option] ?? []].flat().at(-1);
    if (value === undefined) throw new UsageError(`occupancy needs --${option} N`);
    return wholeNumber(`--${option}`, value, least);
  };
  return {
    registers: required("registers", 0),
    blockSize: required("block", 1),
    staticShared: wholeNumber("--static-shared", given["static-shared"] ?? "0"),
    dynamicShared: wholeNumber("--dynamic-shared", given["dynamic-shared"] ?? "0"),
    ...(given.carveout === undefined ? {} : { carveout: wholeNumber("--carveout", given.carveout) }),
  };
}

const answer = ({ blocksPerSm, activeWarpsPerSm, occupancyPct, limiters }: Occupancy): object => ({
  blocksPerSm,
  activeWarpsPerSm,
  occupancyPct,
  limiters,
});

/** The answer with what would change it. */
function advised(values: GpuValues, input: OccupancyInput, cluster: number | undefined): object {
  const { now, gains, losses, best, nextStep } = adviseOccupancy(values, input);
  return {
    ...answer(now),
    ...carveoutFor(values, input, now),
    ...(cluster === undefined ? {} : { activeClusters: maxActiveClusters(values, now.blocksPerSm, cluster) }),
    gains,
    losses,
    bestBlockSizes: best.map(({ blockSize }) => blockSize),
    bestOccupancyPct: best[0]?.occupancyPct ?? 0,
    ...(nextStep === undefined ? {} : { nextStep }),
  };
}

function text(name: string, values: GpuValues, input: OccupancyInput, cluster: number | undefined): string {
  const { now, gains, losses, best, nextStep } = adviseOccupancy(values, input);
  const warps = values.maxThreadsPerSm / 32;
  const { sharedBytes, l1Bytes } = carveoutFor(values, input, now);
  const sizes = best.slice(0, 6).map(({ blockSize }) => blockSize);
  const lines = [
    `${name}: ${formatPercent(now.occupancyPct)} occupancy`,
    "",
    `  blocks/SM   ${now.blocksPerSm}`,
    `  warps/SM    ${now.activeWarpsPerSm} of ${warps}`,
    `  limited by  ${now.limiters.join(", ")}`,
    ...(cluster === undefined
      ? []
      : [`  clusters    ${maxActiveClusters(values, now.blocksPerSm, cluster)} of ${cluster} blocks on the GPU at once`]),
    `  shared      ${formatCapacity(now.sharedPerBlock)} a block, as allocated; ${formatCapacity(sharedBytes)} of the SM, which leaves ${formatCapacity(l1Bytes)} to the L1`,
    ...(best[0]
      ? [`  best block  ${sizes.join(", ")}${best.length > sizes.length ? ", ..." : ""}: ${formatPercent(best[0].occupancyPct)}`]
      : []),
    ...(gains.length > 0 ? ["", "  more with", ...gains.map(({ words }) => `    ${words}`)] : []),
    ...(losses.length > 0 ? ["", "  less with", ...losses.map(({ words }) => `    ${words}`)] : []),
    ...(nextStep === undefined ? [] : ["", `  next step   ${nextStep}`]),
  ];
  return `${lines.join("\n")}\n`;
}

/** One JSON object a line in, one a line out, in the same order; a line that cannot be answered gets `{"error": ...}`. */
async function answerLines(io: Io, own: readonly GpuModel[]): Promise<number> {
  let number = 0;
  let failed = 0;
  let pending = "";
  for await (const line of io.lines()) {
    number++;
    if (line.trim() === "") continue;
    const result = answerLine(line, own);
    if ("error" in result) {
      failed++;
      io.error(`line ${number}: ${result.error}\n`);
    }
    pending += `${JSON.stringify(result)}\n`;
    if (pending.length > 1 << 16) {
      io.out(pending);
      pending = "";
    }
  }
  io.out(pending);
  return failed > 0 ? 2 : 0;
}

const fields = ["registers", "staticShared", "dynamicShared", "blockSize"] as const;

function answerLine(line: string, own: readonly GpuModel[]): object {
  let query: unknown;
  try {
    query = JSON.parse(line);
  } catch {
    return { error: "not JSON" };
  }
  if (typeof query !== "object" || query === null || Array.isArray(query)) return { error: "not an object" };
  const given = query as Readonly<Record<string, unknown>>;
  const { gpu, computeCapability, carveout } = given;
  const name = gpu ?? computeCapability;
  const model = typeof name === "string" ? valuesOf(name, own) : typeof name === "number" ? valuesOf(name.toFixed(1), own) : undefined;
  if (!model)
    return { error: name === undefined ? "needs gpu or computeCapability" : `there is no GPU or compute capability ${String(name)}` };
  for (const field of fields) {
    const optional = field === "staticShared" || field === "dynamicShared";
    if (typeof given[field] !== "number" && !(optional && given[field] === undefined)) return { error: `${field} must be a number` };
  }
  if (carveout !== undefined && carveout !== null && typeof carveout !== "number") return { error: "carveout must be a number" };
  const input: OccupancyInput = {
    registers: Number(given.registers),
    blockSize: Number(given.blockSize),
    staticShared: Number(given.staticShared ?? 0),
    dynamicShared: Number(given.dynamicShared ?? 0),
    ...(typeof carveout === "number" ? { carveout } : {}),
    ...(typeof given.optIn === "boolean" ? { optIn: given.optIn } : {}),
    ...(typeof given.barriers === "number" ? { barriers: given.barriers } : {}),
  };
  const problem = occupancyProblem(input, model.values);
  return problem === undefined ? answer(occupancy(model.values, input)) : { error: problem };
}
