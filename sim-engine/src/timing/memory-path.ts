/** The way of one SM's memory instructions: L1 data path, port, L2, memory; and how long each takes. */

import type { Rereads, SiteTraffic } from "../cache/traffic.ts";
import type { GpuValues } from "../gpus/figures.ts";
import { unpackMisses } from "../memory/constant-cache.ts";
import { copyWrites } from "../memory/copied.ts";
import { type MemorySite, writes } from "../memory/site.ts";
import { Calendar } from "./calendar.ts";
import { globalContention, sharedContention } from "./contention.ts";
import { goldenRatio } from "./golden-ratio.ts";
import { loaded, type MemoryRates } from "./rates.ts";
import { Server } from "./server.ts";
import { SharedLines } from "./shared-lines.ts";
import type { ExecutionSummary } from "./summary.ts";

/** What a warp waits for: the reasons the replay adds up. */
export const reasons = [
  "dependence",
  "shared",
  "constant",
  "l1",
  "l2",
  "dram",
  "host",
  "atomic",
  "shuffle",
  "barrier",
  "call",
  "pipe",
  "tensor",
  "start",
] as const;
export type Reason = (typeof reasons)[number];
export const reasonIndex = Object.fromEntries(reasons.map((name, i) => [name, i])) as Readonly<Record<Reason, number>>;

/** A load of more lines than that goes along rows of its lanes' own: memory opens a page for each. Of fewer nothing was measured. */
const linesInOrder = 16;

interface Unevenly {
  readonly pastL1: number;
  readonly fromMemory: number;
}

const evenly: Unevenly = { pastL1: 0, fromMemory: 0 };

export class MemoryPath {
  readonly l1: Server;
  /** What takes copies that go past the L1: of its data path they need no more than what they write. */
  readonly copies: Server;
  readonly constants: Server;
  readonly readPort: Server;
  readonly writePort: Server;
  readonly l2Reads: Server;
  readonly l2Writes: Server;
  readonly dram: Server;
  /** The link to the host's memory, each way. */
  readonly hostReads: Server;
  readonly hostWrites: Server;
  readonly atomics: Server;
  /** The SM's copy engine. */
  readonly bulk: Server;
  /** What the warp that asks stands for: how many executions each of its own. */
  weight = 1;
  /** The scheduler that it belongs to. */
  scheduler = 0;
  /** It is of a block that is resident at first. */
  isFirstBlock = true;
  /** Its slot, and its number among all that have come. */
  warp = 0;
  number = 0;
  /** Set by `request`: when the result is there, and why not earlier. */
  done = 0;
  reason = 0;
  /** When the last store has arrived. */
  stored = 0;
  /** When the first access knows where in memory its page is: others wait for it too. */
  #translated = 0;
  readonly #translation: number;
  readonly #gpu: GpuValues;
  readonly #rates: MemoryRates;
  readonly #summary: ExecutionSummary;
  readonly #perAtomic: number;
  /** Cycles that an atomic takes longer for the lanes it has on one address, on average. */
  readonly #contention: number;
  /** By scheduler: when it has handed over what goes to global memory. Other schedulers' passes come in between its own. */
  readonly #handedOver: Float64Array;
  /** When each of the last instructions has left the L1 to the next, a ring. */
  readonly #queue: Float64Array;
  #queued = 0;
  /** By slot of a warp: when the last of its loads that goes to the L2 is back. */
  readonly #awaited: number[] = [];
  readonly #awaitedWhy: number[] = [];
  /** By slot of a warp: when its next load of a constant can begin. */
  readonly #constantTurn: number[] = [];
  /** By site and warp: lines, and 256 bytes, that no constant load has brought yet. */
  readonly #dueLines: Map<number, number>[] = [];
  readonly #duePieces: Map<number, number>[] = [];
  /** By site. */
  readonly #constantLines: SharedLines[] = [];
  /** What hands data of the L1 on, a pass a cycle. */
  readonly #handing = new Calendar();
  /** What brings results of loads, and of wide products, to the registers: one a cycle, however many passes it took. */
  readonly #results = new Calendar();
  /** When the L1 has served all of global memory. */
  #globalUntil = 0;
  #seed = 1;
  /** By site: sectors due to the L2 and to memory that no request has carried yet. */
  readonly #dueL2: Float64Array;
  readonly #dueDram: Float64Array;
  readonly #dueUnderWay: Float64Array;
  readonly #dueL2UnderWay: Float64Array;

