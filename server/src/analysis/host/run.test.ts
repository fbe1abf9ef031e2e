import { Cancelled, Work } from "@warplens/sim-engine";
import { expect, test } from "vitest";
import { parseText } from "../../syntax/testing/parse-text.ts";
import { lowerKernel } from "../lower/index.ts";
import { bindUnit } from "../sema/index.ts";
import type { AnalysisSettings } from "../settings.ts";
import { FileEvaluation } from "./file-evaluation.ts";
import { hostUnit } from "./program/unit.ts";

const settings: AnalysisSettings = { computeCapability: 90, defines: [], includeDirs: [], launches: [], assume: [], argv: [] };

const source = `
  __global__ void k(float *p, int n) { ${"p[threadIdx.x] += p[n] * 2.0f; ".repeat(80)} }
  int main() {
    float *p; cudaMalloc(&p, 4096);
    int sum = 0;
    for (int i = 0; i < 100; i++) for (int j = 0; j < 50; j++) sum += (i ^ j) * 3 % 7;
    k<<<sum % 4 + 1, 128>>>(p, sum);
  }`;

async function program(work?: Work, text = source) {
  const { unit, reading } = await parseText(text);
  const semantics = bindUnit(unit);
  const own = hostUnit(unit, semantics, reading);
  const evaluation = new FileEvaluation(
    { unit: own, settings, linker: undefined, ...(work === undefined ? {} : { work }) },
    new Map(),
    () => true,
  );
  return { semantics, reading, evaluation };
}

/** Wanted for so many questions. */
function wantedFor(questions: number): Work {
  let asked = 0;
  return new Work(Number.POSITIVE_INFINITY, () => ++asked > questions);
}

test.each([0, 1, 3])("an evaluation that nobody wants after %i questions ends with Cancelled", async (questions) => {
  const { evaluation } = await program(wantedFor(questions));
  expect(() => evaluation.launches()).toThrow(Cancelled);
});

test("asking changes nothing of what is found, and takes nothing from the budget", async () => {
  const work = new Work(10);
  const found = async (given?: Work) =>
    (await program(given)).evaluation.launches().map(({ entry, executions }) => ({ grid: entry.grid, block: entry.block, executions }));
  expect(await found(work)).toEqual(await found());
  expect(work.spend(0)).toBe(10);
});

test("loops are gone through for what launches read, and for nothing that only copies need", async () => {
  const fill = `float h[4096]; for (int t = 0; t < 400; t++) for (int i = 0; i < 4096; i++) h[i] = h[i] * 0.5f + (i * 37) % 101;`;
  const stepsWith = async (launch: string): Promise<number> => {
    const { evaluation } = await program(
      undefined,
      `__global__ void k(float *p, int n) { p[threadIdx.x] += n; }
      int main() { float *p; cudaMalloc(&p, 4096 * 4); ${fill} cudaMemcpy(p, h, 4096 * 4, cudaMemcpyHostToDevice); ${launch} }`,
    );
    evaluation.launches();
    return evaluation.steps;
  };
  expect(await stepsWith("k<<<1, 128>>>(p, 0);")).toBeGreaterThan(3 * (await stepsWith("")));
});

test("lowering ends with Cancelled, and is whole when it is asked again", async () => {
  const { semantics, reading } = await program();
  const kernel = semantics.functions.find(({ specifiers }) => specifiers.global);
  if (kernel === undefined) throw new Error("no kernel");
  const lower = (work?: Work) => lowerKernel(semantics, reading, kernel, undefined, { computeCapability: 90, work });
  expect(() => lower(wantedFor(0))).toThrow(Cancelled);
  expect(lower(new Work(10)).nextId).toBe(lower().nextId);
});
