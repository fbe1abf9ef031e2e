/**
 * Chooses the blocks of a launch that are run, and what each stands for, so that the work does not grow with the grid.
 *
 * Where control flow and addresses follow from indices, blocks a period apart count the same until a comparison changes
 * its outcome. So the grid is cut into boxes: one whose corners and middle count the same stands for itself; others are cut
 * further, first at their rims, where guards act. What is too much work to be cut any further, and all of the grid where data
 * decides, is known from blocks drawn evenly from all over it.
 */

import { random } from "../execute/content.ts";
import { warpSize } from "../execute/program.ts";
import type { WarpRecord } from "../execute/record.ts";
import type { Runner } from "../execute/run.ts";
import type { Dim3, Op } from "../ir/kernel.ts";
import type { ObservedBlock, Observer } from "../observe/observer.ts";
import type { Work } from "../work.ts";
import {
  type Box,
  cornersOf,
  cutBox,
  dimensionsOf,
  evenly,
  middle,
  opposite,
  orderOf,
  type Place,
  placeIn,
  placeOf,
  volume,
} from "./boxes.ts";
import { CountVector } from "./counts.ts";
import { Lattice } from "./lattice.ts";
import { Spread } from "./spread.ts";
import type { Variation } from "./variation.ts";

export interface SampledBlock {
  readonly at: Dim3;
  /** Linear index, x fastest. */
  readonly index: number;
  /** Blocks of the grid that it stands for. */
  readonly weight: number;
  /** What it did, if it was watched. */
  readonly observed: ObservedBlock | undefined;
  /** It was drawn with others from what they stand for together. */
  readonly drawn: boolean;
}

export interface CountedPlace {
  readonly at: Dim3;
  readonly vector: Float64Array;
  /** Of the block one warp was run, and counts as often as it has warps. */
  readonly isWarp?: true;
}

export interface Sample {
  /** Launch totals. */
  readonly totals: Float64Array;
  readonly counts: CountVector;
  readonly blocks: readonly SampledBlock[];
  /** Blocks that were watched, whatever they stand for. */
  readonly watched: readonly ObservedBlock[];
  /** What was counted of the blocks that were run, and where they are; of those of which one warp was, as if all did as it does. */
  readonly places: readonly CountedPlace[];
  /** Warps of other blocks, drawn evenly, that were run and watched each by itself; together they stand for `warpBlocks` blocks. */
  readonly warps: readonly WarpRecord[];
  readonly warpBlocks: number;
  /** The totals are those of the whole grid, not an estimate. */
  readonly exact: boolean;
  /** Blocks, or warps run by themselves, that were drawn to stand for others, and how far these tell the work of all: a relative standard error. */
  readonly drawn: number;
  readonly error: number;
  /** Of operations in loops that compare and swap: how many of them, in `totals`, each that was executed stands for (`tried-again.ts`). */
  readonly again: ReadonlyMap<Op, number>;
}

export interface SampleOptions {
  readonly variations: readonly [x: Variation, y: Variation, z: Variation];
  /** Steps that may be spent beyond the first few blocks. */
  readonly steps: number;
  /** Steps that any one block may take. */
  readonly blockSteps: number;
  /** Watches blocks run: those asked for, and the first of those chosen. */
  readonly observer: Observer;
  /** Linear indices of blocks to watch whatever they stand for, the most telling first. */
  readonly watch: readonly number[];
  /** Data that decides costs may be of another sort in other parts of the grid. */
  readonly uneven: boolean;
}

/** Blocks watched at most beyond those asked for, and pairs of those that are drawn from what is too much work to be covered. */
const mostWatched = 12;
const mostPairsWatched = 8;
/** Warps watched at most that were run by themselves. */
const mostWarpsWatched = 64;
/** Requests after which the cost of accesses that data decides is known well enough. */
const enoughRequests = 4000;
/** Blocks run at most, and those that are run at least where data decides. */
const mostBlocks = 512;
const leastRandom = 12;
/** Drawn at the least where all did the same: of those few that do otherwise, if they are one of a hundred, one is among so many 12 of 13 times. */
const leastAlike = 256;
/** Cells that covering the grid takes at the least: corners, middle, probes. */
const leastCovered = 6;
/** Of the steps, what may be spent once more on blocks drawn from boxes that were not cut to the end. */
const openShare = 1;
/** Blocks drawn at the least from boxes that were not cut to the end. */
const leastOpen = 16;
const mostDrawn = 4096;
/** Blocks, and of their warps those that can be run by themselves, that have to be affordable still for draws to tell more than opposite pairs. */
const leastDrawn = 2;
const leastUnits = 12;
/** Units drawn of blocks that take all the steps there are, and at most. */
const leastInPairs = 6;
const mostInPairs = 64;
/** Relative standard error up to which what was drawn is alike; of so few that are not, the error is not known. */
const alike = 1e-6;
const fewDrawn = 6;
/** Relative standard error of totals at which random sampling stops. */
const precision = 0.004;

