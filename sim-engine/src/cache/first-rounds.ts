/**
 * When a block first comes to what data sends it to. Blocks that go through the same loop come to a sector that they share in whichever
 * turn their data has it: only those that come in the turn in which anyone first does wait for memory with it.
 */
import type { MemorySite } from "../memory/site.ts";
import type { Work } from "../work.ts";
import { interleave } from "./interleave.ts";
import { atomic, type SectorLog, store } from "./log.ts";
import { SectorSet } from "./sector-set.ts";

export class FirstRounds {
  /** By site at places that data decides: the rounds in which the block's loads are first to touch a sector there, one for each sector. */
  readonly #bySite: readonly number[][];
  /** By buffer: the same of all its sites, ascending. */
  readonly #byBuffer = new Map<number | undefined, number[]>();
  readonly #sites: readonly Pick<MemorySite, "irregular" | "buffer">[];

  constructor(log: SectorLog, sites: readonly Pick<MemorySite, "irregular" | "buffer">[], work: Work) {
    this.#sites = sites;
    this.#bySite = sites.map(() => []);
    if (!sites.some(({ irregular }) => irregular)) return;
    const touched = new SectorSet();
    interleave([log], work, (_, request, __, round) => {
      const s = log.site[request]!;
      const { irregular, buffer } = sites[s]!;
      const kind = log.kind[request]!;
      for (let i = log.start[request]!; i < log.start[request + 1]!; i++) {
        const before = touched.size;
        touched.set(log.sectors[i]!);
        if (touched.size === before || !irregular || kind === store || kind === atomic) continue;
        this.#bySite[s]!.push(round);
        const all = this.#byBuffer.get(buffer);
        if (all) all.push(round);
        else this.#byBuffer.set(buffer, [round]);
      }
    });
  }

  /**
   * Of the sectors that blocks are first to touch at a site, the share that comes no later than the first of so many blocks does:
   * memory is on its way with it. 1 of sites whose addresses do not hang on data.
   */
  withFirst(site: number, sharers: number): number {
    const own = this.#bySite[site]!;
    if (own.length === 0) return 1;
    const all = this.#byBuffer.get(this.#sites[site]!.buffer)!;
    let [sum, earlier] = [0, 0];
    for (const round of own) {
      while (all[earlier]! < round) earlier++;
      sum += (1 - earlier / all.length) ** Math.max(0, sharers - 1);
    }
    return sum / own.length;
  }
}
