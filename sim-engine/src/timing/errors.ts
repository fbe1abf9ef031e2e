// Generated from sim-engine/validation/time-errors.json by sim-engine/scripts/time-errors.mjs. Do not edit.
import type { TimeErrors } from "./error-bar.ts";

export const timeErrors: TimeErrors = {
  wider: 1.65,
  classes: {
    launch: { launches: 49, error: 0.14 },
    compute: { launches: 52, error: 0.35 },
    l1: { launches: 71, error: 0.2 },
    l2: { launches: 33, error: 0.85 },
    memory: { launches: 155, error: 0.27 },
    atomics: { launches: 19, error: 0.45 },
    host: { launches: 3, error: 0.3 },
    waits: { launches: 22, error: 0.99 },
  },
};
