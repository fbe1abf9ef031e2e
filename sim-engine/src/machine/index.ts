export type * from "./machine.ts";
export { loadsUnderWay } from "./overtaken-stores.ts";
export { type CodePlace, placesIn } from "./places.ts";
export { select } from "./select.ts";
export { guardedOperands, withSlowPaths } from "./slow-paths.ts";
export { type InRun, storeRuns } from "./store-runs.ts";
