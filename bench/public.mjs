/**
 * How near the simulation comes on other people's programs: the launches of sim-engine/validation/public, from their source text.
 *
 *   node bench/public.mjs [--gpu h200|h100-sxm] [--record more|unseen] [--match REGEXP] [--verbose] [--write] FOLDER
 *
 * FOLDER holds the collections as they are published: polybench, rodinia, cuda-samples and hecbench, measured on an H200, and llm.c,
 * measured on an H100; for --record, cuda-samples, hecbench and ladders, measured on an H200 later (see the records' README.md).
 * --match takes programs and kernels by name, --verbose lists each launch with its time and the lines that are
 * not exact, --write renews the table of docs/accuracy.md, which is the H200's.
 */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { bundle, root } from "./support/bundle.mjs";
import { count, figures, percent, renew, table } from "./support/report.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    gpu: { type: "string", default: "h200" },
    record: { type: "string" },
    match: { type: "string", default: "" },
    verbose: { type: "boolean", short: "v" },
    write: { type: "boolean" },
  },
});
const [folder] = positionals;
if (folder === undefined) throw new Error("usage: node bench/public.mjs [OPTIONS] FOLDER");
const match = new RegExp(values.match);
const warplens = await import(
  pathToFileURL(
    await bundle("public", [
      "server/src/analysis/analyze.ts",
      "server/src/files.ts",
      "server/src/simulate.ts",
      "server/src/simulate/device-properties.ts",
      "server/src/validation/compare.ts",
      "server/src/grammar.ts",
      "sim-engine/src/index.ts",
    ]),
  ).href
);
await warplens.loadGrammarFromDisk();
const records = { h200: values.record === undefined ? "" : `${values.record}-`, "h100-sxm": "h100-" }[values.gpu];
if (values.record !== undefined && (values.gpu !== "h200" || !["more", "unseen"].includes(values.record)))
  throw new Error("--record is more or unseen, of the H200");
if (records === undefined || (values.write && records !== ""))
  throw new Error("--gpu is h200 or h100-sxm; the table that --write renews is the H200's first one");
const gpu = warplens.findGpu(values.gpu);
const read = (name) => JSON.parse(readFileSync(path.join(root, "sim-engine/validation/public", `${records}${name}`), "utf8"));
const { launches } = read("launches.json");

const comparisons = [];
let compared = 0;
for (const program of read("programs.json")) {
  const measured = launches.filter((launch) => launch.program === program.id && match.test(`${program.id} ${launch.kernel}`));
  if (measured.length === 0 || !existsSync(path.join(folder, program.dir, program.main))) continue;
  const left = new Set(simulated(program));
  const seen = new Set();
  for (const launch of measured) {
    const name = instance(launch.kernel);
    const best = [...left].toSorted((a, b) => score(b, launch, name) - score(a, launch, name))[0];
    const found = best && score(best, launch, name) > 0;
    // A launch that runs again, of which the source has no further one, was compared the first time.
    if (seen.has(name) && !(found && score(best, launch, name) === 6)) continue;
    seen.add(name);
    compared++;
    if (found) {
      left.delete(best);
      comparisons.push(compare(launch, best));
    } else if (values.verbose) console.log(`${program.id} ${name}: not simulated`);
  }
}
report();

/** The launches written in a program's sources, simulated. */
function simulated({ dir, main, sources, args, defines, includes }) {
  const settings = {
    computeCapability: warplens.capabilityNumber(gpu.computeCapability),
    defines: defines.map((define) => {
      const [name, value] = define.split("=");
      return { name, ...(value === undefined ? {} : { value }) };
    }),
    includeDirs: includes.map((include) => path.join(folder, include)),
    launches: [],
    assume: [],
    argv: args,
    device: warplens.devicePropertiesOf(gpu),
  };
  return [...new Set([main, ...sources.filter((source) => source.endsWith(".cu"))])].flatMap((source) => {
    const file = path.join(folder, dir, source);
    const program = warplens.analyze(file, readFileSync(file, "utf8"), settings, warplens.diskFiles);
    return warplens
      .simulateProgram(program, gpu, { figuresOnly: true })
      .launches.filter(({ fact }) => fact.expression)
      .map(({ report, kernel }) => ({ report, files: kernel.files }));
  });
}

