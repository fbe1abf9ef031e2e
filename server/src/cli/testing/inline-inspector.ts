/** An inspector in this process: for tests of what is not about processes. */
import { loadNativeGrammarFromDisk } from "../../grammar.ts";
import { recorded } from "../cache/facts.ts";
import { filesOf } from "../git/files-of.ts";
import { inspectFile } from "../jobs/inspect-file.ts";
import type { Inspector } from "../jobs/inspector.ts";

export function inlineInspector(): Inspector {
  return {
    ready: loadNativeGrammarFromDisk(),
    async inspect(job, seconds) {
      const { host, facts } = recorded(filesOf(job.revision));
      const outcome = JSON.stringify(await inspectFile(job, host, { seconds, isOver: () => false }));
      return { outcome, facts: facts() };
    },
    usage: () => ({ seconds: 0, isAsleep: false }),
    isFit: true,
    end: () => undefined,
  };
}
