import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { argumentsOf, type Compilation, compileResources, macrosOf } from "./compile.ts";
import { findCompiled, readResources } from "./resources.ts";

const verbose = `ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z1kILi64EyEvPT0_' for 'sm_90'
ptxas info    : Function properties for _Z1kILi64EyEvPT0_
    48 bytes stack frame, 16 bytes spill stores, 24 bytes spill loads
ptxas info    : Used 42 registers, used 1 barriers, 512 bytes smem, 368 bytes cmem[0], 4 bytes cmem[2]
ptxas info    : Compiling entry function '_ZN2ns1kILi32EfEEvPT0_' for 'sm_90'
ptxas info    : Function properties for _ZN2ns1kILi32EfEEvPT0_
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 10 registers, used 1 barriers, 128 bytes smem
`;

test("ptxas' messages become resources by kernel", () => {
  expect(readResources(verbose)).toEqual([
    {
      name: "k",
      templateArguments: ["64", "unsigned long long"],
      registers: 42,
      stackBytes: 48,
      spillStoreBytes: 16,
      spillLoadBytes: 24,
      staticSharedBytes: 512,
      constantBytes: 372,
    },
    {
      name: "ns::k",
      templateArguments: ["32", "float"],
      registers: 16,
      stackBytes: 0,
      spillStoreBytes: 0,
      spillLoadBytes: 0,
      staticSharedBytes: 128,
      constantBytes: 0,
    },
  ]);
});

test("from 7.0 on a thread is given 16 registers or more, before what ptxas says", () => {
  const registers = (architecture: string) => readResources(verbose.replaceAll("sm_90", architecture)).map((kernel) => kernel.registers);
  expect([registers("sm_61"), registers("sm_70"), registers("sm_90a"), registers("sm_120")]).toEqual([
    [42, 10],
    [42, 16],
    [42, 16],
    [42, 16],
  ]);
});

test("an instance is found by its arguments, however they are written, and never mistaken for another", () => {
  const kernels = readResources(verbose);
  expect(findCompiled(kernels, "k", ["64u", "unsigned long long"])?.registers).toBe(42);
  expect(findCompiled(kernels, "k", ["32", "float"])?.registers).toBe(16);
  expect(findCompiled(kernels, "k", ["32", "double"])).toBeUndefined();
  expect(findCompiled(kernels, "k", [])).toBeUndefined();
});

const compilation = (text: string, computeCapability = 90): Compilation => ({
  path: "/project/src/kernel.cu",
  text,
  headers: [],
  computeCapability,
  defines: [{ name: "N", value: "4; touch /tmp/x" }, { name: "FAST" }],
  includeDirs: ["/project/include"],
  options: ["-maxrregcount=64"],
});

test("flags of the project reach the compiler, macros in a file", () => {
  expect(argumentsOf(compilation(""), "/t")).toEqual([
    "-arch=sm_90",
    "-O3",
    "-cubin",
    "-Xptxas=-v",
    "-maxrregcount=64",
    "-I/project/src",
    "-I/project/include",
    "-include",
    "/t/macros.h",
    "-o",
    "/t/kernel.cubin",
    "/t/kernel.cu",
  ]);
  expect(macrosOf(compilation(""))).toBe("#define N 4; touch /tmp/x\n#define FAST 1");
});

test("nothing of a project is read by the shell that nvcc starts", () => {
  const path = "/project/$(touch x)/kernel.cu";
  const includeDirs = ["/a b(x86)&;'c", "/$HOME", "/`id`", '/"; id; "', "/a\nb", "/%PATH%", "/größer/漢"];
  const given = argumentsOf({ ...compilation(""), path, includeDirs }, "/t");
  expect(given.filter((each) => each.startsWith("-I"))).toEqual(["-I/a b(x86)&;'c", "-I/größer/漢"]);
  const defines = [
    { name: "A", value: "$(touch x)" },
    { name: "B", value: "1\n#include </etc/passwd>" },
    { name: "C", value: "1\\" },
    { name: "D(x)", value: "x" },
  ];
  expect(macrosOf({ defines })).toBe("#define A $(touch x)\n#define B 1 #include </etc/passwd>\n#define C 1\n#define D(x) x");
});

// A stand-in for nvcc: answers like one, and does what the source's first line asks for.
const standIn = `#!/usr/bin/env node
const { readFileSync, appendFileSync } = require("node:fs");
const given = process.argv.slice(2);
if (given[0] === "--version") console.log("Cuda compilation tools, release 13.0, V13.0.88");
else if (given[0] === "--list-gpu-arch") console.log("compute_75\\ncompute_90");
else {
  appendFileSync(__filename + ".log", "run\\n");
  const text = readFileSync(given.at(-1), "utf8");
  if (text.startsWith("// fails")) { console.error(given.at(-1) + "(3): error: expected a ;"); process.exit(2); }
  console.error(${JSON.stringify(verbose)});
}
`;

let folder = "";
let nvcc = "";
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "nvcc-"));
  nvcc = path.join(folder, "nvcc");
  writeFileSync(nvcc, standIn);
  chmodSync(nvcc, 0o755);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a file is compiled once, and again when a header changes", async () => {
  const { readFileSync } = await import("node:fs");
  const runs = () => readFileSync(`${nvcc}.log`, "utf8").split("\n").length - 1;
  const first = await compileResources(nvcc, compilation("one"));
  expect("kernels" in first && first.kernels.length).toBe(2);
  await compileResources(nvcc, compilation("one"));
  expect(runs()).toBe(1);
  await compileResources(nvcc, { ...compilation("one"), headers: ["#define N 5"] });
  expect(runs()).toBe(2);
});

test.each([
  ["an error of the compiler", "// fails", 90, /nvcc 13\.0 failed \(kernel\.cu\(3\): error: expected a ;\)/],
  ["an architecture that is too old", "", 70, /cannot compile for compute capability 7\.0 \(too new: the oldest it compiles for is 7\.5\)/],
  ["an architecture that is too new", "", 120, /cannot compile for compute capability 12\.0/],
])("%s is said, and the estimate stays", async (_, text, capability, message) => {
  expect(await compileResources(nvcc, compilation(text, capability))).toEqual({ problem: expect.stringMatching(message) });
});

test.each([
  ["says nothing of an nvcc", "#!/bin/sh\necho hello\n"],
  ["cannot be run", "\0not a program"],
])("a program that %s is said not to be one", async (what, text) => {
  const other = path.join(folder, what.replaceAll(" ", "-"));
  writeFileSync(other, text);
  chmodSync(other, 0o755);
  expect(await compileResources(other, compilation(""))).toEqual({ problem: expect.stringMatching(/is not an nvcc that can be run/) });
});

test("no nvcc is said", async () => {
  expect(await compileResources("/nowhere/nvcc", compilation(""))).toEqual({
    problem: "There is no nvcc at /nowhere/nvcc; registers are estimated.",
  });
});
