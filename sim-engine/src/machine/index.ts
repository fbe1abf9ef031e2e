export type * from "./machine.ts";
export { select } from "./select.ts";
