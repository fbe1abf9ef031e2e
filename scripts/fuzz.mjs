/** `npm run fuzz`: bundles what lies in test/fuzz and runs it; see test/fuzz/main.ts for its options. */
import { pathToFileURL } from "node:url";
import { bundle, root } from "../bench/support/bundle.mjs";

const script = await bundle("fuzz-process", ["test/fuzz/process.ts"]);
const { main } = await import(pathToFileURL(await bundle("fuzz", ["test/fuzz/main.ts"])).href);
process.exitCode = await main(process.argv.slice(2), { root, script });
