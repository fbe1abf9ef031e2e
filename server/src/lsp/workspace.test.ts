import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Superseded } from "./document-state.ts";
import { finding, findings, kernelsIn, reportOf, settle, setUp } from "./testing.ts";

const a = "file:///w/a.cu";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

test("whoever asks waits for the findings of the present text", async () => {
  const { workspace, asked, configure, open, messages } = setUp();
  configure({ simulate: false });
  open("/w/a.cu", "abc");
  let answered = false;
  const answer = workspace.settled(a).then(() => (answered = true));
  await settle();
  expect([asked.length, answered]).toEqual([1, false]);
  await asked[0]?.found(findings(finding("bad", 1)));
  await answer;
  expect(messages("/w/a.cu")).toEqual(["bad@1"]);
});

test("typing lets whoever waits for the older text go; findings stand where they moved to", async () => {
  const { workspace, asked, configure, open, type, messages } = setUp();
  configure({ simulate: false });
  open("/w/a.cu", "abc");
  await settle();
  await asked[0]?.found(findings(finding("bad", 1)));
  type("/w/a.cu", 2, "--abc");
  await settle();
  const answer = expect(workspace.settled(a)).rejects.toThrow(Superseded);
  await settle();
  type("/w/a.cu", 3, "---abc");
  await answer;
  expect(messages("/w/a.cu")).toEqual(["bad@4"]);
});

test("findings have a version only once the text of that version was read", async () => {
  const { workspace, asked, configure, open, type, told } = setUp();
  configure({ simulate: false });
  open("/w/a.cu", "abc");
  await settle();
  expect(workspace.diagnostics(a).version).toBeUndefined();
  await asked[0]?.found(findings(finding("bad", 1)));
  expect(workspace.diagnostics(a).version).toBe(1);
  type("/w/a.cu", 2, "--abc");
  type("/w/a.cu", 3, "---abc");
  await settle();
  expect(workspace.diagnostics(a).version).toBeUndefined();
  const before = told.findings.length;
  // The worker read version 2 only if it began before version 3 was told: its answer is not the present one's.
  await asked[1]?.found(findings(finding("worse", 2)));
  expect(workspace.diagnostics(a).version).toBe(asked[1]?.about.version === 3 ? 3 : undefined);
  await asked[2]?.found(findings(finding("worst", 3)));
  expect(workspace.diagnostics(a).version).toBe(3);
  expect(told.findings.length).toBeGreaterThan(before);
});

test("the worker is told edits, not texts", async () => {
  const { inputs, asked, configure, open, editor } = setUp();
  configure({ simulate: false });
  open("/w/a.cu", "int a;\nint b;\n");
  await settle();
  await asked[0]?.found(findings());
  const at = (line: number, character: number) => ({ line, character });
  editor.change?.({
    textDocument: { uri: a, version: 2 },
    contentChanges: [
      { range: { start: at(1, 4), end: at(1, 5) }, text: "long" },
      { range: { start: at(0, 0), end: at(0, 0) }, text: "\n" },
    ],
  });
  expect(inputs.at(-1)).toMatchObject({
    does: "edit",
    path: "/w/a.cu",
    version: 2,
    edits: [
      { start: 11, end: 12, text: "long" },
      { start: 0, end: 0, text: "\n" },
    ],
  });
  editor.change?.({ textDocument: { uri: a, version: 3 }, contentChanges: [{ text: "\nint a;\nint very long;\n" }] });
  expect(inputs.at(-1)).toMatchObject({ edits: [{ start: 12, end: 12, text: "very " }] });
});

test("another setting makes all anew, what is looked at first; results of the old one do not count", async () => {
  const { workspace, asked, configure, open } = setUp();
  configure({ simulate: false });
  open("/w/b.cu", "b");
  open("/w/a.cu", "a");
  await settle();
  for (const index of [0, 1]) await asked[index]?.found(findings());
  workspace.focus("file:///w/b.cu", {});
  configure({ simulate: false, gpu: "t4" });
  await settle();
  configure({ simulate: false, gpu: "v100" });
  await settle();
  for (const index of [2, 3, 4]) await asked[index]?.found(findings());
  expect(asked.slice(2).map(({ path, about }) => [path, about.gpu])).toEqual([
    ["/w/a.cu", "t4"],
    ["/w/b.cu", "v100-sxm2"],
    ["/w/a.cu", "v100-sxm2"],
  ]);
});

