// Generated from sim-engine/validation/time-errors.json by sim-engine/scripts/time-errors.mjs. Do not edit.
import type { TimeErrors } from "./error-bar.ts";

export const timeErrors: TimeErrors = {
  wider: 1,
  classes: {
    launch: { launches: 87, error: 0.09 },
    compute: { launches: 197, error: 0.25 },
    l1: { launches: 264, error: 0.17 },
    l2: { launches: 383, error: 0.28 },
    memory: { launches: 416, error: 0.2 },
    atomics: { launches: 70, error: 0.43 },
    host: { launches: 2, error: 0.22 },
    waits: { launches: 80, error: 0.3 },
  },
};
