/**
 * How much of real code is understood: analyses every .cu file of folders and simulates each of its launches on an H200.
 *
 *   node bench/corpora.mjs [--name NAME] [--every N] [--match TEXT] [--seconds S] [-I DIR] [--reasons N] [--details FILE] [--write] FOLDER...
 *   node bench/corpora.mjs --from DETAILS.json [--name NAME] [--reasons N] [--write]
 *
 * --every N takes each Nth program (the folder a file stands in); --match only files whose path contains TEXT. --seconds is how
 * long a file may take. --details writes all that was found as JSON, --from sums that up again. --write renews the part NAME of docs/accuracy.md.
 * Files are read by child processes, so that one that crashes or hangs is counted and the rest goes on.
 */
import { fork } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { bundle } from "./support/bundle.mjs";
import { percent, renew, table } from "./support/report.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    name: { type: "string" },
    every: { type: "string", default: "1" },
    match: { type: "string", default: "" },
    seconds: { type: "string", default: "60" },
    include: { type: "string", short: "I", multiple: true, default: [] },
    reasons: { type: "string", default: "25" },
    details: { type: "string" },
    from: { type: "string" },
    write: { type: "boolean" },
  },
});
const folders = positionals.map((folder) => path.resolve(folder));
if (folders.length === 0 && !values.from) throw new Error("usage: node bench/corpora.mjs [OPTIONS] FOLDER...");
const seconds = Number(values.seconds);
const launchMs = 5000;
const child = fileURLToPath(new URL("support/survey-child.mjs", import.meta.url));

const results = values.from ? JSON.parse(readFileSync(values.from, "utf8")) : await surveyed(sampled(folders.flatMap(sources)));
const report = summary(results);
console.log(report);
console.log(slowest(results));
console.log(`${results.length} files in ${(results.reduce((sum, { wallMs }) => sum + wallMs, 0) / 1000).toFixed(0)} s`);
if (values.details) writeFileSync(values.details, JSON.stringify(results, undefined, 1));
if (values.write) renew(values.name ?? path.basename(folders[0] ?? ""), report);

function sources(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".cu"))
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
    .filter((file) => file.includes(values.match))
    .sort();
}

function sampled(all) {
  const programs = [...new Set(all.map((file) => path.dirname(file)))];
  const taken = new Set(programs.filter((_, k) => k % Number(values.every) === 0));
  return all.filter((file) => taken.has(path.dirname(file)));
}

/** One result a file; a new child after each that died. */
async function surveyed(all) {
  const code = await bundle(`survey-${process.pid}`, [
    "server/src/validation/survey.ts",
    "server/src/grammar.ts",
    "sim-engine/src/index.ts",
  ]);
  const found = [];
  let worker;
  for (const file of all) {
    worker ??= await startWorker(code);
    const result = await survey(worker, file);
    if (result.end !== "done") {
      worker.kill("SIGKILL");
      worker = undefined;
    }
    found.push(result);
    if (process.stderr.isTTY) process.stderr.write(`\r${found.length} of ${all.length}`);
  }
  worker?.kill();
  rmSync(code);
  return found;
}

