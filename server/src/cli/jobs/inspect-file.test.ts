import { findGpu } from "@warplens/sim-engine";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadNativeGrammarFromDisk } from "../../grammar.ts";
import { currentParser, useParser } from "../../syntax/current-parser.ts";
import type { Parser } from "../../syntax/parser/parser.ts";
import { inspectFile } from "./inspect-file.ts";

const asked: string[] = [];
let real: Parser;

beforeAll(async () => {
  await loadNativeGrammarFromDisk();
  real = currentParser();
  useParser({
    ...real,
    parse(text, options) {
      if (options?.key !== undefined) asked.push(`parse ${options.key}`);
      return real.parse(text, options);
    },
    forgetAll() {
      asked.push("forget");
      real.forgetAll();
    },
  });
});
afterAll(() => useParser(real));

test("a file is parsed from nothing, though it was read for another of its program", async () => {
  const gpu = findGpu("h200");
  if (!gpu) throw new Error("no GPU");
  const texts = new Map([
    ["/p/a.cu", "void run(float *a);\nint main() { float *a; cudaMalloc(&a, 4096); run(a); }\n"],
    ["/p/b.cu", "__global__ void k(float *a) { a[threadIdx.x] = 1; }\nvoid run(float *a) { k<<<1, 32>>>(a); }\n"],
  ]);
  const disk = { read: (path: string) => texts.get(path), list: (folder: string) => (folder === "/p" ? ["a.cu", "b.cu"] : []) };
  const analysis = { computeCapability: 90, defines: [], includeDirs: [], launches: [], assume: [], argv: [] };
  for (const [path, text] of [...texts].reverse())
    await inspectFile({ path, text, gpu, analysis, lint: {}, simulates: true, steps: 1e6, registers: [] }, disk, {
      seconds: 7,
      isOver: () => false,
    });
  const second = asked.lastIndexOf("forget");
  expect(asked.slice(0, second)).toContain("parse /p/a.cu");
  expect(asked.slice(second + 1)).toContain("parse /p/a.cu");
  expect(asked.filter((each) => each === "forget")).toHaveLength(2);
});
