import { findGpu } from "@warplens/sim-engine";
import { beforeAll, expect, test } from "vitest";
import { loadGrammarFromDisk } from "../grammar.ts";
import { currentParser } from "../syntax/current-parser.ts";
import type { Configuration, SimulationMessage, SimulationOrder } from "./messages.ts";
import { JobRunner } from "./run.ts";

beforeAll(() => loadGrammarFromDisk());

const path = "/w/a.cu";
const names = ["one", "two", "three", "four"];
const kernel = (name: string) => `__global__ void ${name}(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f; }\n`;
const launch = (name: string) => `  ${name}<<<64, 256>>>(a);\n`;
const text = `${names.map(kernel).join("")}int main() {\n  float *a;\n  cudaMalloc(&a, 65536);\n${names.map(launch).join("")}}\n`;

function configuration(revision: number, id: string): Configuration {
  const gpu = findGpu(id);
  if (!gpu) throw new Error(`no ${id}`);
  const analysis = { computeCapability: 90, defines: [], includeDirs: [], launches: [], assume: [], argv: [] };
  return { revision, gpu, analysis, lint: {} };
}

function setUp(code = text) {
  const runner = new JobRunner({ read: () => undefined });
  runner.tell({ does: "open", path, version: 1, text: code });
  runner.tell({ does: "configure", path, configuration: configuration(1, "h200") });
  const all = (order: SimulationOrder = {}) => [...runner.simulate(path, order, () => false)];
  return { runner, all };
}

/** The kernels in the order in which their results come. */
const order = (messages: readonly SimulationMessage[]) => {
  const [first] = messages;
  if (first?.type !== "launches") throw new Error("the launches come first");
  return messages.flatMap((each) => (each.type === "result" ? [first.launches[each.launch]?.kernelName] : []));
};

test("a simulation tells launches, each result, findings, the end; each says what it is about", () => {
  const { runner, all } = setUp();
  const messages = all();
  expect(messages.map(({ type }) => type)).toEqual(["launches", ...names.map(() => "result"), "findings", "end", "refactorings"]);
  expect(new Set(messages.map(({ about }) => JSON.stringify(about)))).toEqual(
    new Set([JSON.stringify({ version: 1, revision: 1, gpu: "h200" })]),
  );
  runner.tell({ does: "edit", path, version: 5, edits: [{ start: 0, end: 0, text: "\n" }] });
  runner.tell({ does: "configure", path, configuration: configuration(9, "t4") });
  expect(runner.find(path).about).toEqual({ version: 5, revision: 9, gpu: "t4" });
  expect(all()[0]?.about).toEqual({ version: 5, revision: 9, gpu: "t4" });
});

test("a broken text is settled when asked: what is found then is what is found of it alone", () => {
  const before = "(float* y, int width, float by)// why\n__global__ void scaleRow(float* y, float4 width, float by) {\n";
  const after = `${before}  /* more\n words */`;
  const { runner } = setUp(before);
  runner.find(path);
  runner.tell({ does: "edit", path, version: 2, edits: [{ start: before.length, end: before.length, text: "  /* more\n words */" }] });
  const first = runner.find(path);
  expect([first.isSettled, runner.settle(path, () => true)]).toEqual([false, undefined]);
  currentParser().forgetAll();
  const fresh = setUp(after).runner.find(path);
  expect([fresh.isSettled, first.kernels]).not.toEqual([true, fresh.kernels]);
  const settled = runner.settle(path, () => false);
  expect(settled).toEqual({ ...fresh, about: { ...fresh.about, version: 2 } });
  expect([runner.find(path), runner.settle(path, () => false)]).toEqual([settled, settled]);
});

const inside = (name: string) => text.indexOf(`void ${name}`);
test.each([
  ["source order without a wish", {}, names],
  ["the cursor's kernel first", { cursor: inside("three") }, ["three", "one", "two", "four"]],
  ["the launch at the cursor first", { cursor: text.indexOf("four<<<") + 2 }, ["four", "one", "two", "three"]],
  [
    "then what is visible",
    { cursor: inside("four"), visible: { start: inside("two"), end: inside("three") } },
    ["four", "two", "three", "one"],
  ],
])("%s", (_, wish: SimulationOrder, expected) => {
  expect(order(setUp().all(wish))).toEqual(expected);
});

test("the order changes nothing but the order", () => {
  const sorted = (wish: SimulationOrder) =>
    setUp()
      .all(wish)
      .filter(({ type }) => type !== "end")
      .map((message) => JSON.stringify(message, (key, value) => (key === "ms" ? 0 : value)))
      .sort();
  expect(sorted({ cursor: inside("four") })).toEqual(sorted({}));
});

test("one that is cancelled stops without findings and without an end", () => {
  const { runner } = setUp();
  const told: string[] = [];
  for (const { type } of runner.simulate(path, {}, () => told.length >= 3)) told.push(type);
  expect(told).toEqual(["launches", "result", "result"]);
});

