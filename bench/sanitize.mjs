/**
 * What looking for faults costs: each measured launch simulated with it and without, in process, by turns.
 *
 *   node bench/sanitize.mjs [SET...] [--turns N]
 *
 * Prints the sum of the least computing times of each (of this thread: other work of the machine does not count), their ratio, and the
 * launches that it costs most. SET: folders of sim-engine/validation (default: all that were measured on an H200).
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { performance } from "node:perf_hooks";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { bundle, root } from "./support/bundle.mjs";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { turns: { type: "string", default: "2" } } });
const sets =
  positionals.length > 0
    ? positionals
    : [
        "h200",
        "h200-more",
        "h200-programs",
        "h200-tiles",
        "h200-hopper",
        "h200-sums",
        "h200-mixed",
        "h200-unseen",
        "h200-sums-unseen",
        "h200-mixed-unseen",
      ];
const warplens = await import(
  pathToFileURL(await bundle("sanitize", ["server/src/validation/measured-set.ts", "server/src/grammar.ts", "sim-engine/src/index.ts"]))
    .href
);
await warplens.loadGrammarFromDisk();
const gpu = warplens.findGpu("h200");

/** Milliseconds this thread has computed, where the system says so. */
function now() {
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1e6;
  } catch {
    return performance.now();
  }
}

function timed(kernel, launch, faults) {
  const started = now();
  warplens.simulate(kernel, launch, gpu, { faults });
  return now() - started;
}

const rows = [];
for (const set of sets) {
  const folder = path.join(root, "sim-engine/validation", set);
  const files = new Set(warplens.measuredLaunches(folder).map((launch) => launch.file));
  for (const file of files) {
    for (const fact of warplens.analyseFile(path.join(folder, "kernels", file), gpu).launches) {
      try {
        const kernel = fact.lower();
        const row = { name: `${file} ${fact.kernelName}`, without: Number.POSITIVE_INFINITY, with: Number.POSITIVE_INFINITY };
        for (let turn = 0; turn < Number(values.turns); turn++) {
          row.without = Math.min(row.without, timed(kernel, fact.launch, false));
          row.with = Math.min(row.with, timed(kernel, fact.launch, true));
        }
        rows.push(row);
      } catch {
        // What is not simulated costs nothing here.
      }
    }
  }
}
const sum = (of) => rows.reduce((all, row) => all + row[of], 0);
const line = (row) =>
  `${row.with.toFixed(1).padStart(8)} ${row.without.toFixed(1).padStart(8)} ${(row.with / row.without).toFixed(2).padStart(6)}  ${row.name}`;
console.log(`${rows.length} launches: ms with, without, ratio`);
for (const row of [...rows].sort((a, b) => b.with - b.without - (a.with - a.without)).slice(0, 15)) console.log(line(row));
console.log(line({ name: "in total", with: sum("with"), without: sum("without") }));
