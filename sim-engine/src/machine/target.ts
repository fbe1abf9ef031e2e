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
  /** The most registers a thread may have with all of an SM's warps resident, with one fewer a scheduler, and so on. */
  readonly registerSteps: readonly number[];
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
  registerSteps: registerSteps(residentThreads(computeCapability) / 32 / 4),
});

/** For `warps` on each scheduler down to two, whose 16,384 registers are allocated to warps in steps of 256. */
function registerSteps(warps: number): number[] {
  const steps: number[] = [];
  for (let resident = warps; resident > 1; resident--) {
    const registers = Math.min(255, Math.floor(16384 / resident / 256) * 8);
    if (registers !== steps.at(-1)) steps.push(registers);
  }
  return steps;
}

/** Threads an SM can hold (CUDA C++ Programming Guide, table of technical specifications per compute capability). */
function residentThreads(computeCapability: number): number {
  if (computeCapability === 75) return 1024;
  return [86, 87, 89, 110, 120, 121].includes(computeCapability) ? 1536 : 2048;
}
