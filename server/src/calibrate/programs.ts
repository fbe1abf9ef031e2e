/** Builds and runs the programs that measure a GPU, with the user's nvcc, in a folder of their own. */
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { firstError } from "../nvcc/compile.ts";
import { run } from "../nvcc/run.ts";

/** Where the sources lie: beside this file, and beside the bundle. */
const sources = fileURLToPath(new URL("./programs/", import.meta.url));

/** A program's source as it is in the package. */
export const sourceOf = (name: string): { readonly path: string; readonly text: string } => {
  const file = path.join(sources, `${name}.cu`);
  return { path: file, text: readFileSync(file, "utf8") };
};

/** What a program printed: `name value` a line, or why there is nothing, as a clause. */
export type Printed = { readonly lines: readonly (readonly [name: string, value: string])[] } | { readonly problem: string };

export class Programs {
  readonly #nvcc: string;
  readonly #folder: string;

  constructor(nvcc: string) {
    this.#nvcc = nvcc;
    this.#folder = mkdtempSync(path.join(tmpdir(), "warplens-calibrate-"));
    // nvcc hands names of files to a shell: none of the user's folders is among them.
    cpSync(sources, this.#folder, { recursive: true });
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** @param architecture such as 90; undefined for a program without kernels */
  async measure(name: string, architecture?: number): Promise<Printed> {
    const source = path.join(this.#folder, `${name}.cu`);
    const program = path.join(this.#folder, process.platform === "win32" ? `${name}.exe` : name);
    const target = architecture === undefined ? [] : ["-gencode", `arch=compute_${architecture},code=sm_${architecture}`];
    const built = await run(this.#nvcc, ["-O3", "-std=c++14", ...target, "-o", program, source], { seconds: 180, megabytes: 8192 });
    if (built.code !== 0) {
      const why = built.problem ?? firstError(built.output, source, `${name}.cu`) ?? `exit code ${built.code}`;
      return { problem: `nvcc cannot build ${name}.cu: ${why}` };
    }
    // A program that uses a GPU reserves more addresses than there is memory.
    const ran = await run(program, [], { seconds: 180 });
    const lines = ran.output.split(/\r?\n/).flatMap((line): [string, string][] => {
      const [, word, rest] = /^(\S+) (.+)$/.exec(line) ?? [];
      return word === undefined || rest === undefined ? [] : [[word, rest]];
    });
    const failed = lines.find(([word]) => word === "error")?.[1] ?? ran.problem ?? (ran.code === 0 ? undefined : `exit code ${ran.code}`);
    return failed === undefined ? { lines } : { problem: `${name}: ${failed}` };
  }
}
