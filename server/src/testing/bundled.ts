/** Entries as they ship, for tests of threads and processes: Node reads no TypeScript of packages. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/**
 * Bundles entries below the repository's root, where they find the grammar that npm installed. To be removed after use.
 * @param entries paths below `server/src`; each becomes the script of that name
 */
export async function bundled<Name extends string>(
  entries: Readonly<Record<Name, string>>,
): Promise<{ readonly scripts: Readonly<Record<Name, URL>>; remove(): void }> {
  const cache = path.join(root, ".cache");
  mkdirSync(cache, { recursive: true });
  const outdir = mkdtempSync(path.join(cache, "bundled-"));
  writeFileSync(path.join(outdir, "package.json"), `{ "type": "module" }\n`);
  const names = Object.keys(entries) as Name[];
  await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(names.map((name) => [name, `server/src/${entries[name]}`])),
    outdir,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "es2023",
    external: ["tree-sitter"],
    mainFields: ["module", "main"],
    banner: { js: `import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);` },
    logLevel: "silent",
  });
  const script = (name: Name): [Name, URL] => [name, pathToFileURL(path.join(outdir, `${name}.js`))];
  return {
    scripts: Object.fromEntries(names.map(script)) as Record<Name, URL>,
    remove: () => rmSync(outdir, { recursive: true, force: true }),
  };
}
