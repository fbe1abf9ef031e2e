/**
 * How many warp instructions a second the executor computes and counts, on one core, without sampling and without skipping
 * iterations: kernels of several kinds (bench/support/throughput.cu), each for some seconds.
 *
 *   node bench/throughput.mjs [FILTER] [--seconds 1]
 *
 * Warp instructions are those the modelled GPU would issue. `needed`: as a simulation runs, values that decide neither branches
 * nor addresses are left out; `all`: every value is computed. Compilation is not part of it. Times are of this thread.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { performance } from "node:perf_hooks";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { bundle, root } from "./support/bundle.mjs";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { seconds: { type: "string", default: "1" } } });
const [filter = ""] = positionals;
const engine = await import(
  pathToFileURL(
    await bundle("throughput", [
      "server/src/analysis/analyze.ts",
      "server/src/grammar.ts",
      "sim-engine/src/ir/builder.ts",
      "sim-engine/src/contents/earlier.ts",
      "sim-engine/src/execute/compile.ts",
      "sim-engine/src/execute/run.ts",
      "sim-engine/src/execute/slice.ts",
      "sim-engine/src/machine/index.ts",
      "sim-engine/src/passes/index.ts",
      "sim-engine/src/contents/assume.ts",
      "sim-engine/src/work.ts",
    ]),
  ).href
);
await engine.loadGrammarFromDisk();
const place = path.join(root, "bench/support/throughput.cu");
const settings = { computeCapability: 90, defines: [], includeDirs: [], launches: [], assume: [], argv: [] };
const { launches } = engine.analyze(place, readFileSync(place, "utf8"), settings, { read: () => undefined });

const all = [];
for (const fact of launches) {
  const lowered = fact.lower();
  if (!lowered.name.includes(filter)) continue;
  const kernel = engine.cloneKernel(lowered);
  engine.optimise(kernel);
  const work = new engine.Work();
  const contents = new engine.EarlierContents(work);
  const { launch } = engine.assumeUnknowns(kernel, fact.launch, contents, work);
  const machine = engine.select(kernel, 90);
  const figures = [{}, { slice: engine.wholeKernel }].map((options) => rate(kernel, launch, machine, { contents, ...options }));
  all.push(figures);
  console.log(`${lowered.name.padEnd(12)} ${figures.map(show).join("")}`);
}
const mean = (k) => Math.exp(all.reduce((sum, figures) => sum + Math.log(figures[k]), 0) / all.length);
console.log(`${"mean".padEnd(12)} ${[mean(0), mean(1)].map(show).join("")}`);

function show(figure, k) {
  return `${figure.toFixed(1).padStart(8)} M/s ${["needed", "all"][k]}`;
}

/** Millions of warp instructions a second. */
function rate(kernel, launch, machine, options) {
  const program = engine.compile(kernel, launch, options);
  const runner = new engine.Runner(program, new engine.Work());
  const issued = () =>
    program.blocks.reduce((sum, each) => {
      const { instructions, home } = machine.blocks.get(each.block);
      return sum + (home ? 0 : runner.flow.executions[each.index] * instructions.length);
    }, 0);
  runner.runBlock([0, 0, 0]);
  const before = issued();
  const started = now();
  const until = performance.now() + Number(values.seconds) * 1000;
  for (let k = 1; performance.now() < until; k++) runner.runBlock([k % launch.grid[0], 0, 0]);
  return (issued() - before) / 1000 / (now() - started);
}

/** Milliseconds this thread has computed, where the system says so. */
function now() {
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1e6;
  } catch {
    return performance.now();
  }
}
