/** Documents that the analysis cannot do, beside others that it can. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { AnalysisError } from "../worker/messages.ts";
import { finding, findings, kernelsIn, reportOf, settle, setUp } from "./testing.ts";

const [a, b] = ["/w/a.cu", "/w/b.cu"];

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

const stuck = () => new AnalysisError("no sign of life for 20 s", { stage: "parse", isEnd: true });
const fault = () => new AnalysisError("RangeError: too deep", { stage: "convert" });
const aside = "This file could not be analysed: the analysis was ended 2 times in a row, no sign of life for 20 s (stage: parse)";

/** A workspace in which what is asked is answered in turn. */
async function start(section: object = {}) {
  const all = setUp();
  all.configure(section);
  let next = 0;
  /** What is asked next, and of which file. */
  const asks = async (what: "find" | "simulate", path: string) => {
    await settle();
    vi.advanceTimersByTime(200);
    await settle();
    const request = all.asked[next++];
    expect([request?.what, request?.path]).toEqual([what, path]);
    return request as NonNullable<typeof request>;
  };
  const asksNothing = async () => {
    await settle();
    vi.advanceTimersByTime(1000);
    await settle();
    expect(all.asked.slice(next)).toEqual([]);
  };
  const problems = () => all.statuses.at(-1)?.problems ?? [];
  return { ...all, asks, asksNothing, problems };
}

describe("a document on which the analysis had to be ended", () => {
  test("is asked for once more, and is there if that goes well", async () => {
    const { open, asks, asksNothing, messages, warnings, problems, errors } = await start({ simulate: false });
    open(a, "abc");
    await (await asks("find", a)).fail(stuck());
    await (await asks("find", a)).found(findings(finding("found")));
    await asksNothing();
    expect(messages(a)).toEqual(["found@0"]);
    expect([warnings, problems()]).toEqual([[], []]);
    expect(errors).toEqual(["The analysis of file:///w/a.cu was ended: no sign of life for 20 s (stage: parse)"]);
  });

  test("is set aside when it does so twice in a row, until it changes; other files go on", async () => {
    const { open, type, asks, asksNothing, messages, warnings, problems, workspace, told } = await start({ simulate: false });
    open(b, "b");
    await (await asks("find", b)).found(findings({ ...finding("of b"), path: b }));
    open(a, "abc");
    const waiting = workspace.settled(`file://${a}`);
    await (await asks("find", a)).fail(stuck());
    await (await asks("find", a)).fail(stuck());
    await waiting;
    await asksNothing();
    expect(messages(a)).toEqual([`${aside}. WarpLens tries again when it changes.@0`]);
    expect(workspace.diagnostics(`file://${a}`)).toMatchObject({ version: 1 });
    expect(warnings).toEqual([`a.cu: ${aside}. WarpLens tries again when it changes. Other files are not affected.`]);
    expect(problems()).toEqual([expect.stringMatching(/^a\.cu: This file could not be analysed/)]);
    await workspace.settled(`file://${a}`);

    type(b, 2, "bb");
    await (await asks("find", b)).found(findings({ ...finding("of bb"), path: b }));
    expect(messages(b)).toEqual(["of bb@0"]);

    const before = told.findings.length;
    type(a, 2, "abcd");
    const again = await asks("find", a);
    expect(problems()).toEqual([]);
    await again.found(findings(finding("found")));
    expect(messages(a)).toEqual(["found@0"]);
    expect(told.findings.slice(before)).toContain(`file://${a}`);
  });

  test("and goes on doing so has one attempt for each text, and the user is told once", async () => {
    const { open, type, asks, asksNothing, warnings } = await start({ simulate: false });
    open(a, "abc");
    await (await asks("find", a)).fail(stuck());
    for (const version of [2, 3, 4]) {
      await (await asks("find", a)).fail(stuck());
      await asksNothing();
      type(a, version, `abc${version}`);
    }
    await (await asks("find", a)).found(findings());
    expect(warnings.length).toBe(1);
    type(a, 5, "abc5");
    await (await asks("find", a)).fail(stuck());
    await (await asks("find", a)).fail(stuck());
    await asksNothing();
    expect(warnings.length).toBe(2);
  });

  test("is not set aside for what it was before an edit", async () => {
    const { open, type, asks, messages, warnings } = await start({ simulate: false });
    open(a, "abc");
    await (await asks("find", a)).fail(stuck());
    const hanging = await asks("find", a);
    type(a, 2, "abcd");
    await hanging.fail(stuck());
    await (await asks("find", a)).found(findings(finding("found")));
    expect([messages(a), warnings]).toEqual([["found@0"], []]);
  });

  test("closed and opened, starts anew", async () => {
    const { open, editor, asks, asksNothing, problems } = await start({ simulate: false });
    open(a, "abc");
    await (await asks("find", a)).fail(stuck());
    await (await asks("find", a)).fail(stuck());
    editor.close?.({ textDocument: { uri: `file://${a}` } });
    await asksNothing();
    expect(problems()).toEqual([]);
    open(a, "abc");
    await (await asks("find", a)).found(findings());
  });
});

