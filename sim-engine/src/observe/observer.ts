/**
 * Watches blocks run for the caches and the timing: a log of the sectors each warp asks for, and a trace of what it issued.
 */

import { type AccessKind, atomic, bypass, l1Cycles, load, SectorLog, store } from "../cache/index.ts";
import {
  type AccessCounter,
  type AccessListener,
  contention,
  isInGlobal,
  type ObservedShape,
  type RequestShape,
  sectorsOfRanges,
  wavefrontsOfSpin,
} from "../execute/accesses.ts";
import { launchConstants } from "../execute/constants.ts";
import { constantBase, globalBase, localBase } from "../execute/memory.ts";
import type { CompiledBlock, Program } from "../execute/program.ts";
import { tensorOf } from "../execute/provenance.ts";
import type { WarpRecord } from "../execute/record.ts";
import type { Runner } from "../execute/run.ts";
import type { GpuValues } from "../gpus/figures.ts";
import type { Action, Block, Op } from "../ir/kernel.ts";
import type { Copied } from "../memory/copied.ts";
import { DistinctSet } from "../memory/distinct.ts";
import { laneGroups, localAddresses } from "../memory/sectors.ts";
import type { MemorySite } from "../memory/site.ts";
import { roomOfWarp, type TimedCode, TraceRecorder, type WarpTrace } from "../timing/index.ts";
import { AtomicRegions } from "./atomic-regions.ts";
import { constantMisses } from "./constant-misses.ts";
import { loggedRepeats } from "./logged-repeats.ts";
import { goesOnAlike, type Thinned, thinned } from "./thinned.ts";
import { turnsOf } from "./turns.ts";

/** Local memory lies above all buffers in what the caches see. */
const localStart = 2 ** 36;
const sectorBytes = 32;
/** Requests whose first address stands alike within this many bytes have one shape. */
const shapeBytes = 128;
const full = 0xffffffff;

/** Where an operation stands in the machine code, and how often its warp waits in its block of code before it. */
interface CodePlace {
  readonly at: number;
  readonly burst: number;
}

interface InCode {
  /** Where operations stand in it. */
  readonly places: ReadonlyMap<Op, CodePlace>;
  readonly runs: ReadonlyMap<Op, Pick<MemorySite, "run" | "awaits">>;
  readonly underWay: ReadonlyMap<Op, readonly Op[]>;
}

const notCompiled: InCode = { places: new Map(), runs: new Map(), underWay: new Map() };

/** Memory operations in an order that gives each its number. */
export interface Sites {
  readonly numbers: ReadonlyMap<Op, number>;
  readonly sites: readonly MemorySite[];
  /** By site, where it stands in the machine code; absent where it is not known. */
  readonly places: readonly (CodePlace | undefined)[];
}

/** @param code what the machine code tells: the order of all, runs of stores, and the loads that are under way when stores are issued */
export function numberSites(program: Program, irregular: ReadonlySet<Op>, { places, runs, underWay }: InCode = notCompiled): Sites {
  const numbers = new Map<Op, number>();
  const sites: MemorySite[] = [];
  const read = new Set<Op>();
  for (const block of program.kernel.blocks) {
    for (const op of [...block.phis, ...block.ops]) for (const arg of op.args) read.add(arg);
    if (block.end.kind === "branch") read.add(block.end.cond);
  }
  for (const [op, [counter]] of program.counters) {
    if (!counter) continue;
    numbers.set(op, sites.length);
    const isCopy = counter.operation === "copy" || op.action.kind === "copy.bulk";
    const run = runs.get(op);
    const address = isCopy ? op.args[1] : op.args[0];
    const isTensor = op.action.kind === "copy.bulk" && op.action.tensor !== undefined;
    const [object, ...others] = address ? (isTensor ? tensorOf(program.launch, address) : program.provenance.of(address)) : [];
    const buffer = object?.startsWith("buffer ") && others.length === 0 ? Number(object.slice("buffer ".length)) : undefined;
    sites.push({
      space: counter.space,
      operation: counter.operation === "atomic" && !read.has(op) ? "reduction" : counter.operation,
      ...(buffer === undefined ? {} : { buffer }),
      ...(irregular.has(op) ? { irregular: true } : {}),
      ...(op.action.kind === "copy.async" && op.action.bypassL1 ? { pastL1: true } : {}),
      ...run,
    });
  }
  // Only what may be of the same buffer can be of the same sector.
  for (const [store, loads] of underWay) {
    const own = numbers.get(store);
    if (own === undefined) continue;
    const met = loads.flatMap((load) => {
      const site = numbers.get(load);
      return site !== undefined && sites[site]!.buffer === sites[own]!.buffer ? [site] : [];
    });
    if (met.length > 0) sites[own] = { ...sites[own]!, underWay: met };
  }
  return { numbers, sites, places: [...numbers.keys()].map((op) => places.get(op)) };
}

