import launchFails from "../rules/launch-fails.ts";
import { allowing } from "../rules/support/allow-shared-memory.ts";
import { defineRefactoring } from "./refactoring.ts";

/** Bytes of shared memory that a block may have without being allowed more. */
const givenBytes = 48 << 10;

export default defineRefactoring({
  id: "allow-shared-memory",
  summary: "Allows a kernel its dynamic shared memory by `cudaFuncSetAttribute`, before the launch.",
  where: "At a launch with more than 48 KB of dynamic shared memory that no call of the file allows its kernel.",
  guide: { document: "volta", section: "1.4.3.2" },
  rules: ["launch-fails"],
  changes: "faults",
  example: { before: launchFails.example.bad, cursor: "reverse<<<", after: launchFails.example.good },
  *offers(context) {
    for (const { fact } of context.launches) {
      const bytes = fact.launch?.dynamicSharedBytes ?? 0;
      const fix = fact.at.file === 0 && bytes > givenBytes ? allowing(fact, context) : undefined;
      if (fix) yield { at: [fact.at], fix };
    }
  },
});
