/**
 * Holds the import arrows of ARCHITECTURE.md between folders. (Which packages a folder may use is Biome's part: see biome.json.)
 * Each module is a folder, a file, or both at once (`lint` is lint.ts and lint/); the longest match wins. It lists the modules
 * that it may import besides itself.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const engine = "sim-engine/src";
const units = "server/src/units.ts";
const occupancyText = "server/src/occupancy-text.ts";
const files = "server/src/files.ts";
const grammar = "server/src/grammar.ts";
const nvcc = "server/src/nvcc";
const trace = "server/src/trace.ts";
const below = [engine, "sim-engine/gpus", "server/src/syntax", "server/src/analysis", units, trace];
const core = [...below, "server/src/rules", "server/src/lint", "server/src/simulate"];
const protocol = "server/src/lsp/protocol.ts";

/** @type {Record<string, readonly string[]>} */
export const arrows = {
  [engine]: ["sim-engine/gpus"],
  "sim-engine/gpus": [],
  "server/src/syntax": [trace],
  "server/src/analysis": [engine, "server/src/syntax", trace],
  "server/src/rules": below,
  "server/src/lint": core,
  "server/src/simulate": core,
  [units]: [],
  [trace]: [],
  [occupancyText]: [engine, units],
  "server/src/worker/": [...core, nvcc],
  [files]: below,
  [grammar]: below,
  [nvcc]: [],
  "server/src/cli": [...core, occupancyText, files, grammar, nvcc],
  [protocol]: [engine],
  "server/src/lsp": [...core, occupancyText, nvcc, "server/src/worker/", protocol],
  "server/src": [...core, occupancyText, nvcc, files, grammar, "server/src/worker/", "server/src/cli", "server/src/lsp", protocol],
  "client/src/panel/page": ["client/src/panel/messages.ts", protocol, occupancyText, units],
  "client/src/panel/messages.ts": [protocol],
  "client/src": ["client/src/panel/page", "client/src/panel/messages.ts", protocol, units],
};

const packages = {
  "@warplens/sim-engine": "sim-engine/src/index.ts",
  "@warplens/server/protocol": protocol,
  "@warplens/server/occupancy-text": occupancyText,
  "@warplens/server/units": units,
};
const specifiers = /\b(?:from|import)\s*\(?\s*"([^"]+)"/g;

/** @param {string} file */
const moduleOf = (file) =>
  Object.keys(arrows)
    .filter((name) => file === name || (file.startsWith(name) && (name.endsWith("/") || /^[/.]/.test(file.slice(name.length)))))
    .sort((a, b) => b.length - a.length)[0];

/**
 * What one file imports against the arrows.
 * @param {string} file path from the repository root, `/` separated
 * @param {string} text its source
 * @returns {string[]} one sentence for each violation
 */
export function violations(file, text) {
  const from = moduleOf(file);
  if (from === undefined) return [];
  const found = [];
  for (const [, specifier] of text.matchAll(specifiers)) {
    const target = specifier.startsWith(".") ? path.posix.join(path.posix.dirname(file), specifier) : packages[specifier];
    const to = target && moduleOf(target);
    if (!target || to === from || (to && arrows[from].includes(to))) continue;
    found.push(`${file}: ${from} may not import ${to ?? target} (${specifier})`);
  }
  return found;
}

/**
 * Every violation in the tree; tests and what helps them (`testing.ts`) may import what they like.
 * @param {string} root the repository
 */
export function checkArrows(root) {
  const sources = ["sim-engine/src", "server/src", "client/src"].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !/(\.test|\btesting)\.ts$/.test(name))
      .map((name) => path.posix.join(folder, name.replaceAll("\\", "/"))),
  );
  return sources.flatMap((file) => violations(file, readFileSync(path.join(root, file), "utf8")));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const found = checkArrows(process.cwd());
  for (const line of found) console.error(line);
  process.exitCode = found.length > 0 ? 1 : 0;
}
