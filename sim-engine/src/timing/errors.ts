// Generated from sim-engine/validation/time-errors.json by sim-engine/scripts/time-errors.mjs. Do not edit.
import type { TimeErrors } from "./error-bar.ts";

export const timeErrors: TimeErrors = {
  wider: 1.05,
  classes: {
    launch: { launches: 61, error: 0.11 },
    compute: { launches: 109, error: 0.34 },
    l1: { launches: 148, error: 0.19 },
    l2: { launches: 204, error: 0.27 },
    memory: { launches: 246, error: 0.22 },
    atomics: { launches: 34, error: 0.46 },
    host: { launches: 2, error: 0.24 },
    waits: { launches: 43, error: 0.37 },
  },
};
