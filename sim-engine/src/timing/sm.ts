/**
 * Replays sampled warps on a model of one SM: schedulers that issue each warp's instructions in order, pipes of limited width, a
 * scoreboard, barriers, the memory path, and blocks that follow each other as slots fall free. All SMs are taken to do the same,
 * each with its share of L2, memory and the block distributor. Left out: the order of different SMs' accesses.
 */

import type { GpuValues } from "../gpus/figures.ts";
import { writes } from "../memory/site.ts";
import type { Work } from "../work.ts";
import { pipeNames, ReplayCode } from "./code.ts";
import { CodeFetch } from "./code-fetch.ts";
import { Copies } from "./copies.ts";
import { Deal } from "./deal.ts";
import { DeviceCalls } from "./device-calls.ts";
import { MemoryPath, reasonIndex, reasons } from "./memory-path.ts";
import { contributions, Phases } from "./phases.ts";
import { Cursors, type Playback, playback } from "./playback.ts";
import { Products } from "./products.ts";
import { memoryRates, pipeCycles } from "./rates.ts";
import { Scoreboard } from "./scoreboard.ts";
import { Server } from "./server.ts";
import { accessAt, type PhaseAmount, phasesMet } from "./site-accesses.ts";
import { othersTurn, Stalls } from "./stalls.ts";
import type { BlockTrace, ExecutionSummary, TimedInstruction } from "./summary.ts";

/** A resident block: warps that still run, those that wait at its barrier, and its mbarriers. */
interface Resident {
  warps: number;
  waiting: number[];
  /** When the last of these has come to the barrier. */
  arrived: number;
  readonly phases: Phases;
}

const never = Number.POSITIVE_INFINITY;
/**
 * How many times more executions a warp's next instruction stands for, from which it comes to a long loop: it begins when the warps that are
 * about to come to it have, for what they do until then takes no time beside the loop. Else each would go through it by itself.
 * A bound on the error, not a figure of the hardware: an instruction in front of the loop counts a quarter of one inside it.
 */
const longer = 4;
const lsu = pipeNames.indexOf("lsu");
/** Cycles by which an instruction's registers may be read late: one of three and one of a single register take two cycles (h200-register-reads.tsv). */
const readsAhead = 1;
const fma = pipeNames.indexOf("fma");
const fmaHeavy = pipeNames.indexOf("fmaheavy");
const alu = pipeNames.indexOf("alu");
const adu = pipeNames.indexOf("adu");
const pipes = pipeNames.length;

export class SmReplay {
  readonly summary: ExecutionSummary;
  readonly gpu: GpuValues;
  readonly code: ReplayCode;
  readonly traces: readonly BlockTrace[];
  readonly memory: MemoryPath;
  readonly blocksHere: number;
  readonly deal: Deal;
  readonly distributorInterval: number;
  readonly warpsPerBlock: number;

  readonly pipeCost: readonly number[];
  readonly pipeFree: Float64Array;
  /** By scheduler: of the float pipe, the half that does not multiply integers, where it has two. */
  readonly liteFree: Float64Array;
  readonly isHalved: boolean;
  /** By scheduler: when its register file has read all that it was asked for. */
  readonly registersRead: Float64Array;
  readonly pipeBusy = new Float64Array(pipes);
  readonly schedulerFree: Float64Array;
  readonly waits = new Float64Array(reasons.length);
  readonly stalls: Stalls;

