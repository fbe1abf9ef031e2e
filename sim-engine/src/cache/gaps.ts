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

export class Gaps {
  readonly #begins = new Map<number, Open[]>();
  readonly #ends = new Map<number, Open[]>();
  /** By warp: what its requests have brought so far, those not logged among them. */
  readonly #brought: Float64Array;
  readonly #log: SectorLog;
  /** Of all warps: what was not logged. */
  passed = 0;

  constructor(log: SectorLog) {
    this.#log = log;
    this.#brought = new Float64Array(log.requests === 0 ? 1 : Math.max(...log.warp.subarray(0, log.requests)) + 1);
    for (const repeat of log.repeats) {
      const open = { repeat, before: 0 };
      this.#begins.set(repeat.middle, [...(this.#begins.get(repeat.middle) ?? []), open]);
      this.#ends.set(repeat.to, [...(this.#ends.get(repeat.to) ?? []), open]);
    }
  }

  /** Before a request is made. */
  begin(request: number): void {
    const warp = this.#log.warp[request]!;
    for (const open of this.#begins.get(request) ?? []) open.before = this.#brought[warp]!;
  }

  /** After a request that brought so much: as much as passes through before the warp's next one. */
  end(request: number, brought: number): number {
    const warp = this.#log.warp[request]!;
    this.#brought[warp]! += brought;
    let passing = 0;
    for (const { repeat, before } of this.#ends.get(request) ?? []) {
      const more = (repeat.times - 1) * 2 * (this.#brought[warp]! - before);
      this.#brought[warp]! += more;
      passing += more;
    }
    this.passed += passing;
    return passing;
  }
}
