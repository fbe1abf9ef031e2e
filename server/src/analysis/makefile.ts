/**
 * What the makefile of a program says of how it is compiled and how it is run, and what a `run` script beside it says: the words
 * of the compiler's command and the program's arguments. Read as far as simple makefiles go: variables, conditions, recipes.
 */
import { directoryOf, join } from "../syntax/preprocess/paths.ts";
import { splitWords } from "./command-words.ts";
import type { FileHost } from "./settings.ts";

export interface BuildFiles {
  /** The folder commands are given in. */
  readonly directory: string;
  /** Words of the commands that compile the file; none where no recipe does. */
  readonly words: readonly string[];
  /** Files it may name as sources, absolute; some need not exist. */
  readonly sources: readonly string[];
  readonly run?: RunCommand;
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
    const place = directory;
    for (const name of makefiles) {
      const text = found === undefined ? host.read(join(directory, name)) : undefined;
      if (text === undefined) continue;
      const makefile = parseMakefile(text);
      const argv = runArguments(makefile.recipes.filter(({ target }) => target === "run").flatMap(({ commands }) => commands));
      const words = compileWords(makefile.recipes, path.slice(path.lastIndexOf("/") + 1));
      const sources = sourceNames(makefile.recipes).map((source) => join(place, source));
      found = { directory, words, sources, ...(argv === undefined ? {} : { run: { argv, where: `\`run\` in ${name}` } }) };
    }
    if (found?.run !== undefined) return found;
    for (const name of scripts) {
      const argv = runArguments(host.read(join(directory, name))?.split("\n") ?? []);
      if (argv !== undefined)
        return { ...(found ?? { directory, words: [], sources: [] }), run: { argv, where: `the script \`${name}\`` } };
    }
    directory = directoryOf(directory);
  }
  return found;
}

interface Recipe {
  readonly target: string;
  readonly prerequisites: string;
  /** With variables replaced, except the automatic ones (`$<`). */
  readonly commands: readonly string[];
}