  // Warps by slot. Slot s belongs to scheduler s modulo their number, as the hardware assigns warps.
  readonly cursors: Cursors;
  readonly resident: (Resident | undefined)[];
  readonly ready: Float64Array;
  readonly why: Uint8Array;
  /** Cycles of its wait that it would not have again: for its launch, or for its code. */
  readonly once: Float64Array;
  /** How often it has those: a value that is made before a loop is waited for as often as it is made. */
  readonly onceWeight: Float64Array;
  /** How many executions its next instruction stands for. */
  readonly weight: Float64Array;
  /** It waits at a long loop for others to come. */
  readonly gathers: Uint8Array;
  #gathering = 0;
  /** Who is on his way to a loop has changed. */
  #others = false;
  /** When the warp came, as a number. */
  readonly age: Uint32Array;
  readonly issuedAt: Float64Array;
  readonly instruction: Uint32Array;
  /** What its next instruction needs. */
  readonly pipe: Uint8Array;
  readonly copies: Copies;
  /** Copies out of shared memory: when they have read it, and when they have arrived. */
  readonly bulkReads: Copies;
  readonly bulkStores: Copies;
  readonly products: Products;
  /** Counts the warps that come to barriers, of all blocks one by one (h200-barriers.txt). */
  readonly barriers: Server;
  /** By scheduler: when its last barrier was counted. */
  readonly barrierTaken: Float64Array;
  readonly calls: DeviceCalls;
  readonly scoreboard: Scoreboard;
  /** By slot, the instruction that makes what its warp waits for; its own where it waits for nothing that is made. */
  readonly cause: Uint32Array;

  // The best candidate of each scheduler, as far as known; `stale` where it must be looked for again.
  readonly candidateTime: Float64Array;
  readonly candidate: Int32Array;
  readonly stale: Uint8Array;

  /** Cycles, and the same stretched where an executed iteration stands for many. */
  now = 0;
  stretched = 0;
  residentIntegral = 0;
  /** Cycles of warps for which they could have issued: others did, or kept the pipe busy. */
  queued = 0;
  residentWarps = 0;
  launched = 0;
  /** Blocks resident at first, and blocks that have ended. */
  readonly residentBlocks: number;
  ended = 0;
  distributorFree = 0;
  replayed = 0;
  /** Instructions done, each counted as often as it stands for. */
  done = 0;
  #lastScheduler = -1;
  /** By line of eight instructions: when it is there, negative before it was asked for. */
  readonly #codeFetch: CodeFetch;
  /** By slot of a warp that waits for phases: the instruction's site, and when it was issued. */
  readonly #asked = new Map<number, { readonly site: number; readonly time: number }>();
  readonly #contributions: ReadonlyMap<BlockTrace, Uint32Array>;
  /** By trace and warp. */
  readonly #playbacks: readonly (readonly Playback[])[];

