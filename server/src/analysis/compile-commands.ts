/** What the nearest `compile_commands.json` above a file says of how it is compiled, else what its makefile says, and its `CMakeLists.txt`. */
import { NotRead } from "../syntax/file-text.ts";
import { directoryOf, join } from "../syntax/preprocess/paths.ts";
import { cmakeFiles } from "./cmake.ts";
import { CompilationDatabase } from "./compilation-database.ts";
import { buildFiles, type RunCommand } from "./makefile.ts";
import { agreed, type CodeOptions, readNvccOptions } from "./nvcc-options.ts";
import { readBuildFile } from "./reach.ts";
import type { FileHost } from "./settings.ts";

export interface CompileOptions {
  readonly defines: readonly { readonly name: string; readonly value?: string }[];
  /** Absolute. */
  readonly includeDirs: readonly string[];
  /** The newest compute capability that a compilation database has it compiled for, such as 90. */
  readonly computeCapability?: number;
  /** What is said of code, and where: what it stands in, and the newest compute capability it is for. */
  readonly code: CodeOptions;
  readonly told?: { readonly where: string; readonly architecture?: number };
  /** All files of the database, or those that the makefile and CMake name and what stands beside the makefile; absolute. */
  readonly files: readonly string[];
  /** How the project runs its program, where a makefile or a script says. */
  readonly run?: RunCommand;
  /** What of these files is not used, and why: one sentence each. */
  readonly problems: readonly string[];
}

/** Where build systems leave it, relative to each folder above the file. */
const places = ["compile_commands.json", "build/compile_commands.json"];
const deepest = 24;

/** The options of the file's own entry, else of one in the same folder: headers have none. */
export function compileOptions(path: string, host: FileHost): CompileOptions {
  const build = buildFiles(path, host);
  const run = build?.run === undefined ? {} : { run: build.run };
  const found = nearestDatabase(path, host);
  if (found?.database) {
    const { file, database } = found;
    const command = database.commandFor(path);
    const { problems: unused, ...options } = readNvccOptions(command?.words() ?? [], command?.directory ?? "");
    const problems = [...(database.problem === undefined ? [] : [database.problem]), ...unused].map((each) => sentence(file, each));
    return { ...options, ...toldIn(file, options.computeCapability), files: database.files, problems, ...run };
  }
  const problems = [...(found ? [found.problem] : []), ...(build?.problems ?? [])];
  const cmake = cmakeFiles(path, host) ?? { sources: [], includeDirs: [] };
  if (build === undefined) return { defines: [], includeDirs: cmake.includeDirs, code: {}, files: cmake.sources, problems };
  // Which GPU a makefile was written for says little of the one it is meant for now.
  const { defines, includeDirs, computeCapability } = readNvccOptions(build.commands.flat(), build.directory);
  const code = agreed(build.commands.map((words) => readNvccOptions(words, build.directory).code));
  const beside = (host.list?.(build.directory) ?? []).map((name) => join(build.directory, name));
  const files = [...beside, ...build.sources, ...cmake.sources];
  return {
    defines,
    includeDirs: [...includeDirs, ...cmake.includeDirs],
    code,
    ...toldIn(build.file, computeCapability),
    files,
    problems,
    ...run,
  };
}

const toldIn = (file: string, architecture: number | undefined): Pick<CompileOptions, "told"> => ({
  told: { where: file.slice(file.lastIndexOf("/") + 1), ...(architecture === undefined ? {} : { architecture }) },
});

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