test.each([
  ["a lens", { codeLens: { enabled: false } }, 0],
  ["hints", { inlayHints: { loops: false } }, 0],
  ["a rule's level", { rules: { "strided-global-access": "off" } }, 1],
  ["the GPU", { gpu: "t4" }, 1],
])("a setting of %s asks the worker for no more than it needs", async (_, section, requests) => {
  const { asked, told, configure, open } = setUp();
  configure({ simulate: false });
  open("/w/a.cu", "abc");
  await settle();
  await asked[0]?.found(findings());
  configure({ simulate: false, ...section });
  await settle();
  expect([asked.length - 1, told.display]).toEqual([requests, 2]);
});

test("what is open and saved is not a file that has changed", async () => {
  const { workspace, asked, configure, open } = setUp();
  configure({ simulate: false });
  open("/w/a.cu", "abc");
  await settle();
  await asked[0]?.found(findings());
  workspace.filesChanged(["/w/a.cu"]);
  await settle();
  expect(asked.length).toBe(1);
  workspace.filesChanged(["/w/a.cuh"]);
  await settle();
  expect(asked.length).toBe(2);
});

test("a simulation begins when the findings are there and the user has paused", async () => {
  const { asked, configure, open, type } = setUp();
  configure({});
  open("/w/a.cu", "one");
  await settle();
  await asked[0]?.found({ ...findings(), ...kernelsIn("one") });
  expect(asked[1]).toMatchObject({ what: "simulate", about: { version: 1 } });
  type("/w/a.cu", 2, "one;");
  await settle();
  expect(asked[1]?.isCancelled).toBe(true);
  vi.advanceTimersByTime(1000);
  await settle();
  expect(asked.map(({ what }) => what)).toEqual(["find", "simulate", "find"]);
  await asked[2]?.found({ ...findings(), ...kernelsIn("one") });
  vi.advanceTimersByTime(60);
  type("/w/a.cu", 3, "one;;");
  await settle();
  await asked[3]?.found({ ...findings(), ...kernelsIn("one") });
  vi.advanceTimersByTime(60);
  await settle();
  expect(asked.length).toBe(4);
  vi.advanceTimersByTime(60);
  await settle();
  expect(asked[4]).toMatchObject({ what: "simulate", about: { version: 3 }, order: { cursor: 5 } });
});

test("a broken text is read afresh once the user has paused, and what is found then is told", async () => {
  const { asked, told, configure, open, type, messages } = setUp();
  configure({ simulate: false });
  open("/w/a.cu", "abc");
  await settle();
  await asked[0]?.found(findings());
  type("/w/a.cu", 2, "abc(");
  await settle();
  await asked[1]?.found({ ...findings(finding("of the text before", 1)), isSettled: false });
  expect(messages("/w/a.cu")).toEqual(["of the text before@1"]);
  expect(asked.map(({ what }) => what)).toEqual(["find", "find"]);
  vi.advanceTimersByTime(120);
  await settle();
  expect(asked[2]).toMatchObject({ what: "settle", about: { version: 2 } });
  const before = told.findings.length;
  await asked[2]?.found(findings(finding("of this one", 2)));
  expect([messages("/w/a.cu"), told.findings.length]).toEqual([["of this one@2"], before + 1]);
  vi.advanceTimersByTime(1000);
  await settle();
  expect(asked.length).toBe(3);
});

test("typing goes before a broken text's being read afresh", async () => {
  const { asked, configure, open, type } = setUp();
  configure({ simulate: false });
  open("/w/a.cu", "abc(");
  await settle();
  await asked[0]?.found({ ...findings(), isSettled: false });
  vi.advanceTimersByTime(120);
  await settle();
  type("/w/a.cu", 2, "abc((");
  await settle();
  expect(asked.map(({ what, isCancelled }) => [what, isCancelled])).toEqual([
    ["find", false],
    ["settle", true],
    ["find", false],
  ]);
});

test("progress is told of what takes its time, and can be cancelled", async () => {
  const { asked, bars, statuses, configure, open, lenses } = setUp();
  configure({});
  open("/w/a.cu", "one two");
  await settle();
  await asked[0]?.found({ ...findings(), ...kernelsIn("one two") });
  const { kernels, launches } = kernelsIn("one two");
  asked[1]?.launches(kernels, launches);
  asked[1]?.result(0, { report: reportOf(1000) });
  expect(bars).toEqual([]);
  vi.advanceTimersByTime(300);
  expect(bars).toMatchObject([{ gpu: "NVIDIA H200", reports: ["1 of 2"], hasEnded: false }]);
  expect(statuses.at(-1)?.progress).toEqual({ done: 1, of: 2 });
  bars[0]?.cancel();
  await settle();
  expect(asked[1]?.isCancelled).toBe(true);
  expect(bars[0]?.hasEnded).toBe(true);
  expect(statuses.at(-1)).toMatchObject({ simulating: 0 });
  expect(statuses.at(-1)?.progress).toBeUndefined();
  expect(lenses("/w/a.cu")).toEqual([
    "H200 · occupancy 50 % · bound by issue · 1 µs ± 25 %",
    "H200 · simulation stopped until the next edit",
  ]);
});

