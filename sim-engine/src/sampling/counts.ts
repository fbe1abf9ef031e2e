/** Everything that is counted, as one vector: so that the counts of blocks can be compared, weighted and summed. */
import type { AccessCounter } from "../execute/accesses.ts";
import type { CompiledBlock } from "../execute/program.ts";
import type { Runner } from "../execute/run.ts";
import type { Op } from "../ir/kernel.ts";

/** Numbers kept for an access: requests, lanes, transactions, ideal, passes. */
const accessFields = 5;

export interface FlowTotals {
  /** Times a warp ran the block. */
  readonly executions: number;
  /** Active lanes, summed over executions. */
  readonly lanes: number;
  /** Times a warp's lanes parted at its branch. */
  readonly divergent: number;
  /** Times any lane took the edge. */
  readonly then: number;
  readonly else: number;
}

export interface AccessTotals {
  readonly requests: number;
  readonly lanes: number;
  readonly transactions: number;
  readonly ideal: number;
  readonly passes: number;
}

export class CountVector {
  readonly #runner: Runner;
  readonly counters: readonly AccessCounter[];
  readonly length: number;
  /** Where the accesses' numbers begin. */
  readonly #accesses: number;

  constructor(runner: Runner) {
    this.#runner = runner;
    this.counters = [...runner.program.counters.values()].flat();
    this.#accesses = runner.flow.all().reduce((sum, each) => sum + each.length, 0);
    this.length = this.#accesses + accessFields * this.counters.length;
  }

  /** What was counted since the last time, and begins anew. */
  take(): Float64Array {
    const vector = new Float64Array(this.length);
    let at = 0;
    for (const each of this.#runner.flow.all()) {
      vector.set(each, at);
      at += each.length;
      each.fill(0);
    }
    for (const counter of this.counters) {
      vector.set(counter.totals(), at);
      at += accessFields;
      counter.reset();
    }
    return vector;
  }

  /** Positions of these operations' accesses: where their numbers begin. */
  positions(ops: ReadonlySet<Op>): number[] {
    return this.counters.flatMap((counter, index) => (ops.has(counter.op) ? [this.#accesses + accessFields * index] : []));
  }

  /**
   * Has a block that was run, with what it accesses, stand for `factor` times as many executions.
   * @param edges those of its branch that are taken as often more
   */
  multiply(
    vector: Float64Array,
    { index, block }: CompiledBlock,
    factor: number,
    edges: { readonly then: boolean; readonly else: boolean },
  ): void {
    const blocks = this.#runner.program.blocks.length;
    const fields = [true, true, true, edges.then, edges.else];
    for (const [k, isMultiplied] of fields.entries()) if (isMultiplied) vector[k * blocks + index]! *= factor;
    for (const at of this.positions(new Set(block.ops))) for (let k = 0; k < accessFields; k++) vector[at + k]! *= factor;
  }

  flow(vector: Float64Array, { index }: CompiledBlock): FlowTotals {
    const blocks = this.#runner.program.blocks.length;
    const field = (k: number): number => vector[k * blocks + index] ?? 0;
    return { executions: field(0), lanes: field(1), divergent: field(2), then: field(3), else: field(4) };
  }

  access(vector: Float64Array, counter: AccessCounter): AccessTotals {
    const at = this.#accesses + accessFields * this.counters.indexOf(counter);
    const field = (k: number): number => vector[at + k] ?? 0;
    return { requests: field(0), lanes: field(1), transactions: field(2), ideal: field(3), passes: field(4) };
  }
}
