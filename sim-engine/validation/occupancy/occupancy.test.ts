import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { findCapability } from "../../src/gpus/model.ts";
import { type Limiter, occupancy, preferredShared } from "../../src/occupancy/occupancy.ts";

const limiterBits: [number, Limiter][] = [
  [1, "warps"],
  [2, "registers"],
  [4, "shared_mem"],
  [8, "blocks"],
  [16, "barriers"],
];
const cachings = ["off", "on", "strict"] as const;

const table = brotliDecompressSync(readFileSync(join(import.meta.dirname, "table.txt.br")))
  .toString()
  .trimEnd()
  .split("\n")
  .map((line) => line.split(" ").map(Number));

/** The engine's answer to a recorded case, in the oracle's columns. */
function answer([major, minor, registers, staticShared, dynamicShared, blockSize, carveout, optIn, barriers, caching]: number[]): number[] {
  const values = findCapability(`${major}.${minor}`)!.values;
  const got = occupancy(values, {
    registers: registers!,
    staticShared: staticShared!,
    dynamicShared: dynamicShared!,
    blockSize: blockSize!,
    carveout: carveout!,
    optIn: optIn === 1,
    barriers: barriers!,
    partitionedCaching: cachings[caching!]!,
  });
  const limit = (name: Limiter): number => (got.limits[name] === Number.POSITIVE_INFINITY ? -1 : got.limits[name]);
  return [
    got.blocksPerSm,
    limiterBits.reduce((bits, [bit, name]) => bits + (got.limiters.includes(name) ? bit : 0), 0),
    ...limiterBits.map(([, name]) => limit(name)),
    got.registersPerBlock,
    got.sharedPerBlock,
    preferredShared(values, carveout!),
    cachings.indexOf(got.partitionedCaching),
  ];
}

describe("occupancy is cuda_occupancy.h's", () => {
  test("on every recorded case", () => {
    expect(table.length).toBeGreaterThanOrEqual(20_000);
    const different = table.filter((row) => String(answer(row)) !== String(row.slice(10)));
    expect(different.slice(0, 5).map((row) => ({ row: row.join(" "), got: answer(row).join(" ") }))).toEqual([]);
  });

  test("the table covers every capability, every limiter alone, caching kept and given up, and blocks that do not fit", () => {
    expect(new Set(table.map(([major, minor]) => `${major}.${minor}`)).size).toBe(21);
    for (const bit of [1, 2, 4, 8])
      expect(
        table.some((row) => row[11] === bit),
        `limiter ${bit}`,
      ).toBe(true);
    // Barriers are compared last: the header names what limited before them as well.
    expect(table.some((row) => row[16] === row[10] && row[10]! < Math.min(...row.slice(12, 16).map((n) => (n < 0 ? 99 : n))))).toBe(true);
    const caching = (asked: number, got: number): boolean => table.some((row) => row[9] === asked && row[20] === got && row[10]! > 0);
    expect([caching(1, 1), caching(1, 0), caching(2, 2)]).toEqual([true, true, true]);
    for (const column of [12, 13, 14])
      expect(
        table.some((row) => row[column] === 0),
        `column ${column}`,
      ).toBe(true);
  });
});
