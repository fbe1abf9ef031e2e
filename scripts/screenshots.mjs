/** `npm run screenshots`: the example in the real VS Code, for the README; with `-- animation` the one that moves alone. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { animated } from "./support/animation.mjs";
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
const { recordEdit, screenshots } = await import("../out/e2e/harness.mjs");
const into = path.join(root, "docs/images");
const options = { root, vscode, chromium: chromium.path, into };
if (!process.argv.includes("animation")) await screenshots(options);
writeFileSync(path.join(into, "edit.gif"), animated(await recordEdit(options)));
