import { expect, test } from "vitest";
import { load, SectorLog, store } from "./log.ts";

test("a full log drops and counts", () => {
  const log = new SectorLog(0, 2);
  expect([log.request(0, 0, load), log.request(0, 0, load), log.request(0, 0, store)]).toEqual([true, true, false]);
  expect([log.requests, log.dropped]).toEqual([2, 1]);
});
