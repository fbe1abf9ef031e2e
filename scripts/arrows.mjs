/**
 * Holds the import arrows of ARCHITECTURE.md between folders. (Which packages a folder may use is Biome's part: see biome.json.)
 * Each module is a folder, a file, or both at once (`lint` is lint.ts and lint/); the longest match wins. It lists the modules
 * that it may import besides itself.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const engine = "sim-engine/src";
const units = "server/src/units.ts";
const occupancyText = "server/src/occupancy-text.ts";
const waitText = "server/src/wait-text.ts";
const waitColours = "client/src/wait-colours.ts";
const foreignText = "server/src/foreign-text.ts";
const roofline = "server/src/roofline.ts";
const lineMeasures = "server/src/line-measures.ts";
const memoryLevels = "server/src/memory-levels.ts";
const compared = "server/src/compared.ts";
const taskText = "server/src/task-text.ts";
const boundText = "server/src/bound-text.ts";
const directiveText = "server/src/directive-text.ts";
const files = "server/src/files.ts";
const grammar = "server/src/grammar.ts";
const nvcc = "server/src/nvcc";
const calibrate = "server/src/calibrate";
const measured = "server/src/measured";
const measuredText = "server/src/measured-text.ts";
const trace = "server/src/trace.ts";
/** Types alone. */
const timeline = "server/src/timeline/program-timeline.ts";
const question = "server/src/what-if/question.ts";
const hostCosts = "server/src/host-costs.ts";
const below = [engine, "sim-engine/gpus", "server/src/syntax", "server/src/analysis", units, hostCosts, trace];
const core = [
  ...below,
  foreignText,
  "server/src/rules",
  "server/src/refactorings",
  "server/src/lint",
  "server/src/simulate",
  "server/src/proof",
  "server/src/what-if",
  "server/src/timeline",
  timeline,
  question,
];
const protocol = "server/src/lsp/protocol.ts";

/** @param {string} part of the engine, below its `src` */
const inner = (part) => `${engine}/${part}`;
const work = inner("work.ts");
const ir = inner("ir");
const kernelFacts = inner("passes/facts");
const gpus = inner("gpus");
const compilers = inner("compilers");
const rewriting = [ir, work, kernelFacts, inner("passes/edit"), compilers];
const kinds = [...rewriting, ...["fold", "flow", "loops", "memory"].map((kind) => inner(`passes/${kind}`))];
const passes = [...kinds, inner("passes")];

/**
 * The engine's floors, the lowest first: each lists what it may import of those below.
 * @type {Record<string, readonly string[]>}
 */
const engineArrows = {
  [work]: [],
  [ir]: [work],
  [inner("figures")]: [],
  [gpus]: [inner("figures")],
  [compilers]: [inner("figures")],
  [inner("memory")]: [],
  [kernelFacts]: [ir, work],
  [inner("passes/edit")]: [ir, work],
  [inner("passes/fold")]: rewriting,
  [inner("passes/flow")]: rewriting,
  [inner("passes/loops")]: rewriting,
  [inner("passes/memory")]: rewriting,
  [inner("passes")]: kinds,
  [inner("machine")]: [ir, work, kernelFacts, gpus, compilers],
  [inner("occupancy")]: [gpus],
  [inner("execute")]: [ir, work, kernelFacts, gpus, inner("memory")],
  [inner("cache")]: [ir, work, gpus, inner("memory")],
  [inner("timing")]: [ir, work, gpus, inner("memory"), inner("machine"), inner("cache")],
  [inner("observe")]: [ir, gpus, inner("memory"), inner("execute"), inner("cache"), inner("timing")],
  [inner("contents")]: [ir, work, ...passes, inner("execute")],
  [inner("outcomes")]: [ir, work, ...passes, inner("execute"), inner("contents")],
  [inner("sampling")]: [ir, work, kernelFacts, inner("execute"), inner("observe")],
  [inner("sanitize")]: [ir, work, ...passes, inner("execute"), inner("sampling"), inner("report")],
  [inner("report")]: [ir, work, ...passes, inner("machine"), inner("timing"), inner("occupancy"), inner("execute"), inner("sampling")],
  [inner("worth")]: [
    ir,
    work,
    kernelFacts,
    gpus,
    inner("memory"),
    inner("machine"),
    inner("execute"),
    inner("cache"),
    inner("sampling"),
    inner("report"),
  ],
};

