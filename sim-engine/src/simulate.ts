/** Simulates one launch of a kernel on a GPU model: optimise, execute sampled blocks, count. */

import { blocksToLog, estimateTraffic } from "./cache/index.ts";
import { assumeUnknowns } from "./contents/assume.ts";
import { EarlierContents } from "./contents/earlier.ts";
import { isInGlobal } from "./execute/accesses.ts";
import { compile } from "./execute/compile.ts";
import { launchConstants } from "./execute/constants.ts";
import { globalBase } from "./execute/memory.ts";
import { WrapsAround } from "./execute/patterns.ts";
import { type Program, warpSize } from "./execute/program.ts";
import { BudgetExceeded, Runner } from "./execute/run.ts";
import type { Contents } from "./execute/sources.ts";
import type { GpuModel } from "./gpus/model.ts";
import { cloneKernel } from "./ir/builder.ts";
import type { Assumption, Content, Kernel, Launch } from "./ir/kernel.ts";
import { type MachineKernel, select } from "./machine/index.ts";
import type { AtomicRegions } from "./observe/atomic-regions.ts";
import { issuedBy, numberSites, Observer, type Sites, traceOf } from "./observe/observer.ts";
import { carveoutFor } from "./occupancy/carveout.ts";
import { adviseLaunch } from "./occupancy/launch-advice.ts";
import { type Occupancy, type OccupancyInput, occupancy } from "./occupancy/occupancy.ts";
import { optimise } from "./passes/index.ts";
import type { Basis, LaunchReport } from "./report/launch-report.ts";
import { sourceLoops } from "./report/source-loops.ts";
import { accessReports, branchReports } from "./report/tables.ts";
import { type Tally, tally } from "./report/tally.ts";
import { calibrated } from "./sampling/calibrate.ts";
import { markComparisons } from "./sampling/comparisons.ts";
import { markSkips } from "./sampling/loops.ts";
import { type Sample, Sampler } from "./sampling/sample.ts";
import { blockVariation } from "./sampling/variation.ts";
import { type BlockTrace, estimateTime, type TimedCode, timedCode } from "./timing/index.ts";
import { Work } from "./work.ts";

export interface SimulateOptions {
  /** Registers a thread, when they are known. */
  readonly registers?: { readonly value: number; readonly basis: Basis };
  /** Steps (warp instructions, about) that may be executed in all; a kernel that runs longer is given up. */
  readonly steps?: number;
  /** Operations the optimiser may look at; a kernel that takes more is optimised in part, and the report says so. */
  readonly work?: number;
  /** Asked now and then; true gives up with `Cancelled`. */
  readonly isCancelled?: () => boolean;
  /** Told each buffer whose contents decide addresses or branches. */
  readonly onContent?: (buffer: number) => void;
  /** Milliseconds, for `simulated.ms`. */
  readonly now?: () => number;
}

/** Operations the optimiser may look at for one kernel: some seconds. */
const defaultWork = 3_000_000;
const defaultSteps = 20_000_000;
/** Steps spent on sampling blocks where a few do not tell all. */
const samplingSteps = 300_000;

/**
 * The report of one launch. The kernel is as the front end made it, and is left as it is.
 * Throws an Error with a reason for the user when the launch cannot be simulated, and `Cancelled`.
 */
export function simulate(kernel: Kernel, launch: Launch, gpu: GpuModel, options: SimulateOptions = {}): LaunchReport {
  const now = options.now ?? (() => Date.now());
  const started = now();
  check(launch, gpu);
  const compiled = compiledFor(kernel, Math.round(Number(gpu.computeCapability) * 10), options);
  const contents = new EarlierContents(options.isCancelled);
  const { launch: complete, assumptions, origins, decisive } = assumeUnknowns(compiled.kernel, launch, contents);
  const uneven = [...decisive].some((buffer) => isUneven(complete.buffers[buffer]?.content));
  for (const buffer of decisive) options.onContent?.(buffer);
  const run = executed({ kernel: compiled.kernel, launch: complete, contents, uneven }, compiled.machine, gpu, options);
  const report = describe(run, gpu);
  report.assumptions.push(...(kernel.assumptions ?? []), ...compiled.assumptions, ...assumptions, ...origins);
  report.loops.push(...sourceLoops(kernel, complete, contents, options.isCancelled));
  report.assumptions.push(...contents.assumptions);
  report.simulated.ms = now() - started;
  return report;
}

interface Compiled {
  readonly kernel: Kernel;
  readonly machine: MachineKernel;
  readonly assumptions: readonly Assumption[];
}

/** What was made of kernels, by compute capability and work: launches of one kernel, and changes of what is launched, share it. */
const known = new WeakMap<Kernel, Map<string, Compiled>>();

function compiledFor(kernel: Kernel, computeCapability: number, options: SimulateOptions): Compiled {
  const { isCancelled, work: operations = defaultWork } = options;
  const made = known.get(kernel) ?? new Map<string, Compiled>();
  known.set(kernel, made);
  const key = `${computeCapability} ${operations}`;
  const before = made.get(key);
  if (before) return before;
  const optimised = cloneKernel(kernel);
  const work = new Work(operations, isCancelled);
  optimise(optimised, { work });
  const assumptions = work.isOver ? [unfinished(kernel)] : [];
  const compiled = { kernel: optimised, machine: select(optimised, computeCapability, work), assumptions };
  made.set(key, compiled);
  return compiled;
}

