/** Replays a launch's sampled warps on one SM, and says what that means for the whole launch. */
import type { GpuValues } from "../gpus/figures.ts";
import type { Work } from "../work.ts";
import { pipeNames } from "./code.ts";
import { type Reason, reasonIndex, reasons } from "./memory-path.ts";
import { SmReplay } from "./sm.ts";
import type { StallShares } from "./stalls.ts";
import type { ExecutionSummary } from "./summary.ts";

export interface ReplayResult {
  /** Cycles from the first block's launch to the end of the last, of the whole launch: what was not replayed is extrapolated. */
  readonly cycles: number;
  /** Warps resident on an SM, averaged over the cycles. */
  readonly residentWarps: number;
  /** Cycles each resource of an SM was busy, in the whole launch. Issue and pipes: a scheduler's. */
  readonly busy: Readonly<Record<string, number>>;
  /** Why warps waited, as shares of all their waiting. */
  readonly waits: Readonly<Record<string, number>>;
  /** Of the time of warps, the share for which they could have issued: others did, or kept the pipe busy. */
  readonly queued: number;
  /** Where they spent their time, by instruction of the code. */
  readonly stalls: StallShares;
  /** Blocks that the SM was dealt, the warp instructions of all of them, and of the longest; absent unless they run all at once. */
  readonly atOnce?: { readonly blocks: number; readonly instructions: number; readonly longest: number };
  /** Warp instructions replayed, and the share of the SM's work they and what they stand for make. */
  readonly replayed: number;
  readonly share: number;
}

/** Warp instructions that a replay takes, about. */
const replayBudget = 60_000;
/** How many times its budget a replay may take to get through the blocks that are resident at first. */
const longestReplay = 4;

/** How soon a resource bounds less than all of the time as it is busy for less of it. Assumed: with 1 the mean error of none of eight sets moves by 0.1 of a point. */
export const boundSharpness = 4;

/** Instructions that a replay can go through of each warp, with so many resident: what of it comes later is not seen. */
export const roomOfWarp = (residentWarps: number): number => (replayBudget * longestReplay) / 2 / Math.max(1, residentWarps);

/**
 * Replays about `budget` warp instructions of one SM's share of the launch, and how its last blocks end; extrapolates what lies between
 * at the rate of the second half. Undefined when no sampled warp issues anything.
 */
