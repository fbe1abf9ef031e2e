/**
 * How near the simulation comes to what was measured on an H200 and an H100, from source text to counters.
 *
 *   node bench/score.mjs [--verbose] [--write] [--set NAME]...
 *
 * --verbose lists each launch and each line that is not exact, but for sets that are held out; --set scores these sets alone; --write renews
 * the table of docs/accuracy.md.
 */

import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { bundle, root } from "./support/bundle.mjs";
import { count, percent, renew, table } from "./support/report.mjs";
import { heldBy, learn } from "./support/time-errors.mjs";

const { values } = parseArgs({
  options: { verbose: { type: "boolean", short: "v" }, write: { type: "boolean" }, set: { type: "string", multiple: true } },
});
if (values.write && values.set) throw new Error("The table is of all sets: --write goes without --set.");
const code =
  workerData?.code ??
  (await bundle("score", [
    "server/src/validation/compare.ts",
    "server/src/validation/measured-set.ts",
    "server/src/grammar.ts",
    "sim-engine/src/index.ts",
  ]));
const validation = await import(pathToFileURL(code).href);
await validation.loadGrammarFromDisk();
const folder = (...names) => path.join(root, "sim-engine/validation", ...names);

/** What comes out of a set. */
function scored({ name, gpu, kernels }) {
  const started = performance.now();
  const set = validation.compareSet(folder(name), validation.findGpu(gpu), folder(kernels, "kernels"));
  const summary = validation.summarise(set.comparisons, set.launches);
  return { name, kernels, ...set, summary, ms: performance.now() - started };
}

if (!isMainThread) {
  parentPort.on("message", (set) => parentPort.postMessage(scored(set)));
  // The main thread ends it.
  await new Promise(() => {});
}
/** What the model was made on, and what it was not. */
const studied = [
  "h200",
  "h200-more",
  "h200-programs",
  "h200-tiles",
  "h200-hopper",
  "h200-sums",
  "h200-mixed",
  "h200-fresh",
  "h200-classes",
  "h200-kinds",
  "h200-works",
  "h200-themes",
  "h200-topics",
  "h200-data",
  "h200-crafts",
  "h200-lessons",
  "h200-practice",
  "h200-routines",
  "h200-suites",
  "h200-series",
  "h200-labs",
];
const unseen = [
  "h200-unseen",
  "h200-sums-unseen",
  "h200-mixed-unseen",
  "h200-fresh-unseen",
  "h200-classes-unseen",
  "h200-kinds-unseen",
  "h200-works-unseen",
  "h200-themes-unseen",
  "h200-topics-unseen",
  "h200-crafts-unseen",
  "h200-lessons-unseen",
  "h200-practice-unseen",
  "h200-routines-unseen",
  "h200-suites-unseen",
  "h200-series-unseen",
  "h200-labs-unseen",
];
/** Programs of the H200's sets on another GPU, of whose model only a launch's overhead was set by any of them. */
const elsewhere = ["h200", "h200-fresh", "h200-fresh-unseen", "h200-kinds", "h200-kinds-unseen", "h200-works", "h200-works-unseen"].map(
  (kernels) => ({
    name: kernels.replace("h200", "h100"),
    gpu: "h100-sxm",
    kernels,
  }),
);
/** Programs that were measured on the H100 alone; looked at as the studied ones were, but for the last. */
const only = ["h100-training", "h100-rows", "h100-rows-unseen"].map((name) => ({ name, gpu: "h100-sxm", kernels: name }));
const asked = [...[...studied, ...unseen].map((name) => ({ name, gpu: "h200", kernels: name })), ...elsewhere, ...only].filter(
  ({ name }) => values.set?.includes(name) ?? true,
);

/** By several threads, each set by one of them. */
async function scoredTogether(all) {
  const results = new Map();
  const left = all.toReversed();
  const thread = async () => {
    const worker = new Worker(new URL(import.meta.url), {
      workerData: { code },
      argv: process.argv.slice(2),
      resourceLimits: { maxOldGenerationSizeMb: 4096 },
    });
    for (let set = left.pop(); set; set = left.pop()) {
      const next = set;
      const result = await new Promise((done, fail) => {
        worker.once("message", done);
        worker.once("error", fail);
        worker.postMessage(next);
      });
      worker.removeAllListeners("error");
      results.set(next.name, result);
    }
    await worker.terminate();
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), all.length) }, thread));
  return all.map(({ name }) => results.get(name));
}
const sets = await scoredTogether(asked);

