/**
 * How near the estimated registers come to what nvcc gives: every kernel instance that a program launches, as it is compiled for the H200.
 *
 *   node bench/registers.mjs [--half study|unseen] [--match REGEXP] [--verbose] FILE_OR_FOLDER...
 *
 * Files that nvcc does not compile alone, with the folder of each and the `include` and `Common` folders above it, are left out and counted. Files are halved
 * by their names: --verbose lists the kernels of those of `study` alone, as the model is never mended by looking at the others. What nvcc says is kept in node_modules/.cache.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { bundle, root } from "./support/bundle.mjs";
import { count, percent, table } from "./support/report.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    half: { type: "string" },
    match: { type: "string", default: "" },
    verbose: { type: "boolean", short: "v" },
  },
});

if (positionals.length === 0 || !["study", "unseen", undefined].includes(values.half))
  throw new Error("usage: node bench/registers.mjs [--half study|unseen] [--match REGEXP] [--verbose] FILE_OR_FOLDER...");
const warplens = await import(
  pathToFileURL(
    await bundle("registers", [
      "server/src/analysis/analyze.ts",
      "server/src/files.ts",
      "server/src/nvcc/compile.ts",
      "server/src/nvcc/resources.ts",
      "server/src/simulate/device-properties.ts",
      "server/src/grammar.ts",
      "sim-engine/src/index.ts",
    ]),
  ).href
);
await warplens.loadGrammarFromDisk();
const gpu = warplens.findGpu("h200");
const computeCapability = warplens.capabilityNumber(gpu.computeCapability);
const kept = path.join(root, "node_modules/.cache/warplens-nvcc");
mkdirSync(kept, { recursive: true });
const match = new RegExp(values.match);

const files = positionals
  .map((name) => path.resolve(name))
  .flatMap((name) => (statSync(name).isDirectory() ? sourcesIn(name) : [name]))
  .filter((file) => match.test(file) && (values.half === undefined || halfOf(file) === values.half));
const pairs = [];
let left = 0;
for (const { file, kernels } of await compiledAll(files)) {
  if (kernels) pairs.push(...compared(file, kernels));
  else left++;
}
report();

function sourcesIn(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith(".cu"))
    .sort()
    .map((name) => path.join(folder, name));
}

/** By name alone, so that a file is of the same half wherever it lies. */
function halfOf(file) {
  const name = file.split(path.sep).slice(-2).join("/");
  return createHash("sha256").update(name).digest()[0] % 2 === 0 ? "study" : "unseen";
}

/** As many at a time as there are processors. */
async function compiledAll(all) {
  const found = [];
  let next = 0;
  const compileOthers = async () => {
    for (let k = next++; k < all.length; k = next++) found[k] = await compiled(all[k]);
  };
  await Promise.all(os.cpus().map(compileOthers));
  return found;
}

async function compiled(file) {
  const text = readFileSync(file, "utf8");
  const includeDirs = includesFor(file);
  const key = createHash("sha256")
    .update(JSON.stringify([text, file]))
    .digest("hex");
  const known = path.join(kept, `${key}.json`);
  if (existsSync(known)) return { file, kernels: JSON.parse(readFileSync(known, "utf8")) };
  const answer = await warplens.compileResources("auto", {
    path: file,
    text,
    headers: [],
    computeCapability,
    defines: [],
    includeDirs,
    options: ["-std=c++17"],
  });
  const kernels = "kernels" in answer ? answer.kernels : null;
  writeFileSync(known, JSON.stringify(kernels));
  return { file, kernels };
}

/** Folders that samples are usually built with. */
function includesFor(file) {
  const found = [];
  for (let folder = path.dirname(file); path.dirname(folder) !== folder; folder = path.dirname(folder))
    for (const name of ["include", "Common", "common/inc"]) if (existsSync(path.join(folder, name))) found.push(path.join(folder, name));
  return found;
}

/** Each instance once, under the block that its first launch has. */
function compared(file, kernels) {
  const settings = {
    computeCapability,
    defines: [],
    includeDirs: includesFor(file),
    launches: [],
    assume: [],
    argv: [],
    device: warplens.devicePropertiesOf(gpu),
  };
  const program = warplens.analyze(file, readFileSync(file, "utf8"), settings, warplens.diskFiles);
  const seen = new Set();
  return program.launches.flatMap((fact) => {
    if (!fact.launch) return [];
    try {
      const kernel = fact.lower(new warplens.Work(20_000_000));
      const found = warplens.findCompiled(kernels, fact.kernelName, kernel.templateArguments);
      const name = `${fact.kernelName}<${kernel.templateArguments}>`;
      if (!found || seen.has(name)) return [];
      seen.add(name);
      const { value, low, high } = warplens.estimateResources(kernel, computeCapability, new warplens.Work(20_000_000)).registers;
      const { block, dynamicSharedBytes } = fact.launch;
      const occupancy = (registers) =>
        warplens.occupancy(gpu.values, {
          registers,
          staticShared: found.staticSharedBytes,
          dynamicShared: dynamicSharedBytes,
          blockSize: block[0] * block[1] * block[2],
        }).occupancyPct;
      return [
        {
          file,
          name,
          value,
          low,
          high,
          truth: found.registers,
          spills: found.spillStoreBytes,
          stack: found.stackBytes,
          occupancy: [occupancy(value), occupancy(found.registers)],
        },
      ];
    } catch (error) {
      if (values.verbose) console.log(`${file} ${fact.kernelName}: ${error.message.split("\n")[0]}`);
      return [];
    }
  });
}

function report() {
  const off = ({ value, truth }) => Math.abs(value - truth) / truth;
  const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN;
  const share = (holds) => pairs.filter(holds).length / pairs.length;
  if (values.verbose)
    for (const pair of pairs.filter(({ file }) => halfOf(file) === "study").toSorted((a, b) => off(b) - off(a))) {
      const { file, name, value, truth, stack, spills, occupancy } = pair;
      const where = path.relative(process.cwd(), file);
      console.log(
        `${where} ${name}: ${value} of ${truth}${stack ? `, stack ${stack}` : ""}${spills ? `, spills ${spills}` : ""}, occupancy ${occupancy.map((pct) => pct.toFixed(1)).join(" of ")} %`,
      );
    }
  console.log(
    table(
      ["", values.half ?? "all"],
      [
        ["files that nvcc compiles", count(files.length - left, files.length)],
        ["kernel instances", `${pairs.length}`],
        ["registers, median error", percent(median(pairs.map(off)))],
        ["registers, mean error", percent(pairs.reduce((sum, pair) => sum + off(pair), 0) / pairs.length)],
        ["registers within 10 %", percent(share((pair) => off(pair) <= 0.1))],
        ["within the interval that is told", percent(share(({ truth, low, high }) => truth >= low && truth <= high))],
        ["theoretical occupancy right", percent(share(({ occupancy: [said, is] }) => Math.abs(said - is) <= 1))],
      ],
    ),
  );
}
