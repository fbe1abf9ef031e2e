/**
 * What each launch costs in process: of measured sets, of any CUDA files, or of those in a folder, the dearest first.
 *
 *   node bench/engine.mjs [--match REGEXP] [--include DIR]... [--figures] [--phases] [SET | FILE.cu | FOLDER]...
 *
 * A SET is a folder of sim-engine/validation by its name (default: h200), of which the kernels are simulated, not compared; for a ladder
 * of GEMMs give its folder, and what its files include. --match takes files and kernels by name; --figures leaves out what a kernel does
 * wrong and what it could be without; --phases adds where the time goes. Times are of this thread: other work of the machine does not
 * count, but for what it takes of caches and of a core's other thread.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import inspector from "node:inspector";
import path from "node:path";
import { performance } from "node:perf_hooks";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { bundle, root } from "./support/bundle.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    match: { type: "string", default: "" },
    include: { type: "string", multiple: true, default: [] },
    figures: { type: "boolean", default: false },
    phases: { type: "boolean", default: false },
  },
});
const warplens = await import(
  pathToFileURL(
    await bundle("engine", [
      "server/src/analysis/analyze.ts",
      "server/src/files.ts",
      "server/src/simulate/device-properties.ts",
      "server/src/grammar.ts",
      "sim-engine/src/index.ts",
      "sim-engine/src/work.ts",
    ]),
  ).href
);
await warplens.loadGrammarFromDisk();
const gpu = warplens.findGpu("h200");
const match = new RegExp(values.match);

/** What a phase is known by: functions that all of it is done in. */
const phaseOf = {
  analyze: "analysis",
  lower: "lowering",
  compiledFor: "compilation",
  executed: "blocks",
  estimateTraffic: "caches",
  replay: "SM",
  sanitize: "faults",
};
const session = new inspector.Session();
session.connect();
if (values.phases) ask("Profiler.enable");

const launches = (positionals.length > 0 ? positionals : ["h200"]).flatMap(filesOf).flatMap(costsOf);
launches.sort((a, b) => b.ms - a.ms);
for (const { ms, name, steps, note } of launches)
  console.log([`${ms.toFixed(0).padStart(5)} ms`, `${(steps / 1000).toFixed(0).padStart(5)} thousand steps`, name, note].join("  "));
const within = (most) => `${((100 * launches.filter(({ ms }) => ms < most).length) / launches.length).toFixed(1)} % under ${most} ms`;
console.log(`${launches.length} launches: median ${launches[launches.length >> 1]?.ms.toFixed(0)} ms, ${within(300)}, ${within(1000)}`);

/** Of a set, a file or a folder. */
function filesOf(named) {
  const place = [path.join(root, "sim-engine/validation", named, "kernels"), named].find(existsSync);
  if (place === undefined) throw new Error(`${named} is no set of sim-engine/validation, and no file or folder`);
  if (!statSync(place).isDirectory()) return [place];
  return readdirSync(place, { recursive: true })
    .filter((file) => file.endsWith(".cu"))
    .sort()
    .map((file) => path.join(place, file));
}

/** Of the launches in a file. What is read and analysed for the first is told with it. */
function costsOf(file) {
  const settings = {
    computeCapability: warplens.capabilityNumber(gpu.computeCapability),
    defines: [],
    includeDirs: values.include,
    launches: [],
    assume: [],
    argv: [],
    device: warplens.devicePropertiesOf(gpu),
  };
  const analysis = timed(() => warplens.analyze(file, readFileSync(file, "utf8"), settings, warplens.diskFiles));
  let toTell = `analysis of the file ${analysis.ms.toFixed(0)} ms`;
  return analysis.value.launches.flatMap(({ kernelName, templateArguments, launch, lower }) => {
    const name = `${path.basename(file)} ${kernelName}${templateArguments.length > 0 ? `<${templateArguments}>` : ""}`;
    if (!launch || !match.test(name)) return [];
    const work = new warplens.Work();
    const { ms, value, phases } = timed(() => simulated(() => lower(work), launch, work));
    const notes = [`grid ${launch.grid} block ${launch.block}`, value, phases, toTell].filter(Boolean);
    toTell = "";
    return [{ ms, name, steps: work.spent, note: notes.join("; ") }];
  });
}

/** What was run of it, or why it was not. */
function simulated(lower, launch, work) {
  try {
    const { blocks, of, exact } = warplens.simulate(lower(), launch, gpu, { work, figuresOnly: values.figures }).simulated;
    return `${blocks} of ${of} blocks${exact ? "" : ", sampled"}`;
  } catch (error) {
    return `not simulated: ${error.message}`;
  }
}

function timed(make) {
  if (values.phases) ask("Profiler.start");
  const started = now();
  const value = make();
  const ms = now() - started;
  return { ms, value, phases: values.phases ? shares(ask("Profiler.stop").profile) : "" };
}

/** The share of each phase in a profile, the greatest first. */
function shares({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const phases = new Map();
  const descend = (node, around) => {
    const phase = phaseOf[node.callFrame.functionName] ?? (node.callFrame.functionName === "(garbage collector)" ? "garbage" : around);
    phases.set(node.id, phase);
    for (const child of node.children ?? []) descend(byId.get(child), phase);
  };
  descend(nodes[0], "other");
  const spent = {};
  let all = 0;
  for (const [k, sample] of samples.entries()) {
    all += timeDeltas[k];
    spent[phases.get(sample)] = (spent[phases.get(sample)] ?? 0) + timeDeltas[k];
  }
  const sorted = Object.entries(spent).sort(([, a], [, b]) => b - a);
  return sorted.map(([phase, time]) => `${phase} ${((100 * time) / all).toFixed(0)} %`).join(", ");
}

function ask(method) {
  let answer;
  session.post(method, (_, result) => {
    answer = result;
  });
  return answer;
}

/** Milliseconds this thread has computed, where the system says so. */
function now() {
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1e6;
  } catch {
    return performance.now();
  }
}
