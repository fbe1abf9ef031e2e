/**
 * The result of simulating one launch: version 1 of the public JSON report, less what only the source knows
 * (path, line of the launch). Every count is a launch total, extrapolated from the sampled blocks, with the
 * meaning Nsight Compute gives it. A figure that is not known is absent, never 0.
 */
import type { Assumption, Dim3 } from "../ir/kernel.ts";
import type { OccupancyAdviceReport } from "../occupancy/launch-advice.ts";
import type { WaitKind } from "../timing/stalls.ts";
import type { Reach } from "./reach.ts";
import type { Violation } from "./violation.ts";

export type { WaitKind };

export type Basis = "compiled" | "annotated" | "estimated";

/** Counters of one source line, and the time spent there. Sectors are 32 bytes; wavefronts are passes through the shared-memory banks. */
export interface LineCounters {
  instructions: number;
  threadInstructions: number;
  globalRequests: number;
  globalSectors: number;
  globalSectorsIdeal: number;
  sharedWavefronts: number;
  sharedWavefrontsIdeal: number;
  divergentBranches: number;
  /**
   * Of the time of all the launch's warps, what they spend at the line, 0 to 1: at its instructions, waiting or issuing, as a profiler's
   * samples tell it. Absent where the launch's time is not known.
   */
  timeShare?: number;
  /** The same by what they wait for; sums to `timeShare`. */
  waits?: Partial<Record<WaitKind, number>>;
}

/** What one memory instruction does, for rules, hovers and hints. One entry an access in the source (span), summed over its copies. */
export interface AccessReport {
  readonly file: number;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly space: "global" | "shared" | "local" | "constant" | "texture";
  readonly operation: "load" | "store" | "atomic" | "copy";
  /** Bytes one lane moves: 1 to 16. */
  readonly bytesPerLane: number;
  requests: number;
  /** Lanes active, summed over requests. */
  lanes: number;
  /** Global, local and texture: 32-byte sectors. Shared: wavefronts. Constant: distinct addresses. */
  transactions: number;
  ideal: number;
  /** The byte distance between neighbouring active lanes, when it is the same for nearly all of them. */
  readonly laneStride?: number;
  /** Which index makes neighbouring lanes `laneStride` apart. */
  readonly strideSource?: "threadIdx.x" | "threadIdx.y" | "threadIdx.z";
  /** The most lanes of one request that hit one address (atomics), or ways of the worst bank conflict (shared). */
  readonly worst?: number;
  /** The byte addresses of one request's lanes relative to the lowest: an example to show. */
  readonly example?: readonly number[];
  /** Where the lowest of them lies, modulo 128 bytes: in its line of sectors, or its row of banks. */
  readonly exampleAt?: number;
  /** Of the time of all the launch's warps, what they wait for this access, wherever they do, 0 to 1. */
  timeShare?: number;
}

export interface BranchReport {
  readonly file: number;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  executions: number;
  divergent: number;
  /** Lanes active on arrival, summed over executions. */
  lanes: number;
}

/**
 * A cost that a launch could be without: sectors, shared wavefronts or constant addresses beyond those that the lanes' bytes need;
 * atomics that meet; divisions by what only the launch says; a sum that a loop keeps in memory; what a loop loads again in each turn; arrays of a thread in local memory; loads
 * of factors for each product; lanes that a branch leaves idle, by the thread's place or by values; barriers of a reduction where a warp
 * could go on by itself; a sum that one thread of a block makes alone; rows that threads go along where few warps run; last warps of blocks that are not full; blocks that do not fit on an SM; a last wave of blocks for few of the SMs; blocks that are small, or few.
 */
export type CostKind =
  | "sectors"
  | "rows"
  | "wavefronts"
  | "addresses"
  | "meetings"
  | "division"
  | "kept in memory"
  | "loaded again"
  | "local array"
  | "factors"
  | "factors for tensor cores"
  | "idle lanes"
  | "idle lanes by values"
  | "loop of one thread"
  | "barriers of a reduction"
  | "partial warps"
  | "narrow accesses"
  | "occupancy"
  | "last wave"
  | "small blocks"
  | "few blocks"
  | "large blocks";

/** One cause of such a cost, and what the launch would take without it. */
export interface CostReport {
  readonly kind: CostKind;
  /** The buffer, array or parameter that it is about, where it is one. */
  readonly object?: string;
  /** Bytes of a thread, of an array in local memory. */
  readonly bytes?: number;
  /** Bytes that each lane takes in all, of accesses whose lanes are apart. */
  readonly perLane?: number;
  /** Lanes cannot share the turns of the loop: they follow from each other, or lanes are side by side in others of its accesses. */
  readonly held?: "order" | "others";
  /** Elements of the vectors that a thread could take at once, where it takes single ones. */
  readonly elements?: number;
  /** Where it stands in the source, the worst first. */
  readonly at: readonly { readonly file: number; readonly line: number; readonly start: number; readonly end: number }[];
  /** The nearest change that is without it, of what keeps blocks off an SM: "6 fewer registers a thread: 75 %". */
  readonly change?: { readonly resource: "registers" | "shared"; readonly words: string };
  /** Blocks that the SMs hold at once, where it is the last wave of blocks that costs. */
  readonly blocksAtOnce?: number;
  /** The launch that would be without it, where it is the launch that costs. */
  readonly launch?: { readonly grid: Dim3; readonly block: Dim3 };
  /** Nanoseconds of the launch without it: less than `time.ns`. */
  readonly ns: number;
  /** With other values in the place of those that nobody says it would not be there, as far as can be told. */
  readonly decided?: true;
}

