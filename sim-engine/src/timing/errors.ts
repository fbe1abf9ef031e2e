// Generated from sim-engine/validation/time-errors.json by sim-engine/scripts/time-errors.mjs. Do not edit.
import type { TimeErrors } from "./error-bar.ts";

export const timeErrors: TimeErrors = {
  wider: 1.65,
  classes: {
    launch: { launches: 42, error: 0.14 },
    compute: { launches: 44, error: 0.3 },
    l1: { launches: 57, error: 0.18 },
    l2: { launches: 30, error: 0.85 },
    memory: { launches: 116, error: 0.23 },
    atomics: { launches: 16, error: 0.45 },
    host: { launches: 3, error: 0.3 },
    waits: { launches: 20, error: 1.04 },
  },
};
