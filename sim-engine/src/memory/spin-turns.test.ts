import { expect, test } from "vitest";
import { spinTurns, spinWavefronts } from "./spin-turns.ts";

const all = -1;
const lanes = (byte: (lane: number) => number): Int32Array => Int32Array.from({ length: 32 }, (_, lane) => byte(lane));

// h200-shared-sums.tsv, one warp: a turn is 6 instructions of floats and 8 of words of 8 bytes.
test.each([
  ["floats side by side", 4, (lane: number) => 4 * lane, 1],
  ["floats two apart", 4, (lane: number) => 8 * lane, 2],
  ["floats 32 apart", 4, (lane: number) => 128 * lane, 32],
  ["eight lanes on a float", 4, (lane: number) => 4 * Math.floor(lane / 8), 8],
  ["all lanes on a float", 4, () => 64, 32],
  ["words of 8 bytes side by side", 8, (lane: number) => 8 * lane, 1],
  ["words of 8 bytes two apart", 8, (lane: number) => 16 * lane, 2],
  ["words of 8 bytes 32 apart", 8, (lane: number) => 256 * lane, 16],
  ["all lanes on a word of 8 bytes", 8, () => 64, 32],
])("%s take as many turns as are measured", (_, bytes, byte, turns) => {
  expect(spinTurns(lanes(byte), all, bytes)).toBe(turns);
});

test("only lanes that take part count", () => {
  const onOne = lanes(() => 0);
  expect(spinTurns(onOne, 0b111, 4)).toBe(3);
  expect(spinTurns(onOne, 0, 4)).toBe(0);
});

test.each([
  ["floats side by side", 1, 1, 4, 3],
  ["floats four apart", 4, 4, 4, 18],
  ["floats 32 apart", 32, 32, 4, 592],
  ["all lanes on a float", 1, 32, 4, 96],
  ["words of 8 bytes side by side", 2, 1, 8, 6],
  ["words of 8 bytes two apart", 4, 2, 8, 14],
  ["words of 8 bytes 16 apart", 32, 16, 8, 336],
])("%s take as many wavefronts as are measured", (_, first, turns, bytes, wavefronts) => {
  expect(spinWavefronts(first, turns, bytes)).toBe(wavefronts);
});
