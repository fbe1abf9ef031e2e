/** From when on a finding of performance is told. */
import type { Finding, RuleOption } from "./rule.ts";

/** Share of a launch's time in percent, where no setting says another, and nanoseconds. */
export const leastGainPercent = 5;
export const leastGainNs = 500;

/**
 * The share, in percent, where what the launch is given is assumed: times of sizes that nobody says mean little, and a small share of them
 * nothing; a large one is there at other sizes, too.
 */
export const leastAssumedGainPercent = 25;

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
}

/** What it comes to is not known, or enough to be told of. */
export function isWorthIt({ gain, assumed }: Pick<Finding, "gain" | "assumed">, { minGain, minAssumedGain, minTime }: LeastGain): boolean {
  if (gain === undefined) return true;
  const saved = gain.ns - gain.without;
  return saved >= 1000 * minTime && saved >= ((assumed ? minAssumedGain : minGain) / 100) * gain.ns;
}
