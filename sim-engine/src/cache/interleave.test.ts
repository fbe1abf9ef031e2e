import { expect, test } from "vitest";
import { Work } from "../work.ts";
import { interleave } from "./interleave.ts";
import { load, SectorLog } from "./log.ts";

test("warps take turns, each in its own order", () => {
  const log = new SectorLog(0);
  for (const [warp, site] of [
    [0, 0],
    [0, 1],
    [0, 2],
    [1, 0],
    [1, 1],
  ] as const)
    log.request(warp, site, load);
  const seen: string[] = [];
  interleave([log], new Work(), (of, request) => seen.push(`${of.warp[request]}.${of.site[request]}`));
  expect(seen).toEqual(["0.0", "1.0", "0.1", "1.1", "0.2"]);
});

test("a warp makes at one time what it makes without waiting", () => {
  const log = new SectorLog(0);
  for (const [warp, site] of [
    [0, 0],
    [0, 1],
    [1, 0],
    [0, 2],
    [1, 1],
    [1, 2],
  ] as const)
    log.request(warp, site, load);
  log.goesOn = Uint8Array.of(0, 1, 0, 0, 1, 0);
  const seen: string[] = [];
  interleave([log], new Work(), (of, request, place) => seen.push(`${of.warp[request]}.${of.site[request]} ${place}`));
  expect(seen).toEqual(["0.0 0", "0.1 1", "1.0 0", "1.1 1", "0.2 2", "1.2 2"]);
});

test("tells in which round a warp has its turn", () => {
  const log = new SectorLog(0);
  for (const warp of [0, 0, 0, 1, 1]) log.request(warp, 0, load);
  log.goesOn = Uint8Array.of(0, 1, 0, 0, 0);
  const seen: string[] = [];
  interleave([log], new Work(), (of, request, _, round) => seen.push(`${of.warp[request]} ${round}`));
  expect(seen).toEqual(["0 0", "0 0", "1 0", "0 1", "1 1"]);
});
