/** Inputs that failed, kept: a file each, with a note of what it showed. */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { KindName } from "./kinds/index.ts";

export interface Case {
  readonly kind: KindName;
  /** What was wrong, and later what it was due to. */
  readonly showed: string;
  readonly input: unknown;
}

/** Writes a case into a folder. @returns the file */
export function keepCase(folder: string, kept: Case): string {
  mkdirSync(folder, { recursive: true });
  const digest = createHash("sha256").update(JSON.stringify(kept.input)).digest("hex").slice(0, 8);
  const file = path.join(folder, `${kept.kind}-${digest}.json`);
  writeFileSync(file, `${JSON.stringify(kept, undefined, 2)}\n`);
  return file;
}

/** Reads all cases in a folder, by the names of their files. */
export const readCases = (folder: string): [name: string, kept: Case][] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => [name, JSON.parse(readFileSync(path.join(folder, name), "utf8")) as Case]);