  /** `budget`: warp instructions to be replayed, about. */
  constructor(summary: ExecutionSummary, gpu: GpuValues, traces: readonly BlockTrace[], budget: number, work: Work) {
    this.summary = summary;
    this.gpu = gpu;
    this.code = new ReplayCode(summary, gpu);
    this.traces = traces;
    this.stalls = new Stalls(this.code.instructions.length);
    const totalBlocks = summary.grid[0] * summary.grid[1] * summary.grid[2];
    const activeSms = Math.min(gpu.smCount, totalBlocks);
    this.#codeFetch = new CodeFetch(gpu, this.code.instructions.length, activeSms);
    this.blocksHere = Math.ceil(totalBlocks / gpu.smCount - 1e-9);
    this.distributorInterval = activeSms / gpu.blockLaunchRate;
    const { dramReadBytes, dramWriteBytes, hostReadBytes = 0, hostWriteBytes = 0 } = summary.traffic;
    const readShare = (read: number, written: number): number => (read + written > 0 ? read / (read + written) : 1);
    const weights = traces.reduce((sum, block) => sum + block.weight, 0);
    const atomicSectors =
      traces.reduce((sum, block) => sum + this.code.atomicSectorsOf(block, summary) * block.weight, 0) * (totalBlocks / weights);
    const lanesOnOne = atomicSectors > 0 ? (summary.totals.hottestAtomics ?? 0) / atomicSectors : 0;
    const perSector = atomicSectors > 0 ? Math.max(1, (summary.totals.atomicPasses ?? 0) / atomicSectors) : 0;
    const perAtomic = activeSms * Math.max(perSector / gpu.atomicRate, lanesOnOne * gpu.atomicInterval);
    this.memory = new MemoryPath(
      gpu,
      memoryRates(gpu, activeSms, readShare(dramReadBytes, dramWriteBytes), readShare(hostReadBytes, hostWriteBytes)),
      summary,
      perAtomic,
      lanesOnOne,
      activeSms,
    );

    this.warpsPerBlock = Math.max(...traces.map((block) => block.warps.length));
    const cost = pipeCycles(gpu);
    this.pipeCost = pipeNames.map((name) => cost[name]);
    const { schedulers } = gpu;
    this.pipeFree = new Float64Array(schedulers * pipes);
    this.liteFree = new Float64Array(schedulers);
    this.isHalved = cost.fmaheavy === 2 * cost.fma;
    this.registersRead = new Float64Array(schedulers);
    this.schedulerFree = new Float64Array(schedulers);
    this.residentBlocks = Math.min(summary.blocksPerSm, this.blocksHere);
    const slots = this.residentBlocks * this.warpsPerBlock;
    // Half the budget goes through what is resident at first.
    const most = budget / 2 / Math.max(1, slots);
    this.#playbacks = traces.map(({ warps }) =>
      warps.map((trace) => {
        work.ask(trace.blocks.length / 8);
        return playback(trace, this.code, most);
      }),
    );
    this.cursors = new Cursors(slots, Math.max(...this.#playbacks.flat().map(({ times }) => times.length), 0), this.code);
    this.resident = new Array<Resident | undefined>(slots);
    this.ready = new Float64Array(slots).fill(never);
    this.why = new Uint8Array(slots);
    this.once = new Float64Array(slots);
    this.onceWeight = new Float64Array(slots).fill(1);
    this.weight = new Float64Array(slots).fill(1);
    this.gathers = new Uint8Array(slots);
    this.age = new Uint32Array(slots);
    this.issuedAt = new Float64Array(slots);
    this.instruction = new Uint32Array(slots);
    this.pipe = new Uint8Array(slots);
    this.copies = new Copies(slots);
    this.bulkReads = new Copies(slots);
    this.bulkStores = new Copies(slots);
    this.#contributions = new Map(traces.map((block) => [block, contributions(block, summary.sites)]));
    this.barriers = new Server(gpu.loadWindow);
    this.barrierTaken = new Float64Array(schedulers);
    this.calls = new DeviceCalls(this.code, traces, totalBlocks, activeSms, gpu.loadWindow);
    this.products = new Products(slots, schedulers, this.memory.l1);
    this.scoreboard = new Scoreboard(gpu, slots, Math.max(1, summary.registers));
    this.cause = new Uint32Array(slots);
    this.candidateTime = new Float64Array(schedulers).fill(never);
    this.candidate = new Int32Array(schedulers).fill(-1);
    this.stale = new Uint8Array(schedulers).fill(1);
    this.deal = new Deal(
      traces.map((block) => ({ block, instructions: this.code.instructionsOf(block) })),
      this.blocksHere,
      this.blocksHere <= this.residentBlocks,
      gpu.smCount,
    );
    for (let b = 0; b * this.warpsPerBlock < slots; b++) this.#launch(b * this.warpsPerBlock, 0);
  }

  /** No more blocks come: those that are resident run to their end. */
  endDeal(): void {
    this.launched = this.blocksHere;
  }

  /** Issues the next instruction of the SM; false when all warps have ended. */
  step(): boolean {
    const { candidateTime, stale } = this;
    const schedulers = stale.length;
    if (this.#gathering > 0 && this.#others) this.#begin();
    for (;;) {
      let first = -1;
      let time = never;
      // Schedulers take turns where they contend, for the L1 above all.
      for (let turn = 0, k = this.#lastScheduler; turn < schedulers; turn++) {
        if (++k === schedulers) k = 0;
        if (stale[k] === 1) this.#choose(k);
        const at = candidateTime[k]!;
        if (at < time) {
          time = at;
          first = k;
        }
      }
      if (first < 0) return false;
      const slot = this.candidate[first]!;
      // Another scheduler may have filled the memory queue since the choice was made.
      if (this.pipe[slot] === lsu && this.memory.accepts(first) > time) {
        stale[first] = 1;
        continue;
      }
      this.#lastScheduler = first;
      this.#issue(first, slot);
      return true;
    }
  }

  /** For a scheduler: the warp that can issue first, and of those the oldest, as warps that do the same end far apart (`ends`). */
  #choose(k: number): void {
    this.stale[k] = 0;
    const free = this.schedulerFree[k]!;
    const accepts = this.memory.accepts(k);
    const { ready, gathers, pipe: pipeOf, pipeFree, age } = this;
    const schedulers = this.stale.length;
    let best = never;
    let chosen = -1;
    for (let slot = k; slot < ready.length; slot += schedulers) {
      const since = ready[slot]!;
      if (since > best || since === never || gathers[slot] === 1) continue;
      const pipe = pipeOf[slot]!;
      let at = since > free ? since : free;
      const taken = pipeFree[k * pipes + pipe]!;
      if (taken > at) at = taken;
      if (pipe === lsu && accepts > at) at = accepts;
      if (at < best || (at === best && age[slot]! < age[chosen]!)) {
        best = at;
        chosen = slot;
      }
    }
    this.candidateTime[k] = best;
    this.candidate[k] = chosen;
  }

  /** Lets the warps begin their long loops that nobody is on his way to any more. */
  #begin(): void {
    const slots = this.ready.length;
    let least = never;
    for (let slot = 0; slot < slots; slot++)
      if (this.ready[slot]! !== never && this.gathers[slot] === 0) least = Math.min(least, this.weight[slot]!);
    this.#others = false;
    const begins: number[] = [];
    for (let slot = 0; slot < slots; slot++) if (this.gathers[slot] === 1 && this.weight[slot]! < longer * least) begins.push(slot);
    // Who waits for what was asked for before the loop is on his way as well.
    const from = begins.reduce((latest, slot) => Math.max(latest, this.ready[slot]!), this.now);
    for (const slot of begins) {
      this.gathers[slot] = 0;
      this.#gathering--;
      this.stale[slot % this.gpu.schedulers] = 1;
      this.once[slot]! += from - this.ready[slot]!;
      this.ready[slot] = from;
    }
  }

