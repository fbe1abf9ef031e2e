/** How much of the launch is new: the blocks of a grid as multiples of one of them, from what each shares with those a step apart. */
import type { Dim3 } from "../ir/kernel.ts";
import type { Work } from "../work.ts";
import type { BySite, FirstTouches, Footprints } from "./footprint.ts";
import type { LogPlan } from "./sample.ts";
import type { TrafficInput } from "./traffic.ts";

/** What blocks a step apart do not share: the share of their first touches that are new, by site. 1 all is new, 0 all is shared. */
export interface StepNovelty {
  /** In blocks along one direction. */
  readonly distance: number;
  readonly novelty: Float64Array;
  /** On average of the blocks that stand so far apart: where rows begin within sectors, one neighbour shares more than the other. */
  readonly onAverage: Float64Array;
}

/** Along each direction, the next block first. */
export type Novelty = readonly [x: readonly StepNovelty[], y: readonly StepNovelty[], z: readonly StepNovelty[]];

/** The launch as one multiple of the logged block: block after block along x, then y, then z, each paying only for what is new. */
export class Extent {
  readonly #grid: Dim3;
  /** By direction and step: the chance that what the block a step before brought is still there. */
  readonly #kept: number[][] = [[], [], []];

  constructor(grid: Dim3) {
    this.#grid = grid;
  }

  /** Says what chance there is that the L2 still holds what the block a step before brought. Steps come in order, each once. */
  keep(direction: number, chance: number): void {
    this.#kept[direction]!.push(chance);
  }

  /** The chance that what the next block along a direction brought is still there; 1 where nothing was said of it. */
  kept(direction: number): number {
    return this.#kept[direction]![0] ?? 1;
  }

  /** Blocks' worth of a site's first touches that the launch makes; or so many blocks along `direction` of all directions before it. */
  blocks(novelty: Novelty, site: number, direction = 3, size = 1): number {
    let product = 1;
    for (let d = 0; d < Math.min(3, direction + 1); d++) product *= this.#along(novelty, site, d, d === direction ? size : this.#grid[d]!);
    return product;
  }

  #along(novelty: Novelty, site: number, direction: number, size: number): number {
    const kept = this.#kept[direction]!;
    const steps = novelty[direction]!.map((step, j) => ({
      distance: step.distance,
      anew: 1 - (1 - step.novelty[site]!) * (kept[j] ?? 1),
      onAverage: 1 - (1 - step.onAverage[site]!) * (kept[j] ?? 1),
    }));
    return unionOf(steps, size);
  }
}

/**
 * What `size` blocks in a row touch, in blocks: groups as long as the longest step, each `anew` to the one before; what a group touches
 * is told by the shorter steps. What overlaps is not told twice: blocks bring no more than the step at which most is new for its length.
 */
function unionOf(steps: readonly { readonly distance: number; readonly anew: number; readonly onAverage: number }[], size: number): number {
  const rate = Math.max(0, ...steps.map(({ distance, onAverage }) => onAverage / distance));
  const union = (length: number, among: number): number => {
    if (length <= 1) return length;
    const step = steps[among - 1];
    if (!step) return 1;
    const { distance, anew } = step;
    if (distance >= length) return union(length, among - 1);
    const groups = Math.floor(length / distance);
    const group = union(distance, among - 1);
    return group + (groups - 1) * Math.min(group * anew, distance * rate) + union(length - groups * distance, among - 1) * anew;
  };
  return union(size, steps.length);
}

/** The part of the grid that begins together: rows, then planes, as far as they are resident at once. */
export function waveOf([x, y, z]: Dim3, concurrent: number): Dim3 {
  const rows = Math.max(1, Math.floor(concurrent / x));
  return [Math.min(x, concurrent), Math.min(y, rows), Math.min(z, Math.max(1, Math.floor(rows / y)))];
}

/** By what the blocks' first touches do. */
export function noveltiesOf(
  { logs, sites }: TrafficInput,
  { steps }: LogPlan,
  footprints: Footprints,
  work: Work,
): (what: BySite) => Novelty {
  const logOf = new Map(logs.map((log) => [log.block, log]));
  const directions = steps.map((along) =>
    along.map(({ distance, pairs }) => ({
      distance,
      pairs: pairs.flatMap(([from, to]) => {
        const [before, after] = [logOf.get(from), logOf.get(to)];
        if (!before || !after) return [];
        return [{ alone: footprints.alone(after, work), after: footprints.behind(after, before, work) }];
      }),
    })),
  );
  const all = new Float64Array(sites.length).fill(1);
  return (what) =>
    directions.map((along) => {
      // Of a step that nobody saw, blocks share what those nearer do; and the next one shares nothing.
      let nearer: Omit<StepNovelty, "distance"> = { novelty: all, onAverage: all };
      const among = asOne(
        along.flatMap(({ pairs }) => pairs),
        sites,
        what,
      );
      return along.map(({ distance, pairs }): StepNovelty => {
        // Blocks that work together may end between two: the neighbour that shares more is of the same group, and who is of another is
        // told by a longer step.
        const nearest = pairs.reduce<(typeof pairs)[number] | undefined>(
          (least, pair) => (least && shareOf(least, what) <= shareOf(pair, what) ? least : pair),
          undefined,
        );
        const novelty = nearer.novelty.map(
          (before, s) => newIn(nearest ? [nearest] : [], what, among[s]!) ?? newIn(pairs, what, among[s]!) ?? before,
        );
        const onAverage = nearer.onAverage.map((before, s) => newIn(pairs, what, among[s]!) ?? before);
        nearer = { novelty, onAverage };
        return { distance, ...nearer };
      });
    }) as unknown as Novelty;
}

/** A block by itself, and behind another. */
interface Behind {
  readonly alone: FirstTouches;
  readonly after: FirstTouches;
}

/**
 * By site, those that are taken together with it. Where blocks begin at different places within sectors, other sites of a buffer are the first to
 * come to its sectors in one block than in the next: what is new of them is told of them all.
 */
function asOne(pairs: readonly Behind[], sites: TrafficInput["sites"], what: BySite): readonly (readonly number[])[] {
  const varies = (s: number): boolean => pairs.some(({ alone }) => alone[what][s] !== pairs[0]!.alone[what][s]);
  const varying = [...sites.keys()].filter((s) => sites[s]!.buffer !== undefined && varies(s));
  return sites.map(({ buffer }, s) => (varying.includes(s) ? varying.filter((other) => sites[other]!.buffer === buffer) : [s]));
}

/** The share of some sites' first touches that are new, of some blocks behind others; undefined where none makes any. */
function newIn(pairs: readonly Behind[], what: BySite, sites: readonly number[]): number | undefined {
  const count = (of: (pair: Behind) => FirstTouches): number =>
    pairs.reduce((sum, pair) => sites.reduce((all, site) => all + of(pair)[what][site]!, sum), 0);
  const alone = count((pair) => pair.alone);
  return alone > 0 ? Math.min(1, count((pair) => pair.after) / alone) : undefined;
}

/** The same of all sites: 1 where none makes any. */
function shareOf({ alone, after }: Behind, what: BySite): number {
  const total = (of: Float64Array): number => of.reduce((sum, count) => sum + count, 0);
  return total(alone[what]) > 0 ? total(after[what]) / total(alone[what]) : 1;
}
