/** Matrix products of warp groups: each warp's part waits for its scheduler's tensor core, and for what it reads of shared memory. */
import type { ProductTime } from "../machine/machine.ts";
import { Copies } from "./copies.ts";
import type { Server } from "./server.ts";

export class Products {
  /** By slot: when its last product would have left the tensor core, had there been no other warp's. */
  readonly #alone: Float64Array;
  /** By scheduler: when its tensor core takes another. */
  readonly #free: Float64Array;
  /** The L1's data path: what products read there counts as its work, but keeps no other access waiting, as it is spread over time. */
  readonly #l1: Server;
  /** Groups of products are committed and waited for as those of copies are. */
  readonly #groups: Copies;

  constructor(slots: number, schedulers: number, l1: Server) {
    this.#alone = new Float64Array(slots).fill(Number.NEGATIVE_INFINITY);
    this.#free = new Float64Array(schedulers);
    this.#l1 = l1;
    this.#groups = new Copies(slots);
  }

  clear(slot: number): void {
    this.#alone[slot] = Number.NEGATIVE_INFINITY;
    this.#groups.clear(slot);
  }

  /** A product issued at `time` that reads `wavefronts` of shared memory; returns when it leaves the tensor core, in cycles. */
  begin(slot: number, scheduler: number, { cycles, gap }: ProductTime, time: number, wavefronts: number, weight: number): number {
    // The group's warps, one a scheduler, read at the same time: each has its share of the data path.
    const busy = Math.max(cycles, wavefronts * this.#free.length);
    this.#l1.busy += wavefronts * weight;
    // What one warp's products leave free another's fill, whichever was issued first: neither queue knows of the other.
    const alone = Math.max(time, this.#alone[slot]! + gap) + busy;
    const all = Math.max(time, this.#free[scheduler]!) + busy;
    this.#alone[slot] = alone;
    this.#free[scheduler] = all;
    return Math.max(alone, all);
  }

  /** The product's sums can be waited for at `time`; `commits`: its group ends with it. */
  end(slot: number, time: number, commits: boolean): void {
    this.#groups.begin(slot, time);
    if (commits) this.#groups.commit(slot);
  }

  /** When all but the last `pending` groups are done, in cycles. */
  there(slot: number, pending: number): number {
    return this.#groups.there(slot, pending);
  }
}
