/** What is said after edits is what a fresh analysis says, of files that know each other, and of texts that differ in how they are written. */
import { findGpu } from "@warplens/sim-engine";
import { beforeAll, describe, expect, test } from "vitest";
import { loadGrammarFromDisk } from "../grammar.ts";
import { capabilityNumber, devicePropertiesOf } from "../simulate/device-properties.ts";
import { currentParser, useParser } from "../syntax/current-parser.ts";
import { installedAssets } from "../syntax/parser/installed.ts";
import type { Parser } from "../syntax/parser/parser.ts";
import { loadWasmParser } from "../syntax/parser/wasm.ts";
import type { Configuration } from "./messages.ts";
import { JobRunner } from "./run.ts";

let kept: Parser;
/** Knows nothing of what was parsed before. */
let bare: Parser;

beforeAll(async () => {
  await loadGrammarFromDisk();
  kept = currentParser();
  const parser = await loadWasmParser(installedAssets());
  bare = { ...parser, parse: (text, { key: _, ...options } = {}) => parser.parse(text, options) };
});

function configuration(): Configuration {
  const gpu = findGpu("h200");
  if (!gpu) throw new Error("no model of the H200");
  const device = devicePropertiesOf(gpu);
  const computeCapability = capabilityNumber(gpu.computeCapability);
  const analysis = { computeCapability, defines: [], includeDirs: [], launches: [], assume: [], argv: [], device };
  return { revision: 1, gpu, lint: {}, analysis };
}

type Texts = Readonly<Record<string, string>>;

/** All these are open. */
function runner(texts: Texts): JobRunner {
  const list = (folder: string) =>
    Object.keys(texts).flatMap((path) => (path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1)] : []));
  const made = new JobRunner({ read: () => undefined, list });
  for (const [path, text] of Object.entries(texts)) {
    made.open(path, 1, text);
    made.configure(path, configuration());
  }
  return made;
}

const edit = (made: JobRunner, path: string, text: string): void => made.edit(path, 2, [{ start: 0, end: Number.MAX_SAFE_INTEGER, text }]);

function said(made: JobRunner, path: string): unknown {
  const told = [made.find(path), ...made.simulate(path, {}, () => false)];
  return JSON.parse(JSON.stringify(told, (key, value: unknown) => (key === "about" || key === "ms" ? undefined : value)));
}

function saidAfresh(texts: Texts, path: string): unknown {
  useParser(bare);
  try {
    return said(runner(texts), path);
  } finally {
    useParser(kept);
  }
}

const kernel = (body: string): string => `__global__ void k(float *p) { int i = threadIdx.x; ${body} }\n`;
const main = "int main() { float *p; cudaMalloc(&p, 1 << 20); k<<<4, 256>>>(p); }\n";
const loop = "for (unsigned j = 0; j < S; j++) p[j * S] += 0.7;";
const string = (blanks: string): string =>
  `${kernel("p[i] = 1;")}int main() { float *p; int n = 1'000; const char *t = "it's${blanks}b"; cudaMalloc(&p, n * 64); k<<<strlen(t), 256>>>(p); }\n`;

describe("the same text, written otherwise", () => {
  test.each<[string, ...string[]]>([
    [
      "a macro's use becomes its text, and again",
      `#define S 2\n${kernel(loop)}${main}`,
      `#define S 2\n${kernel(loop.replaceAll("S", "2"))}${main}`,
      `#define S 2\n${kernel(loop)}${main}`,
    ],
    ["a macro is called otherwise", `#define S 2\n${kernel(loop)}${main}`, `#define R 2\n${kernel(loop.replaceAll("S", "R"))}${main}`],
    [
      "a macro spells a body",
      `#define BODY { p[threadIdx.x * 4] = 0.7 * p[0]; }\n__global__ void k(float *p) { p[threadIdx.x * 4] = 0.7 * p[0]; }\n${main}`,
      `#define BODY { p[threadIdx.x * 4] = 0.7 * p[0]; }\n__global__ void k(float *p) BODY\n${main}`,
    ],
    ["blanks in a string behind a number with quotes", string("    "), string("  ")],
    [
      'lines above `extern "C"` without braces',
      `extern "C" ${kernel("p[i] *= 0.7;")}extern "C" void run(float *p) { k<<<1, 32>>>(p); }\n`,
      `int z;\nextern "C" ${kernel("p[i] *= 0.7;")}extern "C" void run(float *p) { k<<<1, 32>>>(p); }\n`,
      `int z;\nextern "C" ${kernel("p[i] *= 0.25;")}extern "C" void run(float *p) { k<<<1, 64>>>(p); }\n`,
    ],
  ])("%s", (_, first, ...others) => {
    const path = "/p/a.cu";
    const made = runner({ [path]: first });
    said(made, path);
    for (const text of others) {
      edit(made, path, text);
      expect(said(made, path)).toEqual(saidAfresh({ [path]: text }, path));
    }
  });
});

test.each([
  ["the first declaration behind an include", { "/p/a.cu": `#include "h.h"\n${kernel("p[i] *= 0.7;")}`, "/p/h.h": "int z;\n" }],
  ['a kernel that is `extern "C"`', { "/p/a.cu": `extern "C" ${kernel("p[i] *= 0.7;")}` }],
])("rules look at %s", (_, texts) => {
  const [finding, ...others] = runner(texts).find("/p/a.cu").diagnostics;
  expect([finding?.ruleId, others]).toEqual(["double-constant-in-float", []]);
});

test("a file whose trees were forgotten is still right where another one launches from it", () => {
  const texts: Record<string, string> = {
    "/p/a.cu": "__global__ void scale(float *p) {\n  p[threadIdx.x * 2] = 0.7;\n}\n",
    "/p/b.cu": "void run(float *p);\nint main() {\n  float *p;\n  cudaMalloc(&p, 4096);\n  run(p);\n}\n",
    "/p/c.cu": `__global__ void scale(float *p);
__global__ void third(float *p, const float *q) {
  p[threadIdx.x] = q[threadIdx.x];
}
void run(float *p) {
  third<<<1, 64>>>(p, p);
  scale<<<2, 64>>>(p);
}
`,
  };
  const others = ["d", "e", "f", "g"].map((name) => `/q${name}/${name}.cu`);
  for (const other of others) texts[other] = "int main() {}\n";
  const made = runner(texts);
  said(made, "/p/a.cu");
  const before = texts["/p/c.cu"] ?? "";
  for (const text of [before, `// moved\n\n${before}`, `int z;\n${before.replace("2, 64", "2, 128")}`, before]) {
    // Each sends the oldest away; the first file stays.
    for (const other of ["/p/c.cu", ...others].flatMap((each) => [each, "/p/a.cu"])) made.find(other);
    texts["/p/c.cu"] = text;
    edit(made, "/p/c.cu", text);
    expect(said(made, "/p/a.cu")).toEqual(saidAfresh(texts, "/p/a.cu"));
  }
});
