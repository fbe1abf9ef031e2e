import fc from "fast-check";
import { expect, test } from "vitest";
import { SectorSet } from "./sector-set.ts";

test("a sector set is a map", () =>
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 2 ** 32 - 2 }), fc.nat()), { maxLength: 3000 }), (pairs) => {
      const set = new SectorSet();
      const map = new Map<number, number>();
      for (const [key, note] of pairs) {
        set.set(key, note);
        map.set(key, note);
      }
      expect(set.size).toBe(map.size);
      for (const [key, note] of map) expect(set.get(key)).toBe(note);
      for (const [key, note] of map) expect(set.noteOr(key, note + 1)).toBe(note);
      const { size } = set;
      expect([set.has(2 ** 32 - 2), set.noteOr(2 ** 32 - 2, 7), set.get(2 ** 32 - 2)]).toEqual(
        map.has(2 ** 32 - 2) ? [true, map.get(2 ** 32 - 2), map.get(2 ** 32 - 2)] : [false, 7, 7],
      );
      expect(set.size).toBe(map.has(2 ** 32 - 2) ? size : size + 1);
    }),
  ));

test("a copy goes its own way", () => {
  const set = new SectorSet();
  for (let sector = 0; sector < 2000; sector++) set.set(sector, sector + 1);
  const copy = set.copy();
  copy.set(5, 0);
  copy.set(5000, 7);
  expect([copy.size, copy.get(5), copy.get(1999), copy.get(5000)]).toEqual([2001, 0, 2000, 7]);
  expect([set.size, set.get(5), set.get(5000)]).toEqual([2000, 6, undefined]);
});
