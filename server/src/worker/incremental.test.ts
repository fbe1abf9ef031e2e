/** What the analysis says after edits is what it says of the same text when it has seen no other. */
import { readFileSync, writeFileSync } from "node:fs";
import { findGpu } from "@warplens/sim-engine";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { currentParser } from "../syntax/current-parser.ts";
import { loadGrammarFromDisk } from "../grammar.ts";
import { capabilityNumber, devicePropertiesOf } from "../simulate/device-properties.ts";
import type { Configuration, TextEdit } from "./messages.ts";
import { JobRunner } from "./run.ts";

beforeAll(loadGrammarFromDisk);

const root = new URL("../../../", import.meta.url);
const sources = [
  "examples/tour.cu",
  "sim-engine/validation/h200/kernels/transpose.cu",
  "server/src/analysis/host/programs/launch-wrapper.cu",
  "server/src/analysis/host/programs/matrix-class.cu",
  "server/src/analysis/host/programs/x-macros.cu",
  "server/src/analysis/host/programs/template-launcher.cu",
];
const path = "/project/edited.cu";
const header = "/project/common.h";

const namespaced = `#include "common.h"
#define SCALE(x) ((x) * FACTOR)
namespace outer {
struct Pair { float a, b; };
__device__ float sum(Pair p) { return SCALE(p.a) + p.b; }
namespace {
__global__ void add(Pair *pairs, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // each pair
  if (i < n) out[i * 2] = sum(pairs[i]) * 0.5;
}
}
template <int N> __global__ void strided(float *p) { for (unsigned i = 0; i < N; i++) p[threadIdx.x * N + i] += 1.0f; }
}
int main() {
  outer::Pair *pairs; float *out; int n = 1 << 14;
  cudaMalloc(&pairs, n * sizeof(outer::Pair)); cudaMalloc(&out, n * 8);
  outer::add<<<n / 256, 256>>>(pairs, out, n);
  outer::strided<8><<<64, 128>>>(out);
}
`;

function configuration(id: string, revision: number): Configuration {
  const gpu = findGpu(id);
  if (!gpu) throw new Error(`no model of ${id}`);
  const device = devicePropertiesOf(gpu);
  const computeCapability = capabilityNumber(gpu.computeCapability);
  return {
    revision,
    gpu,
    lint: {},
    analysis: { computeCapability, defines: [], includeDirs: [], launches: [], assume: [], argv: [], device },
  };
}

const headerText = "#pragma once\n#define FACTOR 3.0f\ninline __device__ float twice(float x) { return x * 2; }\n";

function runner(text: string, gpu: string): JobRunner {
  const made = new JobRunner({ read: (file) => (file === header ? headerText : undefined), list: () => [] });
  made.open(path, 1, text);
  made.configure(path, configuration(gpu, 1));
  return made;
}

/** All it says, but for what tells when and how long. */
function said(made: JobRunner): unknown {
  const told = [made.find(path), ...made.simulate(path, {}, () => false)];
  return JSON.parse(JSON.stringify(told, (key, value: unknown) => (key === "about" || key === "ms" ? undefined : value)));
}

/** An edit, made from numbers so that it fits whatever the text has become. */
type Step = readonly [kind: "token" | "delete" | "line" | "swap" | "comment" | "digit" | "blank", at: number, choice: number];

const tokens = [
  "1",
  "+ 1",
  "n",
  ";",
  "{",
  "}",
  "(",
  ")",
  "unsigned ",
  "* 0.5",
  "float q = 1;",
  "__syncthreads();",
  "// warplens: n=64\n",
  "i",
  "\n",
  "const ",
];

function editFor([kind, at, choice]: Step, text: string): TextEdit {
  const lines = text.split("\n");
  const starts = lines.map((_, index) => lines.slice(0, index).reduce((sum, line) => sum + line.length + 1, 0));
  const line = at % lines.length;
  const start = starts[line] ?? 0;
  const length = lines[line]?.length ?? 0;
  switch (kind) {
    case "token": {
      const words = [...(lines[line] ?? "").matchAll(/\b/g)].map(({ index }) => index);
      const offset = start + (words[choice % Math.max(1, words.length)] ?? 0);
      return { start: offset, end: offset, text: tokens[choice % tokens.length] ?? "" };
    }
    case "delete": {
      const offset = start + (choice % Math.max(1, length));
      return { start: offset, end: Math.min(text.length, offset + 1 + (choice % 7)), text: "" };
    }
    case "line":
      return { start, end: Math.min(text.length, start + length + 1), text: "" };
    case "swap": {
      const other = choice % lines.length;
      return { start: starts[other] ?? 0, end: starts[other] ?? 0, text: `${lines[line]}\n` };
    }
    case "comment":
      return { start: start + length, end: start + length, text: choice % 2 ? " // why" : "\n  /* more\n words */" };
    case "digit": {
      const digit = /\d/.exec(text.slice(start));
      const offset = start + (digit?.index ?? 0);
      return { start: offset, end: Math.min(text.length, offset + 1), text: String(1 + (choice % 9)) };
    }
    case "blank":
      return { start, end: start, text: choice % 2 ? " " : "\n" };
  }
}

const apply = (text: string, { start, end, text: by }: TextEdit): string => text.slice(0, start) + by + text.slice(end);

const steps = fc.array(
  fc.tuple(
    fc.constantFrom<Step[0]>("token", "delete", "line", "swap", "comment", "comment", "digit", "blank", "blank"),
    fc.nat(10_000),
    fc.nat(10_000),
  ),
  { minLength: 3, maxLength: 8 },
);

describe("after random edits", () => {
  const texts: [string, string][] = [
    ["namespaces, macros and templates", namespaced],
    ...sources.map((name): [string, string] => [name, readFileSync(new URL(name, root), "utf8")]),
  ];
  test.each(texts)("%s: what is said is what a fresh analysis says", (name, original) => {
    const edited = runner(original, "h200");
    let version = 1;
    let text = original;
    said(edited);
    fc.assert(
      fc.property(steps, fc.boolean(), (edits, back) => {
        const before = text;
        for (const step of edits) {
          const edit = editFor(step, text);
          text = apply(text, edit);
          if (process.env.FORGET) currentParser().forget(path);
          edited.edit(path, ++version, [edit]);
          // Nearly always somebody asks in between.
          if (step[2] % 4) edited.find(path);
        }
        if (process.env.FORGET) currentParser().forget(path);
        if (process.env.DUMP) writeFileSync(`/tmp/dump_${name.replaceAll("/", "_")}`, text);
        expect(said(edited)).toEqual(said(runner(text, "h200")));
        // Undone in one go, most of the time: texts do not drift into noise.
        if (!back && text.length < 2 * original.length) return;
        edited.edit(path, ++version, [{ start: 0, end: text.length, text: before }]);
        text = before;
        expect(said(edited)).toEqual(said(runner(text, "h200")));
      }),
      { numRuns: name === "examples/tour.cu" ? 4 : 8, seed: 5, endOnFailure: true },
    );
  });
});
