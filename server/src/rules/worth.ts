/** From when on a finding of performance is told. */
import type { Finding } from "./rule.ts";

/** Share of a launch's time in percent, where no setting says another, and nanoseconds. */
export const leastGainPercent = 5;
export const leastGainNs = 500;

/** What it comes to is not known, or enough to be told of. */
export const isWorthIt = ({ gain }: Finding, percent = leastGainPercent): boolean =>
  gain === undefined || (gain.ns - gain.without >= leastGainNs && gain.ns - gain.without >= (percent / 100) * gain.ns);
