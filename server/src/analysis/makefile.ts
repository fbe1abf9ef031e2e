/**
 * What the makefile of a program says of how it is compiled and how it is run, and what a `run` script beside it says: the words
 * of the compiler's command and the program's arguments.
 */
import { NotRead } from "../syntax/file-text.ts";
import { directoryOf, join } from "../syntax/preprocess/paths.ts";
import { splitWords } from "./command-words.ts";
import { type Recipe, recipesOf } from "./makefile-recipes.ts";
import { readBuildFile } from "./reach.ts";
import type { FileHost } from "./settings.ts";

export interface BuildFiles {
  /** The folder commands are given in, and the name of the file that has them. */
  readonly directory: string;
  readonly file: string;
  /** Words of each command that compiles the file, or may; none where no recipe does. */
  readonly commands: readonly (readonly string[])[];
  /** Files it may name as sources, absolute; some need not exist. */
  readonly sources: readonly string[];
  readonly run?: RunCommand;
  /** What of it is not used, and why: one sentence each. */
  readonly problems: readonly string[];
}

/** How the project itself runs its program. */
export interface RunCommand {
  readonly argv: readonly string[];
  /** Such as "`run` in Makefile". */
  readonly where: string;
}

const makefiles = ["Makefile", "makefile", "GNUmakefile"];
const scripts = ["run", "run.sh"];
/** Sources stand in the makefile's folder or a little below it. */
const deepest = 3;

export function buildFiles(path: string, host: FileHost): BuildFiles | undefined {
  let found: BuildFiles | undefined;
  let directory = directoryOf(path);
  for (let depth = 0; depth < deepest && directory !== "" && directory !== "/"; depth++) {
    for (const name of found === undefined ? makefiles : []) found = readMakefile(directory, name, path, host) ?? found;
    if (found?.run !== undefined) return found;
    for (const name of scripts) {
      const script = readBuildFile(join(directory, name), host);
      const argv = typeof script === "string" ? runArguments(script.split("\n")) : undefined;
      if (argv !== undefined)
        return {
          ...(found ?? { directory, file: name, commands: [], sources: [], problems: [] }),
          run: { argv, where: `the script \`${name}\`` },
        };
    }
    directory = directoryOf(directory);
  }
  return found;
}

function readMakefile(directory: string, name: string, path: string, host: FileHost): BuildFiles | undefined {
  const file = join(directory, name);
  const text = readBuildFile(file, host);
  if (text === undefined) return undefined;
  const unused = (problem: string): BuildFiles => ({ directory, file: name, commands: [], sources: [], problems: [problem] });
  if (text instanceof NotRead) return unused(`${file} is not read: ${text.reason}.`);
  const recipes = recipesOf(text);
  if (recipes === undefined) return unused(`${file} is not used: its variables stand for more than WarpLens follows.`);
  const argv = runArguments(recipes.filter(({ target }) => target === "run").flatMap(({ commands }) => commands));
  return {
    directory,
    file: name,
    commands: compileCommands(recipes, path.slice(path.lastIndexOf("/") + 1)),
    sources: sourceNames(recipes).map((source) => join(directory, source)),
    ...(argv === undefined ? {} : { run: { argv, where: `\`run\` in ${name}` } }),
    problems: [],
  };
}

const wordsOf = (text: string): readonly string[] => text.split(/\s+/);

/**
 * Of the commands that compile CUDA those that name the file, else those for any file of its kind, else all; those that only link are
 * left out beside others.
 */
function compileCommands(recipes: readonly Recipe[], name: string): (readonly string[])[] {
  const commands = recipes.flatMap(({ target, prerequisites, commands: lines }) => {
    const named = wordsOf(target).includes(name) || wordsOf(prerequisites).includes(name);
    const fromCuda = prerequisites.includes(".cu");
    const ofKind = wordsOf(prerequisites).includes("%.cu") || wordsOf(target).some((word) => /^\.cu(\.\w+)?$/.test(word));
    return lines
      .filter((line) => /\bnvcc\b|\.cu\b|\bclang\+\+/.test(line) || (fromCuda && line.includes("$<")))
      .map((line) => ({
        words: splitWords(line),
        names: named || wordsOf(line).includes(name),
        ofKind,
        compiles: /\.cu\b|\$<|\s-d?c\s/.test(line),
      }));
  });
  const groups = [commands.filter(({ names }) => names), commands.filter(({ ofKind }) => ofKind), commands];
  const found = groups.find((group) => group.length > 0) ?? [];
  const compiling = found.filter(({ compiles }) => compiles);
  return (compiling.length > 0 ? compiling : found).map(({ words }) => words);
}

const mostSources = 200;

/** Sources that recipes name, themselves or by their objects. */
function sourceNames(recipes: readonly Recipe[]): string[] {
  const names = new Set<string>();
  for (const { target, prerequisites, commands } of recipes)
    for (const word of [target, prerequisites, ...commands].flatMap(wordsOf)) {
      if (names.size > mostSources) return [...names];
      const [, stem = "", ending = ""] = /^([\w./+-]+)\.(cu|c|cc|cpp|cxx|o|obj)$/.exec(word) ?? [];
      if (stem === "") continue;
      for (const each of ending.startsWith("o") ? ["cu", "cpp", "c", "cc"] : [ending]) names.add(`${stem}.${each}`);
    }
  return [...names];
}

/** Arguments of the first command that starts a program by its path; undefined where there is none, or they cannot be read. */
function runArguments(commands: readonly string[]): string[] | undefined {
  for (const command of commands) {
    if (/^\s*#/.test(command)) continue;
    const [, words] = /(?:^|[\s@;&])(?:\.{1,2}\/|[\w.-]+\/)[\w./-]+((?:\s[^|&;<>]*)?)(?:$|[|&;<>])/.exec(command) ?? [];
    if (words === undefined) continue;
    return /[$`*]/.test(words) ? undefined : splitWords(words);
  }
  return undefined;
}
