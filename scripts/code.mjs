/** `npm run code`: VS Code with the extension as it stands here; the desktop's where there is one, else the one from npm in a browser. */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { ensureInstalled, root, run } from "./support/project.mjs";
import { ensureVscode } from "./support/tools.mjs";

await ensureInstalled();
const built = await run(process.execPath, ["esbuild.mjs"]);
if (built !== 0) process.exit(built);

const examples = path.join(root, "examples");
if (spawnSync("code", ["--version"]).status === 0) {
  process.exitCode = await run("code", [`--extensionDevelopmentPath=${root}`, examples]);
} else {
  const vscode = await ensureVscode();
  if (vscode.missing) {
    console.error(`There is no \`code\` on the PATH, and ${vscode.missing}.`);
    process.exit(1);
  }
  const { startServer, workbenchUrl } = await import("../out/e2e/harness.mjs");
  const server = await startServer(vscode);
  console.log(workbenchUrl(server, { folder: examples, extension: root, file: path.join(examples, "tour.cu") }));
  console.log("Ctrl+C ends it.");
  process.once("SIGINT", () => server.stop().then(() => process.exit(0)));
}
