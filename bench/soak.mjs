/**
 * A long session with one real server, over its protocol: tens of thousands of edits in several files, what the server keeps in memory
 * measured in between after garbage is collected, and its thread ended in the middle of work. At the end what is shown is compared with
 * what a new server shows of the same texts. Exit code 1 where memory grows by more than 10 % after warm-up, or anything differs.
 *
 *   node bench/soak.mjs [--edits 20000] [--samples 20] [--kills 5] [--server FILE]
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { root } from "./support/bundle.mjs";
import { scripts } from "./support/edits.mjs";
import { LanguageServer } from "./support/language-server.mjs";
import { Text } from "./support/text.mjs";

const { values } = parseArgs({
  options: {
    edits: { type: "string", default: "20000" },
    samples: { type: "string", default: "20" },
    kills: { type: "string", default: "5" },
    server: { type: "string", default: path.join(root, "dist/server.js") },
  },
});
const [edits, samples, kills] = [values.edits, values.samples, values.kills].map(Number);
/** The share of the session after which memory should stand still, and by how much it may grow. */
const warm = 0.2;
const allowed = 1.1;
/** Milliseconds: other programs use the machine too. */
const patience = 600_000;
/** Edits that are sent before their findings are waited for: a person types on. */
const burst = 20;

const names = ["transpose.cu", "reduce.cu", "matmul.cu", "saxpy.cu", "particles.cu", "row_ops.cu"];
const folder = path.join(root, "sim-engine/validation/h200/kernels");
const probe = path.join(mkdtempSync(path.join(tmpdir(), "warplens-soak-")), "probe.json");
const preload = path.join(root, "bench/support/server-probe.cjs");

/** A server, and what it showed last of each document. */
async function startServer() {
  const server = await LanguageServer.start([process.execPath, "--require", preload, values.server, "--stdio"], {
    folder,
    env: { WARPLENS_PROBE: probe },
  });
  const shown = new Map();
  server.next(
    (event) => {
      if (event.kind === "diagnostics") shown.set(event.uri, event);
      return false;
    },
    2 ** 31 - 1,
  );
  return { server, shown };
}

/** Has the probe do something. @returns {Promise<object>} its answer */
async function ask(server, word) {
  writeFileSync(probe, word);
  server.signal("SIGUSR2");
  for (const until = performance.now() + patience; performance.now() < until; ) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    const answer = readFileSync(probe, "utf8");
    if (answer.startsWith("{") && answer.endsWith("}")) return JSON.parse(answer);
  }
  throw new Error(`the server does not answer: ${word}`);
}

const lens = ({ command, range }) => [command?.title, range.start.line];
const finding = ({ message, range, code }) => [code, message, range.start.line, range.start.character];

/** All that a server shows of documents, once it knows all. */
async function everything({ server, shown }, files) {
  const result = {};
  for (const { uri, text } of files) {
    // A blank at the end, so that there is something to be told of.
    const done = server.simulatedToEnd(uri, text.version + 1, patience);
    server.change(uri, text.version + 1, text.apply([[text.text.length, text.text.length, " "]]));
    if (!(await done)) throw new Error(`${uri} is not simulated`);
    const lenses = await server.request("textDocument/codeLens", { textDocument: { uri } });
    result[path.basename(uri)] = { findings: shown.get(uri).diagnostics.map(finding), lenses: lenses.map(lens) };
  }
  return result;
}

const session = await startServer();
const { server } = session;
const files = names.map((name) => {
  const file = path.join(folder, name);
  return { uri: pathToFileURL(file).toString(), text: new Text(readFileSync(file, "utf8")), scripts: [] };
});
for (const { uri, text } of files) server.open(uri, text.text);
for (const file of files) file.scripts = scripts(file.text.text, 60);

const measured = [];
let sent = 0;
let killed = 0;
const started = performance.now();
for (let turn = 0; sent < edits; turn++) {
  const file = files[turn % files.length];
  const steps = file.scripts[Math.trunc(turn / files.length) % file.scripts.length];
  for (const { edits: changes } of steps) {
    server.change(file.uri, file.text.version + 1, file.text.apply(changes));
    sent++;
    if (kills > 0 && sent >= ((killed + 0.5) * edits) / kills) {
      // It is at the edit before, or at a simulation.
      killed++;
      await ask(server, "end the thread");
    }
    if (sent % burst === 0 && !(await server.diagnosed(file.uri, file.text.version, patience)))
      throw new Error(`edit ${sent} is not answered`);
    if (sent % Math.max(1, Math.trunc(edits / samples)) === 0) {
      const { main, thread, rss } = await ask(server, "measure");
      const kept = main.heap + main.external + thread.heap + thread.external;
      measured.push({ sent, rss, kept });
      console.log(`${String(sent).padStart(7)} edits  ${mb(rss).padStart(6)} MB resident  ${mb(kept).padStart(6)} MB kept`);
    }
  }
}
const now = await everything(session, files);
server.stop();

const other = await startServer();
for (const file of files) {
  file.text = new Text(file.text.text);
  other.server.open(file.uri, file.text.text);
}
const fresh = await everything(other, files);
other.server.stop();
rmSync(path.dirname(probe), { recursive: true });

const after = measured.filter((each) => each.sent > warm * edits);
const quarter = Math.max(1, Math.trunc(after.length / 4));
const growth = (key) => mean(after.slice(-quarter), key) / mean(after.slice(0, quarter), key);
const [resident, kept] = [growth("rss"), growth("kept")];
const differences = names.filter((name) => !isDeepStrictEqual(now[name], fresh[name]));
console.log(
  `${sent} edits in ${Math.round((performance.now() - started) / 1000)} s, thread ended ${killed} times; after warm-up resident memory ${percent(resident)}, ` +
    `kept memory ${percent(kept)}; ${differences.length} of ${names.length} files are shown otherwise than by a new server${differences.length > 0 ? `: ${differences.join(", ")}` : ""}`,
);
for (const name of differences) console.log(JSON.stringify({ now: now[name], fresh: fresh[name] }, undefined, 1));
// The taps still wait.
process.exit(resident > allowed || kept > allowed || differences.length > 0 ? 1 : 0);

function mb(bytes) {
  return (bytes / 2 ** 20).toFixed(0);
}

function mean(list, key) {
  return list.reduce((sum, each) => sum + each[key], 0) / list.length;
}

function percent(ratio) {
  return `${ratio >= 1 ? "+" : ""}${(100 * (ratio - 1)).toFixed(1)} %`;
}
