// Generated from sim-engine/validation/time-errors.json by sim-engine/scripts/time-errors.mjs. Do not edit.
import type { TimeErrors } from "./error-bar.ts";

export const timeErrors: TimeErrors = {
  wider: 1,
  classes: {
    launch: { launches: 67, error: 0.1 },
    compute: { launches: 155, error: 0.24 },
    l1: { launches: 193, error: 0.17 },
    l2: { launches: 288, error: 0.22 },
    memory: { launches: 288, error: 0.18 },
    atomics: { launches: 40, error: 0.44 },
    host: { launches: 2, error: 0.19 },
    waits: { launches: 58, error: 0.3 },
  },
};