/** Boxes of which some pairs of blocks are drawn. */
interface Stratum {
  readonly boxes: readonly Box[];
  /** Blocks of each, and of all. */
  readonly sizes: readonly number[];
  readonly size: number;
  readonly pairs: number;
}

interface Run {
  readonly at: Dim3;
  readonly vector: Float64Array;
  observed: ObservedBlock | undefined;
  weight: number;
  drawn: boolean;
}

/** Two and two: those opposite each other, of which only the mean tells how far they lie off. */
const pairwise = (vectors: readonly Float64Array[]): Float64Array[][] =>
  Array.from({ length: Math.ceil(vectors.length / 2) }, (_, k) => vectors.slice(2 * k, 2 * k + 2));

export class Sampler {
  readonly #runner: Runner;
  /** What all blocks may spend. */
  readonly #work: Work;
  readonly #options: SampleOptions;
  readonly #counts: CountVector;
  readonly #grid: Dim3;
  /** Blocks of a cell in each dimension: a period. */
  #period: Dim3;
  #lattice: Lattice;
  readonly #runs = new Map<number, Run>();
  /** Counts of blocks of which one warp was run, and what each stands for. */
  readonly #warpRuns: Float64Array[] = [];
  readonly #warpPlaces: CountedPlace[] = [];
  readonly #warpRecords: WarpRecord[] = [];
  #warpWeight = 0;
  /** Positions of their costs, which need not be the same from block to block. */
  readonly #noisy: ReadonlySet<number>;
  readonly #irregularFlow: boolean;
  #exact = true;
  #drawn = 0;
  #error = 0;
  #spent = 0;
  #watched = 0;
  /** Positions of accesses that data decides, and how many requests of them were seen. */
  readonly #irregular: readonly number[];
  #irregularRequests = 0;
  readonly #spentBefore: number;

  constructor(runner: Runner, options: SampleOptions) {
    this.#runner = runner;
    this.#work = runner.work;
    this.#options = options;
    this.#counts = new CountVector(runner);
    this.#grid = runner.program.launch.grid;
    this.#spentBefore = this.#work.spent;
    const { variations } = options;
    const irregular = new Set<Op>(variations.flatMap((each) => [...each.irregularAddresses]));
    this.#irregular = this.#counts.positions(irregular);
    this.#noisy = new Set(this.#irregular.flatMap((position) => [position + 2, position + 3]));
    this.#irregularFlow = variations.some((each, k) => each.irregularFlow && (this.#grid[k] ?? 1) > 1);
    const period = (k: number): number => Math.min(variations[k]?.period ?? 1, this.#grid[k] ?? 1);
    const whole: Dim3 = [period(0), period(1), period(2)];
    this.#period = whole;
    this.#lattice = this.#latticeOf(whole);
    if (variations.some((each) => each.approximate) || irregular.size > 0) this.#exact = false;
  }

  /** Places for cells of so many blocks. */
  #latticeOf(period: Dim3): Lattice {
    return new Lattice(
      this.#grid,
      period,
      this.#options.variations.map(({ rounds }) => rounds),
    );
  }

