/** What differs between architectures in the code ptxas writes. */
export interface Target {
  /** 90 for 9.0. */
  readonly computeCapability: number;
  /** Arithmetic takes operands straight from the constant bank; else they are loaded first (from 9.0). */
  readonly constantOperands: boolean;
  /** Shared addresses begin at a base that depends on the block's rank in its cluster (from 9.0). */
  readonly clusterShared: boolean;
  /** There is a uniform datapath (from 7.5). */
  readonly uniform: boolean;
  /** Global addresses go with a descriptor in a uniform register (from 8.0). */
  readonly descriptors: boolean;
  /** Shared addresses may scale an index by the access size for free (7.x, 8.x). */
  readonly scaledShared: boolean;
  /** One instruction adds and takes a minimum (from 9.0). */
  readonly addMinimum: boolean;
  /** A reduction of a warp's integers in one instruction (from 8.0). */
  readonly warpReduce: boolean;
  /** The registers a thread may have with all of an SM's threads resident: ptxas holds loads back rather than exceed them. */
  readonly comfortableRegisters: number;
}

export const targetOf = (computeCapability: number): Target => ({
  computeCapability,
  constantOperands: computeCapability < 90,
  clusterShared: computeCapability >= 90,
  uniform: computeCapability >= 75,
  descriptors: computeCapability >= 80,
  scaledShared: computeCapability >= 70 && computeCapability < 90,
  addMinimum: computeCapability >= 90,
  warpReduce: computeCapability >= 80,
  comfortableRegisters: Math.floor(65536 / residentThreads(computeCapability) / 8) * 8,
});

/** Threads an SM can hold (CUDA C++ Programming Guide, table of technical specifications per compute capability). */
function residentThreads(computeCapability: number): number {
  if (computeCapability === 75) return 1024;
  return [86, 87, 89, 110, 120, 121].includes(computeCapability) ? 1536 : 2048;
}
