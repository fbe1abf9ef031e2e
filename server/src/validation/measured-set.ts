/** Simulates the programs of a measured set, from their text, and compares. The set's folder holds `kernels` and `truth`. */
import { readFileSync } from "node:fs";
import path from "node:path";
import type { GpuModel } from "@warplens/sim-engine";
import { analyze } from "../analysis/analyze.ts";
import { diskFiles } from "../files.ts";
import { capabilityNumber, devicePropertiesOf } from "../simulate/device-properties.ts";
import { simulateProgram } from "../simulate.ts";
import { compareLaunch, type LaunchComparison, type MeasuredLaunch, signatureName, takeMatch } from "./compare.ts";

export interface ComparedSet {
  readonly launches: number;
  readonly comparisons: readonly LaunchComparison[];
  /** Measured launches without a simulated one: `file.cu: kernel: reason`. */
  readonly missing: readonly string[];
}

/** Needs the grammar loaded. Throws where the folder does not hold a set. */
export function compareSet(folder: string, gpu: GpuModel): ComparedSet {
  const { launches } = JSON.parse(readFileSync(path.join(folder, "truth/launches.json"), "utf8")) as {
    readonly launches: readonly MeasuredLaunch[];
  };
  const comparisons: LaunchComparison[] = [];
  const missing: string[] = [];
  for (const file of new Set(launches.map((launch) => launch.file))) {
    const simulation = simulateFile(path.join(folder, "kernels", file), gpu);
    const reports = new Set(simulation.launches.map(({ report }) => report));
    for (const measured of launches.filter((launch) => launch.file === file)) {
      const report = takeMatch(measured, reports);
      if (report !== undefined) comparisons.push(compareLaunch(measured, report));
      else {
        const name = signatureName(measured.kernel);
        const reason = simulation.notSimulated.find(({ kernel }) => kernel === name.split("<")[0])?.reason ?? "no such launch was found";
        missing.push(`${file}: ${name}: ${reason}`);
      }
    }
  }
  return { launches: launches.length, comparisons, missing };
}

function simulateFile(file: string, gpu: GpuModel) {
  const settings = {
    computeCapability: capabilityNumber(gpu.computeCapability),
    defines: [],
    includeDirs: [],
    launches: [],
    assume: [],
    argv: [],
    device: devicePropertiesOf(gpu),
  };
  return simulateProgram(analyze(file, readFileSync(file, "utf8"), settings, diskFiles), gpu);
}
