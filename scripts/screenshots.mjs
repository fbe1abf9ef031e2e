/** `npm run screenshots`: the example in the real VS Code, for the README. */
import path from "node:path";
import { ensureInstalled, root, run } from "./support/project.mjs";
import { ensureChromium, ensureVscode } from "./support/tools.mjs";

await ensureInstalled();
const built = await run(process.execPath, ["esbuild.mjs"]);
if (built !== 0) process.exit(built);
const chromium = await ensureChromium();
const vscode = await ensureVscode();
if (chromium.missing ?? vscode.missing) {
  console.error(chromium.missing ?? vscode.missing);
  process.exit(1);
}
const { screenshots } = await import("../out/e2e/harness.mjs");
await screenshots({ root, vscode, chromium: chromium.path, into: path.join(root, "docs/images") });
