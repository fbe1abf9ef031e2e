// Generated from sim-engine/validation/time-errors.json by sim-engine/scripts/time-errors.mjs. Do not edit.
import type { TimeErrors } from "./error-bar.ts";

export const timeErrors: TimeErrors = {
  wider: 1.05,
  classes: {
    launch: { launches: 45, error: 0.11 },
    compute: { launches: 60, error: 0.27 },
    l1: { launches: 74, error: 0.18 },
    l2: { launches: 132, error: 0.32 },
    memory: { launches: 165, error: 0.22 },
    atomics: { launches: 25, error: 0.37 },
    host: { launches: 2, error: 0.23 },
    waits: { launches: 24, error: 0.27 },
  },
};
