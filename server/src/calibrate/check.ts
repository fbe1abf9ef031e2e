/** How far off a model's times are, of kernels that it was not made by. */
import type { GpuModel } from "@warplens/sim-engine";
import { analyze } from "../analysis/analyze.ts";
import { diskFiles, slashes } from "../files.ts";
import { loadGrammarFromDisk } from "../grammar.ts";
import { capabilityNumber, devicePropertiesOf } from "../simulate/device-properties.ts";
import { simulateProgram } from "../simulate.ts";
import { check } from "./benchmarks.ts";
import { sourceOf } from "./programs.ts";
import { type Samples, summarise } from "./samples.ts";

export interface CheckedKernel {
  readonly kernel: string;
  readonly measuredNs: number;
  readonly simulatedNs: number;
}

/** The launches of `programs/check.cu` that were measured and can be simulated. @param times ns, by kernel */
export async function checkModel(gpu: GpuModel, times: Samples): Promise<CheckedKernel[]> {
  if (times.size === 0) return [];
  await loadGrammarFromDisk();
  const { path, text } = sourceOf(check.name);
  const settings = {
    computeCapability: capabilityNumber(gpu.computeCapability),
    defines: [],
    includeDirs: [],
    launches: [],
    assume: [],
    argv: [],
    device: devicePropertiesOf(gpu),
  };
  const { launches } = simulateProgram(analyze(slashes(path), text, settings, diskFiles), gpu);
  return [...times].flatMap(([kernel, samples]) => {
    const time = launches.find(({ report: { kernel: name } }) => name === kernel)?.report.time;
    return time ? [{ kernel, measuredNs: summarise(samples).value, simulatedNs: time.ns }] : [];
  });
}

/** The mean of |simulated - measured| / measured. */
export const meanError = (checked: readonly CheckedKernel[]): number =>
  checked.reduce((sum, { measuredNs, simulatedNs }) => sum + Math.abs(simulatedNs - measuredNs) / measuredNs, 0) / checked.length;
