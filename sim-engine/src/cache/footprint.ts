/** What blocks touch, and how much of it their neighbours touch as well. */
import type { Work } from "../work.ts";
import { interleave, sectorSteps } from "./interleave.ts";
import { atomic, grown, type SectorLog, store, weightsOf } from "./log.ts";
import { SectorSet } from "./sector-set.ts";

const allBytes = 0xffffffff;

/** What was done to a sector. */
const wasRead = 1;
const wasWritten = 2;

/**
 * Sectors that a block may touch before it comes to what memory brought along: with as many blocks as are resident they fill the L2. Assumed,
 * not measured (DEVIATIONS.md).
 */
const mostBetween = 1024;

/** Sectors that there is room for at first. */
const firstRoom = 512;

/** Sectors by site. */
export type BySite = Exclude<keyof FirstTouches, "lone" | "open">;

/** First touches in one block, by site, those of iterations that were not run included. */
export interface FirstTouches {
  /** Sectors that a load or atomic of the site is first to touch: nobody in the block read or wrote them before. */
  readonly read: Float64Array;
  /** Of these, sectors of iterations that were not run: where they lie is not known. */
  readonly unseen: Float64Array;
  /** Of `read`, sectors that memory brought along, when the warp read their neighbours; and told of the site that read those. */
  readonly along: Float64Array;
  readonly broughtAlong: Float64Array;
  /** Of `along`, sectors that are read by a request that memory brings others for. */
  readonly alongOthers: Float64Array;
  /** Of `read`, sectors of which memory brings the neighbour, too, and nobody in the block touches that; none where not all was run. */
  readonly lone: SectorsOfSites;
  /** Sectors that a store or atomic of the site is first to write. */
  readonly written: Float64Array;
  /** Sectors that the site is first to touch in any way. */
  readonly touched: Float64Array;
  /** Of the block: sectors that end partly written though never read. Told of the site that wrote them first. */
  readonly partial: Float64Array;
  /** The sectors of `partial`, those of iterations that were not run left out. */
  readonly open: SectorsOfSites;
}

/** Sectors, each with the site that touches it first. */
interface SectorsOfSites {
  readonly sectors: readonly number[];
  readonly sites: readonly number[];
}

/** Memory is read by two sectors. */
const neighbourOf = (sector: number): number => (sector % 2 === 0 ? sector + 1 : sector - 1);

/** What is known of the sectors that were touched: the bytes written, and whether they were read. */
export class Footprint {
  /** By sector its place in the lists, in the order in which they were touched. */
  #places = new SectorSet();
  #done = new Uint8Array(firstRoom);
  #written = new Uint32Array(firstRoom);
  /** One more than the request that was first to read it, of the block that was added last; else 0. */
  #reader = new Uint32Array(firstRoom);

  /** Adds a block's requests, each standing for as many as `weights` says, and tells what was new. */
  add(log: SectorLog, sites: number, work: Work, weights: ArrayLike<number> = weightsOf(log)): FirstTouches {
    const read = new Float64Array(sites);
    const unseen = new Float64Array(sites);
    const along = new Float64Array(sites);
    const broughtAlong = new Float64Array(sites);
    const alongOthers = new Float64Array(sites);
    const written = new Float64Array(sites);
    const touched = new Float64Array(sites);
    const partial = new Float64Array(sites);
    // Sectors that were written first, and those that were read first, each by which request.
    const writers: { readonly places: number[]; readonly sectors: number[]; readonly requests: number[] } = {
      places: [],
      sectors: [],
      requests: [],
    };
    const readers: { readonly sectors: number[]; readonly sites: number[] } = { sectors: [], sites: [] };
    this.#reader.fill(0);
    // In the order in which the L1 sees them, so that both blame the same site for what is new.
    interleave([log], work, (_, r) => {
      const site = log.site[r]!;
      const kind = log.kind[r]!;
      const weight = weights[r]!;
      let [brought, came] = [0, 0];
      for (let i = log.start[r]!; i < log.start[r + 1]!; i++) {
        const sector = log.sectors[i]!;
        const place = this.#place(sector);
        const done = this.#done[place]!;
        if (done === 0) touched[site]! += weight;
        if ((done & wasWritten) === 0 && (kind === store || kind === atomic)) {
          written[site]! += weight;
          if (kind === store) {
            writers.places.push(place);
            writers.sectors.push(sector);
            writers.requests.push(r);
          }
        }
        if (kind === store) {
          this.#written[place]! |= log.bytes[i]!;
          this.#done[place] = done | wasWritten;
          continue;
        }
        // What the kernel wrote itself it does not read from memory.
        if (done === 0) {
          read[site]! += weight;
          unseen[site]! += weight - 1;
          const reader = this.#cameAlongWith(sector, place, log, r);
          if (reader === undefined) brought++;
          else {
            came++;
            broughtAlong[log.site[reader]!]! += weight;
          }
          this.#reader[place] = r + 1;
          readers.sectors.push(sector);
          readers.sites.push(site);
        }
        // Atomics read and write.
        if (kind === atomic && (done & wasWritten) === 0) this.#written[place] = allBytes;
        this.#done[place] = done | (kind === atomic ? wasRead | wasWritten : wasRead);
      }
      along[site]! += came * weight;
      if (brought > 0) alongOthers[site]! += came * weight;
    });
    // Sectors that are new take most of the time: the table grows with them.
    work.ask((writers.places.length + readers.sectors.length) / 2);
    const open: { readonly sectors: number[]; readonly sites: number[] } = { sectors: [], sites: [] };
    for (const [k, place] of writers.places.entries()) {
      const request = writers.requests[k]!;
      if (this.#written[place] === allBytes || (this.#done[place]! & wasRead) !== 0) continue;
      partial[log.site[request]!]! += weights[request]!;
      open.sectors.push(writers.sectors[k]!);
      open.sites.push(log.site[request]!);
    }
    const lone: { readonly sectors: number[]; readonly sites: number[] } = { sectors: [], sites: [] };
    if (unseen.every((count) => count === 0))
      for (let k = 0; k < readers.sectors.length; k++) {
        if (this.touches(neighbourOf(readers.sectors[k]!))) continue;
        lone.sectors.push(readers.sectors[k]!);
        lone.sites.push(readers.sites[k]!);
      }
    return { read, unseen, along, broughtAlong, alongOthers, lone, written, touched, partial, open };
  }

  /** The earlier request of the same warp with whose sector memory brought this one, nobody asking for it; undefined where there is none. */
  #cameAlongWith(sector: number, at: number, log: SectorLog, request: number): number | undefined {
    const place = this.#places.get(neighbourOf(sector));
    if (place === undefined || at - place > mostBetween) return undefined;
    const reader = this.#reader[place]! - 1;
    return reader >= 0 && reader !== request && log.warp[reader] === log.warp[request] ? reader : undefined;
  }

