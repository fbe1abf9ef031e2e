import { expect, test } from "vitest";
import { findGpu } from "../gpus/model.ts";
import type { MemorySite } from "../memory/site.ts";
import { Work } from "../work.ts";
import { playL1 } from "./l1.ts";
import { load, SectorLog, store } from "./log.ts";

const [loads, stores] = [0, 1];
const turns = 64;

/** Share of the loads that hit where a warp goes along a row word by word, loads the next word and then stores to this one. */
function hits(underWay: MemorySite["underWay"]): number {
  const log = new SectorLog(0);
  const request = (site: number, word: number): void => {
    log.request(0, site, site === stores ? store : load);
    log.sector(word >>> 3, site === stores ? 15 << (4 * (word & 7)) : undefined);
  };
  for (let turn = 0; turn < turns; turn++) {
    request(loads, turn + 1);
    request(stores, turn);
  }
  const sites = [{}, underWay ? { underWay } : {}];
  const [ofLoads] = playL1([log], sites, { bytes: 1 << 17, share: 1 }, findGpu("h200")!.values, new Work());
  return ofLoads!.hits / ofLoads!.sectors;
}

// Measured: 86 % where the load is waited for, 22 % where it is not (h200-own-rows.txt, by the profiler).
test.each([
  ["is waited for", undefined, 0.85, 0.9],
  ["is under way", [loads], 0.1, 0.25],
] as const)("a load of the next word that %s", (_, underWay, least, most) => {
  const share = hits(underWay);
  expect(share).toBeGreaterThan(least);
  expect(share).toBeLessThan(most);
});
