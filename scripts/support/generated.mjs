/** For generators: the project's TypeScript as modules, and files that are written or, with --check, compared. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { cache, root } from "./project.mjs";

/**
 * Imports a TypeScript module of this repository.
 * @param {string} file path from the root
 */
export async function load(file) {
  const outfile = path.join(cache, "generate", `${file.replaceAll("/", "-")}-${process.pid}.mjs`);
  // Packages that ship both: their UMD builds hide what they require from the bundler.
  const mainFields = ["module", "main"];
  await build({
    absWorkingDir: root,
    entryPoints: [file],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    mainFields,
    logLevel: "error",
  });
  try {
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(outfile, { force: true });
  }
}

const read = (file) => {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
};

/**
 * Writes a generated file; with --check, says that it is stale and makes the process fail.
 * @param {string} file path from the root
 * @param {string} text all of it
 */
export function write(file, text) {
  const target = path.join(root, file);
  if (read(target) === text) return;
  if (process.argv.includes("--check")) {
    console.error(`${file} is stale: run \`npm run generate\`.`);
    process.exitCode = 1;
    return;
  }
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, text);
  console.log(`wrote ${file}`);
}
