/**
 * What execution tells the timing about one launch. The timing replays the sampled warps' instruction streams on a model of one
 * SM, so it needs, apart from totals: the machine code, which of its blocks each sampled warp ran in which order, and what each
 * memory instruction cost. Nothing here is a time.
 */
import type { TrafficEstimate } from "../cache/traffic.ts";
import type { Dim3 } from "../ir/kernel.ts";
import type { Pipe, ProductTime } from "../machine/machine.ts";
import type { LatencyFigure } from "../machine/opcodes.ts";
import type { MemorySite } from "../memory/site.ts";
import type { DeviceCall } from "./device-calls.ts";

/** Work of the copy engine, and what mbarriers are told and asked. */
export type AsyncKind = "bulk" | "bulk commit" | "bulk wait" | "arrive" | "await";

/** A machine instruction, as far as time goes. Registers are numbered densely from 0. */
export interface TimedInstruction {
  readonly pipe: Pipe;
  /** Cycles from issue until an instruction that reads a result may issue, as `latencyOn` takes them; of memory instructions ignored. */
  readonly latency: number;
  /** What says how fast such instructions are on one GPU or another; absent: they take as long on all. */
  readonly latencyFigure?: LatencyFigure | undefined;
  readonly uses: readonly number[];
  readonly defs: readonly number[];
  /** Of its operands, the predicates it runs under, in a branch's stead. */
  readonly guards?: readonly number[] | undefined;
  /** How often the pipe's time for one instruction it takes; absent: once. */
  readonly work?: number | undefined;
  /** How often that of the integer pipe besides; absent: not at all. */
  readonly integerWork?: number | undefined;
  /** Registers that it reads from the register file, without those that are kept from the instruction before; absent: none. */
  readonly operands?: number | undefined;
  /**
   * `memory` has a `site`; `shuffle` goes through the shared-memory data path; `commit` and `wait` are those of asynchronous copies,
   * `bulk commit` and `bulk wait` of the copy engine's. `constant` loads a constant at a fixed place, which has no
   * `site`; a `wide product` is one of integers with 64 bits. `bulk` is a copy by the copy engine, `arrive` and `await` are at an mbarrier:
   * they have a `site`, too. `product` and `product wait` are of a warp group's products, a `product` with what it reads as its `site`.
   */
  readonly kind:
    | "compute"
    | "memory"
    | "shuffle"
    | "constant"
    | "wide product"
    | "barrier"
    | "branch"
    | "call"
    | "commit"
    | "wait"
    | "product"
    | "product wait"
    | AsyncKind;
  readonly product?: ProductTime | undefined;
  /** Of a match: what it goes round for, on average. */
  readonly rounds?: number | undefined;
  readonly call?: DeviceCall | undefined;
  /** Of waits for groups: so many of the last groups committed may be under way still. */
  readonly pending?: number | undefined;
  /** Of a barrier: all blocks of the launch come to it. */
  readonly grid?: boolean | undefined;
  /** Of an `arrive`: the warp's asynchronous copies so far do, once they are there. */
  readonly copies?: boolean | undefined;
  /** Of a `bulk wait`: it is enough that shared memory has been read. */
  readonly reads?: boolean | undefined;
  /** Index into `ExecutionSummary.sites`. */
  readonly site?: number | undefined;
}

/** Entries `from` to `to` (excluded) of a trace stand for going through them `times` times, which need not be whole. */
export interface Repeat {
  readonly from: number;
  readonly to: number;
  readonly times: number;
}

/**
 * What one sampled warp ran. A loop whose iterations were not all executed is told by weight: `weights[i]` is how many
 * executions the i-th entry of `blocks` stands for (1 where absent).
 */
export interface WarpTrace {
  /** Indices into `ExecutionSummary.code`, in the order the warp issued them (both sides of a divergent branch one after the other). */
  readonly blocks: Uint32Array;
  readonly weights?: Float32Array;
  /** The loops those weights come from. */
  readonly repeats?: readonly Repeat[];
  /**
   * What the entries' memory instructions did, three numbers each: the site; cycles of the L1's data stage (global and local: the
   * larger of data and tag passes; shared: wavefronts; constant: distinct addresses); and what it moves (global and local: 32-byte
   * sectors; shared atomics: the most lanes on one address; constant: how often the caches do not hold it, by `packMisses`; else 0). Of bulk copies and at mbarriers the second is the phase's number
   * in the block, and a site stands there as often as it moves or meets something. Entry i of `blocks` has those from `accessStart[i]` to
   * `accessStart[i + 1]` (in accesses, not numbers), in any order; a site that is missing had no lane active.
   */
  readonly accesses: Uint16Array;
  readonly accessStart: Uint32Array;
}

/** One sampled block and how many blocks of the grid it stands for (itself included; the weights sum to the grid). */
export interface BlockTrace {
  /** Linear block index, x fastest. */
  readonly index: number;
  readonly weight: number;
  readonly warps: readonly WarpTrace[];
}

/** What lasts longest; `isCertain` where it is a whole block, and all others are known to do less. */
export interface LongestTrace extends BlockTrace {
  readonly isCertain: boolean;
}

export interface ExecutionSummary {
  readonly grid: Dim3;
  readonly block: Dim3;
  /** Blocks resident on an SM: theoretical occupancy's. */
  readonly blocksPerSm: number;
  /** Machine code: one list of instructions for each block, what is issued each time a warp runs it. */
  readonly code: readonly (readonly TimedInstruction[])[];
  /** One more than the highest register number. */
  readonly registers: number;
  readonly sites: readonly MemorySite[];
  readonly blocks: readonly BlockTrace[];
  /**
   * What each block of the grid issues, x fastest, where that is known, and whether it was drawn at random: how they differ decides how
   * evenly SMs are kept busy.
   */
  readonly costs?: { readonly issued: ArrayLike<number>; readonly areDrawn: boolean } | undefined;
  /** The block whose warps, or the one of them that is told of, do most of all; absent where blocks that were run tell that. */
  readonly longest?: LongestTrace | undefined;
  /** Launch totals that bounds are computed from. */
  readonly totals: {
    readonly warpInstructions: number;
    /** Bytes the threads asked for in global memory. */
    readonly requestedBytes: number;
    /**
     * Passes of atomic requests to global memory at the busiest slice of the L2, one after the other (`observe/atomic-regions.ts`): a pass a
     * sector for each lane on its busiest word; more where the slice waits for warps that are in step. Absent without global atomics.
     */
    readonly hottestAtomics?: number;
    /** Passes of all slices together that they take as long as (`AtomicRegions.passes`): no fewer than sectors. */
    readonly atomicPasses?: number;
  };
  readonly traffic: TrafficEstimate;
  /** Tensor cores multiply numbers of 32 bits and fewer: SMs have another clock then. */
  readonly tensorClocked?: boolean;
}