/** What was seen of one block. */
export interface ObservedBlock {
  readonly log: SectorLog;
  readonly records: readonly WarpRecord[];
}

interface Place {
  readonly record: WarpRecord;
  readonly site: number;
  readonly offset: number | undefined;
}

/** Requests of one block that are logged for the caches, and sectors after which bulk copies are not: each has as many as it likes. */
const logLimit = 1 << 14;
const sectorLimit = 1 << 16;

export class Observer implements AccessListener {
  readonly #runner: Runner;
  readonly #program: Program;
  readonly #sites: Sites;
  readonly #counters: readonly AccessCounter[];
  readonly #lanes = new Float64Array(32);
  readonly #seen = new DistinctSet();
  readonly #warps: number;
  #log = new SectorLog(0, 0);
  /** By request of the log: the entry of its warp's record in which it was made. */
  #entries: number[] = [];
  #observed = 0;
  /** Warps whose requests have all been kept that are to be. */
  #fullWarps = new Set<number>();
  readonly atomics: AtomicRegions;

  constructor(runner: Runner, sites: Sites, gpu: GpuValues) {
    const constantOf = launchConstants(runner.program.environment);
    this.atomics = new AtomicRegions(
      gpu,
      runner.program.kernel.blocks.flatMap(({ ops }) => ops),
      new Set([...sites.numbers].flatMap(([op, number]) => (sites.sites[number]?.irregular ? [op] : []))),
      (op) => {
        const buffer = sites.sites[sites.numbers.get(op) ?? -1]?.buffer;
        return buffer === undefined ? undefined : runner.program.launch.buffers[buffer]?.bytes;
      },
      ({ args: [address] }) => address && turnsOf(address, constantOf),
    );
    this.#runner = runner;
    this.#program = runner.program;
    this.#sites = sites;
    this.#counters = [...this.#program.counters.values()].flat();
    this.#warps = Math.ceil(this.#program.launch.block.reduce((a, b) => a * b) / 32);
  }

