// Generated from sim-engine/validation/time-errors.json by sim-engine/scripts/time-errors.mjs. Do not edit.
import type { TimeErrors } from "./error-bar.ts";

export const timeErrors: TimeErrors = {
  wider: 1.15,
  classes: {
    launch: { launches: 46, error: 0.12 },
    compute: { launches: 61, error: 0.31 },
    l1: { launches: 78, error: 0.36 },
    l2: { launches: 128, error: 0.38 },
    memory: { launches: 165, error: 0.26 },
    atomics: { launches: 25, error: 0.41 },
    host: { launches: 2, error: 0.3 },
    waits: { launches: 22, error: 0.63 },
  },
};
