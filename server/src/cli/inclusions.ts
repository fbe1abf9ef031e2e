/** Which files of a search others of it include: these bring them, and whatever launches their kernels, with them. */
import path from "node:path";

/** A file as it was found. */
interface Text {
  /** Absolute, `/` separated. */
  readonly path: string;
  readonly text: string;
}

/**
 * What a text is gone through by: comments, raw strings and strings whole, what does not end to the end of the text (so that each
 * character is looked at once), and directives with what they name.
 */
const pieces =
  /\/\/[^\n]*|\/\*(?:[\s\S]*?\*\/|[\s\S]*)|R"([^()\\\s]{0,16})\((?:[\s\S]*?\)\1"|[\s\S]*)|"(?:[^"\\\n]|\\.)*"?|^[ \t]*#[ \t]*([a-z]+)[ \t]*(?:"([^"\n]*)"|(\w*))/gm;

/**
 * The files that others among them include, directly or not, whatever is defined: an `#include` that stands in a condition may not
 * hold, and one that is looked for in folders of headers may mean another file. Of those that include each other in a circle the first
 * is not among them, as nobody else would bring it.
 */
export function includedFiles(files: readonly Text[]): ReadonlySet<string> {
  const known = new Set(files.map((file) => file.path));
  const includes = new Map<string, readonly string[]>();
  const targets = new Set<string>();
  for (const { path: file, text } of files) {
    const named = includesOf(text).flatMap((name) => {
      const target = path.posix.join(path.posix.dirname(file), name);
      return target !== file && known.has(target) ? [target] : [];
    });
    includes.set(file, named);
    for (const target of named) targets.add(target);
  }
  const reached = new Set<string>();
  const brought = new Set<string>();
  const reach = (root: string): void => {
    if (reached.has(root)) return;
    reached.add(root);
    const left = [root];
    for (let file = left.pop(); file !== undefined; file = left.pop())
      for (const target of includes.get(file) ?? []) {
        if (reached.has(target)) continue;
        reached.add(target);
        brought.add(target);
        left.push(target);
      }
  };
  for (const file of known) if (!targets.has(file)) reach(file);
  for (const file of known) reach(file);
  return brought;
}

/** The names in quotes that a text includes outside of all conditions but its include guard. */
function includesOf(text: string): string[] {
  if (!text.includes("include")) return [];
  const directives = [...text.matchAll(pieces)].flatMap(([, , name, quoted, word]) => (name === undefined ? [] : { name, quoted, word }));
  const [first, second] = directives;
  const isGuarded = first?.name === "ifndef" && second?.name === "define" && second.word === first.word;
  const found: string[] = [];
  let depth = 0;
  for (const { name, quoted } of isGuarded ? directives.slice(1) : directives) {
    if (name.startsWith("if")) depth++;
    else if (name === "endif") depth = Math.max(0, depth - 1);
    else if (name === "include" && quoted !== undefined && depth === 0) found.push(quoted);
  }
  return found;
}
