/**
 * Register counts of open documents by the user's nvcc: asked for once a version, in the background; a newer version stops the
 * compiler that works on an older one.
 */
import type { Compilation } from "../nvcc/compile.ts";
import type { CompiledKernel } from "../nvcc/resources.ts";
import type { Platform } from "./platform.ts";

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
  async request(uri: string, version: number, nvcc: string, compilation: Compilation): Promise<void> {
    if (this.#documents.get(uri)?.version === version) return;
    this.drop(uri);
    const compiled: Compiled = { version, stop: new AbortController(), kernels: [] };
    this.#documents.set(uri, compiled);
    const answer = await this.#compile(nvcc, compilation, compiled.stop.signal).catch((error: Error) => ({ problem: error.message }));
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
