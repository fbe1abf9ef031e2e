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
      expect([...set.keys()].sort((a, b) => a - b)).toEqual([...map.keys()].sort((a, b) => a - b));
      expect(set.has(2 ** 32 - 2)).toBe(map.has(2 ** 32 - 2));
    }),
  ));
