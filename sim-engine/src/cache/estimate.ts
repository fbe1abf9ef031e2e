/**
 * From a few logged blocks to the launch: the L1 is simulated; what reaches memory is reasoned from footprints. A block's first
 * touches reach memory unless another block touched the same sectors and the L2 still holds them: how much blocks share is
 * measured on the next block in each direction of the grid and, where divisions make groups of blocks, on those of other groups;
 * how far apart in time they run decides whether the L2 can hold it.
 */
import type { GpuValues } from "../gpus/figures.ts";
import type { Dim3 } from "../ir/kernel.ts";
import { writes } from "../memory/site.ts";
import { Work } from "../work.ts";
import { besides, closedBeside } from "./besides.ts";
import { lateSectors } from "./drift.ts";
import { type BySite, type FirstTouches, Footprint, Footprints } from "./footprint.ts";
import { heldUpCycles, loadsMet } from "./held-up.ts";
import { playL1, type SiteL1 } from "./l1.ts";
import { type SectorLog, weightsOf } from "./log.ts";
import { reachOf } from "./reach.ts";
import { reuseDistances } from "./reuse.ts";
import { type LogPlan, planLogs } from "./sample.ts";
import type { SiteTraffic, TrafficEstimate, TrafficInput } from "./traffic.ts";
import { lostOnLines, sectorsPerLine, writtenLines } from "./written-lines.ts";

/** Accesses a sector from which on sectors are taken to come alone: between pairs, which cost half an access each, and one by one. */
const mostlyAlone = 0.75;

const ratio = (part: number, whole: number, otherwise: number): number => (whole > 0 ? part / whole : otherwise);

/** The chance that the L2 still holds what was used `bytes` of other data ago. */
export const l2Keeps = ({ l2Bytes, l2RetainedShare, l2RetentionFade }: GpuValues, bytes: number): number =>
  Math.min(1, Math.max(0, 1 - (bytes / l2Bytes - l2RetainedShare) / l2RetentionFade));

/** What blocks a step apart do not share: the share of their first touches that are new, by site. 1 all is new, 0 all is shared. */
interface StepNovelty {
  /** In blocks along one direction. */
  readonly distance: number;
  readonly novelty: Float64Array;
}

/** Along each direction, the next block first. */
type Novelty = readonly [x: readonly StepNovelty[], y: readonly StepNovelty[], z: readonly StepNovelty[]];

/** The launch as one multiple of the logged block: block after block along x, then y, then z, each paying only for what is new. */
class Extent {
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
    }));
    return unionOf(steps, size);
  }
}

/**
 * What `size` blocks in a row touch, in blocks: groups as long as the longest step, each `anew` to the one before; what a group touches
 * is told by the shorter steps. What overlaps is not told twice: blocks bring no more than the step at which most is new for its length.
 */
