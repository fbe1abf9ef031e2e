import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import type TreeSitter from "tree-sitter";
import { copyNative } from "./native-copy.ts";
import type { Parsed, ParseOptions, Parser } from "./parser.ts";

/** The text goes to the parser in pieces. */
const pieceLength = 8192;

/** Parses a whole text. Undefined where it has errors, or when cancelled. */
export type NativeParse = (text: string, options?: Pick<ParseOptions, "cancelled" | "enter">) => Parsed | undefined;

/**
 * A parse by node-tree-sitter, where npm installed it and its library loads; undefined elsewhere. Its trees are freed by the garbage
 * collector: nothing else can.
 *
 * What has errors is left to the other parser: the two runtimes do not recover from all of them alike, and what a user sees must not
 * depend on which one is there.
 * @param root the folder whose `node_modules` holds it: what lies further up is somebody else's, of whatever version
 */
export function loadNativeParse(root: URL): NativeParse | undefined {
  const modules = new URL("node_modules/", root);
  if (!["tree-sitter/", "tree-sitter-cuda/"].every((name) => existsSync(new URL(name, modules)))) return undefined;
  const require = createRequire(new URL("package.json", root));
  try {
    const Runtime = require("tree-sitter") as typeof TreeSitter;
    const parser = new Runtime();
    parser.setLanguage(require("tree-sitter-cuda") as TreeSitter.Language);
    let isCancelled: (() => boolean) | undefined;
    // One for all parses: the runtime holds on to it. It knows of an error once there is no way to read the text without one.
    const progressCallback = (_: number, hasError: boolean) => hasError || isCancelled?.() === true;
    return (text, { cancelled, enter } = {}) => {
      isCancelled = cancelled;
      const input = (index: number) => text.slice(index, index + pieceLength);
      // Null when given up, which its types do not say.
      const tree = parser.parse(input, null, { progressCallback }) as TreeSitter.Tree | null;
      isCancelled = undefined;
      if (!tree) parser.reset();
      return tree === null || tree.rootNode.hasError ? undefined : { text, root: copyNative(tree, enter), errors: [], isFresh: true };
    };
  } catch {
    // Built for another system, or not at all.
    return undefined;
  }
}

/**
 * Parses natively until the parser in WebAssembly has parsed something. That one has to be compiled at its first parse, which takes it
 * three times as long as the native one, but not as long as that at the second (`node bench/parse.mjs --native`); and it alone keeps
 * trees that edits go on from. So the first files of a process come soon, and what an editor asks for later is parsed as it would be
 * without: `keepTree`, when nobody waits, is where the one takes over from the other.
 */
export function beginNatively(native: NativeParse, inWebAssembly: Parser): Parser {
  let isCompiled = false;
  const compiled = (): Parser => {
    isCompiled = true;
    return inWebAssembly;
  };
  return {
    parse: (text, options) => (isCompiled ? undefined : native(text, options)) ?? compiled().parse(text, options),
    keepTree: (text, key, cancelled) => compiled().keepTree(text, key, cancelled),
    forget: (key) => inWebAssembly.forget(key),
    forgetAll: () => inWebAssembly.forgetAll(),
    dispose: () => inWebAssembly.dispose(),
  };
}
