// Generated from sim-engine/validation/time-errors.json by sim-engine/scripts/time-errors.mjs. Do not edit.
import type { TimeErrors } from "./error-bar.ts";

export const timeErrors: TimeErrors = {
  wider: 1,
  classes: {
    launch: { launches: 70, error: 0.07 },
    compute: { launches: 169, error: 0.25 },
    l1: { launches: 211, error: 0.16 },
    l2: { launches: 291, error: 0.22 },
    memory: { launches: 308, error: 0.17 },
    atomics: { launches: 44, error: 0.41 },
    host: { launches: 2, error: 0.18 },
    waits: { launches: 60, error: 0.27 },
  },
};
