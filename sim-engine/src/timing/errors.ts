// Generated from sim-engine/validation/time-errors.json by sim-engine/scripts/time-errors.mjs. Do not edit.
import type { TimeErrors } from "./error-bar.ts";

export const timeErrors: TimeErrors = {
  wider: 1,
  classes: {
    launch: { launches: 76, error: 0.08 },
    compute: { launches: 174, error: 0.25 },
    l1: { launches: 229, error: 0.16 },
    l2: { launches: 315, error: 0.21 },
    memory: { launches: 324, error: 0.18 },
    atomics: { launches: 44, error: 0.41 },
    host: { launches: 2, error: 0.18 },
    waits: { launches: 69, error: 0.26 },
  },
};
