// Generated from sim-engine/validation/time-errors.json by sim-engine/scripts/time-errors.mjs. Do not edit.
import type { TimeErrors } from "./error-bar.ts";

export const timeErrors: TimeErrors = {
  wider: 1.75,
  classes: {
    launch: { launches: 38, error: 0.15 },
    compute: { launches: 35, error: 0.37 },
    l1: { launches: 44, error: 0.16 },
    l2: { launches: 28, error: 0.92 },
    memory: { launches: 95, error: 0.26 },
    atomics: { launches: 15, error: 0.48 },
    host: { launches: 3, error: 0.3 },
    waits: { launches: 15, error: 0.84 },
  },
};