test("edits are applied one after another, each in the text that those before it made", () => {
  const { runner } = setUp("int a;\n");
  runner.tell({
    does: "edit",
    path,
    version: 2,
    edits: [
      { start: 0, end: 6, text: "" },
      { start: 0, end: 0, text: kernel("late") },
      { start: 16, end: 20, text: "later" },
    ],
  });
  const { kernels } = runner.find(path);
  expect(kernels.map(({ name, nameAt }) => [name, nameAt])).toEqual([["later", { start: 16, end: 21 }]]);
});

test("a kernel that nothing launches stands in as a launch, and one that cannot be simulated has a reason", () => {
  const alone = setUp(kernel("alone")).all();
  expect(alone[0]).toMatchObject({ launches: [{ kernelName: "alone", kernel: 0, line: 1 }] });
  expect(alone[0]).not.toHaveProperty("launches.0.at");
  const [first, result] = setUp(text.replace("one<<<64, 256>>>", "one<<<64, 2048>>>")).all();
  expect(first).toMatchObject({ type: "launches", syntaxErrors: 0 });
  expect(result).toMatchObject({ launch: 0, result: { reason: expect.stringContaining("1024") } });
});

test("what the parser cannot make sense of is counted, in the file and in the kernel", () => {
  const { runner } = setUp(`${kernel("good")}__global__ void bad(float *a) { a[ = 1.0f; }\n`);
  const { kernels, syntaxErrors } = runner.find(path);
  expect(syntaxErrors).toBeGreaterThan(0);
  expect(kernels.map(({ name, syntaxErrors }) => [name, syntaxErrors > 0])).toEqual([
    ["good", false],
    ["bad", true],
  ]);
});

test("findings in the opened file say where they stand in its text", () => {
  const code = "__global__ void f(float *a, int n) {\r\n  for (unsigned int k = 0; k < 600; k++) a[k * n] *= 0.1;\r\n}\r\n";
  const { diagnostics } = setUp(code).runner.find(path);
  expect(diagnostics.length).toBeGreaterThan(0);
  const lines = code.split("\r\n");
  for (const { range, place } of diagnostics)
    expect(place && code.slice(place.start, place.end)).toBe(lines[range.start.line]?.slice(range.start.character, range.end.character));
});

test("fixes are tried behind the end, those next to the cursor first; what is known of a text is not tried again", () => {
  const code = `__global__ void k(float *a) { a[threadIdx.x] *= 0.7; }
__global__ void l(float *a) { a[threadIdx.x] = 0.0; }
__global__ void m(float *a) { a[threadIdx.x] *= 1.7; }
`;
  const { runner, all } = setUp(code);
  const tried = (cursor: number) => {
    const messages = all({ cursor });
    expect(messages.findIndex(({ type }) => type === "end")).toBeLessThan(messages.findIndex(({ type }) => type === "proof"));
    return messages.flatMap((each) => (each.type === "proof" ? [[each.diagnostic, each.proof.verdict]] : []));
  };
  expect(tried(code.indexOf("1.7"))).toEqual([
    [1, "proved"],
    [0, "proved"],
  ]);
  runner.takeCounts();
  expect(tried(0)).toEqual([
    [0, "proved"],
    [1, "proved"],
  ]);
});

test("a cancelled one tries no further fixes", () => {
  const { runner } = setUp("__global__ void k(float *a, float *b) { a[threadIdx.x] *= 0.7; b[threadIdx.x] *= 0.7; }\n");
  let isCancelled = false;
  const types: string[] = [];
  for (const { type } of runner.simulate(path, {}, () => isCancelled)) {
    types.push(type);
    isCancelled ||= type === "end";
  }
  expect(types.filter((type) => type === "proof").length).toBeLessThanOrEqual(1);
});

test("a file is outdated when one that it rests on has changed, once; and where nobody knows what it rests on", () => {
  const texts = {
    "/w/a.cuh": "#define N 1\n",
    "/w/a.cu": '#include "a.cuh"\n__global__ void k(float *p) { p[N] = 1; }\n',
    "/w/b.cu": "int b;\n",
  };
  const open = () => {
    const made = new JobRunner({ read: () => undefined, list: () => [] });
    for (const [path, text] of Object.entries(texts)) {
      made.open(path, 1, text);
      made.configure(path, configuration(1, "h200"));
    }
    return made;
  };
  const told = open();
  for (const path of Object.keys(texts)) told.find(path);
  // All of them were opened since it was asked last.
  expect(told.outdated()).toEqual(["/w/a.cu"]);
  told.edit("/w/a.cuh", 2, [{ start: 10, end: 11, text: "2" }]);
  expect([told.outdated(), told.outdated()]).toEqual([["/w/a.cu"], []]);
  told.edit("/w/b.cu", 2, [{ start: 0, end: 0, text: " " }]);
  expect(told.outdated()).toEqual([]);
  // As after the thread before was ended.
  expect(open().outdated()).toEqual(Object.keys(texts));
});
