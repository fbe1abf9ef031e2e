// Generated from sim-engine/validation/time-errors.json by sim-engine/scripts/time-errors.mjs. Do not edit.
import type { TimeErrors } from "./error-bar.ts";

export const timeErrors: TimeErrors = {
  wider: 1.4,
  classes: {
    launch: { launches: 56, error: 0.13 },
    compute: { launches: 67, error: 0.31 },
    l1: { launches: 81, error: 0.18 },
    l2: { launches: 37, error: 0.65 },
    memory: { launches: 171, error: 0.22 },
    atomics: { launches: 20, error: 0.37 },
    host: { launches: 3, error: 0.26 },
    waits: { launches: 26, error: 0.78 },
  },
};
