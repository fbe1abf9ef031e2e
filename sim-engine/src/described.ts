/** The report of a launch that was run. */

import { arithmeticOf } from "./arithmetic.ts";
import { warpSize } from "./execute/program.ts";
import { mostSought } from "./execute/searches.ts";
import type { Executed } from "./executed.ts";
import type { GpuModel } from "./gpus/model.ts";
import type { Assumption, Dim3 } from "./ir/kernel.ts";
import { adviseLaunch, type OccupancyAdviceReport } from "./occupancy/launch-advice.ts";
import type { LaunchReport, Refusal } from "./report/launch-report.ts";
import { addTimes, waitsFor } from "./report/spent.ts";
import { accessReports, branchReports } from "./report/tables.ts";
import { tally } from "./report/tally.ts";
import { TimedRun } from "./timed.ts";
import type { Work } from "./work.ts";
import { AssumedInputs } from "./worth/assumed.ts";
import { costsOf, type Room } from "./worth/costs.ts";
import { otherLaunch } from "./worth/other-launches.ts";
import type { Without } from "./worth/without.ts";

/** Why a launch that was simulated would not start. */
function refusal({ use, registers, resident, program }: Executed, { values }: GpuModel): Refusal | undefined {
  const shared = use.staticShared + use.dynamicShared;
  if (shared > values.sharedPerBlockOptIn) return { of: "shared", needs: shared, allowed: values.sharedPerBlockOptIn };
  if (resident.blocksPerSm === 0 && registers.basis !== "estimated" && resident.limiters.includes("registers"))
    return { of: "registers", needs: registers.value * use.blockSize, allowed: values.registersPerBlock };
  const [x, y, z] = program.launch.cluster ?? [1, 1, 1];
  if (values.maxBlocksPerCluster !== undefined && x * y * z > values.maxBlocksPerCluster)
    return { of: "cluster", needs: x * y * z, allowed: values.maxBlocksPerCluster };
  if (use.dynamicShared > 0 && shared > values.sharedPerBlock) return { of: "opt-in", needs: shared, allowed: values.sharedPerBlock };
  return undefined;
}

/** What else is asked of a launch than what it did. */
export interface Questions {
  /** Buffers of which nobody says what they hold. */
  readonly madeUp: ReadonlySet<number>;
  /** Whether what it could do without is asked. */
  readonly asksCosts: boolean;
  /** Nanoseconds of the kernel launched otherwise; undefined where it cannot be run. */
  relaunched(grid: Dim3, block: Dim3): number | undefined;
  /** The same launch with other values in the place of those that are assumed; undefined where it cannot be run. */
  otherwise(): Executed | undefined;
}

/** Times without some cost that a launch is asked for: each takes as long as the time of the launch itself. */
const mostAsked = 16;

/** Shares of the registers, and of a block's shared memory, that a kernel may well do without. */
const spareRegisters = 1 / 5;
const spareShared = 1 / 2;

/** The nearest changes to registers and shared memory that would let more blocks on an SM, where that may help. */
function roomFor({ nextStep, gains }: OccupancyAdviceReport, registers: number): Room[] {
  if (nextStep === undefined) return [];
  return gains.flatMap(({ resource, value, change, words, blocksPerSm }) => {
    if (resource === "block" || change >= 0) return [];
    const spare = resource === "registers" ? spareRegisters * registers : spareShared * (value - change);
    return -change <= spare ? [{ resource, words, blocksPerSm }] : [];
  });
}

export function describe(run: Executed, gpu: GpuModel, work: Work, { madeUp, asksCosts, otherwise, relaunched }: Questions): LaunchReport {
  const { program, sample, machine, registers, resident } = run;
  const { kernel, launch, environment } = program;
  const blocks = launch.grid[0] * launch.grid[1] * launch.grid[2];
  const counted = tally(program, machine, sample, work);
  const runTimed = new TimedRun(run, gpu, counted, work);
  const timed = runTimed.asItIs();
  if (timed.spent) addTimes(counted.lines, timed.spent);
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
  if (run.estimatesLoops)
    assumptions.push({
      what: "long loops",
      value: "estimated",
      why: "to run all their turns takes too long: a few, spread over them, stand for the rest",
    });
  const left = program.blocks.flatMap(({ search }) => (search?.isLeft ? [search] : []));
  if (left.some(({ isEndless }) => isEndless))
    assumptions.push({
      what: "loops that did not end",
      value: `${mostSought} turns at most`,
      why: "they turn until what they read is as they want it, which did not come about: another block or the host may have to write it",
    });
  if (left.some(({ isEndless }) => !isEndless))
    assumptions.push({
      what: "loops that data ends",
      value: `${mostSought} turns at most`,
      why: "what they look for may not be in what they read, which is made up",
    });
  const tries = Math.round(Math.max(1, ...sample.again.values()));
  if (tries > 1)
    assumptions.push({
      what: "loops of compare-and-swap",
      value: `${tries} tries where one was run`,
      why: "blocks are executed one after the other: how often threads try again follows from how many want the same words at one time",
    });
  if (program.leavesWaits)
    assumptions.push({
      what: "loops that wait for memory",
      value: "one look",
      why: "what another block, the host or another GPU writes is taken to be there",
    });
  const refused = refusal(run, gpu);
  const assumed = new AssumedInputs(program, madeUp, work);
  let asked = 0;
  const without = (what: Without): number | undefined => (asked++ < mostAsked ? runTimed.without(what) : undefined);
  const advice = adviseLaunch(gpu.values, run.use, known, registers.interval);
  const other = asksCosts && timed.time && timed.time.boundBy !== "launch-overhead" ? otherLaunch(program, gpu.values) : undefined;
  const otherNs = other && relaunched(other.grid, other.block);
  const costs =
    asksCosts &&
    timed.time &&
    costsOf({
      program,
      sample,
      computeCapability: machine.computeCapability,
      ns: timed.time.ns,
      boundBy: timed.time.boundBy,
      warpCycles: timed.time.cycles * gpu.values.smCount * (((timed.achievedPct ?? 100) / 100) * (gpu.values.maxThreadsPerSm / warpSize)),
      without,
      otherwise,
      other: other && otherNs !== undefined ? { ...other, ns: otherNs } : undefined,
      room: roomFor(advice, registers.value),
      blocksAtOnce: resident.blocksPerSm * gpu.values.smCount,
      assumed,
      work,
    });
  const names = assumed.names();
  const arithmetic = arithmeticOf(run, gpu, work);
  return {
    ...(refused ? { refused } : {}),
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
    occupancy: { ...reached, advice },
    traffic: { ...counted.traffic, ...timed.traffic },
    shared: counted.shared,
    instructions: {
      warp: counted.instructions.warp + counted.called.warp,
      thread: counted.instructions.thread + counted.called.thread,
    },
    ...(arithmetic.length > 0 ? { arithmetic } : {}),
    ...(timed.time ? { time: timed.time } : {}),
    lines: counted.lines.own,
    otherLines: counted.lines.others,
    accesses: accessReports(program, sample, timed.spent && waitsFor(timed.spent)),
    branches: branchReports(program, sample),
    loops: [],
    ...(costs ? { costs } : {}),
    ...(names.length > 0 ? { assumed: names } : {}),
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
