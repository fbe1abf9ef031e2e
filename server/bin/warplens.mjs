#!/usr/bin/env node
/** The command `warplens`: a file that is always there, so that npm can link it before the first build. */
import { existsSync } from "node:fs";

const built = new URL("../../dist/cli.js", import.meta.url);
if (existsSync(built)) await import(built);
else {
  console.error("warplens is not built yet: run `npm ci && npm run build` in its folder.");
  process.exitCode = 2;
}
