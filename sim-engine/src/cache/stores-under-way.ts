/** Stores that a warp makes while it still waits for loads, and which requests of a log those are (see `MemorySite.underWay`). */
import type { MemorySite } from "../memory/site.ts";
import type { Work } from "../work.ts";
import { sectorSteps } from "./interleave.ts";
import type { SectorLog } from "./log.ts";

/** Sectors of a line are numbered by so many bits. */
const lineBits = 2;

const none: readonly number[] = [];

export class StoresUnderWay {
  readonly #log: SectorLog;
  readonly #sites: readonly Pick<MemorySite, "underWay">[];
  /** Loads that are under way when anything is stored. */
  readonly #loads: ReadonlySet<number>;
  /** By warp and load: its latest request. */
  readonly #latest = new Map<number, number>();

  constructor(log: SectorLog, sites: readonly Pick<MemorySite, "underWay">[]) {
    this.#log = log;
    this.#sites = sites;
    this.#loads = new Set(sites.flatMap(({ underWay = none }) => underWay));
  }

  /** The loads under way that a store meets; none of a load. Each request is asked for once, in order. */
  metBy(request: number): readonly number[] {
    if (this.#loads.size === 0) return none;
    const site = this.#log.site[request]!;
    const ofWarp = this.#log.warp[request]! * this.#sites.length;
    const met = (this.#sites[site]!.underWay ?? none).flatMap((load) => this.#latest.get(ofWarp + load) ?? []);
    if (this.#loads.has(site)) this.#latest.set(ofWarp + site, request);
    return met;
  }
}

/** Sectors of a request that another has too, or of which it has the line. */
export function sectorsMeeting(
  { sectors, start }: SectorLog,
  request: number,
  other: number,
  of: "sectors" | "lines",
  work: Work,
): readonly number[] {
  const bits = of === "lines" ? lineBits : 0;
  const theirs = new Set(sectors.subarray(start[other], start[other + 1]).map((sector) => sector >>> bits));
  const own = sectors.subarray(start[request], start[request + 1]);
  work.ask((theirs.size + own.length) * sectorSteps);
  return [...own].filter((sector) => theirs.has(sector >>> bits));
}
