// Generated from sim-engine/validation/time-errors.json by sim-engine/scripts/time-errors.mjs. Do not edit.
import type { TimeErrors } from "./error-bar.ts";

export const timeErrors: TimeErrors = {
  wider: 1,
  classes: {
    launch: { launches: 46, error: 0.11 },
    compute: { launches: 61, error: 0.25 },
    l1: { launches: 76, error: 0.13 },
    l2: { launches: 130, error: 0.29 },
    memory: { launches: 165, error: 0.2 },
    atomics: { launches: 25, error: 0.35 },
    host: { launches: 2, error: 0.21 },
    waits: { launches: 22, error: 0.32 },
  },
};
