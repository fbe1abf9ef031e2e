/** `npm run generate [-- --check]`: writes what is generated from data and code, or fails where a committed file is stale. */
import { existsSync } from "node:fs";
import path from "node:path";
import { ensureInstalled, root, run } from "./support/project.mjs";

await ensureInstalled();
/** In this order: the settings name the GPUs and the rules. */
const generators = [
  ...["gpus", "compilers", "time-errors"].map((name) => `sim-engine/scripts/${name}.mjs`),
  ...["rules", "refactorings", "guide", "settings", "gates", "schema"].map((name) => `scripts/generate/${name}.mjs`),
];
for (const generator of generators.filter((file) => existsSync(path.join(root, file))))
  if ((await run(process.execPath, [generator, ...process.argv.slice(2)])) !== 0) process.exitCode = 1;
