/** The process that runs inputs: whatever they do to it, the one that waits for it lives. */
import { loadGrammarFromDisk } from "../../server/src/grammar.ts";
import { kinds } from "./kinds/index.ts";
import type { FromProcess, ToProcess } from "./watched.ts";

const send = (message: FromProcess): void => void process.send?.(message);

process.once("disconnect", () => process.exit(3));
process.on("message", async ({ kind, input }: ToProcess) => {
  try {
    const { run } = kinds[kind];
    const tally = await run(input as never);
    send({ tally, megabytes: process.memoryUsage.rss() / 2 ** 20 });
  } catch (error) {
    send({ fault: error instanceof Error ? (error.name === "Fault" ? error.message : (error.stack ?? error.message)) : String(error) });
  }
});
await loadGrammarFromDisk();
send({ ready: true });