/** @type {Record<string, readonly string[]>} */
export const arrows = {
  ...engineArrows,
  [engine]: Object.keys(engineArrows),
  "sim-engine/gpus": [],
  "server/src/syntax": [trace],
  "server/src/analysis": [engine, "server/src/syntax", trace],
  "server/src/rules": below,
  "server/src/refactorings": [...below, foreignText, "server/src/rules", "server/src/lint"],
  "server/src/lint": core,
  "server/src/simulate": core,
  "server/src/proof": core,
  "server/src/what-if": [...core, directiveText],
  "server/src/timeline": [...core, timeline],
  [question]: [engine],
  [units]: [],
  [hostCosts]: [],
  [trace]: [],
  [foreignText]: [],
  [boundText]: [],
  [directiveText]: [],
  [taskText]: [timeline, units],
  [roofline]: [engine],
  [lineMeasures]: [engine],
  [memoryLevels]: [engine],
  [compared]: [engine, roofline, lineMeasures, memoryLevels],
  [occupancyText]: [engine, units],
  [waitText]: [engine, units],
  "server/src/worker/": [...core, nvcc],
  [files]: below,
  [grammar]: below,
  [nvcc]: [],
  [calibrate]: [...core, files, grammar, nvcc],
  [measured]: [engine, units, nvcc],
  [measuredText]: [measured, units],
  "server/src/cli": [...core, occupancyText, taskText, files, grammar, nvcc, calibrate, measured, measuredText],
  [timeline]: [],
  [protocol]: [engine, question, compared, timeline, measured],
  "server/src/lsp": [
    ...core,
    occupancyText,
    boundText,
    waitText,
    compared,
    memoryLevels,
    nvcc,
    measured,
    measuredText,
    "server/src/worker/",
    protocol,
  ],
  "server/src": [
    ...core,
    occupancyText,
    waitText,
    nvcc,
    files,
    grammar,
    "server/src/worker/",
    "server/src/cli",
    "server/src/lsp",
    protocol,
  ],
  [waitColours]: [protocol],
  "client/src/panel/page": [
    "client/src/panel/messages.ts",
    waitColours,
    protocol,
    occupancyText,
    boundText,
    waitText,
    measuredText,
    taskText,
    compared,
    lineMeasures,
    memoryLevels,
    roofline,
    units,
  ],
  "client/src/panel/messages.ts": [protocol],
  "client/src": ["client/src/panel/page", "client/src/panel/messages.ts", waitColours, protocol, units, foreignText, directiveText],
};

const analysis = "server/src/analysis";
const factsFile = `${analysis}/facts.ts`;
/** What host code has the device do. */
const deviceEvents = `${analysis}/device-events.ts`;
const settingsFile = `${analysis}/settings.ts`;
const directivesFile = `${analysis}/directives.ts`;
/** What a compiler's command says. */
const nvccOptions = `${analysis}/nvcc-options.ts`;
/** What a project says of how its files are compiled. */
const build = [
  "cmake",
  "command-words",
  "compilation-database",
  "compile-commands",
  "makefile",
  "makefile-recipes",
  "source-names",
  "told-code",
].map((name) => `${analysis}/${name}.ts`);
const reach = `${analysis}/reach.ts`;
const headers = `${analysis}/headers`;
/** The database itself depends on nothing; its queries of files are its users. */
const database = `${analysis}/database`;
const sema = `${analysis}/sema`;
const emit = `${analysis}/lower/emit`;
/** The evaluator of host code, the lowest floor first: each may import what stands before it. */
const host = ["values", "launches", "program", "memory", "resolve", "library", "replay", "evaluate"].map(
  (name) => `${analysis}/host/${name}`,
);

/**
 * Between the parts of `analysis`.
 * @type {Record<string, readonly string[]>}
 */
