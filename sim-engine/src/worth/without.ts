/** What a launch is imagined to be without, and what its requests and its traffic would be then. */
import type { SiteTraffic } from "../cache/index.ts";
import type { AccessCounter } from "../execute/accesses.ts";
import { warpSize } from "../execute/program.ts";
import type { Block, Op } from "../ir/kernel.ts";
import { type MemorySite, writes } from "../memory/site.ts";
import type { AccessTotals } from "../sampling/counts.ts";

/** Parts of a launch's cost. Operations are those of the kernel that was run. */
export interface Without {
  /** Sectors, wavefronts or addresses of these accesses beyond those that their lanes' bytes need. */
  readonly excess?: ReadonlySet<Op>;
  /** These atomics meeting each other: a block's are united before, and one is left of them. */
  readonly meetings?: ReadonlySet<Op>;
  /** These loads and stores, whose value stays in a register. */
  readonly kept?: ReadonlySet<Op>;
  /** By block, the share of its executions that is left: as where so many fewer warps run it, all their lanes. */
  readonly executed?: ReadonlyMap<Block, number>;
  /** These loads being made for each product: in a tile of 4 by 4 results each value that is loaded, and converted, is a factor four times. */
  readonly tiled?: ReadonlySet<Op>;
  /** The limit of blocks on an SM: that many fit. */
  readonly blocksPerSm?: number;
  /** The last wave of blocks: so many fill the SMs a whole number of times, and the others take no longer than their share of that. */
  readonly lastWave?: { readonly fullBlocks: number };
  /** These accesses being of single elements: as vectors of so many, with so many fewer threads. */
  readonly narrow?: { readonly ops: ReadonlySet<Op>; readonly elements: number };
  /** These loops being gone along by one lane: a warp takes what a thread takes now, with as many times the blocks. */
  readonly shared?: { readonly loops: ReadonlySet<Block> };
  /** The divisors of these divisions not being constants. */
  readonly divisions?: ReadonlySet<Op>;
}

/** Results of a thread along a side of a tile. */
export const tileSide = 4;
/** Sectors of a line: what a pass of the L1's data path moves. */
const lineSectors = 4;
/** What whole lines cost the L2 for each sector. */
const whole = { accessesPerSector: 0.5, linesPerSector: 0.25, together: 1, togetherFromMemory: 1, scattered: false } as const;

interface Change {
  readonly kind: "kept" | "tiled" | "meetings" | "excess" | "narrow";
  readonly space: AccessCounter["space"];
  /** Of the transactions, those that are left. */
  readonly share: number;
  /** Below the sites: those that are counted together. */
  readonly group: number;
}

/** An access as the timing takes it: cycles of the L1's data path, and what moves. */
export type Request = readonly [cycles: number, amount: number];

/** What is left of a launch's requests and of where they are served. */
export class Rest {
  readonly #changes = new Map<number, Change>();
  /** By site: transactions that no request has carried yet. */
  readonly #due = new Map<number, number>();
  readonly #executed: ReadonlyMap<Block, number> | undefined;
  /** Elements of a vector. */
  readonly #elements: number;
  /** Atomics of the launch that are united; absent: none are. */
  readonly unites: boolean;

  /**
   * @param counters by site; without those that no lanes carry out
   * @param totals of the launch
   * @param blocks of the launch
   */
  constructor(
    without: Without,
    counters: ReadonlyMap<number, AccessCounter>,
    totals: (counter: AccessCounter) => AccessTotals,
    blocks: number,
  ) {
    const { shared } = without;
    this.#executed = shared ? new Map([...shared.loops].map((block) => [block, 1 / warpSize])) : without.executed;
    this.#elements = without.narrow?.elements ?? 1;
    this.unites = (without.meetings?.size ?? 0) > 0;
    for (const [site, counter] of counters) {
      const { transactions, ideal } = totals(counter);
      const kind = without.narrow?.ops.has(counter.op)
        ? "narrow"
        : (["kept", "tiled", "meetings", "excess"] as const).find((each) => without[each]?.has(counter.op));
      if (kind === undefined || transactions === 0) continue;
      const left = { kept: 0, tiled: transactions / tileSide, excess: ideal, meetings: blocks, narrow: transactions }[kind];
      const group = counter.laneStride() === 0 ? -1 : -2;
      this.#changes.set(site, { kind, space: counter.space, share: Math.min(1, left / transactions), group });
    }
  }

