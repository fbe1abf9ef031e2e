/** For tests: command lines run in folders of their own. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll } from "vitest";
import type { Io } from "../io.ts";
import { main } from "../run.ts";
import { inlineInspector } from "./inline-inspector.ts";

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** A file's text afterwards. */
  read(name: string): string;
}

type Files = Readonly<Record<string, string | Uint8Array>>;
type Given = Partial<Io> & { readonly stdin?: string };

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A new folder with these files, which lives as long as the test file's tests. */
export function folderWith(files: Files = {}): string {
  const folder = mkdtempSync(path.join(tmpdir(), "warplens-"));
  folders.push(folder);
  writeInto(folder, files);
  return folder;
}

export function writeInto(folder: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), content);
  }
}

/** Runs a command line in a folder of its own that holds the files. */
export async function run(files: Files, argv: readonly string[], given: Given = {}): Promise<Ran> {
  return runIn(folderWith(files), argv, given);
}

/** Runs a command line in a folder. */
export async function runIn(cwd: string, argv: readonly string[], { stdin = "", ...given }: Given = {}): Promise<Ran> {
  let out = "";
  let err = "";
  const io: Io = {
    cwd,
    env: {},
    isTerminal: false,
    out: (text) => {
      out += text;
    },
    error: (text) => {
      err += text;
    },
    async *lines() {
      yield* stdin.split("\n");
    },
    startInspector: inlineInspector,
    build: () => undefined,
    serve: () => Promise.resolve(),
    ...given,
  };
  return { code: await main(argv, io), out, err, read: (name) => readFileSync(path.join(cwd, name), "utf8") };
}
