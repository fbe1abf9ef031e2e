/** What a GPU takes of each value of a launch, said before anything is made of it. */
import type { GpuModel, LaunchReport } from "@warplens/sim-engine";
import { formatCapacity, formatDim, shortGpuName } from "../units.ts";
import type { Imagined, KnobName, Overrides } from "./question.ts";

type Refused = Required<Pick<Imagined, "reason" | "of">>;

const count = (value: number): string => value.toLocaleString("en-US");

/** The first value that the GPU does not take, and what it does take. */
export function refusedValue({ block, grid, shared, registers, parameters }: Overrides, { name, values }: GpuModel): Refused | undefined {
  const refuse = (of: KnobName, what: string, allowed: string): Refused => ({
    of,
    reason: `${what}: the ${shortGpuName(name)} allows ${allowed}`,
  });
  const whole = (sides: readonly number[]): boolean => sides.every((side) => Number.isSafeInteger(side) && side > 0);
  if (block) {
    const threads = block[0] * block[1] * block[2];
    if (!whole(block)) return { of: "block", reason: "whole numbers from 1 on" };
    if (threads > values.maxThreadsPerBlock) return refuse("block", `${count(threads)} threads a block`, count(values.maxThreadsPerBlock));
    const most = [values.maxBlockXY, values.maxBlockXY, values.maxBlockZ] as const;
    if (block.some((side, axis) => side > (most[axis] ?? 1))) return refuse("block", `a block of ${formatDim(block)}`, formatDim(most));
  }
  if (grid) {
    if (!whole(grid)) return { of: "grid", reason: "whole numbers from 1 on" };
    const most = [values.maxGridX, values.maxGridYZ, values.maxGridYZ] as const;
    if (grid.some((side, axis) => side > (most[axis] ?? 1)))
      return refuse("grid", `a grid of ${formatDim(grid)} blocks`, most.map(count).join(" × "));
  }
  if (shared !== undefined) {
    if (!Number.isSafeInteger(shared) || shared < 0) return { of: "shared", reason: "whole bytes from 0 on" };
    if (shared > values.sharedPerBlockOptIn)
      return refuse("shared", `${formatCapacity(shared)} a block`, formatCapacity(values.sharedPerBlockOptIn));
  }
  if (registers !== undefined) {
    if (!Number.isSafeInteger(registers) || registers < 1) return { of: "registers", reason: "whole numbers from 1 on" };
    if (registers > values.maxRegistersPerThread)
      return refuse("registers", `${count(registers)} registers a thread`, count(values.maxRegistersPerThread));
  }
  const [strange] = Object.entries(parameters ?? {}).filter(([, value]) => !Number.isFinite(value));
  return strange && { of: { parameter: strange[0] }, reason: "a number" };
}

/** What a block needs more of than the GPU has: it would not start. */
export function refusedBlock({ refused }: LaunchReport, { name }: GpuModel): Refused | undefined {
  // That much has to be allowed by an attribute first, which host code can do.
  if (!refused || refused.of === "opt-in" || refused.of === "cluster") return undefined;
  const show = refused.of === "shared" ? formatCapacity : count;
  const what = refused.of === "shared" ? `${show(refused.needs)} of shared memory a block` : `${show(refused.needs)} registers a block`;
  return { of: refused.of, reason: `${what}: the ${shortGpuName(name)} allows ${show(refused.allowed)}` };
}
