/**
 * Where global atomics meet: those that fall into one slice of the L2 are done one after the other. A sector of a request is one
 * pass over the unit for each lane on its busiest word, a shorter one where all of its words are wanted; a floating-point sum has to wait
 * for the one before where that was of the same sector (measured: microbenchmarks/h200-results.txt, `atomics`, and h200-atomics.txt). Two
 * slices take turns at 256 bytes of a kilobyte (h200-slices-of-sums.txt).
 */
import type { GpuValues } from "../gpus/figures.ts";
import type { Op } from "../ir/kernel.ts";
import { bytesOfPass, isFloatSum, isSwap, isUnited } from "./atomic-work.ts";
import { InStep } from "./in-step.ts";
import { mean } from "./mean.ts";
import { Retries, retriedAmong } from "./retries.ts";

/** In passes of integer operations over a part of a sector. */
interface Passes {
  passes: number;
  /** What floating-point sums wait for those before, if each is of the same sectors as the one before. */
  waits: number;
}

interface Region {
  /** Observed blocks that have atomics here, and their linear indices. */
  blocks: number;
  readonly indices: number[];
  lastBlock: number;
  readonly byOp: Map<Op, Passes>;
  readonly sectors: Set<number>;
}

/** An instruction's atomics. */
interface OfOp extends Passes {
  /** Lanes on the busiest word of each sector of its requests, added up. */
  onWord: number;
  /** Sectors of its requests, and of those in one block that are others than before. */
  requested: number;
  distinct: number;
  readonly inBlock: Set<number>;
  /** Of each block observed: its linear index, and its first and last word's addresses. */
  readonly blocks: { readonly index: number; lowest: number; highest: number }[];
}

/** Over how many regions the atomics go of the blocks that are resident together, and over how many sectors in each. */
interface Spread {
  readonly regions: number;
  readonly sectors: number;
}

/** How the resident blocks are spread over slices. */
export interface Resident {
  /** Blocks in the grid, in a row of it, and resident on the GPU at one time. */
  readonly blocks: number;
  readonly row: number;
  readonly atOnce: number;
  /** Threads of a block. */
  readonly threads: number;
}

/** Requests of an operation for each sector of a block, from which on it comes to them again: a choice between once and twice, not a measurement. */
const comesAgain = 1.5;
/** Bytes of what one pass does. */
const wordBytes = 4;
/** Slices that take turns at parts of as many bytes as they have together, and the turns of each (h200-slices-of-sums.txt: of four kilobytes in five). */
const slicesInTurn = 2;
const turnsOfSlices = 2;
/**
 * How many regions above the mean the busiest slice has, over the root of the mean (h200-atomic-requests.txt: at random among 4,096, 16,384
 * and 65,536 words it takes 1.3, 2.8 and 8.5 regions' work where the mean is 0.34, 1.36 and 5.4).
 */
const unevenness = 1.3;
/** Of the busiest region's work, what those do that count as as busy: assumed. */
const asBusy = 0.7;
/** Pairs of blocks at the same place that say that blocks take turns. */
const fewestPairs = 3;
/** Standard deviations above the mean that are not taken for chance. */
const telling = 3;
/** The same of one among very many. */
const tellingOfMany = 5;

export class AtomicRegions {
  /** Bytes whose atomics one slice does, of twice as many that are aligned. */
  readonly #regionBytes: number;
  readonly #sectorBytes: number;
  readonly #regions = new Map<number, Region>();
  readonly #ofOps = new Map<Op, OfOp>();
  /** Of operations that are tried until they succeed. */
  readonly #retries: ReadonlyMap<Op, Retries>;
  readonly #floatWork: number;
  readonly #swapWork: number;
  readonly #swapTurn: number;
  readonly #interval: number;
  readonly #fullSectorWork: number;
  readonly #slices: number;
  readonly #anywhere: ReadonlySet<Op>;
  readonly #room: (op: Op) => number | undefined;
  readonly #turns: (op: Op) => number | undefined;
  readonly #inStep: InStep;
  #block = 0;
  #index = 0;
  #sectors = 0;

