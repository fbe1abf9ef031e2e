/** What holds for each open document, under a revision: the worker's configuration, and what the status tells of where it comes from. */
import type { FileHost } from "../analysis/settings.ts";
import type { Configuration } from "../worker/messages.ts";
import { type DocumentSettings, documentSettings } from "./document-settings.ts";
import { readSettings, type Settings } from "./settings.ts";

export interface Held extends DocumentSettings {
  readonly configuration: Configuration;
  /** Equal for figures that were made for the same GPU: by its figures, because a user's own keeps its id when they change. */
  readonly gpuKey: string;
  /** Equal where launches are the same and are simulated alike. */
  readonly simulationKey: string;
  readonly lintKey: string;
}

export class Configurations {
  readonly #files: FileHost;
  readonly #held = new Map<string, Held>();
  #settings: Settings = readSettings(undefined).settings;
  #roots: readonly string[] = [];
  #revision = 0;

  /** @param files as they are saved: `warplens.json` holds only then */
  constructor(files: FileHost) {
    this.#files = files;
  }

  get settings(): Settings {
    return this.#settings;
  }

  use(settings: Settings, roots: readonly string[]): void {
    this.#settings = settings;
    this.#roots = roots;
  }

  of(path: string): Held {
    return this.#held.get(path) ?? this.renew(path);
  }

  /** Works out anew what holds for a document: under a new revision, if it is something else than before. */
  renew(path: string): Held {
    const now = this.#settingsOf(path);
    const { gpu, analysis, lint } = now;
    const gpuKey = JSON.stringify([gpu.id, gpu.name, gpu.computeCapability, gpu.values]);
    const simulationKey = JSON.stringify([gpuKey, analysis]);
    const lintKey = JSON.stringify(lint);
    const before = this.#held.get(path);
    const isSame = before?.simulationKey === simulationKey && before.lintKey === lintKey;
    const configuration = isSame ? before.configuration : { revision: ++this.#revision, gpu, analysis, lint };
    const held: Held = { ...now, configuration, gpuKey, simulationKey, lintKey };
    this.#held.set(path, held);
    return held;
  }

  /** What a project says in a way that nobody can read it does not say. */
  #settingsOf(path: string): DocumentSettings {
    try {
      return documentSettings(path, this.#roots, this.#settings, this.#files);
    } catch (error) {
      const without = documentSettings(path, this.#roots, this.#settings, { read: () => undefined });
      const problem = `The project's settings (warplens.json, compile_commands.json) could not be read: ${String(error)}.`;
      return { ...without, problems: [...without.problems, problem] };
    }
  }

  forget(path: string): void {
    this.#held.delete(path);
  }

  /** What holds where no document is open. */
  default(): DocumentSettings {
    return documentSettings("", [], this.#settings, { read: () => undefined });
  }
}
