/**
 * Lines that stores push out of the L1. A line that was stored to goes on to the L2 as soon as so many others were; a store that comes to it
 * then takes a new place for it, where there is nothing but what it writes. So a warp whose stores follow each other closely, each to more
 * lines than wait together, leaves nothing of them to loads of the words beside. Where many warps take turns, a line is gone, and clean,
 * before its warp comes back to it. Measured: validation/microbenchmarks/h200-row-sums.tsv.
 */
import type { GpuValues } from "../gpus/figures.ts";
import type { MemorySite } from "../memory/site.ts";
import type { SectorLog } from "./log.ts";

/** Sectors of a line are numbered by so many bits. */
const lineBits = 2;

const nothing: readonly number[] = [];

export class LeavingStores {
  readonly #log: SectorLog;
  readonly #runs: readonly (number | undefined)[];
  /** Sites of each run. */
  readonly #sizes = new Map<number, number>();
  readonly #open = new Map<number, OpenRun>();
  readonly #waiting: number;
  readonly #leaving: number;

  constructor(
    log: SectorLog,
    sites: readonly Pick<MemorySite, "run">[],
    { waitingStoreLines, leavingStoreLines }: Pick<GpuValues, "waitingStoreLines" | "leavingStoreLines">,
  ) {
    this.#log = log;
    this.#waiting = waitingStoreLines;
    this.#leaving = leavingStoreLines;
    this.#runs = sites.map(({ run }) => run);
    for (const run of this.#runs) if (run !== undefined) this.#sizes.set(run, (this.#sizes.get(run) ?? 0) + 1);
  }

  /**
   * A store of the log is made. Loads stand before or behind all the stores of a run in the code, whatever lies between them in the
   * program: what a run pushes out is told at its end.
   * @param warps that take turns
   * @returns lines that are pushed out
   */
  pushedOut(request: number, warps: number): readonly number[] {
    const { start, sectors, site: sites, warp: warpOf } = this.#log;
    const [site, warp] = [sites[request]!, warpOf[request]!];
    const run = this.#runs[site];
    const [from, to] = [start[request]!, start[request + 1]!];
    if (run === undefined || to - from <= this.#waiting || this.#sizes.get(run) === 1) return nothing;
    const lines = new Set(sectors.subarray(from, to).map((sector) => sector >>> lineBits));
    if (lines.size <= this.#waiting || lines.size * warps > this.#leaving) return nothing;
    const before = this.#open.get(warp);
    const goesOn = before?.run === run && !before.sites.has(site);
    const open = goesOn ? before : { run, sites: new Set<number>(), once: new Set<number>(), again: new Set<number>() };
    this.#open.set(warp, open);
    open.sites.add(site);
    for (const line of lines) (open.once.has(line) ? open.again : open.once).add(line);
    const ended = open.sites.size === this.#sizes.get(run);
    if (ended) this.#open.delete(warp);
    return [...(before && !goesOn ? before.again : nothing), ...(ended ? open.again : nothing)];
  }
}

interface OpenRun {
  readonly run: number;
  /** Those that have stored: one that does so again begins anew. */
  readonly sites: Set<number>;
  /** The lines stored to, and those stored to again. */
  readonly once: Set<number>;
  readonly again: Set<number>;
}