function unfinished({ blocks }: Kernel): Assumption {
  const operations = blocks.reduce((sum, { ops }) => sum + ops.length, 0);
  return {
    what: "optimisation",
    value: "in part",
    why: `the kernel is very long (${operations} operations): not all that the compiler does was done, so its counts may be too high`,
  };
}

function check({ grid, block }: Launch, { name, values }: GpuModel): void {
  const threads = block[0] * block[1] * block[2];
  if (![...grid, ...block].every((length) => Number.isInteger(length) && length > 0)) {
    throw new Error(`a grid of (${grid.join(", ")}) blocks of (${block.join(", ")}) threads cannot be launched`);
  }
  if (threads > values.maxThreadsPerBlock)
    throw new Error(`${threads} threads a block are more than the ${name} runs (${values.maxThreadsPerBlock})`);
}

/** A launch that was executed as far as needed. */
interface Executed {
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
interface Prepared {
  readonly kernel: Kernel;
  readonly launch: Launch;
  readonly contents: Contents;
  /** Contents that decide something differ from one part of them to the next. */
  readonly uneven: boolean;
}

/** Drawn at random, a content is alike all over. */
const isUneven = (content: Content | undefined): boolean => content !== undefined && /^(written|parts|values)$/.test(content.kind);

function executed(
  { kernel, launch, contents, uneven }: Prepared,
  machine: MachineKernel,
  gpu: GpuModel,
  options: SimulateOptions,
): Executed {
  try {
    return execute(compile(kernel, launch, { contents }), uneven, machine, gpu, options);
  } catch (error) {
    if (error instanceof WrapsAround) return execute(compile(kernel, launch, { contents, allLanes: true }), uneven, machine, gpu, options);
    throw error;
  }
}

function execute(program: Program, uneven: boolean, machine: MachineKernel, gpu: GpuModel, options: SimulateOptions): Executed {
  const { launch, environment } = program;
  const registers = options.registers ?? {
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
  const estimated = markSkips(subject);
  const most = options.steps ?? defaultSteps;
  const budget = { steps: most, ...(options.isCancelled ? { isCancelled: options.isCancelled } : {}) };
  const variations = [blockVariation(subject, "x"), blockVariation(subject, "y"), blockVariation(subject, "z")] as const;
  markComparisons(program, variations);
  const runner = new Runner(program, budget);
  const sites = numberSites(program, new Set(variations.flatMap((each) => [...each.irregularAddresses])));
  const observer = new Observer(runner, sites);
  const watch = blocksToLog(launch.grid, Math.max(1, resident.blocksPerSm), gpu.values.smCount);
  const sampler = new Sampler(runner, () => budget.steps, { variations, steps: samplingSteps, observer, watch, uneven });
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
      steps: most - budget.steps,
      exactLoops: estimated.length === 0,
      divergentBarriers: runner.divergentBarriers > 0,
    };
  } catch (error) {
    if (error instanceof BudgetExceeded)
      throw new Error(`gave up after ${most} steps: the kernel may never end, or waits for another block`);
    throw error;
  }
}

function describe(run: Executed, gpu: GpuModel): LaunchReport {
  const { program, sample, machine, registers, resident } = run;
  const { kernel, launch, environment } = program;
  const blocks = launch.grid[0] * launch.grid[1] * launch.grid[2];
  const counted = tally(program, machine, sample);
  const timed = time(run, gpu, counted);
  const reached = {
    theoreticalPct: resident.occupancyPct,
    ...(timed.achievedPct === undefined ? {} : { achievedPct: timed.achievedPct }),
    blocksPerSm: resident.blocksPerSm,
    activeWarpsPerSm: resident.activeWarpsPerSm,
    limiters: [...resident.limiters],
    wavesPerSm: resident.blocksPerSm === 0 ? 0 : blocks / (resident.blocksPerSm * gpu.values.smCount),
  };
  const known = { ...(timed.time ? { time: timed.time } : {}), occupancy: reached };
  const assumptions: Assumption[] = [];
  if (run.divergentBarriers)
    assumptions.push({
      what: "__syncthreads",
      value: "divergent",
      why: "a barrier was reached by part of a warp; the lanes were not made to wait for the rest",
    });
  if (program.leavesWaits)
    assumptions.push({
      what: "loops that wait for memory",
      value: "one look",
      why: "what another block, the host or another GPU writes is taken to be there",
    });
  return {
    kernel: kernel.name,
    templateArguments: [...kernel.templateArguments],
    grid: launch.grid,
    block: launch.block,
    dynamicSharedBytes: launch.dynamicSharedBytes,
    resources: {
      registersPerThread: registers,
      staticSharedBytes: environment.staticSharedBytes,
      localBytesPerThread: machine.localBytesPerThread,
    },
    occupancy: { ...reached, advice: adviseLaunch(gpu.values, run.use, known, registers.interval) },
    traffic: { ...counted.traffic, ...timed.traffic },
    shared: counted.shared,
    instructions: counted.instructions,
    ...(timed.time ? { time: timed.time } : {}),
    lines: counted.lines.own,
    otherLines: counted.lines.others,
    accesses: accessReports(program, sample),
    branches: branchReports(program, sample),
    loops: [],
    assumptions,
    simulated: {
      blocks: sample.blocks.length || sample.watched.length,
      of: blocks,
      ms: 0,
      warpInstructions: run.steps,
      exact: sample.exact && run.exactLoops,
    },
  };
}