function unionOf(steps: readonly { readonly distance: number; readonly anew: number }[], size: number): number {
  const rate = Math.max(0, ...steps.map(({ distance, anew }) => anew / distance));
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
function waveOf([x, y, z]: Dim3, concurrent: number): Dim3 {
  const rows = Math.max(1, Math.floor(concurrent / x));
  return [Math.min(x, concurrent), Math.min(y, rows), Math.min(z, Math.max(1, Math.floor(rows / y)))];
}

/** By what the blocks' first touches do. */
function noveltiesOf({ logs, sites }: TrafficInput, { steps }: LogPlan, footprints: Footprints, work: Work): (what: BySite) => Novelty {
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
  return (what) =>
    directions.map((along) => {
      // Of a step that nobody saw, blocks share what those nearer do; and the next one shares nothing.
      let nearer = new Float64Array(sites.length).fill(1);
      return along.map(({ distance, pairs }): StepNovelty => {
        // Blocks that work together may end between two: the neighbour that shares more is of the same group, and who is of another is
        // told by a longer step.
        const novelty = nearer.map(
          (before, s) =>
            pairs.reduce<number | undefined>((least, pair) => {
              const alone = pair.alone[what][s]!;
              return alone > 0 ? Math.min(least ?? 1, pair.after[what][s]! / alone) : least;
            }, undefined) ?? before,
        );
        nearer = novelty;
        return { distance, novelty };
      });
    }) as unknown as Novelty;
}

/** Of `among` equally likely places, how many `picks` random ones meet at least once. */
const met = (picks: number, among: number): number => (among > 0 ? among * (1 - Math.exp(-picks / among)) : 0);

/** Sectors that a block requests, by site, those of iterations that were not run included. */
function sectorsIn(log: SectorLog, sites: number): Float64Array {
  const weights = weightsOf(log);
  const sectors = new Float64Array(sites);
  for (let r = 0; r < log.requests; r++) sectors[log.site[r]!]! += weights[r]! * (log.start[r + 1]! - log.start[r]!);
  return sectors;
}

/** Blocks that one stands for which was logged for something else. */
const least = 1e-6;

/** What the average block is first to touch, and of what it reads the sectors that no block asks for the neighbours of. */
type AverageTouches = Record<BySite | "lone", Float64Array>;

/**
 * First touches as the average block makes them: of each site's sectors, the share that was new in all logged blocks together, for any one
 * may have been cut short, do more or less than most, or come to a site only with what another has touched there.
 * @param standsFor by log; what no block that stands for others does is told from those that were logged for something else
 */
function perBlock(
  plan: LogPlan,
  logs: readonly SectorLog[],
  standsFor: readonly number[],
  sectors: Float64Array,
  blocks: number,
  footprints: Footprints,
  work: Work,
): AverageTouches {
  const nothing = (): Float64Array => new Float64Array(sectors.length);
  const kinds = ["read", "unseen", "along", "broughtAlong", "alongOthers", "written", "touched", "partial"] as const;
  const found = { ...(Object.fromEntries(kinds.map((what) => [what, nothing()])) as Record<BySite, Float64Array>), lone: nothing() };
  const logged = nothing();
  for (const [k, log] of logs.entries()) {
    const share = Math.max(standsFor[k] ?? 0, least);
    const first = footprints.alone(log, work);
    for (const [s, count] of sectorsIn(log, sectors.length).entries()) logged[s]! += share * count;
    for (const what of kinds) for (const s of sectors.keys()) found[what][s]! += share * first[what][s]!;
  }
  for (const what of kinds) for (const [s, total] of sectors.entries()) found[what][s]! *= ratio(total / blocks, logged[s]!, 0);

  // Of the block in the middle those beside it are known, which tell what is lone; of what it leaves out, another tells it that does it.
  const open = new Set([...sectors.keys()].filter((s) => found.read[s]! > 0));
  const middle = logs.filter(({ block }) => block === plan.middle);
  for (const log of [...middle, ...logs.filter(({ block }) => block !== plan.middle)]) {
    if (open.size === 0) break;
    const { read } = footprints.alone(log, work);
    const told = [...open].filter((s) => read[s]! > 0);
    if (told.length === 0) continue;
    const lone = footprints.lone(log, besides(plan.steps.flat(), logs, log), work);
    for (const s of told) {
      open.delete(s);
      found.lone[s] = found.read[s]! * Math.min(1, lone[s]! / read[s]!);
    }
  }
  return found;
}

/** Sectors that each site was seen to be first to touch, in all logs together: the launch touches no fewer. */
function seenIn(logs: readonly SectorLog[], sites: number, work: Work): Pick<FirstTouches, "read" | "written"> {
  const all = new Footprint();
  const [read, written] = [new Float64Array(sites), new Float64Array(sites)];
  for (const log of logs) {
    const anew = all.add(log, sites, work, new Uint8Array(log.requests).fill(1));
    for (let s = 0; s < sites; s++) {
      read[s]! += anew.read[s]!;
      written[s]! += anew.written[s]!;
    }
  }
  return { read, written };
}

interface SiteMemory {
  /** Launch totals, in bytes to and from memory, and sectors looked for there by loads. */
  readBytes: number;
  writtenBytes: number;
  missedSectors: number;
  /** Of these, found in the L2, as memory brought them with their neighbours; and those of requests that miss others. */
  alongSectors: number;
  alongOthers: number;
  /** Found in the L2, or on the way there from memory, for a block that runs beside this one came first. */
  underWaySectors: number;
  filledSectors: number;
  /** In bytes: what memory would move in the time that it loses beyond moving these, as it opens pages for lone sectors. */
  lostBytes: number;
  /** Written to the host's memory without filling them. */
  partialSectors: number;
}

/**
 * Estimates a launch's traffic. Sites without a logged request are taken to reach memory with every sector.
 * @param footprints of its logs, where it is asked more than once
 */
export function estimateTraffic(
  input: TrafficInput,
  work: Work = new Work(),
  footprints: Footprints = new Footprints(input.sites.length),
): TrafficEstimate {
  const { gpu, grid, blocksPerSm, sites, logs, sectors } = input;
  const { values } = gpu;
  const plan = planLogs(grid, blocksPerSm, values.smCount, input.rounds);
  const sharing = logs.filter((log) => plan.resident.includes(log.block));
  const together = sharing.length > 0 ? sharing : logs;
  const l1 = playL1(
    together,
    sites,
    { bytes: input.l1Bytes, share: Math.min(together.length, plan.resident.length) / plan.resident.length },
    values,
    work,
  );
  const memory = memoryOf(input, plan, l1, footprints, work);

  const traffic: SiteTraffic[] = sites.map((_, s) => {
    const total = sectors[s]!;
    const { readBytes, writtenBytes, missedSectors, alongSectors, alongOthers, underWaySectors, filledSectors, lostBytes } = memory[s]!;
    const writes = isWrite(input, s);
    const onward = ratio(l1[s]!.onward, l1[s]!.sectors, 1);
    const l1Share = 1 - onward;
    const asked = missedSectors - alongSectors;
    const dramSectors = writes ? Math.max(filledSectors, writtenBytes / values.sectorBytes) : asked;
    const dram = Math.min(1 - l1Share, ratio(dramSectors, total, 0));
    const accessesPerSector = ratio(l1[s]!.accesses, l1[s]!.onward, 1);
    const linesPerSector = ratio(l1[s]!.lines, l1[s]!.onward, 1);
    const missedTogether = ratio(l1[s]!.onward, l1[s]!.ofOnward, 1);
    const scattered = isIrregular(input, s) && accessesPerSector > mostlyAlone;
    // A lone sector costs the memory a whole access, and twice when it is filled and written back.
    const lone = scattered && writes ? 2 * values.dramGranularity : 0;
    const bytesPerDramSector = Math.max(lone, ratio(readBytes + writtenBytes + lostBytes, dram * total, values.sectorBytes));
    // Warps that data sends different ways do not come side by side.
    const underWay = isIrregular(input, s) ? 0 : ratio(l1[s]!.underWay, l1[s]!.sectors, 0);
    const host = isOfHost(input, s) ? { partial: ratio(memory[s]!.partialSectors, dramSectors, 0) } : undefined;
    return {
      l1: l1Share,
      l2: 1 - l1Share - dram,
      dram,
      underWay,
      l2UnderWay: Math.min(1 - l1Share - dram, ratio(underWaySectors, total, 0)),
      accessesPerSector,
      linesPerSector,
      bytesPerDramSector,
      together: missedTogether,
      along: Math.min(1 - l1Share - dram, ratio(alongSectors, total, 0)),
      togetherFromMemory: Math.max(ratio(asked, asked + alongOthers, 1), ratio(dram, 1 - l1Share, 0)),
      scattered,
      ...(host ? { host } : {}),
    };
  });
  return { sites: traffic, ...totalsOf(input, l1, memory) };
}

const isWrite = ({ sites }: TrafficInput, s: number): boolean => writes(sites[s]!);
const isAtomic = ({ sites }: TrafficInput, s: number): boolean => sites[s]!.operation === "atomic" || sites[s]!.operation === "reduction";
const isOfHost = ({ sites, buffers }: TrafficInput, s: number): boolean => buffers[sites[s]!.buffer ?? -1]?.ofHost === true;
const isIrregular = ({ sites }: TrafficInput, s: number): boolean => sites[s]!.irregular === true;

/**
 * Of the sectors that each site is `fresh` to read, launch totals, those that an earlier site has read: sites together read no more of a
 * buffer than there is. Only of what is `unseen`, as iterations that were run do show where they go.
 */
function comingAgain(
  { sites, buffers }: TrafficInput,
  fresh: readonly number[],
  unseen: readonly number[],
  sectorsOf: (site: number) => number | undefined,
): number[] {
  const again = fresh.map(() => 0);
  for (const buffer of buffers.keys()) {
    const own = [...sites.keys()].filter((s) => sites[s]!.buffer === buffer);
    const places = own.length > 0 ? sectorsOf(own[0]!) : undefined;
    if (places === undefined) continue;
    let over = own.reduce((sum, s) => sum + fresh[s]!, 0) - places;
    for (const s of own.reverse()) {
      again[s] = Math.max(0, Math.min(over, unseen[s]!));
      over -= again[s]!;
    }
  }
  return again;
}

function memoryOf(input: TrafficInput, plan: LogPlan, l1: readonly SiteL1[], footprints: Footprints, work: Work): SiteMemory[] {
  const { gpu, grid, blocksPerSm, sites, logs, sectors, buffers } = input;
  const { values } = gpu;
  const blocks = grid[0] * grid[1] * grid[2];
  const concurrent = Math.min(blocks, values.smCount * blocksPerSm);
  const origin = logs.find((log) => log.block === plan.middle) ?? logs[0];
  const none = (): SiteMemory => ({
    readBytes: 0,
    writtenBytes: 0,
    missedSectors: 0,
    alongSectors: 0,
    alongOthers: 0,
    underWaySectors: 0,
    filledSectors: 0,
    lostBytes: 0,
    partialSectors: 0,
  });
  if (!origin) {
    return sites.map((site, s) => {
      const bytes = sectors[s]! * values.sectorBytes;
      return writes(site) ? { ...none(), writtenBytes: bytes } : { ...none(), readBytes: bytes, missedSectors: sectors[s]! };
    });
  }
  const first = perBlock(plan, logs, input.standsFor ?? logs.map(() => 1), sectors, blocks, footprints, work);
  const novelties = noveltiesOf(input, plan, footprints, work);
  const [touched, read, written] = [novelties("touched"), novelties("read"), novelties("written")];
  const closed = closedBeside(input, plan, footprints, work);

  /** Room in the L2 that a block takes with what the site is first to touch, in sectors that are read. */
  const roomOf = (s: number): number => first.touched[s]! * (isWrite(input, s) ? values.l2WrittenRoom : 1);
  const wave = waveOf(grid, concurrent);
  const ofWave = new Extent(wave);
  const waveBytes = sites.reduce((total, _, s) => total + roomOf(s) * ofWave.blocks(touched, s), 0) * values.sectorBytes;
  // Blocks that are resident at once find what the others bring; those that follow, what the L2 keeps of all between.
  const extent = new Extent(grid);
  const over = (of: (s: number) => number, direction: number, size: number): number =>
    sites.reduce((total, _, s) => total + of(s) * extent.blocks(touched, s, direction, size), 0) * values.sectorBytes;
  for (const [direction, steps] of plan.steps.entries()) {
    const stride = grid.slice(0, direction).reduce((product, size) => product * size, 1);
    for (const { distance } of steps) {
      const away = stride * distance;
      if (2 * away > concurrent) {
        extent.keep(direction, l2Keeps(values, over(roomOf, direction, distance)));
        continue;
      }
      // Of these, so many are of two waves: all that a wave brings lies between.
      const apart = Math.min(1, (away * (Math.ceil(blocks / concurrent) - 1)) / blocks);
      extent.keep(direction, 1 - apart * (1 - l2Keeps(values, waveBytes)));
    }
  }
  const footprint = over(roomOf, 3, 1);
  const keptOverall = l2Keeps(values, footprint);

  const buffersSectors = (s: number): number | undefined => {
    const bytes = buffers[sites[s]!.buffer ?? -1]?.bytes;
    return bytes === undefined ? undefined : Math.ceil(bytes / values.sectorBytes);
  };
  const reach = reachOf(logs, sites, work);
  /** Sectors of its buffer that a site at random places comes to; undefined where it is of no buffer, or was not seen in one of unknown size. */
  const placesOf = (s: number): number | undefined => {
    if (sites[s]!.buffer === undefined) return undefined;
    const places = Math.min(buffersSectors(s) ?? Number.POSITIVE_INFINITY, reach[s]!);
    return Number.isFinite(places) ? places : undefined;
  };
  /** At random places. Where it is not known how far they reach, what blocks were seen to share tells more. */
  const isAnywhere = (s: number): boolean => isIrregular(input, s) && placesOf(s) !== undefined;
  // Local memory belongs to resident threads: blocks that follow each other use it again.
  const blocksOf = (s: number, novelty: Novelty, within = extent): number =>
    sites[s]!.space === "local" ? concurrent : within.blocks(novelty, s);
  /** As if the L2 lost nothing. */
  const ofAll = new Extent(grid);
  /** Of the sectors that blocks share, those that the L2 has lost by the time another block asks for them: each is brought once more. */
  const broughtAgain = (s: number): number => first.read[s]! * Math.max(0, blocksOf(s, read) - blocksOf(s, read, ofAll));
  const bounded = (s: number, count: number): number => Math.min(count, sectors[s]!, buffersSectors(s) ?? Number.POSITIVE_INFINITY);

  const seen = seenIn(logs, sites.length, work);
  const fresh = sites.map((_, s) =>
    isWrite(input, s) || isAnywhere(s) ? 0 : bounded(s, Math.max(seen.read[s]!, first.read[s]! * blocksOf(s, read, ofAll))),
  );
  const unseen = fresh.map((count, s) => count * ratio(first.unseen[s]!, first.read[s]!, 0));
  const comeAgain = comingAgain(input, fresh, unseen, buffersSectors);

  /** Blocks of a wave that read the same sector, on average. */
  const sharersOf = (s: number): number => ratio(wave[0] * wave[1] * wave[2], ofWave.blocks(read, s), 1);

  // Between two touches by a block, all that are resident bring as much as it does itself, less what they share.
  const near = input.l1Bytes / blocksPerSm / values.sectorBytes;
  const { distances, weights, touched: logged, passed } = reuseDistances(origin, sites.length, near, values.l2WrittenRoom, work);
  const touchedTwice = comeAgain.reduce((sum, count) => sum + count, 0) / blocks;
  const touchedByBlock = Math.max(0, sites.reduce((sum, _, s) => sum + roomOf(s), 0) - touchedTwice);
  // What a log that was cut short lacks.
  const scale = Math.max(passed === 0 ? 0 : 1, ratio(touchedByBlock, logged, 1));
  const besides = concurrent * ratio(footprint, blocks * (touchedByBlock + touchedTwice) * values.sectorBytes, 1);
  const ofOrigin = sectorsIn(origin, sites.length);
  /** Of what a site reads again past the L1, or writes again, the share that the L2 has lost by then. */
  const lost = (s: number): number => {
    let far = 0;
    let gone = 0;
    for (const [i, distance] of distances[s]!.entries()) {
      const bytes = distance * scale * values.sectorBytes;
      if (!isWrite(input, s) && bytes * blocksPerSm <= input.l1Bytes) continue;
      far += weights[s]![i]!;
      gone += weights[s]![i]! * (1 - l2Keeps(values, bytes * besides));
    }
    // More comes again past the L1 where that does not keep what it was brought just before.
    const again = ratio(l1[s]!.onward, l1[s]!.sectors, 1) - ratio(first.read[s]! * blocks, sectors[s]!, 0);
    return ratio(gone, isWrite(input, s) ? far : Math.max(far, again * ofOrigin[s]!), 0);
  };
  // What comes again, nobody saw when, may come at once or after all else that the block touches.
  const parts = Array.from({ length: 16 }, (_, k) => (k + 0.5) / 16);
  const lostUnseen =
    parts.reduce((sum, part) => sum + 1 - l2Keeps(values, part * touchedByBlock * values.sectorBytes * besides), 0) / parts.length;

  const memory = sites.map((_, s): SiteMemory => {
    const result = none();
    const total = sectors[s]!;
    if (total === 0) return result;
    const played = l1[s]!.sectors;
    if (played === 0)
      return isWrite(input, s)
        ? { ...none(), writtenBytes: total * values.sectorBytes }
        : { ...none(), readBytes: total * values.sectorBytes, missedSectors: total };
    const onward = total * ratio(l1[s]!.onward, played, 1);
    const places = placesOf(s);
    if (isIrregular(input, s) && places !== undefined) {
      // Random places: what is found in the L2 is its share of them. Each half keeps its own copy. Where a block goes on from there it
      // comes back to what it touched itself, and that is no more random.
      const firsts = Math.min(onward, (isWrite(input, s) ? first.written[s]! : first.read[s]!) * blocks);
      const back = (onward - firsts) * lost(s);
      const held = (share: number): number => Math.min(1, (share * values.l2Bytes) / (places * values.sectorBytes));
      const missing = (share: number, units: number): number => Math.max(met(firsts, units), firsts * (1 - held(share))) + back;
      if (isWrite(input, s)) {
        // Dirty sectors leave earlier than clean ones: only part of what may be dirty merges.
        result.writtenBytes = missing(values.l2DirtyShare * values.l2ScatteredDirtyShare, places) * values.sectorBytes;
        result.filledSectors = missing(1 / values.l2Partitions, places) * ratio(first.partial[s]!, first.written[s]!, 0);
        result.readBytes = result.filledSectors * values.sectorBytes;
      } else {
        const misses = missing(1 / values.l2Partitions, (places * values.sectorBytes) / values.dramGranularity);
        result.missedSectors = misses;
        result.readBytes = misses * values.dramGranularity;
        if (isAtomic(input, s)) result.writtenBytes = met(onward, places) * values.sectorBytes;
      }
      return result;
    }
    if (!isWrite(input, s)) {
      const again = Math.max(0, onward - first.read[s]! * blocks) * lost(s);
      const brought = fresh[s]! - comeAgain[s]! + broughtAgain(s);
      result.missedSectors = Math.min(onward, brought + comeAgain[s]! * lostUnseen + again);
      const lone = ratio(first.lone[s]!, first.read[s]!, 0);
      result.readBytes = result.missedSectors * (values.sectorBytes + lone * (values.dramGranularity - values.sectorBytes));
      if (!isOfHost(input, s)) {
        result.alongSectors = result.missedSectors * ratio(first.along[s]!, first.read[s]!, 0);
        result.alongOthers = result.missedSectors * ratio(first.alongOthers[s]!, first.read[s]!, 0);
      }
      // Blocks side by side ask for the same at the same time: what one brings, the others wait for.
      const asked = first.read[s]! * blocks;
      const together = Math.max(0, Math.min(asked - result.missedSectors, brought * (sharersOf(s) - 1)));
      // Of those that the L1 keeps from the L2 as many belong to blocks that came first as to those after them.
      result.underWaySectors = together * Math.min(1, ratio(onward, asked, 1));
    }
    if (isWrite(input, s) || isAtomic(input, s)) {
      const dirty = bounded(s, Math.max(seen.written[s]!, first.written[s]! * blocksOf(s, written)));
      const rewritten =
        sites[s]!.space === "local"
          ? Math.max(0, first.written[s]! * blocks - dirty) * (1 - keptOverall)
          : isWrite(input, s)
            ? Math.max(0, onward - first.written[s]! * blocks) * lost(s)
            : 0;
      result.writtenBytes = (dirty + rewritten) * values.sectorBytes;
      const open = closed.reduce((share, along, direction) => share * (1 - along[s]! * extent.kept(direction)), 1);
      result.filledSectors = bounded(s, first.partial[s]! * (sites[s]!.space === "local" ? concurrent : blocks) * open);
      result.readBytes += result.filledSectors * values.sectorBytes;
    }
    return result;
  });

  bringAlong(memory, first.broughtAlong, values.sectorBytes);
  comeLate(input, memory, work);
  holdUp(input, concurrent, memory, work);

  // Nothing is brought from the host for sectors that are written in part: they go there as they are.
  for (const [s, site] of memory.entries()) {
    if (!isOfHost(input, s) || !isWrite(input, s)) continue;
    site.partialSectors = site.filledSectors;
    site.filledSectors = 0;
    site.readBytes = 0;
  }
  const linesPerSector = writtenLines(logs, plan.middle, sites, work).map((lines, s) =>
    isIrregular(input, s) || sites[s]!.space === "local" ? 1 / sectorsPerLine : lines,
  );
  // What is written last stays in the L2 when the kernel ends, but for what is the host's.
  const ofDevice = memory.filter((_, s) => !isOfHost(input, s));
  const dirtyBytes = ofDevice.reduce((total, site) => total + site.writtenBytes, 0);
  if (dirtyBytes > 0) {
    const touchedBytes = over((s) => first.touched[s]!, 3, 1);
    const final = values.l2FinalShare * values.l2Bytes * Math.min(1, dirtyBytes / Math.max(touchedBytes, 1));
    const stays = Math.min(dirtyBytes, values.l2DirtyShare * values.l2Bytes, final);
    // It stays by lines, however little of each is written; what was filled from memory leaves earlier.
    for (const [s, site] of memory.entries()) {
      if (isOfHost(input, s)) continue;
      const filled = Math.min(1, ratio(site.filledSectors * values.sectorBytes, site.writtenBytes, 0));
      const share = (1 - filled * (1 - values.l2ScatteredDirtyShare)) / (sectorsPerLine * linesPerSector[s]!);
      site.writtenBytes *= 1 - (share * stays) / dirtyBytes;
    }
  }
  for (const [s, site] of memory.entries()) {
    if (!isWrite(input, s) || isIrregular(input, s) || isOfHost(input, s)) continue;
    const written = site.writtenBytes / values.sectorBytes;
    site.lostBytes += lostOnLines({ written, filled: site.filledSectors }, linesPerSector[s]!, l1[s]!, values);
  }
  return memory;
}

/** Tells what memory brought along of the sites that it was brought with. */
function bringAlong(memory: readonly SiteMemory[], broughtAlong: Float64Array, sectorBytes: number): void {
  const bytes = memory.reduce((sum, { alongSectors }) => sum + alongSectors, 0) * sectorBytes;
  // Sites differ in how often blocks share what they read: what all were found to bring is divided as the average block has it.
  const all = broughtAlong.reduce((sum, count) => sum + count, 0);
  if (all === 0) return;
  for (const [s, site] of memory.entries()) site.readBytes += (bytes * broughtAlong[s]!) / all - site.alongSectors * sectorBytes;
}

/** Adds what sectors cost that warps which drifted apart complete, or ask for, too late. */
function comeLate(input: TrafficInput, memory: readonly SiteMemory[], work: Work): void {
  const { busy, gpu, grid, sectors } = input;
  const { sectorBytes, dramGranularity, lateSectorBytes } = gpu.values;
  const late = busy === undefined ? undefined : lateSectors(input, busy, work);
  if (!late) return;
  const blocks = grid[0] * grid[1] * grid[2];
  for (const [s, site] of memory.entries()) {
    if (isOfHost(input, s) || isIrregular(input, s)) continue;
    const count = Math.min(late[s]! * blocks, sectors[s]!);
    site.readBytes += count * dramGranularity;
    if (!isWrite(input, s)) {
      site.missedSectors += count;
      continue;
    }
    site.writtenBytes += count * sectorBytes;
    site.filledSectors += count;
    site.lostBytes += count * (lateSectorBytes - 2 * dramGranularity - sectorBytes);
  }
}

/** Adds what memory loses where stores hold up what it brings. */
function holdUp({ gpu, logs, sites, sectors }: TrafficInput, concurrent: number, memory: readonly SiteMemory[], work: Work): void {
  const met = loadsMet(logs, sites, work);
  if (!met) return;
  const warps = concurrent * Math.max(1, ...logs.map((log) => new Set(log.warp.subarray(0, log.requests)).size));
  for (const [s, site] of memory.entries()) {
    const { sectors: logged, met: stored, requests } = met[s]!;
    const brought = site.missedSectors * Math.min(1, ratio(stored, logged, 0));
    const atOnce = warps * ratio(brought, sectors[s]! * ratio(requests, logged, 0), 0);
    if (brought > 0) site.lostBytes += heldUpCycles(brought, atOnce) * bytesPerCycle(gpu.values);
  }
}

const bytesPerCycle = ({ dramReadBandwidth, clock }: GpuValues): number => (dramReadBandwidth * 1000) / clock;

function totalsOf(input: TrafficInput, l1: readonly SiteL1[], memory: readonly SiteMemory[]): Omit<TrafficEstimate, "sites"> {
  const { gpu, sites, sectors } = input;
  const elsewhere = 1 - 1 / gpu.values.l2Partitions;
  const launch = (s: number, part: number): number => sectors[s]! * ratio(part, l1[s]!.sectors, 0);
  let lookups = 0;
  let hits = 0;
  let reads = 0;
  let writes = 0;
  let missed = 0;
  let filled = 0;
  let atomics = 0;
  for (let s = 0; s < sites.length; s++) {
    lookups += launch(s, l1[s]!.lookups);
    hits += launch(s, l1[s]!.hits);
    const onward = l1[s]!.sectors > 0 ? launch(s, l1[s]!.onward) : sectors[s]!;
    if (isWrite(input, s)) writes += onward;
    else if (isAtomic(input, s)) atomics += onward;
    else reads += onward;
    missed += memory[s]!.missedSectors - memory[s]!.alongSectors;
    filled += memory[s]!.filledSectors;
  }
  const anyOfHost = sites.some((_, s) => isOfHost(input, s));
  const total = (key: "readBytes" | "writtenBytes", ofHost = false): number =>
    memory.reduce((bytes, site, s) => (isOfHost(input, s) === ofHost ? bytes + site[key] : bytes), 0);
  // With two halves, half of the sectors that must come from memory and of those written belong to the other half as well:
  // so many of them are elsewhere.
  const fromMemory = total("readBytes") / gpu.values.sectorBytes - filled;
  const l2ReadSectors = reads + fromMemory * elsewhere;
  const l2WriteSectors = writes * (1 + elsewhere) + filled;
  const l2Lookups = l2ReadSectors + l2WriteSectors + atomics;
  return {
    ...(lookups > 0 ? { l1HitPct: (100 * hits) / lookups } : {}),
    ...(l2Lookups > 0 ? { l2HitPct: 100 * Math.max(0, 1 - (missed + fromMemory * elsewhere + filled) / l2Lookups) } : {}),
    l2ReadSectors,
    l2WriteSectors,
    dramReadBytes: total("readBytes"),
    dramWriteBytes: total("writtenBytes"),
    ...(anyOfHost ? { hostReadBytes: total("readBytes", true), hostWriteBytes: total("writtenBytes", true) } : {}),
  };
}
