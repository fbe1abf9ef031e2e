import { describe, expect, test } from "vitest";
import type { AnalysisWorker, FileFindings, SimulationMessage } from "../worker/messages.ts";
import { type Wish, WorkQueue } from "./queue.ts";

const about = { version: 1, revision: 1, gpu: "h200" };
const clean: FileFindings = { about, diagnostics: [], kernels: [], syntaxErrors: 0, failures: [], isSettled: true };
const last: SimulationMessage = { type: "end", about };

/** A worker whose requests end when the test says so. */
function manual() {
  const runs: { what: string; end: () => void; fail: (error: Error) => void }[] = [];
  const cancelled: string[] = [];
  /** How many runs there had been at each time that it was told to rest. */
  const rests: number[] = [];
  let stop: () => void = () => undefined;
  const worker: AnalysisWorker = {
    tell: () => undefined,
    find: (path) => new Promise((end, fail) => runs.push({ what: `find ${path}`, end: () => end(clean), fail })),
    settle: (path) =>
      new Promise((end, fail) => {
        stop = () => {
          cancelled.push(path);
          end(undefined);
        };
        runs.push({ what: `settle ${path}`, end: () => end(clean), fail });
      }),
    headers: () => Promise.resolve([]),
    outdated: () => Promise.resolve(["b"]),
    simulate: (path, _, told) =>
      new Promise((end, fail) => {
        stop = () => {
          cancelled.push(path);
          end(false);
        };
        const toEnd = () => {
          told(last);
          end(true);
        };
        runs.push({ what: `simulate ${path}`, end: toEnd, fail });
      }),
    imagine: (path) =>
      new Promise((end, fail) => {
        stop = () => {
          cancelled.push(path);
          end(undefined);
        };
        runs.push({ what: `imagine ${path}`, end: () => end({ reason: path }), fail });
      }),
    watch: () => Promise.resolve(undefined),
    write: () => Promise.resolve(undefined),
    tryRefactorings: () => Promise.resolve([]),
    rest: () => rests.push(runs.length),
    cancel: () => stop(),
    dispose: () => undefined,
  };
  return { worker, runs, cancelled, rests };
}

