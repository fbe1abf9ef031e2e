// Generated from sim-engine/validation/time-errors.json by sim-engine/scripts/time-errors.mjs. Do not edit.
import type { TimeErrors } from "./error-bar.ts";

export const timeErrors: TimeErrors = {
  wider: 1.3,
  classes: {
    launch: { launches: 53, error: 0.12 },
    compute: { launches: 64, error: 0.27 },
    l1: { launches: 80, error: 0.16 },
    l2: { launches: 35, error: 0.41 },
    memory: { launches: 180, error: 0.19 },
    atomics: { launches: 20, error: 0.34 },
    host: { launches: 3, error: 0.23 },
    waits: { launches: 26, error: 0.59 },
  },
};