/** What the error bars are learnt from: held out programs, on whatever GPU. What the model was made on is nearer than others will be. */
const heldOut = sets.filter(({ name }) => name.endsWith("unseen"));
const errorsOf = ({ comparisons }) =>
  comparisons
    .filter(({ configurationRight, time }) => configurationRight && time > 0)
    .map(({ time, timeClass }) => ({ name: timeClass, error: Math.abs(Math.log(time)) }));
const groups = [...new Set(heldOut.map(({ kernels }) => kernels))].map((programs) =>
  heldOut.filter(({ kernels }) => kernels === programs).flatMap(errorsOf),
);
const learnt = learn(groups, validation.errorClasses);
if (groups.length > 1)
  for (const set of heldOut) {
    const others = heldOut.filter(({ kernels }) => kernels !== set.kernels);
    set.summary.timeHeldByOthers = heldBy(others.flatMap(errorsOf), errorsOf(set), learnt.wider, validation.errorClasses);
  }

/** A figure that is given as `digits` shows it, or that there is none. */
const given = (value, shown) => (value === undefined ? "-" : shown(value));
const rows = [
  ["launches simulated", (s) => count(s.simulated, s.launches)],
  ["grid, block and shared bytes right", (s) => count(s.configurationsRight, s.launches)],
  ["lines exact in global sectors (within 1 %)", (s) => percent(s.globalLinesExact)],
  ["lines exact in shared wavefronts (within 1 %)", (s) => percent(s.sharedLinesExact)],
  ["uncoalesced lines found", (s) => percent(s.uncoalescedRecall)],
  ["lines called uncoalesced that are", (s) => percent(s.uncoalescedPrecision)],
  ["lines with bank conflicts found", (s) => percent(s.bankConflictRecall)],
  ["lines said to have bank conflicts that have", (s) => percent(s.bankConflictPrecision)],
  ["global sectors, median error", (s) => percent(s.sectors)],
  ["warp instructions, median error", (s) => percent(s.instructions)],
  ["registers, median error", (s) => percent(s.registers)],
  ["theoretical occupancy right (within a point)", (s) => percent(s.occupancyRight)],
  ["achieved occupancy, median error in points", (s) => given(s.achievedPoints, (points) => points.toFixed(1))],
  ["time, mean error", (s) => given(s.timeMean, percent)],
  ["time, median error", (s) => given(s.timeMedian, percent)],
  ["times within their error bar", (s) => percent(s.timeHeld)],
  ["within the bar that other programs held out give", (s) => given(s.timeHeldByOthers, percent)],
  ["bytes from and to memory, median error", (s) => given(s.dramMedian, percent)],
  ["time by line, in common with samples, median", (s) => given(s.spentMedian, percent)],
  ["hottest line found", (s) => given(s.hottestLines, percent)],
];
const result = table(
  ["", ...sets.map(({ name }) => name)],
  rows.map(([title, show]) => [title, ...sets.map(({ summary }) => show(summary))]),
);

if (values.verbose) for (const set of sets.filter(({ name }) => !name.endsWith("unseen"))) describe(set);
// Of programs held out only the number is told: a reason would say where the model could be mended for them.
for (const { name, missing } of sets) for (const launch of name.endsWith("unseen") ? [] : missing) console.log(`not simulated: ${launch}`);
console.log(result);
console.log(`\n${sets.map(({ name, ms }) => `${name}: ${(ms / 1000).toFixed(1)} s`).join(", ")}`);
if (values.write) {
  renew("validation", result);
  // It takes effect with `npm run generate`.
  writeFileSync(path.join(root, "sim-engine/validation/time-errors.json"), `${JSON.stringify(learnt, undefined, 2)}\n`);
}

function describe({ name, comparisons }) {
  console.log(`${name}:`);
  for (const { kernel, configurationRight, lines, sectors, instructions, registers, time, dram } of comparisons) {
    const times = given(time, (ratio) => `x${ratio.toFixed(2)}`);
    console.log(
      `  ${kernel.padEnd(30)} time ${times} dram ${given(dram, percent)} sectors ${percent(sectors)}`,
      `instructions ${percent(instructions)} registers ${percent(registers)}${configurationRight ? "" : " configuration wrong"}`,
    );
    for (const line of lines.filter((each) => !validation.isExact(each)))
      console.log(`    line ${line.line}: ${line.simulated} ${line.counter} for ${line.measured}`);
  }
}
