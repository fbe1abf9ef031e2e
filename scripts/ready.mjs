/** `npm run ready`: everything that must hold before a change is done. */
import { build, deadCode, endToEnd, generated, lint, packaged, runChecks, types, unit } from "./support/checks.mjs";
import { ensureNativeParser } from "./support/native-parser.mjs";
import { ensureInstalled } from "./support/project.mjs";

await ensureInstalled();
console.log(await ensureNativeParser());
const checks = [generated, types, lint, deadCode, build, unit, endToEnd("source"), packaged, endToEnd("vsix")];
process.exit((await runChecks(checks)) ? 0 : 1);
