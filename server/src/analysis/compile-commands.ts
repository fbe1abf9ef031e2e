/** `-D`, `-I` and `-arch` of a file in the nearest `compile_commands.json` above it, else `-D` and `-I` in its makefile. */
import { directoryOf, join } from "../syntax/preprocess/paths.ts";
import { splitWords } from "./command-words.ts";
import { buildFiles, type RunCommand } from "./makefile.ts";
import type { FileHost } from "./settings.ts";

export interface CompileOptions {
  readonly defines: readonly { readonly name: string; readonly value?: string }[];
  /** Absolute. */
  readonly includeDirs: readonly string[];
  /** The newest compute capability it is compiled for, such as 90; from `-arch`, `-gencode` and clang's option. */
  readonly computeCapability?: number;
  /** All files of the database, or those beside the makefile; absolute. */
  readonly files: readonly string[];
  /** How the project runs its program, where a makefile or a script says. */
  readonly run?: RunCommand;
}

interface Command {
  readonly directory: string;
  readonly file: string;
  readonly words: readonly string[];
}

const none: CompileOptions = { defines: [], includeDirs: [], files: [] };
/** Where build systems leave it, relative to each folder above the file. */
const places = ["compile_commands.json", "build/compile_commands.json"];
const deepest = 24;

/** The options of the file's own entry, else of one in the same folder: headers have none. */
export function compileOptions(path: string, host: FileHost): CompileOptions {
  const build = buildFiles(path, host);
  const run = build?.run === undefined ? {} : { run: build.run };
  const database = databaseOptions(path, host);
  if (database !== undefined) return { ...database, ...run };
  if (build === undefined) return none;
  // Which GPU a makefile was written for says little of the one it is meant for now.
  const { defines, includeDirs } = optionsOf({ directory: build.directory, file: path, words: build.words });
  const files = [...(host.list?.(build.directory) ?? []).map((name) => join(build.directory, name)), ...build.sources];
  return { defines, includeDirs, files, ...run };
}

function databaseOptions(path: string, host: FileHost): CompileOptions | undefined {
  let folder = directoryOf(path);
  for (let depth = 0; depth < deepest; depth++) {
    for (const place of places) {
      const file = join(folder, place);
      const text = host.read(file);
      if (text === undefined) continue;
      const commands = readCommands(text);
      return { ...optionsOf(commandFor(path, commands)), files: commands.map(absolute) };
    }
    const parent = directoryOf(folder);
    if (parent === folder || parent === "") break;
    folder = parent;
  }
  return undefined;
}

function absolute({ directory, file }: Command): string {
  return join(directory, file);
}

function commandFor(path: string, commands: readonly Command[]): Command | undefined {
  const own = commands.find((command) => absolute(command) === path);
  return own ?? commands.find((command) => directoryOf(absolute(command)) === directoryOf(path));
}

/** The database read last: a file is analysed at every keystroke. */
let latest: { readonly text: string; readonly commands: readonly Command[] } | undefined;

function readCommands(text: string): readonly Command[] {
  if (latest?.text !== text) latest = { text, commands: parseCommands(text) };
  return latest.commands;
}

/** Entries of a compilation database; what is not one is passed over. */
function parseCommands(text: string): Command[] {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return [];
  }
  if (!Array.isArray(content)) return [];
  return content.flatMap((entry: unknown): Command[] => {
    if (typeof entry !== "object" || entry === null) return [];
    const { directory, file, command, arguments: words } = entry as Record<string, unknown>;
    if (typeof directory !== "string" || typeof file !== "string") return [];
    if (Array.isArray(words)) return [{ directory, file, words: words.filter((word): word is string => typeof word === "string") }];
    return typeof command === "string" ? [{ directory, file, words: splitWords(command) }] : [];
  });
}

function optionsOf(command: Command | undefined): CompileOptions {
  if (command === undefined) return none;
  const defines: { name: string; value?: string }[] = [];
  const includeDirs: string[] = [];
  const { words, directory } = command;
  for (let k = 0; k < words.length; k++) {
    const word = words[k] ?? "";
    const take = (option: string): string | undefined =>
      word === option ? words[++k] : word.startsWith(option) ? word.slice(option.length).replace(/^=/, "") : undefined;
    const define = take("-D");
    if (define !== undefined) {
      const [, name, value] = /^(\w+)(?:=([\s\S]*))?$/.exec(define) ?? [];
      if (name !== undefined) defines.push(value === undefined ? { name } : { name, value });
      continue;
    }
    for (const option of ["-isystem", "-iquote", "-I"]) {
      const folder = take(option);
      if (folder === undefined) continue;
      includeDirs.push(join(directory, folder));
      break;
    }
  }
  const architectures = words.flatMap((word) => [...word.matchAll(/\b(?:sm|compute)_(\d+)/g)].map(([, arch]) => Number(arch)));
  return { defines, includeDirs, files: [], ...(architectures.length > 0 ? { computeCapability: Math.max(...architectures) } : {}) };
}
