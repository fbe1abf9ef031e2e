/** Stores that a warp makes while it still waits for loads, and which requests of a log so meet (see `MemorySite.underWay`). */
import type { MemorySite } from "../memory/site.ts";
import type { SectorLog } from "./log.ts";

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
