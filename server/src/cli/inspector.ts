/** The entry of a process that inspects files, one after another. */
import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";
import { loadNativeGrammarFromDisk } from "../grammar.ts";
import { watchStages } from "../trace.ts";
import { recorded } from "./cache/facts.ts";
import { filesOf } from "./git/files-of.ts";
import { processorBudget } from "./jobs/budget.ts";
import { inspectFile } from "./jobs/inspect-file.ts";
import type { Outcome } from "./jobs/job.ts";
import type { FromProcess, ToProcess } from "./jobs/messages.ts";

// Bytes of code that a function runs before V8 optimises it, 132,000 else: most of what files need runs a few times only, and optimising
// it costs more than it gives back. A V8 that does not know the flag goes on without.
setFlagsFromString("--interrupt-budget=600000");

const send = (message: FromProcess): void => void process.send?.(message);

process.once("disconnect", () => process.exit());
new Worker(new URL("parent-watch.js", import.meta.url), { workerData: process.ppid }).unref();
process.on("message", async ({ job, seconds }: ToProcess) => {
  const { host, facts } = recorded(filesOf(job.revision));
  // Sent before the process is too busy to send.
  const tell = (soFar: Outcome) =>
    new Promise<void>((sent) => process.send?.({ soFar: JSON.stringify(soFar) } satisfies FromProcess, () => sent()));
  const outcome = await inspectFile(job, host, processorBudget(seconds), tell);
  send({ answer: { outcome: JSON.stringify(outcome), facts: facts() }, megabytes: process.memoryUsage.rss() / 2 ** 20 });
});
let told: string | undefined;
watchStages((entered) => {
  // Rules are many and short, and those that throw are named by themselves.
  if (entered === told || entered === "rules") return;
  told = entered;
  send({ entered });
});
await loadNativeGrammarFromDisk();
send({ ready: true });
