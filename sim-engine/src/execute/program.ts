/** A kernel made ready to run: what `compile` makes and a `Runner` runs. */
import type { Loop } from "../ir/graph.ts";
import type { Block, Kernel, Launch, Op } from "../ir/kernel.ts";
import type { Divergence } from "../passes/facts/divergence.ts";
import type { AccessCounter } from "./accesses.ts";
import type { Gate } from "./async.ts";
import type { Condition, LaneValue } from "./conditions.ts";
import type { BarrierReduction, Running } from "./effects.ts";
import type { Environment } from "./environment.ts";
import type { LoopEstimate } from "./estimate.ts";
import type { MatchRounds } from "./lanes.ts";
import type { Patterns } from "./patterns.ts";
import type { Provenance } from "./provenance.ts";
import type { Registers, Slot, Step } from "./registers.ts";
import type { Slice } from "./slice.ts";

/** Lanes of a warp. */
export const warpSize = 32;
export interface Edge {
  readonly to: CompiledBlock;
  /** The edge goes back to its target, the header of a loop that both ends are in. */
  readonly back: boolean;
  /** Set the target's phis, for the lanes that go this way. */
  moves: readonly Step[];
}

export type CompiledEnd =
  | { readonly kind: "jump"; readonly edge: Edge }
  | {
      readonly kind: "branch";
      readonly taken: Condition;
      readonly then: Edge;
      readonly else: Edge;
      /** Where a loop ends that waits for what others write: when it really does. `taken` leaves it after one look. */
      readonly wait: Condition | undefined;
    }
  | { readonly kind: "return" };

export interface CompiledBlock {
  readonly block: Block;
  /** Position in `Program.blocks` and in the counters. */
  readonly index: number;
  /** Between two segments the warp waits: at a barrier for the others, or for a gate to open. */
  segments: readonly (readonly Step[])[];
  /** Behind each segment but the last: the gate, if it is one that is waited for. */
  gates: readonly (Gate | undefined)[];
  /** Behind each segment but the last: the barrier of the block, where it is one that is waited at. */
  barriers: readonly (Op | undefined)[];
  end: CompiledEnd;
  /** Where lanes that part at this block's branch meet again; undefined where they only return. */
  join: CompiledBlock | undefined;
  /** Steps, to count against the budget. */
  cost: number;
  /** On a loop header: the loop tries to take a lock. */
  isLock: boolean;
  /** On the header of a loop that made-up data alone ends: where it is left. */
  search: LoopSearch | undefined;
  /** On a loop header: how its iterations may be skipped. */
  skip: LoopSkip | undefined;
  /** On a loop header: how its turns may be estimated. */
  estimate: LoopEstimate | undefined;
  /** The estimated loops it is in. */
  within: readonly LoopEstimate[];
  /** Within such a loop: the outcomes by which one iteration is known to go like another. */
  watches: readonly Condition[];
  /** Comparisons whose outcomes are counted, to tell where in the grid they change. */
  outcomes: readonly { readonly index: number; readonly isBelow: Condition }[];
}

/** A look at a clock: each sees it further on. */
export interface Clock {
  /** What a warp saw last, in the place of its first lane. */
  readonly time: Extract<Slot, { kind: "double" }>;
  /** Cycles from one look to the next. */
  readonly interval: number;
}

export interface Program {
  readonly kernel: Kernel;
  readonly launch: Launch;
  readonly environment: Environment;
  readonly blocks: readonly CompiledBlock[];
  readonly counters: ReadonlyMap<Op, readonly AccessCounter[]>;
  readonly clocks: ReadonlyMap<Op, Clock>;
  /** Of matches whose values are computed. */
  readonly matches: ReadonlyMap<Op, MatchRounds>;
  readonly divergence: Divergence;
  readonly patterns: Patterns;
  readonly slice: Slice;
  readonly registers: Registers;
  readonly running: Running;
  readonly reductions: readonly BarrierReduction[];
  readonly loops: readonly Loop[];
  readonly provenance: Provenance;
  /** A loop that waits for what others write was left after one look. */
  readonly leavesWaits: boolean;
  /** A warp may have to wait for others: all of a block's warps have registers at the same time. */
  readonly waits: boolean;
  /** Shared memory holds values that matter, so each block must find it cleared. */
  readonly actsOnMemory: boolean;
  /** Lanes in which the first operand of an operation that compares is below the second. */
  readonly isBelow: (op: Op) => Condition;
  /** How far the first operand of an operation that compares is above the second. */
  readonly difference: (op: Op) => LaneValue;
  /** Sets the values that differ by warp and block, for the warp whose registers begin at `o`. */
  readonly startWarp: (o: number, warp: number, block: readonly [number, number, number]) => void;
}

/** A loop that data ends. */
export interface LoopSearch {
  readonly exit: Edge;
  /** Turns after which it is left if nothing ends it before; none where data is known to. */
  readonly most: number;
  /** What it waits for is known not to come about: it ran until all steps were spent. */
  readonly isEndless: boolean;
  /** Turns so far, by warp. */
  readonly turns: number[];
  /** The most turns of a warp. */
  longest: number;
  /** It was left so. */
  isLeft: boolean;
}

/** What is needed to skip iterations of one loop. */
export interface LoopSkip {
  /** Iterations after which alignment, remainders and the like come round: the window's length. */
  readonly window: number;
  /** Values that advance by the same amount in each window: the header's phis that are needed, and what clocks show. */
  readonly values: readonly SteadyValue[];
  readonly blocks: ReadonlySet<CompiledBlock>;
  /** Memory operations of the loop. */
  readonly counters: readonly AccessCounter[];
  /** How the running warp stands in the loop. */
  readonly state: SkipState;
}

export interface SteadyValue {
  readonly slot: Slot;
  /** All lanes have the same, in the first lane's place. */
  readonly uniform: boolean;
  /** It is back where it was after a window, or the window is none. */
  readonly goesRound?: boolean;
}

export interface SkipState {
  /** Iterations begun since the loop was entered. */
  iterations: number;
  /** Iteration at which to open the next window. */
  next: number;
  /** The open window: where it began and the way it went. */
  window: OpenWindow | undefined;
  /** Entries of the warp's record when the loop was entered. */
  recordStart: number;
  /** Windows that were skipped the last time: the next warp is likely to skip as many. */
  likely: number;
}

export interface OpenWindow {
  readonly end: number;
  /** Entries of the warp's record when it was opened. */
  readonly recordStart: number;
  readonly mask: number;
  readonly values: readonly Float64Array[];
  readonly counts: readonly Float64Array[];
  readonly flow: readonly Float64Array[];
  readonly path: number[];
  readonly pathStart: number;
}
