import { expect, test } from "vitest";
import type { CompilationAnswer } from "../nvcc/compile.ts";
import type { CompiledKernel } from "../nvcc/resources.ts";
import { Compilations, type CompiledSource } from "./compilations.ts";

const kernel = (registers: number): CompiledKernel => ({
  name: "k",
  templateArguments: [],
  registers,
  stackBytes: 0,
  spillStoreBytes: 0,
  spillLoadBytes: 0,
  staticSharedBytes: 0,
  constantBytes: 0,
});
const source = (text: string): CompiledSource => ({
  path: "/a.cu",
  text,
  headers: () => Promise.resolve([]),
  settings: { computeCapability: 90, defines: [], includeDirs: [] },
  files: { read: () => undefined },
});
/** The compiler is asked once the headers are there. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

function setUp() {
  const asked: { text: string; signal: AbortSignal; answer: (answer: CompilationAnswer) => void }[] = [];
  const arrived: string[] = [];
  const compilations = new Compilations(
    (_, { text }, signal) => new Promise((answer) => asked.push({ text, signal, answer })),
    (uri) => arrived.push(uri),
  );
  return { asked, arrived, compilations };
}

test("a newer version stops the older compilation, whose answer is not used", async () => {
  const { asked, arrived, compilations } = setUp();
  const first = compilations.request("a", 1, "auto", source("one"));
  await settle();
  const second = compilations.request("a", 2, "auto", source("two"));
  await settle();
  expect(asked[0]?.signal.aborted).toBe(true);
  asked[0]?.answer({ kernels: [kernel(10)] });
  asked[1]?.answer({ kernels: [kernel(20)] });
  await Promise.all([first, second]);
  expect(arrived).toEqual(["a"]);
  expect(compilations.kernels("a", 2)).toEqual([kernel(20)]);
  expect(compilations.kernels("a", 1)).toEqual([]);
});

test("a version is compiled once, and why it failed is kept", async () => {
  const { asked, compilations } = setUp();
  const done = compilations.request("a", 1, "auto", source("one"));
  await settle();
  asked[0]?.answer({ problem: "nvcc failed" });
  await done;
  await compilations.request("a", 1, "auto", source("one"));
  expect(asked.length).toBe(1);
  expect(compilations.problems()).toEqual(["nvcc failed"]);
});
