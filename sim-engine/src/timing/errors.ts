// Generated from sim-engine/validation/time-errors.json by sim-engine/scripts/time-errors.mjs. Do not edit.
import type { TimeErrors } from "./error-bar.ts";

export const timeErrors: TimeErrors = {
  wider: 1.25,
  classes: {
    launch: { launches: 38, error: 0.11 },
    compute: { launches: 34, error: 0.25 },
    l1: { launches: 44, error: 0.14 },
    l2: { launches: 31, error: 0.52 },
    memory: { launches: 92, error: 0.2 },
    atomics: { launches: 15, error: 0.32 },
    host: { launches: 3, error: 0.23 },
    waits: { launches: 16, error: 0.61 },
  },
};
