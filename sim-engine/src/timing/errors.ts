// Generated from sim-engine/validation/time-errors.json by sim-engine/scripts/time-errors.mjs. Do not edit.
import type { TimeErrors } from "./error-bar.ts";

export const timeErrors: TimeErrors = {
  wider: 1.5,
  classes: {
    launch: { launches: 34, error: 0.14 },
    compute: { launches: 30, error: 0.29 },
    l1: { launches: 41, error: 0.21 },
    l2: { launches: 25, error: 0.81 },
    memory: { launches: 68, error: 0.31 },
    atomics: { launches: 11, error: 0.92 },
    host: { launches: 3, error: 0.33 },
    waits: { launches: 9, error: 0.77 },
  },
};
