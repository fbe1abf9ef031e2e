/** What a person who edits one file waits for, measured on language servers through their protocol. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { bursts, scripts } from "./edits.mjs";
import { LanguageServer } from "./language-server.mjs";
import { Text } from "./text.mjs";

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Between an answer and the next key, in milliseconds. */
const gap = 30;
/** Between two characters of somebody who types 8 a second. */
const typing = 125;
/** How long a key waits for a simulation to begin, where it should meet one. */
const untilSimulation = 400;

/**
 * One sample: a key and what it waited for.
 * @typedef {{ mode: "keys" | "simulating" | "burst" | "lens", kind: string, where: string, ms: number | undefined,
 *   clangd?: number, busy?: boolean, own?: number }} Sample
 *   `ms`: undefined when no answer came; `busy`: a simulation was under way; `own`: what the kernel's own simulation took
 */

/** One file open in a server. */
class Session {
  constructor(server, uri, text) {
    this.server = server;
    this.uri = uri;
    this.document = new Text(text);
  }

  /** Opens the file and waits for its first findings: milliseconds. */
  async open() {
    const found = this.server.diagnosed(this.uri, 1);
    const start = performance.now();
    this.server.open(this.uri, this.document.text);
    return (await found) && performance.now() - start;
  }

  /** Makes an edit and waits for the findings of it: milliseconds, undefined when none came. */
  async key({ edits }) {
    const { server, uri, document } = this;
    const changes = document.apply(edits);
    const found = server.diagnosed(uri, document.version);
    const start = performance.now();
    server.change(uri, document.version, changes);
    return (await found) && performance.now() - start;
  }
}

/**
 * Measures one file.
 * @param {string} file
 * @param {{ server: readonly string[], clangd?: readonly string[], edits: number, lenses: number, bursts: number, opens: number, trace: boolean }} options
 * `edits`, `lenses` and `bursts`: how many scripts of each; `opens`: how often the file is opened in a server just started
 */
export async function measure(file, options) {
  const text = readFileSync(file, "utf8");
  const uri = pathToFileURL(path.resolve(file)).toString();
  const folder = path.dirname(path.resolve(file));
  const start = (command, env = {}) => LanguageServer.start(command, { folder, env });
  const result = {
    name: path.basename(file),
    lines: text.split("\n").length,
    opens: [],
    samples: [],
    stages: undefined,
    memory: undefined,
    versioned: true,
  };
  for (let n = 0; n < options.opens; n++) result.opens.push(await opened(await start(options.server), uri, text));

  const server = await start(options.server, options.trace ? { WARPLENS_TRACE: "1" } : {});
  const clangd = options.clangd && (await start(options.clangd));
  try {
    const session = new Session(server, uri, text);
    const beside = clangd && new Session(clangd, uri, text);
    await session.open();
    await beside?.open();
    await server.request("warplens/trace").catch(() => null);
    result.samples.push(...(await keys(session, beside, options.edits)));
    const stages = await server.request("warplens/trace").catch(() => null);
    if (stages) result.stages = stages;
    // Not while clangd works at anything.
    clangd?.stop();
    result.samples.push(...(await whileSimulating(session, options.edits)), ...(await typed(session, options.bursts)));
    result.samples.push(...(await lenses(session, options.lenses)));
    result.memory = server.memory();
    result.versioned = server.versioned;
  } finally {
    server.stop();
    clangd?.stop();
  }
  return result;
}

/** From opening to the first findings and to the first lens; the server goes afterwards. */
async function opened(server, uri, text) {
  const session = new Session(server, uri, text);
  const start = performance.now();
  const shown = server.lens(uri, 1).then((came) => (came ? performance.now() - start : undefined));
  const findings = await session.open();
  const lens = await shown;
  server.stop();
  return { findings, lens };
}

/** Keys one after another, in both servers in turn. */
async function keys(session, beside, count) {
  const samples = [];
  for (const script of scripts(session.document.text, count)) {
    for (const step of script) {
      const first = samples.length % 2 === 0;
      const before = beside && !first ? await beside.key(step) : undefined;
      const ms = await session.key(step);
      const clangd = beside && first ? await beside.key(step) : before;
      samples.push({ mode: "keys", kind: step.kind, where: step.where, ms, ...(clangd === undefined ? {} : { clangd }) });
      await pause(gap);
    }
  }
  return samples;
}

/** Keys that come when the simulation of the last text has begun. */
async function whileSimulating(session, count) {
  const samples = [];
  const { server } = session;
  for (const script of scripts(session.document.text, count)) {
    for (const step of script) {
      if (server.simulating === 0) await server.next(({ kind, simulating }) => kind === "status" && simulating > 0, untilSimulation);
      await pause(gap);
      const busy = server.simulating > 0;
      samples.push({ mode: "simulating", kind: step.kind, where: step.where, ms: await session.key(step), busy });
    }
  }
  return samples;
}

/** Characters at a steady pace, whether the last one was answered or not. */
async function typed(session, count) {
  const samples = [];
  for (const { typed: steps, undo } of bursts(session.document.text, count)) {
    const answers = [];
    for (const step of steps) {
      const due = pause(typing);
      answers.push(session.key(step).then((ms) => samples.push({ mode: "burst", kind: step.kind, where: step.where, ms })));
      await due;
    }
    await Promise.all(answers);
    await session.key(undo);
  }
  return samples;
}

/** From an edit in a kernel to that kernel's lens. */
async function lenses(session, count) {
  const { server, uri, document } = session;
  const samples = [];
  // Only some scripts are of kernels.
  const steps = scripts(document.text, count * 4)
    .filter(([{ kernel }]) => kernel !== undefined)
    .slice(0, count);
  for (const script of steps) {
    for (const step of script) {
      // Nothing can be simulated of what does not parse.
      if (step.broken) {
        await session.key(step);
        continue;
      }
      const { line } = document.position(step.kernel);
      const shown = server.lens(uri, document.version + 1, line);
      const start = performance.now();
      await session.key(step);
      const ms = (await shown) ? performance.now() - start : undefined;
      const own = step.fresh ? await simulationOf(session, line) : 0;
      samples.push({ mode: "lens", kind: step.kind, where: step.where, ms, own });
      await pause(gap);
    }
  }
  return samples;
}

/** Milliseconds that the kernel's own simulation took, as its report says. */
async function simulationOf({ server, uri }, line) {
  const model = await server.request("warplens/panel", { textDocument: { uri }, position: { line, character: 0 } }).catch(() => null);
  return model?.report?.simulated.ms ?? 0;
}
