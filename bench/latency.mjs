/**
 * What a person typing waits for, measured on the bundled server through its protocol, everything else running:
 * from a key to its findings and to the edited kernel's lens, from opening to both, and the server's memory. clangd is timed beside
 * it on the same edits, where it is installed. Goals stand in parentheses; `!` marks one that is missed.
 *
 *   npm run bench                                 generated programs of 200 to 20,000 lines
 *   npm run bench -- --files FOLDER_OR_FILE...    real ones: those files, and of a folder the one nearest to each size
 *
 *   --edits N      scripts of 2 or 3 edits a file, for keys one by one and again while simulating (default 20)
 *   --lenses N     scripts of edits whose kernel's lens is awaited (6);  --bursts N  of typing (2);  --opens N  first openings (3)
 *   --sizes A,B    lines of the generated programs;  --by-kind  also by what was edited;  --trace  also where the server's time went
 *   --no-clangd    only the server;  --server FILE  another build of it;  --json FILE  every sample
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { root } from "./support/bundle.mjs";
import { generate, header, headerName } from "./support/generate.mjs";
import { measure } from "./support/measure.mjs";
import { clangdTable, keyTable, kindTable, memoryLine, settingLine, stageTable, summaryTable } from "./support/tables.mjs";
import { manyFiles, otherSetting } from "./support/workspace-measure.mjs";

const sizes = [200, 1000, 2000, 5000, 20_000];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    files: { type: "string", multiple: true, default: [] },
    sizes: { type: "string" },
    edits: { type: "string", default: "20" },
    lenses: { type: "string", default: "6" },
    bursts: { type: "string", default: "2" },
    opens: { type: "string", default: "3" },
    server: { type: "string", default: path.join(root, "dist/server.js") },
    json: { type: "string" },
    "by-kind": { type: "boolean" },
    trace: { type: "boolean" },
    "no-clangd": { type: "boolean" },
  },
});

const server = [process.execPath, values.server, "--stdio"];
const clangd = values["no-clangd"] ? undefined : ["clangd-19", "clangd"].find((name) => spawnSync(name, ["--version"]).status === 0);
const options = {
  server,
  ...(clangd ? { clangd: [clangd, "--log=error"] } : {}),
  edits: Number(values.edits),
  lenses: Number(values.lenses),
  bursts: Number(values.bursts),
  opens: Number(values.opens),
  trace: values.trace === true,
};

const generated = mkdtempSync(path.join(tmpdir(), "warplens-bench-"));
try {
  await run();
} finally {
  rmSync(generated, { recursive: true, force: true });
}

async function run() {
  const load = loadavg()[0].toFixed(1);
  console.log(`Node.js ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? "?"}, load ${load}; times in ms, goals in parentheses`);
  const results = [];
  for (const file of files()) {
    console.error(`measuring ${path.basename(file)}…`);
    results.push(await measure(file, options));
  }
  console.log(`\nFrom a key to its findings\n\n${keyTable(results)}`);
  const beside = clangdTable(results);
  if (beside) console.log(`\n${clangd} beside it, keys one by one\n\n${beside}`);
  console.log(`\nOpening, lenses and memory\n\n${summaryTable(results)}`);
  if (values["by-kind"]) console.log(`\nFrom a key to its findings, by what was edited\n\n${kindTable(results)}`);
  for (const result of results)
    if (result.stages) console.log(`\nWhere the time of keys one by one went, ${result.name}\n\n${stageTable(result)}`);
  console.log(`\n${memoryLine(await manyFiles(server))}\n${settingLine(await otherSetting(server, 20_000))}`);
  if (results.some(({ versioned }) => !versioned))
    console.log("The server publishes diagnostics without a version: the first that came after a key were taken for its own.");
  if (values.json) writeFileSync(values.json, JSON.stringify({ load, results }, undefined, 1));
}

/** The files that are asked for, or those generated. */
function files() {
  const given = [...values.files, ...positionals];
  if (given.length > 0 && values.sizes === undefined)
    return given.flatMap((name) => (statSync(name).isDirectory() ? nearest(name) : [name]));
  writeFileSync(path.join(generated, headerName), header);
  const wanted = values.sizes?.split(",").map(Number) ?? sizes;
  return wanted.map((lines) => {
    const file = path.join(generated, `generated-${lines}.cu`);
    writeFileSync(file, generate(lines));
    return file;
  });
}

/** Of a folder, the file nearest to each size, where one is within a quarter of it. */
function nearest(folder) {
  const all = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".cu"))
    .sort()
    .map((name) => path.join(folder, name))
    .map((file) => ({ file, lines: readFileSync(file, "utf8").split("\n").length }));
  const chosen = sizes.map((size) => {
    const [best] = all.toSorted((a, b) => Math.abs(a.lines - size) - Math.abs(b.lines - size));
    return best && Math.abs(best.lines - size) <= size / 4 ? best.file : undefined;
  });
  return [...new Set(chosen.filter((file) => file !== undefined))];
}
