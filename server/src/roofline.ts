/** Where a launch stands under its GPU's ceilings: operations a second by operations for each byte that is moved. */
import type { ArithmeticKind, LaunchReport } from "@warplens/sim-engine";

export interface RooflinePoint {
  /** 10^9 operations a second. */
  readonly gflops: number;
  /** Operations for each byte to and from memory, and to and from the L2; absent where none is moved, or it is not known. */
  readonly perDramByte?: number;
  readonly perL2Byte?: number;
}

const sectorBytes = 32;

/** Names as people say them. */
export const arithmeticNames: Readonly<Record<ArithmeticKind, string>> = {
  fp64: "FP64",
  fp32: "FP32",
  fp16: "FP16",
  tensor: "tensor cores",
  "tensor-integer": "tensor cores (integers)",
};

/** Undefined of a launch that computes no floating-point numbers, or whose time is not known. */
export function rooflinePoint({
  time,
  traffic,
  arithmetic = [],
}: Pick<LaunchReport, "time" | "traffic" | "arithmetic">): RooflinePoint | undefined {
  const operations = arithmetic.reduce((sum, each) => sum + each.operations, 0);
  if (!time || operations === 0) return undefined;
  const per = (...bytes: readonly (number | undefined)[]): number | undefined => {
    const all = bytes.reduce((sum: number | undefined, each) => (sum === undefined || each === undefined ? undefined : sum + each), 0);
    return all ? operations / all : undefined;
  };
  const dram = per(traffic.dramReadBytes, traffic.dramWriteBytes);
  const l2 = per(scaled(traffic.l2ReadSectors), scaled(traffic.l2WriteSectors));
  return {
    gflops: operations / time.ns,
    ...(dram === undefined ? {} : { perDramByte: dram }),
    ...(l2 === undefined ? {} : { perL2Byte: l2 }),
  };
}

const scaled = (sectors: number | undefined): number | undefined => sectors && sectors * sectorBytes;