function startWorker(code) {
  const worker = fork(child, [code], {
    execArgv: ["--max-old-space-size=2048", "--enable-source-maps"],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  return new Promise((resolve) => worker.once("message", () => resolve(worker)));
}

function survey(worker, file) {
  const launches = [];
  const since = performance.now();
  return new Promise((resolve) => {
    const finish = (rest) => {
      clearTimeout(timer);
      worker.removeAllListeners("message");
      worker.removeAllListeners("exit");
      resolve({ file, launches, kernels: [], sites: 0, wallMs: performance.now() - since, ...rest });
    };
    const timer = setTimeout(() => finish({ end: "time-out" }), seconds * 1000);
    worker.once("exit", (exit, signal) => finish({ end: "crash", fault: `the process ended: ${signal ?? exit}` }));
    worker.on("message", (message) => {
      if (message.launch) launches.push(message.launch);
      else if (message.survey) finish({ end: "done", ...message.survey });
      else finish({ end: "fault", fault: message.fault });
    });
    worker.send({ path: file, includeDirs: values.include.map((folder) => path.resolve(folder)), launchMs });
  });
}

/** A reason without the names and numbers of one program. */
function normalised(reason) {
  return reason
    .replaceAll(/`[^`]*`/g, "`…`")
    .replaceAll(/"[^"]*"/g, '"…"')
    .replaceAll(/\b\d[\d,.]*\b/g, "N")
    .replaceAll(/\bline N\b.*/g, "line N …");
}

function summary(all) {
  const launches = all.flatMap((result) => result.launches);
  const written = launches.filter((launch) => launch.isWritten);
  const kernels = new Map(all.flatMap((result) => result.kernels.map((kernel) => [kernel, false])));
  for (const { definition, simulated } of launches) if (definition) kernels.set(definition, kernels.get(definition) === true || simulated);
  const simulated = [...kernels.values()].filter(Boolean).length;
  const known = written.filter((launch) => launch.assumed.length === 0).length;
  const argued = written.filter((launch) => launch.assumed.length === 0 && launch.hasRunArguments).length;
  const grids = written.filter((launch) => launch.assumed.length > 0 && launch.blockKnown).length;
  const inputs = written.filter(
    (launch) => launch.assumed.length > 0 && launch.assumed.every((text) => !/^(grid|block|dynamicSharedBytes): /.test(text)),
  ).length;
  const sites = Math.max(
    written.length,
    all.reduce((sum, result) => sum + result.sites, 0),
  );
  const faults = all.filter((result) => result.end === "fault" || result.end === "crash").length;
  const faulty = launches.filter((launch) => launch.fault).length;
  const overview = table(
    ["", "", ""],
    [
      ["files", all.length, ""],
      ["kernels simulated to the end", `${simulated} of ${kernels.size}`, percent(simulated / kernels.size)],
      [
        "launches simulated",
        `${written.filter((launch) => launch.simulated).length} of ${sites}`,
        percent(written.filter((launch) => launch.simulated).length / sites),
      ],
      ["launches whose configuration is known", `${known} of ${sites}`, percent(known / sites)],
      ["... of these in programs whose makefile or script gives their arguments", argued, percent(argued / sites)],
      ["... and where only the grid is not: block and shared memory are known", grids, percent(grids / sites)],
      ["... and where inputs of the program had to be assumed", inputs, percent(inputs / sites)],
      ["files that crashed, took too long", `${faults}, ${all.filter((result) => result.end === "time-out").length}`, ""],
      ["launches with a fault", faulty, ""],
    ],
  );
  const unsimulated = new Map();
  for (const launch of launches) {
    if (launch.simulated) continue;
    const id = launch.definition ?? launch.kernel;
    if (kernels.get(id) === true) continue;
    unsimulated.set(id, launch);
  }
  return [
    overview,
    reasons(
      "Why kernels are not simulated",
      [...unsimulated.values()].map((launch) => launch.reason ?? ""),
    ),
    reasons(
      "Why configurations are not known",
      written.flatMap((launch) =>
        launch.assumed.slice(0, 1).map((text) => text.replace(/^(?!(?:grid|block|dynamicSharedBytes):)[^:]*/, "an input")),
      ),
    ),
    ...faultList(all),
  ].join("\n\n");
}

function reasons(title, all) {
  const counts = new Map();
  for (const reason of all.map(normalised)) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const sorted = [...counts].sort((a, b) => b[1] - a[1]);
  const shown = sorted.slice(0, Number(values.reasons));
  const rest = sorted.slice(shown.length).reduce((sum, [, count]) => sum + count, 0);
  const rows = shown.map(([reason, count]) => [reason.replaceAll("|", "\\|"), count]);
  if (rest > 0) rows.push([`${sorted.length - shown.length} other reasons`, rest]);
  return rows.length === 0 ? `${title}: none.` : table([title, "count"], rows);
}

function faultList(all) {
  const found = all.flatMap(({ file, fault, end, launches }) => [
    ...(end === "done" ? [] : [`${path.basename(file)}: ${end}${fault ? `: ${fault.split("\n").slice(0, 4).join(" ")}` : ""}`]),
    ...launches
      .filter((launch) => launch.fault)
      .map((launch) => `${path.basename(file)}:${launch.line}: ${launch.fault.split("\n").slice(0, 4).join(" ")}`),
  ]);
  return found.length === 0 ? [] : [`Faults:\n\n${found.map((fault) => `- ${fault}`).join("\n")}`];
}

function slowest(all) {
  const rows = all
    .toSorted((a, b) => b.wallMs - a.wallMs)
    .slice(0, 8)
    .map(({ file, wallMs, ms }) => [
      path.relative(process.cwd(), file),
      (wallMs / 1000).toFixed(1),
      ms === undefined ? "-" : (ms / 1000).toFixed(1),
    ]);
  return table(["slowest files", "seconds", "until launches are known"], rows);
}
