/** Simulates one launch of a kernel on a GPU model: optimise, execute sampled blocks, count. */
import { cloneKernel } from "./builder.ts";
import { compile, type Program } from "./execute/compile.ts";
import { launchConstants } from "./execute/constants.ts";
import { WrapsAround } from "./execute/patterns.ts";
import { BudgetExceeded, Runner } from "./execute/run.ts";
import type { GpuModel } from "./gpus/model.ts";
import type { Kernel, Launch } from "./kernel.ts";
import { select } from "./machine/index.ts";
import { occupancy } from "./occupancy/occupancy.ts";
import { optimise } from "./passes/index.ts";
import { LineTable } from "./report/lines.ts";
import { accessReports, branchReports, loopReports } from "./report/tables.ts";
import type { Assumption, Basis, LaunchReport } from "./report.ts";
import { completeLaunch } from "./sampling/assume.ts";
import { markSkips } from "./sampling/loops.ts";
import { type Sample, Sampler } from "./sampling/sample.ts";
import { blockVariation } from "./sampling/variation.ts";

export interface SimulateOptions {
  /** Registers a thread, when they are known. */
  readonly registers?: { readonly value: number; readonly basis: Basis };
  /** Steps (warp instructions, about) that may be executed in all; a kernel that runs longer is given up. */
  readonly steps?: number;
  /** Asked now and then; true gives up with `Cancelled`. */
  readonly isCancelled?: () => boolean;
  /** Milliseconds, for `simulated.ms`. */
  readonly now?: () => number;
}

const defaultSteps = 20_000_000;
/** Steps spent on sampling blocks where a few do not tell all. */
const samplingSteps = 1_000_000;

/**
 * The report of one launch. The kernel is as the front end made it, and is left as it is.
 * Throws an Error with a reason for the user when the launch cannot be simulated, and `Cancelled`.
 */
export function simulate(kernel: Kernel, launch: Launch, gpu: GpuModel, options: SimulateOptions = {}): LaunchReport {
  const now = options.now ?? (() => Date.now());
  const started = now();
  check(launch, gpu);
  const optimised = cloneKernel(kernel);
  optimise(optimised);
  const { launch: complete, assumptions } = completeLaunch(optimised, launch);
  const { program, ...sample } = executed(optimised, complete, options);
  const report = describe(program, sample.sample, gpu, options, [...assumptions, ...sample.assumptions]);
  report.simulated = {
    blocks: sample.sample.blocks.length,
    of: launch.grid[0] * launch.grid[1] * launch.grid[2],
    ms: now() - started,
    warpInstructions: sample.steps,
    exact: sample.sample.exact && sample.exactLoops,
  };
  return report;
}

function check({ grid, block }: Launch, { name, values }: GpuModel): void {
  const threads = block[0] * block[1] * block[2];
  if (![...grid, ...block].every((length) => Number.isInteger(length) && length > 0)) {
    throw new Error(`a grid of (${grid.join(", ")}) blocks of (${block.join(", ")}) threads cannot be launched`);
  }
  if (threads > values.maxThreadsPerBlock)
    throw new Error(`${threads} threads a block are more than the ${name} runs (${values.maxThreadsPerBlock})`);
}

interface Executed {
  readonly program: Program;
  readonly sample: Sample;
  readonly steps: number;
  /** No loop's counts were estimated. */
  readonly exactLoops: boolean;
  readonly assumptions: readonly Assumption[];
}

function executed(kernel: Kernel, launch: Launch, options: SimulateOptions): Executed {
  try {
    return execute(compile(kernel, launch), options);
  } catch (error) {
    if (error instanceof WrapsAround) return execute(compile(kernel, launch, { allLanes: true }), options);
    throw error;
  }
}

function execute(program: Program, options: SimulateOptions): Executed {
  const subject = { program, constantOf: launchConstants(program.environment) };
  const estimated = markSkips(subject);
  const most = options.steps ?? defaultSteps;
  const budget = { steps: most, ...(options.isCancelled ? { isCancelled: options.isCancelled } : {}) };
  const runner = new Runner(program, budget);
  const variations = [blockVariation(subject, "x"), blockVariation(subject, "y"), blockVariation(subject, "z")] as const;
  const sampler = new Sampler(runner, () => budget.steps, { variations, steps: samplingSteps });
  try {
    const sample = sampler.sample();
    const divergent: Assumption[] =
      runner.divergentBarriers > 0
        ? [
            {
              what: "__syncthreads",
              value: "divergent",
              why: "a barrier was reached by part of a warp; the lanes were not made to wait for the rest",
            },
          ]
        : [];
    return { program, sample, steps: most - budget.steps, exactLoops: estimated.length === 0, assumptions: divergent };
  } catch (error) {
    if (error instanceof BudgetExceeded)
      throw new Error(`gave up after ${most} steps: the kernel may never end, or waits for another block`);
    throw error;
  }
}

