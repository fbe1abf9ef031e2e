/** A launch's time: one SM replayed, what the launch itself costs, and what held it back. */
import type { GpuValues } from "../gpus/figures.ts";
import type { GpuModel } from "../gpus/model.ts";
import { Work } from "../work.ts";
import { pipeNames } from "./code.ts";
import { stretchOf } from "./makespan.ts";
import { boundSharpness, type ReplayResult, replay } from "./replay.ts";
import type { StallShares } from "./stalls.ts";
import type { ExecutionSummary } from "./summary.ts";

export interface TimeEstimate {
  /** As the profiler measures a kernel: from its start on the GPU to its end. */
  readonly ns: number;
  /** SM clocks. */
  readonly cycles: number;
  /**
   * The busiest resource where it is busy for most of the time (`dram`, `l2`, `host-link`, `l2-port`, `l1`, `issue`, `fma`, `alu`, `xu`, `fp64`, `atomics`,
   * `device-calls`, `block-launch`, ...), `launch-overhead`, or what warps wait for: `dram-latency`, `l2-latency`, `barrier`, ...
   */
  readonly boundBy: string;
  /** Nanoseconds each resource would need alone, largest first. */
  readonly parts: readonly { readonly name: string; readonly ns: number }[];
  /** Warps resident over warps an SM can hold, averaged over the kernel, in percent. */
  readonly achievedOccupancyPct: number;
  /** Why warps waited, as shares of all their waiting. */
  readonly waits: Readonly<Record<string, number>>;
  /** Where they spent their time, by instruction of `ExecutionSummary.code`, block after block. */
  readonly stalls: StallShares;
}

const displayed: Readonly<Record<string, string>> = {
  blocks: "block-launch",
  host: "host-link",
  port: "l2-port",
  fmaheavy: "integer-multiply",
  constants: "constant",
  calls: "device-calls",
};
/** A resource that is busy for this share of the time is what bounds the launch. */
const bindingShare = 0.6;

/** What all SMs share: where it bounds, those that go on have more of it. */
const shared: ReadonlySet<string> = new Set(["port", "l2", "dram", "host", "atomics", "calls", "blocks"]);

/** Warps that queue for these are seen to: what they wait for in the memory's path may be its latency, or others. */
const queuedFor: ReadonlySet<string> = new Set(["issue", ...pipeNames]);
/** Of other parts of an SM: up to this share of the time for which they are busy blocks do not keep each other from anything. Assumed (DEVIATIONS.md). */
const unhindered = 0.6;

/** How much longer blocks that differ take than the SM that was replayed, which is dealt its share of all. */
function unevenness({ costs, blocksPerSm }: ExecutionSummary, replayed: ReplayResult, { smCount }: GpuValues, work: Work): number {
  if (!costs || costs.issued.length < 2) return 1;
  const { cycles, busy, queued, atOnce } = replayed;
  const resources = Object.entries(busy).map(([name, of]) => ({ name, share: Math.min(1, Math.max(0, of / cycles)) }));
  const busiest = (isIt: (name: string) => boolean): { readonly name: string; readonly share: number } =>
    resources.filter(({ name }) => isIt(name)).reduce((best, each) => (each.share > best.share ? each : best), { name: "", share: 0 });
  const own = busiest((name) => !shared.has(name));
  // Of blocks that wait for memory few instructions more say little; a place that tells them tells of their loads as well.
  if (costs.areDrawn && !(queuedFor.has(own.name) && own.share > unhindered)) return 1;
  const alone = queuedFor.has(own.name) ? 1 / (1 - queued) : blocksPerSm ** Math.max(0, (own.share - unhindered) / (1 - unhindered));
  const sm = { sms: smCount, resident: blocksPerSm, alone: Math.min(blocksPerSm, alone) };
  const stretch = stretchOf(costs.issued, sm, atOnce && dealt(atOnce), work);
  return 1 + (stretch - 1) * (1 - busiest((name) => shared.has(name)).share ** boundSharpness);
}

/** What the SM that was replayed had, where it was dealt the longest. */
function dealt({ blocks, instructions, longest }: NonNullable<ReplayResult["atOnce"]>): readonly number[] {
  const rest = Math.max(0, instructions - longest) / Math.max(1, blocks - 1);
  return Array.from({ length: blocks }, (_, k) => (k === 0 ? longest : rest));
}

/**
 * When all blocks have ended, that one included that does most: it begins when those before it have made room, and takes at least as long as
 * alone. Where each block has an SM for itself, the longest says how long they take, as far as they share nothing that bounds them.
 */
function untilLongestEnds(
  { longest, ...summary }: ExecutionSummary,
  { busy }: ReplayResult,
  cycles: number,
  values: GpuValues,
  work: Work,
): number {
  if (!longest) return cycles;
  const { traffic, grid } = summary;
  const blocks = grid[0] * grid[1] * grid[2];
  const own: ExecutionSummary = {
    ...summary,
    grid: [1, 1, 1],
    blocks: [{ ...longest, weight: 1 }],
    totals: { warpInstructions: 0, requestedBytes: 0 },
    traffic: { ...traffic, sites: traffic.longest ?? traffic.sites },
  };
  const alone = replay(own, values, work)?.cycles;
  if (alone === undefined) return cycles;
  if (longest.isCertain && blocks <= values.smCount) return Math.max(alone, ...Object.values(busy));
  const before = Math.max(0, longest.index + 1 - values.smCount * summary.blocksPerSm) / blocks;
  return Math.max(cycles, before * cycles + alone);
}

/** Time of a launch on `gpu`; undefined when no sampled warp issues anything. */
export function estimateTime(summary: ExecutionSummary, gpu: GpuModel, work: Work = new Work()): TimeEstimate | undefined {
  const { clock, tensorClock = clock } = gpu.values;
  const values = summary.tensorClocked ? { ...gpu.values, clock: tensorClock } : gpu.values;
  const replayed = replay(summary, values, work);
  if (!replayed) return undefined;
  const nsPerCycle = 1000 / values.clock;
  // The overhead is an empty block's: its launch and start are in the replay as well.
  const overhead = Math.max(0, values.kernelOverhead - values.blockStartLatency * nsPerCycle);
  const cycles = replayed.cycles * unevenness(summary, replayed, values, work);
  const busyNs = untilLongestEnds(summary, replayed, cycles, values, work) * nsPerCycle;
  const ns = overhead + busyNs;
  const parts = Object.entries(replayed.busy)
    .map(([name, cycles]) => ({ name: displayed[name] ?? name, ns: cycles * nsPerCycle }))
    .filter((part) => part.ns > 0)
    .sort((a, b) => b.ns - a.ns);
  const [largest] = parts;
  const waiting = Object.entries(replayed.waits).sort((a, b) => b[1] - a[1])[0]![0];
  const memory = ["dram", "host", "l2", "l1", "shared", "constant", "atomic", "shuffle"].includes(waiting);
  const latency = memory ? `${waiting}-latency` : waiting === "start" ? "block-launch" : waiting;
  const boundBy = overhead > busyNs ? "launch-overhead" : largest && largest.ns >= bindingShare * busyNs ? largest.name : latency;
  return {
    ns,
    cycles: ns / nsPerCycle,
    boundBy,
    parts,
    achievedOccupancyPct: (100 * replayed.residentWarps) / (values.maxThreadsPerSm / 32),
    waits: replayed.waits,
    stalls: replayed.stalls,
  };
}
