/** Runs as much of a launch as tells the rest. */
import { blocksToLog } from "./cache/index.ts";
import { compile } from "./execute/compile.ts";
import { launchConstants } from "./execute/constants.ts";
import { WrapsAround } from "./execute/patterns.ts";
import type { Program } from "./execute/program.ts";
import { BudgetExceeded, Runner } from "./execute/run.ts";
import type { Contents } from "./execute/sources.ts";
import type { GpuModel } from "./gpus/model.ts";
import type { Kernel, Launch } from "./ir/kernel.ts";
import type { MachineKernel } from "./machine/index.ts";
import type { AtomicRegions } from "./observe/atomic-regions.ts";
import { numberSites, Observer, type Sites } from "./observe/observer.ts";
import { carveoutFor } from "./occupancy/carveout.ts";
import { type Occupancy, type OccupancyInput, occupancy } from "./occupancy/occupancy.ts";
import type { Basis, LaunchReport } from "./report/launch-report.ts";
import { markComparisons } from "./sampling/comparisons.ts";
import { markSkips } from "./sampling/loops.ts";
import { type Sample, Sampler } from "./sampling/sample.ts";
import { blockVariation } from "./sampling/variation.ts";
import type { Work } from "./work.ts";

/** A launch that was executed as far as needed. */
export interface Executed {
  readonly program: Program;
  readonly machine: MachineKernel;
  readonly registers: LaunchReport["resources"]["registersPerThread"];
  readonly use: OccupancyInput;
  readonly resident: Occupancy;
  readonly l1Bytes: number;
  readonly sample: Sample;
  readonly sites: Sites;
  readonly atomics: AtomicRegions;
  readonly steps: number;
  /** No loop's counts were estimated. */
  readonly exactLoops: boolean;
  /** A barrier was reached by part of a warp. */
  readonly divergentBarriers: boolean;
}

/** A launch of which all is known that is to be. */
export interface Prepared {
  readonly kernel: Kernel;
  readonly launch: Launch;
  readonly contents: Contents;
  /** Contents that decide something differ from one part of them to the next. */
  readonly uneven: boolean;
}

/** Steps that may be executed in all: a kernel that runs longer is given up. */
const runningSteps = 20_000_000;
/** Steps spent on sampling blocks where a few do not tell all. */
const samplingSteps = 300_000;

type KnownRegisters = { readonly value: number; readonly basis: Basis } | undefined;

/** Throws `Cancelled`, and an Error with a reason where the launch cannot be run. */
export function executed(prepared: Prepared, machine: MachineKernel, gpu: GpuModel, registers: KnownRegisters, work: Work): Executed {
  const { kernel, launch, contents, uneven } = prepared;
  const run = (allLanes: boolean): Executed =>
    execute(
      compile(kernel, launch, { contents, allLanes, work, gpu: gpu.values }),
      uneven,
      machine,
      gpu,
      registers,
      work.share(runningSteps),
    );
  try {
    return run(false);
  } catch (error) {
    if (error instanceof WrapsAround) return run(true);
    throw error;
  }
}

function execute(program: Program, uneven: boolean, machine: MachineKernel, gpu: GpuModel, known: KnownRegisters, work: Work): Executed {
  const { launch, environment } = program;
  const registers = known ?? {
    value: machine.registers.value,
    basis: "estimated" as const,
    interval: [machine.registers.low, machine.registers.high] as const,
  };
  const use: OccupancyInput = {
    registers: registers.value,
    staticShared: environment.staticSharedBytes,
    dynamicShared: launch.dynamicSharedBytes,
    blockSize: launch.block[0] * launch.block[1] * launch.block[2],
  };
  const resident = occupancy(gpu.values, use);

  const subject = { program, constantOf: launchConstants(environment) };
  const estimated = markSkips(subject, work);
  const variations = [blockVariation(subject, "x", work), blockVariation(subject, "y", work), blockVariation(subject, "z", work)] as const;
  markComparisons(program, variations);
  const runner = new Runner(program, work);
  const sites = numberSites(program, new Set(variations.flatMap((each) => [...each.irregularAddresses])));
  const observer = new Observer(runner, sites, gpu.values);
  const watch = blocksToLog(launch.grid, Math.max(1, resident.blocksPerSm), gpu.values.smCount);
  const sampler = new Sampler(runner, { variations, steps: samplingSteps, observer, watch, uneven });
  try {
    const sample = sampler.sample();
    return {
      program,
      machine,
      registers,
      use,
      resident,
      l1Bytes: carveoutFor(gpu.values, use, resident).l1Bytes,
      sample,
      sites,
      atomics: observer.atomics,
      steps: work.spent,
      exactLoops: estimated.length === 0,
      divergentBarriers: runner.divergentBarriers > 0,
    };
  } catch (error) {
    if (error instanceof BudgetExceeded)
      throw new Error(`gave up after ${Math.min(runningSteps, work.spent)} steps: the kernel may never end, or waits for another block`);
    throw error;
  }
}
