/** The native tree-sitter: an optional dependency whose library npm brings, and which is built where that one does not load. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { root, run } from "./project.mjs";

/** In a process of its own: a library that does not fit may take the process down. */
function loads() {
  const script = 'const Parser = require("tree-sitter"); new Parser().setLanguage(require("tree-sitter-cuda"));';
  return spawnSync(process.execPath, ["-e", script], { cwd: root, stdio: "ignore" }).status === 0;
}

/**
 * Builds it if it must be, which takes half a minute, once an installation.
 * @returns {Promise<string>} what there is: one sentence
 */
export async function ensureNativeParser() {
  if (!existsSync(path.join(root, "node_modules/tree-sitter"))) return "The native parser is not installed: the WebAssembly one is used.";
  if (loads()) return "The native parser is there.";
  console.log("Building the native parser (npm rebuild tree-sitter)…");
  const code = await run("npm", ["rebuild", "--ignore-scripts=false", "--foreground-scripts", "--loglevel=error", "tree-sitter"]);
  if (code === 0 && loads()) return "The native parser was built.";
  return "The native parser could not be built (is there a C++ compiler, make and Python?): the WebAssembly one is used, and its parity is not tested.";
}
