/** Stores that a warp makes while it still waits for loads, and which requests of a log so meet (see `MemorySite.underWay`). */
import type { MemorySite } from "../memory/site.ts";
import type { Work } from "../work.ts";
import { sectorSteps } from "./interleave.ts";
import type { SectorLog } from "./log.ts";

/** Sectors of a line are numbered by so many bits. */
const lineBits = 2;

const none: readonly number[] = [];

export class StoresUnderWay {
  readonly #log: SectorLog;
  readonly #sites: number;
  /** By site, those of loads or stores whose latest request is still under way, or was just made, when one of its own is made. */
  readonly #partners = new Map<number, number[]>();
  readonly #isPartner = new Set<number>();
  /** By warp and site, of those that are anyone's partner: its latest request. */
  readonly #latest = new Map<number, number>();

  constructor(log: SectorLog, sites: readonly Pick<MemorySite, "underWay">[]) {
    this.#log = log;
    this.#sites = sites.length;
    for (const [store, { underWay = [] }] of sites.entries())
      for (const { site: load, isEarlier } of underWay) {
        const [first, second] = isEarlier ? [load, store] : [store, load];
        this.#partners.set(second, [...(this.#partners.get(second) ?? []), first]);
        this.#isPartner.add(first);
      }
  }

  /** The requests that this one meets: loads where it stores, stores where it loads. Each request is asked for once, in order. */
  metBy(request: number): readonly number[] {
    if (this.#isPartner.size === 0) return none;
    const site = this.#log.site[request]!;
    const ofWarp = this.#log.warp[request]! * this.#sites;
    const met = (this.#partners.get(site) ?? none).flatMap((partner) => this.#latest.get(ofWarp + partner) ?? []);
    if (this.#isPartner.has(site)) this.#latest.set(ofWarp + site, request);
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
