// Generated from sim-engine/validation/time-errors.json by sim-engine/scripts/time-errors.mjs. Do not edit.
import type { TimeErrors } from "./error-bar.ts";

export const timeErrors: TimeErrors = {
  wider: 1.15,
  classes: {
    launch: { launches: 39, error: 0.12 },
    compute: { launches: 53, error: 0.61 },
    l1: { launches: 69, error: 0.22 },
    l2: { launches: 112, error: 0.37 },
    memory: { launches: 122, error: 0.29 },
    atomics: { launches: 25, error: 0.72 },
    host: { launches: 2, error: 0.3 },
    waits: { launches: 19, error: 0.3 },
  },
};
