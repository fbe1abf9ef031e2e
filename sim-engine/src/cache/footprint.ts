/** What blocks touch, and how much of it their neighbours touch as well. */
import type { Work } from "../work.ts";
import { interleave } from "./interleave.ts";
import { atomic, type SectorLog, store, weightsOf } from "./log.ts";
import { SectorSet } from "./sector-set.ts";

const allBytes = 0xffffffff;

/** Sectors by site. */
export type BySite = Exclude<keyof FirstTouches, "lone">;

/** First touches in one block, by site, those of iterations that were not run included. */
export interface FirstTouches {
  /** Sectors that a load or atomic of the site is first to touch: nobody in the block read or wrote them before. */
  readonly read: Float64Array;
  /** Of these, sectors of iterations that were not run: where they lie is not known. */
  readonly unseen: Float64Array;
  /** Of `read`, sectors of which memory brings the neighbour, too, and nobody in the block touches that; none where not all was run. */
  readonly lone: readonly LoneSector[];
  /** Sectors that a store or atomic of the site is first to write. */
  readonly written: Float64Array;
  /** Sectors that the site is first to touch in any way. */
  readonly touched: Float64Array;
  /** Of the block: sectors that end partly written though never read. Told of the site that wrote them first. */
  readonly partial: Float64Array;
}

/** A sector that a block reads without the other of the two that memory brings together. */
interface LoneSector {
  readonly sector: number;
  readonly site: number;
  readonly weight: number;
}

/** Memory is read by two sectors. */
const neighbourOf = (sector: number): number => (sector % 2 === 0 ? sector + 1 : sector - 1);

/** What is known of the sectors that were touched: the bytes written, and whether they were read. */
export class Footprint {
  #read = new SectorSet();
  #written = new SectorSet();

  /** Adds a block's requests, each standing for as many as `weights` says, and tells what was new. */
  add(log: SectorLog, sites: number, work: Work, weights: ArrayLike<number> = weightsOf(log)): FirstTouches {
    const read = new Float64Array(sites);
    const unseen = new Float64Array(sites);
    const written = new Float64Array(sites);
    const touched = new Float64Array(sites);
    const partial = new Float64Array(sites);
    // The request that wrote a sector first, and the one that read it first.
    const writer = new SectorSet();
    const reader = new SectorSet();
    // In the order in which the L1 sees them, so that both blame the same site for what is new.
    interleave([log], work, (_, r) => {
      const site = log.site[r]!;
      const kind = log.kind[r]!;
      const weight = weights[r]!;
      for (let i = log.start[r]!; i < log.start[r + 1]!; i++) {
        const sector = log.sectors[i]!;
        const wasRead = this.#read.has(sector);
        const bytesWritten = this.#written.get(sector);
        if (!wasRead && bytesWritten === undefined) touched[site]! += weight;
        if (kind === store) {
          if (bytesWritten === undefined) {
            written[site]! += weight;
            writer.set(sector, r);
          }
          this.#written.set(sector, ((bytesWritten ?? 0) | log.bytes[i]!) >>> 0);
          continue;
        }
        // What the kernel wrote itself it does not read from memory.
        if (!wasRead && bytesWritten === undefined) {
          read[site]! += weight;
          unseen[site]! += weight - 1;
          reader.set(sector, r);
        }
        if (!wasRead) this.#read.set(sector);
        // Atomics read and write.
        if (kind === atomic && bytesWritten === undefined) {
          written[site]! += weight;
          this.#written.set(sector, allBytes);
        }
      }
    });
    for (const sector of writer.keys()) {
      if (this.#written.get(sector) === allBytes || this.#read.has(sector)) continue;
      const request = writer.get(sector)!;
      partial[log.site[request]!]! += weights[request]!;
    }
    const lone: LoneSector[] = [];
    if (unseen.every((count) => count === 0))
      for (const sector of reader.keys()) {
        if (this.touches(neighbourOf(sector))) continue;
        const request = reader.get(sector)!;
        lone.push({ sector, site: log.site[request]!, weight: weights[request]! });
      }
    return { read, unseen, lone, written, touched, partial };
  }

  /** Whether a sector was read or written. */
  touches(sector: number): boolean {
    return this.#read.has(sector) || this.#written.has(sector);
  }

  /** The same, to go on from. */
  copy(): Footprint {
    const copy = new Footprint();
    copy.#read = this.#read.copy();
    copy.#written = this.#written.copy();
    return copy;
  }
}

/** What logged blocks are first to touch, by themselves and one behind the other: each told once, however often it is asked for. */
export class Footprints {
  readonly #sites: number;
  readonly #alone = new Map<SectorLog, { readonly footprint: Footprint; readonly first: FirstTouches }>();
  readonly #behind = new Map<SectorLog, Map<SectorLog, FirstTouches>>();

  constructor(sites: number) {
    this.#sites = sites;
  }

  /** Nothing was touched before. */
  alone(log: SectorLog, work: Work): FirstTouches {
    return this.#of(log, work).first;
  }

  /** Another block has touched what it does. */
  behind(log: SectorLog, before: SectorLog, work: Work): FirstTouches {
    const known = this.#behind.get(before) ?? new Map<SectorLog, FirstTouches>();
    const first = known.get(log) ?? this.#of(before, work).footprint.copy().add(log, this.#sites, work);
    known.set(log, first);
    this.#behind.set(before, known);
    return first;
  }

  /**
   * Lone sectors of a block by site, without those of which another block touches the neighbour: of a row that one block ends and the next
   * begins, memory brings what both ask for.
   * @param steps by step along the grid, the logged blocks that stand so far from this one. What stands a step before goes on where this
   *   block begins, and this one where that one ends: so does what comes a step after, which need not be logged.
   */
  lone(log: SectorLog, steps: readonly (readonly SectorLog[])[], work: Work): Float64Array {
    const lone = new Float64Array(this.#sites);
    const add = (of: SectorLog, share: number, counts: (sector: LoneSector) => boolean): void => {
      const all = this.alone(of, work).lone;
      work.ask(all.length);
      for (const each of all) if (counts(each)) lone[each.site]! += share * each.weight;
    };
    const goesOnIn = (other: SectorLog): ((each: LoneSector) => boolean) => {
      const { footprint } = this.#of(other, work);
      return ({ sector }) => footprint.touches(neighbourOf(sector));
    };
    add(log, 1, () => true);
    for (const others of steps)
      for (const other of others) {
        add(log, -1 / others.length, goesOnIn(other));
        add(other, -1 / others.length, goesOnIn(log));
      }
    return lone.map((count) => Math.max(0, count));
  }

  #of(log: SectorLog, work: Work): { readonly footprint: Footprint; readonly first: FirstTouches } {
    const known = this.#alone.get(log);
    if (known) return known;
    const footprint = new Footprint();
    const made = { footprint, first: footprint.add(log, this.#sites, work) };
    this.#alone.set(log, made);
    return made;
  }
}
