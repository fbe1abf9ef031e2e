import { gpus } from "@warplens/sim-engine";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Answer, Inspector, Usage } from "./inspector.ts";
import type { Job } from "./job.ts";
import { InspectorPool } from "./pool.ts";

function jobOf(path: string): Job {
  const [gpu] = gpus;
  if (!gpu) throw new Error("no GPU");
  const analysis = { computeCapability: 90, defines: [], includeDirs: [], launches: [], assume: [], argv: [] };
  return { path, text: "", gpu, analysis, lint: {}, simulates: false, steps: 1, registers: [] };
}

const answerOf = (path: string): Answer => ({ outcome: `of ${path}`, facts: [] });

/** What becomes of a file in an inspector that had other files before. */
type Fate = "answered" | "killed" | "endless" | "answered, and worn out";

/** Inspectors that only do what they are told to; `started` has the files that each was given. */
function scripted(fate: (path: string, before: readonly string[]) => Fate, usage: () => Usage | undefined = () => undefined) {
  const started: string[][] = [];
  const start = (): Inspector => {
    const files: string[] = [];
    started.push(files);
    let isFit = true;
    return {
      ready: Promise.resolve(),
      async inspect({ path }, _, { entered, soFar }) {
        const before = [...files];
        files.push(path);
        soFar(`of ${path}, so far`);
        entered("parse");
        await Promise.resolve();
        const own = fate(path, before);
        if (own === "endless") await new Promise(() => undefined);
        isFit = own === "answered";
        if (own === "killed") throw new Error("its process ended with SIGSEGV");
        return answerOf(path);
      },
      usage,
      get isFit() {
        return isFit;
      },
      end() {
        isFit = false;
      },
    };
  };
  return { start, started };
}

