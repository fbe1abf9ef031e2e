// Generated from sim-engine/validation/time-errors.json by sim-engine/scripts/time-errors.mjs. Do not edit.
import type { TimeErrors } from "./error-bar.ts";

export const timeErrors: TimeErrors = {
  wider: 1.75,
  classes: {
    launch: { launches: 33, error: 0.16 },
    compute: { launches: 29, error: 0.35 },
    l1: { launches: 45, error: 0.25 },
    l2: { launches: 27, error: 0.92 },
    memory: { launches: 72, error: 0.3 },
    atomics: { launches: 11, error: 1.08 },
    host: { launches: 3, error: 0.32 },
    waits: { launches: 10, error: 0.94 },
  },
};
