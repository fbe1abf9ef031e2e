/** For tests: launches described by the address each thread accesses at each of its sites, logged as execution would log them. */
import type { GpuModel } from "../../gpus/model.ts";
import type { Dim3 } from "../../ir/kernel.ts";
import type { MemorySite } from "../../memory/site.ts";
import { type AccessKind, atomic, load, SectorLog, store } from "../log.ts";
import { blocksOf, blocksToLog, planLogs, type Rounds } from "../sample.ts";
import type { BufferExtent, TrafficInput } from "../traffic.ts";

export interface Access {
  readonly site: MemorySite;
  /** Bytes a lane moves. */
  readonly bytes: number;
  /** Times each thread does it, in turn with the other accesses. Default 1. */
  readonly times?: number;
  /** Each logged time stands for so many in the launch's totals. Default 1. */
  readonly standsFor?: number;
  /** The byte address in the buffer; undefined where the thread does nothing. */
  readonly at: (block: Dim3, thread: Dim3, time: number) => number | undefined;
}

export interface Pattern {
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly blocksPerSm: number;
  readonly l1Bytes: number;
  readonly buffers: readonly number[];
  readonly accesses: readonly Access[];
  readonly rounds?: Rounds;
}

/** Buffers start at multiples of 512 bytes, with a gap between them. */
function layout(sizes: readonly number[]): BufferExtent[] {
  let address = 1 << 20;
  return sizes.map((bytes) => {
    const extent = { address, bytes };
    address += Math.ceil(bytes / 512) * 512 + 4096;
    return extent;
  });
}

function logBlock(pattern: Pattern, extents: readonly BufferExtent[], index: number): SectorLog {
  const [gx, gy] = pattern.grid;
  const [bx, by, bz] = pattern.block;
  const at: Dim3 = [index % gx, Math.floor(index / gx) % gy, Math.floor(index / (gx * gy))];
  const log = new SectorLog(index, 1 << 20);
  const threads = bx * by * bz;
  const times = Math.max(...pattern.accesses.map((access) => access.times ?? 1));
  for (let time = 0; time < times; time++) {
    for (const [s, access] of pattern.accesses.entries()) {
      if (time >= (access.times ?? 1)) continue;
      const kind: AccessKind = access.site.operation === "store" ? store : access.site.operation === "load" ? load : atomic;
      for (let warp = 0; warp * 32 < threads; warp++) {
        const masks = new Map<number, number>();
        for (let t = warp * 32; t < Math.min(threads, warp * 32 + 32); t++) {
          const offset = access.at(at, [t % bx, Math.floor(t / bx) % by, Math.floor(t / (bx * by))], time);
          if (offset === undefined) continue;
          const address = extents[access.site.buffer!]!.address + offset;
          for (let byte = address; byte < address + access.bytes; byte++) {
            const sector = Math.floor(byte / 32);
            masks.set(sector, ((masks.get(sector) ?? 0) | (1 << (byte % 32))) >>> 0);
          }
        }
        if (masks.size > 0 && log.request(warp, s, kind)) for (const [sector, mask] of masks) log.sector(sector, mask);
      }
    }
  }
  return log;
}

/** The input of `estimateTraffic`; launch totals are those of the logged blocks times how many there are. */
export function trafficInput(pattern: Pattern, gpu: GpuModel): TrafficInput {
  const buffers = layout(pattern.buffers);
  const { grid, blocksPerSm, rounds } = pattern;
  const planned = planLogs(grid, blocksPerSm, gpu.values.smCount, rounds);
  const logged = new Set([...blocksToLog(grid, blocksPerSm, gpu.values.smCount), ...blocksOf(planned.steps)]);
  const logs = [...logged].map((block) => logBlock(pattern, buffers, block));
  const [middle] = logs;
  const sectors = new Float64Array(pattern.accesses.length);
  for (let r = 0; r < middle!.requests; r++) sectors[middle!.site[r]!]! += middle!.start[r + 1]! - middle!.start[r]!;
  const blocks = pattern.grid[0] * pattern.grid[1] * pattern.grid[2];
  return {
    gpu,
    l1Bytes: pattern.l1Bytes,
    grid: pattern.grid,
    blocksPerSm: pattern.blocksPerSm,
    sites: pattern.accesses.map((access) => access.site),
    buffers,
    logs,
    ...(rounds ? { rounds } : {}),
    sectors: sectors.map((count, s) => count * blocks * (pattern.accesses[s]!.standsFor ?? 1)),
  };
}
