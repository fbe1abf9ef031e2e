// Generated from sim-engine/validation/time-errors.json by sim-engine/scripts/time-errors.mjs. Do not edit.
import type { TimeErrors } from "./error-bar.ts";

export const timeErrors: TimeErrors = {
  wider: 1.1,
  classes: {
    launch: { launches: 57, error: 0.12 },
    compute: { launches: 86, error: 0.36 },
    l1: { launches: 128, error: 0.19 },
    l2: { launches: 184, error: 0.3 },
    memory: { launches: 222, error: 0.25 },
    atomics: { launches: 30, error: 0.49 },
    host: { launches: 2, error: 0.24 },
    waits: { launches: 40, error: 0.28 },
  },
};
