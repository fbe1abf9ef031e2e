#!/usr/bin/env node
// Writes src/timing/errors.ts from validation/time-errors.json, which `node bench/score.mjs --write` records. `--check` fails when it is
// stale.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { write } from "../../scripts/support/generated.mjs";
import { engine, formatted } from "./figures.mjs";

const errors = JSON.parse(readFileSync(join(engine, "validation/time-errors.json"), "utf8"));
const source = `// Generated from sim-engine/validation/time-errors.json by sim-engine/scripts/time-errors.mjs. Do not edit.
import type { TimeErrors } from "./error-bar.ts";

export const timeErrors: TimeErrors = ${JSON.stringify(errors)};
`;
write("sim-engine/src/timing/errors.ts", formatted("sim-engine/src/timing/errors.ts", source));
