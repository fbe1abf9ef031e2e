/** The thread of the analysis as it ships, for tests that need a real one: Node reads no TypeScript of packages. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Bundles it below the repository's root, where it finds the grammar that npm installed. To be removed after use. */
export async function bundleThread(): Promise<{ readonly script: URL; remove(): void }> {
  const cache = path.join(root, ".cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(path.join(cache, "thread-"));
  const outfile = path.join(folder, "worker.mjs");
  await build({
    absWorkingDir: root,
    entryPoints: ["server/src/worker.ts"],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "es2023",
    external: ["tree-sitter"],
    banner: { js: `import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);` },
    logLevel: "silent",
  });
  return { script: pathToFileURL(outfile), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
