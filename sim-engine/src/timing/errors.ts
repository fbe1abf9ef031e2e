// Generated from sim-engine/validation/time-errors.json by sim-engine/scripts/time-errors.mjs. Do not edit.
import type { TimeErrors } from "./error-bar.ts";

export const timeErrors: TimeErrors = {
  wider: 1,
  classes: {
    launch: { launches: 92, error: 0.1 },
    compute: { launches: 208, error: 0.26 },
    l1: { launches: 282, error: 0.18 },
    l2: { launches: 407, error: 0.27 },
    memory: { launches: 443, error: 0.21 },
    atomics: { launches: 74, error: 0.39 },
    host: { launches: 2, error: 0.23 },
    waits: { launches: 93, error: 0.27 },
  },
};
