import { expect, test } from "vitest";
import { isWorthIt } from "./worth.ts";

const usual = { minGain: 5, minAssumedGain: 25, minTime: 0.5 };
const assuming = (count: number): string[] => Array.from({ length: count }, (_, k) => `n${k}`);

test.each([
  ["a gain that nobody knows", {}, usual, true],
  ["a share and a time that are enough", { gain: { ns: 10_000, without: 9_000 } }, usual, true],
  ["too small a share", { gain: { ns: 100_000, without: 96_000 } }, usual, false],
  ["too little time", { gain: { ns: 1_000, without: 600 } }, usual, false],
  ["a small share of what is assumed", { gain: { ns: 100_000, without: 80_000 }, assumed: assuming(1) }, usual, false],
  ["a large share of what is assumed", { gain: { ns: 100_000, without: 60_000 }, assumed: assuming(6) }, usual, true],
  ["a large share of what is assumed throughout", { gain: { ns: 100_000, without: 60_000 }, assumed: assuming(7) }, usual, false],
  ["nearly all of what is assumed throughout", { gain: { ns: 100_000, without: 20_000 }, assumed: assuming(7) }, usual, true],
  ["less, asked for", { gain: { ns: 100_000, without: 60_000 }, assumed: assuming(7) }, { ...usual, minGain: 1, minAssumedGain: 1 }, true],
  ["a launch in passing", { gain: { ns: 3_000, without: 2_000 } }, { ...usual, programNs: 50_000 }, false],
  [
    "a launch in passing that gains more than a launch takes",
    { gain: { ns: 3_000, without: 1_400 } },
    { ...usual, programNs: 50_000 },
    true,
  ],
  ["a launch that is most of a small program", { gain: { ns: 3_000, without: 2_000 } }, { ...usual, programNs: 4_000 }, true],
  ["a launch in passing, made often", { gain: { ns: 3_000, without: 2_000, ofProgram: 100_000 } }, { ...usual, programNs: 350_000 }, true],
  ["everything, asked for", { gain: { ns: 3_000, without: 2_400 } }, { ...usual, minGain: 0, programNs: 50_000 }, true],
])("%s", (_, finding, least, told) => expect(isWorthIt(finding, least)).toBe(told));
