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
    const begin = Math.max(time, this.#free[scheduler]!, this.#ended[slot]! + gap);
    this.#l1.busy += wavefronts * weight;
    // The group's warps, one a scheduler, read at the same time: each has its share of the data path.
    const end = begin + Math.max(cycles, wavefronts * this.#free.length);
    this.#free[scheduler] = end;
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
