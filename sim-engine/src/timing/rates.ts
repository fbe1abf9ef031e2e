/** A GPU's rates in SM cycles, as the replay needs them. */
import type { GpuValues } from "../gpus/figures.ts";
import type { Pipe } from "../machine/machine.ts";

const lanes = 32;
/** Multiply-adds of the matrix instruction that others are multiples of: 16 by 8 by 16 halves. */
const matrixProducts = 16 * 8 * 16;

/** Cycles a pipe of one scheduler is busy with one warp instruction. */
export function pipeCycles(gpu: GpuValues): Readonly<Record<Pipe, number>> {
  const busy = (perClock: number): number => (perClock > 0 ? (lanes * gpu.schedulers) / perClock : lanes);
  return {
    fma: busy(gpu.fp32PerClock),
    fmaheavy: busy(gpu.multiplyPerClock),
    alu: busy(gpu.integerPerClock),
    fp64: busy(gpu.fp64PerClock),
    // Two results a lane.
    fp16: busy(gpu.fp16PerClock / 2),
    xu: busy(gpu.specialPerClock),
    // What each scheduler hands over; the data path behind is the SM's.
    lsu: gpu.unitInterval,
    tex: busy(gpu.texturePerClock),
    // Without tensor cores each multiply-add of a product is one of single precision.
    tensor: (matrixProducts * gpu.schedulers) / (gpu.mmaPerClock ?? gpu.tensorFp16PerClock ?? gpu.fp32PerClock),
    cbu: gpu.unitInterval,
    adu: gpu.unitInterval,
    uniform: gpu.unitInterval,
  };
}

export interface MemoryRates {
  /** Cycles for each sector through the SM's own port to the L2, read and written. */
  readonly portPerRead: number;
  readonly portPerWrite: number;
  /** Of a line that is written, at least so many. */
  readonly portPerLine: number;
  /** Cycles for each L2 access of this SM's share, read and written. */
  readonly l2PerRead: number;
  readonly l2PerWrite: number;
  /** Of each sector of atomics, at most. */
  readonly l2PerAtomic: number;
  /** Cycles for which each line that is read keeps this SM's share of the L2 from writing. */
  readonly l2PerLine: number;
  /** The same of each sector that memory brings, half of them for the other half of the L2. */
  readonly l2PerBrought: number;
  /** Cycles for each byte of this SM's share of memory bandwidth, in order, by lanes along rows of their own, and scattered. */
  readonly dramPerByte: number;
  readonly dramPerRowByte: number;
  readonly dramPerScatteredByte: number;
  /** Cycles for each byte of this SM's share of the link to the host, either way, and for each write there that fills no sector. */
  readonly hostPerByte: number;
  readonly hostPerPartial: number;
  /** Power with which latency and bandwidth of loads from memory combine (see `loaded`). */
  readonly dramSoftness: number;
}

const perCycle = (gpu: GpuValues, gigabytesPerSecond: number): number => (gigabytesPerSecond * 1000) / gpu.clock;

/** Memory bandwidth reached, in GB/s, when `readShare` of the bytes are reads: it turns round most often with as many writes. */
const dramBandwidthFor = ({ dramMixedBandwidth: mixed, dramReadBandwidth: pure }: GpuValues, readShare: number): number =>
  pure - (pure - mixed) * mixture(readShare) ** 2;

/** 0 when all bytes are read or all written, 1 when as many are read as written. */
const mixture = (readShare: number): number => 1 - Math.abs(2 * readShare - 1);

/** The share of one SM when `activeSms` draw on L2 and memory alike; `readShare` of their bytes are reads, of memory and of the host's. */
export function memoryRates(gpu: GpuValues, activeSms: number, readShare: number, hostReadShare = 1): MemoryRates {
  const share = (gigabytesPerSecond: number): number => activeSms / perCycle(gpu, gigabytesPerSecond);
  const bothWays = 1 - (1 - gpu.hostLinkBothWays) * mixture(hostReadShare);
  return {
    portPerRead: gpu.sectorBytes / gpu.l2PortBytesPerClock,
    portPerWrite: gpu.sectorBytes / gpu.l2WritePortBytesPerClock,
    portPerLine: gpu.l2WritePortLineBytes / gpu.l2WritePortBytesPerClock,
    l2PerRead: gpu.l2AccessBytes * share(gpu.l2Bandwidth),
    l2PerLine: gpu.l2LineShare * gpu.l2AccessBytes * share(gpu.l2Bandwidth),
    l2PerBrought: gpu.l2Partitions > 1 ? gpu.l2SectorWriteCost * gpu.l2AccessBytes * share(gpu.l2Bandwidth * gpu.l2WriteShare) : 0,
    l2PerAtomic: activeSms / gpu.atomicRate,
    l2PerWrite: gpu.l2AccessBytes * share(gpu.l2Bandwidth * gpu.l2WriteShare),
    dramPerByte: share(dramBandwidthFor(gpu, readShare)),
    dramPerRowByte: share(dramBandwidthFor(gpu, readShare) * gpu.dramRowShare),
    dramPerScatteredByte: share(gpu.dramBandwidth * gpu.dramRandomShare),
    hostPerByte: share(gpu.hostLinkBandwidth * gpu.hostLinkShare * bothWays),
    hostPerPartial: (activeSms * gpu.hostWriteInterval * gpu.clock) / 1000,
    dramSoftness: gpu.loadSoftness - (gpu.loadSoftness - gpu.mixedSoftness) * mixture(readShare),
  };
}

/** Beyond this the formula would have latency without end. */
const mostUtilised = 0.98;

/** Latency under load: what makes latency and bandwidth combine as T^p = latency^p + bandwidth^p (see `loadSoftness`). */
export const loaded = (latency: number, utilisation: number, power: number): number =>
  latency * (1 - Math.min(utilisation, mostUtilised) ** power) ** (-1 / power);
