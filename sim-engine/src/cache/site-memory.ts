/**
 * What each site moves to and from memory. A block's first touches reach it unless another block touched the same sectors and the L2
 * still holds them; what a block touches again does where the L2 has lost it.
 */
import type { GpuValues } from "../gpus/figures.ts";
import { writes } from "../memory/site.ts";
import type { Work } from "../work.ts";
import { perBlock, sectorsIn, seenIn } from "./average-block.ts";
import { closedBeside } from "./besides.ts";
import { Extent, type Novelty, noveltiesOf, waveOf } from "./extent.ts";
import { FirstRounds } from "./first-rounds.ts";
import type { Footprints } from "./footprint.ts";
import type { SiteL1 } from "./l1.ts";
import { bringAlong, comeLate, holdUp } from "./memory-losses.ts";
import { ratio } from "./ratio.ts";
import { reachOf } from "./reach.ts";
import { reuseDistances } from "./reuse.ts";
import type { LogPlan } from "./sample.ts";
import { isAtomic, isIrregular, isOfHost, isWrite } from "./site-kinds.ts";
import type { TrafficInput } from "./traffic.ts";
import { lostOnLines, sectorsPerLine, writtenLines } from "./written-lines.ts";

/** The chance that the L2 still holds what was used `bytes` of other data ago. */
export const l2Keeps = ({ l2Bytes, l2RetainedShare, l2RetentionFade }: GpuValues, bytes: number): number =>
  Math.min(1, Math.max(0, 1 - (bytes / l2Bytes - l2RetainedShare) / l2RetentionFade));

/** The share of lone sectors up to which data-dependent places are rows, not single words. Assumed: rows have hardly any, single words nearly all. */
const mostlyInRows = 1 / 2;

/** Of `among` equally likely places, how many `picks` random ones meet at least once. */
const met = (picks: number, among: number): number => (among > 0 ? among * (1 - Math.exp(-picks / among)) : 0);

export interface SiteMemory {
  /** Launch totals, in bytes to and from memory, and sectors looked for there by loads. */
  readBytes: number;
  writtenBytes: number;
  missedSectors: number;
  /** Sectors that loads of blocks touch first, each block for itself. */
  firstSectors: number;
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
  /** Sectors that warps read again which they have read long before (`Reuse.ownAgain`); of these, those that the L1, and that the L2 has lost. */
  againSectors: number;
  againPastL1: number;
  againFromMemory: number;
}

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

