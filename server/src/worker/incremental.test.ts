/** What the analysis says after edits is what it says of the same text when it has seen no other. */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { loadGrammarFromDisk } from "../grammar.ts";
import { JobRunner } from "./run.ts";
import { apply, configuration, editFor, type Step, said, stepKinds } from "./testing/edits.ts";

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
#define CHECK(call) do { if (call) report(__FILE__, __LINE__); } while (0)
void report(const char *file, int line);
namespace outer {
struct Pair { float a, b; };
__device__ float sum(Pair p) { return SCALE(p.a) + p.b; }
namespace {
__global__ void add(Pair *pairs, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // each pair
  if (i < n) out[i * 2] = sum(pairs[i]) * 0.7;
}
}
template <int N> __global__ void strided(float *p) { for (unsigned i = 0; i < N; i++) p[i * 3 + N] += 1.0f; }
}
int main() {
  outer::Pair *pairs; float *out; int n = 1 << 14;
  cudaMalloc(&pairs, n * sizeof(outer::Pair)); cudaMalloc(&out, n * 8);
  outer::add<<<n / 256, 256>>>(pairs, out, n);
  outer::strided<8><<<64, 128>>>(out);
  CHECK(cudaDeviceSynchronize());
}
`;

const headerText = "#pragma once\n#define FACTOR 3.0f\ninline __device__ float twice(float x) { return x * 2; }\n";

function runner(text: string, gpu: string): JobRunner {
  const made = new JobRunner({ read: (file) => (file === header ? headerText : undefined), list: () => [] });
  made.open(path, 1, text);
  made.configure(path, configuration(gpu, 1));
  return made;
}

const saidBy = (made: JobRunner): unknown => said(made, path);

const steps = fc.array(fc.tuple(fc.constantFrom(...stepKinds), fc.nat(10_000), fc.nat(10_000)), { minLength: 3, maxLength: 8 });

describe("after random edits", () => {
  const texts: [string, string][] = [
    ["namespaces, macros and templates", namespaced],
    ...sources.map((name): [string, string] => [name, readFileSync(new URL(name, root), "utf8")]),
  ];
  test.each(texts)(
    "%s: what is said is what a fresh analysis says",
    (name, original) => {
      const edited = runner(original, "h200");
      let version = 1;
      let text = original;
      saidBy(edited);
      fc.assert(
        fc.property(steps, fc.boolean(), (edits, back) => {
          const before = text;
          for (const step of edits) {
            const edit = editFor(step, text);
            text = apply(text, edit);
            edited.edit(path, ++version, [edit]);
            // Nearly always somebody asks in between.
            if (step[2] % 4) edited.find(path);
          }
          expect(saidBy(edited)).toEqual(saidBy(runner(text, "h200")));
          // Undone in one go, most of the time: texts do not drift into noise.
          if (!back && text.length < 2 * original.length) return;
          edited.edit(path, ++version, [{ start: 0, end: text.length, text: before }]);
          text = before;
          expect(saidBy(edited)).toEqual(saidBy(runner(text, "h200")));
        }),
        { numRuns: name === "examples/tour.cu" ? 4 : 8, seed: 5, endOnFailure: true },
      );
    },
    120_000,
  );
});

test("what is found in one declaration follows what others have become", () => {
  const text = `struct Pair { float a; };
typedef float Real;
__device__ float half(float x);
template <typename T> __device__ T twice(T x) { return x + x; }
__constant__ float table[4];
__global__ void first(Pair *p, int n) { for (unsigned i = 0; i < n; i++) p[i + 1].a = p[i].a * 0.7; }
__global__ void second(Real *x, int n) { x[threadIdx.x] = x[threadIdx.x] * 0.7 + twice(1); }
__global__ void third(int *x) { x[threadIdx.x] = half(1) * 0.7; }
__global__ void fourth(int *x) { x[threadIdx.x] = table[1] * 0.7; }
`;
  const found = (made: JobRunner): unknown => ({ ...made.find(path), about: undefined });
  const some = fc.array(fc.tuple(fc.constantFrom<Step[0]>("type", "type", "type", "swap", "line"), fc.nat(10_000), fc.nat(10_000)), {
    minLength: 1,
    maxLength: 4,
  });
  fc.assert(
    fc.property(some, (edits) => {
      const made = runner(text, "h200");
      let now = text;
      found(made);
      for (const [index, step] of edits.entries()) {
        const edit = editFor(step, now);
        now = apply(now, edit);
        made.edit(path, index + 2, [edit]);
        expect(found(made)).toEqual(found(runner(now, "h200")));
      }
    }),
    { numRuns: 60, seed: 11 },
  );
});

describe("what an edit costs", () => {
  /** What is computed anew for findings and figures after one edit: this text in place of that. */
  function costs(find: string, by: string): Record<string, number> {
    const made = runner(namespaced, "h200");
    saidBy(made);
    const start = namespaced.indexOf(find);
    expect(start).toBeGreaterThanOrEqual(0);
    made.takeCounts();
    made.edit(path, 2, [{ start, end: start + find.length, text: by }]);
    saidBy(made);
    const counts = made.takeCounts();
    const kinds = ["findings", "bind", "host evaluation", "code", "report"];
    return Object.fromEntries(kinds.flatMap((kind) => (counts.has(kind) ? [[kind, counts.get(kind) ?? 0]] : [])));
  }

  test.each([
    ["a comment in a kernel", "// each pair", "// every single pair,\n  // in order"],
    ["lines above everything", "#include", "\n\n#include"],
    ["blanks in host code", "  outer::add<<<", "\touter::add<<<"],
  ])("%s costs nothing", (_, find, by) => expect(costs(find, by)).toEqual({}));

  test("the body of a kernel costs that kernel's findings and figures", () =>
    expect(costs("+= 1.0f", "+= 2.0f")).toEqual({ findings: 1, bind: 1, code: 1, report: 1 }));

  test("a kernel that stores what another reads costs a look at that one, too", () =>
    expect(costs("out[i * 2] = sum", "out[i * 3] = sum")).toEqual({ findings: 1, bind: 1, code: 2, report: 1 }));

  test("a short body that is called costs the findings and figures of who calls it", () =>
    expect(costs("SCALE(p.a) + p.b", "SCALE(p.a) - p.b")).toEqual({ findings: 2, bind: 1, code: 2, report: 1 }));

  test("host code costs a run of it, and figures where they change", () => {
    expect(costs("int n = 1 << 14", "int n = 1 << 13")).toEqual({ findings: 1, bind: 1, "host evaluation": 1, code: 2, report: 2 });
    expect(costs("cudaMalloc(&out, n * 8)", "cudaMalloc(&out, 8 * n)")).toEqual({ findings: 1, bind: 1, "host evaluation": 1, code: 2 });
  });

  test("a macro costs what it is used in", () => expect(costs("(x) * FACTOR", "(x) + FACTOR")).not.toHaveProperty("host evaluation"));

  test("another GPU of the same architecture costs figures alone", () => {
    const made = runner(namespaced, "h200");
    saidBy(made);
    made.takeCounts();
    made.configure(path, configuration("h100-sxm", 2));
    saidBy(made);
    const counts = made.takeCounts();
    expect([counts.get("preprocess"), counts.get("findings"), counts.get("host evaluation"), counts.get("report")]).toEqual([
      undefined,
      undefined,
      undefined,
      2,
    ]);
  });
});
