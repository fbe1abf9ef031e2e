/**
 * What of one block happens before what of another: where a fence, and behind it an atomic or a volatile store, is followed by an atomic or
 * a volatile load of the same place. Blocks are run one after another; so it is told by what those before the present one have published.
 */
import type { Dim3 } from "../ir/kernel.ts";
import { type BlockClocks, join, mostWarps } from "./clocks.ts";

/** What may be known by who finds what was left at a place. */
interface Published {
  /** The last block to leave something there, and how far its own threads may know it to be. */
  block: Dim3;
  own: Int32Array;
  /** How far blocks may be known to be by others. */
  readonly blocks: Map<Dim3, Int32Array>;
}

/** Places that are kept: the first that are come to. */
const mostPlaces = 10_000;

export class BlockOrder {
  readonly #clocks: BlockClocks;
  readonly #published = new Map<number, Published>();
  /** How far each block has put what it did before something that others may find. */
  readonly #told = new Map<Dim3, Int32Array>();
  /** How far the present block may know those before it to be. */
  readonly #known = new Map<Dim3, Int32Array>();

  constructor(clocks: BlockClocks) {
    this.#clocks = clocks;
  }

  /** A new block begins. */
  begin(): void {
    this.#known.clear();
  }

  /** A lane of the present block has looked at a place; what it finds out all of the block may know. @param ofBlock see `release` */
  acquire(address: number, block: Dim3, warp: number, lane: number, ofBlock: boolean): void {
    const found = this.#published.get(address);
    if (!found) return;
    if (found.block === block) this.#clocks.learn(warp, lane, found.own);
    if (ofBlock) return;
    for (const [other, times] of found.blocks) this.#learn(this.#known, other, times);
  }

  /** It has left something there. @param ofBlock others of its block alone may find it */
  release(address: number, block: Dim3, warp: number, ofBlock: boolean): void {
    let found = this.#published.get(address);
    if (!found) {
      if (this.#published.size >= mostPlaces) return;
      found = { block, own: new Int32Array(mostWarps), blocks: new Map() };
      this.#published.set(address, found);
    }
    if (found.block !== block) {
      found.block = block;
      found.own = new Int32Array(mostWarps);
    }
    join(found.own, this.#clocks.fenced(warp, "block"));
    if (ofBlock) return;
    this.#learn(this.#told, block, this.#clocks.fenced(warp, "device"));
    this.#learn(found.blocks, block, this.#clocks.fenced(warp, "device"));
    for (const [other, times] of this.#known) this.#learn(found.blocks, other, times);
  }

  /** Whether what a warp of a block before did then comes before what the present block does now. */
  isBefore(block: Dim3, warp: number, time: number): boolean {
    return time <= (this.#known.get(block)?.[warp] ?? 0);
  }

  /** Whether what a warp of a block did then comes before something that it has left anywhere for others to find. */
  hasTold(block: Dim3, warp: number, time: number): boolean {
    return time <= (this.#told.get(block)?.[warp] ?? 0);
  }

  #learn(into: Map<Dim3, Int32Array>, block: Dim3, times: Int32Array): void {
    const known = into.get(block) ?? new Int32Array(mostWarps);
    join(known, times);
    into.set(block, known);
  }
}
