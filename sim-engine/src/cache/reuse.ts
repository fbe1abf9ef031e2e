/** How soon a block reads again what it has touched: what all resident blocks bring meanwhile decides whether the L2 still holds it. */
import type { Work } from "../work.ts";
import { FenwickTree } from "./fenwick-tree.ts";
import { Gaps } from "./gaps.ts";
import { interleave } from "./interleave.ts";
import { factorOf, type SectorLog, store, weightsOf } from "./log.ts";
import { sectorsPerLine } from "./written-lines.ts";

export interface Reuse {
  /**
   * Of each site, for each sector that it reads again: how many others the block touched since the sector was touched last, those that are
   * only written by the room they take in the L2. Of a store, for each that it writes again: since it was written last.
   */
  readonly distances: readonly (readonly number[])[];
  /** How many each of them stands for. */
  readonly weights: readonly (readonly number[])[];
  /** Of each site, sectors that a warp reads again after an earlier site of its own, with much of what the L1 holds touched since. */
  readonly ownAgain: Float64Array;
  /** All that was touched, and of that what iterations brought that were not logged; in sectors, as the distances count them. */
  readonly touched: number;
  readonly passed: number;
}

/**
 * Of what the L1 holds, the share from which on what was touched since may have pushed something out. Assumed: measured are rows of a tenth to
 * all of it (h200-second-pass.txt), and what it is to tell from those are words that a warp comes to in one turn.
 */
const much = 1 / 4;

/** Parts that the turns a request stands for are told in, where its distances grow through them. */
const parts = 4;

/**
 * @param ownShare of each site: what it touches counts for so much, as all blocks come to the same of it
 * @param near sectors that the L1 holds for the block: what is read again with fewer others between is brought once
 * @param writtenRoom room that a sector takes which is only written, over that of one that is read
 */
export function reuseDistances(log: SectorLog, ownShare: ArrayLike<number>, near: number, writtenRoom: number, work: Work): Reuse {
  const sites = ownShare.length;
  const distances: number[][] = Array.from({ length: sites }, () => []);
  const weights: number[][] = Array.from({ length: sites }, () => []);
  const weightOf = weightsOf(log);
  const rounds = new Rounds(log, sites);
  // By warp and site: of each request its number, and the mean of its distances where it reads anything again.
  const before = new Map<number, { readonly request: number; readonly mean: number | undefined }[]>();
  // Each line stands where it was touched last, what was not logged where it would have been: so nothing counts twice.
  const order = new FenwickTree(log.sectorCount + log.requests);
  const lines = linesOf(log);
  // By sector: the warp that touched it last, and its site.
  const lastBy = new Map<number, number>();
  const ownAgain = new Float64Array(sites);
  let place = 0;
  const gaps = new Gaps(log);
  interleave([log], work, (_, r) => {
    gaps.begin(r);
    const site = log.site[r]!;
    const own = distances[site]!;
    const writes = log.kind[r] === store;
    const by = log.warp[r]! * sites;
    const begin = own.length;
    let brought = 0;
    for (let i = log.start[r]!; i < log.start[r + 1]!; i++) {
      const sector = log.sectors[i]!;
      const line = lines.get(lineOf(sector)) as Line;
      const distance = line.kept.since(sector, line.touched < 0 ? 0 : order.sumAfter(line.touched));
      if (writes) {
        line.dirty ??= new Between();
        const since = line.dirty.since(sector, line.written < 0 ? 0 : order.sumAfter(line.written));
        if (since !== undefined) own.push(since);
      } else if (distance !== undefined) {
        own.push(distance);
        const of = distance > much * near ? lastBy.get(sector)! - by : -1;
        if (of >= 0 && of < sites && of !== site) ownAgain[site]! += weightOf[r]!;
      }
      lastBy.set(sector, by + site);
      if (line.touched >= 0) order.add(line.touched, -line.room * line.sectors);
      line.room = Math.max(line.room, (writes ? writtenRoom : 1) * ownShare[site]!);
      if ((distance ?? Number.POSITIVE_INFINITY) > near) brought += line.room;
      line.touched = place;
      if (writes) line.written = place;
      order.add(place++, line.room * line.sectors);
    }
    const key = log.warp[r]! * sites + log.site[r]!;
    const history = before.get(key) ?? [];
    before.set(key, history);
    const found = own.splice(begin);
    const mean = found.length > 0 ? found.reduce((sum, distance) => sum + distance, 0) / found.length : undefined;
    const back = rounds.back[r]!;
    const round = back > 0 ? history[history.length - back] : undefined;
    const grown = mean === undefined || round?.mean === undefined ? 0 : (mean - round.mean) * rounds.beyond(r, round.request);
    history.push({ request: r, mean });
    const among = grown === 0 ? 1 : parts;
    for (let part = 0; part < among; part++)
      for (const distance of found) {
        own.push(distance + (grown * (part + 0.5)) / among);
        weights[site]!.push(weightOf[r]! / among);
      }
    const passing = gaps.end(r, brought);
    if (passing > 0) order.add(place++, passing);
  });
  // There is no more to lie between than the block touches.
  const touched = order.sumAfter(-1);
  return {
    distances: distances.map((own) => own.map((each) => Math.min(touched, Math.max(0, each)))),
    weights,
    ownAgain,
    touched,
    passed: gaps.passed,
  };
}

