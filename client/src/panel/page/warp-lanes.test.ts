import type { AccessReport } from "@warplens/server/protocol";
import { expect, test } from "vitest";
import { warpRequest } from "./warp-lanes.ts";

const access = (space: AccessReport["space"], example: readonly number[], bytesPerLane = 4, exampleAt = 0): AccessReport => ({
  file: 0,
  line: 1,
  start: 0,
  end: 1,
  space,
  operation: "load",
  bytesPerLane,
  requests: 1,
  lanes: 32,
  transactions: 1,
  ideal: 1,
  example,
  exampleAt,
});
const lanes = (stride: number) => Array.from({ length: 32 }, (_, lane) => lane * stride);
const used = (found: ReturnType<typeof warpRequest>) => found?.slots.map((slot) => slot.used);

test("neighbours of 4 bytes fill four sectors", () => expect(used(warpRequest(access("global", lanes(4))))).toEqual([32, 32, 32, 32]));
test("from the middle of a sector it is one more", () =>
  expect(used(warpRequest(access("global", lanes(4), 4, 4)))).toEqual([28, 32, 32, 32, 4]));
test("a row apart each lane has a sector of its own", () => {
  const found = warpRequest(access("global", lanes(4096)));
  expect(found?.slots).toHaveLength(32);
  expect(found?.lanes[3]).toEqual({ lane: 3, byte: 3 * 4096, slots: [3] });
  expect(found?.slots[1]).toEqual({ number: 128, used: 4 });
});
test("lanes that read the same bytes use them once", () => expect(used(warpRequest(access("global", lanes(0))))).toEqual([4]));
test("lanes that take no part are left out by their mask", () =>
  expect(warpRequest(access("global", [0, 64]), 0b1010)?.lanes.map(({ lane, slots }) => [lane, slots])).toEqual([
    [1, [0]],
    [3, [1]],
  ]));
test("what spans two sectors touches both", () => expect(warpRequest(access("global", [0], 16, 24))?.lanes[0]?.slots).toEqual([0, 1]));

test("words of shared memory lie one a bank", () => expect(used(warpRequest(access("shared", lanes(4))))).toEqual(lanes(0).map(() => 1)));
test("a column of rows of 32 words lies in one bank", () => {
  const found = warpRequest(access("shared", lanes(128), 4, 8));
  expect(found?.slots.filter((slot) => slot.used > 0)).toEqual([{ number: 2, used: 32 }]);
});
test("a word that all read is one", () => expect(warpRequest(access("shared", lanes(0)))?.slots[0]?.used).toBe(1));

test.each([access("local", [0]), access("constant", [0]), { ...access("global", []) }])("nothing to show of others", (each) =>
  expect(warpRequest(each)).toBeUndefined(),
);