function setUp() {
  const paths = new Map<string, string>();
  const log: string[] = [];
  const over: string[] = [];
  const { worker, runs, cancelled, rests } = manual();
  const queue = new WorkQueue(worker, {
    jobOf(uri) {
      const path = paths.get(uri);
      return path === undefined ? undefined : { path, order: {} };
    },
    found: (uri) => log.push(`found ${uri}`),
    told: (uri, { type }) => log.push(`${type} ${uri}`),
    simulated: (uri, isAskedAgain) => over.push(isAskedAgain ? `${uri} again` : uri),
    outdated: (paths) => log.push(`outdated ${paths}`),
    failed: (uri, does, error) => log.push(`${does} ${uri}: ${error.message}`),
  });
  const open = (...uris: string[]) => {
    for (const uri of uris) paths.set(uri, uri);
  };
  const end = async (index: number) => {
    runs[index]?.end();
    await settle();
  };
  return { paths, log, over, runs, cancelled, rests, queue, open, end };
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

test("a change cancels the run of the older text, and only the newer result is told", async () => {
  const { paths, log, runs, cancelled, queue, end } = setUp();
  paths.set("a", "one");
  queue.simulate("a");
  paths.set("a", "two");
  queue.simulate("a");
  await settle();
  await end(1);
  expect(cancelled).toEqual(["one"]);
  expect(runs.map(({ what }) => what)).toEqual(["simulate one", "simulate two"]);
  expect(log).toEqual(["end a"]);
});

test("the newest request goes first, and a failure does not stop the rest", async () => {
  const { log, runs, queue, open, end } = setUp();
  open("a", "b", "c");
  for (const uri of ["a", "b", "c"]) queue.simulate(uri);
  runs[0]?.fail(new Error("broke"));
  await settle();
  await end(1);
  await end(2);
  expect(log).toEqual(["simulate a: broke", "end c", "end b"]);
});

test("what failed is asked for again behind whatever else waits", async () => {
  const { log, runs, queue, open, end } = setUp();
  open("a", "b");
  queue.find("a");
  queue.find("b");
  runs[0]?.fail(new Error("ended"));
  queue.again("a", "find");
  await settle();
  await end(1);
  await end(2);
  expect(runs.map(({ what }) => what)).toEqual(["find a", "find b", "find a"]);
  expect(log).toEqual(["find a: ended", "found b", "found a"]);
});

test("what else has changed with a document is asked behind findings, before simulations, and not while the user types", async () => {
  const { log, runs, queue, open, end } = setUp();
  open("a");
  queue.hold();
  queue.lookForOutdated();
  queue.find("a");
  queue.simulate("a");
  await end(0);
  expect(log).toEqual(["found a"]);
  queue.release();
  await settle();
  await end(1);
  expect(log).toEqual(["found a", "outdated b", "end a"]);
  queue.release();
  await settle();
  expect(runs.map(({ what }) => what)).toEqual(["find a", "simulate a"]);
});

test("findings go before simulations; one that gave way is done later", async () => {
  const { log, runs, cancelled, queue, open, end } = setUp();
  open("a", "b");
  queue.simulate("a");
  queue.simulate("b");
  queue.find("b");
  await settle();
  expect(cancelled).toEqual(["a"]);
  for (const index of [1, 2, 3]) await end(index);
  expect(runs.map(({ what }) => what)).toEqual(["simulate a", "find b", "simulate b", "simulate a"]);
  expect(log).toEqual(["found b", "end b", "end a"]);
});

test("typing asks for the newest text's findings only, and starts no simulation", async () => {
  const { paths, log, runs, queue, end } = setUp();
  for (const version of [1, 2, 3]) {
    paths.set("a", `v${version}`);
    queue.find("a");
  }
  await end(0);
  await end(1);
  expect(runs.map(({ what }) => what)).toEqual(["find v1", "find v3"]);
  expect(log).toEqual(["found a", "found a"]);
});

test("a closed document is not looked at", async () => {
  const { log, runs, queue, open, end } = setUp();
  open("a", "b");
  queue.find("a");
  queue.simulate("a");
  queue.find("b");
  queue.simulate("b");
  queue.drop("b");
  await end(0);
  await end(1);
  expect(runs.length).toBe(2);
  expect(log).toEqual(["found a", "end a"]);
});

test("every simulation that was begun is over once: ended, cancelled, or failed", async () => {
  const { over, runs, queue, open, end } = setUp();
  open("a", "b", "c");
  queue.simulate("a");
  await end(0);
  queue.simulate("b");
  queue.dropSimulation("b");
  await settle();
  queue.simulate("c");
  runs[2]?.fail(new Error("broke"));
  await settle();
  expect(over).toEqual(["a", "b", "c"]);
  queue.simulate("a");
  queue.simulate("a");
  await settle();
  expect(over.at(-1)).toBe("a again");
});

test("while it is held no simulation is begun, and findings are", async () => {
  const { log, runs, queue, open, end } = setUp();
  open("a", "b");
  queue.hold();
  queue.simulate("a");
  queue.find("b");
  await end(0);
  expect(runs.map(({ what }) => what)).toEqual(["find b"]);
  queue.release();
  await end(1);
  expect(log).toEqual(["found b", "end a"]);
});

describe("a broken text", () => {
  test("is settled after a pause, before anything is simulated", async () => {
    const { log, runs, queue, open, end } = setUp();
    open("a", "b");
    queue.hold();
    queue.simulate("a");
    queue.settle("a");
    queue.find("b");
    await end(0);
    expect(runs.map(({ what }) => what)).toEqual(["find b"]);
    queue.release();
    await end(1);
    await end(2);
    expect(runs.map(({ what }) => what)).toEqual(["find b", "settle a", "simulate a"]);
    expect(log).toEqual(["found b", "found a", "end a"]);
  });

  test("is not settled any more once it is another, and is later where only others go before", async () => {
    const { log, runs, cancelled, queue, open, end } = setUp();
    open("a", "b");
    queue.settle("a");
    queue.find("a");
    await settle();
    await end(1);
    expect([cancelled, runs.map(({ what }) => what), log]).toEqual([["a"], ["settle a", "find a"], ["found a"]]);
    queue.settle("a");
    queue.find("b");
    await settle();
    await end(3);
    await end(4);
    expect(runs.slice(2).map(({ what }) => what)).toEqual(["settle a", "find b", "settle a"]);
    expect(log).toEqual(["found a", "found b", "found a"]);
  });

  test("is not settled once it is closed, under way or not", async () => {
    const { log, runs, cancelled, queue, open } = setUp();
    open("a", "b");
    queue.settle("a");
    queue.settle("b");
    queue.drop("b");
    queue.drop("a");
    await settle();
    expect([cancelled, runs.map(({ what }) => what), log]).toEqual([["a"], ["settle a"], []]);
  });
});

test("the worker may rest once no findings are wanted, though a simulation waits for a pause", async () => {
  const { runs, rests, queue, open, end } = setUp();
  open("a", "b");
  queue.hold();
  for (const uri of ["a", "b"]) queue.find(uri);
  queue.simulate("a");
  await end(0);
  expect(rests).toEqual([]);
  await end(1);
  expect(rests).toEqual([2]);
  queue.release();
  expect(runs.at(-1)?.what).toBe("simulate a");
  expect(rests).toEqual([2]);
});

describe("what the user waits for", () => {
  const wishes = () => {
    const context = setUp();
    const answers: string[] = [];
    const wish = (uri: string): Wish => ({
      uri,
      ask: (worker) => worker.imagine(uri, { launch: { kernel: "k", line: 1, nth: 0 }, overrides: {} }),
      done: (answer) => answers.push(answer === undefined ? `${uri} dropped` : uri),
      failed: (error) => answers.push(`${uri} ${String(error)}`),
    });
    context.open("a", "b");
    return { ...context, answers, wish, what: () => context.runs.map(({ what }) => what) };
  };

  test("goes before simulations, which give way and come again", async () => {
    const { queue, wish, what, cancelled, end, answers } = wishes();
    queue.simulate("a");
    queue.wish(wish("a"));
    await settle();
    expect(cancelled).toEqual(["a"]);
    await end(1);
    expect(what()).toEqual(["simulate a", "imagine a", "simulate a"]);
    expect(answers).toEqual(["a"]);
  });

  test("comes again where its document was read anew, and is dropped where it does not hold any more", async () => {
    const { queue, wish, what, end, answers } = wishes();
    let text = 1;
    const ofText = (of: number): Wish => ({ ...wish("a"), ask: (worker) => (text === of ? wish("a").ask(worker) : undefined) });
    queue.wish(ofText(1));
    queue.wish(ofText(1));
    // A header has changed.
    queue.find("a");
    await settle();
    await end(1);
    await end(2);
    expect([what(), answers]).toEqual([["imagine a", "find a", "imagine a", "imagine a"], ["a"]]);
    text = 2;
    queue.wish(ofText(1));
    queue.find("a");
    await settle();
    await end(4);
    expect([what().slice(4), answers]).toEqual([["find a"], ["a", "a dropped", "a dropped"]]);
  });

  test("is dropped when its document is closed, under way or not", async () => {
    const { queue, wish, what, cancelled, answers } = wishes();
    queue.wish(wish("a"));
    queue.wish(wish("a"));
    queue.drop("a");
    await settle();
    expect([what(), cancelled, answers]).toEqual([["imagine a"], ["a"], ["a dropped", "a dropped"]]);
  });

  test("comes again where another document's findings went before", async () => {
    const { queue, wish, what, end, answers } = wishes();
    queue.wish(wish("a"));
    queue.find("b");
    await settle();
    await end(1);
    await end(2);
    expect([what(), answers]).toEqual([["imagine a", "find b", "imagine a"], ["a"]]);
  });

  test("nobody waits for any more, under way or not", async () => {
    const { queue, wish, what, cancelled, answers } = wishes();
    const [first, second] = [wish("a"), wish("b")];
    queue.wish(first);
    queue.wish(second);
    queue.dropWish(second);
    queue.dropWish(first);
    await settle();
    expect([what(), cancelled, answers]).toEqual([["imagine a"], ["a"], ["b dropped", "a dropped"]]);
  });

  test("is not there where it fails, and what comes behind is", async () => {
    const { queue, wish, runs, end, answers } = wishes();
    queue.wish(wish("a"));
    queue.wish(wish("b"));
    runs[0]?.fail(new Error("broke"));
    await settle();
    await end(1);
    expect(answers).toEqual(["a Error: broke", "b"]);
  });
});