function parseMakefile(text: string): { readonly recipes: readonly Recipe[] } {
  const variables = new Map<string, string>();
  const recipes: { target: string; prerequisites: string; lines: string[] }[] = [];
  /** Of each condition that is open: whether its lines hold, and whether one of its branches has. */
  const conditions: { holds: boolean; done: boolean }[] = [];
  for (const line of text.replaceAll("\\\n", " ").split("\n")) {
    const words = line.trim();
    const [, keyword, condition = ""] = /^(ifn?eq|ifn?def|else|endif)\b\s*(.*)$/.exec(words) ?? [];
    if (keyword !== undefined) readCondition(keyword, condition, conditions, variables);
    else if (conditions.some(({ holds }) => !holds) || words === "" || words.startsWith("#")) continue;
    else if (line.startsWith("\t")) recipes.at(-1)?.lines.push(words);
    else {
      const [, name, operator, value = ""] =
        /^(?:export\s+|override\s+)*([\w.-]+)\s*(::?:?=|\?=|\+=|=)\s*(.*?)\s*(?:#.*)?$/.exec(words) ?? [];
      const [, target, prerequisites = ""] = /^([^:=]+)::?(?!=)([^;]*)/.exec(words) ?? [];
      if (name !== undefined) assign(variables, name, operator, value);
      else if (target !== undefined) recipes.push({ target: target.trim(), prerequisites, lines: [] });
    }
  }
  return {
    recipes: recipes.map(({ target, prerequisites, lines }) => ({
      target: expand(target, variables),
      prerequisites: expand(prerequisites, variables),
      commands: lines.map((line) => expand(line, variables)),
    })),
  };
}

type Variables = Map<string, string>;

function assign(variables: Variables, name: string, operator: string | undefined, value: string): void {
  const old = variables.get(name);
  if (operator === "?=" && old !== undefined) return;
  if (operator === "+=") variables.set(name, `${old ?? ""} ${value}`);
  // What it refers to now: it may refer to itself.
  else if (operator === "=") variables.set(name, value);
  else variables.set(name, expand(value, variables));
}

function readCondition(keyword: string, condition: string, open: { holds: boolean; done: boolean }[], variables: Variables): void {
  if (keyword === "endif") open.pop();
  else if (keyword === "else") {
    const last = open.at(-1);
    if (last === undefined) return;
    const [, next, rest = ""] = /^(ifn?eq|ifn?def)\b\s*(.*)$/.exec(condition) ?? [];
    last.holds = !last.done && (next === undefined || isTrue(next, rest, variables));
    last.done ||= last.holds;
  } else {
    const holds = isTrue(keyword, condition, variables);
    open.push({ holds, done: holds });
  }
}

function isTrue(keyword: string, condition: string, variables: Variables): boolean {
  if (keyword === "ifdef" || keyword === "ifndef") return ((variables.get(condition.trim()) ?? "") !== "") === (keyword === "ifdef");
  const expanded = expand(condition, variables).trim();
  const [, left, right] = /^\((.*),(.*)\)$/.exec(expanded) ?? /^["'](.*)["']\s+["'](.*)["']$/.exec(expanded) ?? [];
  return (left?.trim() === right?.trim()) === (keyword === "ifeq");
}

const deepestVariable = 8;

/** Replaces variables; functions and what is not set are empty, as they mostly choose files and folders. */
function expand(text: string, variables: Variables, depth = 0): string {
  if (depth > deepestVariable) return "";
  return text.replaceAll(/\$[({]([^(){}$]*)[)}]|\$\$/g, (all, name?: string) => {
    if (name === undefined) return all;
    const [, plain] = /^([\w.-]+)(?::.*)?$/.exec(name) ?? [];
    return plain === undefined ? "" : expand(variables.get(plain) ?? "", variables, depth + 1);
  });
}

/** Of the commands that compile CUDA those that name the file, where any do. */
function compileWords(recipes: readonly Recipe[], name: string): string[] {
  const commands = recipes.flatMap(({ target, prerequisites, commands: lines }) =>
    lines
      .filter((line) => /\bnvcc\b|\.cu\b|\bclang\+\+/.test(line) || (line.includes("$<") && prerequisites.includes(".cu")))
      .map((line) => ({ line, names: `${target} ${prerequisites} ${line}`.split(/\s+/).includes(name) })),
  );
  const own = commands.filter(({ names }) => names);
  return (own.length > 0 ? own : commands).flatMap(({ line }) => splitWords(line));
}

const mostSources = 200;

/** Sources that recipes name, themselves or by their objects. */
function sourceNames(recipes: readonly Recipe[]): string[] {
  const names = new Set<string>();
  for (const { target, prerequisites, commands } of recipes)
    for (const word of [target, prerequisites, ...commands].join(" ").split(/\s+/)) {
      const [, stem = "", ending = ""] = /^([\w./+-]+)\.(cu|c|cc|cpp|cxx|o|obj)$/.exec(word) ?? [];
      if (stem === "" || names.size > mostSources) continue;
      for (const each of ending.startsWith("o") ? ["cu", "cpp", "c", "cc"] : [ending]) names.add(`${stem}.${each}`);
    }
  return [...names];
}

/** Arguments of the first command that starts a program by its path; undefined where there is none, or they cannot be read. */
function runArguments(commands: readonly string[]): string[] | undefined {
  for (const command of commands) {
    if (/^\s*#/.test(command)) continue;
    const [, words] = /(?:^|[\s@;&])(?:\.{1,2}\/|[\w.-]+\/)[\w./-]+((?:\s+[^|&;<>]*)?)(?:$|[|&;<>])/.exec(command) ?? [];
    if (words === undefined) continue;
    return /[$`*]/.test(words) ? undefined : splitWords(words);
  }
  return undefined;
}
