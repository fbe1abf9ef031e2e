import { afterEach, describe, expect, test } from "vitest";
import type { AnalysisWorker, Input } from "./messages.ts";
import { type StartedThread, startThread, type Ticks, threadWorker } from "./thread.ts";
import { patience } from "./watchdog.ts";

/**
 * A thread that answers with what it was told. Paths say what else it does when it is asked about them: it dies, hangs, runs out of
 * memory, or takes its time and shows that it does.
 */
const script = `
  import { parentPort, workerData } from "node:worker_threads";
  // As in pulse.ts, which a script cannot import: beats, request, length of the stage, stage.
  const words = new Int32Array(workerData.pulse);
  const told = [];
  const hold = [];
  const enter = (name) => {
    new Uint8Array(workerData.pulse).set(Buffer.from(name), 12);
    Atomics.store(words, 2, name.length);
    Atomics.add(words, 0, 1);
  };
  parentPort.on("message", ({ input, id, request }) => {
    if (input) return void told.push(input.does + " " + (input.path ?? ""));
    const { does, path } = request;
    Atomics.store(words, 1, id);
    if (path.startsWith("/hang")) {
      enter("parse");
      for (;;);
    }
    if (path === "/beat") for (;;) Atomics.add(words, 0, 1);
    if (path === "/die") process.exit(3);
    if (path === "/throw") throw new Error("beyond help");
    if (path === "/memory") for (;;) hold.push(new Array(100_000).fill(told.length));
    if (does === "simulate") {
      parentPort.postMessage({ id, told: { type: "end" } });
      return parentPort.postMessage({ id, answer: true });
    }
    parentPort.postMessage({ id, answer: [path, ...told] });
  });
`;
const entry = (text: string): URL => new URL(`data:text/javascript,${encodeURIComponent(text)}`);

const workers: AnalysisWorker[] = [];
afterEach(() => {
  for (const worker of workers.splice(0)) worker.dispose();
});

function setUp(text = script) {
  const open: Input[] = [];
  const threads: StartedThread[] = [];
  const watching = new Set<() => void>();
  const ticks: Ticks = (tick) => {
    watching.add(tick);
    return { stop: () => void watching.delete(tick) };
  };
  const worker = threadWorker({
    start() {
      const thread = startThread(entry(text), 64);
      threads.push(thread);
      return thread;
    },
    state: () => open,
    ticks,
  });
  workers.push(worker);
  const pulse = () => (threads.at(-1) as StartedThread).pulse;
  /** A second passes for the watchdog. */
  const tick = () => {
    for (const each of watching) each();
  };
  /** So many seconds pass, and the thread shows that it lives in each of them. */
  const live = async (times: number) => {
    for (let i = 0; i < times; i++) {
      const { beats } = pulse();
      await until(() => pulse().beats !== beats);
      tick();
    }
  };
  return { worker, open, tick, live, pulse, isWatching: () => watching.size > 0, started: () => threads.length };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate);
}

const opened = (path: string): Input => ({ does: "open", path, version: 1, text: "" });

test("a thread that died is started anew, and told what is open; what the dead one was at fails, what else it was asked is answered", async () => {
  const { worker, open } = setUp();
  open.push(opened("/a"));
  worker.tell(opened("/a"));
  expect(await worker.headers("/a")).toEqual(["/a", "open /a"]);
  worker.tell({ does: "edit", path: "/a", version: 2, edits: [] });
  expect(await worker.headers("/a")).toEqual(["/a", "open /a", "edit /a"]);
  open.push(opened("/b"));
  const dying = worker.headers("/die");
  const waiting = [worker.find("/b"), worker.headers("/a")];
  await expect(dying).rejects.toMatchObject({ why: "its thread ended with 3", isEnd: true });
  expect(await Promise.all(waiting)).toEqual([
    ["/b", "open /a", "open /b"],
    ["/a", "open /a", "open /b"],
  ]);
});

test("one that throws where nobody catches says so", async () => {
  const { worker } = setUp();
  await expect(worker.find("/throw")).rejects.toMatchObject({ why: "beyond help", isEnd: true });
  expect(await worker.find("/a")).toEqual(["/a"]);
});

test("one that takes too much memory ends alone", async () => {
  const { worker, open } = setUp();
  open.push(opened("/a"));
  const tooMuch = worker.find("/memory");
  const other = worker.find("/a");
  await expect(tooMuch).rejects.toMatchObject({ why: "out of memory: it may take 64 MB", isEnd: true });
  expect(await other).toEqual(["/a", "open /a"]);
});

describe("a thread that hangs", () => {
  test("is ended after so long without a sign of life, and its stage is named", async () => {
    const { worker, open, tick, pulse, isWatching, started } = setUp();
    open.push(opened("/a"));
    expect(isWatching()).toBe(false);
    const hanging = worker.find("/hang");
    const other = worker.simulate("/a", {}, () => undefined);
    const failed = expect(hanging).rejects.toMatchObject({
      stage: "parse",
      isEnd: true,
      message: expect.stringContaining("(stage: parse)"),
    });
    await until(() => pulse().stage === "parse");
    for (let i = 0; i < patience.silent; i++) tick();
    expect(started()).toBe(1);
    tick();
    expect(started()).toBe(2);
    await failed;
    expect(await other).toBe(true);
    expect(isWatching()).toBe(false);
  });

  test("costs what waits behind it nothing, though that hangs too", async () => {
    const { worker, tick, pulse, started } = setUp();
    const all = ["/hang1", "/a", "/hang2", "/b"].map((path) =>
      worker.find(path).then(
        () => "answered",
        ({ isEnd }) => isEnd,
      ),
    );
    for (const threads of [1, 2]) {
      await until(() => pulse().stage === "parse");
      while (started() === threads) tick();
    }
    expect(await Promise.all(all)).toEqual([true, "answered", true, "answered"]);
  });
});

test("a simulation that goes on may take its time; cancelled, it has to end", async () => {
  const { worker, live, started } = setUp();
  const simulating = worker.simulate("/beat", {}, () => undefined);
  const failed = expect(simulating).rejects.toMatchObject({ why: `no answer within ${patience.unwanted} s`, isEnd: true });
  await live(3 * patience.whole);
  worker.cancel();
  await live(patience.unwanted);
  await failed;
  expect(started()).toBe(1);
});

test("findings have to come, though the thread goes on", async () => {
  const { worker, live } = setUp();
  const finding = worker.find("/beat");
  const failed = expect(finding).rejects.toMatchObject({ why: `no answer within ${patience.whole} s`, isEnd: true });
  await live(patience.whole);
  await failed;
});

test("what a simulation tells after it was cancelled is not told on", async () => {
  const { worker } = setUp(`
    import { parentPort, workerData } from "node:worker_threads";
    let asked;
    parentPort.on("message", ({ id, request }) => {
      if (!request) return;
      if (request.does === "simulate") asked = id;
      else {
        parentPort.postMessage({ id: asked, told: { type: "end" } });
        parentPort.postMessage({ id: asked, answer: workerData.running[0] === asked });
        parentPort.postMessage({ id, answer: [] });
      }
    });
  `);
  for (const isCancelled of [false, true]) {
    const told: string[] = [];
    const simulated = worker.simulate("/a", {}, ({ type }) => told.push(type));
    if (isCancelled) worker.cancel();
    await worker.headers("/a");
    expect([await simulated, told]).toEqual(isCancelled ? [false, []] : [true, ["end"]]);
  }
});
