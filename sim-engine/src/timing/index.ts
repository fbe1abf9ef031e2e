/**
 * The time of a launch. How to use it:
 * 1. Number the kernel's memory operations (global, local, shared, constant): their sites. The cache model's logs use the same.
 * 2. `timedCode(machine, sites)` turns machine code into what the replay reads.
 * 3. For a few blocks (those of `blocksToLog` serve), give each warp a `TraceRecorder(code.map(block => block.length))`: `enter` each
 *    time the warp runs a block that is not predicated (`indexOf`), `access` for what its memory operations do. Skipped loop
 *    iterations are told by the weight of those that ran, and by `repeat`.
 * 4. `estimateTraffic` says where each site's sectors are served; put its answer into the `ExecutionSummary` with the traces.
 * 5. `estimateTime(summary, gpu)`.
 */

export { calledInstructions } from "./device-calls.ts";
export { timeRange } from "./error-bar.ts";
export { estimateTime, type TimeEstimate } from "./estimate.ts";
export { roomOfWarp } from "./replay.ts";
export type { StallShares, WaitKind } from "./stalls.ts";
export type { BlockTrace, ExecutionSummary, LongestTrace, Repeat, TimedInstruction, WarpTrace } from "./summary.ts";
export { type TimedCode, timedCode } from "./timed-code.ts";
export { TraceRecorder } from "./trace.ts";
