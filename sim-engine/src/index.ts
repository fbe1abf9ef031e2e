/** The engine's whole public API. */

export * from "./builder.ts";
export { sharedBase } from "./execute/memory.ts";
export { type Citations, type CitedFigures, loadCitations } from "./gpus/cited.ts";
export { customGpu, type GpuProblem } from "./gpus/custom.ts";
export type { Figure, FigureBasis, Source } from "./gpus/files.ts";
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
export * from "./graph.ts";
export type * from "./kernel.ts";
export { scalarBits, scalarBytes } from "./kernel.ts";
export { adviseOccupancy, type BlockSizeChoice, type Cliff, maxPotentialBlockSize, type OccupancyAdvice } from "./occupancy/advice.ts";
export { type Carveout, carveoutFor } from "./occupancy/carveout.ts";
export { maxActiveClusters } from "./occupancy/clusters.ts";
export { type Limiter, type Occupancy, type OccupancyInput, occupancy, occupancyProblem } from "./occupancy/occupancy.ts";
export type * from "./report.ts";
export { estimateResources, type KernelResources } from "./resources.ts";
export { runWhole, type WholeRun } from "./run-whole.ts";
export { type SimulateOptions, simulate } from "./simulate.ts";
export { parseKernel, printKernel, printOp } from "./text.ts";
export { estimateTime, type TimeEstimate } from "./timing/index.ts";
export { verifyKernel } from "./verify.ts";
export { Cancelled, Work } from "./work.ts";
