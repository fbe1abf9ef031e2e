/** The engine's whole public API. */
export type * from "./kernel.ts";
export type * from "./report.ts";
