/** What is shown of a document's launches while texts, settings and GPUs change: lens and panel say what it is about. */
import type { AccessReport } from "@warplens/sim-engine";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { inlayHints } from "./inlay-hints.ts";
import { panelAnswer } from "./panel.ts";
import { finding, findings, kernelsIn, reportOf, settle, setUp } from "./testing.ts";

const path = "/w/a.cu";
const uri = `file://${path}`;

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

/** A document whose kernels, one a word, are found at once. */
async function start(text: string, section: object = {}) {
  const all = setUp();
  let version = 0;
  let answered = 0;
  /** The findings of the present text come; the simulation that then begins. */
  const found = async (words: string, syntaxErrors = 0) => {
    const request = all.asked.slice(answered).find(({ what }) => what === "find");
    if (!request) throw new Error("nobody asks for findings");
    answered = all.asked.indexOf(request) + 1;
    await request.found({ ...findings(), ...kernelsIn(words), syntaxErrors });
    vi.advanceTimersByTime(200);
    await settle();
    const last = all.asked.at(-1);
    if (last?.what !== "simulate") throw new Error("nothing is simulated");
    const { kernels, launches } = kernelsIn(words);
    return { ...last, isCancelled: () => last.isCancelled, places: () => last.launches(kernels, launches, syntaxErrors) };
  };
  const type = async (words: string) => {
    all.type(path, ++version, words);
    await settle();
  };
  all.configure(section);
  all.open(path, text);
  version = 1;
  await settle();
  const panel = () => {
    const view = all.workspace.view(uri);
    return view && panelAnswer(view, { textDocument: { uri }, position: { line: 0, character: 0 } });
  };
  return { ...all, type, found, panel, lenses: () => all.lenses(path) };
}

const figures = (microseconds: number) => `H200 · occupancy 50 % · bound by issue · ${microseconds} µs ± 25 %`;

test("each kernel's lens comes with its own result, and the panel knows that there is more", async () => {
  const { found, lenses, panel } = await start("one two");
  const run = await found("one two");
  expect(lenses()).toEqual(["H200 · simulating…", "H200 · simulating…"]);
  expect(panel()).toMatchObject({ nothing: "running" });
  run.places();
  run.result(1, { report: reportOf(2000) });
  expect(lenses()).toEqual(["H200 · simulating…", figures(2)]);
  expect(panel()).toMatchObject({ progress: "running", selected: 0 });
  run.result(0, { report: reportOf(1000) });
  await run.end();
  expect(lenses()).toEqual([figures(1), figures(2)]);
  expect(panel()).toMatchObject({ progress: "done", isStale: false, report: { time: { ns: 1000 } } });
});

test("of another GPU nothing is shown, from the switch on", async () => {
  const { found, lenses, panel, configure, statuses } = await start("one");
  const first = await found("one");
  first.places();
  first.result(0, { report: reportOf(1000) });
  await first.end();
  configure({ gpu: "t4" });
  expect(statuses.at(-1)?.gpu.id).toBe("t4");
  expect(lenses()).toEqual(["T4 · simulating…"]);
  expect(panel()).toMatchObject({ gpu: { id: "t4" }, launches: [{ kernel: "one" }], progress: "waiting" });
  expect(panel()).not.toHaveProperty("report");
  const second = await found("one");
  // What the H200's simulation still had to say is not the T4's.
  first.result(0, { report: reportOf(3000) });
  second.places();
  expect(lenses()).toEqual(["T4 · simulating…"]);
  second.result(0, { report: reportOf(5000) });
  await second.end();
  expect(lenses()).toEqual(["T4 · occupancy 50 % · bound by issue · 5 µs ± 25 %"]);
  configure({ gpu: "h200" });
  expect(lenses()).toEqual(["H200 · simulating…"]);
});

test("findings of another GPU's simulation go with the switch", async () => {
  const { found, messages, configure } = await start("one");
  const run = await found("one");
  run.places();
  run.simulatedFindings({ ...finding("strided"), simulated: true });
  await run.end();
  expect(messages(path)).toEqual(["strided@0"]);
  configure({ gpu: "t4" });
  expect(messages(path)).toEqual([]);
});

test("what is of an older text is marked, and stays until its own figures come", async () => {
  const { type, found, lenses, panel } = await start("one two");
  const first = await found("one two");
  first.places();
  for (const launch of [0, 1]) first.result(launch, { report: reportOf(1000) });
  await first.end();
  await type(";one two");
  expect(lenses()).toEqual([`${figures(1)} · ↻`, `${figures(1)} · ↻`]);
  expect(panel()).toMatchObject({ isStale: true, version: 2, report: {} });
  const second = await found(";one two");
  second.places();
  second.result(1, { report: reportOf(2000) });
  expect(lenses()).toEqual([`${figures(1)} · ↻`, figures(2)]);
});

