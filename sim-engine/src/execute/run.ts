/**
 * Runs a program, block after block: the warps of a block in turn, each to its end or to the next barrier. Lanes of a warp
 * that part at a branch run one way after the other and meet again at the branch's immediate post-dominator.
 */
import { popcount } from "../memory/distinct.ts";
import { type CompiledBlock, type Edge, type Program, warpSize } from "./compile.ts";

/** The work went beyond what it was allowed. */
export class BudgetExceeded extends Error {}
/** Whoever asked no longer wants the answer. */
export class Cancelled extends Error {}

export interface Budget {
  /** Steps left: about one for each warp instruction executed. */
  steps: number;
  readonly isCancelled?: () => boolean;
}

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

  constructor(blocks: number) {
    this.executions = new Float64Array(blocks);
    this.lanes = new Float64Array(blocks);
    this.divergent = new Float64Array(blocks);
    this.then = new Float64Array(blocks);
    this.else = new Float64Array(blocks);
  }

  all(): readonly Float64Array[] {
    return [this.executions, this.lanes, this.divergent, this.then, this.else];
  }
}

/** How often the budget asks whether it is still wanted. */
const stepsBetweenQuestions = 1 << 16;

interface StackEntry {
  block: CompiledBlock;
  /** Reaching this block, the lanes wait for those of the entry below. */
  readonly join: CompiledBlock | undefined;
  readonly mask: number;
}

class Warp {
  readonly o: number;
  readonly stack: StackEntry[];
  /** Segment of the top entry's block to go on with. */
  segment = 0;

  constructor(o: number, mask: number, entry: CompiledBlock) {
    this.o = o;
    this.stack = [{ block: entry, join: undefined, mask }];
  }

  get done(): boolean {
    return this.stack.length === 0;
  }
}

export class Runner {
  readonly program: Program;
  readonly flow: FlowCounters;
  readonly #budget: Budget;
  #nextQuestion: number;
  /** A barrier was reached by part of a warp's lanes. */
  divergentBarriers = 0;

  constructor(program: Program, budget: Budget) {
    this.program = program;
    this.flow = new FlowCounters(program.blocks.length);
    this.#budget = budget;
    this.#nextQuestion = budget.steps - stepsBetweenQuestions;
  }

  /** Runs the block at `at` of the grid, each request counting `weight`. Throws `BudgetExceeded` or `Cancelled`. */
  runBlock(at: readonly [number, number, number], weight = 1): void {
    const { program } = this;
    const [width, height, depth] = program.launch.block;
    const threads = width * height * depth;
    const [entry] = program.blocks;
    if (!entry) return;
    program.running.weight = weight;
    if (program.actsOnMemory) program.environment.clearShared();
    const warpCount = Math.ceil(threads / warpSize);
    const lanesOf = (warp: number): number => {
      const lanes = Math.min(warpSize, threads - warp * warpSize);
      return lanes === warpSize ? -1 : (1 << lanes) - 1;
    };
    if (!program.hasBarriers) {
      for (let index = 0; index < warpCount; index++) {
        program.startWarp(0, index, at);
        const warp = new Warp(0, lanesOf(index), entry);
        while (!warp.done) this.#run(warp);
      }
      return;
    }
    let waiting: Warp[] = [];
    for (let index = 0; index < warpCount; index++) {
      program.startWarp(index * warpSize, index, at);
      waiting.push(new Warp(index * warpSize, lanesOf(index), entry));
    }
    while (waiting.length > 0) {
      for (const warp of waiting) this.#run(warp);
      waiting = waiting.filter((warp) => !warp.done);
      for (const reduction of program.reductions) reduction.release();
    }
  }

  /** To the warp's end or its next barrier. */
  #run(warp: Warp): void {
    const { flow, program } = this;
    const { o, stack } = warp;
    const { running } = program;
    for (let top = stack.at(-1); top; top = stack[stack.length - 1]) {
      const { block, mask } = top;
      if (block === top.join) {
        stack.pop();
        continue;
      }
      if (warp.segment === 0) {
        this.#spend(block.cost);
        flow.executions[block.index]! += running.weight;
        flow.lanes[block.index]! += running.weight * (mask === -1 ? warpSize : popcount(mask));
      }
      const steps = block.segments[warp.segment];
      if (steps) for (let k = 0; k < steps.length; k++) steps[k]!(o, mask);
      if (warp.segment + 1 < block.segments.length) {
        warp.segment++;
        if (stack.length > 1 && stack[stack.length - 2]!.mask !== mask) this.divergentBarriers++;
        return;
      }
      warp.segment = 0;
      const { end } = block;
      if (end.kind === "jump") this.#take(top, end.edge, o, mask);
      else if (end.kind === "return") stack.pop();
      else {
        const taken = end.uniform ? (end.condition[o] === 0 ? 0 : mask) : lanesWhere(end.condition, o, mask);
        if (taken !== 0) flow.then[block.index]! += running.weight;
        if (taken !== mask) flow.else[block.index]! += running.weight;
        if (taken === mask) this.#take(top, end.then, o, mask);
        else if (taken === 0) this.#take(top, end.else, o, mask);
        else {
          flow.divergent[block.index]! += running.weight;
          this.#part(stack, top, end.then, end.else, o, taken);
        }
      }
    }
  }

  #take(top: StackEntry, edge: Edge, o: number, mask: number): void {
    const { moves } = edge;
    for (let k = 0; k < moves.length; k++) moves[k]!(o, mask);
    top.block = edge.to;
  }

  /** The lanes of `taken` go one way and the others the other; the entry they leave waits where they meet. */
  #part(stack: StackEntry[], top: StackEntry, then: Edge, otherwise: Edge, o: number, taken: number): void {
    const rest = top.mask & ~taken;
    const join = top.block.join ?? top.join;
    for (const move of then.moves) move(o, taken);
    for (const move of otherwise.moves) move(o, rest);
    if (top.block.join) top.block = top.block.join;
    else stack.pop();
    if (otherwise.to !== join) stack.push({ block: otherwise.to, join, mask: rest });
    if (then.to !== join) stack.push({ block: then.to, join, mask: taken });
  }

  #spend(cost: number): void {
    const budget = this.#budget;
    budget.steps -= cost;
    if (budget.steps < 0) throw new BudgetExceeded("the kernel runs longer than the simulation's step budget");
    if (budget.steps >= this.#nextQuestion) return;
    this.#nextQuestion = budget.steps - stepsBetweenQuestions;
    if (budget.isCancelled?.()) throw new Cancelled("cancelled");
  }
}

/** Lanes of `mask` whose condition holds. */
function lanesWhere(condition: Int32Array, o: number, mask: number): number {
  let bits = 0;
  for (let lane = 0; lane < warpSize; lane++) bits |= (condition[o + lane]! & 1) << lane;
  return bits & mask;
}
