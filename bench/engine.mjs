/**
 * How fast the engine simulates, in process, and how near it comes: every measured launch of sim-engine/validation/h200.
 *
 *   node bench/engine.mjs [FILTER] [--lines] [--warm]
 *
 * Prints for each launch its computing time (of this thread: other work of the machine does not count), what was executed, and
 * simulated over measured values. `--lines` adds the lines whose counters are more than 1 % off; `--warm` simulates each launch
 * three times and prints the last.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const h200 = path.join(root, "sim-engine/validation/h200");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { lines: { type: "boolean", default: false }, warm: { type: "boolean", default: false } },
});
const [filter = ""] = positionals;

const warplens = await bundled();
const require = createRequire(import.meta.url);
warplens.useParser(
  await warplens.loadWasmParser({
    runtime: readFileSync(require.resolve("web-tree-sitter/web-tree-sitter.wasm")),
    grammar: readFileSync(require.resolve("tree-sitter-cuda/tree-sitter-cuda.wasm")),
  }),
);
const gpu = warplens.findGpu("h200");
const settings = { computeCapability: 90, defines: [], includeDirs: [], launches: [], assume: [], argv: [] };
const measured = JSON.parse(readFileSync(path.join(h200, "truth/launches.json"), "utf8")).launches;

const results = [];
for (const file of new Set(measured.map((launch) => launch.file))) {
  const wanted = measured.filter((launch) => launch.file === file);
  if (!wanted.some((launch) => `${launch.file} ${launch.kernel}`.includes(filter))) continue;
  const place = path.join(h200, "kernels", file);
  const program = warplens.analyze(place, readFileSync(place, "utf8"), settings, { read: () => undefined });
  for (const [index, fact] of program.launches.entries()) {
    const truth = wanted[index];
    if (`${file} ${truth.kernel}`.includes(filter)) results.push(simulated(fact, truth));
  }
}
summary(results);

async function bundled() {
  const outfile = path.join(root, "node_modules/.cache/warplens-engine-bench.mjs");
  const modules = [
    "./sim-engine/src/index.ts",
    "./server/src/analysis/analyze.ts",
    "./server/src/syntax/current-parser.ts",
    "./server/src/syntax/parser/wasm.ts",
  ];
  await build({
    stdin: { contents: modules.map((module) => `export * from "${module}";`).join("\n"), resolveDir: root, loader: "ts" },
    bundle: true,
    platform: "node",
    format: "esm",
    external: ["web-tree-sitter"],
    outfile,
  });
  return import(pathToFileURL(outfile).href);
}

/** Milliseconds this thread has computed, where the system says so. */
function now() {
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1e6;
  } catch {
    return performance.now();
  }
}

function simulated(fact, truth) {
  const kernel = fact.lower();
  let [report, ms] = [undefined, 0];
  for (let times = values.warm ? 3 : 1; times > 0; times--) {
    const started = now();
    report = warplens.simulate(kernel, fact.launch, gpu);
    ms = now() - started;
  }
  const { blocks, of, warpInstructions, exact } = report.simulated;
  const ratio = (got, want) => (want ? ((got ?? 0) / want).toFixed(2) : "-");
  const off = lines(report, truth);
  const name = `${truth.file.replace(".cu", "")} ${truth.kernel.replace(/^void /, "").split("(")[0]}`;
  console.log(
    [
      name.padEnd(42),
      `${ms.toFixed(0).padStart(4)} ms`,
      `${String(warpInstructions).padStart(7)} steps in ${blocks} of ${of} blocks${exact ? "" : ", sampled"}`,
      `instructions x${ratio(report.instructions.warp, truth.warp_instructions)}`,
      `time x${ratio(report.time?.ns, truth.time_ns)} (${report.time?.boundBy})`,
      `dram x${ratio((report.traffic.dramReadBytes ?? 0) + (report.traffic.dramWriteBytes ?? 0), truth.dram_read_bytes + truth.dram_write_bytes)}`,
      ...(values.lines ? off.map((each) => `\n    ${each}`) : []),
    ].join("  "),
  );
  return { ms, steps: warpInstructions, off: off.length, time: (report.time?.ns ?? 0) / truth.time_ns };
}

/** Line counters that are more than 1 % off. */
function lines(report, truth) {
  const keys = [
    ["sectors", "global_sectors", "globalSectors"],
    ["ideal sectors", "global_sectors_ideal", "globalSectorsIdeal"],
    ["wavefronts", "shared_wavefronts", "sharedWavefronts"],
    ["ideal wavefronts", "shared_wavefronts_ideal", "sharedWavefrontsIdeal"],
    ["divergent branches", "divergent_branches", "divergentBranches"],
  ];
  return [...new Set([...Object.keys(truth.lines), ...Object.keys(report.lines)])].flatMap((line) =>
    keys.flatMap(([what, theirs, ours]) => {
      const [want, got] = [truth.lines[line]?.[theirs] ?? 0, report.lines[line]?.[ours] ?? 0];
      return Math.abs(got - want) > 0.01 * want ? [`line ${line}: ${got} ${what}, measured ${want}`] : [];
    }),
  );
}

function summary(all) {
  const sorted = all.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const steps = all.reduce((sum, each) => sum + each.steps, 0);
  const total = sorted.reduce((sum, ms) => sum + ms, 0);
  const errors = all.map(({ time }) => Math.abs(time - 1));
  console.log(
    `${all.length} launches: median ${sorted[sorted.length >> 1]?.toFixed(0)} ms, most ${sorted.at(-1)?.toFixed(0)} ms, ` +
      `${(steps / total / 1000).toFixed(1)} M steps/s all told; ${all.filter(({ off }) => off === 0).length} with every line exact; ` +
      `time off by ${((100 * errors.reduce((a, b) => a + b, 0)) / all.length).toFixed(1)} % on average`,
  );
}
