/**
 * The timing by itself: given what the profiler counted, how near is the time? Instruction streams are made up from the counts:
 * loads in groups of four as compilers unroll (all at once when there are few), what uses them behind, stores last.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { SiteTraffic } from "../../src/cache/traffic.ts";
import { findGpu } from "../../src/gpus/model.ts";
import type { Dim3 } from "../../src/ir/kernel.ts";
import { estimateTime } from "../../src/timing/estimate.ts";
import type { ExecutionSummary } from "../../src/timing/summary.ts";
import { TimedProgram } from "../../src/timing/testing/program.ts";

type Counters = Readonly<Record<string, number>> & {
  readonly kernel: string;
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly lines: Readonly<Record<string, Readonly<Record<string, number>>>>;
};
const { launches } = JSON.parse(readFileSync(join(import.meta.dirname, "truth", "launches.json"), "utf8")) as { launches: unknown[] };
const h200 = findGpu("h200")!;
/** Instructions of a warp's made-up stream; a longer one stands for more. */
const longest = 3000;

const volume = (dim: Dim3): number => dim[0] * dim[1] * dim[2];
const share = (part: number, whole: number): number => (whole > 0 ? Math.min(1, part / whole) : 0);

/** Where loads and stores are served, from the counters of caches and memory. */
function served(l: Counters): { load: Partial<SiteTraffic>; store: Partial<SiteTraffic> } {
  const reads = l.global_load_sectors!;
  const writes = l.global_store_sectors!;
  // A sector that comes from memory is looked up 1.5 times (see docs/gpus.md, l2Partitions).
  const toL2 = share(l.l2_read_sectors! - l.dram_read_bytes! / 64, reads);
  const dramLoads = Math.min(toL2, share(l.dram_read_bytes! / 32, reads));
  const fills = Math.max(0, l.dram_read_bytes! - reads * 32);
  const dramStores = share((l.dram_write_bytes! + fills) / 32, writes);
  const lone = (sectors: number, requests: number): number => (sectors > 16 * requests ? 1 : 0.5);
  return {
    load: { l1: 1 - toL2, l2: toL2 - dramLoads, dram: dramLoads, accessesPerSector: lone(reads, l.global_load_requests!) },
    store: {
      l2: 1 - dramStores,
      dram: dramStores,
      accessesPerSector: lone(writes, l.global_store_requests!),
      bytesPerDramSector: dramStores > 0 ? (l.dram_write_bytes! + fills) / (dramStores * writes) : 32,
    },
  };
}

function fromCounters(l: Counters): ExecutionSummary {
  const warps = Math.ceil(volume(l.block) / 32) * volume(l.grid);
  const instructions = l.warp_instructions! / warps;
  const scale = Math.min(1, longest / instructions);
  const perWarp = (count: number): number => Math.round((count / warps) * scale);
  const sum = (key: string): number => Object.values(l.lines).reduce((total, line) => total + (line[key] ?? 0), 0);
  const requests = l.global_load_requests! + l.global_store_requests!;
  const linesPerRequest = requests > 0 ? sum("global_tag_requests") / requests : 0;
  const sharedInstructions = l.shared_load_instructions! + l.shared_store_instructions!;
  const wavefronts = sharedInstructions > 0 ? Math.max(1, sum("shared_wavefronts") / sharedInstructions) : 1;

  const program = new TimedProgram();
  const { load, store } = served(l);
  const loads = program.site({ space: "global", operation: "load" }, load);
  const stores = program.site({ space: "global", operation: "store" }, store);
  const sharedLoads = program.site({ space: "shared", operation: "load" });
  const sharedStores = program.site({ space: "shared", operation: "store" });
  const cost = (sectors: number, of: number): [number, number] => {
    const each = of > 0 ? sectors / of : 0;
    return [Math.max(1, Math.round(Math.max(each / 4, Math.min(linesPerRequest, each)))), Math.round(each)];
  };
  const loadCost = cost(l.global_load_sectors!, l.global_load_requests!);
  const storeCost = cost(l.global_store_sectors!, l.global_store_requests!);
  const [loadCount, storeCount, sharedLoadCount, sharedStoreCount] = [
    perWarp(l.global_load_requests!),
    perWarp(l.global_store_requests!),
    perWarp(l.shared_load_instructions!),
    perWarp(l.shared_store_instructions!),
  ];
  const floats = share(l.thread_ffma! + l.thread_fadd! + l.thread_fmul!, l.thread_instructions!);
  let turn = 0;
  const arithmetic = (count: number, from: number[]): number => {
    let result = from[0] ?? program.register();
    for (let i = 0; i < count; i++) {
      // Two independent chains, floating point as often as it was counted.
      const next = program.compute((turn++ * 0.618) % 1 < floats ? "fma" : "alu", i % 2 === 0 ? from : [result]);
      result = next;
    }
    return result;
  };
  const all = Math.round(instructions * scale);
  let rest = Math.max(0, all - loadCount - storeCount - sharedLoadCount - sharedStoreCount);
  const address = arithmetic(Math.min(12, Math.floor(rest * 0.4)), []);
  rest -= Math.min(12, Math.floor(rest * 0.4));
  const groups = Math.max(
    1,
    loadCount <= 8 ? 1 : Math.ceil(loadCount / 4),
    loadCount > 0 ? 1 : Math.ceil(Math.max(sharedLoadCount, storeCount) / 4),
  );
  for (let g = 0; g < groups; g++) {
    const here = (count: number): number => Math.round((count * (g + 1)) / groups) - Math.round((count * g) / groups);
    let value = address;
    for (let i = 0; i < here(loadCount); i++) value = program.memory(loads, [address], ...loadCost);
    for (let i = 0; i < here(sharedStoreCount); i++) program.memory(sharedStores, [value], wavefronts, 0);
    for (let i = 0; i < here(sharedLoadCount); i++) value = program.memory(sharedLoads, [address], wavefronts, 0);
    value = arithmetic(here(rest), [value]);
    for (let i = 0; i < here(storeCount); i++) program.memory(stores, [value], ...storeCost);
  }
  const { blocks, ...launch } = program.launch(volume(l.grid), volume(l.block));
  const stretched = blocks.map((block) => ({
    ...block,
    warps: block.warps.map((warp) => ({ ...warp, weights: Float32Array.of(1 / scale) })),
  }));
  return {
    ...launch,
    blocks: stretched,
    blocksPerSm: Math.min(
      l.occupancy_limit_registers_blocks!,
      l.occupancy_limit_shared_blocks!,
      l.occupancy_limit_warps_blocks!,
      l.occupancy_limit_blocks!,
    ),
    traffic: { ...launch.traffic, dramReadBytes: l.dram_read_bytes!, dramWriteBytes: l.dram_write_bytes! },
  };
}

// Atomics and divergent constant loads are not among the counters.
const countable = (launches as Counters[]).filter(({ kernel }) => !/hist|countOneAddress|lookupPerLane/.test(kernel));

const estimates = countable.map((launch) => ({ launch, got: estimateTime(fromCounters(launch), h200)! }));
const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

test("half of the measured launches come within 15 %, from counters alone", () => {
  const errors = estimates.map(({ launch, got }) => Math.abs(got.ns / launch.time_ns! - 1));
  expect(median(errors)).toBeLessThan(0.15);
  expect(errors.reduce((total, error) => total + Math.min(1, error), 0) / errors.length).toBeLessThan(0.22);
});

test("achieved occupancy is within 7 points for half", () =>
  expect(median(estimates.map(({ launch, got }) => Math.abs(got.achievedOccupancyPct - launch.achieved_occupancy_pct!)))).toBeLessThan(7));
