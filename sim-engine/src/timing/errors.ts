// Generated from sim-engine/validation/time-errors.json by sim-engine/scripts/time-errors.mjs. Do not edit.
import type { TimeErrors } from "./error-bar.ts";

export const timeErrors: TimeErrors = {
  wider: 1,
  classes: {
    launch: { launches: 32, error: 0.11 },
    compute: { launches: 46, error: 0.53 },
    l1: { launches: 63, error: 0.18 },
    l2: { launches: 84, error: 0.32 },
    memory: { launches: 89, error: 0.2 },
    atomics: { launches: 23, error: 0.6 },
    host: { launches: 2, error: 0.26 },
    waits: { launches: 16, error: 0.26 },
  },
};
