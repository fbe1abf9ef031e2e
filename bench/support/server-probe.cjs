/**
 * Preloaded into the server, and so into its thread: collects garbage in both and writes what is left, or ends the thread in the middle
 * of what it does. Asked by SIGUSR2, with the word in the file that the environment names; the answer takes the word's place.
 */
const { writeFileSync, readFileSync } = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");
const threads = require("node:worker_threads");
const v8 = require("node:v8");
const vm = require("node:vm");

v8.setFlagsFromString("--expose-gc");
const collect = vm.runInNewContext("gc");
const file = process.env.WARPLENS_PROBE;

/** Of this thread, after it is collected. */
function kept() {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return { heap: heapUsed, external };
}

const channel = new threads.BroadcastChannel("warplens-probe");
channel.unref();
if (threads.isMainThread) {
  let latest;
  threads.Worker = class extends threads.Worker {
    constructor(script, options) {
      super(script, options);
      latest = { thread: this, gate: new Int32Array(options.workerData.gate) };
    }
  };
  /** In no native library, as in native-gate.ts, which a script cannot import: that would end the process with it. */
  const end = async ({ thread, gate }) => {
    Atomics.or(gate, 0, 2);
    Atomics.wait(gate, 0, 3, 1000);
    await thread.terminate();
  };
  syncBuiltinESMExports();
  channel.onmessage = ({ data }) => {
    if (!("thread" in data)) return;
    const main = kept();
    // What the allocator gives back it gives back at leisure.
    writeFileSync(file, JSON.stringify({ main, thread: data.thread, rss: process.memoryUsage.rss() }));
  };
  process.on("SIGUSR2", () => {
    if (readFileSync(file, "utf8") === "end the thread") end(latest).then(() => writeFileSync(file, "{}"));
    else channel.postMessage({ collect: true });
  });
} else
  channel.onmessage = ({ data }) => {
    if (data.collect) channel.postMessage({ thread: kept() });
  };
