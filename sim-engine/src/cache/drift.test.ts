import { describe, expect, test } from "vitest";
import { findGpu } from "../gpus/model.ts";
import type { MemorySite } from "../memory/site.ts";
import { Work } from "../work.ts";
import { lateSectors, lateShare, mayDrift } from "./drift.ts";
import { load, SectorLog, store } from "./log.ts";
import type { TrafficInput } from "./traffic.ts";

const h200 = findGpu("h200")!;

// validation/microbenchmarks/h200-drift-profile.tsv: rows of 50,257 and other floats that are copied, the share of the sectors with two
// writers that are written to memory twice. All SMs are full, unless said otherwise.
test.each([
  ["4 warps, 100 turns of four", 4, 849e6, 0.8, 0.7],
  ["4 warps, 393 turns", 4, 849e6, 0.59, 0.78],
  ["8 warps, 196 turns", 8, 424e6, 0.59, 0.4],
  ["8 warps, 781 turns", 8, 1690e6, 0.59, 0.86],
  ["8 warps, 64 turns", 8, 138e6, 0.59, 0.04],
  ["8 warps, 16 turns", 8, 35e6, 0.59, 0],
  ["16 warps, 98 turns", 16, 212e6, 0.59, 0.09],
  ["32 warps, 49 turns", 32, 106e6, 0.59, 0.02],
  ["8 warps, half of the blocks", 8, 212e6, 0.38, 0.02],
  ["8 warps, three quarters of the blocks", 8, 318e6, 0.45, 0.08],
  ["2 warps, 785 turns", 2, 1690e6, 0.59, 0.58],
])("%s: sectors come late as often as measured", (_, warps, bytes, busy, measured) =>
  expect(Math.abs(lateShare(h200.values, bytes, 7 / 64, warps, busy) - measured)).toBeLessThan(0.12),
);

test("nothing is late where one warp is a block, where memory is idle, or where no sector has two writers", () => {
  expect(lateShare(h200.values, 1e9, 7 / 64, 1, 1)).toBe(0);
  expect(lateShare(h200.values, 1e9, 7 / 64, 8, 0.2)).toBe(0);
  expect(lateShare(h200.values, 1e9, 0, 8, 1)).toBe(0);
});

const site = (operation: MemorySite["operation"], buffer: number): MemorySite => ({ space: "global", operation, buffer });
const sites = [site("load", 0), site("store", 1)];

interface Row {
  /** Bytes into a sector at which the row begins. */
  readonly shift: number;
  readonly inPlace?: boolean;
  /** All warps wait for each other after each turn. */
  readonly held?: boolean;
}

/** Eight warps that copy a row in 64 turns, of which each stands for eight. */
function copied({ shift, inPlace = false, held = false }: Row): TrafficInput {
  const [warps, turns] = [8, 64];
  const log = new SectorLog(0, 1 << 14);
  const phases: number[] = [];
  for (let turn = 0; turn < turns; turn++)
    for (let warp = 0; warp < warps; warp++)
      for (const [number, kind] of ([load, store] as const).entries()) {
        log.request(warp, number, kind);
        phases.push(held ? turn : 0);
        const from = (turn * warps + warp) * 128 + shift;
        for (let sector = Math.floor(from / 32); sector * 32 < from + 128; sector++) {
          const [first, last] = [Math.max(0, from - sector * 32), Math.min(32, from + 128 - sector * 32)];
          const bytes = kind === load || last - first === 32 ? 0xffffffff : ((2 ** (last - first) - 1) * 2 ** first) >>> 0;
          log.sector(sector + (number === 1 && !inPlace ? 1 << 20 : 0), bytes);
        }
      }
  log.repeats = Array.from({ length: warps }, (_, warp) => {
    const [middle, to] = [(turns / 2) * warps * 2 + warp * 2, (turns - 1) * warps * 2 + warp * 2 + 1];
    return { middle, to, times: 8, share: 0.5 };
  });
  log.phase = phases;
  if (held) log.passes = Array.from({ length: turns }, () => 8);
  return {
    gpu: h200,
    l1Bytes: 1 << 17,
    grid: [4000, 1, 1],
    blocksPerSm: 8,
    sites,
    buffers: [{ address: 0 }, { address: 2 ** 25 }],
    logs: [log],
    sectors: Float64Array.of(4000 * 64 * 8 * 8 * 5, 4000 * 64 * 8 * 8 * 5),
  };
}

describe("rows that eight warps copy side by side", () => {
  const late = (row: Row): Float64Array | undefined => lateSectors(copied(row), 1, new Work());
  const seams = 64 * 8 * 8;

  test("share a sector at each seam, where they begin within one: late for its store as for its load", () => {
    const [loads, stores] = late({ shift: 4 })!;
    expect(stores! / seams).toBeGreaterThan(0.5);
    expect(stores! / seams).toBeLessThan(0.9);
    expect(loads).toBeCloseTo(stores!, -1);
    expect(mayDrift(copied({ shift: 4 }), new Work())).toBe(true);
  });

  test.each<[string, Row]>([
    ["begin at a sector", { shift: 0 }],
    ["are written in place: what was just read is there", { shift: 4, inPlace: true }],
  ])("share none where they %s", (_, row) => {
    expect(late(row)).toBeUndefined();
    expect(mayDrift(copied(row), new Work())).toBe(false);
  });

  test("do not drift where a barrier holds them together", () => {
    const [, stores] = late({ shift: 4, held: true })!;
    expect(stores! / seams).toBeLessThan(0.001);
    expect(mayDrift(copied({ shift: 4, held: true }), new Work())).toBe(false);
  });
});
