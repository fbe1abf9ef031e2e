/** Occupancy over all values of one resource, the others as the launch has them: what the panel draws. */
import { type GpuModel, type LaunchReport, type OccupancyInput, occupancy } from "@warplens/sim-engine";
import type { OccupancySweep } from "./protocol.ts";

const registersFrom = 16;
/** Shared memory is drawn no finer. */
const sharedStep = 512;

/** Registers, shared memory and block size, in this order. */
export function occupancySweeps(report: LaunchReport, { values }: GpuModel): OccupancySweep[] {
  const { registersPerThread, staticSharedBytes } = report.resources;
  const input: OccupancyInput = {
    blockSize: report.block[0] * report.block[1] * report.block[2],
    registers: registersPerThread.value,
    staticShared: staticSharedBytes,
    dynamicShared: report.dynamicSharedBytes,
  };
  const shared = staticSharedBytes + report.dynamicSharedBytes;
  const sweep = (
    resource: OccupancySweep["resource"],
    now: number,
    all: readonly number[],
    at: (value: number) => OccupancyInput,
  ): OccupancySweep => {
    const steps: [number, number][] = [];
    for (const value of all) {
      const percent = occupancy(values, at(value)).occupancyPct;
      if (steps.at(-1)?.[1] !== percent) steps.push([value, percent]);
    }
    return { resource, now, to: all.at(-1) ?? now, steps };
  };
  return [
    sweep("registers", input.registers, every(registersFrom, values.maxRegistersPerThread), (registers) => ({ ...input, registers })),
    sweep("shared", shared, every(0, values.sharedPerBlockOptIn, sharedStep), (bytes) => ({
      ...input,
      staticShared: 0,
      dynamicShared: bytes,
    })),
    sweep("block", input.blockSize, every(32, values.maxThreadsPerBlock, 32), (blockSize) => ({ ...input, blockSize })),
  ];
}

const every = (from: number, to: number, step = 1): number[] =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
