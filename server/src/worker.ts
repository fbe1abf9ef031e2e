/** The entry of the thread: one message after another. */
import { parentPort, workerData } from "node:worker_threads";
import { diskFiles } from "./files.ts";
import { loadGuardedGrammarFromDisk } from "./grammar.ts";
import { takeStages, watchStages } from "./trace.ts";
import { AnalysisError } from "./worker/messages.ts";
import { NativeGate } from "./worker/native-gate.ts";
import { Pulse } from "./worker/pulse.ts";
import { Rest } from "./worker/rest.ts";
import { JobRunner } from "./worker/run.ts";
import type { FromThread, Request, ThreadData, ToThread } from "./worker/thread.ts";
import { warmUp } from "./worker/warm-up.ts";

const data = workerData as ThreadData;
const { running } = data;
const pulse = new Pulse(data.pulse);
const gate = new NativeGate(data.gate);
watchStages((name) => pulse.enter(name));
const loaded = loadGuardedGrammarFromDisk(
  (parse) =>
    (text, { cancelled, ...options } = {}) =>
      gate.within(() => parse(text, { ...options, cancelled: () => gate.isClosed || cancelled?.() === true })),
);

const rest = new Rest(loaded);
// While the editor still says hello: whoever asks is answered, and then there is enough to do.
rest.begin(warmUp);
const runner = new JobRunner(diskFiles, () => pulse.beat());
const post = (message: FromThread): void => parentPort?.postMessage(message);

function answer(id: number, request: Request): FromThread {
  switch (request.does) {
    case "find":
      return { id, answer: runner.find(request.path) };
    case "settle":
      return { id, answer: runner.settle(request.path, () => Atomics.load(running, 0) !== id) };
    case "headers":
      return { id, answer: runner.headers(request.path) };
    case "outdated":
      return { id, answer: runner.outdated() };
    case "imagine":
    case "write":
      return { id, answer: runner[request.does](request.path, request.question, () => Atomics.load(running, 0) !== id) };
    case "watch":
      return { id, answer: runner.watch(request.path, request.question, request.warp, () => Atomics.load(running, 0) !== id) };
    case "tryRefactorings":
      return { id, answer: runner.tryRefactorings(request.path, request.offers, () => Atomics.load(running, 0) !== id) };
    case "simulate": {
      let ended = false;
      for (const told of runner.simulate(request.path, request.order, () => Atomics.load(running, 0) !== id)) {
        post({ id, told });
        ended ||= told.type === "end";
      }
      return { id, answer: ended };
    }
  }
}

parentPort?.on("message", async (message: ToThread) => {
  if ("input" in message) return runner.tell(message.input);
  if ("rest" in message) return rest.begin(() => runner.prepareForEdits());
  rest.stop();
  const { id, request } = message;
  try {
    await loaded;
    pulse.begin(id);
    post({ ...answer(id, request), stages: takeStages() });
  } catch (error) {
    const { why, stage, details } = AnalysisError.of(error);
    post({ id, error: why, stage, details, stages: takeStages() });
  } finally {
    pulse.begin(0);
  }
});
