/** The engine's whole public API. */

export { sharedBase } from "./execute/memory.ts";
export { Stopped } from "./execute/stopped.ts";
export type { Source } from "./figures/figure.ts";
export { type Citations, type CitedFigures, loadCitations } from "./gpus/cited.ts";
export { customGpu, type GpuProblem } from "./gpus/custom.ts";
export type { Figure, FigureBasis } from "./gpus/files.ts";
export {
  type CapabilityModel,
  capabilities,
  type FigureName,
  figureDefinitions,
  findCapability,
  findGpu,
  type GpuModel,
  type GpuValues,
  gpus,
} from "./gpus/model.ts";
export * from "./ir/builder.ts";
export * from "./ir/graph.ts";
export { roundBf16, roundF16 } from "./ir/half.ts";
export type * from "./ir/kernel.ts";
export { scalarBits, scalarBytes } from "./ir/kernel.ts";
export { parseKernel, printKernel, printOp } from "./ir/text.ts";
export { verifyKernel } from "./ir/verify.ts";
export { mostSharedBytes } from "./ir/windows.ts";
export { LaunchRefused } from "./launchable.ts";
export { adviseOccupancy, type BlockSizeChoice, type Cliff, maxPotentialBlockSize, type OccupancyAdvice } from "./occupancy/advice.ts";
export { type Carveout, carveoutFor } from "./occupancy/carveout.ts";
export { maxActiveClusters } from "./occupancy/clusters.ts";
export { type Limiter, type Occupancy, type OccupancyInput, occupancy, occupancyProblem } from "./occupancy/occupancy.ts";
export { type Comparison, compareOutcomes } from "./outcomes/compare.ts";
export type * from "./report/launch-report.ts";
export { sumOfLines } from "./report/lines.ts";
export type * from "./report/reach.ts";
export type * from "./report/violation.ts";
export { estimateResources, type KernelResources } from "./resources.ts";
export { runWhole, type WholeRun } from "./run-whole.ts";
export { type SimulateOptions, simulate } from "./simulate.ts";
export { type ErrorClass, errorClass, errorClasses } from "./timing/error-bar.ts";
export { estimateTime, type TimeEstimate } from "./timing/index.ts";
export { type WarpName, type WatchedExecution, type WatchedPlace, type WatchedWarp, watchWarp } from "./watch.ts";
export { Cancelled, Work } from "./work.ts";
