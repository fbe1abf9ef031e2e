/** `npm start [-- FILE...]`: installs and builds what is missing, then checks and simulates the files, or the bundled example. */
import path from "node:path";
import { ensureInstalled, root, run } from "./support/project.mjs";

await ensureInstalled();
const built = await run(process.execPath, ["esbuild.mjs"]);
if (built !== 0) process.exit(built);

const here = process.env.INIT_CWD ?? process.cwd();
const given = process.argv.slice(2).map((file) => path.relative(root, path.resolve(here, file)));
const files = given.length > 0 ? given : ["examples/tour.cu"];
const warplens = (command) => {
  console.log(`\n$ npx warplens ${command} ${files.join(" ")}\n`);
  return run(process.execPath, ["dist/cli.js", command, ...files]);
};
// Findings are what it is run for: only a failure to work is one.
const codes = [await warplens("check"), await warplens("simulate")];
process.exitCode = codes.some((code) => code > 1) ? 2 : 0;
