/** The figures of a launch that gates bound and revisions are compared by: what each is called, counted in, and where it stands. */
import type { LaunchReport, LineCounters } from "@warplens/sim-engine";
import { formatCapacity, formatCount, formatRatio, formatTime, formatTraffic, significant } from "../units.ts";

/** What is counted in what: its units, and how many of the least each is. Those of `""` may be written without. */
export interface Dimension {
  readonly units: Readonly<Record<string, number>>;
  readonly format: (value: number) => string;
  /** Is a share of something itself. */
  readonly isShare?: boolean;
}

const binary = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };
const time: Dimension = { units: { ns: 1, us: 1e3, µs: 1e3, μs: 1e3, ms: 1e6, s: 1e9 }, format: formatTime };
const percent: Dimension = { units: { "": 1, "%": 1 }, format: (value) => `${significant(value)} %`, isShare: true };
/** Bytes moved, of 1000. */
const traffic: Dimension = {
  units: { "": 1, B: 1, kB: 1e3, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12, ...binary },
  format: formatTraffic,
};
/** Bytes of a memory, of 1024, as CUDA's limits are counted. */
const capacity: Dimension = { units: { "": 1, B: 1, KB: 2 ** 10, MB: 2 ** 20, ...binary }, format: formatCapacity };
const count: Dimension = { units: { "": 1 }, format: formatCount };
const ratio: Dimension = { units: { "": 1 }, format: formatRatio };

export interface Figure {
  /** In a gate, and as the column of a table. */
  readonly name: string;
  /** In JSON. */
  readonly key: string;
  readonly dimension: Dimension;
  readonly says: string;
  readonly lessIsBetter: boolean;
  /** It is the kernel's alone: what is assumed of a launch does not touch it. */
  readonly ofKernel?: boolean;
  /** In the least unit of the dimension; undefined where it is not known, and where there is nothing to count. */
  of(report: LaunchReport): number | undefined;
}

const perRequest = (sectors: number, requests: number): number | undefined => (requests > 0 ? sectors / requests : undefined);

/** Wavefronts beyond what the lanes' bytes need, of all lines. */
function bankConflicts({ lines, otherLines }: LaunchReport): number {
  const tables: readonly Readonly<Record<string, LineCounters>>[] = [lines, ...Object.values(otherLines)];
  return tables
    .flatMap((table) => Object.values(table))
    .reduce((sum, { sharedWavefronts, sharedWavefrontsIdeal }) => sum + Math.max(0, sharedWavefronts - sharedWavefrontsIdeal), 0);
}

export const figures: readonly Figure[] = [
  { name: "time", key: "timeNs", dimension: time, says: "how long the launch takes", lessIsBetter: true, of: ({ time }) => time?.ns },
  {
    name: "occupancy",
    key: "occupancyPct",
    dimension: percent,
    says: "theoretical occupancy: the warps that an SM may hold of those it could",
    lessIsBetter: false,
    of: ({ occupancy }) => occupancy.theoreticalPct,
  },
  {
    name: "achieved occupancy",
    key: "achievedOccupancyPct",
    dimension: percent,
    says: "the warps that an SM holds on average of those it could",
    lessIsBetter: false,
    of: ({ occupancy }) => occupancy.achievedPct,
  },
  {
    name: "registers",
    key: "registersPerThread",
    dimension: count,
    says: "registers of a thread",
    lessIsBetter: true,
    ofKernel: true,
    of: ({ resources }) => resources.registersPerThread.value,
  },
  {
    name: "DRAM bytes",
    key: "dramBytes",
    dimension: traffic,
    says: "bytes read from DRAM and written to it",
    lessIsBetter: true,
    of: ({ traffic: { dramReadBytes: read, dramWriteBytes: written } }) =>
      read === undefined || written === undefined ? undefined : read + written,
  },
  {
    name: "sectors per request",
    key: "sectorsPerRequest",
    dimension: ratio,
    says: "sectors of 32 bytes that a request of a warp to global memory moves",
    lessIsBetter: true,
    of: ({ traffic: { globalLoadSectors, globalStoreSectors, globalLoadRequests, globalStoreRequests } }) =>
      perRequest(globalLoadSectors + globalStoreSectors, globalLoadRequests + globalStoreRequests),
  },
  {
    name: "load sectors per request",
    key: "loadSectorsPerRequest",
    dimension: ratio,
    says: "the same of loads",
    lessIsBetter: true,
    of: ({ traffic }) => perRequest(traffic.globalLoadSectors, traffic.globalLoadRequests),
  },
  {
    name: "store sectors per request",
    key: "storeSectorsPerRequest",
    dimension: ratio,
    says: "the same of stores",
    lessIsBetter: true,
    of: ({ traffic }) => perRequest(traffic.globalStoreSectors, traffic.globalStoreRequests),
  },
  {
    name: "bank conflicts",
    key: "bankConflicts",
    dimension: count,
    says: "wavefronts to shared memory beyond what the lanes' bytes need",
    lessIsBetter: true,
    of: bankConflicts,
  },
  {
    name: "static shared",
    key: "staticSharedBytes",
    dimension: capacity,
    says: "bytes of static shared memory of a block",
    lessIsBetter: true,
    ofKernel: true,
    of: ({ resources }) => resources.staticSharedBytes,
  },
  {
    name: "dynamic shared",
    key: "dynamicSharedBytes",
    dimension: capacity,
    says: "bytes of dynamic shared memory of a block",
    lessIsBetter: true,
    of: ({ dynamicSharedBytes }) => dynamicSharedBytes,
  },
];
