import fc from "fast-check";
import { expect, test } from "vitest";
import type { Dim3 } from "../ir/kernel.ts";
import { type Box, cornersOf, cutBox, dimensionsOf, evenly, placeIn, placeOf, volume } from "./boxes.ts";

const side = fc.integer({ min: 1, max: 40 });
const grids = fc.tuple(side, side, side);
const whole = ([x, y, z]: Dim3): Box => ({ low: [0, 0, 0], high: [x - 1, y - 1, z - 1], peeled: 0 });

test("a box that is cut, first at its rims, then in halves, loses nothing and holds nothing twice", () =>
  fc.assert(
    fc.property(grids, fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 8 }), (grid, choices) => {
      let boxes = [whole(grid)];
      for (const k of choices) boxes = boxes.flatMap((box) => ((box.high[k] ?? 0) > (box.low[k] ?? 0) ? cutBox(box, k) : [box]));
      expect(boxes.reduce((sum, box) => sum + volume(box), 0)).toBe(volume(whole(grid)));
      const corners = boxes.flatMap((box) => cornersOf(box).map((corner) => corner.join()));
      expect(new Set(corners).size).toBe(corners.length);
    }),
  ));

test("places drawn evenly are in the grid, and go everywhere", () =>
  fc.assert(
    fc.property(grids, (grid) => {
      const box = whole(grid);
      const point = evenly(dimensionsOf(box));
      const places = Array.from({ length: 200 }, (_, k) => placeIn(box, point(k)));
      for (const place of places) for (const [k, at] of place.entries()) expect(at >= 0 && at < (grid[k] ?? 0)).toBe(true);
      for (const [k, length] of grid.entries()) expect(new Set(places.map((place) => place[k])).size).toBe(length);
    }),
  ));

test("the place of an index counts x first", () => {
  const grid: Dim3 = [3, 4, 5];
  const places = Array.from({ length: 60 }, (_, index) => placeOf(grid, index));
  expect(places.map(([x, y, z]) => x + 3 * (y + 4 * z))).toEqual(places.map((_, index) => index));
});
