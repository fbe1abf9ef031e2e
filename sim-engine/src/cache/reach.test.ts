import { expect, test } from "vitest";
import { Work } from "../work.ts";
import { load, SectorLog } from "./log.ts";
import { reachOf } from "./reach.ts";

const log = new SectorLog(0);
for (const [site, sectors] of [
  [0, [5000, 1000]],
  [1, [2 ** 30]],
  [0, [3999, 2000]],
] as const) {
  log.request(0, site, load);
  for (const sector of sectors) log.sector(sector);
}

test.each([
  ["what lies between those seen, and half as much again of four", 0, 4001 * 1.5],
  ["of one that goes in order: anywhere", 1, Number.POSITIVE_INFINITY],
  ["of one that was not seen: anywhere", 2, Number.POSITIVE_INFINITY],
])("%s", (_, site, sectors) => {
  const reach = reachOf([log], [{ irregular: true }, {}, { irregular: true }], new Work());
  expect(reach[site]).toBe(sectors);
});
