/** Makes the .vsix from dist/, which must be built, and checks its size and that of each script. `npm run package` builds first. */
import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { createVSIX } from "@vscode/vsce";
import { root } from "./support/project.mjs";

const limit = 3_000_000;
/** Bytes of each script in dist/: what analyses and simulates, which the thread and the command line share, is the largest. */
const scriptLimits = { "extension.cjs": 400_000, "web.js": 385_000, "panel.js": 80_000, "server-browser.js": 875_000 };
const scriptLimit = 2_100_000;
const packagePath = path.join(root, "warplens.vsix");

await createVSIX({ cwd: root, packagePath, dependencies: false });
const { size } = statSync(packagePath);
if (size > limit) {
  console.error(`${path.basename(packagePath)} has ${size} bytes; it should stay under ${limit}.`);
  process.exitCode = 1;
}
for (const name of readdirSync(path.join(root, "dist")).filter((each) => /\.c?js$/.test(each))) {
  const script = statSync(path.join(root, "dist", name)).size;
  const most = scriptLimits[name] ?? scriptLimit;
  if (script <= most) continue;
  console.error(`dist/${name} has ${script} bytes; it should stay under ${most}.`);
  process.exitCode = 1;
}
