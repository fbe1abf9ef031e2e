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
