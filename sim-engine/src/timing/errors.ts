// Generated from sim-engine/validation/time-errors.json by sim-engine/scripts/time-errors.mjs. Do not edit.
import type { TimeErrors } from "./error-bar.ts";

export const timeErrors: TimeErrors = {
  wider: 1.9,
  classes: {
    launch: { launches: 38, error: 0.16 },
    compute: { launches: 34, error: 0.39 },
    l1: { launches: 44, error: 0.22 },
    l2: { launches: 31, error: 0.88 },
    memory: { launches: 92, error: 0.32 },
    atomics: { launches: 15, error: 0.53 },
    host: { launches: 3, error: 0.36 },
    waits: { launches: 16, error: 1.05 },
  },
};
