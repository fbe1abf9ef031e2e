/**
 * The cache model: what share of a launch's sectors the L1, the L2 and memory serve, from a few sampled blocks.
 *
 * How to use it:
 * 1. Ask `blocksToLog` which blocks to run with their accesses logged: blocks that share an SM, and neighbours of one of them.
 * 2. While such a block runs, for every global or local request of a warp (not shared, not constant) call `log.request(warp,
 *    site, kind)` and, while it is true, `log.sector(address / 32, byteMask)` for each distinct 32-byte sector. Warps may be
 *    executed in any order; within a warp requests are in program order.
 * 3. Give the logs to `estimateTraffic` with the launch totals of sectors by site.
 */

export { mayDrift } from "./drift.ts";
export { estimateTraffic } from "./estimate.ts";
export { Footprints } from "./footprint.ts";
export { l1Cycles } from "./l1-cycles.ts";
export { type AccessKind, atomic, bypass, type LoggedRepeat, load, SectorLog, store } from "./log.ts";
export { blocksOf, blocksToLog, planLogs, type Rounds } from "./sample.ts";
export type { BufferExtent, SiteTraffic, TrafficEstimate, TrafficInput } from "./traffic.ts";
