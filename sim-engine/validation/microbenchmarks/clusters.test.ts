import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findGpu } from "../../src/gpus/model.ts";
import { maxActiveClusters } from "../../src/occupancy/clusters.ts";
import { occupancy } from "../../src/occupancy/occupancy.ts";

const { values } = findGpu("h200")!;
const [, ...rows] = readFileSync(join(import.meta.dirname, "h200-clusters.tsv"), "utf8")
  .trimEnd()
  .split("\n");

test("as many clusters as cudaOccupancyMaxActiveClusters says on the H200 measured", () => {
  expect(rows.length).toBe(30);
  for (const row of rows) {
    const [blockSize = 0, dynamicShared = 0, blocks = 0, ...clusters] = row.split("\t").map(Number);
    const { blocksPerSm } = occupancy(values, { registers: 16, staticShared: 0, dynamicShared, blockSize });
    expect([blocksPerSm, ...[1, 2, 4, 8, 16].map((size) => maxActiveClusters(values, blocksPerSm, size))], row).toEqual([
      blocks,
      ...clusters,
    ]);
  }
});
