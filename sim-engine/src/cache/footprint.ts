/** What blocks touch, and how much of it their neighbours touch as well. */
import type { Work } from "../work.ts";
import { interleave } from "./interleave.ts";
import { atomic, type SectorLog, store, weightsOf } from "./log.ts";
import { SectorSet } from "./sector-set.ts";

const allBytes = 0xffffffff;
/**
 * Sectors of a request, at least, whose lanes are taken to go by strides. At the edges of tiles fewer lie in rows of their own: what stands
 * beside them is another block's. Of 8 rows and more in tiles of a sector's width it is, too, and not known here (validation/DEVIATIONS.md).
 */
const strided = 8;

/** First touches in one block, by site, those of iterations that were not run included. */
export interface FirstTouches {
  /** Sectors that a load or atomic of the site is first to touch: nobody in the block read or wrote them before. */
  readonly read: Float64Array;
  /** Of these, sectors of iterations that were not run: where they lie is not known. */
  readonly unseen: Float64Array;
  /** Of what is read by strides, sectors of which memory brings the neighbour, too, and nobody in the block touches that; none where not all was run. */
  readonly lone: Float64Array;
  /** Sectors that a store or atomic of the site is first to write. */
  readonly written: Float64Array;
  /** Sectors that the site is first to touch in any way. */
  readonly touched: Float64Array;
  /** Of the block: sectors that end partly written though never read. Told of the site that wrote them first. */
  readonly partial: Float64Array;
}

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
    const lone = new Float64Array(sites);
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
          if (log.start[r + 1]! - log.start[r]! >= strided) reader.set(sector, r);
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
    if (unseen.every((count) => count === 0)) {
      const ofRequest = new Map<number, number>();
      for (const sector of reader.keys()) {
        // Memory is read by two sectors.
        const neighbour = sector % 2 === 0 ? sector + 1 : sector - 1;
        if (this.#read.has(neighbour) || this.#written.has(neighbour)) continue;
        const request = reader.get(sector)!;
        ofRequest.set(request, (ofRequest.get(request) ?? 0) + 1);
      }
      // Of a request of whole rows, as a tile's copy is, only the rows' ends lie alone here: what stands beside them is another block's.
      for (const [request, count] of ofRequest)
        if (2 * count >= log.start[request + 1]! - log.start[request]!) lone[log.site[request]!]! += count * weights[request]!;
    }
    return { read, unseen, lone, written, touched, partial };
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

  #of(log: SectorLog, work: Work): { readonly footprint: Footprint; readonly first: FirstTouches } {
    const known = this.#alone.get(log);
    if (known) return known;
    const footprint = new Footprint();
    const made = { footprint, first: footprint.add(log, this.#sites, work) };
    this.#alone.set(log, made);
    return made;
  }
}
