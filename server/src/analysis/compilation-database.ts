/** `compile_commands.json`, as build systems write it: how each file of a project is compiled. */
import { directoryOf, join } from "../syntax/preprocess/paths.ts";
import { splitWords } from "./command-words.ts";

export interface Command {
  readonly directory: string;
  /** Absolute. */
  readonly path: string;
  /** As a shell parts them. */
  words(): readonly string[];
}

/** Entries that are looked at. */
const mostEntries = 100_000;

export class CompilationDatabase {
  /** All files it tells of, absolute. */
  readonly files: readonly string[];
  /** What of it is not used, in words that follow its name. */
  readonly problem: string | undefined;
  readonly #byPath = new Map<string, Command>();
  readonly #byFolder = new Map<string, Command>();

  /** Never throws; entries that cannot be used are passed over. */
  constructor(text: string) {
    const { entries, problem } = entriesOf(text);
    let wrong: number | undefined;
    for (const [index, entry] of entries.slice(0, mostEntries).entries()) {
      const command = commandOf(entry);
      if (command === undefined) {
        wrong ??= index;
        continue;
      }
      // Of several for one file the first holds.
      if (!this.#byPath.has(command.path)) this.#byPath.set(command.path, command);
      const folder = directoryOf(command.path);
      if (!this.#byFolder.has(folder)) this.#byFolder.set(folder, command);
    }
    this.files = [...this.#byPath.keys()];
    if (problem !== undefined) this.problem = problem;
    else if (entries.length > mostEntries)
      this.problem = `has ${entries.length.toLocaleString("en")} entries; WarpLens looks at the first ${mostEntries.toLocaleString("en")}`;
    else if (wrong !== undefined)
      this.problem = `[${wrong}] should be { "directory": "...", "file": "...", "command": "..." }, or with "arguments": ["..."]`;
  }

  /** The file's own entry, else one of a file beside it: headers have none. */
  commandFor(path: string): Command | undefined {
    return this.#byPath.get(path) ?? this.#byFolder.get(directoryOf(path));
  }
}

function entriesOf(text: string): { readonly entries: readonly unknown[]; readonly problem?: string } {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return { entries: [], problem: "is not JSON" };
  }
  return Array.isArray(content) ? { entries: content } : { entries: [], problem: "should be a list of commands" };
}

function commandOf(entry: unknown): Command | undefined {
  if (typeof entry !== "object" || entry === null) return undefined;
  const { directory, file, command, arguments: words } = entry as Record<string, unknown>;
  if (typeof directory !== "string" || typeof file !== "string") return undefined;
  const path = join(directory, file);
  if (Array.isArray(words) && words.every((word) => typeof word === "string")) return { directory, path, words: () => words };
  return typeof command === "string" ? { directory, path, words: () => splitWords(command) } : undefined;
}
