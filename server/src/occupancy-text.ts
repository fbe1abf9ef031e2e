/** A launch's occupancy advice in words, the same in hover, panel and command line. */
import type { LaunchReport } from "@warplens/sim-engine";
import { formatCapacity, formatPercent } from "./units.ts";

type Advice = NonNullable<LaunchReport["occupancy"]["advice"]>;
type Resource = Advice["gains"][number]["resource"];

/** What a launch uses of one resource, and where occupancy changes on either side of it. */
export interface ResourceChanges {
  readonly resource: Resource;
  readonly name: string;
  readonly now: string;
  /** `up to 32: 100 %` */
  readonly below?: string;
  /** `over 48: 50 %` */
  readonly above?: string;
}

/** Registers, shared memory and block size of a launch. */
export function resourceChanges({ occupancy, resources, block, dynamicSharedBytes }: LaunchReport): ResourceChanges[] {
  const cliffs = [...(occupancy.advice?.gains ?? []), ...(occupancy.advice?.losses ?? [])];
  const at = (resource: Resource, name: string, now: string, value: (number: number) => string): ResourceChanges => {
    const own = cliffs.filter((cliff) => cliff.resource === resource).sort((a, b) => a.change - b.change);
    const below = own.findLast(({ change }) => change < 0);
    const above = own.find(({ change }) => change > 0);
    const blocks = resource === "block";
    return {
      resource,
      name,
      now,
      ...(below ? { below: `${blocks ? "" : "up to "}${value(below.value)}: ${formatPercent(below.occupancyPct)}` } : {}),
      ...(above
        ? { above: `${blocks ? value(above.value) : `over ${value(above.value - 1)}`}: ${formatPercent(above.occupancyPct)}` }
        : {}),
    };
  };
  const shared = resources.staticSharedBytes + dynamicSharedBytes;
  const threads = block[0] * block[1] * block[2];
  return [
    at("registers", "Registers", String(resources.registersPerThread.value), String),
    at("shared", "Shared memory", formatCapacity(shared), formatCapacity),
    at("block", "Block size", String(threads), String),
  ];
}

/** The next step, or why there is none to take; undefined at full occupancy. */
export function nextStepText({ nextStep, withheld }: Advice): string | undefined {
  return nextStep ?? (withheld === undefined ? undefined : `More would not help: ${withheld}`);
}

/** `53 to 77 registers: 50 to 38 %` of an estimate; undefined where occupancy is the same throughout. */
export function intervalText({ registerInterval }: Advice): string | undefined {
  if (!registerInterval) return undefined;
  const { registers, occupancyPct } = registerInterval;
  return `${registers.join(" to ")} registers: ${Math.round(occupancyPct[0])} to ${formatPercent(occupancyPct[1])}`;
}

/** `1024, 512, 256` of the block sizes that give the most; undefined where the launch's is one of them. */
export function bestBlocksText({ bestBlockSizes, bestOccupancyPct }: Advice, theoreticalPct: number): string | undefined {
  if (bestOccupancyPct <= theoreticalPct || bestBlockSizes.length === 0) return undefined;
  const shown = bestBlockSizes.slice(0, 4).join(", ");
  return `${shown}${bestBlockSizes.length > 4 ? ", …" : ""}: ${formatPercent(bestOccupancyPct)}`;
}

/** `16 bytes stored, 24 loaded` of a compiled kernel that spills registers; undefined where none does or nobody compiled it. */
export function spillText({ compiled }: LaunchReport["resources"]): string | undefined {
  if (!compiled || compiled.spillStoreBytes + compiled.spillLoadBytes === 0) return undefined;
  return `${compiled.spillStoreBytes} bytes stored, ${compiled.spillLoadBytes} loaded`;
}
