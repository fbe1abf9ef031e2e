/** What the `CMakeLists.txt` of a program names: the sources that are built together, and folders of headers. */
import { directoryOf, join } from "../syntax/preprocess/paths.ts";
import { splitWords } from "./command-words.ts";
import { readBuildFile } from "./reach.ts";
import type { FileHost } from "./settings.ts";
import { isSource } from "./source-names.ts";

export interface CmakeFiles {
  /** Absolute; some need not exist. */
  readonly sources: readonly string[];
  /** Absolute. */
  readonly includeDirs: readonly string[];
}

/** Sources stand in the file's folder or a little below it. */
const deepest = 3;
const mostWords = 1_000;
/** Characters of a file's words, with what its variables stand for, and names of files that its patterns are held to. */
const mostCharacters = 1_000_000;
/** Folders that all stand for the file's own, as far as one file tells. */
const ownFolders = ["PROJECT_SOURCE_DIR", "CMAKE_SOURCE_DIR", "CMAKE_CURRENT_SOURCE_DIR", "CMAKE_CURRENT_LIST_DIR"];

/** Of the nearest `CMakeLists.txt` at or above a file; undefined where there is none that can be read. */
export function cmakeFiles(path: string, host: FileHost): CmakeFiles | undefined {
  let folder = directoryOf(path);
  for (let depth = 0; depth < deepest && folder !== "" && folder !== "/"; depth++) {
    const text = readBuildFile(join(folder, "CMakeLists.txt"), host);
    if (typeof text === "string") return filesOf(text, folder, host);
    folder = directoryOf(folder);
  }
  return undefined;
}

/** What stands behind more than `mostCharacters` is not read. */
function filesOf(text: string, folder: string, host: FileHost): CmakeFiles {
  const variables = new Map<string, readonly string[]>(ownFolders.map((name) => [name, [folder]]));
  const sources = new Set<string>();
  const includeDirs = new Set<string>();
  let left = mostCharacters;
  for (const [, command = "", inside = ""] of text.replace(/#.*/g, "").matchAll(/\b(\w+)\s*\(([^()]*)\)/g)) {
    const words: string[] = [];
    for (const word of splitWords(inside)) {
      const stands = expanded(word, variables, left);
      if (!stands) return { sources: [...sources], includeDirs: [...includeDirs] };
      left -= lengthOf(stands);
      words.push(...stands.slice(0, mostWords - words.length));
    }
    const [name = "", ...values] = words;
    const lower = command.toLowerCase();
    if (lower === "set") variables.set(name, values);
    if (lower === "include_directories" || lower === "target_include_directories")
      for (const word of lower === "include_directories" ? [name, ...values] : values)
        if (includeDirs.size < mostWords && !/^(?:AFTER|BEFORE|SYSTEM|PUBLIC|PRIVATE|INTERFACE)$|\$/.test(word))
          includeDirs.add(join(folder, word));
    for (const word of words) {
      if (!isSource(word) || sources.size >= mostWords) continue;
      const { found, looked } = matching(join(folder, word), host);
      left -= looked;
      for (const source of found) if (source.startsWith(`${folder}/`)) sources.add(source);
    }
  }
  return { sources: [...sources].slice(0, mostWords), includeDirs: [...includeDirs] };
}

const lengthOf = (words: readonly string[]): number => words.reduce((sum, { length }) => sum + length + 1, 0);

/**
 * A word with what its variables stand for: several words, where all of it is one variable. Unknown ones stay.
 * @returns undefined where that is longer than `most` characters
 */
function expanded(word: string, variables: ReadonlyMap<string, readonly string[]>, most: number): readonly string[] | undefined {
  const variable = /\$\{(\w+)\}/g;
  const whole = /^\$\{(\w+)\}$/.exec(word)?.[1];
  const stands = (name = ""): readonly string[] => variables.get(name) ?? [];
  const length = [...word.matchAll(variable)].reduce((sum, [, name]) => sum + lengthOf(stands(name)), word.length);
  if (length > most) return undefined;
  if (whole !== undefined) return variables.get(whole) ?? [word];
  return [word.replace(variable, (text, name: string) => variables.get(name)?.join(";") ?? text)];
}

/** The path, or the sources that one with `*` in its name matches, and how many names were looked at for that. */
function matching(path: string, host: FileHost): { readonly found: readonly string[]; readonly looked: number } {
  const folder = directoryOf(path);
  const name = path.slice(folder.length + 1);
  if (!name.includes("*")) return { found: path.includes("$") ? [] : [path], looked: 0 };
  const [before = "", ...parts] = name.split("*");
  const after = parts.at(-1) ?? "";
  const names = host.list?.(folder) ?? [];
  const found = names
    .filter((each) => each.length >= before.length + after.length && each.startsWith(before) && each.endsWith(after))
    .map((each) => join(folder, each));
  return { found, looked: names.length };
}
