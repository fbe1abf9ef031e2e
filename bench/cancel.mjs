/**
 * How soon the engine returns once nobody wants the answer: simulations, and estimates of resources, cancelled at random moments.
 *
 *   node bench/cancel.mjs [--times 20] [--match REGEXP] [--stretches] [--seed 1] [FILE.cu ...]
 *
 * Takes the launches of the measured sets and of bench/support/heavy.cu, or of the files given. Prints the longest and the 99th
 * percentile from cancellation to return by stage: the folder of the engine that found out. What the machine gives to others meanwhile
 * is not the engine's: milliseconds are at most those this thread computed, where the system tells them. --stretches cancels nothing
 * and prints the longest stretches between two questions instead, with the places that ended them.
 */
import { openSync, readdirSync, readSync } from "node:fs";
import path from "node:path";
import { performance } from "node:perf_hooks";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { bundle, root } from "./support/bundle.mjs";
import { table } from "./support/report.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    times: { type: "string", default: "20" },
    match: { type: "string", default: "" },
    seed: { type: "string", default: "1" },
    stretches: { type: "boolean" },
  },
});
/** The goal, in milliseconds. */
const goal = 20;
/** The system counts what a thread has computed this often, in milliseconds. */
const tick = 4;
const times = Number(values.times);
const match = new RegExp(values.match);
process.setSourceMapsEnabled(true);
Error.stackTraceLimit = 30;
const warplens = await import(
  pathToFileURL(await bundle("cancel", ["server/src/validation/measured-set.ts", "server/src/grammar.ts", "sim-engine/src/index.ts"])).href
);
await warplens.loadGrammarFromDisk();
const gpu = warplens.findGpu("h200");
const now = clock();
let seed = Number(values.seed);

const results = [];
for (const file of positionals.length > 0 ? positionals : ownFiles()) {
  const { launches } = warplens.analyseFile(path.resolve(file), gpu);
  for (const fact of launches) {
    if (!fact.launch || !match.test(`${path.basename(file)} ${fact.kernelName}`)) continue;
    const kernel = lowered(fact);
    if (!kernel) continue;
    const asks = [
      ["simulate", (own, work) => warplens.simulate(own, fact.launch, gpu, { work })],
      ["resources", (own, work) => warplens.estimateResources(own, 90, work)],
    ];
    for (const [what, ask] of asks) {
      const name = `${what} ${path.basename(file)} ${fact.kernelName}`;
      if (values.stretches) longestStretch(name, kernel, ask);
      else cancelled(name, kernel, ask);
    }
  }
}
report();

function ownFiles() {
  const sets = ["h200", "h200-more", "h200-programs"].map((set) => path.join(root, "sim-engine/validation", set, "kernels"));
  const measured = sets.flatMap((set) =>
    readdirSync(set)
      .filter((name) => name.endsWith(".cu"))
      .map((name) => path.join(set, name)),
  );
  return [...measured, path.join(root, "bench/support/heavy.cu")];
}

/** A clock: milliseconds that have passed, and those that this thread has computed where the system says so, in ticks. */
function clock() {
  let computed = () => Number.POSITIVE_INFINITY;
  try {
    const schedule = openSync("/proc/thread-self/schedstat", "r");
    const buffer = Buffer.alloc(100);
    const read = () => Number(buffer.toString("latin1", 0, readSync(schedule, buffer, 0, 100, 0)).split(" ")[0]) / 1e6;
    if (read() > 0) computed = read;
  } catch {
    // Not told here.
  }
  return () => ({ passed: performance.now(), computed: computed() });
}

/** Milliseconds of computing since `before`: no less than it was. */
function since(before) {
  const { passed, computed } = now();
  const here = computed - before.computed;
  return Math.min(passed - before.passed, Number.isNaN(here) ? Number.POSITIVE_INFINITY : here + tick);
}

function random() {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
}

function lowered(fact) {
  try {
    return fact.lower();
  } catch {
    return undefined;
  }
}

/** Runs to its end or to what it cannot do; the error, where it was cancelled. */
function attempt(kernel, ask, isCancelled) {
  // What is made of a kernel is kept: each attempt has a kernel of its own.
  const own = warplens.cloneKernel(kernel);
  try {
    ask(own, new warplens.Work(Number.POSITIVE_INFINITY, isCancelled));
  } catch (error) {
    if (error instanceof warplens.Cancelled) return error;
  }
  return undefined;
}

function cancelled(name, kernel, ask) {
  const before = performance.now();
  attempt(kernel, ask, () => false);
  const whole = performance.now() - before;
  for (let k = 0; k < times; k++) {
    const started = performance.now();
    const at = started + random() * whole;
    let cancelledAt;
    // The moment is a question's own, or lies between two: then time has run since the one before, at the most.
    let last = now();
    const error = attempt(kernel, ask, () => {
      const next = now();
      if (next.passed >= at) cancelledAt ??= last.passed >= at ? next : later(last, at);
      last = next;
      return cancelledAt !== undefined;
    });
    if (error === undefined) continue;
    const ms = since(cancelledAt);
    const { folder, places } = stageOf(error.stack);
    results.push({ name, stage: folder, place: places, ms });
  }
}

/** The clock at a moment after `before`, of which only the time is known. */
function later(before, at) {
  return { passed: Math.max(before.passed, at), computed: before.computed };
}

function longestStretch(name, kernel, ask) {
  let last = now();
  let longest = { ms: 0, stack: "" };
  attempt(kernel, ask, () => {
    const ms = since(last);
    if (ms > longest.ms) longest = { ms, stack: new Error("here").stack };
    last = now();
    return false;
  });
  const rest = since(last);
  const { folder, places } = stageOf(longest.stack);
  results.push({ name, stage: folder, place: places, ms: longest.ms }, { name, stage: "to the end", place: "", ms: rest });
}

/** The engine's folder that a stack ends in, and the innermost calls. */
function stageOf(stack) {
  const calls = [...stack.matchAll(/at (?:new )?(\S+) .*?sim-engine\/src\/([\w/.-]+\.ts):(\d+)/g)].filter(
    ([, , file]) => file !== "work.ts",
  );
  const [, , file = "?"] = calls[0] ?? [];
  return {
    folder: path.dirname(file),
    places: calls
      .slice(0, 4)
      .map(([, , at, line]) => `${at}:${line}`)
      .join(" < "),
  };
}

function report() {
  const percentile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  const row = (title, some) => {
    const sorted = some.map(({ ms }) => ms).toSorted((a, b) => a - b);
    return [title, String(some.length), ...[0.5, 0.99, 1].map((share) => `${percentile(sorted, share).toFixed(1)} ms`)];
  };
  if (results.length === 0) return console.log("nothing was cancelled");
  const stages = [...new Set(results.map(({ stage }) => stage))].sort();
  const rows = [
    ...stages.map((stage) =>
      row(
        stage,
        results.filter((each) => each.stage === stage),
      ),
    ),
    row("all", results),
  ];
  console.log(table([values.stretches ? "longest stretch ended in" : "cancelled in", "times", "median", "p99", "worst"], rows));
  console.log("");
  for (const { name, place, ms } of results.toSorted((a, b) => b.ms - a.ms).slice(0, 12))
    console.log(`${ms.toFixed(1).padStart(7)} ms  ${name}  ${place}`);
  const worst = Math.max(...results.map(({ ms }) => ms));
  console.log(`\nworst ${worst.toFixed(1)} ms, goal ${goal} ms`);
  if (worst > goal && !values.stretches) process.exitCode = 1;
}
