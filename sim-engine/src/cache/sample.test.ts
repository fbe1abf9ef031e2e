import fc from "fast-check";
import { expect, test } from "vitest";
import { blocksToLog, planLogs } from "./sample.ts";

test("blocks to log exist, are distinct and start in the middle", () =>
  fc.assert(
    fc.property(
      fc.tuple(...[1, 2, 3].map(() => fc.integer({ min: 1, max: 300 }))),
      fc.integer({ min: 1, max: 32 }),
      (grid, blocksPerSm) => {
        const blocks = blocksToLog(grid as [number, number, number], blocksPerSm, 132);
        const total = grid.reduce((a, b) => a * b);
        expect(new Set(blocks).size).toBe(blocks.length);
        expect(blocks.every((block) => block >= 0 && block < total)).toBe(true);
        expect(blocks[0]).toBe(planLogs(grid as [number, number, number], blocksPerSm, 132).middle);
      },
    ),
  ));
