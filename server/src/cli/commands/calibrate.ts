import { existsSync } from "node:fs";
import path from "node:path";
import { figureDefinitions } from "@warplens/sim-engine";
import { type Benchmark, benchmarks, check, device } from "../../calibrate/benchmarks.ts";
import { type CheckedKernel, checkModel, meanError } from "../../calibrate/check.ts";
import { baseFor, type Calibration, calibrated, type Device, percent, projectText } from "../../calibrate/model.ts";
import { type Printed, Programs } from "../../calibrate/programs.ts";
import { type Samples, samplesOf } from "../../calibrate/samples.ts";
import { visibleName } from "../../foreign-text.ts";
import { findToolkit, type Toolkit } from "../../nvcc/toolkit.ts";
import { formatTime } from "../../units.ts";
import { gpuNamed } from "../gpu-option.ts";
import { UsageError } from "../io.ts";
import { styleOf } from "../style.ts";
import { textTable } from "../text-table.ts";
import { writeNamed } from "../write-file.ts";
import type { Command } from "./command.ts";

export default {
  name: "calibrate",
  operands: "",
  summary: "measures the GPU at hand, with your nvcc, and writes a model of it for warplens.json",
  options: ["out", "gpu", "nvcc"],
  async run({ given }, io) {
    const { out } = given;
    const target = out === undefined ? undefined : path.resolve(io.cwd, out);
    if (target !== undefined && existsSync(target))
      throw new UsageError(`--out: there is a ${out} already; name another file, and take over what you want of it`);
    const toolkit = await toolkitFor(given.nvcc ?? "auto");
    const programs = new Programs(toolkit.nvcc);
    try {
      const about = deviceOf(await programs.measure(device.name));
      const base = given.gpu === undefined ? baseFor(about) : gpuNamed(given.gpu);
      if (!base)
        throw new UsageError(`nothing is known of compute capability ${about.computeCapability}: --gpu ID says which model comes near`);
      const architecture = architectureOf(about, toolkit);
      const measure = async ({ name, measures }: Pick<Benchmark, "name" | "measures">): Promise<Samples> => {
        io.progress?.(`measuring ${measures}`);
        const printed = await programs.measure(name, architecture);
        io.progress?.("");
        if ("lines" in printed) return samplesOf(printed.lines);
        io.error(`warplens: ${printed.problem}; what it measures is left as ${base.id} has it\n`);
        return new Map();
      };
      const samples = new Map<string, readonly number[]>();
      for (const benchmark of benchmarks) for (const [name, values] of await measure(benchmark)) samples.set(name, values);
      if (samples.size === 0) throw new UsageError("nothing could be measured");
      const calibration = calibrated(about, base, samples);
      for (const message of calibration.leftOut) io.error(`warplens: left out: ${message}\n`);
      const times = await measure(check);
      const checked = await checkModel(calibration.gpu, times);
      const before = await checkModel(base, times);
      const text = projectText(about, calibration, remarks(about, toolkit, calibration, checked, before));
      const table = tables(calibration, checked, before, (head) => styleOf(io, given)(head, "bold"));
      if (target === undefined) {
        io.out(text);
        io.error(table);
      } else {
        writeNamed(`--out: ${out}`, target, text);
        io.out(`${table}\n${out} holds the model ${calibration.gpu.id}.\n`);
      }
      return 0;
    } finally {
      programs.close();
    }
  },
} satisfies Command;

async function toolkitFor(setting: string): Promise<Toolkit> {
  const found = await findToolkit(setting);
  if ("toolkit" in found) return found.toolkit;
  throw new UsageError(`calibrate needs nvcc and a GPU: ${found.problem}; --nvcc PATH says where it is`);
}

function deviceOf(printed: Printed): Device {
  if ("problem" in printed) throw new UsageError(`calibrate needs a GPU that CUDA can use: ${printed.problem}`);
  const { name, computeCapability } = Object.fromEntries(printed.lines);
  if (name === undefined || computeCapability === undefined || !/^\d+\.\d$/.test(computeCapability))
    throw new UsageError("calibrate needs a GPU that CUDA can use: device: nothing was said of one");
  return { name: visibleName(name), computeCapability, figures: samplesOf(printed.lines) };
}

/** Such as 90. */
function architectureOf({ name, computeCapability }: Device, { version, architectures }: Toolkit): number {
  const wanted = Number(computeCapability.replace(".", ""));
  if (architectures.length > 0 && !architectures.includes(wanted))
    throw new UsageError(
      `nvcc ${version} does not compile for the ${name}, of compute capability ${computeCapability}: another version may`,
    );
  return wanted;
}

function remarks(
  { name }: Device,
  { version }: Toolkit,
  { base }: Calibration,
  checked: readonly CheckedKernel[],
  before: readonly CheckedKernel[],
): string[] {
  return [
    `Measured on an ${name} by \`warplens calibrate\`, nvcc ${version}. Beside each figure: its unit, and how far its farthest sample was off.`,
    ...(checked.length === 0
      ? []
      : [
          `Times of ${checked.map(({ kernel }) => kernel).join(", ")} by this model: off by ${percent(meanError(checked))} in the mean; by ${base.id}: ${percent(meanError(before))}.`,
        ]),
  ];
}

function tables(
  { base, figures }: Calibration,
  checked: readonly CheckedKernel[],
  before: readonly CheckedKernel[],
  bold: (text: string) => string,
): string {
  const share = (ratio: number): string => `${ratio >= 0 ? "+" : ""}${percent(ratio)}`;
  const measured = figures.map(({ figure, value, error, before: there }) => [
    figure,
    `${value} ${figureDefinitions[figure].unit}`,
    error === undefined ? "as the driver says" : `± ${percent(error)}`,
    there === undefined ? "-" : String(there),
    there === undefined || there === 0 ? "-" : share(value / there - 1),
  ]);
  const times = checked.map(({ kernel, measuredNs, simulatedNs }) => [
    kernel,
    formatTime(measuredNs),
    formatTime(simulatedNs),
    share(simulatedNs / measuredNs - 1),
    share((before.find((each) => each.kernel === kernel)?.simulatedNs ?? Number.NaN) / measuredNs - 1),
  ]);
  return [
    textTable([["figure", "measured", "error", base.id, "difference"], ...measured], bold),
    ...(times.length === 0 ? [] : ["\n", textTable([["kernel", "measured", "simulated", "error", `error of ${base.id}`], ...times], bold)]),
  ].join("");
}
