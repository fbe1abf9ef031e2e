/**
 * Which blocks of the grid touched which bytes of global memory: nothing orders the blocks of a launch, so that two of them must not
 * touch the same bytes where one writes. Kept by granules, as wide as the narrowest access.
 */
import type { Dim3 } from "../ir/kernel.ts";

export interface BlockTouch {
  readonly block: Dim3;
  readonly warp: number;
  readonly lane: number;
  readonly site: number;
}

interface Granule {
  write: BlockTouch | undefined;
  read: BlockTouch | undefined;
}

/** Granules that are kept: those of the first accesses. */
const mostGranules = 100_000;

export class GlobalShadow {
  readonly granule: number;
  readonly #granules = new Map<number, Granule>();

  constructor(granule: number) {
    this.granule = granule;
  }

  /** @returns who of another block writes there */
  read(granule: number, touch: BlockTouch): BlockTouch | undefined {
    const known = this.#at(granule);
    if (!known) return undefined;
    if (!known.read || isOf(known.read, touch.block)) known.read = touch;
    return known.write && !isOf(known.write, touch.block) ? known.write : undefined;
  }

  /** @returns who of another block writes or reads there; a write goes before a read */
  write(granule: number, touch: BlockTouch): BlockTouch | undefined {
    const known = this.#at(granule);
    if (!known) return undefined;
    const { write, read } = known;
    known.write ??= touch;
    if (write && !isOf(write, touch.block)) return write;
    return read && !isOf(read, touch.block) ? read : undefined;
  }

  #at(granule: number): Granule | undefined {
    const known = this.#granules.get(granule);
    if (known || this.#granules.size >= mostGranules) return known;
    const made: Granule = { write: undefined, read: undefined };
    this.#granules.set(granule, made);
    return made;
  }
}

const isOf = ({ block }: BlockTouch, [x, y, z]: Dim3): boolean => block[0] === x && block[1] === y && block[2] === z;
