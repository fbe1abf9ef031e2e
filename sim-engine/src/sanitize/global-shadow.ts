/**
 * Who touched which bytes of global memory last: nothing orders the blocks of a launch, so that two of them must not touch the same bytes
 * where one writes; within a block barriers do. Kept by granules, as wide as the narrowest access.
 */
import type { Dim3 } from "../ir/kernel.ts";
import type { BlockOrder } from "./block-order.ts";
import type { BlockClocks } from "./clocks.ts";
import { type HeldLock, isUnfenced } from "./held-locks.ts";
import type { Touch } from "./shared-shadow.ts";

export interface BlockTouch extends Touch {
  readonly block: Dim3;
  readonly isAtomic: boolean;
  /** Its block went on without what it waited for, perhaps of other blocks: they may come before. */
  readonly isAstray: boolean;
  /** The lock that its thread holds. */
  readonly lock?: HeldLock | undefined;
}

/** Of those that touch it in one way the first that nothing orders, and another thread. */
interface Pair {
  first: BlockTouch | undefined;
  other: BlockTouch | undefined;
}

interface Granule {
  write: BlockTouch | undefined;
  /** Absent until somebody does. */
  reads: Pair | undefined;
  /** Those who write by atomics: what was stored before stays in `write`. */
  atomics: Pair | undefined;
}

/** Granules that are kept: those of the first accesses. */
const mostGranules = 100_000;
/** Granules that lie together: lanes of a warp mostly touch those of one or two such pages. */
const pageSize = 64;

export class GlobalShadow {
  readonly granule: number;
  readonly #pages = new Map<number, (Granule | undefined)[]>();
  /** The page that was looked at last. */
  #number = Number.NaN;
  #page: (Granule | undefined)[] = [];
  #kept = 0;
  readonly #clocks: BlockClocks | undefined;

  readonly #order: BlockOrder | undefined;

  /**
   * @param clocks of the running block; without them nothing is known of the order within it
   * @param order of blocks; without it there is none
   */
  constructor(granule: number, clocks: BlockClocks | undefined, order?: BlockOrder) {
    this.granule = granule;
    this.#clocks = clocks;
    this.#order = order;
  }

  /** @returns who writes there, in another block or unordered in this one */
  read(granule: number, touch: BlockTouch): BlockTouch | undefined {
    const known = this.#at(granule);
    if (!known) return undefined;
    known.reads ??= noPair();
    this.#add(known.reads, touch);
    return this.#conflict(known.write, touch) ?? this.#among(known.atomics, touch);
  }

  /**
   * @param isOne what is stored by whoever stores there at once: the same, or one of them wins
   * @returns who writes or reads there, in another block or unordered in this one; a write goes before a read
   */
  write(granule: number, touch: BlockTouch, isOne: (other: BlockTouch) => boolean): BlockTouch | undefined {
    const known = this.#at(granule);
    if (!known) return undefined;
    const written = this.#conflict(known.write, touch);
    if (touch.isAtomic) {
      known.atomics ??= noPair();
      this.#add(known.atomics, touch);
    } else known.write = touch;
    if (written && !(isOf(written, touch.block) && isOne(written))) return written;
    return this.#among(known.reads, touch) ?? this.#among(known.atomics, touch);
  }

  #add(pair: Pair, touch: BlockTouch): void {
    const { first, other } = pair;
    if (!first || (isOf(first, touch.block) && this.#isBefore(first, touch))) pair.first = touch;
    else if (isOf(first, touch.block) && (first.warp !== touch.warp || !this.#conflict(other, touch))) pair.other = touch;
  }

  #among(pair: Pair | undefined, touch: BlockTouch): BlockTouch | undefined {
    return pair && (this.#conflict(pair.first, touch) ?? this.#conflict(pair.other, touch));
  }

  #conflict(known: BlockTouch | undefined, touch: BlockTouch): BlockTouch | undefined {
    if (known === undefined) return undefined;
    const within = isOf(known, touch.block);
    const isBefore = within ? this.#isBefore(known, touch) : this.#order?.isBefore(known.block, known.warp, known.time);
    if (!isBefore) return known;
    // One lock puts them in either order: as they came now, or the other way round.
    return !(within && known.warp === touch.warp) && isUnfenced(known.lock, touch.lock, within) ? known : undefined;
  }

  /** Of two of the same block. */
  #isBefore({ warp, lane, time, interval }: BlockTouch, by: BlockTouch): boolean {
    return this.#clocks === undefined || this.#clocks.isBefore(warp, lane, time, interval, by.warp, by.lane);
  }

  #at(granule: number): Granule | undefined {
    const number = Math.floor(granule / pageSize);
    if (number !== this.#number) {
      const page = this.#pages.get(number) ?? [];
      if (page.length === 0) {
        if (this.#kept >= mostGranules) return undefined;
        this.#pages.set(number, page);
      }
      this.#number = number;
      this.#page = page;
    }
    const at = granule - number * pageSize;
    const known = this.#page[at];
    if (known || this.#kept >= mostGranules) return known;
    const made: Granule = { write: undefined, reads: undefined, atomics: undefined };
    this.#page[at] = made;
    this.#kept++;
    return made;
  }
}

const noPair = (): Pair => ({ first: undefined, other: undefined });

const isOf = ({ block: a }: BlockTouch, b: Dim3): boolean => a[0] === b[0] && a[1] === b[1] && a[2] === b[2];