export function memoryOf(input: TrafficInput, plan: LogPlan, l1: readonly SiteL1[], footprints: Footprints, work: Work): SiteMemory[] {
  const { gpu, grid, blocksPerSm, sites, logs, sectors, buffers } = input;
  const { values } = gpu;
  const blocks = grid[0] * grid[1] * grid[2];
  const concurrent = Math.min(blocks, values.smCount * blocksPerSm);
  const origin = logs.find((log) => log.block === plan.middle) ?? logs[0];
  const none = (): SiteMemory => ({
    readBytes: 0,
    writtenBytes: 0,
    missedSectors: 0,
    firstSectors: 0,
    alongSectors: 0,
    alongOthers: 0,
    underWaySectors: 0,
    filledSectors: 0,
    lostBytes: 0,
    partialSectors: 0,
    againSectors: 0,
    againPastL1: 0,
    againFromMemory: 0,
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
  /** Of what a site reads first, the share whose neighbours no block asks for. */
  const loneOf = (s: number): number => ratio(first.lone[s]!, first.read[s]!, 0);
  /**
   * At random places. Where it is not known how far they reach, what blocks were seen to share tells more; and so it does of rows that begin
   * where data says, for what is read there lies side by side.
   */
  const isAnywhere = (s: number): boolean =>
    isIrregular(input, s) && placesOf(s) !== undefined && (isWrite(input, s) || isAtomic(input, s) || loneOf(s) > mostlyInRows);
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
  const unseen = fresh.map((count, s) => (isIrregular(input, s) ? count : count * ratio(first.unseen[s]!, first.read[s]!, 0)));
  const comeAgain = comingAgain(input, fresh, unseen, buffersSectors);

  /** Blocks of a wave that read the same sector, on average. */
  const sharersOf = (s: number): number => ratio(wave[0] * wave[1] * wave[2], ofWave.blocks(read, s), 1);

  // What all come to at random is no more than there is.
  const touchedWith = (s: number): number =>
    sites.reduce((sum, { buffer }, t) => (buffer === sites[s]!.buffer && isAnywhere(t) ? sum + first.touched[t]! : sum), 0);
  const ownShare = sites.map((_, s) => (isAnywhere(s) ? Math.min(1, ratio(placesOf(s) ?? 0, concurrent * touchedWith(s), 1)) : 1));
  // Between two touches by a block, all that are resident bring as much as it does itself, less what they share.
  const near = input.l1Bytes / blocksPerSm / values.sectorBytes;
  const { distances, weights, ownAgain, touched: logged, passed } = reuseDistances(origin, ownShare, near, values.l2WrittenRoom, work);
  const touchedTwice = comeAgain.reduce((sum, count) => sum + count, 0) / blocks;
  const touchedByBlock = Math.max(0, sites.reduce((sum, _, s) => sum + roomOf(s), 0) - touchedTwice);
  // What a log that was cut short lacks.
  const counted = touchedByBlock - sites.reduce((sum, _, s) => sum + roomOf(s) * (1 - ownShare[s]!), 0);
  const scale = Math.max(passed === 0 ? 0 : 1, ratio(counted, logged, 1));
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

  /** Sectors that a site at random places goes to the L2 for, and of these those that its blocks touch first, launch totals. */
  const onwardOf = (s: number): number => sectors[s]! * ratio(l1[s]!.onward, l1[s]!.sectors, 1);
  const firstsOf = (s: number): number => Math.min(onwardOf(s), (isWrite(input, s) ? first.written[s]! : first.read[s]!) * blocks);
  /** The same of all that read, or write, places of the same buffer: what one of them has brought the others find. */
  const firstsWith = (s: number): number =>
    [...sites.keys()]
      .filter((t) => sites[t]!.buffer === sites[s]!.buffer && isWrite(input, t) === isWrite(input, s) && isAnywhere(t))
      .reduce((sum, t) => sum + firstsOf(t), 0);

  /** Of a buffer's sectors, the share that sites bring which go through it in order: whoever comes to random places finds it, or brings it for them. */
  const broughtInOrder = (s: number): number => {
    const inOrder = fresh.reduce((sum, count, t) => (sites[t]!.buffer === sites[s]!.buffer ? sum + count - comeAgain[t]! : sum), 0);
    return Math.min(1, ratio(inOrder, buffersSectors(s) ?? 0, 0)) * keptOverall;
  };

  const firstRounds = new FirstRounds(origin, sites, work);
  const memory = sites.map((_, s): SiteMemory => {
    const result = none();
    const total = sectors[s]!;
    if (total === 0) return result;
    const played = l1[s]!.sectors;
    if (played === 0)
      return isWrite(input, s)
        ? { ...none(), writtenBytes: total * values.sectorBytes }
        : { ...none(), readBytes: total * values.sectorBytes, missedSectors: total };
    const onward = onwardOf(s);
    const places = placesOf(s);
    result.firstSectors = first.read[s]! * blocks;
    if (isAnywhere(s) && places !== undefined) {
      // Random places: what is found in the L2 is its share of them. Each half keeps its own copy. Where a block goes on from there it
      // comes back to what it touched itself, and that is no more random.
      const firsts = firstsOf(s);
      const together = firstsWith(s);
      const back = (onward - firsts) * lost(s);
      const held = (share: number): number => Math.min(1, (share * values.l2Bytes) / (places * values.sectorBytes));
      const missing = (share: number, units: number, alone = 1): number =>
        Math.max(met(together, units) * ratio(firsts, together, 0) * alone, firsts * (1 - held(share))) + back;
      if (isWrite(input, s)) {
        // Dirty sectors leave earlier than clean ones: only part of what may be dirty merges.
        result.writtenBytes = missing(values.l2DirtyShare * values.l2ScatteredDirtyShare, places) * values.sectorBytes;
        result.filledSectors = missing(1 / values.l2Partitions, places) * ratio(first.partial[s]!, first.written[s]!, 0);
        result.readBytes = result.filledSectors * values.sectorBytes;
      } else {
        const misses = missing(1 / values.l2Partitions, (places * values.sectorBytes) / values.dramGranularity, 1 - broughtInOrder(s));
        result.missedSectors = misses;
        result.readBytes = misses * values.dramGranularity;
        if (isAtomic(input, s)) result.writtenBytes = met(onward, places) * values.sectorBytes;
      }
      return result;
    }
    if (!isWrite(input, s)) {
      const pastL1 = Math.max(0, onward - first.read[s]! * blocks);
      const again = pastL1 * lost(s);
      result.againSectors = Math.min(total * ratio(ownAgain[s]!, ofOrigin[s]!, 0), pastL1 + total - onward);
      result.againPastL1 = Math.min(pastL1, result.againSectors);
      result.againFromMemory = Math.min(again, result.againPastL1);
      const brought = fresh[s]! - comeAgain[s]! + broughtAgain(s);
      result.missedSectors = Math.min(onward, brought + comeAgain[s]! * lostUnseen + again);
      // Memory is read by two sectors: what comes again alone brings its neighbour, which is lost again before it is asked for.
      const alone = Math.min(1, Math.max(0, 2 * ratio(l1[s]!.accesses, l1[s]!.onward, 1) - 1));
      const besideIt = (sectors: number, lone: number): number => sectors * lone * (values.dramGranularity - values.sectorBytes);
      result.readBytes =
        result.missedSectors * values.sectorBytes + besideIt(result.missedSectors - again, loneOf(s)) + besideIt(again, alone);
      if (!isOfHost(input, s)) {
        result.alongSectors = result.missedSectors * ratio(first.along[s]!, first.read[s]!, 0);
        result.alongOthers = result.missedSectors * ratio(first.alongOthers[s]!, first.read[s]!, 0);
      }
      // Blocks side by side ask for the same at the same time: what one brings, the others wait for.
      const asked = first.read[s]! * blocks;
      const sharers = sharersOf(s);
      const withFirst = asked * firstRounds.withFirst(s, sharers) - result.missedSectors;
      const together = Math.max(0, Math.min(asked - result.missedSectors, brought * (sharers - 1), withFirst));
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
  leaveInL2(
    input,
    memory,
    linesPerSector,
    over((s) => first.touched[s]!, 3, 1),
  );
  for (const [s, site] of memory.entries()) {
    if (!isWrite(input, s) || isIrregular(input, s) || isOfHost(input, s)) continue;
    const written = site.writtenBytes / values.sectorBytes;
    site.lostBytes += lostOnLines({ written, filled: site.filledSectors }, linesPerSector[s]!, l1[s]!, values);
  }
  return memory;
}

/** What is written last stays in the L2 when the kernel ends, but for what is the host's. */
function leaveInL2(input: TrafficInput, memory: readonly SiteMemory[], linesPerSector: ArrayLike<number>, touchedBytes: number): void {
  const { values } = input.gpu;
  const ofDevice = memory.filter((_, s) => !isOfHost(input, s));
  const dirtyBytes = ofDevice.reduce((total, site) => total + site.writtenBytes, 0);
  if (dirtyBytes === 0) return;
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
