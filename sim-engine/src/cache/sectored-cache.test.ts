import { describe, expect, test } from "vitest";
import { SectoredCache } from "./sectored-cache.ts";

describe("a sectored cache", () => {
  test("holds what fits and loses what does not", () => {
    const hits = (lines: number): number => {
      const cache = new SectoredCache(64 * 1024, 16);
      let count = 0;
      for (let round = 0; round < 2; round++) for (let line = 0; line < lines; line++) if (cache.load(line * 4, round) === "hit") count++;
      return count / lines;
    };
    expect(hits(256)).toBeGreaterThan(0.95);
    expect(hits(2048)).toBeLessThan(0.05);
  });
  test("fills by sector", () => {
    const cache = new SectoredCache(1 << 16, 16);
    expect([cache.load(0, 0), cache.load(1, 0), cache.load(0, 1), cache.load(1, 1)]).toEqual(["miss", "miss", "hit", "hit"]);
  });
  test("what a load of the same turn brings is still under way", () => {
    const cache = new SectoredCache(1 << 16, 16);
    expect([cache.load(0, 5), cache.load(0, 5), cache.load(0, 6)]).toEqual(["miss", "under way", "hit"]);
  });
  test("a store meets what was stored; a load misses what is written in part", () => {
    const cache = new SectoredCache(1 << 16, 16);
    expect([cache.store(8, 0xf), cache.store(8, 0xf0), cache.load(8, 0), cache.load(8, 1)]).toEqual(["miss", "in part", "miss", "hit"]);
    expect([cache.store(9, 0xffffffff), cache.load(9, 0), cache.store(9, 1)]).toEqual(["miss", "hit", "hit"]);
  });
  test("lines that pass push out what was unused longest", () => {
    const kept = (passing: number): number => {
      const cache = new SectoredCache(64 * 1024, 16);
      for (let line = 0; line < 64; line++) cache.load(line * 4, 0);
      cache.pass(passing);
      let count = 0;
      for (let line = 0; line < 64; line++) if (cache.load(line * 4, 1) === "hit") count++;
      return count;
    };
    expect(kept(0)).toBe(64);
    expect(kept(256)).toBe(64);
    expect(kept(512)).toBe(0);
    expect(kept(1e9)).toBe(0);
  });
});
