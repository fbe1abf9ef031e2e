import { expect, test } from "vitest";
import type { FileFindings, FileSimulation, FileWorker, Job } from "../worker/job.ts";
import { WorkQueue } from "./queue.ts";

const nothing: FileSimulation = { kernels: [], launches: [], diagnostics: [] };
const clean: FileFindings = { diagnostics: [], headers: [], failures: [] };

/** A worker whose jobs end when the test says so. */
function manual() {
  const runs: { what: string; end: () => void; fail: (error: Error) => void }[] = [];
  const cancelled: string[] = [];
  let stop: () => void = () => undefined;
  const worker: FileWorker = {
    find: ({ text }) => new Promise((end, fail) => runs.push({ what: `find ${text}`, end: () => end(clean), fail })),
    simulate: ({ text }) =>
      new Promise((end, fail) => {
        stop = () => {
          cancelled.push(text);
          end(undefined);
        };
        runs.push({ what: `simulate ${text}`, end: () => end(nothing), fail });
      }),
    cancel: () => stop(),
    dispose: () => undefined,
  };
  return { worker, runs, cancelled };
}

function setUp() {
  const texts = new Map<string, { version: number; text: string }>();
  const log: string[] = [];
  const busy: number[] = [];
  const { worker, runs, cancelled } = manual();
  const queue = new WorkQueue(worker, {
    jobOf: (uri) => {
      const document = texts.get(uri);
      return document && { version: document.version, job: { text: document.text } as Job };
    },
    found: (uri, { version }) => log.push(`found ${uri}@${version}`),
    done: (uri, { version }) => log.push(`done ${uri}@${version}`),
    failed: (uri, error) => log.push(`${uri}: ${error.message}`),
    busy: (count) => busy.push(count),
  });
  const open = (...uris: string[]) => {
    for (const uri of uris) texts.set(uri, { version: 1, text: uri });
  };
  const end = async (index: number) => {
    runs[index]?.end();
    await settle();
  };
  return { texts, log, busy, runs, cancelled, queue, open, end };
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

test("a change cancels the run of the older text, and only the newer result is told", async () => {
  const { texts, log, runs, cancelled, queue, end } = setUp();
  texts.set("a", { version: 1, text: "one" });
  queue.simulate("a");
  texts.set("a", { version: 2, text: "two" });
  queue.simulate("a");
  await settle();
  await end(1);
  expect(cancelled).toEqual(["one"]);
  expect(runs.map(({ what }) => what)).toEqual(["simulate one", "simulate two"]);
  expect(log).toEqual(["done a@2"]);
});

test("the newest request goes first, and a failure does not stop the rest", async () => {
  const { log, runs, queue, open, end } = setUp();
  open("a", "b", "c");
  for (const uri of ["a", "b", "c"]) queue.simulate(uri);
  runs[0]?.fail(new Error("broke"));
  await settle();
  await end(1);
  await end(2);
  expect(log).toEqual(["a: broke", "done c@1", "done b@1"]);
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
  expect(log).toEqual(["found b@1", "done b@1", "done a@1"]);
});

test("typing asks for the newest text's findings only, and starts no simulation", async () => {
  const { texts, log, runs, queue, end } = setUp();
  for (const version of [1, 2, 3]) {
    texts.set("a", { version, text: `v${version}` });
    queue.find("a");
  }
  await end(0);
  await end(1);
  expect(runs.map(({ what }) => what)).toEqual(["find v1", "find v3"]);
  expect(log).toEqual(["found a@1", "found a@3"]);
});

test("a closed document is not looked at, and only simulations count as busy", async () => {
  const { log, busy, runs, queue, open, end } = setUp();
  open("a", "b");
  queue.find("a");
  queue.simulate("a");
  queue.find("b");
  queue.simulate("b");
  queue.drop("b");
  await end(0);
  await end(1);
  expect(runs.length).toBe(2);
  expect(log).toEqual(["found a@1", "done a@1"]);
  expect([Math.max(...busy), busy.at(-1)]).toEqual([2, 0]);
});
