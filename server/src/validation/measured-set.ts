/**
 * Simulates the programs of a measured set, from their text, and compares. The set's folder holds `truth`, and `kernels` where it has
 * programs of its own.
 */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { GpuModel } from "@warplens/sim-engine";
import { analyze } from "../analysis/analyze.ts";
import type { Program } from "../analysis/facts.ts";
import { diskFiles } from "../files.ts";
import { capabilityNumber, devicePropertiesOf } from "../simulate/device-properties.ts";
import { simulateProgram } from "../simulate.ts";
import {
  compareLaunch,
  type LaunchComparison,
  type MeasuredLaunch,
  type SampledLaunch,
  signatureName,
  takeMatch,
  takeRepeated,
} from "./compare.ts";

export interface ComparedSet {
  readonly launches: number;
  readonly comparisons: readonly LaunchComparison[];
  /** Measured launches without a simulated one: `file.cu: kernel: reason`. */
  readonly missing: readonly string[];
}

/** What was measured, in launch order. Throws where the folder does not hold a set. */
export function measuredLaunches(folder: string): readonly MeasuredLaunch[] {
  const text = readFileSync(path.join(folder, "truth/launches.json"), "utf8");
  return (JSON.parse(text) as { readonly launches: readonly MeasuredLaunch[] }).launches;
}

/** Where its warps were found, of each launch that was sampled; none where the set was not. */
function sampledLaunches(folder: string): Set<SampledLaunch> {
  const file = path.join(folder, "truth/samples.json");
  if (!existsSync(file)) return new Set();
  return new Set((JSON.parse(readFileSync(file, "utf8")) as { readonly launches: readonly SampledLaunch[] }).launches);
}

/** The samples of a measured launch, which are taken out: launches of the same name and configuration follow each other in both. */
function takeSamples({ file, kernel, grid, block }: MeasuredLaunch, all: Set<SampledLaunch>): SampledLaunch | undefined {
  const found = [...all].find(
    (each) => each.file === file && each.kernel === kernel && `${each.grid} ${each.block}` === `${grid} ${block}`,
  );
  if (found) all.delete(found);
  return found;
}

/**
 * Needs the grammar loaded. Throws where the folder does not hold a set.
 * @param kernels where its programs are, if they are another set's
 */
export function compareSet(folder: string, gpu: GpuModel, kernels = path.join(folder, "kernels")): ComparedSet {
  const launches = measuredLaunches(folder);
  const sampled = sampledLaunches(folder);
  const comparisons: LaunchComparison[] = [];
  const missing: string[] = [];
  for (const file of new Set(launches.map((launch) => launch.file))) {
    const simulation = simulateProgram(analyseFile(path.join(kernels, file), gpu), gpu, { figuresOnly: true });
    const reports = new Set(simulation.launches.map(({ report }) => report));
    const times = new Map(simulation.launches.map(({ report, fact }) => [report, (fact.executions ?? 1) - 1]));
    for (const measured of launches.filter((launch) => launch.file === file)) {
      const report = takeMatch(measured, reports) ?? takeRepeated(measured, times);
      if (report !== undefined) comparisons.push(compareLaunch(measured, report, takeSamples(measured, sampled)));
      else {
        const name = signatureName(measured.kernel);
        const reason = simulation.notSimulated.find(({ kernel }) => kernel === name.split("<")[0])?.reason ?? "no such launch was found";
        missing.push(`${file}: ${name}: ${reason}`);
      }
    }
  }
  return { launches: launches.length, comparisons, missing };
}

/** A program as the compiler would read it for a GPU, with no settings of a user's. */
export function analyseFile(file: string, gpu: GpuModel): Program {
  const settings = {
    computeCapability: capabilityNumber(gpu.computeCapability),
    defines: [],
    includeDirs: [],
    launches: [],
    assume: [],
    argv: [],
    device: devicePropertiesOf(gpu),
  };
  return analyze(file, readFileSync(file, "utf8"), settings, diskFiles);
}
