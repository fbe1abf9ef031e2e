/**
 * Bundles what ships into dist/, and the end-to-end suite into out/e2e/. Names are kept, so that a stack trace from a user reads.
 * `node esbuild.mjs [--watch]`
 */
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build, context } from "esbuild";

const root = path.dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);
const watch = process.argv.includes("--watch");

const shared = {
  absWorkingDir: root,
  bundle: true,
  minifySyntax: true,
  minifyWhitespace: true,
  sourcemap: "linked",
  target: "es2023",
  logLevel: "warning",
  legalComments: "none",
};
/** ESM that may hold bundled CommonJS, which asks for `require`. */
const node = {
  ...shared,
  platform: "node",
  format: "esm",
  // Packages that ship both: their UMD builds hide what they require from the bundler.
  mainFields: ["module", "main"],
  banner: { js: `import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);` },
};
const browser = { ...shared, platform: "browser", format: "iife", define: { "import.meta.url": "self.location.href" } };

const bundles = [
  {
    ...shared,
    platform: "node",
    format: "cjs",
    external: ["vscode"],
    entryPoints: { extension: "client/src/extension.ts" },
    outExtension: { ".js": ".cjs" },
  },
  { ...shared, platform: "browser", format: "cjs", external: ["vscode"], entryPoints: { web: "client/src/web.ts" } },
  { ...browser, entryPoints: { panel: "client/src/panel/page/main.ts" } },
  { ...node, entryPoints: { server: "server/src/node.ts", worker: "server/src/worker.ts" } },
  { ...browser, entryPoints: { "server-browser": "server/src/browser.ts" } },
  { ...node, entryPoints: { cli: "server/src/cli/main.ts" }, banner: { js: `#!/usr/bin/env node\n${node.banner.js}` } },
  {
    ...shared,
    platform: "node",
    format: "cjs",
    external: ["vscode", "mocha"],
    entryPoints: { suite: "test/suite/index.ts" },
    outdir: "out/e2e",
    outExtension: { ".js": ".cjs" },
  },
  {
    ...node,
    external: ["playwright-core", "mocha", "@vscode/test-electron"],
    entryPoints: { harness: "test/harness/main.ts" },
    outdir: "out/e2e",
    outExtension: { ".js": ".mjs" },
  },
].flatMap((options) => {
  // Parts are built by several hands at once: what is not there yet is left out, and said.
  const present = Object.entries(options.entryPoints).filter(([, source]) => existsSync(path.join(root, source)));
  for (const [, source] of Object.entries(options.entryPoints)) if (!existsSync(path.join(root, source))) console.warn(`no ${source}`);
  return present.length > 0 ? [{ ...options, entryPoints: Object.fromEntries(present), outdir: options.outdir ?? "dist" }] : [];
});

const assets = [require.resolve("web-tree-sitter/web-tree-sitter.wasm"), require.resolve("tree-sitter-cuda/tree-sitter-cuda.wasm")];

if (!watch) rmSync(path.join(root, "dist"), { recursive: true, force: true });
mkdirSync(path.join(root, "dist"), { recursive: true });
for (const asset of assets) copyFileSync(asset, path.join(root, "dist", path.basename(asset)));

if (watch) for (const options of bundles) await (await context(options)).watch();
else {
  await Promise.all(bundles.map((options) => build(options)));
  const cli = path.join(root, "dist/cli.js");
  if (existsSync(cli)) chmodSync(cli, 0o755);
}