  /**
   * @param ops of the kernel
   * @param anywhere those whose places are as good as random
   * @param room bytes of the buffer that an operation is in, where that is known
   * @param turns places at which blocks take turns, as the address of an operation tells
   */
  constructor(
    gpu: GpuValues,
    ops: Iterable<Op>,
    anywhere: ReadonlySet<Op> = new Set(),
    room: (op: Op) => number | undefined = () => undefined,
    turns: (op: Op) => number | undefined = () => undefined,
  ) {
    this.#turns = turns;
    this.#anywhere = anywhere;
    this.#room = room;
    this.#regionBytes = gpu.atomicSliceBytes;
    this.#sectorBytes = gpu.sectorBytes;
    this.#floatWork = gpu.atomicFloatWork ?? 1;
    this.#interval = gpu.atomicInterval;
    this.#swapTurn = gpu.atomicSwapTurn ?? gpu.l2Latency + (gpu.globalAtomicLatency ?? 0);
    this.#swapWork = gpu.atomicSwapWork ?? 1;
    this.#fullSectorWork = gpu.atomicFullSectorWork;
    this.#slices = gpu.atomicSlices;
    this.#inStep = new InStep(gpu);
    this.#retries = new Map([...retriedAmong(ops)].map((op) => [op, new Retries(room(op))]));
  }

  /** Another block is observed, the one with this linear index. */
  begin(index: number): void {
    this.#block++;
    this.#index = index;
    this.#inStep.begin();
  }