/** The L2 keeps and loses whole lines, however few of their sectors it holds (validation/microbenchmarks/h200-lines.tsv). */
interface Line {
  /** Sectors of it that the block touches, sooner or later: the rest may be another's. */
  sectors: number;
  /** Of each of these. */
  room: number;
  /** Where it stands, touched last and written last; -1 where it was not yet. */
  touched: number;
  written: number;
  readonly kept: Between;
  dirty?: Between;
}

/**
 * Of each sector of a line, the most that lay between two touches of the line since its own: where that was too much the line went,
 * with all that it held, though it may have come back for another of its sectors.
 */
class Between {
  /** By sector of the line; -1 where it was not touched. */
  readonly #most: number[] = new Array<number>(sectorsPerLine).fill(-1);

  /** The most since the sector was touched; undefined where it was not. `distance`: since the line was. */
  since(sector: number, distance: number): number | undefined {
    const own = sector % sectorsPerLine;
    for (let k = 0; k < sectorsPerLine; k++) if (this.#most[k]! >= 0 && distance > this.#most[k]!) this.#most[k] = distance;
    const since = this.#most[own]!;
    this.#most[own] = 0;
    return since < 0 ? undefined : since;
  }
}

const lineOf = (sector: number): number => Math.floor(sector / sectorsPerLine);

function linesOf(log: SectorLog): ReadonlyMap<number, Line> {
  const lines = new Map<number, Line>();
  for (const sector of new Set(log.sectors.subarray(0, log.sectorCount))) {
    const line = lines.get(lineOf(sector));
    if (line) line.sectors++;
    else lines.set(lineOf(sector), { sectors: 1, room: 0, touched: -1, written: -1, kept: new Between() });
  }
  return lines;
}

/** How turns of loops that were not run are told by those that were. */
class Rounds {
  /** By request: the innermost repeat that it stands for turns of, -1 where it stands for itself. */
  readonly #within: Int32Array;
  /** By request: how many its warp makes at its site as the turns of that repeat go round once. */
  readonly back: Uint32Array;
  readonly #log: SectorLog;

  constructor(log: SectorLog, sites: number) {
    this.#log = log;
    this.#within = new Int32Array(log.requests).fill(-1);
    this.back = new Uint32Array(log.requests);
    for (const [k, { middle, to }] of log.repeats.entries()) {
      const ofSite = new Uint32Array(sites);
      const own: number[] = [];
      for (let r = middle; r <= to; r++) {
        if (log.warp[r] !== log.warp[middle]) continue;
        ofSite[log.site[r]!]!++;
        if (this.#within[r]! < 0) own.push(r);
      }
      for (const r of own) {
        this.#within[r] = k;
        this.back[r] = ofSite[log.site[r]!]!;
      }
    }
  }

  /** How many rounds a request stands for beyond its own, in rounds as far as from the request `before` it, a round earlier, to itself. */
  beyond(request: number, before: number): number {
    const { repeats } = this.#log;
    const own = repeats[this.#within[request]!];
    if (!own) return 0;
    const other = repeats[this.#within[before]!];
    // Where that one stands for turns of a repeat of its own, these lie between the two.
    const between = other && other !== own && !(other.middle <= own.middle && own.to <= other.to) ? factorOf(other) : 1;
    return (factorOf(own) - 1) / between;
  }
}
