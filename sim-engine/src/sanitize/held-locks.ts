/**
 * Which lock each thread of the running block holds, and what fences stand behind the atomic that took it. Without one as wide as the other
 * holders are far, what a holder does may come before the lock is taken: the other way round, two who hold it one after the other race.
 */
import type { FenceScope } from "./clocks.ts";

export interface HeldLock {
  readonly address: number;
  /** The widest fence since it was taken. */
  readonly fence: FenceScope | undefined;
}

/** Locks that are kept at once: those of the first threads. */
const mostHeld = 4096;

export class HeldLocks {
  readonly #held = new Map<number, HeldLock>();

  /** A new block. */
  clear(): void {
    this.#held.clear();
  }

  /** A thread tries to take a lock, until it has it. */
  take(warp: number, lane: number, address: number): void {
    if (this.#held.size < mostHeld) this.#held.set(threadOf(warp, lane), { address, fence: undefined });
  }

  give(warp: number, lane: number, address: number): void {
    const thread = threadOf(warp, lane);
    if (this.#held.get(thread)?.address === address) this.#held.delete(thread);
  }

  /** A warp's fence, or a wait of its lanes or of the block: then they are no longer looked at. */
  fence(warp: number, scope: FenceScope): void {
    if (this.#held.size === 0) return;
    for (let lane = 0; lane < 32; lane++) {
      const held = this.#held.get(threadOf(warp, lane));
      if (held && held.fence !== "device") this.#held.set(threadOf(warp, lane), { ...held, fence: scope });
    }
  }

  of(warp: number, lane: number): HeldLock | undefined {
    return this.#held.size === 0 ? undefined : this.#held.get(threadOf(warp, lane));
  }
}

/** Both hold one lock, and one of them has no fence behind taking it that reaches the other. */
export function isUnfenced(a: HeldLock | undefined, b: HeldLock | undefined, sameBlock: boolean): boolean {
  if (a === undefined || b === undefined || a.address !== b.address) return false;
  const isWide = ({ fence }: HeldLock): boolean => fence === "device" || (sameBlock && fence === "block");
  return !isWide(a) || !isWide(b);
}

const threadOf = (warp: number, lane: number): number => warp * 32 + lane;