/** `void scan<(int)128, (bool)1>(int *)` and `scan<128, true>` are `scan<128,1>`. */
function instance(kernel) {
  return kernel
    .replace(/^void /, "")
    .replace(/\([a-z ]+\)(?=-?\d)/g, "")
    .replace(/\(.*$/, "")
    .replace(/[\s&]+/g, "")
    .replace(/\btrue\b/g, "1")
    .replace(/\bfalse\b/g, "0")
    .replace(/(\d)u\b/g, "$1");
}

/** 0: another kernel. 6: the same instance, with the same configuration. */
function score({ report }, launch, name) {
  const { kernel, templateArguments, grid, block, dynamicSharedBytes } = report;
  if (kernel.split("::").at(-1) !== name.split("<")[0]) return 0;
  const same = `${grid} ${block} ${dynamicSharedBytes}` === `${launch.grid} ${launch.block} ${launch.dynamic_shared_bytes}`;
  const full = instance(templateArguments.length > 0 ? `${kernel}<${templateArguments.join(",")}>` : kernel);
  return 1 + (same ? 2 : 0) + (full === name ? 3 : 0);
}

/** Lines of several files are told apart by numbers of their own. */
function compare(launch, { report, files }) {
  const numbers = new Map();
  const numbered = (byFile) =>
    Object.fromEntries(
      Object.entries(byFile).flatMap(([file, lines]) =>
        Object.entries(lines).map(([line, counters]) => {
          const key = `${path.basename(file)}:${line}`;
          if (!numbers.has(key)) numbers.set(key, numbers.size + 1);
          return [numbers.get(key), counters];
        }),
      ),
    );
  const comparison = warplens.compareLaunch(
    { ...launch, file: launch.program, lines: numbered(launch.files) },
    { ...report, lines: numbered({ [files[0]]: report.lines, ...report.otherLines }) },
  );
  if (values.verbose) {
    const names = [...numbers.keys()];
    const off = comparison.lines.filter((line) => !warplens.isExact(line));
    const time = comparison.time === undefined ? "" : `time x${comparison.time.toFixed(2)}, `;
    console.log(
      `${launch.program} ${instance(launch.kernel)} [${launch.block}]: ${time}${off.length} of ${comparison.lines.length} lines are not exact`,
    );
    console.log(`  ${figures(report, launch)}`);
    for (const line of off) console.log(`  ${names[line.line - 1]} ${line.counter} ${line.simulated}, measured ${line.measured}`);
  }
  return comparison;
}

function report() {
  const known = comparisons.filter(({ configurationRight }) => configurationRight);
  const [all, right] = [warplens.summarise(comparisons, compared), warplens.summarise(known, known.length)];
  const lines = (set) => set.reduce((sum, { lines }) => sum + lines.length, 0);
  const row = (title, shown) => [title, shown(all, comparisons), shown(right, known)];
  const text = table(
    ["", "all", "configuration right"],
    [
      row("launches simulated", (s) => count(s.simulated, s.launches)),
      row("counters of lines compared", (_, set) => String(lines(set))),
      row("lines exact in global sectors", (s) => percent(s.globalLinesExact)),
      row("lines exact in shared wavefronts", (s) => percent(s.sharedLinesExact)),
      row("uncoalesced lines found", (s) => percent(s.uncoalescedRecall)),
      row("lines called uncoalesced that are", (s) => percent(s.uncoalescedPrecision)),
      row("lines with bank conflicts found", (s) => percent(s.bankConflictRecall)),
      row("lines said to have bank conflicts that have", (s) => percent(s.bankConflictPrecision)),
      row("warp instructions, median error", (s) => percent(s.instructions)),
      row("registers, median error", (s) => percent(s.registers)),
      row("theoretical occupancy right", (s) => percent(s.occupancyRight)),
      row("time, median error", (s) => percent(s.timeMedian ?? Number.NaN)),
      row("launches with every line exact", (_, set) => count(set.filter((c) => c.lines.every(warplens.isExact)).length, set.length)),
    ],
  );
  console.log(text);
  if (values.write) renew("public", text);
}
