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

function filesOf(text: string, folder: string, host: FileHost): CmakeFiles {
  const variables = new Map(ownFolders.map((name) => [name, [folder]]));
  const sources = new Set<string>();
  const includeDirs = new Set<string>();
  for (const [, command = "", inside = ""] of text.replace(/#.*/g, "").matchAll(/(\w+)\s*\(([^()]*)\)/g)) {
    const words = splitWords(inside).flatMap((word) => expanded(word, variables));
    const [name = "", ...values] = words.slice(0, mostWords);
    const lower = command.toLowerCase();
    if (lower === "set") variables.set(name, values);
    if (lower === "include_directories" || lower === "target_include_directories")
      for (const word of lower === "include_directories" ? [name, ...values] : values)
        if (!/^(?:AFTER|BEFORE|SYSTEM|PUBLIC|PRIVATE|INTERFACE)$|\$/.test(word)) includeDirs.add(join(folder, word));
    for (const word of words)
      if (isSource(word)) for (const source of matching(join(folder, word), host)) if (source.startsWith(`${folder}/`)) sources.add(source);
  }
  return { sources: [...sources].slice(0, mostWords), includeDirs: [...includeDirs] };
}

/** A word with what its variables stand for: several words, where all of it is one variable. Unknown ones stay. */
function expanded(word: string, variables: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const whole = /^\$\{(\w+)\}$/.exec(word)?.[1];
  if (whole !== undefined) return variables.get(whole) ?? [word];
  return [word.replace(/\$\{(\w+)\}/g, (text, name: string) => variables.get(name)?.join(";") ?? text)];
}

/** The path, or the sources that one with `*` in its name matches. */
function matching(path: string, host: FileHost): readonly string[] {
  const folder = directoryOf(path);
  const name = path.slice(folder.length + 1);
  if (!name.includes("*")) return path.includes("$") ? [] : [path];
  const [before = "", ...parts] = name.split("*");
  const after = parts.at(-1) ?? "";
  return (host.list?.(folder) ?? [])
    .filter((each) => each.length >= before.length + after.length && each.startsWith(before) && each.endsWith(after))
    .map((each) => join(folder, each));
}
