/**
 * How much real code parses without an error, and how fast.
 *
 *   node bench/parse.mjs FOLDER... [--errors N] [--unknown N] [-I DIR]   reads every .cu and .cuh, says what share is clean
 *   node --expose-gc bench/parse.mjs --times                                    times 1,000, 5,000 and 20,000 lines
 *   node bench/parse.mjs --native [FILE...]                                     the native parser beside WebAssembly
 */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const syntax = await bundled();

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    errors: { type: "string", default: "0" },
    unknown: { type: "string", default: "0" },
    times: { type: "boolean" },
    native: { type: "boolean" },
    include: { type: "string", short: "I", multiple: true, default: [] },
  },
});
const require = createRequire(import.meta.url);
const parser = await syntax.loadWasmParser({
  runtime: readFileSync(require.resolve("web-tree-sitter/web-tree-sitter.wasm")),
  grammar: readFileSync(require.resolve("tree-sitter-cuda/tree-sitter-cuda.wasm")),
});
if (values.times) times();
if (values.native) await compare();
else for (const folder of positionals) share(path.resolve(folder));

async function bundled() {
  const outfile = path.join(root, "node_modules/.cache/warplens-bench.mjs");
  await build({
    stdin: {
      contents:
        'export * from "./server/src/syntax/index.ts"; export * from "./server/src/syntax/walk.ts"; export * from "./server/src/syntax/parser/native.ts";',
      resolveDir: root,
      loader: "ts",
    },
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    outfile,
  });
  const loaded = await import(pathToFileURL(outfile).href);
  rmSync(outfile);
  return loaded;
}

/** Milliseconds this thread has computed, where the system says so: what other work the machine has does not count. */
function now() {
  const scheduled = readFile("/proc/thread-self/schedstat");
  return scheduled ? Number(scheduled.split(" ")[0]) / 1e6 : performance.now();
}

function readFile(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function share(folder) {
  const cache = new Map();
  const host = {
    read(file) {
      if (!cache.has(file)) cache.set(file, readFile(file));
      return cache.get(file);
    },
  };
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.cuh?$/.test(file))
    .sort();
  let clean = 0;
  let expressions = 0;
  let unknown = 0;
  let wrong = Number(values.errors);
  let misunderstood = Number(values.unknown);
  let ms = 0;
  let characters = 0;
  for (const file of files) {
    const text = host.read(path.join(folder, file)) ?? "";
    const started = now();
    const reading = syntax.read(path.join(folder, file), text, host, {
      computeCapability: 90,
      includeDirs: values.include.map((each) => path.resolve(each)),
    });
    const { unit } = new syntax.FileParser(parser).parse(reading);
    ms += now() - started;
    characters += reading.text.length;
    const say = (what, { start, end }) => {
      const place = reading.locate(start, end);
      const { line } = reading.position(place.file, place.start);
      console.log(
        `${path.relative(folder, reading.files[place.file])}:${line + 1}: ${what} ${JSON.stringify(reading.text.slice(start, Math.min(end, start + 100)))}`,
      );
    };
    if (!unit.errors.length) clean++;
    else if (wrong-- > 0) for (const error of unit.errors.slice(0, 2)) say("error", error);
    syntax.walk(unit, (node) => {
      expressions++;
      if (node.kind !== "unknown" || !("text" in node)) return true;
      if (!unit.errors.some((error) => error.start < node.end && error.end >= node.start)) {
        unknown++;
        if (misunderstood-- > 0) say("unknown", node);
      }
      return false;
    });
  }
  const percent = ((100 * clean) / files.length).toFixed(1);
  console.log(
    `${path.basename(folder)}: ${files.length} files, ${clean} clean (${percent} %), ${unknown} unknown of ${expressions} nodes beside errors, ${(characters / 1e6).toFixed(1)} M characters in ${(ms / 1000).toFixed(1)} s`,
  );
}

