/** `-D`, `-I` and `-arch` of a file in the nearest `compile_commands.json` above it, else `-D` and `-I` in its makefile. */
import { NotRead } from "../syntax/file-text.ts";
import { directoryOf, join } from "../syntax/preprocess/paths.ts";
import { CompilationDatabase } from "./compilation-database.ts";
import { buildFiles, type RunCommand } from "./makefile.ts";
import { readBuildFile } from "./reach.ts";
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
  /** What of these files is not used, and why: one sentence each. */
  readonly problems: readonly string[];
}

/** Where build systems leave it, relative to each folder above the file. */
const places = ["compile_commands.json", "build/compile_commands.json"];
const deepest = 24;
/** Folders that a command names: an `#include` is looked for in each. */
const mostFolders = 1_000;

/** The options of the file's own entry, else of one in the same folder: headers have none. */
export function compileOptions(path: string, host: FileHost): CompileOptions {
  const build = buildFiles(path, host);
  const run = build?.run === undefined ? {} : { run: build.run };
  const found = nearestDatabase(path, host);
  if (found?.database) {
    const { file, database } = found;
    const command = database.commandFor(path);
    const options = optionsOf(command?.words() ?? [], command?.directory ?? "");
    const problems = database.problem === undefined ? [] : [sentence(file, database.problem)];
    return { ...options, files: database.files, problems: [...problems, ...options.problems.map((each) => sentence(file, each))], ...run };
  }
  const problems = [...(found ? [found.problem] : []), ...(build?.problems ?? [])];
  if (build === undefined) return { defines: [], includeDirs: [], files: [], problems };
  // Which GPU a makefile was written for says little of the one it is meant for now.
  const { defines, includeDirs } = optionsOf(build.words, build.directory);
  const files = [...(host.list?.(build.directory) ?? []).map((name) => join(build.directory, name)), ...build.sources];
  return { defines, includeDirs, files, problems, ...run };
}

const sentence = (file: string, problem: string): string => `${file}${problem.startsWith("[") ? "" : " "}${problem}.`;

type Found = { readonly file: string } & (
  | { readonly database: CompilationDatabase; readonly problem?: never }
  | { readonly database?: never; readonly problem: string }
);

function nearestDatabase(path: string, host: FileHost): Found | undefined {
  let folder = directoryOf(path);
  for (let depth = 0; depth < deepest; depth++) {
    for (const place of places) {
      const file = join(folder, place);
      const text = readBuildFile(file, host);
      if (text instanceof NotRead) return { file, problem: `${file} is not read: ${text.reason}.` };
      if (text !== undefined) return { file, database: readDatabase(text) };
    }
    const parent = directoryOf(folder);
    if (parent === folder || parent === "") break;
    folder = parent;
  }
  return undefined;
}

/** The database read last: most files of a project have the same. */
let latest: { readonly text: string; readonly database: CompilationDatabase } | undefined;

function readDatabase(text: string): CompilationDatabase {
  if (latest?.text !== text) latest = { text, database: new CompilationDatabase(text) };
  return latest.database;
}

/** What a compiler's command says; `problems` in words that follow the name of the file it stands in. */
function optionsOf(words: readonly string[], directory: string): Omit<CompileOptions, "files" | "run"> {
  /** Of several of a name the last holds. */
  const defines = new Map<string, { readonly name: string; readonly value?: string }>();
  const includeDirs = new Set<string>();
  let computeCapability: number | undefined;
  for (let k = 0; k < words.length; k++) {
    const word = words[k] ?? "";
    for (const [, arch] of word.matchAll(/\b(?:sm|compute)_(\d+)/g)) computeCapability = Math.max(computeCapability ?? 0, Number(arch));
    const take = (option: string): string | undefined =>
      word === option ? words[++k] : word.startsWith(option) ? word.slice(option.length).replace(/^=/, "") : undefined;
    const define = take("-D");
    if (define !== undefined) {
      const [, name, value] = /^(\w+)(?:=([\s\S]*))?$/.exec(define) ?? [];
      if (name !== undefined) defines.set(name, value === undefined ? { name } : { name, value });
      continue;
    }
    for (const option of ["-isystem", "-iquote", "-I"]) {
      const folder = take(option);
      if (folder === undefined) continue;
      includeDirs.add(join(directory, folder));
      break;
    }
  }
  const problems =
    includeDirs.size > mostFolders ? [`names ${includeDirs.size} folders of headers; WarpLens looks into the first ${mostFolders}`] : [];
  return {
    defines: [...defines.values()],
    includeDirs: [...includeDirs].slice(0, mostFolders),
    problems,
    ...(computeCapability === undefined ? {} : { computeCapability }),
  };
}
