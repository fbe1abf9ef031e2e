/** Makes TypeScript modules of this project importable: one bundle a benchmark, kept in node_modules/.cache. */
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export const root = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));

/** Bundles what `modules` (paths below the root) export; the path of the bundle. */
export async function bundle(name, modules) {
  const outfile = path.join(root, `node_modules/.cache/warplens-${name}.mjs`);
  await build({
    stdin: { contents: modules.map((module) => `export * from "./${module}";`).join("\n"), resolveDir: root, loader: "ts" },
    bundle: true,
    platform: "node",
    format: "esm",
    external: ["web-tree-sitter", "tree-sitter-cuda"],
    sourcemap: "inline",
    mainFields: ["module", "main"],
    banner: { js: `import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);` },
    outfile,
  });
  return outfile;
}