  executed(block: Block): number {
    return this.#executed?.get(block) ?? 1;
  }

  /** A request of a site; undefined where it is not made. */
  request(site: number, cycles: number, amount: number): Request | undefined {
    const change = this.#changes.get(site);
    if (change === undefined) return [cycles, amount];
    if (change.kind === "kept") return undefined;
    if (change.kind === "narrow") return [this.#elements * cycles, this.#elements * amount];
    // Copies of an unrolled loop are sites of their own, of which one turn may stand for all.
    if (change.kind === "tiled") return this.#take(change.group, change.share) >= 1 ? [cycles, amount] : undefined;
    const inShared = change.space === "shared";
    // Wavefronts and addresses are the cycles; of what moves through the L1 there are the fewer the fewer sectors there are.
    if (change.kind === "excess" && (inShared || change.space === "constant"))
      return [Math.min(cycles, Math.max(1, this.#take(site, cycles * change.share))), amount];
    if (inShared) return [1, Math.min(amount, 1)];
    const left = Math.min(amount, this.#take(site, amount * change.share));
    if (change.kind === "meetings") return [Math.min(cycles, 1), left];
    const moved = amount > 0 ? Math.max(1, left) : 0;
    return [Math.min(cycles, Math.max(1, Math.ceil(moved / lineSectors))), moved];
  }

  /** Whole ones of what a site is due. */
  #take(site: number, amount: number): number {
    const due = (this.#due.get(site) ?? 0) + amount;
    const taken = Math.round(due);
    this.#due.set(site, due - taken);
    return taken;
  }

  /** Sectors of a site that are left of so many. */
  sectors(site: number, all: number): number {
    return all * (this.#changes.get(site)?.share ?? 1);
  }

  /**
   * Where the sectors that are left are served. What went beyond the L1, or to memory, goes there still, but no more than there is: sites
   * that read one buffer together stay as many as they bring, as the fields of a structure bring each other.
   * @param sectors by site, before
   */
  traffic(before: readonly SiteTraffic[], sites: readonly MemorySite[], sectors: Float64Array): SiteTraffic[] {
    const groups = new Map<string, number[]>();
    for (const [site, { kind, space }] of this.#changes) {
      if (kind !== "excess" || space !== "global") continue;
      const of = sites[site];
      const name = of?.buffer === undefined ? `site ${site}` : `${of.buffer} ${writes(of)}`;
      groups.set(name, [...(groups.get(name) ?? []), site]);
    }
    const after = [...before];
    for (const group of groups.values()) {
      const sum = (of: (site: number, traffic: SiteTraffic) => number): number =>
        group.reduce((total, site) => total + of(site, before[site] as SiteTraffic), 0);
      const left = sum((site) => this.sectors(site, sectors[site] ?? 0));
      if (left === 0) continue;
      const onward = Math.min(1, sum((site, { l2, dram }) => (sectors[site] ?? 0) * (l2 + dram)) / left);
      // What memory brings along is asked for together with what it comes with.
      const dram = Math.min(onward, sum((site, traffic) => (sectors[site] ?? 0) * (traffic.dram + traffic.along)) / left);
      for (const site of group) {
        const own = before[site] as SiteTraffic;
        const bytes = Math.min(own.bytesPerDramSector, sectorBytes);
        after[site] = {
          ...own,
          ...whole,
          l1: 1 - onward,
          l2: onward - dram,
          dram,
          along: 0,
          underWay: Math.min(own.underWay, 1 - onward),
          l2UnderWay: Math.min(own.l2UnderWay, onward - dram),
          bytesPerDramSector: bytes,
        };
      }
    }
    return after;
  }
}

const sectorBytes = 32;
