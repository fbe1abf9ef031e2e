/** The way of a launch's bytes from the threads to DRAM: what each level moved, and how much of it the level held. */
import type { LaunchReport } from "@warplens/sim-engine";

const sectorBytes = 32;

export interface MemoryLevel {
  readonly name: "Requested" | "L1" | "L2" | "DRAM" | "Host";
  /** Bytes; absent where they are not known. */
  readonly read?: number;
  readonly written?: number;
  /** Of what is asked of the level, in percent. */
  readonly hitPct?: number;
}

/** From the threads on; the host's memory where buffers lie there. */
export function memoryLevels({ traffic, accesses }: Pick<LaunchReport, "traffic" | "accesses">): MemoryLevel[] {
  const requested = (...operations: readonly string[]): number =>
    accesses
      .filter(({ space, operation }) => space === "global" && operations.includes(operation))
      .reduce((sum, { lanes, bytesPerLane }) => sum + lanes * bytesPerLane, 0);
  const inBytes = (sectors: number | undefined): number | undefined => sectors && sectors * sectorBytes;
  const level = (name: MemoryLevel["name"], read?: number, written?: number, hitPct?: number): MemoryLevel => ({
    name,
    ...(read === undefined ? {} : { read }),
    ...(written === undefined ? {} : { written }),
    ...(hitPct === undefined ? {} : { hitPct }),
  });
  return [
    level("Requested", requested("load", "copy"), requested("store")),
    level("L1", inBytes(traffic.globalLoadSectors), inBytes(traffic.globalStoreSectors), traffic.l1HitPct),
    level("L2", inBytes(traffic.l2ReadSectors), inBytes(traffic.l2WriteSectors), traffic.l2HitPct),
    level("DRAM", traffic.dramReadBytes, traffic.dramWriteBytes),
    ...(traffic.hostReadBytes === undefined ? [] : [level("Host", traffic.hostReadBytes, traffic.hostWriteBytes)]),
  ];
}
