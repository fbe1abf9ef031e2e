export type * from "./machine.ts";
export { select } from "./select.ts";
export { storeRuns } from "./store-runs.ts";
