/** Barriers of the grid: every block has to come to as many. Blocks are run one after another, so that they can be counted. */
import type { Kernel, Op } from "../ir/kernel.ts";
import type { Violation } from "../report/violation.ts";
import { firstLane, type Witnesses } from "./witnesses.ts";

/** What a block came to: each barrier's arrivals, and who came first. */
interface Counted {
  readonly block: Witnesses["block"];
  total: number;
  readonly at: Map<Op, { count: number; readonly warp: number; readonly lane: number }>;
}

export class GridBarriers {
  readonly #barriers: ReadonlySet<Op>;
  readonly #witnesses: Witnesses;
  #present: Counted | undefined;
  /** The first block that was run. */
  #first: Counted | undefined;

  constructor(kernel: Kernel, witnesses: Witnesses) {
    this.#barriers = barriersOfGrid(kernel);
    this.#witnesses = witnesses;
  }

  /** A new block begins. */
  begin(): void {
    this.#present = this.#barriers.size === 0 ? undefined : { block: this.#witnesses.block, total: 0, at: new Map() };
  }

  /** A warp comes to a barrier: the block's first one stands for it. */
  arrive(barrier: Op, warp: number, lanes: number): void {
    if (warp !== 0 || !this.#present || !this.#barriers.has(barrier)) return;
    const seen = this.#present.at.get(barrier) ?? { count: 0, warp, lane: firstLane(lanes) };
    this.#present.at.set(barrier, seen);
    seen.count++;
    this.#present.total++;
  }

  /** The block has ended. @param isInvented whether a barrier is come to as data has it that nobody knows */
  end(isInvented: (barrier: Op) => boolean): void {
    const here = this.#present;
    this.#present = undefined;
    if (!here) return;
    if (!this.#first) this.#first = here;
    else if (this.#first.total > here.total) this.#tell(this.#first, here, isInvented);
    else if (this.#first.total < here.total) this.#tell(here, this.#first, isInvented);
  }

  #tell(waiting: Counted, missing: Counted, isInvented: (barrier: Op) => boolean): void {
    if ([...this.#barriers].some(isInvented)) return;
    const [barrier, seen] = [...waiting.at].find(([op, { count }]) => count > (missing.at.get(op)?.count ?? 0)) ?? [];
    if (!barrier || !seen) return;
    this.#witnesses.keep(`grid barrier ${barrier.span.file}:${barrier.span.start}`, (): Violation => {
      const by = this.#witnesses.actor(barrier, "barrier", seen.warp, seen.lane, waiting.block);
      return { kind: "divergent-barrier", by, missing: [0, 0, 0], missingBlock: missing.block, ended: false };
    });
  }
}

/** A barrier of each block, a fence and another barrier by the same words: so grids are lowered. */
function barriersOfGrid({ blocks }: Kernel): ReadonlySet<Op> {
  const found = new Set<Op>();
  for (const { ops } of blocks)
    for (const [k, op] of ops.entries()) {
      const same = [ops[k + 1], ops[k + 2]].every((next) => next?.span.start === op.span.start && next.span.file === op.span.file);
      if (same && op.action.kind === "barrier" && ops[k + 1]?.action.kind === "fence" && ops[k + 2]?.action.kind === "barrier")
        found.add(op);
    }
  return found;
}
