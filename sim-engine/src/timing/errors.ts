// Generated from sim-engine/validation/time-errors.json by sim-engine/scripts/time-errors.mjs. Do not edit.
import type { TimeErrors } from "./error-bar.ts";

export const timeErrors: TimeErrors = {
  wider: 1.45,
  classes: {
    launch: { launches: 57, error: 0.13 },
    compute: { launches: 62, error: 0.32 },
    l1: { launches: 80, error: 0.18 },
    l2: { launches: 38, error: 0.68 },
    memory: { launches: 175, error: 0.24 },
    atomics: { launches: 20, error: 0.38 },
    host: { launches: 3, error: 0.28 },
    waits: { launches: 26, error: 0.93 },
  },
};
