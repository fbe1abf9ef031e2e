// Generated from sim-engine/validation/time-errors.json by sim-engine/scripts/time-errors.mjs. Do not edit.
import type { TimeErrors } from "./error-bar.ts";

export const timeErrors: TimeErrors = {
  wider: 1.55,
  classes: {
    launch: { launches: 33, error: 0.14 },
    compute: { launches: 29, error: 0.3 },
    l1: { launches: 45, error: 0.22 },
    l2: { launches: 27, error: 0.78 },
    memory: { launches: 72, error: 0.26 },
    atomics: { launches: 11, error: 0.97 },
    host: { launches: 3, error: 0.3 },
    waits: { launches: 10, error: 0.8 },
  },
};
