/** The time of a launch that was run: as it is, or without some of what it does. */
import { estimateTraffic, Footprints, mayDrift, type TrafficEstimate, type TrafficInput } from "./cache/index.ts";
import { type AccessCounter, isOfLanes } from "./execute/accesses.ts";
import { globalBase } from "./execute/memory.ts";
import { warpSize } from "./execute/program.ts";
import type { WarpRecord } from "./execute/record.ts";
import { type Executed, sectorsBySite } from "./executed.ts";
import type { GpuModel } from "./gpus/model.ts";
import type { MachineKernel } from "./machine/index.ts";
import { issuedBy, tracesOf } from "./observe/observer.ts";
import type { LaunchReport } from "./report/launch-report.ts";
import type { Spent } from "./report/spent.ts";
import { type Tally, tally } from "./report/tally.ts";
import { calibrated } from "./sampling/calibrate.ts";
import type { Sample, SampledBlock } from "./sampling/sample.ts";
import { type BlockTrace, estimateTime, type TimedCode, type TimeEstimate, timedCode, timeRange, type WarpTrace } from "./timing/index.ts";
import type { Work } from "./work.ts";
import { recompiled } from "./worth/recompiled.ts";
import { Rest, type Without } from "./worth/without.ts";

export interface Timed {
  readonly traffic: Partial<LaunchReport["traffic"]>;
  readonly time?: NonNullable<LaunchReport["time"]>;
  readonly achievedPct?: number;
  readonly spent?: Spent;
}

/** What the time of a launch follows from, whatever it is imagined without: where its sectors are served. */
interface Served {
  readonly sectors: Float64Array;
  readonly traffic: TrafficEstimate;
}

/** Of the resources that a launch keeps busy, those that bring memory, or begin blocks. */
const isOfMemory = /^(dram|l2|l1|host|block-launch)/;

/** A launch that was run, as often as its time is asked for. Nothing is run again. */
export class TimedRun {
  readonly #run: Executed;
  readonly #gpu: GpuModel;
  readonly #counted: Tally;
  readonly #work: Work;
  #served: Served | undefined;

  constructor(run: Executed, gpu: GpuModel, counted: Tally, work: Work) {
    this.#run = run;
    this.#gpu = gpu;
    this.#counted = counted;
    this.#work = work;
  }

