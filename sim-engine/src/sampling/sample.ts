/**
 * Chooses the blocks of a launch that are run, and what each stands for, so that the work does not grow with the grid.
 *
 * Where control flow and addresses follow from indices, blocks a period apart count the same until a comparison changes
 * its outcome. So the grid is cut into boxes: one whose corners and middle count the same stands for itself; others are cut
 * further, first at their rims, where guards act. Where data decides, blocks are drawn evenly from all over the grid.
 */

import { random } from "../execute/content.ts";
import { warpSize } from "../execute/program.ts";
import type { WarpRecord } from "../execute/record.ts";
import type { Runner } from "../execute/run.ts";
import type { Dim3, Op } from "../ir/kernel.ts";
import type { ObservedBlock, Observer } from "../observe/observer.ts";
import type { Work } from "../work.ts";
import { type Box, cornersOf, cutBox, evenly, middle, placeOf, volume } from "./boxes.ts";
import { CountVector } from "./counts.ts";
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
}

export interface Sample {
  /** Launch totals. */
  readonly totals: Float64Array;
  readonly counts: CountVector;
  readonly blocks: readonly SampledBlock[];
  /** Blocks that were watched, whatever they stand for. */
  readonly watched: readonly ObservedBlock[];
  /** Warps of other blocks, drawn evenly, that were run and watched each by itself; together they stand for `warpBlocks` blocks. */
  readonly warps: readonly WarpRecord[];
  readonly warpBlocks: number;
  /** The totals are those of the whole grid, not an estimate. */
  readonly exact: boolean;
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

/** Blocks watched at most beyond those asked for. */
const mostWatched = 12;
/** Warps watched at most that were run by themselves. */
const mostWarpsWatched = 64;
/** Requests after which the cost of accesses that data decides is known well enough. */
const enoughRequests = 4000;
/** Blocks run at most, and those that are run at least where data decides. */
const mostBlocks = 512;
const leastRandom = 12;
/** Cells that covering the grid takes at the least: corners, middle, probes. */
const leastCovered = 6;
const mostDrawn = 4096;
/** Blocks, and of their warps those that can be run by themselves, that have to be affordable for draws to tell more than opposite pairs. */
const leastDrawn = 2;
const leastUnits = 12;
/** Warps drawn at most of blocks that take all the steps there are. */
const mostInPairs = 6;
/** Relative standard error of totals at which random sampling stops. */
const precision = 0.004;

interface Run {
  readonly at: Dim3;
  readonly vector: Float64Array;
  readonly observed: ObservedBlock | undefined;
  weight: number;
}

export class Sampler {
  readonly #runner: Runner;
  /** What all blocks may spend. */
  readonly #work: Work;
  readonly #options: SampleOptions;
  readonly #counts: CountVector;
  readonly #grid: Dim3;
  /** Blocks of a cell in each dimension: a period. */
  #period: Dim3;
  readonly #runs = new Map<number, Run>();
  /** Counts of blocks of which one warp was run, and what each stands for. */
  readonly #warpRuns: Float64Array[] = [];
  readonly #warpRecords: WarpRecord[] = [];
  #warpWeight = 0;
  /** Positions of their costs, which need not be the same from block to block. */
  readonly #noisy: ReadonlySet<number>;
  readonly #irregularFlow: boolean;
  #exact = true;
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
    if (variations.some((each) => each.approximate) || irregular.size > 0) this.#exact = false;
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
    else if (!this.#irregularFlow && cost * Math.max(leastDrawn, leastUnits / this.#units) > this.#options.steps)
      this.#drawPairs(blocks, cost);
    else this.#drawBlocks(blocks, cost);
    const totals = new Float64Array(this.#counts.length);
    const sampled: SampledBlock[] = [];
    for (const [index, { at, vector, weight, observed }] of [...this.#runs].sort(([a], [b]) => a - b)) {
      if (weight === 0) continue;
      sampled.push({ at, index, weight, observed });
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
      warps: this.#warpRecords,
      warpBlocks: this.#warpRuns.length * this.#warpWeight,
      exact: this.#exact,
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
    const run: Run = { at, vector: this.#counts.take(), observed, weight: 0 };
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
  #cell(cell: Dim3): Run[] {
    const runs: Run[] = [];
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
    if (px * py * pz * leastCovered * cost > this.#options.steps) {
      // Too much work for whole periods: blocks are taken to be alike, whichever they are.
      this.#period = [1, 1, 1];
      this.#exact = false;
    }
    const [nx = 1, ny = 1, nz = 1] = this.#grid.map((length, k) => Math.ceil(length / (this.#period[k] ?? 1)));
    const boxes: Box[] = [{ low: [0, 0, 0], high: [nx - 1, ny - 1, nz - 1], peeled: 0 }];
    for (let box = boxes.pop(); box; box = boxes.pop()) {
      const corners = cornersOf(box);
      const probes = this.#probes(box);
      const [first] = corners;
      if (!first) continue;
      const uniform = [...corners, ...probes].every((cell) => this.#same(this.#cell(first), this.#cell(cell)));
      if (uniform || volume(box) <= corners.length || !this.#mayGoOn()) {
        if (!uniform && volume(box) > corners.length) this.#exact = false;
        this.#settle(box, uniform && this.#noisy.size === 0 ? [first] : [...corners, ...probes]);
      } else boxes.push(...this.#cut(box, corners));
      boxes.sort((a, b) => volume(a) - volume(b));
    }
  }

  /** Shares a box's blocks out to the cells that were run in it. */
  #settle(box: Box, cells: readonly Dim3[]): void {
    const distinct = [...new Map(cells.map((cell) => [cell.join(), cell])).values()];
    // Cells at the grid's far rims may hold fewer blocks than others: shares are by block.
    const blocks = this.#blocksIn(box);
    const runs = distinct.flatMap((cell) => this.#cell(cell));
    for (const run of runs) run.weight += blocks / runs.length;
  }

  #blocksIn(box: Box): number {
    let blocks = 1;
    for (let k = 0; k < 3; k++) {
      const period = this.#period[k] ?? 1;
      blocks *= Math.min(((box.high[k] ?? 0) + 1) * period, this.#grid[k] ?? 1) - (box.low[k] ?? 0) * period;
    }
    return blocks;
  }

  /** The middle of a box, and two places at random. */
  #probes(box: Box): Dim3[] {
    const { low, high } = box;
    const size = volume(box);
    if (size <= 8) return size > 2 ? [middle(box)] : [];
    const place = (seed: number): Dim3 =>
      [0, 1, 2].map((k) => (low[k] ?? 0) + Math.floor(random(size + k, seed) * ((high[k] ?? 0) - (low[k] ?? 0) + 1))) as unknown as Dim3;
    const more = this.#irregularRequests < enoughRequests * this.#irregular.length;
    return [middle(box), ...(more ? [1, 2, 3, 4, 5, 6, 7, 8] : [1, 2]).map(place)];
  }

  /** Cuts off the rims along a dimension in which the corners differ; once that is done, halves it. */
  #cut(box: Box, corners: readonly Dim3[]): Box[] {
    const { low, high } = box;
    const length = (k: number): number => (high[k] ?? 0) - (low[k] ?? 0) + 1;
    const varies = (k: number): boolean =>
      corners.some((cell) => {
        const opposite = cell.map((value, each) => (each === k ? (value === low[k] ? high[k] : low[k]) : value)) as unknown as Dim3;
        return !this.#same(this.#cell(cell), this.#cell(opposite));
      });
    const candidates = [0, 1, 2].filter((k) => length(k) > 1);
    const varying = candidates.filter((k) => varies(k));
    const choice = (varying.length > 0 ? varying : candidates).sort((a, b) => length(b) - length(a))[0] ?? 0;
    return cutBox(box, choice);
  }

  /** Blocks spread evenly over the grid, ever more of them until the totals are known well enough: all, where that is no more work. */
  #drawBlocks(blocks: number, cost: number): void {
    if (cost * blocks <= this.#options.steps) {
      for (let index = 0; index < blocks; index++) this.#run(placeOf(this.#grid, index)).weight = 1;
      return;
    }
    this.#exact = false;
    const drawn = new Spread(this.#counts.length);
    const { launch, waits } = this.#runner.program;
    const warps = Math.ceil((launch.block[0] * launch.block[1] * launch.block[2]) / warpSize);
    const whole = waits || warps === 1 ? mostDrawn : Math.max(1, Math.min(leastRandom, Math.floor(this.#options.steps / cost / 4)));
    for (let k = 0; k < mostDrawn; k++) {
      if (k < whole) {
        const run = this.#run(evenly(this.#grid, k));
        run.weight++;
        drawn.add(run.vector);
      } else {
        const vector = this.#runWarp(evenly(this.#grid, k), Math.floor(random(k, 1) * warps), warps);
        this.#warpRuns.push(vector);
        drawn.add(vector);
      }
      if (!this.#mayGoOn() || (drawn.count % leastRandom === 0 && drawn.error() < precision)) break;
    }
    for (const run of this.#runs.values()) run.weight *= blocks / drawn.count;
    this.#warpWeight = blocks / drawn.count;
  }

  /**
   * Of blocks too long to run many of, whose work changes steadily over the grid (the rows of a triangle): warps, or blocks where
   * warps wait for each other, in pairs that lie opposite each other about the grid's middle, so that what grows along it is not
   * over- or underestimated.
   */
  #drawPairs(blocks: number, cost: number): void {
    const { waits } = this.#runner.program;
    const warps = this.#units;
    const units = blocks * warps;
    const affordable = Math.floor(this.#work.left / 3 / (cost / warps));
    const drawn = Math.min(units, Math.max(1, Math.min(mostInPairs, affordable)));
    this.#exact = false;
    const run = (unit: number): Float64Array => {
      const at = placeOf(this.#grid, Math.floor(unit / warps));
      return waits ? this.#run(at).vector : this.#runWarp(at, unit % warps, warps);
    };
    const vectors: Float64Array[] = [];
    for (let k = 0; k < drawn; k++) {
      const unit = Math.floor((((k >> 1) + 0.5) * units) / drawn);
      vectors.push(run(k % 2 === 0 ? unit : units - 1 - unit));
    }
    this.#warpRuns.push(...vectors);
    this.#warpWeight = blocks / vectors.length;
  }

  /** Costs that data decides, from blocks spread evenly: those that cover the grid stand for its rims. All blocks, where they are few. */
  #refine(totals: Float64Array, blocks: number): void {
    const positions = [...this.#noisy];
    const costs = ({ vector }: Run): Float64Array => Float64Array.from(positions, (position) => vector[position]!);
    const known = new Spread(positions.length);
    const cost = this.#spent / this.#runs.size;
    const all = blocks <= mostBlocks && cost * (blocks - this.#runs.size) <= this.#options.steps - this.#spent;
    for (let k = 0; k < (all ? blocks : mostDrawn); k++) {
      known.add(costs(this.#run(all ? placeOf(this.#grid, k) : evenly(this.#grid, k))));
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
    this.#spent = this.#work.spent - this.#spentBefore;
    return vector;
  }
}