function describe(
  program: Program,
  sample: Sample,
  gpu: GpuModel,
  options: SimulateOptions,
  assumptions: readonly Assumption[],
): LaunchReport {
  const { kernel, launch, environment } = program;
  const { totals, counts } = sample;
  const lines = new LineTable(kernel);
  const instructions = { warp: 0, thread: 0 };
  const machine = select(kernel, Math.round(Number(gpu.computeCapability) * 10));
  for (const compiled of program.blocks) {
    const { executions, lanes, divergent } = counts.flow(totals, compiled);
    for (const { span } of machine.blocks.get(compiled.block)?.instructions ?? []) {
      instructions.warp += executions;
      instructions.thread += lanes;
      lines.add(span, { instructions: Math.round(executions), threadInstructions: Math.round(lanes) });
    }
    const { end } = compiled.block;
    if (end.kind === "branch" && divergent > 0) lines.add(end.span, { divergentBranches: Math.round(divergent) });
  }
  const traffic = { globalLoadRequests: 0, globalLoadSectors: 0, globalStoreRequests: 0, globalStoreSectors: 0 };
  const shared = { loadInstructions: 0, storeInstructions: 0, loadWavefronts: 0, storeWavefronts: 0 };
  for (const counter of counts.counters) {
    const found = counts.access(totals, counter);
    const [requests, transactions, ideal] = [Math.round(found.requests), Math.round(found.transactions), Math.round(found.ideal)];
    if (requests === 0) continue;
    const { space, operation, op } = counter;
    if (space === "global") {
      lines.add(op.span, { globalRequests: requests, globalSectors: transactions, globalSectorsIdeal: ideal });
      if (operation === "load" || operation === "copy") {
        traffic.globalLoadRequests += requests;
        traffic.globalLoadSectors += transactions;
      } else if (operation === "store") {
        traffic.globalStoreRequests += requests;
        traffic.globalStoreSectors += transactions;
      }
    } else if (space === "shared") {
      lines.add(op.span, { sharedWavefronts: transactions, sharedWavefrontsIdeal: ideal });
      if (operation === "load") {
        shared.loadInstructions += requests;
        shared.loadWavefronts += transactions;
      } else if (operation !== "atomic") {
        shared.storeInstructions += requests;
        shared.storeWavefronts += transactions;
      }
    }
  }
  const threads = launch.block[0] * launch.block[1] * launch.block[2];
  const registers = options.registers ?? {
    value: machine.registers.value,
    basis: "estimated" as const,
    interval: [machine.registers.low, machine.registers.high] as const,
  };
  const resident = occupancy(gpu.values, {
    registers: registers.value,
    staticShared: environment.staticSharedBytes,
    dynamicShared: launch.dynamicSharedBytes,
    blockSize: threads,
  });
  const blocks = launch.grid[0] * launch.grid[1] * launch.grid[2];
  return {
    kernel: kernel.name,
    templateArguments: [...kernel.templateArguments],
    grid: launch.grid,
    block: launch.block,
    dynamicSharedBytes: launch.dynamicSharedBytes,
    resources: {
      registersPerThread: registers,
      staticSharedBytes: environment.staticSharedBytes,
      localBytesPerThread: environment.frameBytes,
    },
    occupancy: {
      theoreticalPct: resident.occupancyPct,
      blocksPerSm: resident.blocksPerSm,
      activeWarpsPerSm: resident.activeWarpsPerSm,
      limiters: [...resident.limiters],
      wavesPerSm: resident.blocksPerSm === 0 ? 0 : blocks / (resident.blocksPerSm * gpu.values.smCount),
    },
    traffic,
    shared,
    instructions: { warp: Math.round(instructions.warp), thread: Math.round(instructions.thread) },
    lines: lines.own,
    otherLines: lines.others,
    accesses: accessReports(program, sample),
    branches: branchReports(program, sample),
    loops: loopReports(program, sample),
    assumptions: [...assumptions],
    simulated: { blocks: 0, of: blocks, ms: 0, warpInstructions: 0, exact: false },
  };
}
