import { describe, expect, test } from "vitest";
import type { GroupElement } from "../ir/kernel.ts";
import { acrossDepth, alongDepth, decodeDescriptor, elementOf } from "./group-matrices.ts";

test("a descriptor's fields, in bytes", () => {
  const table: [descriptor: bigint, start: number, leading: number, stride: number, base: number, swizzled: number][] = [
    [0n, 0, 0, 0, 0, 0],
    [0x3fffn, 0x3fff0, 0, 0, 0, 0],
    [(8n << 16n) | (16n << 32n) | 0x40n, 0x400, 128, 256, 0, 0],
    [(1n << 16n) | (64n << 32n) | (1n << 62n), 0, 16, 1024, 0, 3],
    [(32n << 32n) | (2n << 62n), 0, 0, 512, 0, 2],
    [(16n << 32n) | (3n << 62n), 0, 0, 256, 0, 1],
    [(5n << 49n) | (0x3fffn << 32n) | (1n << 62n), 0, 0, 0x3fff0, 5, 3],
  ];
  for (const [bits, start, leading, stride, base, swizzled] of table) {
    const [low, high] = [Number(BigInt.asIntN(32, bits)), Number(BigInt.asIntN(32, bits >> 32n))];
    expect(decodeDescriptor(low, high), bits.toString(16)).toEqual({ start, leading, stride, base, swizzled });
  }
});

describe("places", () => {
  const of = (swizzled: number, start = 0, base = 0) => ({ start, leading: 2048, stride: 4096, base, swizzled });

  test("without swizzling eight rows of 16 bytes follow each other", () => {
    expect([0, 1, 7, 8, 9].map((row) => alongDepth(of(0), row, 3))).toEqual([3, 19, 115, 4099, 4115]);
    expect(alongDepth(of(0), 1, 17)).toBe(2048 + 17);
  });

  test.each([
    [1, 32, [0, 32, 64, 96, 144, 176, 208, 240]],
    [2, 64, [0, 64, 144, 208, 288, 352, 432, 496]],
    [3, 128, [0, 144, 288, 432, 576, 720, 864, 1008]],
  ])("%i bits: rows of %i bytes begin in turned units", (bits, _, places) => {
    expect(places.map((__, row) => alongDepth(of(bits), row, 0))).toEqual(places);
    expect(alongDepth(of(bits), 8, 0)).toBe(4096);
  });

  test("steps along the depth are steps of the start, within the pattern", () => {
    for (let row = 0; row < 8; row++) expect(alongDepth(of(3, 32), row, 5)).toBe(alongDepth(of(3), row, 32 + 5));
  });

  test("a base moves the pattern, and addresses go round at 256 KiB", () => {
    expect(alongDepth(of(3, 128, 1), 0, 0)).toBe(128);
    expect(alongDepth(of(3, 128), 0, 0)).toBe(144);
    expect(alongDepth(of(0, 0x3fff0), 1, 0)).toBe(0);
  });

  test("with contiguous rows, swizzled and not", () => {
    expect([0, 1, 8, 64].map((row) => acrossDepth(of(3), row, 0))).toEqual([0, 2, 16, 2048]);
    expect([0, 1, 2, 8].map((k) => acrossDepth(of(3), 0, k))).toEqual([0, 144, 288, 4096]);
    expect([0, 1, 8].map((row) => acrossDepth(of(0), row, 0))).toEqual([0, 2, 4096]);
    expect([0, 1, 8].map((k) => acrossDepth(of(0), 0, k))).toEqual([0, 16, 2048]);
  });
});

test("elements of a word", () => {
  const table: [element: GroupElement, word: number, values: number[]][] = [
    ["f16", 0xc0003c00, [1, -2]],
    ["bf16", 0xc0003f80, [1, -2]],
    ["tf32", 0x3f801fff, [1]],
    ["e4m3", 0x7e01b838, [1, -1, 2 ** -9, 448]],
    ["e5m2", 0x7b01bc3c, [1, -1, 2 ** -16, 57344]],
    ["s8", 0x7f80ff01, [1, -1, -128, 127]],
    ["u8", 0x7f80ff01, [1, 255, 128, 127]],
  ];
  for (const [element, word, values] of table) expect(values.map((_, index) => elementOf(element, word | 0, index))).toEqual(values);
  expect(elementOf("e4m3", 0x7f, 0)).toBeNaN();
});