describe("a simulation that had to be ended", () => {
  const { kernels, launches } = kernelsIn("one two");

  test("begins once more; what it told stays, and so does what others told", async () => {
    const { open, asks, asksNothing, lenses, messages } = await start();
    open(b, "two");
    await (await asks("find", b)).found({ ...findings(), ...kernelsIn("two") });
    const other = await asks("simulate", b);
    other.launches(kernelsIn("two").kernels, kernelsIn("two").launches);
    other.result(0, { report: reportOf(2000) });
    await other.end();
    open(a, "one two");
    await (await asks("find", a)).found({ ...findings(finding("found")), kernels });
    for (const microseconds of [3, 4]) {
      const run = await asks("simulate", a);
      run.launches(kernels, launches);
      run.result(0, { report: reportOf(microseconds * 1000) });
      await run.fail(stuck());
    }
    await asksNothing();
    const figures = (us: number) => `H200 · occupancy 50 % · bound by issue · ${us} µs ± 25 %`;
    expect(lenses(a)).toEqual([figures(4), "H200 · simulation stopped until the next edit"]);
    expect(lenses(b)).toEqual([figures(2)]);
    expect(messages(a)).toEqual([expect.stringContaining("This file could not be simulated"), "found@0"]);
  });

  test("leaves the findings that need none: they follow the text", async () => {
    const { open, type, asks, messages } = await start();
    open(a, "one two");
    await (await asks("find", a)).found({ ...findings(), kernels });
    await (await asks("simulate", a)).fail(stuck());
    await (await asks("simulate", a)).fail(stuck());
    type(a, 2, "one  two");
    await (await asks("find", a)).found({ ...findings(finding("found")), kernels });
    expect(messages(a)).toEqual(["found@0"]);
    const run = await asks("simulate", a);
    run.launches(kernels, launches);
    await run.fail(stuck());
    expect(messages(a)).toEqual([expect.stringContaining("ended 3 times in a row"), "found@0"]);
  });
});

test("a document on which the analysis fails is set aside at once, without a message over the code", async () => {
  const { open, type, asks, asksNothing, messages, warnings, problems, lenses } = await start();
  open(a, "one");
  await (await asks("find", a)).fail(fault());
  await asksNothing();
  expect(messages(a)).toEqual([
    "This file could not be analysed: RangeError: too deep (stage: convert). WarpLens tries again when it changes.@0",
  ]);
  expect(warnings).toEqual([]);
  expect(problems().length).toBe(1);
  expect(lenses(a)).toEqual([]);
  type(a, 2, "two");
  await (await asks("find", a)).found({ ...findings(), ...kernelsIn("two") });
  await asks("simulate", a);
  expect(problems()).toEqual([]);
});
