/**
 * Bundles what ships into dist/, and the end-to-end suite into out/e2e/. Source maps stand beside the bundles and do not ship.
 * `node esbuild.mjs [--watch]`
 */
import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build, context } from "esbuild";

const root = path.dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);
const dist = path.join(root, "dist");

/** In fewer letters. */
const define = { "Number.POSITIVE_INFINITY": "Infinity", "Number.NaN": "NaN", "Number.MAX_SAFE_INTEGER": "9007199254740991" };
const shared = {
  absWorkingDir: root,
  define,
  outdir: "dist",
  bundle: true,
  minify: true,
  sourcemap: "linked",
  target: "es2023",
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
const chunks = { splitting: true, chunkNames: "shared-[hash]" };
/** A worker's own address may be a blob's, which nothing is relative to; what is loaded comes with its full address. */
const browser = {
  ...shared,
  platform: "browser",
  format: "iife",
  define: { ...define, "import.meta.url": '"https://extension.invalid/"' },
};
/** What the client's library can do and the server does not offer. Each is registered as a feature that does nothing. */
const unusedFeatures = [
  ...["callHierarchy", "colorProvider", "completion", "declaration", "definition", "documentHighlight", "documentLink", "documentSymbol"],
  ...["executeCommand", "fileOperations", "foldingRange", "formatting", "implementation", "inlineCompletion", "inlineValue"],
  ...["linkedEditingRange", "reference", "rename", "selectionRange", "semanticTokens", "signatureHelp"],
  ...["textDocumentContent", "typeDefinition", "typeHierarchy", "workspaceSymbol"],
];
/** Their messages, in the protocol's own modules. (Those of semantic tokens are compared with: they stay.) */
const unusedMessages = [
  ...[
    "callHierarchy",
    "colorProvider",
    "declaration",
    "fileOperations",
    "foldingRange",
    "implementation",
    "inlineCompletion",
    "inlineValue",
  ],
  ...["linkedEditingRange", "moniker", "notebook", "selectionRange", "textDocumentContent", "typeDefinition", "typeHierarchy"],
];
const unusedItems = ["CallHierarchyItem", "CompletionItem", "DocumentLink", "TypeHierarchyItem", "WorkspaceSymbol"];
/** What stands in the place of which module. */
const standIns = {
  ...Object.fromEntries(unusedFeatures.map((name) => [`vscode-languageclient/lib/common/${name}.js`, "absent.cjs"])),
  ...Object.fromEntries(
    unusedMessages.map((name) => [`vscode-languageserver-protocol/lib/common/protocol.${name}.js`, "absent-messages.cjs"]),
  ),
  ...Object.fromEntries(unusedItems.map((name) => [`vscode-languageclient/lib/common/protocol${name}.js`, "absent-item.cjs"])),
  "vscode-languageclient/lib/common/notebook.js": "notebook.cjs",
  "minimatch/dist/commonjs/index.js": "minimatch.cjs",
};
/** The manifest says which editor the extension needs. */
const versionCheck = { "semver/functions/parse.js": "semver-parse.cjs", "semver/functions/satisfies.js": "semver-satisfies.cjs" };
/** Fails where one of them is not asked for: the library has changed. @param {Readonly<Record<string, string>>} modules */
const replacing = (modules) => ({
  name: "replacing",
  setup({ onLoad, onStart, onEnd }) {
    const met = new Set();
    onStart(() => met.clear());
    for (const [file, standIn] of Object.entries(modules)) {
      const filter = new RegExp(`/${file.replaceAll(/[.]/g, "\\.")}$`.replaceAll("/", "[\\\\/]"));
      onLoad({ filter }, () => {
        met.add(file);
        return { contents: readFileSync(path.join(root, "client/stand-ins", standIn), "utf8"), resolveDir: root };
      });
    }
    onEnd(() => {
      const missing = Object.keys(modules).filter((file) => !met.has(file));
      return missing.length > 0 ? { errors: [{ text: `nothing loads ${missing.join(", ")}: it is to be left out no more` }] } : undefined;
    });
  },
});
/** VS Code loads extensions as CommonJS. */
const extension = { ...shared, format: "cjs", external: ["vscode"] };
const tests = { outdir: "out/e2e", minify: false };

const bundles = [
  {
    ...extension,
    platform: "node",
    entryPoints: { extension: "client/src/extension.ts" },
    outExtension: { ".js": ".cjs" },
    plugins: [replacing({ ...standIns, ...versionCheck })],
  },
  { ...extension, platform: "browser", entryPoints: { web: "client/src/web.ts" }, plugins: [replacing(standIns)] },
  { ...browser, entryPoints: { panel: "client/src/panel/page/main.ts" } },
  // What they have in common is there once. The server does without: it would load the whole engine before it says hello.
  {
    ...node,
    ...chunks,
    entryPoints: {
      worker: "server/src/worker.ts",
      cli: "server/src/cli/main.ts",
      inspector: "server/src/cli/inspector.ts",
      "parent-watch": "server/src/cli/parent-watch.ts",
    },
  },
  { ...node, ...chunks, entryPoints: { server: "server/src/node.ts" } },
  { ...browser, entryPoints: { "server-browser": "server/src/browser.ts" } },
  { ...browser, entryPoints: { "browser-analysis": "server/src/browser-analysis.ts" }, globalName: "warplensAnalysis" },
  {
    ...extension,
    ...tests,
    platform: "node",
    external: ["vscode", "mocha"],
    entryPoints: { suite: "test/suite/index.ts" },
    outExtension: { ".js": ".cjs" },
  },
  {
    ...node,
    ...tests,
    external: ["playwright-core", "mocha", "@vscode/test-electron"],
    entryPoints: { harness: "test/harness/main.ts" },
    outExtension: { ".js": ".mjs" },
  },
];

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });
for (const wasm of ["web-tree-sitter/web-tree-sitter.wasm", "tree-sitter-cuda/tree-sitter-cuda.wasm"])
  copyFileSync(require.resolve(wasm), path.join(dist, path.basename(wasm)));
// What `warplens calibrate` builds on the user's machine.
cpSync(path.join(root, "server/src/calibrate/programs"), path.join(dist, "programs"), { recursive: true });
// For the server, its thread and the command line; the manifest itself must not say so, or browsers refuse the extension.
writeFileSync(path.join(dist, "package.json"), `{ "type": "module" }\n`);

if (process.argv.includes("--watch")) for (const options of bundles) await (await context(options)).watch();
else {
  await Promise.all(bundles.map((options) => build(options)));
  chmodSync(path.join(dist, "cli.js"), 0o755);
}
