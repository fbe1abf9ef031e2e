/** Loads the parser from disk: from beside the bundle, or as npm installed it when run from source. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { useParser } from "./syntax/current-parser.ts";
import { loadWasmParser, type Parser } from "./syntax/index.ts";
import { installedAssets } from "./syntax/parser/installed.ts";
import { beginNatively, loadNativeParse, type NativeParse } from "./syntax/parser/native.ts";

const beside = (name: string): string => fileURLToPath(new URL(`./${name}`, import.meta.url));

let loaded: Promise<Loaded> | undefined;

interface Loaded {
  readonly wasm: Parser;
  /** The folder whose `node_modules` may hold more. */
  readonly root: URL;
}

/** Loads the grammar once; rejects when it cannot be read. */
export async function loadGrammarFromDisk(): Promise<void> {
  loaded ??= load();
  useParser((await loaded).wasm);
}

/** The same, begun natively where that can be: for processes that read files soon after they start. */
export async function loadNativeGrammarFromDisk(): Promise<void> {
  await loadGuardedGrammarFromDisk((parse) => parse);
}

/**
 * The same for a thread that may be ended, which must not happen in a native parse.
 * @param guarded keeps it from being ended there
 */
export async function loadGuardedGrammarFromDisk(guarded: (parse: NativeParse) => NativeParse): Promise<void> {
  loaded ??= load();
  const { wasm, root } = await loaded;
  const native = loadNativeParse(root);
  useParser(native ? beginNatively(guarded(native), wasm) : wasm);
}

async function load(): Promise<Loaded> {
  const runtime = beside("web-tree-sitter.wasm");
  const grammar = beside("tree-sitter-cuda.wasm");
  const bundled = existsSync(runtime);
  const assets = bundled ? { runtime: readFileSync(runtime), grammar: readFileSync(grammar) } : installedAssets();
  return { wasm: await loadWasmParser(assets), root: new URL(bundled ? "../" : "../../", import.meta.url) };
}
