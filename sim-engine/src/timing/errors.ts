// Generated from sim-engine/validation/time-errors.json by sim-engine/scripts/time-errors.mjs. Do not edit.
import type { TimeErrors } from "./error-bar.ts";

export const timeErrors: TimeErrors = {
  wider: 1.5,
  classes: {
    launch: { launches: 38, error: 0.13 },
    compute: { launches: 34, error: 0.3 },
    l1: { launches: 44, error: 0.17 },
    l2: { launches: 31, error: 0.65 },
    memory: { launches: 92, error: 0.2 },
    atomics: { launches: 15, error: 0.4 },
    host: { launches: 3, error: 0.26 },
    waits: { launches: 16, error: 0.77 },
  },
};
