/** From when on a finding of performance is told. */
import type { Finding, RuleOption, SimulatedLaunch } from "./rule.ts";

/** Share of a launch's time in percent, where no setting says another, and nanoseconds. */
export const leastGainPercent = 5;
export const leastGainNs = 500;

/**
 * The share, in percent, where what the launch is given is assumed: times of sizes that nobody says mean little, and a small share of them
 * nothing; a large one is there at other sizes, too.
 */
export const leastAssumedGainPercent = 25;

/** Of so many assumed values and more nobody would say that they come together as assumed: only what dwarfs the rest is told, in percent. */
const manyAssumed = 7;
const leastGainOfManyPercent = 75;

/**
 * Nanoseconds below which a gain has to be its share of all that the program launches, too: less than what a launch itself takes, it is lost in a
 * program that does more. So it is of the edges of a grid, and of what is set up.
 */
const passingNs = 1500;

/** Longer than any launch that is simulated, in microseconds. */
export const longestTime = 1e9;

/** What every rule whose findings tell what they cost can be set by. */
export const gainOptions = {
  minGain: {
    unit: "percent",
    default: leastGainPercent,
    most: 100,
    says: "The share of the launch's time that a finding has to cost. It goes before `leastGain`, which holds for all rules.",
  },
  minTime: { unit: "µs", default: leastGainNs / 1000, most: longestTime, says: "The time of the launch that a finding has to cost." },
} as const satisfies Readonly<Record<string, RuleOption>>;

export interface LeastGain {
  /** Share of the launch's time, in percent. */
  readonly minGain: number;
  /** The share where what the launch is given is assumed. */
  readonly minAssumedGain: number;
  /** Microseconds. */
  readonly minTime: number;
  /** Nanoseconds of the launches of the program that is looked at, each as often as it is made. */
  readonly programNs?: number;
}

/** What launches that the program is known to make take in all: nobody knows how often others are, if at all. */
export const programTime = (launches: readonly SimulatedLaunch[]): number =>
  launches.reduce(
    (sum, { fact, report }) => sum + (fact.configuration.length > 0 ? 0 : (report.time?.ns ?? 0) * (fact.executions ?? 1)),
    0,
  );

/** What it comes to is not known, or enough to be told of. */
export function isWorthIt(
  { gain, assumed }: Pick<Finding, "gain" | "assumed">,
  { minGain, minAssumedGain, minTime, programNs = 0 }: LeastGain,
): boolean {
  if (gain === undefined) return true;
  const saved = gain.ns - gain.without;
  const isMade = assumed !== undefined && assumed.length >= manyAssumed && minAssumedGain >= leastAssumedGainPercent;
  const least = !assumed ? minGain : isMade ? Math.max(minAssumedGain, leastGainOfManyPercent) : minAssumedGain;
  if (saved < passingNs && (gain.ofProgram ?? saved) < (Math.min(minGain, leastGainPercent) / 100) * programNs) return false;
  return saved >= 1000 * minTime && saved >= (least / 100) * gain.ns;
}
