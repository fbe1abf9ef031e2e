// Generated from sim-engine/validation/time-errors.json by sim-engine/scripts/time-errors.mjs. Do not edit.
import type { TimeErrors } from "./error-bar.ts";

export const timeErrors: TimeErrors = {
  wider: 1.05,
  classes: {
    launch: { launches: 65, error: 0.11 },
    compute: { launches: 125, error: 0.31 },
    l1: { launches: 162, error: 0.19 },
    l2: { launches: 248, error: 0.25 },
    memory: { launches: 271, error: 0.21 },
    atomics: { launches: 37, error: 0.46 },
    host: { launches: 2, error: 0.24 },
    waits: { launches: 50, error: 0.38 },
  },
};
