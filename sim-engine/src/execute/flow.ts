/** What is counted of where warps went. */

/** Weighted sums over the warps that ran. Indexed by `CompiledBlock.index`. */
export class FlowCounters {
  /** Times a warp ran the block. */
  readonly executions: Float64Array;
  /** Lanes that were active, summed over executions. */
  readonly lanes: Float64Array;
  /** Times the warp's lanes parted at the block's branch. */
  readonly divergent: Float64Array;
  /** Times any lane took the branch's `then` edge; the `else` edge. */
  readonly then: Float64Array;
  readonly else: Float64Array;
  /** By `CompiledBlock.outcomes`: lanes whose first operand was below the second. */
  readonly below: Float64Array;

  constructor(blocks: number, outcomes: number) {
    this.below = new Float64Array(outcomes);
    this.executions = new Float64Array(blocks);
    this.lanes = new Float64Array(blocks);
    this.divergent = new Float64Array(blocks);
    this.then = new Float64Array(blocks);
    this.else = new Float64Array(blocks);
  }

  all(): readonly Float64Array[] {
    return [this.executions, this.lanes, this.divergent, this.then, this.else, this.below];
  }
}
