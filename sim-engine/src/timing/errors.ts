// Generated from sim-engine/validation/time-errors.json by sim-engine/scripts/time-errors.mjs. Do not edit.
import type { TimeErrors } from "./error-bar.ts";

export const timeErrors: TimeErrors = {
  wider: 1.55,
  classes: {
    launch: { launches: 42, error: 0.14 },
    compute: { launches: 44, error: 0.28 },
    l1: { launches: 57, error: 0.17 },
    l2: { launches: 30, error: 0.78 },
    memory: { launches: 116, error: 0.23 },
    atomics: { launches: 16, error: 0.41 },
    host: { launches: 3, error: 0.28 },
    waits: { launches: 20, error: 0.96 },
  },
};
