import { expect, test } from "vitest";
import type { FileSimulation, Job, Simulator } from "../worker/job.ts";
import { SimulationQueue } from "./simulations.ts";

const empty: FileSimulation = { kernels: [], launches: [], diagnostics: [] };

/** A simulator whose runs end when the test says so. */
function manual() {
  const runs: { text: string; end: (result: FileSimulation | undefined) => void; fail: (error: Error) => void }[] = [];
  const cancelled: string[] = [];
  const simulator: Simulator = {
    run: (job) => new Promise((end, fail) => runs.push({ text: job.text, end, fail })),
    cancel: () => {
      cancelled.push(runs.at(-1)?.text ?? "");
      runs.at(-1)?.end(undefined);
    },
    dispose: () => undefined,
  };
  return { simulator, runs, cancelled };
}

function setUp() {
  const texts = new Map<string, { version: number; text: string }>();
  const log: string[] = [];
  const { simulator, runs, cancelled } = manual();
  const queue = new SimulationQueue(simulator, {
    jobOf: (uri) => {
      const document = texts.get(uri);
      return document && { version: document.version, job: { text: document.text } as Job };
    },
    done: (uri, { version }) => log.push(`${uri}@${version}`),
    failed: (uri, error) => log.push(`${uri}: ${error.message}`),
    busy: () => undefined,
  });
  return { texts, log, runs, cancelled, queue };
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

test("a change cancels the run of the older text, and only the newer result is told", async () => {
  const { texts, log, runs, cancelled, queue } = setUp();
  texts.set("a", { version: 1, text: "one" });
  queue.request("a");
  texts.set("a", { version: 2, text: "two" });
  queue.request("a");
  await settle();
  runs[1]?.end(empty);
  await settle();
  expect(cancelled).toEqual(["one"]);
  expect(runs.map(({ text }) => text)).toEqual(["one", "two"]);
  expect(log).toEqual(["a@2"]);
});

test("the newest request goes first, and a failure does not stop the rest", async () => {
  const { texts, log, runs, queue } = setUp();
  for (const uri of ["a", "b", "c"]) {
    texts.set(uri, { version: 1, text: uri });
    queue.request(uri);
  }
  runs[0]?.fail(new Error("broke"));
  await settle();
  runs[1]?.end(empty);
  await settle();
  runs[2]?.end(empty);
  await settle();
  expect(log).toEqual(["a: broke", "c@1", "b@1"]);
});

test("a closed document is not simulated", async () => {
  const { texts, log, runs, queue } = setUp();
  texts.set("a", { version: 1, text: "a" });
  texts.set("b", { version: 1, text: "b" });
  queue.request("a");
  queue.request("b");
  queue.drop("b");
  runs[0]?.end(empty);
  await settle();
  expect(runs.length).toBe(1);
  expect(log).toEqual(["a@1"]);
});
