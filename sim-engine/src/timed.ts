/** The time of a launch that was run: as it is, or without some of what it does. */

import { blockCosts } from "./block-costs.ts";
import { blockTraces, lanesOf, longestTrace, observedBlocks } from "./block-traces.ts";
import { estimateTraffic, Footprints, mayDrift, type SiteTraffic, type TrafficEstimate, type TrafficInput } from "./cache/index.ts";
import { globalBase } from "./execute/memory.ts";
import { warpSize } from "./execute/program.ts";
import { type Executed, residentAtOnce, sectorsBySite } from "./executed.ts";
import type { GpuModel } from "./gpus/model.ts";
import type { Op } from "./ir/kernel.ts";
import type { MachineKernel } from "./machine/index.ts";
import type { MemorySite } from "./memory/site.ts";
import type { LaunchReport } from "./report/launch-report.ts";
import type { Spent } from "./report/spent.ts";
import { type Tally, tally } from "./report/tally.ts";
import { estimateTime, type TimedCode, type TimeEstimate, timedCode, timeRange } from "./timing/index.ts";
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

/**
 * Times that stores take when they are crowded, over when they are not, from which on they are (microbenchmarks/h200-record-stores.tsv: with
 * arithmetic between records those of 8 words are merged up to 1.4, and mostly not from 2.5 on; half of those of 7 words at 2.1).
 */
const crowdedTime = 2;

/** Some stores go on with others. */
const mergesStores = (sites: readonly MemorySite[], traffic: TrafficEstimate): boolean =>
  sites.some(({ operation, run }, site) => operation === "store" && run !== undefined && traffic.sites[site]!.l1 > 0);

/** How many different values matches met, and how many lanes made a call of the device's runtime, on average. */
function seenOf({ program: { blocks, matches }, sample: { counts, totals } }: Executed): ReadonlyMap<Op, number> {
  const seen = new Map([...matches].flatMap(([op, { times, values }]) => (times > 0 ? [[op, values / times] as const] : [])));
  for (const compiled of blocks) {
    const calls = compiled.block.ops.filter(({ action }) => action.kind === "call");
    if (calls.length === 0) continue;
    const { executions, lanes } = counts.flow(totals, compiled);
    for (const call of calls) seen.set(call, executions > 0 ? lanes / executions : 1);
  }
  return seen;
}

/** A launch that was run, as often as its time is asked for. Nothing is run again. */
export class TimedRun {
  readonly #run: Executed;
  readonly #gpu: GpuModel;
  readonly #counted: Tally;
  readonly #work: Work;
  #served: Served | undefined;
  /** What is replayed of machine code: the launch's own, or what it would be without something. */
  readonly #codes = new WeakMap<MachineKernel, TimedCode>();

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
    const { sites: _, longest: __, ...traffic } = this.#serve().traffic;
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
    if (mergesStores(input.sites, this.#served.traffic)) this.#crowd(input, footprints);
    return this.#served;
  }

  /** Stores go on each by itself where they are so many that warps wait for that far longer than they take in all where they do not. */
  #crowd(input: TrafficInput, footprints: Footprints): void {
    const alone = this.#served!;
    const ns = this.#estimate()?.ns;
    const crowded = { ...alone, traffic: estimateTraffic({ ...input, crowded: true }, this.#work, footprints) };
    if (ns === undefined || crowded.traffic.l2WriteSectors <= alone.traffic.l2WriteSectors) return;
    this.#served = crowded;
    const together = this.#estimate()?.ns;
    if (together === undefined || together < crowdedTime * ns) this.#served = alone;
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
    const code = this.#codes.get(machine) ?? timedCode(machine, sites.numbers, seenOf(run));
    this.#codes.set(machine, code);
    const all = machine !== run.machine ? tally(program, machine, sample, work).instructions.warp : counted.instructions.warp;
    const issued = (all - (rest ? notExecuted(run, machine, rest) : 0)) / elements;
    const blocksPerSm = without?.blocksPerSm ?? resident.blocksPerSm;
    const atOnce = Math.min(blocks, blocksPerSm * gpu.values.smCount);
    const atomicsOf = { ...residentAtOnce(launch, { blocksPerSm }, gpu), blocks, atOnce };
    const observed = run.atomics.hottest(counted.atomicSectors, atomicsOf, sample.again);
    const hottest = observed && Math.max(observed, run.scatteredAtomics?.busiest(counted.atomicSectors) ?? 0);
    const atomicPasses = run.atomics.passes(counted.atomicSectors, atomicsOf);
    const hottestAtomics = hottest === undefined ? undefined : rest?.unites ? Math.min(hottest, blocks) : hottest;
    const residentBlocks = Math.min(blocksPerSm, Math.ceil(blocks / gpu.values.smCount));
    const timedBlocks = without?.lastWave?.fullBlocks ?? blocks;
    const costs = blockCosts(run, code, work);
    const left = (of: readonly SiteTraffic[]): readonly SiteTraffic[] => rest?.traffic(of, sites.sites, sectors) ?? of;
    const estimate = estimateTime(
      {
        grid: timedBlocks === launch.grid[0] * launch.grid[1] * launch.grid[2] ? launch.grid : [timedBlocks, 1, 1],
        block: launch.block,
        blocksPerSm,
        code: code.code,
        registers: code.registers,
        sites: sites.sites,
        blocks: blockTraces(run, code, issued, blocks, residentBlocks, rest, work),
        // Without its last blocks those before them are dealt alone.
        costs: costs && { ...costs, issued: costs.issued.subarray(0, without?.lastWave?.fullBlocks) },
        longest: longestTrace(run, code, rest),
        totals: {
          warpInstructions: (issued * timedBlocks) / blocks,
          requestedBytes: (counted.requestedBytes * timedBlocks) / blocks,
          atomicPasses: ((rest?.unites ? Math.min(atomicPasses, blocks) : atomicPasses) * timedBlocks) / blocks,
          ...(hottestAtomics === undefined ? {} : { hottestAtomics: (hottestAtomics * timedBlocks) / blocks }),
        },
        traffic: { ...traffic, sites: left(traffic.sites), ...(traffic.longest ? { longest: left(traffic.longest) } : {}) },
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
    ...(run.longest ? { longest: run.longest } : {}),
    rounds: run.rounds,
    sectors: sectorsBySite(run),
  };
}
