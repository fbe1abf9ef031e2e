import sharedMemoryRace from "../rules/shared-memory-race.ts";
import { barriersFor } from "../rules/support/barriers-for-races.ts";
import { byCause, causeOfRace, showsMore } from "../rules/support/causes.ts";
import { allShown, placeIn } from "../rules/support/violations.ts";
import { defineRefactoring } from "./refactoring.ts";

export default defineRefactoring({
  id: "insert-barrier",
  summary: "Puts the barrier between two accesses to shared memory that race.",
  where:
    "At either access of a race that the simulation shows, also where its rule is off or suppressed, in a block of statements that all threads come by.",
  guide: { document: "best-practices", section: "9.2.3.2" },
  rules: ["shared-memory-race"],
  changes: "faults",
  example: {
    before: sharedMemoryRace.example.bad,
    cursor: "s[255 - threadIdx.x]",
    after: sharedMemoryRace.example.good,
  },
  *offers(context) {
    const { files } = context.program.reading;
    for (const { all } of byCause(allShown(context, "shared-race"), causeOfRace, showsMore)) {
      const fix = barriersFor(context, all);
      const at = all.flatMap(({ place, launch, violation }) => [place, placeIn(launch, violation.other.at, files) ?? []].flat());
      if (fix) yield { at, fix };
    }
  },
});
