/**
 * How far from the truth a time may be: learnt, by what bounds them, from launches of programs that the model was not made on, and
 * held against others of those (docs/accuracy.md).
 */
import { timeErrors } from "./errors.ts";

/** What bounds a launch, as far as the time's error goes: kinds that err alike and of which enough were measured. */
export const errorClasses = ["launch", "compute", "l1", "l2", "memory", "atomics", "host", "waits"] as const;
export type ErrorClass = (typeof errorClasses)[number];

/** As `validation/time-errors.json` records them. */
export interface TimeErrors {
  /** How many times what the launches measured show the bar is: those of other programs are farther off, see bench/support/time-errors.mjs. */
  readonly wider: number;
  readonly classes: Readonly<Record<ErrorClass, { readonly launches: number; readonly error: number }>>;
}

const classes: Readonly<Record<string, ErrorClass>> = {
  "block-launch": "launch",
  "launch-overhead": "launch",
  l1: "l1",
  "l1-latency": "l1",
  "l2-port": "l2",
  l2: "l2",
  "l2-latency": "l2",
  dram: "memory",
  "dram-latency": "memory",
  atomics: "atomics",
  "atomic-latency": "atomics",
  "host-link": "host",
  "host-latency": "host",
  dependence: "waits",
  barrier: "waits",
  call: "waits",
  "device-calls": "waits",
  pipe: "waits",
  constant: "waits",
  "constant-latency": "waits",
  "shared-latency": "waits",
  "shuffle-latency": "waits",
};

/** The class of what bounds a launch (`time.boundBy`); pipes and issue slots are the rest. */
export const errorClass = (boundBy: string): ErrorClass => classes[boundBy] ?? "compute";

/** Within which the true time of four of five launches lies, in nanoseconds: as far below as above, as a ratio. */
export function timeRange(ns: number, boundBy: string): [lo: number, hi: number] {
  const { error } = timeErrors.classes[errorClass(boundBy)];
  return [ns / (1 + error), ns * (1 + error)];
}
