import { describe, expect, test } from "vitest";
import { l1Cycles } from "./l1-cycles.ts";

describe("cycles of the L1", () => {
  const cycles = (at: (lane: number) => number, bytes = 4): number =>
    l1Cycles(
      Float64Array.from({ length: 32 }, (_, lane) => 4096 + at(lane)),
      0,
      -1,
      bytes,
    );
  test.each([
    ["neighbouring words", cycles((lane) => 4 * lane), 1],
    ["one word", cycles(() => 0), 1],
    ["every second word", cycles((lane) => 8 * lane), 2],
    ["a word of each line", cycles((lane) => 128 * lane), 32],
    ["a word of each line and the next bank", cycles((lane) => 132 * lane), 8],
    // Two rows of a matrix, one word of each (matmulNaive: 6,146 distinct lines and 6,338 cycles for 4,097 requests of a warp).
    ["two rows", cycles((lane) => (lane < 16 ? 0 : 8192)), 2],
    ["8 bytes a lane", cycles((lane) => 8 * lane, 8), 2],
    ["16 bytes a lane", cycles((lane) => 16 * lane, 16), 4],
  ])("%s", (_, got, want) => expect(got).toBe(want));
  test("nobody takes none", () => expect(l1Cycles(new Float64Array(32), 0, 0, 4)).toBe(0));
});