export const analysisArrows = {
  [nvccOptions]: [],
  [settingsFile]: [nvccOptions],
  ...Object.fromEntries(build.map((file) => [file, [nvccOptions, settingsFile, reach, ...build.filter((other) => other !== file)]])),
  [reach]: [settingsFile],
  [headers]: [settingsFile],
  [sema]: [],
  [database]: [sema, settingsFile, reach, headers, ...build],
  [directivesFile]: [],
  [deviceEvents]: [],
  [factsFile]: [deviceEvents, sema, settingsFile, directivesFile, database],
  [emit]: [sema, nvccOptions],
  [`${analysis}/lower/asm`]: [sema, emit],
  [`${analysis}/lower/builtins`]: [sema, emit],
  [`${analysis}/lower`]: [sema, factsFile, nvccOptions, settingsFile, headers, emit, `${analysis}/lower/asm`, `${analysis}/lower/builtins`],
  ...Object.fromEntries(host.map((folder, floor) => [folder, [sema, factsFile, deviceEvents, settingsFile, ...host.slice(0, floor)]])),
  [`${analysis}/host`]: [sema, factsFile, deviceEvents, settingsFile, ...host],
  [analysis]: [
    sema,
    directivesFile,
    factsFile,
    deviceEvents,
    nvccOptions,
    settingsFile,
    reach,
    database,
    headers,
    ...build,
    `${analysis}/lower`,
    `${analysis}/host`,
    ...host,
  ],
};

const packages = {
  "@warplens/sim-engine": "sim-engine/src/index.ts",
  "@warplens/server/protocol": protocol,
  "@warplens/server/occupancy-text": occupancyText,
  "@warplens/server/units": units,
  "@warplens/server/bound-text": boundText,
  "@warplens/server/wait-text": waitText,
  "@warplens/server/measured-text": measuredText,
  "@warplens/server/foreign-text": foreignText,
  "@warplens/server/directive-text": directiveText,
  "@warplens/server/compared": compared,
  "@warplens/server/task-text": taskText,
  "@warplens/server/line-measures": lineMeasures,
  "@warplens/server/memory-levels": memoryLevels,
  "@warplens/server/roofline": roofline,
};
const specifiers = /\b(?:from|import)\s*\(?\s*"([^"]+)"/g;

/** @param {string} file */
const moduleOf = (file, table = arrows) =>
  Object.keys(table)
    .filter((name) => file === name || (file.startsWith(name) && (name.endsWith("/") || /^[/.]/.test(file.slice(name.length)))))
    .sort((a, b) => b.length - a.length)[0];

/**
 * Modules of the engine that come back to themselves along the arrows that are allowed: there are to be none.
 * @returns {string[]} paths, such as `a > b > a`
 */
export function circles() {
  /** @param {string[]} path @returns {string[]} */
  const from = (path) =>
    (arrows[path[path.length - 1]] ?? []).flatMap((to) => {
      if (to === path[0]) return [[...path, to].join(" > ")];
      return path.includes(to) ? [] : from([...path, to]);
    });
  return Object.keys(engineArrows).flatMap((module) => from([module]));
}

/**
 * What one file imports against the arrows.
 * @param {string} file path from the repository root, `/` separated
 * @param {string} text its source
 * @returns {string[]} one sentence for each violation
 */
export function violations(file, text) {
  const found = [];
  for (const [, specifier] of text.matchAll(specifiers)) {
    const target = specifier.startsWith(".") ? path.posix.join(path.posix.dirname(file), specifier) : packages[specifier];
    if (!target) continue;
    for (const table of [arrows, analysisArrows]) {
      const from = moduleOf(file, table);
      const to = moduleOf(target, table);
      if (from === undefined || to === from || (to && table[from].includes(to))) continue;
      if (to === undefined && table !== arrows) continue;
      found.push(`${file}: ${from} may not import ${to ?? target} (${specifier})`);
    }
  }
  return found;
}

/**
 * Every violation in the tree; tests and what helps them (`testing/`) may import what they like.
 * @param {string} root the repository
 */
export function checkArrows(root) {
  const sources = ["sim-engine/src", "server/src", "client/src"].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !/(\.test\.ts$|\btesting\/)/.test(name.replaceAll("\\", "/")))
      .map((name) => path.posix.join(folder, name.replaceAll("\\", "/"))),
  );
  return sources.flatMap((file) => violations(file, readFileSync(path.join(root, file), "utf8")));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const found = checkArrows(process.cwd());
  for (const line of found) console.error(line);
  process.exitCode = found.length > 0 ? 1 : 0;
}
