// Generated from sim-engine/validation/time-errors.json by sim-engine/scripts/time-errors.mjs. Do not edit.
import type { TimeErrors } from "./error-bar.ts";

export const timeErrors: TimeErrors = {
  wider: 1,
  classes: {
    launch: { launches: 64, error: 0.1 },
    compute: { launches: 128, error: 0.29 },
    l1: { launches: 163, error: 0.18 },
    l2: { launches: 253, error: 0.25 },
    memory: { launches: 266, error: 0.18 },
    atomics: { launches: 37, error: 0.44 },
    host: { launches: 2, error: 0.21 },
    waits: { launches: 47, error: 0.37 },
  },
};
