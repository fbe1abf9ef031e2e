/** What would change the occupancy of a simulated launch, and whether that would make it any faster. */
import type { GpuValues } from "../gpus/figures.ts";
import { adviseOccupancy, type Cliff } from "./advice.ts";
import { type OccupancyInput, occupancy } from "./occupancy.ts";

/** A resource that is busy for this share of the time is saturated: more warps only wait for it longer. */
const saturated = 0.8;
/** Below this share of the warps that fit, something else keeps warps away. */
const mostAchieved = 0.7;

const names: Readonly<Record<string, string>> = {
  dram: "DRAM",
  "host-link": "the link to the host",
  l2: "the L2",
  "l2-port": "the SMs' way to the L2",
  l1: "the L1",
  shared: "shared memory",
  issue: "instruction issue",
};

/** How a launch turned out, as far as advice depends on it. */
interface Outcome {
  readonly time?: {
    readonly ns: number;
    readonly boundBy: string;
    readonly parts: readonly { readonly name: string; readonly ns: number }[];
  };
  readonly occupancy: {
    readonly theoreticalPct: number;
    readonly achievedPct?: number;
    readonly blocksPerSm: number;
    readonly wavesPerSm: number;
  };
}

/** What would change a launch's occupancy. */
export interface OccupancyAdviceReport {
  /** The smallest change that gives more, in words. Absent where nothing does or it would not help. */
  readonly nextStep?: string;
  /** Why more occupancy would not help, where some change would give more. */
  readonly withheld?: string;
  /** The nearest changes that give more warps, and those that cost some. */
  readonly gains: readonly Cliff[];
  readonly losses: readonly Cliff[];
  /** Block sizes with the highest occupancy, the largest first; the first is what cudaOccupancyMaxPotentialBlockSize gives. */
  readonly bestBlockSizes: readonly number[];
  readonly bestOccupancyPct: number;
  /** Where occupancy differs within the interval that the registers may lie in: at its ends. */
  readonly registerInterval?: {
    readonly registers: readonly [low: number, high: number];
    readonly occupancyPct: readonly [atLow: number, atHigh: number];
  };
}

/** Why more warps would not help; undefined where they may. */
function whyNot({ time, occupancy: { theoreticalPct, achievedPct, blocksPerSm, wavesPerSm } }: Outcome): string | undefined {
  if (blocksPerSm === 0) return undefined;
  if (wavesPerSm <= 1) return "all blocks of the grid are resident at once already";
  if (time?.boundBy === "launch-overhead") return "most of the time is the launch itself";
  if (time?.boundBy === "block-launch") return "blocks do not start fast enough to fill the SMs";
  const busy = time?.parts.find(({ name }) => name === time.boundBy);
  if (time && busy && busy.ns >= saturated * time.ns)
    return `${names[busy.name] ?? `the ${busy.name} pipe`} is busy ${Math.min(100, Math.round((100 * busy.ns) / time.ns))} % of the time already`;
  if (achievedPct !== undefined && achievedPct < mostAchieved * theoreticalPct)
    return `only ${Math.round(achievedPct)} % of the ${Math.round(theoreticalPct)} % are reached: resources are not what keeps warps away`;
  return undefined;
}

/** Advice on a launch that uses `input` and turned out as `outcome` says. */
export function adviseLaunch(
  gpu: GpuValues,
  input: OccupancyInput,
  outcome: Outcome,
  interval?: readonly [low: number, high: number],
): OccupancyAdviceReport {
  const { gains, losses, best, nextStep } = adviseOccupancy(gpu, input);
  const withheld = nextStep === undefined ? undefined : whyNot(outcome);
  const [at = 0, other = 0] = (interval ?? []).map((registers) => occupancy(gpu, { ...input, registers }).occupancyPct);
  return {
    ...(withheld === undefined ? (nextStep === undefined ? {} : { nextStep }) : { withheld }),
    gains,
    losses,
    bestBlockSizes: best.map(({ blockSize }) => blockSize),
    bestOccupancyPct: best[0]?.occupancyPct ?? 0,
    ...(interval && at !== other ? { registerInterval: { registers: interval, occupancyPct: [at, other] } } : {}),
  };
}
