/** What blocks of a launch that are not run store, taken from those that were run: each stores into a stretch of its own, one after the other. */
import type { Environment } from "../execute/environment.ts";
import type { Dim3 } from "../ir/kernel.ts";
import type { Work } from "../work.ts";
import type { Form } from "./forms.ts";
import { localParts } from "./values-at.ts";

/** Where a launch's blocks store: block b, and no other, to the bytes from `start + b * bytes` on, up to where the next one does. */
export interface Stretches {
  readonly start: number;
  readonly bytes: number;
}

/** A store's address, and the bytes that it stores there. */
interface Stored {
  readonly address: Form;
  readonly width: number;
}

/**
 * The stretches that a launch's stores fall into; undefined where blocks lie in more than one direction, or share stretches: where they go along
 * columns, or turns of a loop go on behind those of all blocks.
 * @param from the address that stretches are counted from
 */
export function stretchesOf(stores: readonly Stored[], from: number, environment: Environment, work: Work): Stretches | undefined {
  const [, rows, layers]: Dim3 = environment.launch.grid;
  const bytes = stores[0]?.address.block[0] ?? 0;
  if (!(bytes > 0) || rows * layers > 1) return undefined;
  let [first, end] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { address, width } of stores) {
    if (address.block[0] !== bytes || address.placed.length > 0 || address.loops.length > 0) return undefined;
    const threads = localParts(address, environment, work);
    if (!threads) return undefined;
    for (const part of threads) {
      first = Math.min(first, address.constant - from + part);
      end = Math.max(end, address.constant - from + part + width);
    }
  }
  return end - first <= bytes ? { start: first, bytes } : undefined;
}

/** What a block stores may follow from the last bits of its index (which way it sorts): blocks that agree in so many are taken first. Assumed (DEVIATIONS.md). */
const likeBits = 4;
/** Blocks of those that agree in as many bits that are looked at, the nearest on either side. */
const nearest = 4;

export class LikeBlocks {
  readonly #stretches: Stretches;
  /** By number of bits: blocks that agree in the last ones, in order, by these. */
  readonly #byBits: readonly ReadonlyMap<number, readonly number[]>[];
  /** By block: those like it, the likest first. */
  readonly #like = new Map<number, readonly number[]>();

  /** @param run blocks that were run to their end, or some of their warps */
  constructor(stretches: Stretches, run: Iterable<number>) {
    this.#stretches = stretches;
    const ordered = [...new Set(run)].sort((a, b) => a - b);
    this.#byBits = Array.from({ length: likeBits + 1 }, (_, bits) => byLastBits(ordered, bits));
  }

  /** Where blocks like the one that stores to a byte store the same, the likest first. */
  *placesLike(offset: number): Generator<number> {
    const { start, bytes } = this.#stretches;
    const block = Math.floor((offset - start) / bytes);
    for (const other of this.#likeOf(block)) yield offset + (other - block) * bytes;
  }

  #likeOf(block: number): readonly number[] {
    const known = this.#like.get(block);
    if (known) return known;
    const found = new Set<number>();
    for (let bits = likeBits; bits >= 0; bits--) {
      const size = 2 ** bits;
      const blocks = this.#byBits[bits]!.get(((block % size) + size) % size) ?? [];
      const at = firstFrom(blocks, block);
      const around = blocks.slice(Math.max(0, at - nearest), at + nearest);
      for (const other of around.sort((a, b) => Math.abs(a - block) - Math.abs(b - block))) found.add(other);
    }
    const like = [...found];
    this.#like.set(block, like);
    return like;
  }
}

function byLastBits(ordered: readonly number[], bits: number): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  for (const block of ordered) {
    const last = block % 2 ** bits;
    const group = groups.get(last);
    if (group) group.push(block);
    else groups.set(last, [block]);
  }
  return groups;
}

/** How many of ordered numbers lie below one. */
function firstFrom(ordered: readonly number[], number: number): number {
  let [low, high] = [0, ordered.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ordered[middle]! < number) low = middle + 1;
    else high = middle;
  }
  return low;
}