  /** Whether a sector was read or written. */
  touches(sector: number): boolean {
    return this.#places.has(sector);
  }

  /** Whether any of a sector was written. */
  writes(sector: number): boolean {
    const place = this.#places.get(sector);
    return place !== undefined && (this.#done[place]! & wasWritten) !== 0;
  }

  /** Its place in the lists, which it gets now if nobody touched it before. */
  #place(sector: number): number {
    const { size } = this.#places;
    if (size === this.#done.length) {
      this.#done = grown(this.#done, (n) => new Uint8Array(n));
      this.#written = grown(this.#written, (n) => new Uint32Array(n));
      this.#reader = grown(this.#reader, (n) => new Uint32Array(n));
    }
    return this.#places.noteOr(sector, size);
  }

  /** The same, to go on from. */
  copy(): Footprint {
    const copy = new Footprint();
    copy.#places = this.#places.copy();
    copy.#done = this.#done.slice();
    copy.#written = this.#written.slice();
    copy.#reader = this.#reader.slice();
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
    const add = (of: SectorLog, share: number, counts: (sector: number) => boolean): void => {
      const { sectors, sites } = this.alone(of, work).lone;
      work.ask(sectors.length * sectorSteps);
      for (let k = 0; k < sectors.length; k++) if (counts(sectors[k]!)) lone[sites[k]!]! += share;
    };
    const goesOnIn = (other: SectorLog): ((sector: number) => boolean) => {
      const { footprint } = this.#of(other, work);
      return (sector) => footprint.touches(neighbourOf(sector));
    };
    add(log, 1, () => true);
    for (const others of steps)
      for (const other of others) {
        add(log, -1 / others.length, goesOnIn(other));
        add(other, -1 / others.length, goesOnIn(log));
      }
    return lone.map((count) => Math.max(0, count));
  }

  /**
   * Of the sectors that a block writes in part, the share that others a step away write to as well, by site: what one leaves open the other
   * closes.
   * @param others the logged blocks that stand so far from this one, on either side
   */
  closed(log: SectorLog, others: readonly SectorLog[], work: Work): Float64Array {
    const closed = new Float64Array(this.#sites);
    const all = new Float64Array(this.#sites);
    const own = this.alone(log, work).open;
    for (const site of own.sites) all[site]!++;
    const add = ({ sectors, sites }: SectorsOfSites, by: SectorLog): void => {
      const { footprint } = this.#of(by, work);
      work.ask(sectors.length * sectorSteps);
      for (let k = 0; k < sectors.length; k++) if (footprint.writes(sectors[k]!)) closed[sites[k]!]! += 1 / others.length;
    };
    for (const other of others) {
      add(own, other);
      add(this.alone(other, work).open, log);
    }
    return closed.map((count, s) => (all[s]! > 0 ? Math.min(1, count / all[s]!) : 0));
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