  /** A warp's atomic request. */
  add(op: Op, warp: number, addresses: Float64Array, from: number, mask: number): void {
    const united = isUnited(op);
    /** Lanes on each word, by sector. */
    const sectors = new Map<number, Map<number, number>>();
    for (let lane = 0; lane < 32; lane++) {
      if (!((mask >>> lane) & 1)) continue;
      const address = addresses[from + lane]!;
      const sector = Math.floor(address / this.#sectorBytes);
      const word = Math.floor(address / wordBytes);
      let words = sectors.get(sector);
      if (!words) sectors.set(sector, (words = new Map()));
      words.set(word, united ? 1 : (words.get(word) ?? 0) + 1);
    }
    const together = new Map<number, number>();
    for (const sector of sectors.keys()) {
      const part = this.#partOf(sector);
      together.set(part, (together.get(part) ?? 0) + 1);
    }
    const turn = this.#inStep.next(warp);
    for (const [sector, words] of sectors) this.#pass(op, sector, words, together.get(this.#partOf(sector))!, turn);
    this.#retries.get(op)?.add(this.#index, addresses, from, mask);
    this.#sectors += sectors.size;
  }

  /** What one slice does of memory, counted through it, that a sector is of: two slices take turns, twice in the bytes that they have together. */
  #partOf(sector: number): number {
    const address = sector * this.#sectorBytes;
    const part = Math.floor(address / (this.#regionBytes / turnsOfSlices));
    return Math.floor(address / (slicesInTurn * this.#regionBytes)) * slicesInTurn + (part % slicesInTurn);
  }

  /**
   * @param words lanes on each word of a sector
   * @param together sectors of the request that one slice does
   * @param turn takes the work of the warp's request by slice
   */
  #pass(op: Op, sector: number, words: ReadonlyMap<number, number>, together: number, turn: Float64Array | undefined): void {
    const { passes, waits } = this.#passesOver(op, words, together);
    let [first, last] = [Number.POSITIVE_INFINITY, 0];
    for (const word of words.keys()) {
      if (word < first) first = word;
      if (word > last) last = word;
    }
    const lowest = first * wordBytes;
    const highest = last * wordBytes;
    const key = this.#partOf(sector);
    let region = this.#regions.get(key);
    if (!region) this.#regions.set(key, (region = { blocks: 0, indices: [], lastBlock: 0, byOp: new Map(), sectors: new Set() }));
    if (region.lastBlock !== this.#block) {
      region.lastBlock = this.#block;
      region.blocks++;
      region.indices.push(this.#index);
    }
    region.sectors.add(sector);
    if (turn) turn[this.#inStep.sliceOf(key)]! += passes;
    let here = region.byOp.get(op);
    if (!here) region.byOp.set(op, (here = { passes: 0, waits: 0 }));
    let all = this.#ofOps.get(op);
    if (!all) this.#ofOps.set(op, (all = { passes: 0, waits: 0, onWord: 0, requested: 0, distinct: 0, inBlock: new Set(), blocks: [] }));
    for (const sum of [here, all]) {
      sum.passes += passes;
      sum.waits += waits;
    }
    all.onWord += Math.max(...words.values());
    const block = all.blocks[all.blocks.length - 1];
    if (block?.index !== this.#index) {
      all.blocks.push({ index: this.#index, lowest, highest });
      all.inBlock.clear();
    } else {
      block.lowest = Math.min(block.lowest, lowest);
      block.highest = Math.max(block.highest, highest);
    }
    all.requested++;
    if (!all.inBlock.has(sector)) all.distinct++;
    all.inBlock.add(sector);
  }

  /** @param words lanes on each word of a sector */
  #passesOver(op: Op, words: ReadonlyMap<number, number>, together: number): Passes {
    const bytes = bytesOfPass(op) ?? this.#sectorBytes;
    if (bytes < this.#sectorBytes) {
      const parts = new Map<number, Map<number, number>>();
      for (const [word, lanes] of words) {
        const part = Math.floor((word * wordBytes) / bytes);
        parts.set(part, (parts.get(part) ?? new Map()).set(word, lanes));
      }
      const apart = [...parts.values()].map((part) => this.#inOneGo(op, part, bytes, together * parts.size));
      return { passes: sumOf(apart, ({ passes }) => passes), waits: sumOf(apart, ({ waits }) => waits) };
    }
    return this.#inOneGo(op, words, bytes, together);
  }

  /** @param bytes that one pass does, and that the words are of */
  #inOneGo(op: Op, words: ReadonlyMap<number, number>, bytes: number, together: number): Passes {
    const isFull = words.size * (op.type.endsWith("64") ? 8 : wordBytes) >= bytes;
    const lanes = [...words.values()];
    const most = Math.max(...lanes);
    // So many passes want all of its words; those behind them some.
    const whole = isFull ? Math.min(...lanes) : 0;
    const some = most - whole;
    // To compare and swap takes as long whether all words are wanted or one; less where a lane does so by itself.
    const swaps = together > 1 || words.size > 1 ? most * this.#swapWork : 1 + (most - 1) * this.#swapWork;
    const passes = isSwap(op) ? swaps : whole * this.#fullSectorWork + some;
    const wait = (work: number): number => Math.max(0, this.#floatWork - together * work);
    return { passes, waits: isFloatSum(op) ? whole * wait(this.#fullSectorWork) + some * wait(1) : 0 };
  }

  /** A block comes to many sectors of the operation's, and hardly twice to any: turns of a loop that were not run go to others. */
  #goesOn(op: Op): boolean {
    const { requested, distinct, blocks } = this.#ofOps.get(op)!;
    return distinct > blocks.length && requested < comesAgain * distinct;
  }

  /**
   * Work of an operation's passes that go over so many sectors in turn.
   * @param tries that each stands for
   */
  #work({ passes, waits }: Passes, sectors: number, tries = 1): number {
    return (passes + waits / sectors) * tries;
  }

  /** How many tries one that was executed stands for, of operations that are tried until they succeed. */
  tries(resident: Resident): ReadonlyMap<Op, number> {
    return new Map([...this.#retries].map(([op, retries]) => [op, retries.factor(resident)]));
  }

  /**
   * Work of the busiest region in the whole launch, in passes of integer operations, where there are `total` sectors of atomics in all. Where
   * each block has a place of its own, a step from the one before, those that are resident together are at as many regions as their places
   * go over. Of other atomics: a region that most observed blocks meet in is taken to be met by as large a share of all blocks, the others
   * by those alone that were seen there. Undefined when there are no atomics.
   * @param total without those that are tried again
   * @param again how many times operations are done besides, that stand where others are tried again
   */
  hottest(total: number, resident: Resident, again: ReadonlyMap<Op, number> = new Map()): number | undefined {
    if (this.#sectors === 0) return undefined;
    const moving = new Map<Op, Spread>();
    for (const [op, { blocks }] of this.#ofOps) {
      const spread = this.#spread(blocks, resident, this.#turns(op));
      if (spread) moving.set(op, spread);
    }
    const tries = new Map([...again, ...this.tries(resident)]);
    const perSector = total / this.#sectors;
    // More than there are blocks for each that was observed are taken to be turns that were not run.
    const perPlace = Math.min(perSector, resident.blocks / this.#block);
    // Copies of an unrolled loop's are at the same places.
    const together = new Map<string, number>();
    for (const [op, { regions, sectors }] of moving) {
      const all = this.#ofOps.get(op)!;
      const places = all.blocks.map(({ index, lowest }) => `${index}:${Math.floor(lowest / this.#regionBytes)}`).join();
      together.set(places, (together.get(places) ?? 0) + (this.#work(all, sectors, tries.get(op)) * perSector) / regions);
    }
    let most = Math.max(0, ...together.values());
    const goOn = [...this.#ofOps.keys()].some((op) => this.#goesOn(op));
    const met = [...this.#regions.values()].filter((region) => this.#isMet(region));
    const inStep = met.length > 0 && perPlace > 0 ? this.#inStep.factor(perSector / perPlace, goOn, resident) : 1;
    const workOf = ({ byOp, sectors }: Region): number => {
      const stay = [...byOp].filter(([op]) => !moving.has(op));
      return stay.reduce(
        (sum, [op, passes]) => sum + this.#work(passes, sectors.size, tries.get(op)) * (this.#goesOn(op) ? perPlace : perSector),
        0,
      );
    };
    const visitsTo = this.#visits(resident);
    // At random places one region is as good as the other: one counts by itself where more was seen there than chance would have it.
    const alike = met.filter(({ byOp }) => [...byOp.keys()].every((op) => this.#anywhere.has(op)));
    most = Math.max(most, mean(alike.map(workOf)) * Math.max(inStep, this.#busiest(alike.length)));
    const usual = mean(alike.map(passesIn));
    const told = this.#copies([...this.#ofOps].filter(([op]) => !moving.has(op)));
    const copies = told !== undefined && told < resident.blocks ? told : undefined;
    if (copies !== undefined) most = Math.max(most, this.#ofCopies(copies, workOf));
    for (const region of this.#regions.values()) {
      if (!this.#isMet(region)) {
        if (copies !== undefined) continue;
        const visits = Math.max(region.blocks, Math.min(resident.blocks, visitsTo(region)));
        most = Math.max(most, (workOf(region) * visits * this.#block) / (region.blocks * resident.blocks));
      } else if (!alike.includes(region) || passesIn(region) > usual + telling * Math.sqrt(usual))
        most = Math.max(most, workOf(region) * inStep);
    }
    const all = [...this.#ofOps].reduce((sum, [op, passes]) => sum + this.#work(passes, 1, tries.get(op)), 0);
    return Math.max(Math.min(all * perSector, most), this.#successes(resident));
  }

  /**
   * Passes of all slices together, as many as take as long as these, where there are `total` sectors of atomics in all: one for each lane on
   * a sector's busiest word, wherever it is (h200-spread-sums.tsv: at random places 32 lanes take 0.65 to 0.75 cycles, each on a word of its
   * own or all on one). Where blocks go through memory one after the other, those that are resident are at a few regions at a time, which no
   * hash spreads evenly over the slices.
   */
  passes(total: number, resident: Resident): number {
    if (this.#sectors === 0) return 0;
    const tries = this.tries(resident);
    const passes = sumOf([...this.#ofOps], ([op, { onWord, blocks }]) => {
      const regions = this.#regionsAtOnce(blocks, resident);
      const unevenly = regions === undefined ? 1 : this.#busiest(regions) / Math.max(1, regions / this.#slices);
      return onWord * unevenly * (tries.get(op) ?? 1);
    });
    return (passes * total) / this.#sectors;
  }

  /** Regions that resident blocks are at, where these go through memory in the order of their indices; undefined where they do not. */
  #regionsAtOnce(blocks: OfOp["blocks"], { atOnce }: Resident): number | undefined {
    const sorted = blocks.toSorted((a, b) => a.index - b.index);
    const [first, last] = [sorted[0], sorted[sorted.length - 1]];
    if (!first || !last || first.index === last.index) return undefined;
    // A block's last word may be the next one's first.
    const isInOrder = sorted.every((block, k) => k === 0 || block.lowest >= sorted[k - 1]!.highest);
    const perBlock = (last.highest - first.lowest) / (last.index - first.index + 1);
    return isInOrder && perBlock > 0 ? Math.max(1, (atOnce * perBlock) / this.#regionBytes) : undefined;
  }

  /**
   * Passes that would take as long as those of one word that succeed, one after the other: to succeed, a thread has to have seen what the one
   * before it stored.
   */
  #successes(resident: Resident): number {
    const ever = [...this.#retries.values()].map((retries) => retries.ever(resident));
    return (Math.max(0, ...ever.filter((threads) => threads > 1)) * this.#swapTurn) / this.#interval;
  }

  /**
   * How many copies of some words the blocks take turns at: blocks so far apart are at the same places, others are not. Undefined where it is
   * one, or as many as there are blocks, and where their places follow no such turns.
   */
  #copies(all: readonly (readonly [Op, OfOp])[]): number | undefined {
    const [first] = all;
    if (!first) return undefined;
    const told = this.#turns(first[0]);
    if (told !== undefined)
      return all.every(([op, { blocks }]) => this.#turns(op) === told && mayTakeTurns(blocks, told, this.#same(blocks))) ? told : undefined;
    for (let places = 2; places <= mostInTurn; places++) if (all.every(([, { blocks }]) => this.#takeTurns(blocks, places))) return places;
    return undefined;
  }

  #takeTurns(blocks: OfOp["blocks"], places: number): boolean {
    const same = this.#same(blocks);
    const lowest = blocks.map((block) => block.lowest);
    const turns = new Set(blocks.map(({ index }) => index % places)).size;
    const differ = Math.max(...lowest) - Math.min(...lowest) > same;
    return blocks.length - turns >= fewestPairs && differ && mayTakeTurns(blocks, places, same);
  }

  /** How far apart the first words of blocks at the same place are: data says which of a copy's words is the first that is wanted. */
  #same(blocks: OfOp["blocks"]): number {
    const widest = blocks.reduce((most, { lowest, highest }) => Math.max(most, highest - lowest), 0);
    return Math.max(this.#sectorBytes, widest / 4);
  }

  /** Work of the busiest slice where blocks take turns at so many copies: of each, the regions that are wanted most, as many as fall to one slice. */
  #ofCopies(copies: number, workOf: (region: Region) => number): number {
    const unmet = [...this.#regions.values()].filter((region) => !this.#isMet(region));
    const seen = new Set(unmet.flatMap(({ indices }) => indices.map((index) => index % copies))).size;
    const works = unmet.map((region) => {
      const turns = new Set(region.indices.map((index) => index % copies)).size;
      // What each block that comes does, for as many as come in the whole launch.
      return (workOf(region) * this.#block * turns) / (region.blocks * copies);
    });
    // There may be too many for one call.
    const most = works.reduce((max, work) => Math.max(max, work), 0);
    const hot = works.filter((work) => work >= most * asBusy);
    const all = (hot.length * copies) / Math.max(1, seen);
    // Regions side by side are dealt out to slices in turn; a few of each copy, far apart, fall to them by chance.
    return mean(hot) * (hot.length > works.length / 2 ? this.#busiest(all) : mostByChance(all, this.#slices));
  }

  /**
   * The same where what was observed is drawn evenly from all over the launch: of the regions that more come to than chance would have
   * it, of however many there are.
   */
  busiest(total: number): number {
    const usual = mean([...this.#regions.values()].map(({ blocks }) => blocks));
    const told = [...this.#regions.values()].filter(
      ({ blocks }) => blocks > usual + tellingOfMany * Math.sqrt(usual) && blocks >= tellingOfMany ** 2,
    );
    const workOf = ({ byOp, sectors }: Region): number => [...byOp].reduce((sum, [, passes]) => sum + this.#work(passes, sectors.size), 0);
    return this.#sectors > 0 ? (Math.max(0, ...told.map(workOf)) * total) / this.#sectors : 0;
  }

  /**
   * Blocks of the launch that come to a region that most do not come to, at least: there is no room for each to come to others, as where a
   * block has one of a few copies.
   */
  #visits({ blocks }: Resident): (region: Region) => number {
    const perBlock = new Map<Op, number>();
    for (const region of this.#regions.values()) {
      if (this.#isMet(region)) continue;
      for (const op of region.byOp.keys()) perBlock.set(op, (perBlock.get(op) ?? 0) + region.blocks / this.#block);
    }
    const bytes = slicesInTurn * this.#regionBytes;
    return ({ byOp }) =>
      Math.max(
        ...[...byOp.keys()].map((op) => {
          const room = this.#room(op);
          return room === undefined ? 0 : (blocks * perBlock.get(op)!) / Math.max(1, (slicesInTurn * room) / bytes);
        }),
      );
  }

  /** Regions of the slice that has most of so many. */
  #busiest(regions: number): number {
    const usual = regions / this.#slices;
    return Math.max(1, usual + unevenness * Math.sqrt(usual));
  }

  /** Most blocks come there. */
  #isMet({ blocks }: Region): boolean {
    return 2 * blocks > this.#block;
  }

  /** Undefined where a block's atomics go over more than a region, and where its place follows no step from block to block. */
  #spread(blocks: OfOp["blocks"], { row, atOnce }: Resident, turns: number | undefined): Spread | undefined {
    const widest = blocks.reduce((most, { lowest, highest }) => Math.max(most, highest - lowest), 0);
    if (blocks.length < 2 || widest >= this.#regionBytes) return undefined;
    for (const { of, together } of placesOf(blocks.length, row, atOnce, turns)) {
      const step = stepOf(
        blocks.map(({ index, lowest }) => [of(index), lowest]),
        this.#sectorBytes,
      );
      // Blocks that are all at the same words do not begin at the same one each, if data chooses them.
      const moved = Math.max(...blocks.map(({ lowest }) => lowest)) - Math.min(...blocks.map(({ lowest }) => lowest));
      if (step === undefined || (widest >= this.#sectorBytes && moved < widest)) continue;
      // Wherever the first of them begins: one more than they fill.
      const regions = 1 + (together - 1) * Math.min(1, step / this.#regionBytes);
      const inRegion = Math.min(together, Math.max(1, this.#regionBytes / step));
      return { regions, sectors: 1 + (inRegion - 1) * Math.min(1, step / this.#sectorBytes) };
    }
    return undefined;
  }
}

/** Whether those of some blocks that would be at the same place, where they take turns at so many, are. @param same how far apart that is at most */
function mayTakeTurns(blocks: OfOp["blocks"], places: number, same: number): boolean {
  const first = new Map<number, number>();
  return blocks.every(({ index, lowest }) => {
    const known = first.get(index % places);
    if (known === undefined) first.set(index % places, lowest);
    return known === undefined || Math.abs(lowest - known) <= same;
  });
}

/** Things in a bin on average from which on the fullest is told by how far they spread. */
const manyInABin = 50;

/** How many of so many things that fall into bins at random are in the fullest, on average: each bin has as many as Poisson's law says. */
function mostByChance(things: number, bins: number): number {
  const usual = things / bins;
  if (usual > manyInABin) return usual + Math.sqrt(2 * usual * Math.log(bins));
  let [most, fewer, exactly] = [0, 0, Math.exp(-usual)];
  for (let k = 1; k <= things; k++) {
    fewer += exactly;
    exactly *= usual / k;
    const share = 1 - Math.min(1, fewer) ** bins;
    most += share;
    if (share < 1e-3 && k > usual) break;
  }
  return Math.max(1, most);
}

const sumOf = <T>(all: readonly T[], of: (each: T) => number): number => all.reduce((sum, each) => sum + of(each), 0);

const passesIn = ({ byOp }: Region): number => [...byOp.values()].reduce((sum, { passes }) => sum + passes, 0);

/** Blocks over how many places in turn are looked at. */
const mostInTurn = 4096;
/** Blocks that say so: fewer follow one turn or other by chance. */
const fewestInTurn = 5;

/** What a block's place may follow: the order of launch, its column or row in the grid, or so many places in turn; and how many are in use at once. */
function* placesOf(
  blocks: number,
  row: number,
  atOnce: number,
  turns: number | undefined,
): Generator<{ of: (index: number) => number; together: number }> {
  yield { of: (index) => index, together: atOnce };
  yield { of: (index) => index % row, together: Math.min(row, atOnce) };
  yield { of: (index) => Math.floor(index / row), together: Math.ceil(atOnce / row) };
  if (turns === undefined && blocks < fewestInTurn) return;
  for (let places = turns ?? 2; places <= (turns ?? mostInTurn); places++)
    yield { of: (index) => index % places, together: Math.min(places, atOnce) };
}

/** The step of addresses that follow places on a line, within so many bytes; undefined where they do not, or all are the same. */
function stepOf(points: readonly [place: number, address: number][], within: number): number | undefined {
  const sorted = points.toSorted(([a], [b]) => a - b);
  const [[first, base], [last, end]] = [sorted[0]!, sorted[sorted.length - 1]!];
  if (first === last) return undefined;
  const step = (end - base) / (last - first);
  if (step === 0 || !sorted.every(([place, address]) => Math.abs(base + step * (place - first) - address) <= within)) return undefined;
  return Math.abs(step);
}
