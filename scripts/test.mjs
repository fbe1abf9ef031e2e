/** `npm test`: installs what the tests need, then runs the unit tests and the end-to-end suite. */
import { build, endToEnd, runChecks, unit } from "./support/checks.mjs";
import { ensureNativeParser } from "./support/native-parser.mjs";
import { ensureInstalled } from "./support/project.mjs";

await ensureInstalled();
console.log(await ensureNativeParser());
process.exit((await runChecks([build, unit, endToEnd("source")])) ? 0 : 1);
