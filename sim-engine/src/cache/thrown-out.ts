/** What does not stay in the L1 because a warp stores to it while it still waits for a load of it. */
import type { Work } from "../work.ts";
import { sectorSteps } from "./interleave.ts";
import type { SectorLog } from "./log.ts";

/** The sectors that both requests of a log have. */
export function thrownOut({ sectors, start }: SectorLog, request: number, met: number, work: Work): readonly number[] {
  const theirs = new Set(sectors.subarray(start[met], start[met + 1]));
  const own = sectors.subarray(start[request], start[request + 1]);
  work.ask((theirs.size + own.length) * sectorSteps);
  return [...own].filter((sector) => theirs.has(sector));
}