  /**
   * @param perAtomic cycles this SM's share of the atomic units takes for one atomic sector
   * @param lanesOnOne lanes of an atomic on its hottest address, on average
   */
  constructor(gpu: GpuValues, rates: MemoryRates, summary: ExecutionSummary, perAtomic: number, lanesOnOne: number, activeSms: number) {
    this.#gpu = gpu;
    const server = (): Server => new Server(gpu.loadWindow);
    this.l1 = server();
    this.copies = server();
    this.constants = server();
    this.readPort = server();
    this.writePort = server();
    this.l2Reads = server();
    this.l2Writes = server();
    this.dram = server();
    this.hostReads = server();
    this.hostWrites = server();
    this.atomics = server();
    this.bulk = server();
    this.#translation = gpu.translationPerSm * (activeSms - 1);
    this.#handedOver = new Float64Array(gpu.schedulers);
    this.#queue = new Float64Array(gpu.sharedQueue);
    this.#rates = rates;
    this.#summary = summary;
    this.#perAtomic = perAtomic;
    this.#contention = globalContention(gpu, Math.min(lanesOnOne, 32));
    this.#dueL2 = new Float64Array(summary.sites.length);
    this.#dueDram = new Float64Array(summary.sites.length);
    this.#dueUnderWay = new Float64Array(summary.sites.length);
    this.#dueL2UnderWay = new Float64Array(summary.sites.length);
  }

