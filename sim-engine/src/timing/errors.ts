// Generated from sim-engine/validation/time-errors.json by sim-engine/scripts/time-errors.mjs. Do not edit.
import type { TimeErrors } from "./error-bar.ts";

export const timeErrors: TimeErrors = {
  wider: 1.6,
  classes: {
    launch: { launches: 56, error: 0.15 },
    compute: { launches: 65, error: 0.35 },
    l1: { launches: 80, error: 0.2 },
    l2: { launches: 38, error: 0.77 },
    memory: { launches: 173, error: 0.26 },
    atomics: { launches: 20, error: 0.43 },
    host: { launches: 3, error: 0.31 },
    waits: { launches: 26, error: 0.96 },
  },
};
