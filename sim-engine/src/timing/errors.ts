// Generated from sim-engine/validation/time-errors.json by sim-engine/scripts/time-errors.mjs. Do not edit.
import type { TimeErrors } from "./error-bar.ts";

export const timeErrors: TimeErrors = {
  wider: 1,
  classes: {
    launch: { launches: 81, error: 0.09 },
    compute: { launches: 191, error: 0.26 },
    l1: { launches: 246, error: 0.16 },
    l2: { launches: 341, error: 0.26 },
    memory: { launches: 360, error: 0.18 },
    atomics: { launches: 53, error: 0.77 },
    host: { launches: 2, error: 0.21 },
    waits: { launches: 77, error: 0.33 },
  },
};