export interface LoopReport {
  readonly file: number;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  /** Mean iterations a warp makes each time it enters. */
  readonly trips: number;
}

export interface CompiledBytes {
  readonly stackBytes: number;
  readonly spillStoreBytes: number;
  readonly spillLoadBytes: number;
  readonly staticSharedBytes: number;
  readonly constantBytes: number;
}

export interface Refusal {
  /** `opt-in`, `cluster`: that much dynamic shared memory, or clusters so large, have to be allowed by an attribute of the kernel first. */
  readonly of: "shared" | "registers" | "opt-in" | "cluster";
  /** Bytes of shared memory, or registers, of a block; blocks of a cluster. */
  readonly needs: number;
  readonly allowed: number;
}

/** `tensor`: products of floating-point numbers; `tensor-integer`: those of integers. */
export type ArithmeticKind = "fp64" | "fp32" | "fp16" | "tensor" | "tensor-integer";

/** Operations of a launch's threads of one kind, and what the GPU does at most, in 10^9 a second. */
export interface ArithmeticReport {
  readonly kind: ArithmeticKind;
  readonly operations: number;
  readonly peakGflops: number;
}

export interface LaunchReport {
  kernel: string;
  templateArguments: string[];
  grid: Dim3;
  block: Dim3;
  dynamicSharedBytes: number;
  /** Numbers that the kernel is given here, where the host launches it with others in the same configuration: strides tried in a loop. */
  given?: readonly { readonly name: string; readonly value: number }[];
  resources: {
    registersPerThread: { value: number; basis: Basis; interval?: readonly [low: number, high: number] };
    staticSharedBytes: number;
    localBytesPerThread: number;
    /** What the user's compiler says besides: bytes of local memory a thread, of shared and constant memory a block. */
    compiled?: CompiledBytes;
  };
  occupancy: {
    theoreticalPct: number;
    achievedPct?: number;
    blocksPerSm: number;
    activeWarpsPerSm: number;
    limiters: string[];
    wavesPerSm: number;
    advice?: OccupancyAdviceReport;
  };
  traffic: {
    globalLoadRequests: number;
    globalLoadSectors: number;
    globalStoreRequests: number;
    globalStoreSectors: number;
    l1HitPct?: number;
    l2HitPct?: number;
    l2ReadSectors?: number;
    l2WriteSectors?: number;
    dramReadBytes?: number;
    dramWriteBytes?: number;
    /** Over the link to the host's memory, where buffers lie there. */
    hostReadBytes?: number;
    hostWriteBytes?: number;
  };
  shared: { loadInstructions: number; storeInstructions: number; loadWavefronts: number; storeWavefronts: number };
  instructions: { warp: number; thread: number };
  /** Floating-point and tensor operations, most first; absent where none are done. */
  arithmetic?: ArithmeticReport[];
  time?: {
    ns: number;
    /** Within which the true time of four of five launches lies, ns; see docs/accuracy.md. */
    range: [lo: number, hi: number];
    cycles: number;
    boundBy: string;
    dramGBs: number;
    dramPctOfPeak: number;
    /** Bytes the threads asked for, over the time. */
    requestedGBs: number;
    /** Nanoseconds each resource would need alone, largest first. */
    parts: { readonly name: string; readonly ns: number }[];
  };
  /** By 1-based line of the kernel's own file. */
  lines: Record<string, LineCounters>;
  /** The same for lines of included files, by path. */
  otherLines: Record<string, Record<string, LineCounters>>;
  accesses: AccessReport[];
  branches: BranchReport[];
  loops: LoopReport[];
  /** What it could be without, and what that would bring; absent where its time is not known. */
  costs?: CostReport[];
  /** Of what is assumed: parameters, and contents as `assumptions` names them, that decide where it goes and what it touches. */
  assumed?: string[];
  assumptions: Assumption[];
  /** Why the GPU does not start it as it is: what a block needs, and what it may have; absent where it starts. */
  refused?: Refusal;
  /** What the kernel does wrong; absent where nothing was found. */
  violations?: Violation[];
  /** How far its indices come; absent where that was not looked at. */
  reach?: Reach;
  simulated: { blocks: number; of: number; ms: number; warpInstructions: number; exact: boolean };
}
