/**
 * What a person typing feels, measured on the bundled server over its protocol: cheap diagnostics and the simulation after a
 * keystroke in a file of about 1,000 lines, how long any request waits while a file of 50,000 lines is read anew, and the server's
 * memory with 20 measured files open.
 * `npm run build && node bench/editor.mjs`
 */
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "..");
const kernels = path.join(root, "sim-engine/validation/h200/kernels");
const sources = readdirSync(kernels)
  .sort()
  .map((name) => ({ name, text: readFileSync(path.join(kernels, name), "utf8") }));

const server = spawn(process.execPath, [process.argv[2] ?? path.join(root, "dist/server.js"), "--stdio"], {
  stdio: ["pipe", "pipe", "inherit"],
});
const connection = createMessageConnection(new StreamMessageReader(server.stdout), new StreamMessageWriter(server.stdin));
const waiting = new Map();
connection.onNotification("warplens/didSimulate", ({ uri, version }) => waiting.get(`${uri}@${version}`)?.());
let settings = {};
connection.onRequest("workspace/configuration", ({ items }) => items.map(() => settings));
for (const refresh of ["diagnostic", "codeLens", "inlayHint"]) connection.onRequest(`workspace/${refresh}/refresh`, () => null);
connection.listen();

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const since = (start) => performance.now() - start;
const simulated = (uri, version) => new Promise((resolve) => waiting.set(`${uri}@${version}`, resolve));
const open = (uri, text) =>
  connection.sendNotification("textDocument/didOpen", { textDocument: { uri, languageId: "cuda-cpp", version: 1, text } });
const diagnostics = (uri) => connection.sendRequest("textDocument/diagnostic", { textDocument: { uri } });

/** Programs of one file one after another, their names told apart, until there are 1,000 lines. */
function longFile() {
  let text = "";
  for (let copy = 0; text.split("\n").length < 1000; copy++) {
    const { text: part } = sources[copy % sources.length];
    const names = new Set(
      [
        ...part.matchAll(
          /^(?:__\w+__\s+)+(?:__launch_bounds__\([^)]*\)\s*)?\w+ (\w+)\(|^#define (\w+)|^struct (\w+)|^__constant__ \w+ (\w+)/gm,
        ),
      ].flatMap((m) => m.slice(1).filter(Boolean)),
    );
    let own = part.replace(/\bmain\b/g, `main${copy}`).replaceAll(/^#include.*$/gm, "");
    for (const name of names) own = own.replaceAll(new RegExp(`\\b${name}\\b`, "g"), `${name}_${copy}`);
    text += own;
  }
  return text;
}

await connection.sendRequest("initialize", {
  processId: process.pid,
  rootUri: null,
  capabilities: {
    workspace: { configuration: true, diagnostics: { refreshSupport: true } },
    textDocument: { diagnostic: {} },
  },
});
await connection.sendNotification("initialized", {});

const text = longFile();
const uri = pathToFileURL("/bench/long.cu").toString();
let start = performance.now();
const first = simulated(uri, 1);
await open(uri, text);
await diagnostics(uri);
console.log(`open, ${text.split("\n").length} lines: diagnostics after ${since(start).toFixed(0)} ms`);
await first;
console.log(`  its launches simulated after ${since(start).toFixed(0)} ms`);

// A digit in the body of the first kernel, put in and taken out again.
const at = text.indexOf("{", text.indexOf("__global__")) + 1;
const line = text.slice(0, at).split("\n").length - 1;
const character = at - text.lastIndexOf("\n", at - 1) - 1;
const cheap = [];
const whole = [];
for (let version = 2; version < 22; version++) {
  const position = { line, character };
  const range = version % 2 === 0 ? { start: position, end: position } : { start: position, end: { line, character: character + 1 } };
  const done = simulated(uri, version);
  start = performance.now();
  connection.sendNotification("textDocument/didChange", {
    textDocument: { uri, version },
    contentChanges: [{ range, text: version % 2 === 0 ? ";" : "" }],
  });
  await diagnostics(uri);
  cheap.push(since(start));
  await done;
  whole.push(since(start));
}
console.log(`keystroke: diagnostics after ${median(cheap).toFixed(0)} ms (worst ${Math.max(...cheap).toFixed(0)})`);
console.log(
  `keystroke: simulated after ${median(whole).toFixed(0)} ms (worst ${Math.max(...whole).toFixed(0)}), 120 ms of it waiting for a pause`,
);
connection.sendNotification("textDocument/didClose", { textDocument: { uri } });

const all = Array.from({ length: 20 }, (_, index) => sources[index % sources.length]);
const files = all.map(({ name, text: source }, index) => ({ uri: pathToFileURL(`/bench/${index}-${name}`).toString(), source }));
start = performance.now();
const done = files.map((file) => simulated(file.uri, 1));
for (const file of files) open(file.uri, file.source);
await Promise.all(done);
const resident = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))?.[1]) / 1024;
console.log(`20 files: simulated after ${since(start).toFixed(0)} ms, server ${resident.toFixed(0)} MB`);
for (const file of files) connection.sendNotification("textDocument/didClose", { textDocument: { uri: file.uri } });

// Another setting, with a very long file open: what is asked meanwhile should be answered as if nothing were.
const longest = pathToFileURL("/bench/longest.cu").toString();
const kernel = (_, index) => `__global__ void k${index}(float *a) {\n  int t = threadIdx.x;\n  a[t] = ${index}.0f;\n}\n`;
await open(longest, Array.from({ length: 10_000 }, kernel).join("\n"));
start = performance.now();
await diagnostics(longest);
console.log(`open, 50,000 lines: diagnostics after ${since(start).toFixed(0)} ms`);
settings = { gpu: "t4" };
const chosen = new Promise((resolve) => connection.onNotification("warplens/status", ({ gpu }) => gpu.id === "t4" && resolve()));
connection.sendNotification("workspace/didChangeConfiguration", { settings: null });
let waited = 0;
const again = chosen.then(() => diagnostics(longest)).then(() => true);
while (!(await Promise.race([again, new Promise((resolve) => setTimeout(resolve, 10, false))]))) {
  start = performance.now();
  await connection.sendRequest("warplens/rules");
  waited = Math.max(waited, since(start));
}
console.log(`another setting, 50,000 lines: other requests wait ${waited.toFixed(0)} ms at most`);
await connection.sendRequest("shutdown");
connection.sendNotification("exit");
connection.dispose();
