import { describe, expect, it } from "vitest";
import { LeavingStores } from "./leaving-stores.ts";
import { SectorLog, store } from "./log.ts";

const limits = { waitingStoreLines: 28, leavingStoreLines: 288 };

/** Lines that are pushed out after each of the stores, given by their sites, to so many lines each; of two runs: sites 0 to 2, and 3. */
function pushedOut(sites: readonly number[], { lines = 32, warps = 1, apart = 0 } = {}): number[] {
  const log = new SectorLog(0);
  for (const [k, site] of sites.entries()) {
    log.request(0, site, store);
    for (let line = 0; line < lines; line++) log.sector(4 * (line + k * apart));
  }
  const leaving = new LeavingStores(log, [{ run: 7 }, { run: 7 }, { run: 7 }, {}], limits);
  return sites.map((_, request) => leaving.pushedOut(request, warps).length);
}

describe("stores that follow each other closely", () => {
  it("push out what they come back to, when all of the run have stored", () => {
    expect(pushedOut([0, 1, 2])).toEqual([0, 0, 32]);
    expect(pushedOut([0, 1, 2], { apart: 16 })).toEqual([0, 0, 32]);
  });

  it("or when it begins anew", () => {
    expect(pushedOut([0, 1, 0, 1, 2])).toEqual([0, 0, 32, 0, 32]);
  });

  it.each([
    ["to fewer lines than wait together", [0, 1, 2], { lines: 28 }],
    ["that are stored to by no other of the run", [0, 1, 2], { apart: 32 }],
    ["that stand by themselves", [3, 3, 3], {}],
    ["of warps that leave each line the time to go", [0, 1, 2], { warps: 10 }],
  ])("leave lines %s", (_, sites, options) => {
    expect(pushedOut(sites, options)).toEqual(sites.map(() => 0));
  });
});
