/** What differs between architectures in the code ptxas writes. */
import { findCapability, type GpuValues, reference } from "../gpus/model.ts";

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
  /** One instruction adds and takes a minimum, or takes that of three (9.0 to 10.x; as nvcc 13 compiles, not 12.0). */
  readonly addMinimum: boolean;
  /** Sums and moves go to the multiplier where the other pipe has more to do (as nvcc 13 compiles for 7.5 to 9.0, the same for each; not for 12.0). */
  readonly balances: boolean;
  /** Extremes of halves and arithmetic of bfloats come in pairs, too (from 8.0). */
  readonly pairsAllHalves: boolean;
  /** Two floats are rounded into one word by one instruction (from 8.0, as nvcc 13 compiles). */
  readonly roundsPairs: boolean;
  /** Arithmetic on halves goes to two pipes by turns (8.0 and 9.0, as nvcc 13 compiles). */
  readonly sharesHalves: boolean;
  /** A reduction of a warp's integers in one instruction (from 8.0). */
  readonly warpReduce: boolean;
  /** Of an SM and its blocks. */
  readonly limits: GpuValues;
  /** The most registers a thread may have with all of an SM's warps resident, with one fewer a partition of the register file, and so on. */
  readonly registerSteps: readonly number[];
}

export const targetOf = (computeCapability: number): Target => {
  const limits = limitsOf(computeCapability);
  return {
    computeCapability,
    constantOperands: computeCapability < 90,
    clusterShared: computeCapability >= 90,
    uniform: computeCapability >= 75,
    descriptors: computeCapability >= 80,
    scaledShared: computeCapability >= 70 && computeCapability < 90,
    addMinimum: computeCapability >= 90 && computeCapability < 120,
    balances: computeCapability >= 75 && computeCapability < 120,
    pairsAllHalves: computeCapability >= 80,
    roundsPairs: computeCapability >= 80,
    sharesHalves: computeCapability === 80 || computeCapability === 90,
    warpReduce: computeCapability >= 80,
    limits,
    registerSteps: registerSteps(limits),
  };
};

/** Lanes of a warp. */
export const warpSize = 32;

/** The limits of the capability; of one nobody describes, those of the GPU whose behaviour others are assumed to share. */
function limitsOf(computeCapability: number): GpuValues {
  const name = `${Math.floor(computeCapability / 10)}.${computeCapability % 10}`;
  return findCapability(name)?.values ?? reference.values;
}

/** For an SM's warps down to two on each partition of its register file, which is given to warps in units. */
function registerSteps(limits: GpuValues): number[] {
  const { maxThreadsPerSm, registersPerSm, registerPartitions, registerUnitPerWarp, maxRegistersPerThread } = limits;
  const steps: number[] = [];
  for (let resident = maxThreadsPerSm / warpSize / registerPartitions; resident > 1; resident--) {
    const units = Math.floor(registersPerSm / registerPartitions / resident / registerUnitPerWarp);
    const registers = Math.min(maxRegistersPerThread, units * (registerUnitPerWarp / warpSize));
    if (registers !== steps.at(-1)) steps.push(registers);
  }
  return steps;
}
