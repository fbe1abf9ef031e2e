// Generated from sim-engine/validation/time-errors.json by sim-engine/scripts/time-errors.mjs. Do not edit.
import type { TimeErrors } from "./error-bar.ts";

export const timeErrors: TimeErrors = {
  wider: 1,
  classes: {
    launch: { launches: 86, error: 0.09 },
    compute: { launches: 206, error: 0.25 },
    l1: { launches: 278, error: 0.2 },
    l2: { launches: 397, error: 0.26 },
    memory: { launches: 428, error: 0.21 },
    atomics: { launches: 69, error: 0.43 },
    host: { launches: 2, error: 0.23 },
    waits: { launches: 85, error: 0.3 },
  },
};