  /** When there is room before the L1 for another instruction of a scheduler: memory instructions wait at issue until then. */
  accepts(scheduler: number): number {
    const room = this.#queue[this.#queued % this.#queue.length]!;
    return Math.max(room, Math.max(this.#globalUntil, this.#handedOver[scheduler]!) - this.#gpu.memoryQueue);
  }

  /** An instruction waits before the L1, or is served, until `end`, in cycles. */
  #enqueue(end: number): void {
    this.#queue[this.#queued++ % this.#queue.length] = end;
  }

  /** A warp's shuffle, or what puts words of its lanes together, issued at `at`: so many passes of the data path. */
  shuffle(at: number, passes: number): void {
    const begin = this.l1.serve(at, passes, this.weight);
    this.#enqueue(begin + 1);
    this.done = begin + this.#gpu.shuffleLatency;
    this.reason = reasonIndex.shuffle;
  }

  /** A warp's match, issued at `at`, which goes round so often (h200-matches.txt). */
  match(at: number, rounds: number): void {
    const { matchInterval, matchLatency, matchRoundLatency } = this.#gpu;
    const begin = this.l1.serve(at, matchInterval * rounds, this.weight);
    this.#enqueue(begin + 1);
    this.done = begin + matchLatency + matchRoundLatency * rounds;
    this.reason = reasonIndex.shuffle;
  }

  /** A warp's load of a constant at a fixed place, as of a parameter, issued at `at`: when its turn comes (h200-fixed-constants.txt). */
  fixedConstant(at: number): number {
    return this.constants.serve(at, this.#gpu.constantInterval, this.weight);
  }

  /**
   * A warp's load of so many addresses of constant memory, issued at `at`: those of one warp follow each other. Blocks that come later find
   * on the SM what the first have brought there.
   */
  #constant(site: number, at: number, cycles: number, amount: number): void {
    const gpu = this.#gpu;
    const { lines, pieces, fits, thrashes } = unpackMisses(amount);
    const misses = (this.isFirstBlock || !fits) && this.#due(this.#dueLines, site, lines);
    const fills = misses && this.isFirstBlock && this.#due(this.#duePieces, site, pieces / lines);
    const others = misses && !thrashes ? (this.#constantLines[site] ??= new SharedLines()) : undefined;
    const brought = others?.ask(this.warp, this.number);
    const brings = misses && brought === undefined;
    const served = this.constants.serve(at, cycles * gpu.constantInterval + (brings ? gpu.constantLineInterval : 0), this.weight);
    const begin = Math.max(served, this.#constantTurn[this.warp] ?? 0);
    this.#constantTurn[this.warp] = begin + (brings ? gpu.constantMissTurn : gpu.constantTurn);
    let there = Math.max(begin, brought ?? 0);
    if (brings) {
      there += gpu.constantLineLatency + (fills ? gpu.constantPieceLatency + gpu.dramLatency - gpu.l2Latency : 0);
      others?.bring(there);
    }
    this.done = there + (gpu.constantL1Latency ?? gpu.sharedLatency) + (cycles - 1) * gpu.constantInterval;
    this.reason = reasonIndex.constant;
  }

  /** Whether what a site's requests each have a share of has come to another whole one, of this warp's. */
  #due(due: Map<number, number>[], site: number, share: number): boolean {
    if (share === 0) return false;
    const ofSite = (due[site] ??= new Map());
    const owed = (ofSite.get(this.number) ?? 0) + share;
    const isWhole = owed >= 0.5;
    ofSite.set(this.number, isWhole ? owed - 1 : owed);
    return isWhole;
  }

  /** An integer product with 64 bits, issued at `at`: loads wait for it, though it waits for none of them (h200-naive-parts.txt). */
  wideProduct(at: number): void {
    this.#results.serve(at, at, this.#gpu.wideProductInterval);
  }

  /** A warp's request at `site`, issued at `at`: `cycles` of the data path, `amount` sectors (or lanes on one shared address). */
  request(siteIndex: number, at: number, cycles: number, amount: number): void {
    const site = this.#summary.sites[siteIndex]!;
    if (cycles === 0 && site.space === "constant") {
      this.done = at;
      this.reason = reasonIndex.dependence;
    } else if (cycles === 0) {
      // No lane asks, yet it goes the way that all do, to the L1 as to shared memory (h200-predicates.txt, h200-barriers.txt).
      const begin = this.l1.serve(at, 1, this.weight);
      this.#enqueue(begin + 1);
      this.done = begin + this.#gpu.sharedLatency;
      this.reason = reasonIndex.dependence;
    } else if (site.space === "shared") this.#shared(site, at, cycles, amount);
    else if (site.space === "constant") {
      this.#constant(siteIndex, at, cycles, amount);
    } else this.#global(site, siteIndex, at, cycles, amount);
  }

  /**
   * A copy by the copy engine at `site`, begun at `at`, of so many sectors: neither the L1 nor the warps' port to the L2 has to do with it.
   * When its data has arrived (`done`), and, of what is stored, when shared memory has been read (the value).
   */
  copy(siteIndex: number, at: number, sectors: number): number {
    const gpu = this.#gpu;
    const rates = this.#rates;
    const traffic = this.#summary.traffic.sites[siteIndex]!;
    const stores = writes(this.#summary.sites[siteIndex]!);
    const { weight } = this;
    const begin = this.bulk.serve(at, (sectors * gpu.sectorBytes) / gpu.bulkBytesPerClock, weight);
    const engine = this.bulk.free;
    const l2 = stores ? this.l2Writes : this.l2Reads;
    l2.serve(begin, sectors * traffic.accessesPerSector * (stores ? rates.l2PerWrite : rates.l2PerRead), weight);
    let there = Math.max(engine, l2.free);
    let latency = loaded(gpu.bulkLatency, l2.utilisation(begin), stores ? gpu.storeSoftness : gpu.loadSoftness);
    this.reason = reasonIndex.l2;
    const dramSectors = this.#take(this.#dueDram, siteIndex, sectors * traffic.dram, sectors);
    if (dramSectors > 0) {
      this.dram.serve(begin, dramSectors * traffic.bytesPerDramSector * rates.dramPerByte, weight);
      if (!stores) {
        there = Math.max(there, this.dram.free);
        latency += loaded(gpu.dramLatency - gpu.l2Latency, this.dram.utilisation(begin), rates.dramSoftness);
        this.reason = reasonIndex.dram;
      }
    }
    if (!stores) this.#translated ||= at + this.#translation;
    this.done = Math.max(this.#translated, there) + latency;
    if (stores) this.stored = Math.max(this.stored, this.done);
    return engine;
  }

  #shared(site: MemorySite, at: number, cycles: number, lanesOnOne: number): void {
    const gpu = this.#gpu;
    const atomic = site.operation === "atomic" || site.operation === "reduction";
    const extra = atomic ? sharedContention(gpu, lanesOnOne) : 0;
    const begin = this.l1.serve(at, cycles + extra, this.weight);
    this.#enqueue(begin + cycles + extra);
    this.done = begin + gpu.sharedLatency + (cycles - 1) * gpu.conflictLatency + extra + (atomic ? (gpu.sharedAtomicLatency ?? 0) : 0);
    this.reason = reasonIndex.shared;
  }

  #global(site: MemorySite, index: number, at: number, cycles: number, sectors: number): void {
    const gpu = this.#gpu;
    const rates = this.#rates;
    const traffic = this.#summary.traffic.sites[index]!;
    const isStore = site.operation === "store";
    const atomic = site.operation === "atomic" || site.operation === "reduction";
    const missing = Math.min(1, traffic.l2 + traffic.dram);
    const perLoad = gpu.l1PassInterval + missing * (gpu.l1MissPassInterval - gpu.l1PassInterval);
    const passes = site.pastL1 ? cycles : cycles * (isStore ? gpu.l1StorePassInterval : perLoad);
    const isLoad = site.operation === "load" && !site.pastL1;
    // What is not there, or behind such in its warp's order, is handed on when it is: its scheduler need not wait for that.
    const awaited = isLoad ? (this.#awaited[this.warp] ?? 0) : 0;
    const unit = isLoad && (missing > 0 || awaited > at) ? 1 : gpu.unitInterval;
    const begin = site.pastL1 ? this.#copyPast(at, cycles) : this.#lookUp(at, cycles * unit, passes);
    const lookedUp = Math.max(begin + passes - 1, begin + (cycles - 1) * unit);
    const atL1 = isLoad ? Math.max(lookedUp, this.#results.serve(at, lookedUp, 1) - 1) : lookedUp;

    const unevenly = traffic.rereads ? this.#unevenly(traffic.rereads) : evenly;
    const onward = Math.min(1, Math.max(0, traffic.l2 + traffic.dram + unevenly.pastL1));
    const toL2 = this.#take(this.#dueL2, index, sectors * onward, sectors, sectors * traffic.together);
    const mostToDram = isStore || atomic ? sectors : toL2;
    const beyond = Math.max(0, traffic.dram + unevenly.fromMemory);
    const toDram = this.#take(this.#dueDram, index, sectors * beyond, mostToDram, mostToDram * traffic.togetherFromMemory);
    this.done = atL1 + gpu.l1Latency;
    this.reason = reasonIndex.l1;
    if (toL2 === 0) {
      if (isLoad && awaited <= at && !(traffic.underWay > 0)) {
        this.done = Math.max(this.done, this.#handing.serve(at, begin, cycles) - 1 + gpu.l1Latency);
        return;
      }
      if (traffic.underWay > 0 && this.#take(this.#dueUnderWay, index, sectors * traffic.underWay, sectors) > 0)
        this.#awaitOther(traffic, atL1);
      if (awaited > at) {
        if (awaited > this.done) this.reason = this.#awaitedWhy[this.warp]!;
        this.#handOn(at, Math.max(this.done, awaited), cycles);
      }
      return;
    }

    const byRows = isLoad && toL2 * traffic.linesPerSector > linesInOrder;
    const changes = isStore || atomic;
    const port = changes ? this.writePort : this.readPort;
    const perWrite = Math.max(rates.portPerWrite, traffic.linesPerSector * rates.portPerLine);
    const atPort = port.serve(atL1, toL2 * (changes ? perWrite : rates.portPerRead), this.weight);
    // Data goes each way by itself, but lines that are read take turns with what is written.
    const l2 = changes ? this.l2Writes : this.l2Reads;
    const byAccess = traffic.accessesPerSector * (changes ? rates.l2PerWrite : rates.l2PerRead);
    const atL2 = l2.serve(atPort, toL2 * (atomic ? Math.min(byAccess, rates.l2PerAtomic) : byAccess), this.weight);
    let back = atL2;
    if (!changes) {
      // What memory brings to the half that did not ask for it goes the way that writes go, too.
      const brought = traffic.host ? 0 : toDram;
      const atHalf = this.l2Writes.serve(
        atPort,
        toL2 * traffic.linesPerSector * rates.l2PerLine + brought * rates.l2PerBrought,
        this.weight,
      );
      // So does a load of many lines, each of which is asked for by itself (validation/h100-rows: addRow); few slip in between.
      if ((brought > 0 && rates.l2PerBrought > 0) || byRows) back = Math.max(back, atHalf);
    }
    let utilisation = l2.utilisation(atPort);
    let latency = gpu.l2Latency;
    this.reason = reasonIndex.l2;
    if (atomic) {
      back = Math.max(back, this.atomics.serve(atPort, toL2 * this.#perAtomic, this.weight));
      latency += (gpu.globalAtomicLatency ?? 0) + this.#contention;
      this.reason = reasonIndex.atomic;
    }
    const { host } = traffic;
    const behind = host ? (changes ? this.hostWrites : this.hostReads) : this.dram;
    if (toDram > 0 && host) {
      // Lone sectors cost the link as much as the access that brings them; a write that fills no sector, as much as a packet.
      const bytes = isStore ? gpu.sectorBytes : gpu.l2AccessBytes * traffic.accessesPerSector;
      const each = Math.max(bytes * rates.hostPerByte, isStore ? host.partial * rates.hostPerPartial : 0);
      const atHost = behind.serve(atPort, toDram * each, this.weight);
      if (!isStore) {
        back = Math.max(back, atHost);
        latency = (gpu.hostLatency * gpu.clock) / 1000;
        utilisation = Math.max(utilisation, behind.utilisation(atPort));
        this.reason = reasonIndex.host;
      }
    } else if (toDram > 0) {
      const inOrder = byRows ? rates.dramPerRowByte : rates.dramPerByte;
      const perByte = traffic.scattered ? rates.dramPerScatteredByte : inOrder;
      const atDram = this.dram.serve(atPort, toDram * traffic.bytesPerDramSector * perByte, this.weight);
      if (!isStore) {
        back = Math.max(back, atDram);
        latency += gpu.dramLatency - gpu.l2Latency;
        utilisation = Math.max(utilisation, this.dram.utilisation(atPort));
        this.reason = reasonIndex.dram;
      }
    }
    if (toDram === 0 && !changes && this.#take(this.#dueL2UnderWay, index, sectors * traffic.l2UnderWay, toL2) > 0) {
      latency = gpu.dramLatency;
      utilisation = Math.max(utilisation, this.dram.utilisation(atPort));
      this.reason = reasonIndex.dram;
    }
    const power = isStore ? gpu.storeSoftness : this.reason === reasonIndex.dram ? rates.dramSoftness : gpu.loadSoftness;
    if (!isStore) this.#translated ||= at + this.#translation;
    this.done =
      Math.max(this.#translated, back) +
      loaded(latency, utilisation, power) * (1 + gpu.latencyVariation * this.#latest(toL2 * traffic.accessesPerSector));
    if (isLoad) {
      if (byRows && toDram > 0 && this.reason === reasonIndex.dram) this.done -= gpu.dramRowLatency * Math.log(this.#drawn());
      this.#handOn(at, Math.max(this.done, awaited), cycles);
    }
    if (isStore || site.operation === "reduction") {
      // Nobody waits for a store, but what is behind cannot take more than it has room for: then the L1 stands still.
      const room = gpu.storeRoom * gpu.dramLatency;
      const last = Math.max(port.free, l2.free, toDram > 0 ? behind.free : 0);
      const ofAtomics = Math.max(room, gpu.atomicRoom * toL2 * this.#perAtomic);
      const until = Math.max(last - room, atomic ? this.atomics.free - ofAtomics : 0);
      if (until > this.l1.free) this.#globalUntil = this.l1.free = until;
      this.stored = this.done;
      this.done = atL1;
    }
  }

  /** Looks up what a request is about, in so many cycles of the data path, which take so long; when it begins. */
  #lookUp(at: number, handing: number, passes: number): number {
    const begin = this.l1.serve(Math.max(at, this.#handedOver[this.scheduler]!), passes, this.weight);
    this.#handedOver[this.scheduler] = begin + handing;
    this.#globalUntil = begin + passes;
    return begin;
  }

  /** Hands a copy on that goes past the L1: it waits for its passes where it holds up nothing else. When they begin. */
  #copyPast(at: number, passes: number): number {
    const begin = this.l1.serve(at, copyWrites, this.weight);
    this.#enqueue(begin + copyWrites);
    return this.copies.serve(begin + copyWrites, passes, this.weight);
  }

  /** Waits for what another warp asked for, from where most of the site's misses are served. */
  #awaitOther({ l2, l2UnderWay, dram, host }: SiteTraffic, at: number): void {
    const gpu = this.#gpu;
    const beyond = host
      ? ([(gpu.hostLatency * gpu.clock) / 1000, this.hostReads, reasonIndex.host] as const)
      : ([gpu.dramLatency, this.dram, reasonIndex.dram] as const);
    const [latency, server, reason] =
      dram + l2UnderWay > l2 - l2UnderWay ? beyond : ([gpu.l2Latency, this.l2Reads, reasonIndex.l2] as const);
    this.done = Math.max(this.#translated, at) + loaded(latency, server.utilisation(at), gpu.loadSoftness);
    this.reason = reason;
  }

  /**
   * Hands a load's data on to registers, in so many passes, from when it is there: after what its warp asked for before, and sharing the way
   * with what others have (h200-pending.txt).
   */
  #handOn(at: number, there: number, passes: number): void {
    this.done = this.#handing.serve(at, there, passes) - 1;
    this.#awaited[this.warp] = this.done;
    this.#awaitedWhy[this.warp] = this.reason;
  }

  /**
   * What a warp loses of what it reads again, beyond what warps lose on average, in shares of the site's sectors. One that falls behind loses
   * ever more to those before it: of u from 0 to 1 the share is u^(1/mean - 1), whose mean is that (h200-second-pass.txt).
   */
  #unevenly({ share, lostByL1, lostByL2 }: Rereads): Unevenly {
    const u = 1 - ((this.number * goldenRatio) % 1);
    const beyond = (mean: number): number => (mean > 0 && mean < 1 ? share * (u ** (1 / mean - 1) - mean) : 0);
    return { pastL1: beyond(lostByL1), fromMemory: beyond(lostByL2) };
  }

  /** Evenly from above 0 to 1, the same sequence every time. */
  #drawn(): number {
    this.#seed = (Math.imul(this.#seed, 1664525) + 1013904223) >>> 0;
    return (this.#seed + 1) / 2 ** 32;
  }

  /** The latest of so many accesses whose latencies vary evenly, with mean 0 and variance 1: the same sequence every time. */
  #latest(accesses: number): number {
    return (this.#drawn() ** (1 / Math.max(1, accesses)) - 0.5) * Math.sqrt(12);
  }

  /**
   * How many sectors of a running account this request carries, at most `most`: none, or those that are missed `together`. Those of a
   * gather are missed each by itself.
   */
  #take(due: Float64Array, site: number, sectors: number, most: number, together = most): number {
    const owed = due[site]! + sectors;
    const whole = this.#summary.sites[site]!.irregular ? Math.min(Math.round(owed), most) : owed >= together / 2 ? together : 0;
    due[site] = owed - whole;
    return whole;
  }
}
