/** What the cache model is asked and what it answers. */
import type { GpuModel } from "../gpus/model.ts";
import type { Dim3 } from "../ir/kernel.ts";
import type { MemorySite } from "../memory/site.ts";
import type { SectorLog } from "./log.ts";
import type { Rounds } from "./sample.ts";

/** An allocation: its address and size in bytes. Addresses are below 2^37. */
export interface BufferExtent {
  readonly address: number;
  /** Absent when the size is not known. */
  readonly bytes?: number;
  /** Memory of the host, mapped: what misses the caches goes over the link to it. */
  readonly ofHost?: boolean;
}

export interface TrafficInput {
  readonly gpu: GpuModel;
  /** The L1 that shared memory leaves on each SM (`occupancy().l1Bytes`). */
  readonly l1Bytes: number;
  readonly grid: Dim3;
  readonly blocksPerSm: number;
  readonly sites: readonly MemorySite[];
  readonly buffers: readonly BufferExtent[];
  /** One for each block that was executed with its accesses logged; see `blocksToLog`. */
  readonly logs: readonly SectorLog[];
  /** By log: how many blocks of the grid its block stands for; absent where each stands for as many. */
  readonly standsFor?: readonly number[];
  /** Of what lasts longest, which is told by itself as well; and what others do beside it, of what it does. */
  readonly longest?: { readonly log: SectorLog; readonly besides: number };
  /** Blocks after which what a block does may begin anew: see `planLogs`. Default none: blocks go on as the first few do. */
  readonly rounds?: Rounds;
  /** By site, launch totals: sectors of all its requests (exact or extrapolated by the sampler). Shared and constant sites: 0. */
  readonly sectors: Float64Array;
  /** Share of the memory's peak bandwidth that the launch reaches, its warps side by side; absent as long as nobody knows. */
  readonly busy?: number;
  /** Warps store faster than what they store can go on: all of an SM's schedulers have one at it at any time. Default: they do not. */
  readonly crowded?: boolean;
}

/** What warps read again that they have read before, long ago: warps that fall behind lose most of it, others nothing. */
export interface Rereads {
  /** Of the sectors a site requests, the share that is read again so. */
  readonly share: number;
  /** Of these the share that the L1, and that the L2 has lost as well. */
  readonly lostByL1: number;
  readonly lostByL2: number;
}

/** Of the sectors a site requests, launch averages. */
export interface SiteTraffic {
  /** Shares that each level serves; they sum to 1. Of stores and atomics, `l2` is what the L2 takes and `dram` what goes on to memory. */
  readonly l1: number;
  readonly l2: number;
  readonly dram: number;
  /** Share, part of `l1`, that another warp asked for just before: a load waits for them as for what it asks for itself. */
  readonly underWay: number;
  /** Share, part of `l2`, that another block asked memory for just before: a load waits for them as for what comes from memory. */
  readonly l2UnderWay: number;
  /**
   * What each sector that reaches the L2 costs there, in accesses of two sectors: 0.5 when whole lines are read, 1 when sectors come
   * alone; a little more of whole lines that are written.
   */
  readonly accessesPerSector: number;
  /** Lines asked for, for each sector that reaches the L2: 0.25 when lines are whole. */
  readonly linesPerSector: number;
  /** Bytes moved to and from memory for each sector of the `dram` share, fills and write-backs included. */
  readonly bytesPerDramSector: number;
  /** Of a request of which anything goes on to the L2, the share that does: 1 where its sectors are all missed at once, little where rows begin apart. */
  readonly together: number;
  /** Share, part of `l2`, that memory brought with the sector beside it, for which the warp asked before. */
  readonly along: number;
  /** Of a request of which anything comes from memory, the share of what goes on to the L2 that does; the rest came along before. */
  readonly togetherFromMemory: number;
  /** Absent where nothing is read again, or nothing of it lost. */
  readonly rereads?: Rereads;
  /** What goes to memory lies scattered: the memory's pages are opened for one access each. */
  readonly scattered: boolean;
  /** Memory is the host's, behind the link; of stores, the share of what goes there that fills no sector. */
  readonly host?: { readonly partial: number };
}

/** Launch totals with Nsight Compute's meaning, and each site's shares. */
export interface TrafficEstimate {
  readonly sites: readonly SiteTraffic[];
  /** Of `TrafficInput.longest` alone. */
  readonly longest?: readonly SiteTraffic[];
  /** l1tex__t_sector_hit_rate: loads and stores. Absent when nothing goes through the L1. */
  readonly l1HitPct?: number;
  /** lts__t_sector_hit_rate. Absent when nothing reaches the L2. */
  readonly l2HitPct?: number;
  /** lts__t_sectors_op_read, op_write: on GPUs whose L2 has two halves a sector the other half holds is looked up twice. */
  readonly l2ReadSectors: number;
  readonly l2WriteSectors: number;
  readonly dramReadBytes: number;
  readonly dramWriteBytes: number;
  /** Over the link to the host's memory; absent where no buffer lies there. */
  readonly hostReadBytes?: number;
  readonly hostWriteBytes?: number;
}