test("a simulation that fails is not waited for", async () => {
  const { asked, errors, configure, open, lenses } = setUp();
  configure({});
  open("/w/a.cu", "one");
  await settle();
  await asked[0]?.found({ ...findings(), ...kernelsIn("one") });
  expect(lenses("/w/a.cu")).toEqual(["H200 · simulating…"]);
  await asked[1]?.fail(new Error("out of memory"));
  expect(lenses("/w/a.cu")).toEqual(["H200 · simulation stopped until the next edit"]);
  expect(errors.length).toBe(1);
});

test("a worker that fails leaves nobody waiting, and says so", async () => {
  const { workspace, asked, errors, configure, open, messages } = setUp();
  configure({ simulate: false });
  open("/w/a.cu", "abc");
  const answer = workspace.settled(a);
  await settle();
  await asked[0]?.fail(new Error("out of memory"));
  await answer;
  expect(messages("/w/a.cu")).toEqual(["This file could not be analysed: out of memory. WarpLens tries again when it changes.@0"]);
  expect(errors).toEqual([expect.stringContaining("The analysis of file:///w/a.cu failed: Error: out of memory\n    at")]);
});

test("warplens.json is marked as it is typed, and holds as it is saved", async () => {
  const { asked, statuses, files, editor, configure, open, type, messages } = setUp();
  configure({ simulate: false });
  open("/w/a.cu", "abc");
  open("/w/warplens.json", "{}");
  await settle();
  await asked[0]?.found(findings());
  type("/w/warplens.json", 2, '{ "gpu": 3 }');
  await settle();
  expect(messages("/w/warplens.json")).toEqual(['`gpu` should be a GPU\'s id, such as "h200"@9']);
  expect(asked.length).toBe(1);
  files["/w/warplens.json"] = '{ "gpu": "mine", "gpus": [{ "id": "mine", "extends": "t4" }] }';
  editor.save?.({ textDocument: { uri: "file:///w/warplens.json" } });
  await settle();
  expect(asked.at(-1)?.about.gpu).toBe("mine");
  expect(statuses.at(-1)).toMatchObject({ gpu: { id: "mine", own: true }, chosenBy: "warplens.json", problems: [] });
});

test("what came of trying fixes is told with the findings, and in the log where they are not offered", async () => {
  const { workspace, asked, configure, open, notes, told } = setUp();
  configure({});
  open("/w/a.cu", "abc");
  await settle();
  const edits = [{ range: { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } }, newText: "x" }];
  const found = [finding("good"), finding("bad", 1)].map((each) => ({ ...each, fixes: [{ title: "Write it well", safe: true, edits }] }));
  await asked[0]?.found(findings(...found));
  await vi.advanceTimersByTimeAsync(1000);
  const run = asked[1];
  run?.launches([], []);
  run?.simulatedFindings(...found);
  expect(workspace.triesFixes(a)).toBe(true);
  await run?.end();
  const before = told.findings.length;
  run?.tried(1, { verdict: "withheld", why: "it changes what `k` leaves" });
  run?.tried(0, { verdict: "proved", gain: { fromNs: 304_000, toNs: 144_000 } });
  await vi.advanceTimersByTimeAsync(1000);
  expect(notes.filter((note) => !note.includes("simulated on"))).toEqual([
    `${a}:1: some-rule: not offered: Write it well: it changes what \`k\` leaves`,
  ]);
  // The second one soon after the first: both are told of together.
  expect(told.findings.length - before).toBe(2);
  expect(workspace.diagnostics(a).items.map(({ data }) => data.fixes[0].proof?.verdict)).toEqual(["proved", "withheld"]);
});

test("the log says what was simulated, and what not and why", async () => {
  const { asked, configure, open, notes } = setUp();
  configure({});
  open("/w/a.cu", "one two");
  await settle();
  await asked[0]?.found(findings());
  await vi.advanceTimersByTimeAsync(1000);
  const { kernels, launches } = kernelsIn("one two");
  asked[1]?.launches(kernels, launches);
  asked[1]?.result(0, { report: reportOf(1000) });
  asked[1]?.result(1, { reason: "its launch is not known" });
  await asked[1]?.end();
  expect(notes).toHaveLength(1);
  expect(notes[0]).toMatch(
    /^file:\/\/\/w\/a\.cu: 1 launch simulated on NVIDIA H200 in \d[\d.]* \w+; 1 not: two, line 1: its launch is not known$/,
  );
});
