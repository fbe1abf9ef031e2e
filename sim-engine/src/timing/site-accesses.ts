/** What an entry of a warp's trace does at each site; the format is that of `WarpTrace.accesses`. */
import type { WarpTrace } from "./summary.ts";

/**
 * Where among a trace's accesses stands what an entry does at a site first; -1 where no lane was active there.
 * @param likely which of the entry's accesses it may be, as executions of a block are mostly alike
 */
export function accessAt({ accesses, accessStart }: WarpTrace, entry: number, site: number, likely: number): number {
  const start = accessStart[entry]!;
  const end = accessStart[entry + 1]!;
  if (start + likely < end && accesses[(start + likely) * 3] === site) return start + likely;
  for (let at = start; at < end; at++) if (accesses[at * 3] === site) return at;
  return -1;
}

export type PhaseAmount = readonly [phase: number, amount: number];

/** Phases, and what is moved, that the entry has at a site of copies or barriers: each lane may have its own. */
export function phasesMet({ accesses, accessStart }: WarpTrace, entry: number, site: number): readonly PhaseAmount[] {
  const found: PhaseAmount[] = [];
  for (let at = accessStart[entry]! * 3; at < accessStart[entry + 1]! * 3; at += 3)
    if (accesses[at] === site) found.push([accesses[at + 1]!, accesses[at + 2]!]);
  return found;
}
