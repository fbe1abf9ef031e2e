/**
 * Iterations that were not run, and so were not logged: what they would have brought passes through a cache after those that stand
 * for them. Without them a row that is read twice would seem to come again at once.
 */
import type { LoggedRepeat, SectorLog } from "./log.ts";

interface Open {
  readonly repeat: LoggedRepeat;
  /** What its warp had brought by its middle. */
  before: number;
}

/** What passes when the last of the block's warps leaves a loop: they go through it together, some a few requests later. */
interface Held {
  /** Warps that are still in it. */
  inside: number;
  amount: number;
  readonly warps: Set<number>;
}

export class Gaps {
  readonly #begins = new Map<number, Open[]>();
  readonly #ends = new Map<number, Open[]>();
  /** By the site that the loop's last request is made at. */
  readonly #held = new Map<number, Held>();
  /** By warp: what its requests have brought so far, those not logged among them. */
  readonly #brought: Float64Array;
  readonly #log: SectorLog;
  /** Of all warps: what was not logged. */
  passed = 0;

  constructor(log: SectorLog) {
    this.#log = log;
    // Not as arguments of a call: there may be more requests than it takes.
    this.#brought = new Float64Array(log.warp.subarray(0, log.requests).reduce((most, warp) => Math.max(most, warp), 0) + 1);
    for (const repeat of log.repeats) {
      const open = { repeat, before: 0 };
      this.#begins.set(repeat.middle, [...(this.#begins.get(repeat.middle) ?? []), open]);
      this.#ends.set(repeat.to, [...(this.#ends.get(repeat.to) ?? []), open]);
    }
  }

  /** Before a request is made. */
  begin(request: number): void {
    const warp = this.#log.warp[request]!;
    for (const open of this.#begins.get(request) ?? []) {
      open.before = this.#brought[warp]!;
      this.#heldAt(open.repeat.to).inside++;
    }
  }

  /** After a request that brought so much: as much as passes through before the warp's next one. */
  end(request: number, brought: number): number {
    const warp = this.#log.warp[request]!;
    this.#brought[warp]! += brought;
    let passing = 0;
    for (const { repeat, before } of this.#ends.get(request) ?? []) {
      const more = ((repeat.times - 1) / repeat.share) * (this.#brought[warp]! - before);
      this.#brought[warp]! += more;
      const held = this.#heldAt(repeat.to);
      // A warp that is through it once more has left the others behind.
      const together = !held.warps.has(warp);
      held.inside--;
      held.amount += more;
      held.warps.add(warp);
      if (held.inside > 0 && together) continue;
      passing += held.amount;
      held.amount = 0;
      held.warps.clear();
    }
    this.passed += passing;
    return passing;
  }

  #heldAt(request: number): Held {
    const site = this.#log.site[request]!;
    let held = this.#held.get(site);
    if (!held) {
      held = { inside: 0, amount: 0, warps: new Set() };
      this.#held.set(site, held);
    }
    return held;
  }
}