  /** Where sectors are served, and how long it all takes. Nothing of a launch that does not fit on an SM. */
  asItIs(): Timed {
    if (this.#run.resident.blocksPerSm === 0) return { traffic: {} };
    const { values } = this.#gpu;
    const { sites: _, ...traffic } = this.#serve().traffic;
    const estimate = this.#estimate();
    if (!estimate) return { traffic };
    const { requestedBytes } = this.#counted;
    const { stalls: shares, instructions, ns, cycles, boundBy, parts } = estimate;
    const dramGBs = (traffic.dramReadBytes + traffic.dramWriteBytes) / ns;
    return {
      traffic,
      achievedPct: estimate.achievedOccupancyPct,
      spent: { instructions, shares },
      time: {
        ns,
        range: timeRange(ns, boundBy),
        cycles,
        boundBy,
        dramGBs,
        dramPctOfPeak: (100 * dramGBs) / values.dramBandwidth,
        requestedGBs: requestedBytes / ns,
        parts: [...parts],
      },
    };
  }

  /** Nanoseconds that it would take without some of its cost; undefined where its time is not known. */
  without(without: Without): number | undefined {
    if (this.#run.resident.blocksPerSm === 0) return undefined;
    const ns = this.#estimate(without)?.ns;
    // Fewer threads that do as much to each element: what computes is as busy as now.
    if (ns !== undefined && without.narrow)
      return Math.max(ns, ...(this.#estimate()?.parts ?? []).map((part) => (isOfMemory.test(part.name) ? 0 : part.ns)));
    if (ns === undefined || !without.lastWave) return ns;
    const [x, y, z] = this.#run.program.launch.grid;
    return (ns * x * y * z) / without.lastWave.fullBlocks;
  }

  #serve(): Served {
    if (this.#served) return this.#served;
    const input = trafficInput(this.#run, this.#gpu);
    const { sectors } = input;
    const footprints = new Footprints(input.sites.length);
    this.#served = { sectors, traffic: estimateTraffic(input, this.#work, footprints) };
    // How far warps drift apart follows from how busy the memory is while they do not.
    const ns = mayDrift(input, this.#work) ? this.#estimate()?.ns : undefined;
    if (ns !== undefined) {
      const { dramReadBytes, dramWriteBytes } = this.#served.traffic;
      const busy = (dramReadBytes + dramWriteBytes) / ns / this.#gpu.values.dramBandwidth;
      this.#served = { sectors, traffic: estimateTraffic({ ...input, busy }, this.#work, footprints) };
    }
    return this.#served;
  }

  #estimate(without?: Without): (TimeEstimate & Pick<TimedCode, "instructions">) | undefined {
    const [run, gpu, counted, work] = [this.#run, this.#gpu, this.#counted, this.#work];
    const { program, sample, sites, resident } = run;
    const { launch, kernel } = program;
    if (kernel.blocks.length === 0) return undefined;
    const { sectors, traffic } = this.#serve();
    // What one block does now: more of them where each thread takes several elements, a share of one where a warp takes a thread's.
    const elements = (without?.narrow?.elements ?? 1) / (without?.shared ? warpSize : 1);
    const blocks = Math.ceil((launch.grid[0] * launch.grid[1] * launch.grid[2]) / elements);
    work.ask(program.blocks.length);
    const machine = without ? recompiled(run.machine, without, work) : run.machine;
    const rest = without && new Rest(without, lanesOf(run), (counter) => sample.counts.access(sample.totals, counter), blocks);
    const code = timedCode(machine, sites.numbers);
    const all = machine !== run.machine ? tally(program, machine, sample, work).instructions.warp : counted.instructions.warp;
    const issued = (all - (rest ? notExecuted(run, machine, rest) : 0)) / elements;
    const blocksPerSm = without?.blocksPerSm ?? resident.blocksPerSm;
    const atOnce = Math.min(blocks, blocksPerSm * gpu.values.smCount);
    const hottest = run.atomics.hottest(counted.atomicSectors, {
      blocks,
      row: launch.grid[0],
      atOnce,
      threads: launch.block[0] * launch.block[1] * launch.block[2],
    });
    const hottestAtomics = hottest === undefined ? undefined : rest?.unites ? Math.min(hottest, blocks) : hottest;
    const residentBlocks = Math.min(blocksPerSm, Math.ceil(blocks / gpu.values.smCount));
    const timedBlocks = without?.lastWave?.fullBlocks ?? blocks;
    const estimate = estimateTime(
      {
        grid: timedBlocks === launch.grid[0] * launch.grid[1] * launch.grid[2] ? launch.grid : [timedBlocks, 1, 1],
        block: launch.block,
        blocksPerSm,
        code: code.code,
        registers: code.registers,
        sites: sites.sites,
        blocks: blockTraces(run, code, issued, blocks, residentBlocks, rest, work),
        totals: {
          warpInstructions: (issued * timedBlocks) / blocks,
          requestedBytes: (counted.requestedBytes * timedBlocks) / blocks,
          ...(hottestAtomics === undefined ? {} : { hottestAtomics: (hottestAtomics * timedBlocks) / blocks }),
        },
        traffic: rest ? { ...traffic, sites: rest.traffic(traffic.sites, sites.sites, sectors) } : traffic,
        tensorClocked: usesTensorCores(run),
      },
      gpu,
      work,
    );
    return estimate && { ...estimate, instructions: code.instructions };
  }
}

/** Whether tensor cores multiply numbers of 32 bits and fewer. */
function usesTensorCores({ program, sample }: Executed): boolean {
  return program.blocks.some(
    (compiled) =>
      compiled.block.ops.some(
        ({ action }) => action.kind === "wgmma" || (action.kind === "matrix" && action.op === "multiply" && action.of !== "f64"),
      ) && sample.counts.flow(sample.totals, compiled).executions > 0,
  );
}

/** Warp instructions that are issued no more, as blocks are executed less often. */
function notExecuted({ program, sample }: Executed, machine: MachineKernel, rest: Rest): number {
  return program.blocks.reduce((sum, compiled) => {
    const share = rest.executed(compiled.block);
    if (share === 1) return sum;
    const { executions } = sample.counts.flow(sample.totals, compiled);
    return sum + (1 - share) * executions * (machine.blocks.get(compiled.block)?.instructions.length ?? 0);
  }, 0);
}

/** What lanes carry out, by site. */
function lanesOf({ program, sites }: Executed): Map<number, AccessCounter> {
  const found = new Map<number, AccessCounter>();
  for (const [op, number] of sites.numbers) {
    const [counter] = program.counters.get(op) ?? [];
    if (counter && isOfLanes(counter.operation)) found.set(number, counter);
  }
  return found;
}

function trafficInput(run: Executed, gpu: GpuModel): TrafficInput {
  const { program, sample, sites, resident } = run;
  const { launch, environment } = program;
  const logs = [...sample.watched, ...run.glimpses].map(({ log }) => log);
  const standsFor = new Map(observedBlocks(sample).map(({ index, weight }) => [index, weight]));
  return {
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
    logs,
    ...(standsFor.size > 0 ? { standsFor: logs.map(({ block }) => standsFor.get(block) ?? 0) } : {}),
    rounds: run.rounds,
    sectors: sectorsBySite(run),
  };
}

interface ObservedWeight {
  readonly index: number;
  readonly weight: number;
  readonly records: readonly WarpRecord[];
}

/** The blocks that were watched, with the weight of all: of those that were drawn, and of those that were not. */
const observedBlocks = ({ blocks }: Sample): ObservedWeight[] => [
  ...observedOf(blocks.filter(({ drawn }) => drawn)),
  ...observedOf(blocks.filter(({ drawn }) => !drawn)),
];

function observedOf(sampled: readonly SampledBlock[]): ObservedWeight[] {
  const watched = sampled.flatMap(({ index, weight, observed }) => (observed ? [{ index, weight, records: observed.records }] : []));
  const sum = (of: readonly { readonly weight: number }[]): number => of.reduce((total, { weight }) => total + weight, 0);
  const factor = sum(sampled) / sum(watched);
  return watched.map((each) => ({ ...each, weight: each.weight * factor }));
}

/** What lanes move: sectors of global and local memory, and wavefronts of shared memory. */
class Moved {
  /** By site, which of the two it moves; of others none. */
  readonly #kinds: readonly (number | undefined)[];
  /** In the launch. */
  readonly ofLaunch: readonly [sectors: number, wavefronts: number];

  constructor(run: Executed) {
    const { counts, totals } = run.sample;
    const kinds: (number | undefined)[] = [];
    const ofLaunch: [number, number] = [0, 0];
    for (const [site, counter] of lanesOf(run)) {
      if (counter.operation === "copy" || counter.space === "constant" || counter.space === "texture") continue;
      const kind = counter.space === "shared" ? 1 : 0;
      kinds[site] = kind;
      ofLaunch[kind] += counts.access(totals, counter).transactions;
    }
    this.#kinds = kinds;
    this.ofLaunch = ofLaunch;
  }

  /** By what was recorded of a block's warps. */
  by(records: readonly WarpRecord[]): readonly [sectors: number, wavefronts: number] {
    const found: [number, number] = [0, 0];
    for (const { requests, starts, weights } of records)
      for (const [entry, start] of starts.entries())
        for (let r = start; r < (starts[entry + 1] ?? requests.length); r += 3) {
          const kind = this.#kinds[requests[r]!];
          if (kind !== undefined) found[kind]! += requests[r + (kind === 1 ? 1 : 2)]! * weights[entry]!;
        }
    return found;
  }
}

/** So many blocks made up of warps that were watched each by itself show how blocks differ: assumed (DEVIATIONS.md). */
const enoughBlocks = 8;

/**
 * Observed blocks that stand for the grid, with weights that sum to it; warps that were watched each by itself make up blocks. Where
 * they are part of a larger sample, weights are calibrated so that they issue and move as much in all as the whole sample says.
 */
function blockTraces(
  run: Executed,
  code: TimedCode,
  instructions: number,
  blocks: number,
  residentBlocks: number,
  rest: Rest | undefined,
  work: Work,
): BlockTrace[] {
  const { program, sample } = run;
  const { block } = program.launch;
  const warps = Math.ceil((block[0] * block[1] * block[2]) / warpSize);
  const loose = Math.floor(sample.warps.length / warps);
  const issued = (record: WarpRecord): number => {
    work.ask(record.blocks.length / 4);
    return issuedBy(record, program.blocks, code, rest);
  };
  // Warps of a block lie side by side and do about as much as each other.
  const records = sample.warps
    .map((record) => ({ record, instructions: issued(record) }))
    .sort((a, b) => a.instructions - b.instructions)
    .map(({ record }) => record);
  // Of few that would make up fewer blocks still, each stands for a block of its like: how blocks differ must be seen.
  const made =
    loose >= enoughBlocks
      ? Array.from({ length: loose }, (_, k) => records.slice(k * warps, (k + 1) * warps))
      : records.map((record) => new Array<WarpRecord>(warps).fill(record));
  const chosen = [
    ...observedBlocks(sample),
    ...made.map((of) => ({ index: blocks, weight: sample.warpBlocks / made.length, records: of })),
  ];
  const tracesOfBlock = (of: readonly WarpRecord[]): readonly WarpTrace[] => {
    for (const record of of) work.ask(record.blocks.length / 4 + record.requests.length / 32);
    return tracesOf(of, program.blocks, code, residentBlocks * warps, rest);
  };
  if (chosen.length === 0) chosen.push(...sample.watched.map(({ log, records }) => ({ index: log.block, weight: 1, records })));
  // What is asked of the memory differs from block to block otherwise than instructions do, where lanes are masked.
  const moved = chosen.some(({ records: of }) => of.some(({ full }) => full)) ? undefined : new Moved(run);
  const traces = chosen.map(({ index, weight, records }) => ({
    index,
    weight,
    warps: tracesOfBlock(records),
    amounts: [records.reduce((sum, record) => sum + issued(record), 0), ...(moved?.by(records) ?? [])],
  }));
  // What was recorded is of the blocks that were run, whatever they are imagined without.
  const [columns, rows, layers] = program.launch.grid;
  const perBlock = moved?.ofLaunch.map((amount) => amount / (columns * rows * layers)) ?? [];
  const weights = calibrated(traces, [instructions / blocks, ...perBlock]);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return traces.map(({ index, warps: of }, k) => ({ index, warps: of, weight: ((weights[k] ?? 0) * blocks) / sum }));
}
