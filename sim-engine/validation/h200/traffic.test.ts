import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { estimateTraffic } from "../../src/cache/estimate.ts";
import { type Access, type Pattern, trafficInput } from "../../src/cache/testing/pattern.ts";
import { findGpu } from "../../src/gpus/model.ts";
import type { Dim3 } from "../../src/ir/kernel.ts";

const h200 = findGpu("h200")!;
const kb = 1024;

interface Measured {
  readonly kernel: string;
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly l1_hit_pct: number;
  readonly l2_hit_pct: number;
  readonly l2_read_sectors: number;
  readonly l2_write_sectors: number;
  readonly dram_read_bytes: number;
  readonly dram_write_bytes: number;
}
const { launches } = JSON.parse(readFileSync(join(import.meta.dirname, "truth", "launches.json"), "utf8")) as { launches: Measured[] };
const measured = (kernel: string, nth = 0): Measured =>
  launches.filter((launch) => launch.kernel.replace(/^void /, "").split(/[<(]/)[0] === kernel)[nth]!;

const id = (block: Dim3, thread: Dim3, width = 256): number => block[0] * width + thread[0];
const load = (buffer: number, at: Access["at"], more: Partial<Access> = {}): Access => ({
  site: { space: "global", operation: "load", buffer },
  bytes: 4,
  at,
  ...more,
});
const store = (buffer: number, at: Access["at"], more: Partial<Access> = {}): Access => ({
  site: { space: "global", operation: "store", buffer },
  bytes: 4,
  at,
  ...more,
});
const irregular = (access: Access): Access => ({ ...access, site: { ...access.site, irregular: true } });

const random = (x: number): number => {
  let h = Math.imul(x ^ 0x5bd1e995, 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return ((h ^ (h >>> 16)) >>> 0) / 2 ** 32;
};

const n = 1 << 25;
const wide: Pick<Pattern, "block" | "blocksPerSm" | "l1Bytes"> = { block: [256, 1, 1], blocksPerSm: 8, l1Bytes: 224 * kb };
const width = 2048;
const field = 8192;
const inside = (x: number, y: number): boolean => x > 0 && x < field - 1 && y > 0 && y < field - 1;
const stencilAt =
  (dx: number, dy: number): Access["at"] =>
  (b, t) => {
    const [x, y] = [b[0] * 32 + t[0], b[1] * 8 + t[1]];
    return inside(x, y) ? ((y + dy) * field + x + dx) * 4 : undefined;
  };

const kernels: Record<string, { pattern: Pattern; truth: Measured }> = {
  copyCoalesced: {
    truth: measured("copyCoalesced"),
    pattern: {
      ...wide,
      grid: [131_072, 1, 1],
      buffers: [n * 4, n * 4],
      accesses: [load(0, (b, t) => id(b, t) * 4), store(1, (b, t) => id(b, t) * 4)],
    },
  },
  "copyStride 2": {
    truth: measured("copyStride", 0),
    pattern: {
      ...wide,
      grid: [131_072, 1, 1],
      buffers: [n * 8, n * 8],
      accesses: [load(0, (b, t) => id(b, t) * 8), store(1, (b, t) => id(b, t) * 8)],
    },
  },
  "copyStride 8": {
    truth: measured("copyStride", 2),
    pattern: {
      ...wide,
      grid: [131_072, 1, 1],
      buffers: [n * 32, n * 32],
      accesses: [load(0, (b, t) => id(b, t) * 32), store(1, (b, t) => id(b, t) * 32)],
    },
  },
  saxpy: {
    truth: measured("saxpy"),
    pattern: {
      ...wide,
      grid: [262_144, 1, 1],
      buffers: [n * 8, n * 8],
      accesses: [load(0, (b, t) => id(b, t) * 4), load(1, (b, t) => id(b, t) * 4), store(1, (b, t) => id(b, t) * 4)],
    },
  },
  gather: {
    truth: measured("gather"),
    pattern: {
      ...wide,
      grid: [131_072, 1, 1],
      buffers: [n * 4, n * 4, n * 4],
      accesses: [
        load(0, (b, t) => id(b, t) * 4),
        irregular(load(1, (b, t) => Math.floor(random(id(b, t)) * n) * 4)),
        store(2, (b, t) => id(b, t) * 4),
      ],
    },
  },
  scatter: {
    truth: measured("scatter"),
    pattern: {
      ...wide,
      grid: [131_072, 1, 1],
      buffers: [n * 4, n * 4, n * 4],
      accesses: [
        load(0, (b, t) => id(b, t) * 4),
        load(1, (b, t) => id(b, t) * 4),
        irregular(store(2, (b, t) => Math.floor(random(id(b, t)) * n) * 4)),
      ],
    },
  },
  stencil2d: {
    truth: measured("stencil2d"),
    pattern: {
      grid: [256, 1024, 1],
      block: [32, 8, 1],
      blocksPerSm: 8,
      l1Bytes: 224 * kb,
      buffers: [field * field * 4, field * field * 4],
      accesses: [
        ...(
          [
            [0, 0],
            [-1, 0],
            [1, 0],
            [0, -1],
            [0, 1],
          ] as const
        ).map(([dx, dy]) => load(0, stencilAt(dx, dy))),
        store(1, stencilAt(0, 0)),
      ],
    },
  },
  transposeNaive: {
    truth: measured("transposeNaive"),
    pattern: {
      grid: [256, 256, 1],
      block: [32, 8, 1],
      blocksPerSm: 8,
      l1Bytes: 224 * kb,
      buffers: [field * field * 4, field * field * 4],
      accesses: [
        load(0, (b, t, j) => ((b[1] * 32 + t[1] + 8 * j) * field + b[0] * 32 + t[0]) * 4, { times: 4 }),
        store(1, (b, t, j) => ((b[0] * 32 + t[0]) * field + b[1] * 32 + t[1] + 8 * j) * 4, { times: 4 }),
      ],
    },
  },
  matmulNaive: {
    truth: measured("matmulNaive"),
    pattern: {
      grid: [128, 128, 1],
      block: [16, 16, 1],
      blocksPerSm: 8,
      l1Bytes: 224 * kb,
      buffers: [width * width * 4, width * width * 4, width * width * 4],
      accesses: [
        load(0, (b, t, k) => ((b[1] * 16 + t[1]) * width + k) * 4, { times: width / 8, standsFor: 8 }),
        load(1, (b, t, k) => (k * width + b[0] * 16 + t[0]) * 4, { times: width / 8, standsFor: 8 }),
        store(2, (b, t) => ((b[1] * 16 + t[1]) * width + b[0] * 16 + t[0]) * 4),
      ],
    },
  },
};

const off = (got: number, want: number, scale: number): number => Math.abs(got - want) / Math.max(want, scale);

describe("traffic, from a dozen logged blocks, against what was measured", () => {
  test.each(Object.entries(kernels))("%s", (kernel, { pattern, truth }) => {
    const got = estimateTraffic(trafficInput(pattern, h200));

    // Small amounts count against a few megabytes: what else the GPU does is in the counters as well.
    const little = 1 << 22;
    expect(off(got.dramReadBytes, truth.dram_read_bytes, little)).toBeLessThan(0.2);
    expect(off(got.dramWriteBytes, truth.dram_write_bytes, 4 * little)).toBeLessThan(kernel === "matmulNaive" ? 0.65 : 0.2);
    expect(off(got.l2ReadSectors * 32, truth.l2_read_sectors * 32, little)).toBeLessThan(0.1);
    expect(off(got.l2WriteSectors * 32, truth.l2_write_sectors * 32, little)).toBeLessThan(0.1);
    expect(Math.abs(got.l1HitPct! - truth.l1_hit_pct)).toBeLessThan(4);
    expect(Math.abs(got.l2HitPct! - truth.l2_hit_pct)).toBeLessThan(5);
  });
});
