import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { WasmAssets } from "./wasm.ts";

/** The modules as npm installed them: for tests and for running from source. Bundles bring their own copies. */
export function installedAssets(): WasmAssets {
  const { resolve } = createRequire(import.meta.url);
  return {
    runtime: readFileSync(resolve("web-tree-sitter/web-tree-sitter.wasm")),
    grammar: readFileSync(resolve("tree-sitter-cuda/tree-sitter-cuda.wasm")),
  };
}
