/** The report of a launch that was run. */
import { estimateTraffic } from "./cache/index.ts";
import { isInGlobal } from "./execute/accesses.ts";
import { globalBase } from "./execute/memory.ts";
import { warpSize } from "./execute/program.ts";
import type { WarpRecord } from "./execute/record.ts";
import type { Executed } from "./executed.ts";
import type { GpuModel } from "./gpus/model.ts";
import type { Assumption } from "./ir/kernel.ts";
import { issuedBy, traceOf } from "./observe/observer.ts";
import { adviseLaunch } from "./occupancy/launch-advice.ts";
import type { LaunchReport, Refusal } from "./report/launch-report.ts";
import { accessReports, branchReports } from "./report/tables.ts";
import { type Tally, tally } from "./report/tally.ts";
import { calibrated } from "./sampling/calibrate.ts";
import { type BlockTrace, estimateTime, type TimedCode, timedCode, timeRange } from "./timing/index.ts";
import type { Work } from "./work.ts";

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

export function describe(run: Executed, gpu: GpuModel, work: Work): LaunchReport {
  const { program, sample, machine, registers, resident } = run;
  const { kernel, launch, environment } = program;
  const blocks = launch.grid[0] * launch.grid[1] * launch.grid[2];
  const counted = tally(program, machine, sample, work);
  const timed = time(run, gpu, counted, work);
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
  if (program.leavesWaits)
    assumptions.push({
      what: "loops that wait for memory",
      value: "one look",
      why: "what another block, the host or another GPU writes is taken to be there",
    });
  const refused = refusal(run, gpu);
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
function time(run: Executed, gpu: GpuModel, counted: Tally, work: Work): Timed {
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
  const { sites: shares, ...traffic } = estimateTraffic(
    {
      gpu,
      l1Bytes: run.l1Bytes,
      grid: launch.grid,
      blocksPerSm: resident.blocksPerSm,
      sites: sites.sites,
      buffers: launch.buffers.map((buffer, index) => ({
        address: (environment.bufferStarts[index] ?? globalBase) - globalBase,
        ...(buffer.bytes === undefined ? {} : { bytes: buffer.bytes }),
        ...(buffer.residence === "host" ? { ofHost: true } : {}),
      })),
      logs: sample.watched.map(({ log }) => log),
      sectors,
    },
    work,
  );
  work.ask(program.blocks.length);
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
      blocks: tracesOf(run, code, counted.instructions.warp, blocks, work),
      totals: {
        warpInstructions: counted.instructions.warp,
        requestedBytes: counted.requestedBytes,
        ...(hottestAtomics === undefined ? {} : { hottestAtomics }),
      },
      traffic: { sites: shares, ...traffic },
    },
    gpu,
    work,
  );
  if (!estimate || kernel.blocks.length === 0) return { traffic };
  const { ns, cycles, boundBy, parts } = estimate;
  const dramGBs = (traffic.dramReadBytes + traffic.dramWriteBytes) / ns;
  return {
    traffic,
    achievedPct: estimate.achievedOccupancyPct,
    time: {
      ns,
      range: timeRange(ns, boundBy),
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
function tracesOf(run: Executed, code: TimedCode, instructions: number, blocks: number, work: Work): BlockTrace[] {
  const { program, sample } = run;
  const { block } = program.launch;
  const warps = Math.ceil((block[0] * block[1] * block[2]) / warpSize);
  const loose = Math.floor(sample.warps.length / warps);
  const issued = (record: WarpRecord): number => {
    work.ask(record.blocks.length / 4);
    return issuedBy(record, program.blocks, code);
  };
  // Warps of a block lie side by side and do about as much as each other.
  const records = sample.warps
    .map((record) => ({ record, instructions: issued(record) }))
    .sort((a, b) => a.instructions - b.instructions)
    .map(({ record }) => record);
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
    warps: records.map((record) => {
      work.ask(record.blocks.length / 4 + record.requests.length / 32);
      return traceOf(record, program.blocks, code);
    }),
    issued: records.reduce((sum, record) => sum + issued(record), 0),
  }));
  const weights = calibrated(traces, instructions / blocks);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return traces.map(({ index, warps: of }, k) => ({ index, warps: of, weight: ((weights[k] ?? 0) * blocks) / sum }));
}
