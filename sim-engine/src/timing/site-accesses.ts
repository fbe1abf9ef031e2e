/** What an entry of a warp's trace does at each site; the format is that of `WarpTrace.accesses`. */
import type { WarpTrace } from "./summary.ts";

/** Cycles of the L1's data stage, and sectors or whatever else the site counts (`WarpTrace.accesses`). */
export interface SiteAccess {
  readonly cycles: number;
  readonly amount: number;
}

/** What the entry does at a site first; undefined where no lane was active there. */
export function accessOf({ accesses, accessStart }: WarpTrace, entry: number, site: number): SiteAccess | undefined {
  const end = accessStart[entry + 1]! * 3;
  for (let at = accessStart[entry]! * 3; at < end; at += 3)
    if (accesses[at] === site) return { cycles: accesses[at + 1]!, amount: accesses[at + 2]! };
  return undefined;
}

export type PhaseAmount = readonly [phase: number, amount: number];

/** Phases, and what is moved, that the entry has at a site of copies or barriers: each lane may have its own. */
export function phasesMet({ accesses, accessStart }: WarpTrace, entry: number, site: number): readonly PhaseAmount[] {
  const found: PhaseAmount[] = [];
  for (let at = accessStart[entry]! * 3; at < accessStart[entry + 1]! * 3; at += 3)
    if (accesses[at] === site) found.push([accesses[at + 1]!, accesses[at + 2]!]);
  return found;
}
