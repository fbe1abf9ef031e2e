/** The programs that measure a GPU. Each stands in `programs/`, and prints a line a sample: a figure's name, and its value in the figure's unit. */
import type { FigureName } from "@warplens/sim-engine";

export interface Benchmark {
  /** Of `programs/NAME.cu`. */
  readonly name: string;
  /** What it measures, for who waits. */
  readonly measures: string;
  /** The figures of a GPU model that it fills. */
  readonly figures: readonly FigureName[];
}

/** What the driver says. It is built first, and for whatever nvcc takes by itself: it has no kernels. */
export const device: Benchmark = {
  name: "device",
  measures: "what the driver says of the GPU",
  figures: ["smCount", "l2Bytes", "dramBytes", "memoryClock", "memoryBus"],
};

export const benchmarks: readonly Benchmark[] = [
  { name: "clock", measures: "the clock", figures: ["clock"] },
  {
    name: "arithmetic",
    measures: "dependent instructions",
    figures: ["arithmeticLatency", "multiplyLatency", "fp64Latency", "fp16Latency", "specialLatency"],
  },
  {
    name: "shared",
    measures: "shared memory",
    figures: ["sharedLatency", "conflictLatency", "sharedAtomicLatency", "sharedAtomicInterval", "shuffleLatency"],
  },
  { name: "chase", measures: "latencies of the caches and of memory", figures: ["l1Latency", "l2Latency", "dramLatency"] },
  { name: "barrier", measures: "barriers", figures: ["barrierLatency", "barrierPerWarp"] },
  { name: "memory", measures: "bandwidth of memory", figures: ["dramReadBandwidth", "dramMixedBandwidth"] },
  { name: "l2", measures: "bandwidth of the L2", figures: ["l2Bandwidth", "l2PortBytesPerClock", "l2WritePortBytesPerClock"] },
  { name: "atomics", measures: "atomics", figures: ["atomicInterval", "atomicFloatWork"] },
  { name: "blocks", measures: "how fast blocks begin", figures: ["blockLaunchRate"] },
];

/** Prints the times of its kernels, in ns: what the model made of the others is checked with. */
export const check = { name: "check", measures: "kernels to check the model with" } as const;
