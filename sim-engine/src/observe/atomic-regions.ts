/**
 * Where global atomics meet: those that fall into one slice of the L2 are done one after the other. A sector of a request is one
 * pass over the unit for each lane on its busiest word (measured: microbenchmarks/h200-results.txt, `atomics`).
 */
import type { GpuValues } from "../gpus/figures.ts";
import type { Op } from "../ir/kernel.ts";
import { isFloatSum, isUnited } from "./atomic-work.ts";

interface Region {
  /** Observed blocks that have atomics here. */
  blocks: number;
  lastBlock: number;
  /** Passes of an integer operation. */
  passes: number;
}

/** Bytes of what one pass does. */
const wordBytes = 4;

export class AtomicRegions {
  /** Aligned bytes whose atomics one slice does. */
  readonly #regionBytes: number;
  readonly #sectorBytes: number;
  readonly #regions = new Map<number, Region>();
  readonly #floatWork: number;
  #block = 0;
  #sectors = 0;
  #passes = 0;

  constructor({ atomicSliceBytes, sectorBytes, atomicFloatWork = 1 }: GpuValues) {
    this.#regionBytes = atomicSliceBytes;
    this.#sectorBytes = sectorBytes;
    this.#floatWork = atomicFloatWork;
  }

  /** Another block is observed. */
  begin(): void {
    this.#block++;
  }

  /** A warp's atomic request. */
  add(op: Op, addresses: Float64Array, from: number, mask: number): void {
    const united = isUnited(op);
    const work = isFloatSum(op) ? this.#floatWork : 1;
    /** Lanes on each word, by sector. */
    const sectors = new Map<number, Map<number, number>>();
    for (let lane = 0; lane < 32; lane++) {
      if (!((mask >>> lane) & 1)) continue;
      const address = addresses[from + lane]!;
      const sector = Math.floor(address / this.#sectorBytes);
      const word = Math.floor(address / wordBytes);
      let words = sectors.get(sector);
      if (!words) sectors.set(sector, (words = new Map()));
      words.set(word, united ? 1 : (words.get(word) ?? 0) + 1);
    }
    for (const [sector, words] of sectors) this.#pass(sector * this.#sectorBytes, Math.max(...words.values()) * work);
    this.#sectors += sectors.size;
  }

  #pass(address: number, passes: number): void {
    const key = Math.floor(address / this.#regionBytes);
    let region = this.#regions.get(key);
    if (!region) this.#regions.set(key, (region = { blocks: 0, lastBlock: 0, passes: 0 }));
    if (region.lastBlock !== this.#block) {
      region.lastBlock = this.#block;
      region.blocks++;
    }
    region.passes += passes;
    this.#passes += passes;
  }

  /**
   * Passes that the busiest region does in the whole launch, where there are `total` sectors of atomics in all. A region that most observed blocks
   * meet in is taken to be met by as large a share of all blocks; others by those alone that were seen there. Undefined when there
   * are no atomics.
   */
  hottest(total: number, gridBlocks: number): number | undefined {
    if (this.#sectors === 0) return undefined;
    const perBlock = this.#sectors / this.#block;
    let most = 0;
    for (const { blocks, passes } of this.#regions.values()) {
      const meeting = 2 * blocks > this.#block ? gridBlocks * (blocks / this.#block) : Math.min(gridBlocks, blocks);
      const share = passes / blocks / perBlock;
      most = Math.max(most, (share * meeting * total) / gridBlocks);
    }
    return Math.min((total * this.#passes) / this.#sectors, most);
  }
}
