/** How often a warp's constant loads miss the caches of constants: those that were run, and the turns of loops that they stand for. */
import type { RecordedRepeat, WarpRecord } from "../execute/record.ts";
import { ConstantCache, packMisses } from "../memory/constant-cache.ts";
import type { MemorySite } from "../memory/site.ts";

/** Requests of a loop that are gone through; what comes later is taken to be as these. */
const mostReads = 1 << 13;

interface Tally {
  reads: number;
  lines: number;
  pieces: number;
}

const known = new WeakMap<WarpRecord, ReadonlyMap<number, number>>();

/** For a warp's constant requests, by where they stand in its record, `packMisses` of them. What is recorded of each is its address. */
export function constantMisses(record: WarpRecord, sites: readonly MemorySite[]): ReadonlyMap<number, number> {
  let found = known.get(record);
  if (!found) known.set(record, (found = missesOf(record, sites)));
  return found;
}

function missesOf(record: WarpRecord, all: readonly MemorySite[]): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  const { requests, starts, blocks } = record;
  const own: number[] = [];
  for (let r = 0; r < requests.length; r += 3) if (all[requests[r]!]?.space === "constant") own.push(r);
  if (own.length === 0) return found;
  const cache = new ConstantCache();
  const tallies: { readonly of: readonly number[]; readonly tally: Tally }[] = [];
  const read = (tally: Tally, at: number): void => {
    const what = cache.read(at);
    tally.reads++;
    if (what !== "line") tally.lines++;
    if (what === "nothing") tally.pieces++;
  };
  const loops = innermost(record.repeats);
  for (let k = 0, next = 0; k < own.length; ) {
    const r = own[k]!;
    while (next < loops.length && (starts[loops[next]!.to] ?? requests.length) <= r) next++;
    const loop = loops[next];
    if (!loop || (starts[loop.from] ?? 0) > r) {
      const tally = { reads: 0, lines: 0, pieces: 0 };
      read(tally, requests[r + 2]!);
      tallies.push({ of: [r], tally });
      k++;
      continue;
    }
    const end = loop.to < blocks.length ? starts[loop.to]! : requests.length;
    const bySite = new Map<number, number[]>();
    const sites = new Map<number, Tally>();
    for (; k < own.length && own[k]! < end; k++) {
      const [site, at] = [requests[own[k]!]!, requests[own[k]! + 2]!];
      const of = bySite.get(site) ?? [];
      bySite.set(site, of);
      of.push(own[k]!);
      const tally = sites.get(site) ?? { reads: 0, lines: 0, pieces: 0 };
      sites.set(site, tally);
      read(tally, at);
    }
    const turns = turnsOf(record, loop);
    goOn(walksOf(requests, bySite, turns), Math.round((loop.times - 1) * turns), (site, at) => read(sites.get(site)!, at));
    for (const [site, of] of bySite) tallies.push({ of, tally: sites.get(site)! });
  }
  const sum = (what: keyof Tally): number => tallies.reduce((all, { tally }) => all + tally[what], 0);
  const ofWarp = { fits: cache.fits, thrashes: sum("lines") > sum("reads") / 2 };
  for (const { of, tally } of tallies) {
    const packed = packMisses({ lines: tally.lines / tally.reads, pieces: tally.pieces / tally.reads, ...ofWarp });
    for (const r of of) found.set(r, packed);
  }
  return found;
}

/** How often a loop went round of what was run of it. */
function turnsOf({ blocks }: WarpRecord, { from, to }: RecordedRepeat): number {
  let turns = 0;
  for (let entry = from; entry < to; entry++) if (blocks[entry] === blocks[from]) turns++;
  return turns;
}

/** A request that a loop makes in each turn: the byte that it begins at in the last that was run, and how far on it is in the next. */
interface Walk {
  readonly site: number;
  readonly last: number;
  readonly step: number;
}

/** @param bySite a loop's requests; of a site that makes more of them in one turn than in another each is taken to be the same again */
function walksOf(requests: readonly number[], bySite: ReadonlyMap<number, readonly number[]>, turns: number): readonly Walk[] {
  return [...bySite].flatMap(([site, of]) => {
    const each = of.length / turns;
    const isEven = Number.isInteger(each) && turns > 1;
    return of.slice(isEven ? -each : 0).map((r, k): Walk => {
      const last = requests[r + 2]!;
      return { site, last, step: isEven ? (last - requests[of[k]! + 2]!) / (turns - 1) : 0 };
    });
  });
}

/** The turns that those of a loop that were run stand for. */
function goOn(walks: readonly Walk[], turns: number, read: (site: number, at: number) => void): void {
  for (let turn = 1; turn <= Math.min(turns, mostReads / walks.length); turn++)
    for (const { site, last, step } of walks) read(site, last + turn * step);
}

/** Repeats that hold no others, in their order. */
const innermost = (repeats: readonly RecordedRepeat[]): readonly RecordedRepeat[] =>
  repeats
    .filter(
      (each) =>
        each.times > 1 && !repeats.some((other) => other !== each && other.from >= each.from && other.to <= each.to && other.times > 1),
    )
    .toSorted((a, b) => a.from - b.from);
