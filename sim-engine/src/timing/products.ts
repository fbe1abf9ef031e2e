/** Matrix products of warp groups: each warp's part waits for its scheduler's tensor core, and for what it reads of shared memory. */
import type { ProductTime } from "../machine/machine.ts";
import { Copies } from "./copies.ts";
import type { Server } from "./server.ts";

export class Products {
  /** By slot: when its last product left the tensor core. */
  readonly #ended: Float64Array;
  /** By scheduler: when its tensor core takes another. */
  readonly #free: Float64Array;
  /** The L1's data path: what products read there counts as its work, but keeps no other access waiting, as it is spread over time. */
  readonly #l1: Server;
  /** Groups of products are committed and waited for as those of copies are. */
  readonly #groups: Copies;

  constructor(slots: number, schedulers: number, l1: Server) {
    this.#ended = new Float64Array(slots);
    this.#free = new Float64Array(schedulers);
    this.#l1 = l1;
    this.#groups = new Copies(slots);
  }

  clear(slot: number): void {
    this.#ended[slot] = 0;
    this.#groups.clear(slot);
  }

  /** A product issued at `time` that reads `wavefronts` of shared memory; returns when it leaves the tensor core, in cycles. */
  begin(slot: number, scheduler: number, { cycles, gap }: ProductTime, time: number, wavefronts: number, weight: number): number {
    // What one warp's products leave free another's fill, whichever was issued first.
    const free = Math.max(time, this.#free[scheduler]!) + cycles;
    this.#read = Math.max(this.#read, time) + wavefronts;
    this.#l1.busy += wavefronts * weight;
    const end = Math.max(time + cycles, this.#ended[slot]! + gap + cycles, free, wavefronts > 0 ? this.#read : 0);
    this.#free[scheduler] = free;
    this.#ended[slot] = end;
    return end;
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
