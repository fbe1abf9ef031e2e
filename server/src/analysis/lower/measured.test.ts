/**
 * What kernels compute, against a GPU: `measured/*.cu` were compiled by nvcc 13.0 (`-arch=sm_90 --fmad=false
 * --expt-relaxed-constexpr`) and run on an H200 as one block of 64 threads; `values.txt` holds what each left in `out`.
 */
import { readdirSync, readFileSync } from "node:fs";
import { type Kernel, type Launch, runWhole, verifyKernel } from "@warplens/sim-engine";
import { describe, expect, test } from "vitest";
import { FileParser, read } from "../../syntax/index.ts";
import { testParser } from "../../syntax/testing/parse-text.ts";
import { headerFolder, withHeaders } from "../headers/index.ts";
import { bindUnit } from "../sema/index.ts";
import { lowerKernel } from "./index.ts";

/** The optimiser contracts a * b + c, which the measured programs were told not to: these would show it. */
const inexact = new Set(["floats", "library"]);
const folder = new URL("./measured/", import.meta.url);
const text = (name: string): string => readFileSync(new URL(name, folder), "utf8");
const perThread = 8;
const threads = 64;

const measured = new Map(
  text("values.txt")
    .trim()
    .split("\n")
    .map((line) => {
      const [file, kernel, ...values] = line.split(" ");
      return [`${file} ${kernel}`, values] as const;
    }),
);

const launch: Launch = {
  grid: [1, 1, 1],
  block: [threads, 1, 1],
  dynamicSharedBytes: 1024,
  arguments: [{ kind: "pointer", buffer: 0, offset: 0 }],
  buffers: [{ name: "out", bytes: 8 * perThread * threads, element: "i64", content: { kind: "zero" } }],
};

/** Results as `result: one value a thread`, so that a difference reads as one. */
function results(values: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: perThread }, (_, result) => [
      `RESULT(${result})`,
      Array.from({ length: threads }, (__, thread) => values[thread * perThread + result]).join(" "),
    ]),
  );
}

function computed(kernel: Kernel, optimised: boolean): Record<string, string> {
  const run = runWhole(kernel, launch, { optimised });
  return results(Array.from({ length: perThread * threads }, (_, index) => String(run.read(0, index, "i64"))));
}

const files = readdirSync(folder)
  .filter((name) => name.endsWith(".cu"))
  .map((name) => name.slice(0, -3));

describe.each(files)("%s", (file) => {
  const kernels = [...measured.keys()].filter((key) => key.startsWith(`${file} `)).map((key) => key.slice(file.length + 1));

  test.each(kernels)("%s", async (name) => {
    const preprocessed = read(`/${file}.cu`, text(`${file}.cu`), withHeaders({ read: () => undefined }), {
      computeCapability: 90,
      includeDirs: [headerFolder],
    });
    const parsed = new FileParser(await testParser).parse(preprocessed);
    if (!parsed) throw new Error("cancelled");
    const { reading, unit } = parsed;
    const semantics = bindUnit(unit);
    const declaration = semantics.functions.find((each) => each.name.parts.at(-1)?.text === name);
    if (!declaration) throw new Error(`no kernel ${name}`);
    const kernel = lowerKernel(semantics, reading, declaration, undefined, { computeCapability: 90 });
    expect(verifyKernel(kernel)).toEqual([]);
    const expected = results(measured.get(`${file} ${name}`) ?? []);
    expect(computed(kernel, false)).toEqual(expected);
    if (!inexact.has(file)) expect(computed(kernel, true)).toEqual(expected);
  });
});
