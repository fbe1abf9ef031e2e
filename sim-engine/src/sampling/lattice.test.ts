/** Places of a grid's cells: all of them, and each once. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Dim3 } from "../ir/kernel.ts";
import type { Place } from "./boxes.ts";
import { Lattice } from "./lattice.ts";

const side = fc.integer({ min: 1, max: 60 });
const round = fc.array(fc.integer({ min: 1, max: 70 }), { maxLength: 4 });

function placesOf({ box }: Lattice): Place[] {
  let places: Place[] = [[]];
  for (const high of box.high) places = places.flatMap((place) => Array.from({ length: high + 1 }, (_, digit) => [...place, digit]));
  return places;
}

test("every cell has one place, and boxes hold as many blocks as their places together", () =>
  fc.assert(
    fc.property(
      fc.tuple(side, fc.constantFrom(1, 2, 3), fc.constant(1)),
      fc.tuple(round, round),
      fc.constantFrom(1, 2, 8),
      (grid, rounds, px) => {
        const period: Dim3 = [Math.min(px, grid[0]), 1, 1];
        const lattice = new Lattice(grid, period, [...rounds, []]);
        const places = placesOf(lattice);
        const cells = new Set(places.map((place) => lattice.cellAt(place).join()));
        expect(cells.size).toBe(Math.ceil(grid[0] / period[0]) * grid[1] * grid[2]);
        expect(places.length).toBe(cells.size);
        const blocks = places.reduce((sum, place) => sum + lattice.blocksIn({ low: place, high: place, peeled: 0 }), 0);
        expect(blocks).toBe(grid[0] * grid[1] * grid[2]);
        expect(lattice.blocksIn(lattice.box)).toBe(blocks);
      },
    ),
  ));

test.each([
  { what: "columns of a row, rows, and matrices", x: 3072, rounds: [32, 1024], sides: [32, 32, 3] },
  { what: "rounds of rounds", x: 4096, rounds: [8, 16], sides: [8, 2, 8, 32] },
  { what: "what does not go up", x: 100, rounds: [7, 30], sides: [100] },
  { what: "a number's bits", x: 512, rounds: [2, 4, 8, 16, 32], sides: [512] },
  { what: "nothing", x: 512, rounds: [], sides: [512] },
])("a dimension is split where what blocks do begins anew: $what", ({ x, rounds, sides }) => {
  expect(new Lattice([x, 1, 1], [1, 1, 1], [rounds, [], []]).sides).toEqual([...sides, 1, 1]);
});