test("a text that does not parse keeps the last good figures, those of kernels it lost too; mended, they are its own again", async () => {
  const { type, found, lenses, panel } = await start("one two");
  const first = await found("one two");
  first.places();
  for (const launch of [0, 1]) first.result(launch, { report: reportOf(1000) });
  await first.end();
  await type("one { two");
  const broken = await found("one", 1);
  broken.places();
  broken.result(0, { reason: "`{` is not closed" });
  await broken.end();
  expect(lenses()).toEqual([`${figures(1)} · ↻ · now not simulated: \`{\` is not closed`, `${figures(1)} · ↻`]);
  expect(panel()).toMatchObject({
    launches: [{ kernel: "one" }, { kernel: "two" }],
    isStale: true,
    report: {},
    reason: "`{` is not closed",
  });
  await type("one {} two");
  const mended = await found("one {} two");
  mended.places();
  for (const launch of [0, 1]) mended.result(launch, { report: reportOf(3000) });
  await mended.end();
  expect(lenses()).toEqual([figures(3), figures(3)]);
});

test("a text without any kernel that does not parse does not empty the panel", async () => {
  const { type, found, panel } = await start("one");
  const first = await found("one");
  first.places();
  first.result(0, { report: reportOf(1000) });
  await first.end();
  await type("{one");
  const broken = await found("", 1);
  broken.places();
  await broken.end();
  expect(panel()).toMatchObject({ launches: [{ kernel: "one" }], isStale: true, report: {} });
});

test("what is simulated of a kernel with a syntax error does not replace its last good figures", async () => {
  const { type, found, lenses } = await start("one");
  const first = await found("one");
  first.places();
  first.result(0, { report: reportOf(1000) });
  await first.end();
  await type("one(");
  const broken = await found("one", 1);
  const { kernels, launches } = kernelsIn("one");
  broken.launches(
    kernels.map((kernel) => ({ ...kernel, syntaxErrors: 1 })),
    launches,
    1,
  );
  broken.result(0, { report: reportOf(7000) });
  await broken.end();
  expect(lenses()).toEqual([`${figures(1)} · ↻`]);
  await type("one");
  const mended = await found("one");
  mended.places();
  mended.result(0, { report: reportOf(2000) });
  await mended.end();
  expect(lenses()).toEqual([figures(2)]);
});

test("a kernel that was deleted goes with its figures", async () => {
  const { type, found, lenses, panel } = await start("one two");
  const first = await found("one two");
  first.places();
  for (const launch of [0, 1]) first.result(launch, { report: reportOf(1000) });
  await first.end();
  await type("one");
  const second = await found("one");
  expect(lenses()).toEqual([`${figures(1)} · ↻`]);
  second.places();
  second.result(0, { report: reportOf(1000) });
  await second.end();
  expect(lenses()).toEqual([figures(1)]);
  expect(panel()).toMatchObject({ launches: [{ kernel: "one" }] });
});

test("that a file has no kernel is said only when that is known", async () => {
  const { found, panel } = await start("");
  expect(panel()).toMatchObject({ nothing: "waiting" });
  const run = await found("");
  expect(panel()).toMatchObject({ nothing: "running" });
  run.places();
  expect(panel()).toMatchObject({ nothing: "running" });
  await run.end();
  expect(panel()).toMatchObject({ nothing: "done" });
});

test("a rule's level changes nothing about figures", async () => {
  const { found, lenses, configure } = await start("one");
  const run = await found("one");
  run.places();
  run.result(0, { report: reportOf(1000) });
  await run.end();
  configure({ rules: { "strided-global-access": "off" } });
  expect(lenses()).toEqual([figures(1)]);
});

test("hints and hot lines of an older text stand where they moved to", async () => {
  const access: AccessReport = {
    file: 0,
    line: 1,
    start: 4,
    end: 7,
    space: "global",
    operation: "load",
    bytesPerLane: 4,
    requests: 1,
    lanes: 32,
    transactions: 32,
    ideal: 4,
  };
  const counters = {
    instructions: 1,
    threadInstructions: 32,
    globalRequests: 1,
    globalSectors: 32,
    globalSectorsIdeal: 4,
    sharedWavefronts: 0,
    sharedWavefrontsIdeal: 0,
    divergentBranches: 0,
  };
  const { type, found, panel, workspace } = await start("one two");
  const run = await found("one two");
  run.places();
  run.result(0, { report: reportOf(1000, { accesses: [access], lines: { 1: counters } }) });
  await run.end();
  await type("\none two");
  const view = workspace.view(uri);
  const hints = view && inlayHints(view, { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } });
  expect(hints).toMatchObject([{ position: { line: 1, character: 7 }, tooltip: expect.stringContaining("before your last edit") }]);
  expect(panel()).toMatchObject({ report: { lines: { 2: counters } }, source: { lines: { 2: "one two" } } });
});
