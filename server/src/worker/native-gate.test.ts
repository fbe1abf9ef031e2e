import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { NativeGate } from "./native-gate.ts";

test("lets one in until it is closed, also after one that throws", () => {
  const gate = new NativeGate();
  expect(gate.within(() => "inside")).toBe("inside");
  const broken = () => {
    throw new Error("broke");
  };
  expect(() => gate.within(broken)).toThrow("broke");
  expect([gate.within(() => "inside"), gate.isClosed]).toEqual(["inside", false]);
  gate.close();
  expect([gate.within(() => "inside"), gate.isClosed]).toEqual([undefined, true]);
});

test("whoever closes it waits until the thread that is inside is out", async () => {
  const gate = new NativeGate();
  const out = new Int32Array(new SharedArrayBuffer(4));
  // It is inside, and goes out a while after it is told to: `close` must be waiting by then.
  const thread = new Worker(
    `const { parentPort, workerData: { state, out } } = require("node:worker_threads");
    Atomics.store(state, 0, 1);
    parentPort.postMessage("inside");
    while (Atomics.load(state, 0) !== 3);
    for (let count = 0; count < 1e6; count++) Atomics.add(out, 0, 1);
    Atomics.and(state, 0, ~1);
    Atomics.notify(state, 0);`,
    { eval: true, workerData: { state: new Int32Array(gate.memory), out } },
  );
  await once(thread, "message");
  gate.close();
  expect(Atomics.load(out, 0)).toBe(1e6);
  await thread.terminate();
});
