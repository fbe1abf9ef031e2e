/** What the average block is first to touch, told from all that were logged. */
import type { Work } from "../work.ts";
import { besides } from "./besides.ts";
import { type BySite, type FirstTouches, Footprint, type Footprints } from "./footprint.ts";
import { type SectorLog, weightsOf } from "./log.ts";
import { ratio } from "./ratio.ts";
import type { LogPlan } from "./sample.ts";

/** Sectors that a block requests, by site, those of iterations that were not run included. */
export function sectorsIn(log: SectorLog, sites: number): Float64Array {
  const weights = weightsOf(log);
  const sectors = new Float64Array(sites);
  for (let r = 0; r < log.requests; r++) sectors[log.site[r]!]! += weights[r]! * (log.start[r + 1]! - log.start[r]!);
  return sectors;
}

/** Blocks that one stands for which was logged for something else. */
const least = 1e-6;

/** What the average block is first to touch, and of what it reads the sectors that no block asks for the neighbours of. */
type AverageTouches = Record<BySite | "lone", Float64Array>;

/**
 * First touches as the average block makes them: of each site's sectors, the share that was new in all logged blocks together, for any one
 * may have been cut short, do more or less than most, or come to a site only with what another has touched there.
 * @param standsFor by log; what no block that stands for others does is told from those that were logged for something else
 */
export function perBlock(
  plan: LogPlan,
  logs: readonly SectorLog[],
  standsFor: readonly number[],
  sectors: Float64Array,
  blocks: number,
  footprints: Footprints,
  work: Work,
): AverageTouches {
  const nothing = (): Float64Array => new Float64Array(sectors.length);
  const kinds = ["read", "unseen", "along", "broughtAlong", "alongOthers", "written", "touched", "partial"] as const;
  const found = { ...(Object.fromEntries(kinds.map((what) => [what, nothing()])) as Record<BySite, Float64Array>), lone: nothing() };
  const logged = nothing();
  for (const [k, log] of logs.entries()) {
    const share = Math.max(standsFor[k] ?? 0, least);
    const first = footprints.alone(log, work);
    for (const [s, count] of sectorsIn(log, sectors.length).entries()) logged[s]! += share * count;
    for (const what of kinds) for (const s of sectors.keys()) found[what][s]! += share * first[what][s]!;
  }
  for (const what of kinds) for (const [s, total] of sectors.entries()) found[what][s]! *= ratio(total / blocks, logged[s]!, 0);

  // Of the block in the middle those beside it are known, which tell what is lone; of what it leaves out, another tells it that does it.
  const open = new Set([...sectors.keys()].filter((s) => found.read[s]! > 0));
  const middle = logs.filter(({ block }) => block === plan.middle);
  for (const log of [...middle, ...logs.filter(({ block }) => block !== plan.middle)]) {
    if (open.size === 0) break;
    const { read } = footprints.alone(log, work);
    const told = [...open].filter((s) => read[s]! > 0);
    if (told.length === 0) continue;
    const lone = footprints.lone(log, besides(plan.steps.flat(), logs, log), work);
    for (const s of told) {
      open.delete(s);
      found.lone[s] = found.read[s]! * Math.min(1, lone[s]! / read[s]!);
    }
  }
  return found;
}

/** Sectors that each site was seen to be first to touch, in all logs together: the launch touches no fewer. */
export function seenIn(logs: readonly SectorLog[], sites: number, work: Work): Pick<FirstTouches, "read" | "written"> {
  const all = new Footprint();
  const [read, written] = [new Float64Array(sites), new Float64Array(sites)];
  for (const log of logs) {
    const anew = all.add(log, sites, work, new Uint8Array(log.requests).fill(1));
    for (let s = 0; s < sites; s++) {
      read[s]! += anew.read[s]!;
      written[s]! += anew.written[s]!;
    }
  }
  return { read, written };
}