describe("a pool of inspectors", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] }));
  afterEach(() => void vi.useRealTimers());

  test("starts no more than it may, and no more than there is to do", async () => {
    for (const [files, size, most] of [
      [6, 2, 2],
      [1, 4, 1],
    ] as const) {
      const { start, started } = scripted(() => "answered");
      const pool = new InspectorPool({ start, size, seconds: 10 });
      const names = Array.from({ length: files }, (_, index) => `/${index}.cu`);
      expect(await Promise.all(names.map((name) => pool.inspect(jobOf(name))))).toEqual(names.map(answerOf));
      expect(started).toHaveLength(most);
      expect(started.flat().sort()).toEqual(names);
    }
  });

  test("goes on after a file that takes too long, and says what was done to it", async () => {
    const { start, started } = scripted((path) => (path === "/endless.cu" ? "endless" : "answered"));
    const pool = new InspectorPool({ start, size: 1, seconds: 10 });
    const answers = Promise.all(["/a.cu", "/endless.cu", "/b.cu"].map((name) => pool.inspect(jobOf(name))));
    await vi.advanceTimersByTimeAsync(10_100);
    expect(await answers).toEqual([
      answerOf("/a.cu"),
      { failure: { stage: "parse", reason: "it took longer than 10 s; --timeout gives it more" }, soFar: "of /endless.cu, so far" },
      answerOf("/b.cu"),
    ]);
    expect(started).toEqual([["/a.cu", "/endless.cu"], ["/b.cu"]]);
  });

  test("counts the time of the processor, and that in which nothing happens, but none in which the machine is busy", async () => {
    let usage = { seconds: 5, isAsleep: false };
    const { start } = scripted(
      () => "endless",
      () => usage,
    );
    const pool = new InspectorPool({ start, size: 2, seconds: 10 });
    const settled: string[] = [];
    void pool.inspect(jobOf("/busy.cu")).then(() => settled.push("busy"));
    await vi.advanceTimersByTimeAsync(600_000);
    expect(settled).toEqual([]);
    usage = { seconds: 15, isAsleep: false };
    await vi.advanceTimersByTimeAsync(100);
    expect(settled).toEqual(["busy"]);
    usage = { seconds: 15, isAsleep: true };
    void pool.inspect(jobOf("/waiting.cu")).then(() => settled.push("waiting"));
    await vi.advanceTimersByTimeAsync(110_000);
    expect(settled).toEqual(["busy"]);
    await vi.advanceTimersByTimeAsync(11_000);
    expect(settled).toEqual(["busy", "waiting"]);
  });

  test("names why an inspector died, and goes on with another", async () => {
    const { start, started } = scripted((path) => (path === "/deadly.cu" ? "killed" : "answered"));
    const pool = new InspectorPool({ start, size: 1, seconds: 10 });
    const answers = await Promise.all(["/deadly.cu", "/a.cu"].map((name) => pool.inspect(jobOf(name))));
    const died = { failure: { stage: "parse", reason: "its process ended with SIGSEGV" }, soFar: "of /deadly.cu, so far" };
    expect(answers).toEqual([died, answerOf("/a.cu")]);
    expect(started).toEqual([["/deadly.cu"], ["/a.cu"]]);
  });

  test("lays nothing that files before it left behind to a file's charge", async () => {
    const { start, started } = scripted((path, before) => (path === "/b.cu" && before.length > 0 ? "killed" : "answered"));
    const pool = new InspectorPool({ start, size: 1, seconds: 10 });
    expect(await Promise.all(["/a.cu", "/b.cu"].map((name) => pool.inspect(jobOf(name))))).toEqual([answerOf("/a.cu"), answerOf("/b.cu")]);
    expect(started).toEqual([["/a.cu", "/b.cu"], ["/b.cu"]]);
  });

  test("gives no other file to an inspector that holds too much memory", async () => {
    const { start, started } = scripted(() => "answered, and worn out");
    const pool = new InspectorPool({ start, size: 1, seconds: 10 });
    await Promise.all(["/a.cu", "/b.cu"].map((name) => pool.inspect(jobOf(name))));
    expect(started).toEqual([["/a.cu"], ["/b.cu"]]);
  });

  test("starts another where one ends before its first file", async () => {
    const { start, started } = scripted(() => "answered");
    let broken = 2;
    const sometimes = (): Inspector => (broken-- > 0 ? { ...start(), ready: Promise.reject(new Error("SIGKILL")) } : start());
    const pool = new InspectorPool({ start: sometimes, size: 1, seconds: 10 });
    expect(await pool.inspect(jobOf("/a.cu"))).toEqual(answerOf("/a.cu"));
    expect(started).toEqual([[], [], ["/a.cu"]]);
  });

  test("waits for none that does not come to its first file: one that is stopped", async () => {
    const { start, started } = scripted(
      () => "answered",
      () => ({ seconds: 0.1, isAsleep: true }),
    );
    const stopped = (): Inspector => ({ ...start(), ready: new Promise(() => undefined) });
    const pool = new InspectorPool({ start: stopped, size: 1, seconds: 40 });
    const rejected = expect(pool.inspect(jobOf("/a.cu"))).rejects.toThrow("the process that inspects files does not start within 40 s");
    await vi.advanceTimersByTimeAsync(481_000);
    await rejected;
    expect(started).toEqual([[]]);
  });

  test("waits for one that starts slowly, however short the time of a file is", async () => {
    const { start } = scripted(() => "answered");
    let begin = (): void => undefined;
    const ready = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const answer = new InspectorPool({ start: () => ({ ...start(), ready }), size: 1, seconds: 1 }).inspect(jobOf("/a.cu"));
    await vi.advanceTimersByTimeAsync(20_000);
    begin();
    expect(await answer).toEqual(answerOf("/a.cu"));
  });

  test("says so where no inspector starts", async () => {
    const { start } = scripted(() => "answered");
    const broken = (): Inspector => ({ ...start(), ready: Promise.reject(new Error("no such module")) });
    const pool = new InspectorPool({ start: broken, size: 1, seconds: 10 });
    await expect(pool.inspect(jobOf("/a.cu"))).rejects.toThrow("no such module");
  });
});
