// Generated from sim-engine/validation/time-errors.json by sim-engine/scripts/time-errors.mjs. Do not edit.
import type { TimeErrors } from "./error-bar.ts";

export const timeErrors: TimeErrors = {
  wider: 1.15,
  classes: {
    launch: { launches: 40, error: 0.18 },
    compute: { launches: 49, error: 0.46 },
    l1: { launches: 65, error: 0.27 },
    l2: { launches: 43, error: 0.6 },
    memory: { launches: 114, error: 0.26 },
    atomics: { launches: 26, error: 0.72 },
    host: { launches: 2, error: 0.35 },
    waits: { launches: 16, error: 0.35 },
  },
};