  sample(): Sample {
    const blocks = this.#grid[0] * this.#grid[1] * this.#grid[2];
    // Where data decides which way to go, neighbours tell little: the middle one has to do.
    const watch = this.#irregularFlow ? this.#options.watch.slice(0, 4) : this.#options.watch;
    for (const [k, index] of watch.entries()) {
      // The middle block and its neighbours are the most telling.
      if (k > 0 && this.#spent * (k > 3 ? 6 : 2) > this.#options.steps) break;
      this.#run(placeOf(this.#grid, index), true);
    }
    const cost = this.#spent / this.#runs.size;
    if (cost > this.#work.left) this.#makeDo(blocks);
    else if (cost * leastCovered <= this.#options.steps && !this.#irregularFlow) this.#cover(cost);
    else if (!this.#irregularFlow && cost * Math.max(leastDrawn, leastUnits / this.#units) > this.#options.steps - this.#spent)
      this.#drawPairs(blocks, cost);
    else this.#drawBlocks(blocks, cost);
    const totals = new Float64Array(this.#counts.length);
    const sampled: SampledBlock[] = [];
    for (const [index, { at, vector, weight, observed, drawn }] of [...this.#runs].sort(([a], [b]) => a - b)) {
      if (weight === 0) continue;
      sampled.push({ at, index, weight, observed, drawn });
      for (let k = 0; k < totals.length; k++) totals[k]! += weight * vector[k]!;
    }
    for (const vector of this.#warpRuns) for (let k = 0; k < totals.length; k++) totals[k]! += this.#warpWeight * vector[k]!;
    if (this.#noisy.size > 0 && !this.#irregularFlow && this.#options.uneven) this.#refine(totals, blocks);
    const watched = [...this.#runs.values()].flatMap(({ observed }) => observed ?? []);
    return {
      totals,
      counts: this.#counts,
      blocks: sampled,
      watched,
      places: [...this.#runs.values(), ...this.#warpPlaces],
      warps: this.#warpRecords,
      warpBlocks: this.#warpRuns.length * this.#warpWeight,
      exact: this.#exact,
      drawn: this.#drawn,
      error: this.#error,
      again: new Map(),
    };
  }

  /** What of a block can be run by itself: its warps, or all of it, where these wait for each other. */
  get #units(): number {
    const { launch, waits } = this.#runner.program;
    return waits ? 1 : Math.ceil((launch.block[0] * launch.block[1] * launch.block[2]) / warpSize);
  }

  #run(at: Dim3, watch = this.#watched < mostWatched): Run {
    const index = at[0] + this.#grid[0] * (at[1] + this.#grid[1] * at[2]);
    const known = this.#runs.get(index);
    if (known) return known;
    let observed: ObservedBlock | undefined;
    this.#runner.work = this.#work.share(this.#options.blockSteps);
    if (watch) {
      observed = this.#options.observer.watch(index, () => this.#runner.runBlock(at));
      if (!this.#options.watch.includes(index)) this.#watched++;
    } else this.#runner.runBlock(at);
    const run: Run = { at, vector: this.#counts.take(), observed, weight: 0, drawn: false };
    for (const position of this.#irregular) this.#irregularRequests += run.vector[position] ?? 0;
    this.#runs.set(index, run);
    this.#spent = this.#work.spent - this.#spentBefore;
    return run;
  }

  /** There is nothing left for another block: those that were run stand for all. */
  #makeDo(blocks: number): void {
    this.#exact = this.#runs.size === blocks;
    for (const run of this.#runs.values()) run.weight = blocks / this.#runs.size;
  }

  #mayGoOn(): boolean {
    return this.#spent < this.#options.steps && this.#runs.size < mostBlocks;
  }

  /** The runs of a cell's blocks. */
  #cell(place: Place): Run[] {
    const runs: Run[] = [];
    const cell = this.#lattice.cellAt(place);
    const range = (k: number): [number, number] => {
      const period = this.#period[k] ?? 1;
      return [(cell[k] ?? 0) * period, Math.min(((cell[k] ?? 0) + 1) * period, this.#grid[k] ?? 1)];
    };
    const [[x0, x1], [y0, y1], [z0, z1]] = [range(0), range(1), range(2)];
    for (let z = z0; z < z1; z++) for (let y = y0; y < y1; y++) for (let x = x0; x < x1; x++) runs.push(this.#run([x, y, z]));
    return runs;
  }

  #same(a: readonly Run[], b: readonly Run[]): boolean {
    return a.length === b.length && a.every((run, k) => this.#sameVector(run.vector, b[k]?.vector));
  }

  #sameVector(a: Float64Array, b: Float64Array | undefined): boolean {
    if (!b) return false;
    for (let k = 0; k < a.length; k++) if (a[k] !== b[k] && !this.#noisy.has(k)) return false;
    return true;
  }

  /** Cuts the grid into boxes, the largest first, until each is uniform or the work is done. */
  #cover(cost: number): void {
    const [px, py, pz] = this.#period;
    // Too much work for whole periods: of a few cells one block each is run, at the next place of the period each time.
    if (px * py * pz > 1 && px * py * pz * leastCovered * cost > this.#options.steps) {
      this.#drawFrom([this.#lattice.box], cost);
      return;
    }
    const boxes = [this.#lattice.box];
    const open: Box[] = [];
    for (let box = boxes.pop(); box; box = boxes.pop()) {
      const corners = cornersOf(box);
      if (!this.#mayGoOn() && volume(box) > corners.length) {
        open.push(box);
        continue;
      }
      const cells = [...corners, ...this.#probes(box)];
      const [first] = cells;
      if (!first) continue;
      const uniform = cells.every((cell) => this.#same(this.#cell(first), this.#cell(cell)));
      if (uniform || volume(box) <= corners.length) this.#settle(box, uniform && this.#noisy.size === 0 ? [first] : cells);
      else boxes.push(...this.#cut(box, corners));
      boxes.sort((a, b) => volume(a) - volume(b));
    }
    this.#drawFrom(open, this.#spent / this.#runs.size);
  }

  /** Blocks spread evenly over boxes that were not cut to the end stand for what is in them. */
  #drawFrom(open: readonly Box[], cost: number): void {
    if (open.length === 0) return;
    this.#exact = false;
    const { steps } = this.#options;
    const least = leastOpen * cost > steps ? leastOpen / 2 : leastOpen;
    const draws = Math.min(mostDrawn, Math.max(least, 2 * Math.floor((steps * (1 + openShare) - this.#spent) / cost / 2)));
    const pairs = draws / 2;
    const pairsWatched = Math.min(pairs, mostPairsWatched);
    const vectors: Float64Array[][] = [];
    for (const { boxes, sizes, size, pairs: own } of this.#strata(open, pairs)) {
      const point = evenly(Math.max(...boxes.map(dimensionsOf)));
      for (let k = 0; k < own; k++) {
        let at = ((k + 0.5) / own) * size;
        const box = boxes[sizes.findIndex((each) => (at -= each) < 0)]!;
        const turn = vectors.length;
        const shares = point(turn);
        const watched = ((turn + 1) * pairsWatched) % pairs < pairsWatched;
        // Two opposite each other, between which what grows steadily is even.
        const runs = [placeIn(box, shares), placeIn(box, opposite(shares))].map((place, each) =>
          this.#run(this.#blockOf(place, 2 * turn + each), watched),
        );
        for (const run of runs) {
          run.weight += size / own / 2;
          run.drawn = true;
        }
        vectors.push(runs.map(({ vector }) => vector));
      }
    }
    this.#tell(vectors);
  }

  /** Boxes side by side, as many together as have their share of the pairs, so that each part of the grid counts by its size. */
  #strata(open: readonly Box[], pairs: number): Stratum[] {
    const boxes = open.toSorted((a, b) => orderOf(a.low, b.low));
    const all = boxes.reduce((sum, box) => sum + this.#lattice.blocksIn(box), 0);
    const strata: Stratum[] = [];
    let [seen, given] = [0, 0];
    let next: Stratum = { boxes: [], sizes: [], size: 0, pairs: 0 };
    for (const [k, box] of boxes.entries()) {
      const size = this.#lattice.blocksIn(box);
      seen += size;
      const own = Math.round((pairs * seen) / all) - given;
      next = { boxes: [...next.boxes, box], sizes: [...next.sizes, size], size: next.size + size, pairs: own };
      if (own === 0 && k < boxes.length - 1) continue;
      strata.push({ ...next, pairs: Math.max(1, own) });
      given += own;
      next = { boxes: [], sizes: [], size: 0, pairs: 0 };
    }
    return strata;
  }

  /** One of a cell's blocks, the next of them each time, so that all the places in a period are drawn as often. */
  #blockOf(place: Place, turn: number): Dim3 {
    let rest = turn;
    return this.#lattice.cellAt(place).map((cell, k) => {
      const period = this.#period[k]!;
      const at = cell * period + (rest % period);
      rest = Math.floor(rest / period);
      return Math.min(at, this.#grid[k]! - 1);
    }) as unknown as Dim3;
  }

  /** Shares a box's blocks out to the cells that were run in it. */
  #settle(box: Box, cells: readonly Place[]): void {
    const distinct = [...new Map(cells.map((cell) => [cell.join(), cell])).values()];
    // Cells at the grid's far rims may hold fewer blocks than others: shares are by block.
    const blocks = this.#lattice.blocksIn(box);
    const runs = distinct.flatMap((cell) => this.#cell(cell));
    for (const run of runs) run.weight += blocks / runs.length;
  }

  /** The middle of a box, and two places at random. */
  #probes(box: Box): Place[] {
    const size = volume(box);
    if (size <= 8) return size > 2 ? [middle(box)] : [];
    const place = (seed: number): Place =>
      placeIn(
        box,
        Array.from(box.low, (_, k) => random(size + k, seed)),
      );
    const more = this.#irregularRequests < enoughRequests * this.#irregular.length;
    return [middle(box), ...(more ? [1, 2, 3, 4, 5, 6, 7, 8] : [1, 2]).map(place)];
  }

  /** Cuts off the rims along a dimension in which the corners differ; once that is done, halves it. */
  #cut(box: Box, corners: readonly Place[]): Box[] {
    const { low, high } = box;
    const length = (k: number): number => high[k]! - low[k]! + 1;
    const varies = (k: number): boolean =>
      corners.some((cell) => {
        const opposite = cell.with(k, cell[k] === low[k] ? high[k]! : low[k]!);
        return !this.#same(this.#cell(cell), this.#cell(opposite));
      });
    const candidates = [...low.keys()].filter((k) => length(k) > 1);
    const varying = candidates.filter((k) => varies(k));
    const choice = (varying.length > 0 ? varying : candidates).sort((a, b) => length(b) - length(a))[0] ?? 0;
    return cutBox(box, choice);
  }

  /** Blocks spread evenly over the grid: the k-th. */
  #places(): (k: number) => Dim3 {
    const lattice = this.#latticeOf([1, 1, 1]);
    const { box } = lattice;
    const point = evenly(dimensionsOf(box));
    return (k) => lattice.cellAt(placeIn(box, point(k)));
  }

  /** Blocks spread evenly over the grid, ever more of them until the totals are known well enough: all, where that is no more work. */
  #drawBlocks(blocks: number, cost: number): void {
    if (cost * blocks <= this.#options.steps) {
      for (let index = 0; index < blocks; index++) this.#run(placeOf(this.#grid, index)).weight = 1;
      return;
    }
    this.#exact = false;
    const drawn = new Spread(this.#counts.length);
    const place = this.#places();
    const { launch, waits } = this.#runner.program;
    const warps = Math.ceil((launch.block[0] * launch.block[1] * launch.block[2]) / warpSize);
    const whole = waits || warps === 1 ? mostDrawn : Math.max(1, Math.min(leastRandom, Math.floor(this.#options.steps / cost / 4)));
    // Blocks that leave at once say nothing of the few that work for all.
    let first: Run | undefined;
    let areAlike = true;
    for (let k = 0; k < mostDrawn; k++) {
      if (k < whole) {
        const run = this.#run(place(k), areAlike || this.#watched < mostWatched);
        first ??= run;
        run.weight++;
        drawn.add(run.vector);
        if (areAlike && !this.#sameVector(run.vector, first.vector)) {
          areAlike = false;
          this.#watched = 0;
        } else if (areAlike && this.#watched > mostWatched) run.observed = undefined;
      } else {
        const vector = this.#runWarp(place(k), Math.floor(random(k, 1) * warps), warps);
        this.#warpRuns.push(vector);
        drawn.add(vector);
      }
      const isEnough = drawn.count % leastRandom === 0 && drawn.error() < precision;
      if (!this.#mayGoOn() || (isEnough && (drawn.error() > 0 || drawn.count >= leastAlike))) break;
    }
    for (const run of this.#runs.values()) run.weight *= blocks / drawn.count;
    this.#warpWeight = blocks / drawn.count;
    this.#tell([
      ...[...this.#runs.values()].filter(({ weight }) => weight > 0).map(({ vector }) => [vector]),
      ...this.#warpRuns.map((vector) => [vector]),
    ]);
  }

  /**
   * Of blocks too long to run many of, whose work changes steadily over the grid (the rows of a triangle): warps, or blocks where
   * warps wait for each other, in pairs that lie opposite each other about the grid's middle, so that what grows along it is not
   * over- or underestimated.
   */
  #drawPairs(blocks: number, cost: number): void {
    const { waits } = this.#runner.program;
    const warps = this.#units;
    const each = cost / warps;
    const [paid, affordable] = [(this.#options.steps - this.#spent) / each, this.#work.left / 3 / each];
    const drawn = Math.min(
      blocks * warps,
      Math.max(1, Math.min(mostInPairs, Math.max(leastInPairs, Math.floor(paid)), Math.floor(affordable))),
    );
    this.#exact = false;
    const lattice = this.#latticeOf([1, 1, 1]);
    const { box } = lattice;
    const dimensions = 1 + dimensionsOf(box);
    const point = evenly(dimensions);
    const run = (shares: readonly number[]): Float64Array => {
      const at = lattice.cellAt(placeIn(box, shares.slice(1)));
      return waits ? this.#run(at).vector : this.#runWarp(at, Math.floor(shares[0]! * warps), warps);
    };
    const pairs = Array.from({ length: drawn >> 1 }, (_, k) => point(k));
    const vectors = pairs.flatMap((shares) => [run(shares), run(opposite(shares))]);
    // There was work for one: the middle.
    if (vectors.length === 0) vectors.push(run(new Array<number>(dimensions).fill(0.5)));
    this.#warpRuns.push(...vectors);
    this.#warpWeight = blocks / vectors.length;
    this.#tell(pairwise(vectors));
  }

  /** These were drawn, those of a group opposite each other: how far the mean of the times is known that they ran any block of the program. */
  #tell(groups: readonly (readonly Float64Array[])[]): void {
    const { length } = this.#runner.program.blocks;
    const spread = new Spread(1);
    for (const vectors of groups) {
      let sum = 0;
      for (const vector of vectors) for (let k = 0; k < length; k++) sum += vector[k]! / vectors.length;
      spread.add(Float64Array.of(sum));
    }
    // Of a few that are not alike it is not known how far they differ; whether others are like a single one, those tell that were run besides.
    const error = groups.length === 1 ? this.#differences(spread.sums[0]!, groups[0]!) : spread.error();
    const isFew = groups.length > 1 && groups.length < fewDrawn;
    this.#error = error > alike && isFew ? Math.max(error, 1 / groups.length) : error;
    this.#drawn = groups.reduce((sum, vectors) => sum + vectors.length, 0);
  }

  /** How far blocks that were run besides those drawn differ at most from so many executions of the program's blocks, relatively; 1 without any. */
  #differences(executions: number, drawn: readonly Float64Array[]): number {
    const { length } = this.#runner.program.blocks;
    const others = [...this.#runs.values()].filter(({ weight, vector }) => weight === 0 && !drawn.includes(vector));
    const executed = ({ vector }: Run): number => vector.subarray(0, length).reduce((sum, count) => sum + count, 0);
    return others.length > 0 ? Math.max(...others.map((run) => Math.abs(executed(run) / executions - 1))) : 1;
  }

  /** Costs that data decides, from blocks spread evenly: those that cover the grid stand for its rims. All blocks, where they are few. */
  #refine(totals: Float64Array, blocks: number): void {
    const positions = [...this.#noisy];
    const costs = ({ vector }: Run): Float64Array => Float64Array.from(positions, (position) => vector[position]!);
    const known = new Spread(positions.length);
    const place = this.#places();
    const cost = this.#spent / this.#runs.size;
    const all = blocks <= mostBlocks && cost * (blocks - this.#runs.size) <= this.#options.steps - this.#spent;
    for (let k = 0; k < (all ? blocks : mostDrawn); k++) {
      known.add(costs(this.#run(all ? placeOf(this.#grid, k) : place(k))));
      if (all) continue;
      if (!this.#mayGoOn() || (known.count % leastRandom === 0 && known.error() < precision)) break;
    }
    for (const [k, position] of positions.entries()) totals[position] = (known.sums[k]! / known.count) * blocks;
  }

  /** Counts of a block whose warps are all taken to do as one of them does: for an estimate, warps of many blocks tell more than all of few. */
  #runWarp(at: Dim3, warp: number, warps: number): Float64Array {
    this.#runner.work = this.#work.share(this.#options.blockSteps);
    const run = (): void => this.#runner.runBlock(at, warps, warp);
    if (this.#warpRecords.length < mostWarpsWatched) {
      const index = at[0] + this.#grid[0] * (at[1] + this.#grid[1] * at[2]);
      // Only one of the block's warps was run.
      this.#warpRecords.push(...this.#options.observer.watch(index, run).records.filter((record) => record !== undefined));
    } else run();
    const vector = this.#counts.take();
    this.#warpPlaces.push({ at, vector, isWarp: true });
    this.#spent = this.#work.spent - this.#spentBefore;
    return vector;
  }
}