/** Both parsers on the same texts in turn: the first of the process, and later ones. */
async function compare() {
  const native = syntax.loadNativeParse(pathToFileURL(`${root}/`));
  if (!native) return console.log("no native parser: node scripts/native-parser.mjs");
  const files = positionals.map((file) => ({ name: path.basename(file), text: readFileSync(file, "utf8") }));
  const { generate } = await import("./support/generate.mjs");
  const texts = files.length > 0 ? files : [1000, 5000, 20_000].map((lines) => ({ name: `${lines} lines`, text: generate(lines) }));
  const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];
  const timed = (work) => {
    const start = performance.now();
    work();
    return performance.now() - start;
  };
  const say = (what, wasm, other) =>
    console.log(`${what}: ${wasm.toFixed(1)} ms in WebAssembly, ${other.toFixed(1)} native: ${(wasm / other).toFixed(2)} times faster`);
  const [first] = texts;
  const start = (parse) => timed(() => parse(first.text));
  say(`${first.name}, the process' first`, start(parser.parse), start(native));
  for (const { name, text } of texts) {
    const taken = [[], []];
    for (let round = 0; round < 7; round++)
      for (const [k, parse] of [parser.parse, native].entries()) taken[k].push(timed(() => parse(text)));
    say(name, ...taken.map(median));
  }
}

function times() {
  const host = { read: () => undefined };
  for (const lines of [1000, 5000, 20_000]) {
    const text = program(lines);
    const stages = { read: [], parse: [], keystroke: [] };
    for (let round = 0; round < 9; round++) {
      const key = `/bench-${lines}-${round}.cu`;
      let at = now();
      const reading = syntax.read(key, text, host, { computeCapability: 90 });
      stages.read.push(now() - at);
      at = now();
      const file = new syntax.FileParser(parser);
      file.parse(reading);
      stages.parse.push(now() - at);
      const middle = text.indexOf("float sum", text.length >> 1);
      const edited = `${text.slice(0, middle)}x${text.slice(middle)}`;
      at = now();
      file.parse(syntax.read(key, edited, host, { computeCapability: 90 }));
      stages.keystroke.push(now() - at);
      parser.forget(key);
    }
    const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1].toFixed(1);
    console.log(
      `${lines} lines: preprocess ${median(stages.read)} ms, parse and convert ${median(stages.parse)} ms, after a keystroke (all of it) ${median(stages.keystroke)} ms`,
    );
  }
  const text = program(20_000);
  const file = new syntax.FileParser(parser);
  for (let i = 0; i < 60; i++) file.parse(syntax.read("/bench.cu", text.replace("int n", `int n${i}`), host, { computeCapability: 90 }));
  globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  const mib = (bytes) => (bytes / 2 ** 20).toFixed(0);
  console.log(
    `after 60 parses of 20000 lines: ${mib(rss)} MiB resident, ${mib(heapUsed)} MiB of heap, ${mib(external)} MiB outside it (WebAssembly)`,
  );
}

/** A file of many kernels, each with what kernels have. */
function program(lines) {
  const kernel = (i) => `#define TILE_${i} 16
// Kernel ${i}: a tiled product.
template <typename T, int N>
__global__ void __launch_bounds__(256) kernel${i}(const T* __restrict__ a, const T* __restrict__ b, T* c, int n) {
  __shared__ T tile[TILE_${i}][TILE_${i} + 1];
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
#pragma unroll 4
  for (int k = 0; k < n; k += TILE_${i}) {
    tile[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    __syncthreads();
    if (row < n && col < n) sum += (float)tile[threadIdx.y][k % TILE_${i}] * b[(k + threadIdx.y) * n + col];
    __syncthreads();
  }
  if (row < n && col < n) c[row * n + col] = static_cast<T>(sum);
}

void launch${i}(float* a, float* b, float* c, int n) {
  dim3 block(TILE_${i}, TILE_${i}), grid((n + TILE_${i} - 1) / TILE_${i}, (n + TILE_${i} - 1) / TILE_${i});
  kernel${i}<float, 3><<<grid, block>>>(a, b, c, n);
}
`;
  return Array.from({ length: Math.ceil(lines / 24) }, (_, i) => kernel(i)).join("\n");
}