  /** Runs `run`, which runs the block with this linear index, and tells what it did. */
  watch(index: number, run: () => void): ObservedBlock {
    const log = new SectorLog(index, logLimit);
    const records: WarpRecord[] = [];
    this.#log = log;
    this.#entries = [];
    this.#observed++;
    this.#fullWarps = new Set();
    this.atomics.begin(index);
    this.#runner.records = records;
    for (const counter of this.#counters) counter.listener = this;
    try {
      run();
    } finally {
      this.#stop();
      this.#runner.records = undefined;
    }
    this.#arrange(log);
    log.repeats = records.flatMap(({ warp, repeats }) => {
      if (repeats.length === 0) return [];
      const requests: number[] = [];
      for (let r = 0; r < log.requests; r++) if (log.warp[r] === warp) requests.push(r);
      return loggedRepeats(repeats, requests, this.#entries);
    });
    this.#tellPhases(log, records);
    return { log, records };
  }

  /** Brings what a warp asked for in one run of a block into the order of the machine code, which issues loads ahead of what needs others. */
  #arrange(log: SectorLog): void {
    const { places } = this.#sites;
    const runs = new Map<number, number[]>();
    for (let r = 0; r < log.requests; r++) {
      const key = this.#entries[r]! * this.#warps + log.warp[r]!;
      const run = runs.get(key);
      if (run) run.push(r);
      else runs.set(key, [r]);
    }
    const order = Array.from({ length: log.requests }, (_, r) => r);
    let moves = false;
    for (const run of runs.values()) {
      if (run.some((r) => places[log.site[r]!] === undefined)) continue;
      const issued = run.toSorted((a, b) => places[log.site[a]!]!.at - places[log.site[b]!]!.at);
      for (const [k, r] of run.entries()) {
        order[r] = issued[k]!;
        moves ||= r !== issued[k];
      }
    }
    if (moves) log.arrange(order);
    log.goesOn = Uint8Array.from({ length: log.requests });
    for (const run of runs.values())
      for (let k = 1; k < run.length; k++) {
        const [before, here] = [places[log.site[run[k - 1]!]!], places[log.site[run[k]!]!]];
        if (before && here && before.burst === here.burst) log.goesOn[run[k]!] = 1;
      }
  }

  /** Tells the log what lies between which barriers. */
  #tellPhases(log: SectorLog, records: readonly WarpRecord[]): void {
    const isHeld = this.#program.blocks.map(({ block }) => block.ops.some(({ action }) => action.kind === "barrier"));
    if (!isHeld.includes(true)) return;
    const passes: number[] = [1];
    const ofWarp = new Map<number, readonly number[]>();
    for (const { warp, blocks, weights } of Object.values(records)) {
      let phase = 0;
      const byEntry = blocks.map((block, entry) => {
        if (isHeld[block]) passes[++phase] ??= weights[entry]!;
        return phase;
      });
      ofWarp.set(warp, byEntry);
    }
    log.phase = Uint32Array.from({ length: log.requests }, (_, r) => ofWarp.get(log.warp[r]!)?.[this.#entries[r]!] ?? 0);
    log.passes = passes;
  }

  /** Begins a request in the log; false when it is dropped. */
  #logged(record: WarpRecord, site: number, kind: AccessKind): boolean {
    if (!this.#log.request(record.warp, site, kind)) return false;
    this.#entries.push(record.blocks.length - 1);
    return true;
  }

  #stop(): void {
    for (const counter of this.#counters) counter.listener = undefined;
  }

  request(counter: AccessCounter, addresses: Float64Array, from: number, mask: number, cost: number, moved?: Copied): void {
    const place = this.#place(counter);
    if (!place) return;
    const { record, site, offset } = place;
    if (counter.space === "local") {
      this.#localRequest(counter, place, addresses, from, mask, cost);
      return;
    }
    if (counter.space === "constant") {
      if (!record.full) record.requests.push(site, cost, addresses[from + 31 - Math.clz32(mask & -mask)]! - constantBase);
      return;
    }
    if (!record.full) {
      const cycles = moved ? Math.round(moved.cycles) : pathCycles(counter, addresses, from, mask, cost);
      record.requests.push(site, cycles, amountOf(counter, addresses, from, mask, cost));
    }
    if (offset === undefined || !this.#logged(record, site, kindOf(counter))) return;
    for (const sector of moved?.sectors ?? this.#sectorsOf(counter, addresses, from, mask)) {
      const sectorIndex = sector + offset / sectorBytes;
      this.#log.sector(sectorIndex, counter.operation === "store" ? written(addresses, from, mask, counter.bytes, sector) : full);
    }
    if (counter.operation === "atomic") this.atomics.add(counter.op, record.warp, addresses, from, mask);
  }

  /** Each warp's threads have their frames side by side, word by word: the words of a wide access lie in rows of their own. */
  #localRequest(
    counter: AccessCounter,
    { record, site, offset = 0 }: Place,
    addresses: Float64Array,
    from: number,
    mask: number,
    cost: number,
  ): void {
    const bytes = Math.min(4, counter.bytes);
    const touched = new Map<number, number>();
    let cycles = 0;
    for (let word = 0; word < counter.bytes / 4; word++) {
      localAddresses(addresses, from, mask, localBase, word, this.#lanes);
      cycles += l1Cycles(this.#lanes, 0, mask, bytes);
      for (const sector of this.#sectorsOf({ bytes, lanesTogether: 32 }, this.#lanes, 0, mask)) {
        const moved = counter.operation === "store" ? written(this.#lanes, 0, mask, bytes, sector) : full;
        touched.set(sector, ((touched.get(sector) ?? 0) | moved) >>> 0);
      }
    }
    if (!record.full) record.requests.push(site, cycles, cost);
    if (!this.#logged(record, site, kindOf(counter))) return;
    for (const [sector, moved] of touched) this.#log.sector(sector + offset / sectorBytes, moved);
  }

  patterned(counter: AccessCounter, shape: RequestShape, first: number, pattern: Float64Array, mask: number): void {
    const place = this.#place(counter);
    if (!place) return;
    const { record, site, offset } = place;
    const line = Math.floor(first / shapeBytes) * shapeBytes;
    shape.observed ??= this.#observe(counter, shape, first, line, pattern, mask);
    const { cycles, amount, sectors, bytes } = shape.observed;
    if (counter.space === "constant") {
      if (!record.full) record.requests.push(site, cycles, first - constantBase);
      return;
    }
    if (!record.full) record.requests.push(site, cycles, amount);
    if (offset === undefined || !this.#logged(record, site, kindOf(counter))) return;
    const base = (line + offset) / sectorBytes;
    for (let k = 0; k < sectors.length; k++) this.#log.sector(base + sectors[k]!, bytes[k]!);
    if (counter.operation === "atomic") this.atomics.add(counter.op, record.warp, this.#spread(first, pattern), 0, mask);
  }

  bulk(counter: AccessCounter, ranges: readonly number[], phase: number): void {
    const place = this.#place(counter);
    if (!place) return;
    const { record, site, offset = 0 } = place;
    const base = offset / sectorBytes;
    const logged = this.#log.sectorCount < sectorLimit && this.#logged(record, site, counter.operation === "bulk store" ? store : bypass);
    let sectors = 0;
    sectorsOfRanges(ranges, (sector, from, to) => {
      sectors++;
      if (logged) this.#log.sector(sector + base, to - from === sectorBytes ? full : ((2 ** (to - from) - 1) * 2 ** from) >>> 0);
    });
    record.requests.push(site, phase, sectors);
  }

  meets(counter: AccessCounter, phase: number): void {
    const place = this.#place(counter);
    place?.record.requests.push(place.site, phase, 0);
  }

  #observe(
    counter: AccessCounter,
    { cost }: RequestShape,
    first: number,
    line: number,
    pattern: Float64Array,
    mask: number,
  ): ObservedShape {
    const at = this.#spread(first, pattern);
    const touched = isInGlobal(counter.space) ? this.#sectorsOf(counter, at, 0, mask) : [];
    return {
      cycles: pathCycles(counter, at, 0, mask, cost),
      amount: amountOf(counter, at, 0, mask, cost),
      sectors: touched.map((sector) => sector - line / sectorBytes),
      bytes: touched.map((sector) => (counter.operation === "store" ? written(at, 0, mask, counter.bytes, sector) : full)),
    };
  }

  #spread(first: number, pattern: Float64Array): Float64Array {
    for (let lane = 0; lane < 32; lane++) this.#lanes[lane] = first + pattern[lane]!;
    return this.#lanes;
  }

  /** Where a request is noted; `offset` is what takes its addresses to those the caches know, absent for what they do not see. */
  #place(counter: AccessCounter): Place | undefined {
    const record = this.#runner.record;
    const site = this.#sites.numbers.get(counter.op);
    // Of a copy into shared memory, the reading side is the access.
    if (!record || site === undefined || (counter.operation === "copy" && counter.space === "shared")) return undefined;
    if (record.full && this.#log.dropped > 0 && this.#fullWarps.add(record.warp).size === this.#warps) this.#stop();
    if (isInGlobal(counter.space)) return { record, site, offset: -globalBase };
    if (counter.space !== "local") return { record, site, offset: undefined };
    const frame = Math.ceil(this.#program.environment.frameBytes / 4) * 128;
    return { record, site, offset: localStart + (this.#observed * this.#warps + record.warp) * frame };
  }

  /** Sectors (address / 32) of a request, each once for lanes that are looked up together. */
  #sectorsOf(
    { bytes, lanesTogether }: Pick<AccessCounter, "bytes" | "lanesTogether">,
    addresses: Float64Array,
    from: number,
    mask: number,
  ): number[] {
    const found: number[] = [];
    for (const group of laneGroups(mask, lanesTogether)) {
      const before = found.length;
      // Most accesses ascend with the lane: then what lies above the last sector is new.
      let highest = Number.NEGATIVE_INFINITY;
      for (let lane = 0, bits = group; bits !== 0; lane++, bits >>>= 1) {
        if ((bits & 1) === 0) continue;
        const address = addresses[from + lane]!;
        let sector = Math.floor(address / sectorBytes);
        if (sector < highest) {
          found.length = before;
          this.#addScattered(found, bytes, addresses, from, group);
          break;
        }
        if (sector === highest) sector++;
        const last = Math.floor((address + bytes - 1) / sectorBytes);
        for (; sector <= last; sector++) found.push(sector);
        highest = Math.max(highest, last);
      }
    }
    return found;
  }

  #addScattered(found: number[], bytes: number, addresses: Float64Array, from: number, group: number): void {
    this.#seen.clear();
    for (let lane = 0, bits = group; bits !== 0; lane++, bits >>>= 1) {
      if ((bits & 1) === 0) continue;
      const address = addresses[from + lane]!;
      const last = Math.floor((address + bytes - 1) / sectorBytes);
      for (let sector = Math.floor(address / sectorBytes); sector <= last; sector++) if (this.#seen.add(sector | 0)) found.push(sector);
    }
  }
}

/** Which bytes of a sector the lanes write, bit by bit. */
function written(addresses: Float64Array, from: number, mask: number, bytes: number, sector: number): number {
  const begin = sector * sectorBytes;
  let bits = 0;
  for (let lane = 0, left = mask; left !== 0 && bits !== -1; lane++, left >>>= 1) {
    if ((left & 1) === 0) continue;
    const at = addresses[from + lane]! - begin;
    if (at >= sectorBytes || at + bytes <= 0) continue;
    const first = Math.max(0, at);
    bits |= (-1 >>> (sectorBytes - Math.min(sectorBytes, at + bytes) + first)) << first;
  }
  return bits >>> 0;
}

function kindOf({ operation, op, space }: AccessCounter): AccessKind {
  if (operation === "store") return store;
  if (operation === "atomic") return atomic;
  const { action } = op;
  if (action.kind === "copy.async") return action.bypassL1 ? bypass : load;
  return action.kind === "load" && isInGlobal(space) && isPastL1(action) ? bypass : load;
}

/**
 * What another SM may have written meanwhile is read from the L2 (`LDG.E.STRONG.SYS`; validation/h100-rows: `addOwn` hits the L1 never): only
 * what the threads of a block agree on may come from the L1.
 */
const isPastL1 = ({ cache, volatile, atomic: scope }: Extract<Action, { readonly kind: "load" }>): boolean =>
  cache === "cg" || cache === "cv" || (volatile === true && scope !== "block");

/** Cycles of the L1's data path: passes through banks or tags, wavefronts, distinct addresses. */
function pathCycles(counter: AccessCounter, addresses: Float64Array, from: number, mask: number, cost: number): number {
  if (isInGlobal(counter.space) || counter.space === "local") return l1Cycles(addresses, from, mask, counter.bytes);
  return counter.spins ? wavefrontsOfSpin(addresses, from, mask, counter.bytes, cost) : cost;
}

/** Sectors that move, or of shared atomics the most lanes on one address, where they do not take turns. */
function amountOf(counter: AccessCounter, addresses: Float64Array, from: number, mask: number, cost: number): number {
  if (isInGlobal(counter.space) || counter.space === "local") return cost;
  return counter.space === "shared" && counter.operation === "atomic" && !counter.spins ? contention(addresses, from, mask) : 0;
}

/** Instructions kept of a warp. */
const mostInstructions = 4096;
/** Instructions kept of a warp that waits for phases: what stands for others would not wait, as its phases are over. */
const mostWithPhases = 1 << 16;

/** What becomes of what was recorded. */
export interface Changed {
  /** Of a block's executions, the share that is left. */
  executed(block: Block): number;
  /** A request's cycles of the data path, and what it moves; undefined where it is not made. */
  request(site: number, cycles: number, amount: number): readonly [cycles: number, amount: number] | undefined;
}

/** What records number. */
export interface RecordedKernel {
  readonly blocks: readonly CompiledBlock[];
  readonly sites: readonly MemorySite[];
}

/**
 * Records of a block's warps as the timing replays them; with what they ran and asked for as `changed` has it. Where one is longer than the
 * replay has room for and does not go on as it began, each is thinned by the same share: they have to meet at barriers as often.
 * @param residentWarps of an SM
 */
export function tracesOf(
  records: readonly WarpRecord[],
  of: RecordedKernel,
  code: TimedCode,
  residentWarps: number,
  changed?: Changed,
): readonly WarpTrace[] {
  const { blocks } = of;
  const waits = code.code.some((block) => block.some(({ kind }) => kind === "await"));
  const lengths = blocks.map(({ block }) => (code.isPredicated(block) ? 0 : (code.code[code.indexOf(block)]?.length ?? 0)));
  const longest = Math.max(0, ...records.map((record) => record.blocks.reduce((sum, index) => sum + (lengths[index] ?? 0), 0)));
  const room = Math.min(mostInstructions, roomOfWarp(residentWarps));
  const lengthIn =
    (record: WarpRecord) =>
    (entry: number): number =>
      lengths[record.blocks[entry]!] ?? 0;
  const thins = longest > room && !waits && !records.every((record) => goesOnAlike(record, lengthIn(record), room));
  return records.map((record) =>
    traceOf(
      record,
      of,
      code,
      new TraceRecorder(
        code.code.map((block) => block.length),
        waits ? mostWithPhases : mostInstructions,
      ),
      thins ? thinned(record, lengthIn(record), room, longest) : undefined,
      changed,
    ),
  );
}

function traceOf(
  record: WarpRecord,
  { blocks, sites }: RecordedKernel,
  code: TimedCode,
  recorder: TraceRecorder,
  shorter: Thinned | undefined,
  changed: Changed | undefined,
): WarpTrace {
  const { requests, starts, weights } = record;
  const entry: number[] = [];
  const missed = constantMisses(record, sites);
  for (const [k, index] of record.blocks.entries()) {
    entry.push(recorder.entries);
    const compiled = blocks[index];
    const standsFor = shorter?.standsFor[k] ?? 1;
    if (!compiled || standsFor === 0) continue;
    if (!code.isPredicated(compiled.block))
      recorder.enter(code.indexOf(compiled.block), (weights[k] ?? 1) * standsFor * (changed?.executed(compiled.block) ?? 1));
    const end = starts[k + 1] ?? requests.length;
    for (let r = starts[k] ?? end; r < end; r += 3) {
      const [site, cycles, amount] = [requests[r]!, requests[r + 1]!, missed.get(r) ?? requests[r + 2]!];
      const made = changed ? changed.request(site, cycles, amount) : [cycles, amount];
      if (made) recorder.access(site, made[0]!, made[1]!);
    }
  }
  for (const { from, to, times } of [...record.repeats, ...(shorter?.repeats ?? [])])
    recorder.repeat(entry[from] ?? recorder.entries, entry[to] ?? recorder.entries, times);
  return recorder.finish();
}

/** Instructions a warp issued, by the weights of what was recorded. */
export const issuedBy = (
  { blocks: entries, weights }: WarpRecord,
  blocks: readonly CompiledBlock[],
  code: TimedCode,
  changed?: Changed,
): number =>
  entries.reduce((sum, index, k) => {
    const compiled = blocks[index];
    const length = compiled && !code.isPredicated(compiled.block) ? (code.code[code.indexOf(compiled.block)]?.length ?? 0) : 0;
    return sum + length * (weights[k] ?? 1) * (compiled && changed ? changed.executed(compiled.block) : 1);
  }, 0);
