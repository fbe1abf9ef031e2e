import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findGpu } from "../../src/gpus/model.ts";
import { carveoutFor } from "../../src/occupancy/carveout.ts";
import { occupancy } from "../../src/occupancy/occupancy.ts";

interface Launch {
  readonly kernel: string;
  readonly block: [number, number, number];
  readonly registers_per_thread: number;
  readonly static_shared_bytes: number;
  readonly dynamic_shared_bytes: number;
  readonly shared_config_bytes: number;
  readonly theoretical_occupancy_pct: number;
  readonly occupancy_limit_registers_blocks: number;
  readonly occupancy_limit_shared_blocks: number;
  readonly occupancy_limit_warps_blocks: number;
}

const { launches } = JSON.parse(readFileSync(join(import.meta.dirname, "truth", "launches.json"), "utf8")) as { launches: Launch[] };
const h200 = findGpu("h200")!.values;

describe("what the profiler said of each measured launch", () => {
  test.each(launches.map((launch, i) => [`${i} ${launch.kernel}`, launch] as const))("%s", (_, launch) => {
    const input = {
      registers: launch.registers_per_thread,
      staticShared: launch.static_shared_bytes,
      dynamicShared: launch.dynamic_shared_bytes,
      blockSize: launch.block[0] * launch.block[1] * launch.block[2],
    };
    const got = occupancy(h200, input);
    expect(got.occupancyPct).toBeCloseTo(launch.theoretical_occupancy_pct, 1);
    expect(got.limits.registers).toBe(launch.occupancy_limit_registers_blocks);
    expect(got.limits.warps).toBe(launch.occupancy_limit_warps_blocks);
    expect(carveoutFor(h200, input, got).sharedBytes).toBe(launch.shared_config_bytes);
  });
});
