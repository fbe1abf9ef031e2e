// Generated from sim-engine/validation/time-errors.json by sim-engine/scripts/time-errors.mjs. Do not edit.
import type { TimeErrors } from "./error-bar.ts";

export const timeErrors: TimeErrors = {
  wider: 1.05,
  classes: {
    launch: { launches: 57, error: 0.12 },
    compute: { launches: 87, error: 0.32 },
    l1: { launches: 128, error: 0.18 },
    l2: { launches: 184, error: 0.29 },
    memory: { launches: 222, error: 0.24 },
    atomics: { launches: 30, error: 0.46 },
    host: { launches: 2, error: 0.23 },
    waits: { launches: 39, error: 0.27 },
  },
};
