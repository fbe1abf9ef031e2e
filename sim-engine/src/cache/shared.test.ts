/** What groups of blocks share, against the count of every block. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { findGpu } from "../gpus/model.ts";
import { estimateTraffic } from "./estimate.ts";
import { type Pattern, trafficInput } from "./testing/pattern.ts";

const h200 = findGpu("h200")!;
const bytesOfTile = 1024;

/** Which tile each block of a row of blocks reads, and the divisors in it. */
interface Reads {
  readonly text: string;
  readonly tile: (block: number) => number;
  readonly rounds: readonly number[];
}

const whole: Reads = { text: "b", tile: (b) => b, rounds: [] };
const same: Reads = { text: "0", tile: () => 0, rounds: [] };
const quotient = (g: number): Reads => ({ text: `b / ${g}`, tile: (b) => Math.floor(b / g), rounds: [g] });
const remainder = (n: number): Reads => ({ text: `b % ${n}`, tile: (b) => b % n, rounds: [n] });
const both = (g: number, n: number): Reads => ({ text: `b / ${g} % ${n}`, tile: (b) => Math.floor(b / g) % n, rounds: [g, n] });
/** As matrix products go through columns of `g` rows of tiles. */
const swizzled = (g: number, n: number): Reads => ({
  text: `b / ${g * n} * ${g} + b % ${g}`,
  tile: (b) => Math.floor(b / (g * n)) * g + (b % g),
  rounds: [g * n, g],
});

const divisor = fc.integer({ min: 2, max: 40 });
const reads = fc.oneof(
  fc.constantFrom(whole, same),
  divisor.map(quotient),
  divisor.map(remainder),
  fc.tuple(divisor, divisor).map(([g, n]) => both(g, n)),
  fc.tuple(divisor, divisor).map(([g, n]) => swizzled(g, n)),
);

/** Bytes estimated for each byte that the blocks touch. */
function overTruth(gx: number, gy: number, along: Reads, across: Reads): number {
  const tileOf = (x: number, y: number): number => along.tile(x) + gx * across.tile(y);
  const tiles = new Set<number>();
  for (let y = 0; y < gy; y++) for (let x = 0; x < gx; x++) tiles.add(tileOf(x, y));
  const pattern: Pattern = {
    grid: [gx, gy, 1],
    block: [256, 1, 1],
    blocksPerSm: 8,
    l1Bytes: 224 * 1024,
    buffers: [1 << 26],
    rounds: [along.rounds, across.rounds, []],
    accesses: [
      {
        site: { space: "global", operation: "load", buffer: 0 },
        bytes: 4,
        at: ([x, y], [t]) => tileOf(x, y) * bytesOfTile + t * 4,
      },
    ],
  };
  return estimateTraffic(trafficInput(pattern, h200)).dramReadBytes / (tiles.size * bytesOfTile);
}

test.each([
  ["each its own", whole, 1056],
  ["all the same", same, 1056],
  ["groups of four", quotient(4), 1056],
  ["groups of 33, the middle block the first of one", quotient(33), 1057],
  ["groups longer than half the grid", quotient(600), 1000],
  ["as many tiles as a wave has blocks, over and over", remainder(100), 1056],
  ["a matrix product's rows, in columns of eight", swizzled(8, 8), 1024],
  ["its columns", both(8, 8), 1024],
])("%s: what blocks share is read once", (_, read, size) => {
  expect(overTruth(size, 1, read, whole)).toBeCloseTo(1, 2);
  expect(overTruth(3, size, whole, read)).toBeCloseTo(1, 2);
});

test("whatever divisors make groups of blocks: never much less than all blocks touch, mostly just that", () => {
  const found: number[] = [];
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 600 }), fc.integer({ min: 1, max: 30 }), reads, reads, (gx, gy, along, across) => {
      const over = overTruth(gx, gy, along, across);
      // Where groups and rounds end one after the other, the last one may be told as whole in both directions; of one that the grid cuts
      // (`b / 6 * 2 + b % 2` of five rows) a sixth may be missed.
      expect(over).toBeGreaterThan(0.8);
      expect(over).toBeLessThan(2.5);
      found.push(over);
    }),
    { numRuns: 500 },
  );
  expect(found.filter((over) => Math.abs(over - 1) < 0.01).length).toBeGreaterThan(0.85 * found.length);
});

test("what the block in the middle leaves out is told from others", () => {
  const pattern: Pattern = {
    grid: [1024, 1, 1],
    block: [256, 1, 1],
    blocksPerSm: 8,
    l1Bytes: 224 * 1024,
    buffers: [1 << 26],
    accesses: [
      {
        site: { space: "global", operation: "load", buffer: 0 },
        bytes: 4,
        at: ([x], [t]) => (x >= 600 ? x * bytesOfTile + t * 4 : undefined),
      },
    ],
  };
  const input = trafficInput(pattern, h200);
  expect(estimateTraffic({ ...input, sectors: Float64Array.of(424 * 32) }).dramReadBytes).toBeCloseTo(424 * bytesOfTile, -2);
});
