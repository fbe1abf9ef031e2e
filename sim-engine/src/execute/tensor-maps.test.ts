import { describe, expect, test } from "vitest";
import { sharedBase } from "../ir/windows.ts";
import { boxBytes, boxRows, swizzled, type TensorMap } from "./tensor-maps.ts";

/** Where the 16 bytes of each number lie among the eight of each row of 128 bytes (PTX ISA, "Swizzling modes"). */
describe("swizzles", () => {
  const plain = Array.from({ length: 8 }, () => [0, 1, 2, 3, 4, 5, 6, 7]);
  test.each([
    ["none", 0, plain],
    ["32 bytes", 1, plain.map((row, k) => (k % 2 === 0 ? row : [1, 0, 3, 2, 5, 4, 7, 6]))],
    ["64 bytes", 2, plain.map((row, k) => [row, [1, 0, 3, 2, 5, 4, 7, 6], [2, 3, 0, 1, 6, 7, 4, 5], [3, 2, 1, 0, 7, 6, 5, 4]][k % 4])],
    [
      "128 bytes",
      3,
      [
        [0, 1, 2, 3, 4, 5, 6, 7],
        [1, 0, 3, 2, 5, 4, 7, 6],
        [2, 3, 0, 1, 6, 7, 4, 5],
        [3, 2, 1, 0, 7, 6, 5, 4],
        [4, 5, 6, 7, 0, 1, 2, 3],
        [5, 4, 7, 6, 1, 0, 3, 2],
        [6, 7, 4, 5, 2, 3, 0, 1],
        [7, 6, 5, 4, 3, 2, 1, 0],
      ],
    ],
  ] as const)("%s", (_, mode, table) => {
    const places = plain.map((row, r) =>
      row.map((chunk) => (swizzled(sharedBase + 1024 + 128 * r + 16 * chunk, mode) - sharedBase - 1024 - 128 * r) / 16),
    );
    expect(places).toEqual(table);
    // Bytes within 16 stay side by side.
    expect(swizzled(sharedBase + 128 + 37, mode) % 16).toBe(5);
  });
});

describe("the rows of a box", () => {
  /** 10 by 6 numbers of 4 bytes, rows of 48 bytes. */
  const map: TensorMap = { address: 1000, elementBytes: 4, size: [10, 6], stride: [4, 48], box: [4, 3], step: [1, 1], swizzle: 0, fill: 0 };
  const rows = (coordinates: readonly number[], of: TensorMap = map) =>
    [...boxRows(of, coordinates)].map(({ from, to, address }) => (to > from ? [from, to, address] : []));

  test.each([
    [
      "lie in the tensor",
      [2, 1],
      [
        [0, 16, 1056],
        [0, 16, 1104],
        [0, 16, 1152],
      ],
    ],
    [
      "or beyond its right edge",
      [8, 0],
      [
        [0, 8, 1032],
        [0, 8, 1080],
        [0, 8, 1128],
      ],
    ],
    [
      "or its left one",
      [-3, 0],
      [
        [12, 16, 1000],
        [12, 16, 1048],
        [12, 16, 1096],
      ],
    ],
    ["above it", [0, -2], [[], [], [0, 16, 1000]]],
    ["and below", [4, 5], [[0, 16, 1256], [], []]],
    ["or nowhere in it", [12, 0], [[], [], []]],
  ])("%s", (_, coordinates, expected) => {
    expect(rows(coordinates)).toEqual(expected);
  });

  test("are every so many where the map has steps, and as many as the box has rows", () => {
    const stepped: TensorMap = { ...map, step: [1, 2] };
    expect(rows([0, 1], stepped)).toEqual([
      [0, 16, 1048],
      [0, 16, 1144],
      [0, 16, 1240],
    ]);
    const solid: TensorMap = { ...map, size: [10, 6, 5], stride: [4, 48, 288], box: [4, 2, 3], step: [1, 1, 1] };
    expect(rows([0, 5, 3], solid)).toEqual([[0, 16, 2104], [], [0, 16, 2392], [], [], []]);
    expect([...boxRows(solid, [0, 0, 0])].map(({ offset }) => offset)).toEqual([0, 16, 32, 48, 64, 80]);
    expect(boxBytes(solid)).toBe(96);
  });
});
