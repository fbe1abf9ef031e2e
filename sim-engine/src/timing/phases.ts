/**
 * Phases of a resident block's mbarriers, by their numbers in the block (see `Mbarriers`): each is over once all that the block's trace
 * says to arrive in it has. What was not recorded is not waited for.
 */
import type { MemorySite } from "../memory/site.ts";
import type { BlockTrace } from "./summary.ts";

/** How many arrivals and copies each phase of a block has. */
export function contributions({ warps }: BlockTrace, sites: readonly MemorySite[]): Uint32Array {
  const counts: number[] = [];
  for (const { accesses } of warps) {
    for (let at = 0; at < accesses.length; at += 3) {
      const operation = sites[accesses[at]!]?.operation;
      if (operation !== "bulk load" && operation !== "arrival") continue;
      const phase = accesses[at + 1]!;
      counts[phase] = (counts[phase] ?? 0) + 1;
    }
  }
  return Uint32Array.from({ length: counts.length }, (_, phase) => counts[phase] ?? 0);
}

export class Phases {
  readonly #left: Uint32Array;
  readonly #over: Float64Array;
  readonly #reason: Uint8Array;
  readonly #waiting = new Map<number, number[]>();

  constructor(counts: Uint32Array) {
    this.#left = counts.slice();
    this.#over = new Float64Array(counts.length);
    this.#reason = new Uint8Array(counts.length);
  }

  /** Something arrives in a phase at `time`; the slots that waited for it and may go on, if it was the last. */
  arrive(phase: number, time: number, reason: number): readonly number[] {
    if (!this.#left[phase]) return [];
    if (time > this.#over[phase]!) {
      this.#over[phase] = time;
      this.#reason[phase] = reason;
    }
    if (--this.#left[phase]! > 0) return [];
    const free = this.#waiting.get(phase) ?? [];
    this.#waiting.delete(phase);
    return free;
  }

  /** Whether all that arrives in a phase is on its way, so that it is known when it is over. */
  isKnown(phase: number): boolean {
    return !this.#left[phase];
  }

  /** When it is over, in cycles, and what arrived last (see `reasons`). */
  over(phase: number): number {
    return this.#over[phase] ?? 0;
  }

  reason(phase: number): number {
    return this.#reason[phase] ?? 0;
  }

  /** The warp in a slot waits for a phase. */
  wait(phase: number, slot: number): void {
    const slots = this.#waiting.get(phase);
    if (slots) slots.push(slot);
    else this.#waiting.set(phase, [slot]);
  }
}
