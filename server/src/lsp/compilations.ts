/**
 * Register counts of open documents by the user's nvcc: asked for once a version, in the background; a newer version stops the
 * compiler that works on an older one.
 */
import { compileOptions } from "../analysis/compile-commands.ts";
import { wordsOf } from "../analysis/nvcc-options.ts";
import type { AnalysisSettings, FileHost } from "../analysis/settings.ts";
import type { Compilation } from "../nvcc/compile.ts";
import type { CompiledKernel } from "../nvcc/resources.ts";
import type { Platform } from "./platform.ts";

/** What is compiled: a document's text, with the flags that hold for it. */
export interface CompiledSource {
  readonly path: string;
  readonly text: string;
  /** The texts of the project's headers that it includes. */
  headers(): Promise<readonly string[]>;
  readonly settings: Pick<AnalysisSettings, "computeCapability" | "defines" | "includeDirs" | "code">;
  readonly files: FileHost;
}

interface Compiled {
  readonly version: number;
  readonly stop: AbortController;
  kernels: readonly CompiledKernel[];
  problem?: string;
}

export class Compilations {
  readonly #compile: NonNullable<Platform["compile"]>;
  readonly #documents = new Map<string, Compiled>();
  readonly #arrived: (uri: string) => void;

  /** @param arrived told when a document's kernels, or the reason why there are none, have come */
  constructor(compile: NonNullable<Platform["compile"]>, arrived: (uri: string) => void) {
    this.#compile = compile;
    this.#arrived = arrived;
  }

  /** Asks for a version's kernels, unless that was done. Never rejects. */
  async request(uri: string, version: number, nvcc: string, source: CompiledSource): Promise<void> {
    if (this.#documents.get(uri)?.version === version) return;
    this.drop(uri);
    const compiled: Compiled = { version, stop: new AbortController(), kernels: [] };
    this.#documents.set(uri, compiled);
    const answer = await compilationOf(source)
      .then((compilation) => this.#compile(nvcc, compilation, compiled.stop.signal))
      .catch((error: Error) => ({ problem: error.message }));
    if (this.#documents.get(uri) !== compiled) return;
    if ("kernels" in answer) compiled.kernels = answer.kernels;
    else compiled.problem = answer.problem;
    this.#arrived(uri);
  }

  /** The kernels of a document's version; none when they have not come. */
  kernels(uri: string, version: number): readonly CompiledKernel[] {
    const compiled = this.#documents.get(uri);
    return compiled?.version === version ? compiled.kernels : [];
  }

  /** Why documents have no kernels, one sentence each. */
  problems(): string[] {
    return [...new Set([...this.#documents.values()].flatMap(({ problem }) => problem ?? []))];
  }

  /** Stops and forgets a document. */
  drop(uri: string): void {
    this.#documents.get(uri)?.stop.abort();
    this.#documents.delete(uri);
  }

  /** Stops and forgets all: settings or headers have changed. */
  clear(): void {
    for (const uri of [...this.#documents.keys()]) this.drop(uri);
  }
}

async function compilationOf({ path, text, headers, settings, files }: CompiledSource): Promise<Compilation> {
  const { computeCapability, defines, includeDirs, code } = settings;
  const compiled = compileOptions(path, files);
  return {
    path,
    text,
    headers: await headers(),
    computeCapability,
    defines: [...compiled.defines, ...defines],
    includeDirs: [...includeDirs, ...compiled.includeDirs],
    options: wordsOf({ ...compiled.code, ...code }),
  };
}
