/**
 * Stores that the L1 hands on to the L2 as one: those that a warp makes to the same sectors, one right behind the other, as to a record's
 * members. Where they spread over more lines than are gathered of a warp, nothing is left of the first by the time it comes back to it.
 */
import type { GpuValues } from "../gpus/figures.ts";
import type { MemorySite } from "../memory/site.ts";

/**
 * Lines that are gathered of a warp at once. Where stores are crowded those of one warp at each scheduler come in turn, and their lines wait
 * together or not at all (microbenchmarks/h200-record-stores.tsv, gap 0: records of 4 words are merged by 3 to 4, of 7 by 1.4, of 8 by 1).
 */
export const gatheredLines = ({ mergedStoreLines, waitingStoreLines, schedulers }: GpuValues, crowded = false): number =>
  crowded ? Math.min(mergedStoreLines, Math.ceil(waitingStoreLines / schedulers) - 1) : mergedStoreLines;

export class StoreMerging {
  readonly #mostLines: number;
  readonly #open = new Map<number, OpenRun>();

  /** @param mostLines lines that are gathered of a warp at once; 0 where every store goes on by itself */
  constructor(mostLines: number) {
    this.#mostLines = mostLines;
  }

  /** The warp makes another kind of request: its stores go on. */
  interrupt(warp: number): void {
    this.#open.delete(warp);
  }

  /** The warp makes a store of this site, which is of a run, if of any. */
  begin(warp: number, site: number, { run, awaits }: Pick<MemorySite, "run" | "awaits"> = {}): void {
    const open = this.#open.get(warp);
    if (run === undefined || awaits || open?.run !== run || open.sites.has(site)) this.#open.delete(warp);
    if (run === undefined || this.#mostLines === 0) return;
    const mine = this.#open.get(warp) ?? { run, sites: new Set<number>(), lines: new Map<number, Uint32Array>() };
    mine.sites.add(site);
    this.#open.set(warp, mine);
  }

  /**
   * Whether what the warp stores to these bytes of a sector goes on with what it has stored to others of it. (What it overwrites goes on by
   * itself: few blocks do so, as those on the diagonal of what is transposed in place, and the logged one must not stand for all.)
   */
  joins(warp: number, sector: number, bytes: number): boolean {
    const lines = this.#open.get(warp)?.lines;
    if (!lines) return false;
    const line = Math.floor(sector / sectorsPerLine);
    const written = lines.get(line) ?? new Uint32Array(sectorsPerLine);
    const before = written[sector % sectorsPerLine]!;
    written[sector % sectorsPerLine] = before | bytes;
    lines.delete(line);
    lines.set(line, written);
    if (lines.size > this.#mostLines) lines.delete(lines.keys().next().value as number);
    return before !== 0 && (before & bytes) === 0;
  }
}

interface OpenRun {
  readonly run: number;
  /** Those that have stored: one that does so again begins anew. */
  readonly sites: Set<number>;
  /** The lines stored to, the latest last, and of each sector the bytes, bit by bit. */
  readonly lines: Map<number, Uint32Array>;
}

const sectorsPerLine = 4;
