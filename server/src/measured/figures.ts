/** The figures that are read of a report and held against those of a simulation: one table for both. */
import type { LaunchReport } from "@warplens/sim-engine";
import type { Unit } from "./numbers.ts";
import type { FigureName } from "./report.ts";

interface Figure {
  readonly label: string;
  readonly unit: Unit;
  /** What the profiler calls this figure: metrics, and what the details page calls them. */
  readonly metrics: readonly string[];
  readonly estimated: (report: LaunchReport) => number | undefined;
}

/** In the order to show them. */
export const figures: Readonly<Record<FigureName, Figure>> = {
  time: { label: "Time", unit: "ns", metrics: ["gpu__time_duration.sum", "Duration"], estimated: ({ time }) => time?.ns },
  dramGBs: {
    label: "DRAM throughput",
    unit: "GB/s",
    metrics: ["dram__bytes.sum.per_second"],
    estimated: ({ time }) => time?.dramGBs,
  },
  theoreticalOccupancy: {
    label: "Occupancy, theoretical",
    unit: "%",
    metrics: ["sm__maximum_warps_per_active_cycle_pct", "Theoretical Occupancy"],
    estimated: ({ occupancy }) => occupancy.theoreticalPct,
  },
  achievedOccupancy: {
    label: "Occupancy, achieved",
    unit: "%",
    metrics: ["sm__warps_active.avg.pct_of_peak_sustained_active", "Achieved Occupancy"],
    estimated: ({ occupancy }) => occupancy.achievedPct,
  },
  registers: {
    label: "Registers a thread",
    unit: "count",
    metrics: ["launch__registers_per_thread", "Registers Per Thread"],
    estimated: ({ resources }) => resources.registersPerThread.value,
  },
  staticShared: {
    label: "Static shared memory",
    unit: "bytes",
    metrics: ["launch__shared_mem_per_block_static", "Static Shared Memory Per Block"],
    estimated: ({ resources }) => resources.staticSharedBytes,
  },
  dynamicShared: {
    label: "Dynamic shared memory",
    unit: "bytes",
    metrics: ["launch__shared_mem_per_block_dynamic", "Dynamic Shared Memory Per Block"],
    estimated: ({ dynamicSharedBytes }) => dynamicSharedBytes,
  },
  dramRead: {
    label: "DRAM read",
    unit: "bytes",
    metrics: ["dram__bytes_read.sum"],
    estimated: ({ traffic }) => traffic.dramReadBytes,
  },
  dramWritten: {
    label: "DRAM written",
    unit: "bytes",
    metrics: ["dram__bytes_write.sum"],
    estimated: ({ traffic }) => traffic.dramWriteBytes,
  },
  l2Hits: {
    label: "L2 hits",
    unit: "%",
    metrics: ["lts__t_sector_hit_rate.pct", "L2 Hit Rate"],
    estimated: ({ traffic }) => traffic.l2HitPct,
  },
  l1Hits: {
    label: "L1 hits",
    unit: "%",
    metrics: ["l1tex__t_sector_hit_rate.pct", "L1/TEX Hit Rate"],
    estimated: ({ traffic }) => traffic.l1HitPct,
  },
  loadSectors: {
    label: "Global load sectors",
    unit: "count",
    metrics: ["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"],
    estimated: ({ traffic }) => traffic.globalLoadSectors,
  },
  storeSectors: {
    label: "Global store sectors",
    unit: "count",
    metrics: ["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"],
    estimated: ({ traffic }) => traffic.globalStoreSectors,
  },
  sharedLoads: {
    label: "Shared load wavefronts",
    unit: "count",
    metrics: ["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"],
    estimated: ({ shared }) => shared.loadWavefronts,
  },
  sharedStores: {
    label: "Shared store wavefronts",
    unit: "count",
    metrics: ["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"],
    estimated: ({ shared }) => shared.storeWavefronts,
  },
  warpInstructions: {
    label: "Instructions of warps",
    unit: "count",
    metrics: ["smsp__inst_executed.sum", "sm__inst_executed.sum", "inst_executed", "Executed Instructions"],
    estimated: ({ instructions }) => instructions.warp,
  },
  threadInstructions: {
    label: "Instructions of threads",
    unit: "count",
    metrics: ["smsp__thread_inst_executed.sum", "sm__thread_inst_executed.sum", "thread_inst_executed"],
    estimated: ({ instructions }) => instructions.thread,
  },
};

/** Whether a number can have been measured: none is below 0, and nothing takes no time. */
export const isMeasurable = (figure: FigureName, value: number): boolean => value > 0 || (value === 0 && figure !== "time");

export const figureNames = Object.keys(figures) as readonly FigureName[];
