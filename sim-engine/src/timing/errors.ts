// Generated from sim-engine/validation/time-errors.json by sim-engine/scripts/time-errors.mjs. Do not edit.
import type { TimeErrors } from "./error-bar.ts";

export const timeErrors: TimeErrors = {
  wider: 1.1,
  classes: {
    launch: { launches: 57, error: 0.13 },
    compute: { launches: 87, error: 0.33 },
    l1: { launches: 128, error: 0.19 },
    l2: { launches: 184, error: 0.3 },
    memory: { launches: 222, error: 0.25 },
    atomics: { launches: 30, error: 0.49 },
    host: { launches: 2, error: 0.25 },
    waits: { launches: 39, error: 0.28 },
  },
};
