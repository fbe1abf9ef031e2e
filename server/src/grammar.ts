/** Loads the parser from disk: from beside the bundle, or as npm installed it when run from source. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { useParser } from "./syntax/current-parser.ts";
import { loadWasmParser } from "./syntax/index.ts";
import { installedAssets } from "./syntax/parser/installed.ts";

const beside = (name: string): string => fileURLToPath(new URL(`./${name}`, import.meta.url));

let loaded: Promise<void> | undefined;

/** Loads the grammar once (about 0.7 s); rejects when it cannot be read. */
export function loadGrammarFromDisk(): Promise<void> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<void> {
  const runtime = beside("web-tree-sitter.wasm");
  const grammar = beside("tree-sitter-cuda.wasm");
  const assets = existsSync(runtime) ? { runtime: readFileSync(runtime), grammar: readFileSync(grammar) } : installedAssets();
  useParser(await loadWasmParser(assets));
}
