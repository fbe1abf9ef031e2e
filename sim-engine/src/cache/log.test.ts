import { expect, test } from "vitest";
import { load, SectorLog, store, weightsOf } from "./log.ts";

test("a full log drops and counts", () => {
  const log = new SectorLog(0, 2);
  expect([log.request(0, 0, load), log.request(0, 0, load), log.request(0, 0, store)]).toEqual([true, true, false]);
  expect([log.requests, log.dropped]).toEqual([2, 1]);
});

test("requests are brought into another order, with their sectors", () => {
  const log = new SectorLog(0);
  for (const [warp, site, sectors] of [
    [0, 3, [7]],
    [1, 3, [5, 6]],
    [0, 2, []],
  ] as const) {
    log.request(warp, site, site === 3 ? load : store);
    for (const sector of sectors) log.sector(sector, sector);
  }
  log.arrange([2, 1, 0]);
  const requests = [0, 1, 2].map((r) => [log.warp[r], log.site[r], log.kind[r], [...log.sectors.subarray(log.start[r], log.start[r + 1])]]);
  expect(requests).toEqual([
    [0, 2, store, []],
    [1, 3, load, [5, 6]],
    [0, 3, load, [7]],
  ]);
  expect([...log.bytes]).toEqual([5, 6, 7]);
});

test("the second half of a repeat stands for the turns that were not run, within others once more for each of theirs", () => {
  const log = new SectorLog(0);
  for (let r = 0; r < 8; r++) log.request(r % 2, 0, load);
  expect([...weightsOf(log)]).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
  // Warp 0 makes requests 0, 2, 4 and 6: three turns of one, ten of all.
  log.repeats = [
    { middle: 6, to: 6, times: 3, share: 1 },
    { middle: 4, to: 6, times: 10, share: 0.5 },
  ];
  expect([...weightsOf(log)]).toEqual([1, 1, 1, 1, 19, 1, 3 * 19, 1]);
});
