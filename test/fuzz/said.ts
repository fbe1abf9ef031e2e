/** What an analysis says of a file, and where two such answers differ. */
import { isDeepStrictEqual } from "node:util";
import type { JobRunner } from "../../server/src/worker/run.ts";
import { said } from "../../server/src/worker/testing/edits.ts";

/** Thousand steps of a simulation, in which it asks whether it is still wanted. */
const mostSteps = 200;

/** All it says of a file once nobody types; undefined where that takes too long. */
export function saidBy(made: JobRunner, path: string): unknown {
  let asked = 0;
  return said(made, path, () => ++asked > mostSteps);
}

/** The first place where two values differ. */
export function difference(now: unknown, fresh: unknown, name: string): string {
  if (typeof now === "object" && now && typeof fresh === "object" && fresh)
    for (const key of new Set([...Object.keys(now), ...Object.keys(fresh)])) {
      const [a, b] = [(now as Record<string, unknown>)[key], (fresh as Record<string, unknown>)[key]];
      if (!isDeepStrictEqual(a, b)) return difference(a, b, `${name}.${key}`);
    }
  return `${name} is ${short(now)}, and of a fresh analysis ${short(fresh)}`;
}

const short = (value: unknown): string => (JSON.stringify(value) ?? "missing").slice(0, 200);
