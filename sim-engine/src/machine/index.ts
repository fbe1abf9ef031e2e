export type * from "./machine.ts";
export { loadsUnderWay } from "./overtaken-stores.ts";
export { placesIn } from "./places.ts";
export { select } from "./select.ts";
export { guardedOperands, withSlowPaths } from "./slow-paths.ts";
export { withSpins } from "./spins.ts";
export { storeRuns } from "./store-runs.ts";
