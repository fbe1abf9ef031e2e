import { expect, test } from "vitest";
import { loggedRepeats } from "./logged-repeats.ts";

/** A warp whose entries 1 to 7 are six turns of a loop and what comes behind it, two requests each; every other request is another warp's. */
const entries = Array.from({ length: 32 }, (_, r) => Math.floor(r / 4));
const requests = Array.from({ length: 16 }, (_, k) => 2 * k + 1);

test("of turns that were run the last that go round once stand for the others: two, where every second brings a sector", () =>
  expect(loggedRepeats([{ from: 1, to: 7, times: 10, round: 5 }], requests, entries)).toEqual([
    { middle: 21, to: 27, times: 10, share: 1 / 3 },
  ]));

test("where any do as well their second half does", () =>
  expect(loggedRepeats([{ from: 1, to: 7, times: 10 }], requests, entries)).toEqual([{ middle: 17, to: 27, times: 10, share: 0.5 }]));

test("what made no request that was kept, or stands for itself alone, is left out", () =>
  expect(
    loggedRepeats(
      [
        { from: 9, to: 12, times: 10, round: 10 },
        { from: 1, to: 7, times: 1, round: 5 },
      ],
      requests,
      entries,
    ),
  ).toEqual([]));