export function replay(summary: ExecutionSummary, gpu: GpuValues, work: Work, budget = replayBudget): ReplayResult | undefined {
  const traces = summary.blocks.filter((block) => block.weight > 0 && block.warps.some((warp) => warp.blocks.length > 0));
  if (traces.length === 0 || !(summary.blocksPerSm >= 1)) return undefined;
  const sm = new SmReplay(summary, gpu, traces, budget, work);
  if (sm.residentWarps === 0) return undefined;
  const { instructions } = sm.deal;

  const step = (): boolean => {
    work.ask(1);
    return sm.step();
  };
  // Warps that start together do the same at the same time: only when as many blocks have ended as are resident, and once more
  // as many, has each part of the kernel been seen as often as it is.
  const most = budget * longestReplay;
  const resident = sm.residentBlocks;
  let running = true;
  while ((sm.replayed < budget / 2 || (sm.ended < resident && sm.replayed < most / 2)) && (running = step()));
  const half = { done: sm.done, stretched: sm.stretched, residentIntegral: sm.residentIntegral, busy: busyOf(sm) };
  while (running && (sm.replayed < budget || (sm.ended < 2 * resident && sm.replayed < most))) running = step();

  const left = running && sm.done > half.done ? Math.max(0, instructions - sm.done) : 0;
  const steady = sm.stretched - half.stretched;
  const [rate, steadyWarps] = [steady / (sm.done - half.done), (sm.residentIntegral - half.residentIntegral) / steady];
  const seen = sm.done;
  const spent = busyOf(sm).map((busy, k) => busy - half.busy[k]!);
  // Those that run last end one by one, with fewer and fewer beside them.
  if (left > 0) {
    sm.endDeal();
    for (const enough = sm.replayed + budget; sm.replayed < enough && step(); );
  }
  // What lies between goes at the rate of the second half. As far as that was the busiest resource's, which what is there by chance in
  // that half asks of more than all of it does, or of less, it goes by what all asks of it.
  const busiest = spent.reduce((best, busy, k) => (busy > spent[best]! ? k : best), 0);
  const [asked, askedOfAll] = [spent[busiest]! / (seen - half.done), busyOf(sm)[busiest]! / sm.done];
  const bound = Math.min(1, spent[busiest]! / steady) ** boundSharpness;
  const evenRate = asked > 0 ? rate * (1 + bound * (askedOfAll / asked - 1)) : rate;
  const passed = left > 0 ? Math.max(0, left - (sm.done - seen)) * evenRate : 0;

  // A kernel ends when its stores have arrived.
  const { memory } = sm;
  const underWay = Math.max(memory.stored, memory.l2Writes.free, memory.hostWrites.free, memory.atomics.free) - sm.now;
  const cycles = sm.stretched + passed + Math.max(0, underWay);
  const scale = left > 0 ? Math.max(1, instructions / sm.done) : 1;
  const ofScheduler = scale / gpu.schedulers;
  const waited = sm.waits.reduce((sum, value) => sum + value, 0);
  const servers = {
    l1: Math.max(memory.l1.busy, memory.copies.busy) * scale,
    constants: memory.constants.busy * scale,
    port: Math.max(memory.readPort.busy, memory.writePort.busy) * scale,
    l2: Math.max(memory.l2Reads.busy, memory.l2Writes.busy) * scale,
    dram: memory.dram.busy * scale,
    host: Math.max(memory.hostReads.busy, memory.hostWrites.busy) * scale,
    atomics: memory.atomics.busy * scale,
    calls: sm.calls.busy,
  };
  // What stands for many may not have been replayed often enough for queues to fill.
  const replayed = Math.max(cycles, ...Object.values(servers));
  // Of the few that call, none may be on this SM: the launch ends with them, and hardly anybody is there.
  const withOthers = Math.min(1, replayed / sm.calls.least);
  if (sm.calls.longest !== undefined && withOthers < 1) sm.stalls.end(sm.calls.longest, reasonIndex.call, withOthers);
  const ended = (share: number, reason: Reason): number => share * withOthers + (reason === "call" ? 1 - withOthers : 0);
  const residentWarps = sm.stretched > 0 ? (sm.residentIntegral + (passed > 0 ? steadyWarps * passed : 0)) / (sm.stretched + passed) : 0;
  return {
    cycles: replayed / withOthers,
    residentWarps: residentWarps * withOthers,
    busy: {
      issue: (sm.done / gpu.issuesPerScheduler) * ofScheduler,
      ...Object.fromEntries(pipeNames.map((name, i) => [name, sm.pipeBusy[i]! * ofScheduler])),
      ...servers,
      blocks: sm.blocksHere * sm.distributorInterval,
    },
    waits: Object.fromEntries(reasons.map((name, i) => [name, ended(waited > 0 ? sm.waits[i]! / waited : 0, name)])),
    queued: sm.queued / Math.max(1, waited + sm.done),
    stalls: sm.stalls.shares(),
    ...(sm.blocksHere <= resident ? { atOnce: { blocks: sm.blocksHere, instructions, longest: sm.deal.longest } } : {}),
    replayed: sm.replayed,
    share: 1 / scale,
  };
}

/** Cycles that each resource has been busy so far; issue and pipes: a scheduler's. */
function busyOf({ memory, barriers, pipeBusy, done, gpu }: SmReplay): readonly number[] {
  const { l1, copies, bulk, constants, readPort, writePort, l2Reads, l2Writes, dram, hostReads, hostWrites, atomics } = memory;
  const servers = [l1, copies, bulk, constants, readPort, writePort, l2Reads, l2Writes, dram, hostReads, hostWrites, atomics, barriers];
  return [
    done / gpu.issuesPerScheduler / gpu.schedulers,
    ...servers.map(({ busy }) => busy),
    ...pipeBusy.map((busy) => busy / gpu.schedulers),
  ];
}
