/** Where global atomics meet: those that fall into one slice of the L2 are done one after the other. */
import type { GpuValues } from "../gpus/figures.ts";
import { DistinctSet } from "../memory/distinct.ts";

interface Region {
  /** Observed blocks that have atomics here. */
  blocks: number;
  lastBlock: number;
  sectors: number;
}

export class AtomicRegions {
  /** Aligned bytes whose atomics one slice does. */
  readonly #regionBytes: number;
  readonly #sectorBytes: number;
  readonly #regions = new Map<number, Region>();
  readonly #seen = new DistinctSet();
  #block = 0;
  #sectors = 0;

  constructor({ atomicSliceBytes, sectorBytes }: GpuValues) {
    this.#regionBytes = atomicSliceBytes;
    this.#sectorBytes = sectorBytes;
  }

  /** Another block is observed. */
  begin(): void {
    this.#block++;
  }

  /** A warp's atomic request. */
  add(addresses: Float64Array, from: number, mask: number): void {
    this.#seen.clear();
    for (let lane = 0; lane < 32; lane++) {
      if (!((mask >>> lane) & 1)) continue;
      const address = addresses[from + lane]!;
      if (!this.#seen.add(Math.floor(address / this.#sectorBytes) | 0)) continue;
      const key = Math.floor(address / this.#regionBytes);
      let region = this.#regions.get(key);
      if (!region) this.#regions.set(key, (region = { blocks: 0, lastBlock: 0, sectors: 0 }));
      if (region.lastBlock !== this.#block) {
        region.lastBlock = this.#block;
        region.blocks++;
      }
      region.sectors++;
      this.#sectors++;
    }
  }

  /**
   * Sectors of atomics that the busiest region gets in the whole launch, of `total` in all. A region that most observed blocks
   * meet in is taken to be met by as large a share of all blocks; others by those alone that were seen there. Undefined when there
   * are no atomics.
   */
  hottest(total: number, gridBlocks: number): number | undefined {
    if (this.#sectors === 0) return undefined;
    const perBlock = this.#sectors / this.#block;
    let most = 0;
    for (const { blocks, sectors } of this.#regions.values()) {
      const meeting = 2 * blocks > this.#block ? gridBlocks * (blocks / this.#block) : Math.min(gridBlocks, blocks);
      const share = sectors / blocks / perBlock;
      most = Math.max(most, (share * meeting * total) / gridBlocks);
    }
    return Math.min(total, most);
  }
}