  /** The high half of a product is put together where integers are added (h200-pipe-pairs.txt). */
  #takeIntegerPipe(k: number, time: number, work: number, weight: number): void {
    const cost = this.pipeCost[alu]! * work;
    this.pipeFree[k * pipes + alu] = Math.max(time, this.pipeFree[k * pipes + alu]!) + cost;
    this.pipeBusy[alu]! += cost * weight;
  }

  /**
   * What multiplies integers takes the place of what multiplies floats. Where floats go at twice the rate, their pipe has two halves, each of
   * them takes an instruction for twice as long, and integers go to one alone: one of each takes two cycles, of two or four floats beside one
   * of integers four and six (h200-register-reads.tsv).
   */
  #takeFloatPipe(k: number, pipe: number, time: number, cost: number): void {
    const { pipeFree, liteFree } = this;
    const all = k * pipes + fma;
    const heavy = k * pipes + fmaHeavy;
    if (!this.isHalved) pipeFree[all] = pipeFree[heavy] = time + cost;
    else {
      if (pipe === fmaHeavy) pipeFree[heavy] = time + cost;
      else if (liteFree[k]! <= time) liteFree[k] = time + 2 * cost;
      else pipeFree[heavy] = time + 2 * cost;
      pipeFree[all] = Math.min(liteFree[k]!, pipeFree[heavy]!);
    }
  }

  /** A scheduler's candidate issues. */
  #issue(k: number, slot: number): void {
    const time = this.candidateTime[k]!;
    const index = this.instruction[slot]!;
    const instruction = this.code.instructions[index]!;
    const pipe = this.pipe[slot]!;
    // A group's product only waits its turn there.
    const cost = instruction.product ? 0 : this.pipeCost[pipe]! * this.code.work[index]!;
    const { cursors } = this;
    const weight = cursors.weight[slot]!;
    const onceWeight = this.onceWeight[slot]!;
    this.#advance(time, weight, this.once[slot]!, onceWeight);
    this.memory.weight = weight;
    this.memory.scheduler = k;
    this.memory.warp = slot;
    this.memory.isFirstBlock = this.age[slot]! <= this.residentBlocks;
    this.memory.number = this.age[slot]! * this.warpsPerBlock + (slot % this.warpsPerBlock);
    const wait = this.ready[slot]! - this.issuedAt[slot]! - 1;
    const once = Math.min(wait, this.once[slot]!);
    const waited = once * onceWeight + (wait - once) * weight;
    const queued = (time - this.ready[slot]!) * weight;
    this.waits[this.why[slot]!]! += waited;
    this.waits[reasonIndex.pipe]! += queued;
    this.queued += queued;
    if (waited !== 0) this.stalls.wait(index, this.why[slot]!, waited, this.cause[slot]!);
    if (queued !== 0) this.stalls.queue(index, this.#holdsBack(k, index, pipe, time), queued);
    this.stalls.issue(index, weight);
    const read = Math.max(time, this.registersRead[k]!) + this.code.reads[index]!;
    this.registersRead[k] = read;
    this.schedulerFree[k] = Math.max(time + 1 / this.gpu.issuesPerScheduler, read - readsAhead);
    if (pipe === fma || pipe === fmaHeavy) this.#takeFloatPipe(k, pipe, time, cost);
    else this.pipeFree[k * pipes + pipe] = time + cost;
    this.pipeBusy[pipe]! += cost * weight;
    if (instruction.integerWork !== undefined) this.#takeIntegerPipe(k, time, instruction.integerWork, weight);
    this.stale[k] = 1;
    this.issuedAt[slot] = time;
    this.replayed++;
    this.done += weight;

    let result = time + this.code.latency[index]!;
    if (pipe === adu) result = Math.max(result, this.gpu.blockStartLatency + this.gpu.argumentLatency);
    let reason: number = reasonIndex.dependence;
    // What goes to memory comes behind the scheduler's barriers.
    const atMemory = Math.max(time, this.barrierTaken[k]!);
    if (instruction.kind === "memory") {
      const site = instruction.site!;
      const { accesses } = cursors.playback[slot]!.trace;
      const at = this.#accessAt(slot, site, index);
      this.memory.request(site, atMemory, at < 0 ? 0 : accesses[at + 1]!, at < 0 ? 0 : accesses[at + 2]!);
      result = this.memory.done;
      reason = this.memory.reason;
      if (this.summary.sites[site]!.operation === "copy") this.copies.begin(slot, result);
    } else if (instruction.kind === "shuffle") {
      if (instruction.rounds === undefined) this.memory.shuffle(atMemory, this.code.work[index]!);
      else this.memory.match(atMemory, instruction.rounds);
      result = this.memory.done;
      reason = this.memory.reason;
    } else if (instruction.kind === "wide product") this.memory.wideProduct(time);
    else if (instruction.kind === "constant") result = Math.max(result, this.memory.fixedConstant(time) + this.code.latency[index]!);
    else if (instruction.kind === "commit") this.copies.commit(slot);
    else if (instruction.kind === "bulk") this.#copy(slot, instruction.site!, time);
    else if (instruction.kind === "bulk commit") {
      this.bulkReads.commit(slot);
      this.bulkStores.commit(slot);
    } else if (instruction.kind === "arrive") this.#arrive(slot, instruction, time);
    else if (instruction.kind === "await") {
      this.#await(slot, instruction.site!, time);
      return;
    } else if (instruction.product) {
      const { product, site, latency } = instruction;
      const at = site === undefined ? -1 : this.#accessAt(slot, site, index);
      const read = at < 0 ? 0 : cursors.playback[slot]!.trace.accesses[at + 1]!;
      result = this.products.begin(slot, k, product, time, read, weight) + latency;
      this.products.end(slot, result, product.commits);
      this.pipeBusy[pipe]! += product.cycles * weight;
      reason = reasonIndex.tensor;
    } else if (instruction.kind === "branch") this.issuedAt[slot] = time + this.gpu.branchLatency - 1;
    if (instruction.defs.length > 0) this.scoreboard.write(slot, instruction.defs, result, reason, pipe, index, weight);
    if (instruction.kind === "barrier") {
      const resident = this.resident[slot]!;
      resident.waiting.push(slot);
      const { barrierPerWarp } = this.gpu;
      resident.arrived = this.barriers.serve(time, barrierPerWarp, weight) + barrierPerWarp;
      this.barrierTaken[k] = resident.arrived;
      this.#stop(slot);
      if (resident.waiting.length === resident.warps) this.#release(resident, time, weight);
    } else if (instruction.call) {
      this.calls.call(instruction.call, time, weight);
      const { done, once } = this.calls;
      const spent = (done - time - once) * weight + once;
      this.waits[reasonIndex.call]! += spent;
      this.stalls.queue(index, reasonIndex.call, spent);
      // The function's own instructions are the warp's.
      this.issuedAt[slot] = done - 1;
      if (this.#settle(slot)) this.once[slot]! += once;
      else this.#end(slot, done);
    } else if (!this.#settle(slot)) this.#end(slot, time + 1);
  }

  /** What an instruction that is ready waits for before it issues at `time`: its pipe, the queue to memory, else other warps' turns. */
  #holdsBack(k: number, index: number, pipe: number, time: number): number {
    if (pipe === lsu && this.memory.accepts(k) >= time) {
      const { site } = this.code.instructions[index]!;
      const { space, operation } = site === undefined ? {} : this.summary.sites[site]!;
      if (operation === "atomic" || operation === "reduction") return reasonIndex.atomic;
      return space === undefined || space === "shared" ? reasonIndex.shared : reasonIndex.l1;
    }
    return this.pipeFree[k * pipes + pipe]! >= time || this.registersRead[k]! - readsAhead >= time ? reasonIndex.pipe : othersTurn;
  }

  /** Where among the accesses of a warp's trace stands what its instruction does; -1 where no lane was active. */
  #accessAt(slot: number, site: number, index: number): number {
    const { trace } = this.cursors.playback[slot]!;
    const entry = this.cursors.position[slot]!;
    const at = accessAt(trace, entry, site, this.code.access[index]!);
    if (at < 0) return at;
    this.code.access[index] = at - trace.accessStart[entry]!;
    return 3 * at;
  }

  /** Phases, and what is moved, that the entry a warp is in has at a site. */
  #met(slot: number, site: number): readonly PhaseAmount[] {
    return phasesMet(this.cursors.playback[slot]!.trace, this.cursors.position[slot]!, site);
  }

  /** The copy engine begins what a warp asks it for. */
  #copy(slot: number, site: number, time: number): void {
    const stores = writes(this.summary.sites[site]!);
    // Lanes that copy each for itself follow each other, and the warp with them.
    let at = time - this.gpu.bulkInterval;
    for (const [phase, sectors] of this.#met(slot, site)) {
      at += this.gpu.bulkInterval;
      const read = this.memory.copy(site, at, sectors);
      if (stores) {
        this.bulkReads.begin(slot, read);
        this.bulkStores.begin(slot, this.memory.done);
      } else this.#tell(slot, phase, this.memory.done, this.memory.reason);
    }
    this.issuedAt[slot] = Math.max(time, at);
  }

  #arrive(slot: number, { site, copies }: TimedInstruction, time: number): void {
    const there = copies ? Math.max(time, this.copies.there(slot, 0)) : time;
    for (const [phase] of this.#met(slot, site!)) this.#tell(slot, phase, there, there > time ? reasonIndex.dram : reasonIndex.barrier);
  }

  /** Something arrives in a phase of the slot's block: who waits for nothing else goes on. */
  #tell(slot: number, phase: number, time: number, reason: number): void {
    for (const waiting of this.resident[slot]!.phases.arrive(phase, time, reason)) this.#resume(waiting);
  }

  /** A warp has asked, at `time`, whether phases are over: it goes on when they are. */
  #await(slot: number, site: number, time: number): void {
    const { phases } = this.resident[slot]!;
    this.#asked.set(slot, { site, time });
    const open = this.#met(slot, site).find(([phase]) => !phases.isKnown(phase));
    if (open) {
      phases.wait(open[0], slot);
      this.#stop(slot);
    } else this.#resume(slot);
  }

  /** Of a warp that asked: it is known when it has its answer, or it waits on. */
  #resume(slot: number): void {
    const asked = this.#asked.get(slot)!;
    const { phases } = this.resident[slot]!;
    const met = this.#met(slot, asked.site);
    const open = met.find(([phase]) => !phases.isKnown(phase));
    if (open) {
      phases.wait(open[0], slot);
      return;
    }
    this.#asked.delete(slot);
    let there = asked.time + this.gpu.phaseLatency;
    let reason: number = reasonIndex.dependence;
    for (const [phase] of met) {
      if (phases.over(phase) <= there) continue;
      there = phases.over(phase);
      reason = phases.reason(phase);
    }
    const index = this.instruction[slot]!;
    this.scoreboard.write(slot, this.code.instructions[index]!.defs, there, reason, adu, index, this.cursors.weight[slot]!);
    if (!this.#settle(slot)) this.#end(slot, there + 1);
  }

  /** Points a warp at its next instruction and finds when that can issue; false when there is none. */
  #settle(slot: number): boolean {
    const index = this.cursors.next(slot);
    if (index < 0) return false;
    const weight = this.cursors.weight[slot]!;
    const pipe = this.code.pipe[index]!;
    this.instruction[slot] = index;
    this.pipe[slot] = pipe;
    const instruction = this.code.instructions[index]!;
    const { kind } = instruction;
    let at = this.scoreboard.there(slot, index, instruction, pipe, this.issuedAt[slot]! + 1);
    let { reason, cause } = this.scoreboard;
    // Code is asked for when the warp comes to it, not when its operands are there.
    const fetched = this.#codeFetch.at(index, this.issuedAt[slot]! + 1);
    const { causeWeight } = this.scoreboard;
    const isFewer = causeWeight < weight;
    const isOnce = this.#codeFetch.isFirst;
    this.once[slot] = (isOnce ? Math.max(0, fetched - at) : 0) + (isFewer ? at - this.issuedAt[slot]! - 1 : 0);
    this.onceWeight[slot] = isFewer ? causeWeight : 1;
    if (fetched > at) {
      at = fetched;
      reason = reasonIndex.start;
      cause = index;
    }
    if (kind === "wait" || kind === "bulk wait") {
      const { pending = 0, reads } = instruction;
      const there = (kind === "wait" ? this.copies : reads ? this.bulkReads : this.bulkStores).there(slot, pending);
      if (there > at) {
        at = there;
        reason = reasonIndex.dram;
        cause = index;
      }
    }
    if (kind === "product wait") {
      const there = this.products.there(slot, instruction.pending ?? 0);
      if (there > at) {
        at = there;
        reason = reasonIndex.tensor;
        cause = index;
      }
    }
    if (weight >= longer * this.weight[slot]!) {
      this.gathers[slot] = 1;
      this.#gathering++;
    }
    this.#others ||= weight !== this.weight[slot] || this.ready[slot] === never;
    this.weight[slot] = weight;
    this.ready[slot] = at;
    this.why[slot] = reason;
    this.cause[slot] = cause;
    this.stale[slot % this.gpu.schedulers] = 1;
    return true;
  }

  /** The warp waits for others, or has ended. */
  #stop(slot: number): void {
    this.ready[slot] = never;
    this.#others = true;
  }

  /** Time goes on to what issues next: as often as that stands for, but for the `once` cycles of its wait, which it has `onceWeight` times. */
  #advance(time: number, weight: number, once: number, onceWeight: number): void {
    if (time <= this.now) return;
    const all = time - this.now;
    const first = Math.min(all, once);
    const step = first * onceWeight + (all - first) * weight;
    this.stretched += step;
    this.residentIntegral += step * this.residentWarps;
    this.now = time;
  }

  /** Where a block's warp goes among its slots: where each scheduler gets as many of them, the first goes to the next scheduler each time. */
  #placeOf(warp: number): number {
    const { schedulers } = this.gpu;
    if (this.warpsPerBlock % schedulers !== 0) return warp;
    const k = warp % schedulers;
    return warp - k + ((k + this.launched - 1) % schedulers);
  }

  /** Starts the next block whose warps do anything in the slots from `first` on, as soon as the distributor can. */
  #launch(first: number, at: number): void {
    let free = at;
    while (this.launched < this.blocksHere) {
      const begin = Math.max(free, this.distributorFree);
      this.distributorFree = begin + this.distributorInterval;
      this.launched++;
      const start = begin + this.gpu.blockStartLatency;
      const next = this.deal.next();
      const phases = new Phases(this.#contributions.get(this.traces[next]!)!);
      const resident: Resident = { warps: 0, waiting: [], arrived: 0, phases };
      for (const [w, warp] of this.#playbacks[next]!.entries()) {
        const slot = first + this.#placeOf(w);
        this.cursors.begin(slot, warp);
        this.age[slot] = this.launched;
        this.weight[slot] = 1;
        for (const copies of [this.copies, this.bulkReads, this.bulkStores]) copies.clear(slot);
        this.products.clear(slot);
        this.issuedAt[slot] = start - 1;
        this.scoreboard.clear(slot);
        if (!this.#settle(slot)) continue;
        this.why[slot] = reasonIndex.start;
        this.once[slot] = never;
        this.onceWeight[slot] = 1;
        this.resident[slot] = resident;
        resident.warps++;
        this.residentWarps++;
      }
      // Slots wait for the distributor empty.
      this.residentIntegral -= resident.warps * (begin - this.now);
      if (resident.warps > 0) return;
      free = start;
    }
  }

  #release(resident: Resident, at: number, weight: number): void {
    const { waiting } = resident;
    const ofGrid = waiting.some((slot) => this.code.instructions[this.instruction[slot]!]!.grid);
    const free = Math.max(at, resident.arrived) + this.gpu.barrierLatency + (ofGrid ? this.#untilAllBlocks() : 0);
    resident.waiting = [];
    for (const slot of waiting) {
      const waited = (free - this.issuedAt[slot]!) * weight;
      this.waits[reasonIndex.barrier]! += waited;
      this.stalls.queue(this.instruction[slot]!, reasonIndex.barrier, waited);
      this.issuedAt[slot] = free - 1;
      if (!this.#settle(slot)) this.#end(slot, free);
    }
  }

  /** Cycles that a block waits for others that come to a barrier of the grid when it does: each of them counts itself at one place. */
  #untilAllBlocks(): number {
    const [x, y, z] = this.summary.grid;
    return Math.max(this.gpu.gridBarrierLatency, this.gpu.gridBarrierInterval * x * y * z);
  }

  #end(slot: number, at: number): void {
    const resident = this.resident[slot]!;
    this.#stop(slot);
    this.stale[slot % this.gpu.schedulers] = 1;
    this.residentWarps--;
    resident.warps--;
    if (resident.warps > 0) {
      if (resident.waiting.length > 0 && resident.waiting.length === resident.warps) this.#release(resident, at, 1);
      return;
    }
    this.ended++;
    this.#launch(slot - (slot % this.warpsPerBlock), at + this.gpu.blockTurnaround);
  }
}