interface Timed {
  readonly traffic: Partial<LaunchReport["traffic"]>;
  readonly time?: NonNullable<LaunchReport["time"]>;
  readonly achievedPct?: number;
}

/** Where sectors are served, and how long it all takes. Nothing of a launch that does not fit on an SM. */
function time(run: Executed, gpu: GpuModel, counted: Tally): Timed {
  const { program, sample, sites, resident } = run;
  const { launch, environment, kernel } = program;
  if (resident.blocksPerSm === 0) return { traffic: {} };
  const blocks = launch.grid[0] * launch.grid[1] * launch.grid[2];
  const sectors = new Float64Array(sites.sites.length);
  for (const [op, number] of sites.numbers) {
    const [counter] = program.counters.get(op) ?? [];
    if (counter && (isInGlobal(counter.space) || counter.space === "local"))
      sectors[number] = sample.counts.access(sample.totals, counter).transactions;
  }
  const { sites: shares, ...traffic } = estimateTraffic({
    gpu,
    l1Bytes: run.l1Bytes,
    grid: launch.grid,
    blocksPerSm: resident.blocksPerSm,
    sites: sites.sites,
    buffers: launch.buffers.map((buffer, index) => ({
      address: (environment.bufferStarts[index] ?? globalBase) - globalBase,
      ...(buffer.bytes === undefined ? {} : { bytes: buffer.bytes }),
    })),
    logs: sample.watched.map(({ log }) => log),
    sectors,
  });
  const code = timedCode(run.machine, sites.numbers);
  const hottestAtomics = run.atomics.hottest(counted.atomicSectors, blocks);
  const estimate = estimateTime(
    {
      grid: launch.grid,
      block: launch.block,
      blocksPerSm: resident.blocksPerSm,
      code: code.code,
      registers: code.registers,
      sites: sites.sites,
      blocks: tracesOf(run, code, counted.instructions.warp, blocks),
      totals: {
        warpInstructions: counted.instructions.warp,
        requestedBytes: counted.requestedBytes,
        ...(hottestAtomics === undefined ? {} : { hottestAtomics }),
      },
      traffic: { sites: shares, ...traffic },
    },
    gpu,
  );
  if (!estimate || kernel.blocks.length === 0) return { traffic };
  const { ns, cycles, boundBy, parts } = estimate;
  const dramGBs = (traffic.dramReadBytes + traffic.dramWriteBytes) / ns;
  return {
    traffic,
    achievedPct: estimate.achievedOccupancyPct,
    time: {
      ns,
      cycles,
      boundBy,
      dramGBs,
      dramPctOfPeak: (100 * dramGBs) / gpu.values.dramBandwidth,
      requestedGBs: counted.requestedBytes / ns,
      parts: [...parts],
    },
  };
}

/**
 * Observed blocks that stand for the grid, with weights that sum to it; warps that were watched each by itself make up blocks. Where
 * they are part of a larger sample, weights are calibrated so that they issue as many instructions in all as the whole sample says.
 */
function tracesOf(run: Executed, code: TimedCode, instructions: number, blocks: number): BlockTrace[] {
  const { program, sample } = run;
  const { block } = program.launch;
  const warps = Math.ceil((block[0] * block[1] * block[2]) / warpSize);
  const loose = Math.floor(sample.warps.length / warps);
  // Warps of a block lie side by side and do about as much as each other.
  const records = sample.warps.toSorted((a, b) => issuedBy(a, program.blocks, code) - issuedBy(b, program.blocks, code));
  const chosen = [
    ...sample.blocks.flatMap(({ index, weight, observed }) => (observed ? [{ index, weight, records: observed.records }] : [])),
    ...Array.from({ length: loose }, (_, k) => ({
      index: blocks,
      weight: sample.warpBlocks / loose,
      records: records.slice(k * warps, (k + 1) * warps),
    })),
  ];
  if (chosen.length === 0) chosen.push(...sample.watched.map(({ log, records }) => ({ index: log.block, weight: 1, records })));
  const traces = chosen.map(({ index, weight, records }) => ({
    index,
    weight,
    warps: records.map((record) => traceOf(record, program.blocks, code)),
    issued: records.reduce((sum, record) => sum + issuedBy(record, program.blocks, code), 0),
  }));
  const weights = calibrated(traces, instructions / blocks);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return traces.map(({ index, warps: of }, k) => ({ index, warps: of, weight: ((weights[k] ?? 0) * blocks) / sum }));
}
