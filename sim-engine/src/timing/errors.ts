// Generated from sim-engine/validation/time-errors.json by sim-engine/scripts/time-errors.mjs. Do not edit.
import type { TimeErrors } from "./error-bar.ts";

export const timeErrors: TimeErrors = {
  wider: 1.5,
  classes: {
    launch: { launches: 33, error: 0.14 },
    compute: { launches: 28, error: 0.28 },
    l1: { launches: 44, error: 0.17 },
    l2: { launches: 31, error: 0.65 },
    memory: { launches: 70, error: 0.25 },
    atomics: { launches: 11, error: 0.88 },
    host: { launches: 3, error: 0.26 },
    waits: { launches: 10, error: 0.41 },
  },
};
