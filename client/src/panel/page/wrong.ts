/** What threads of a kernel do wrong with other values than its own: its figures are then those of something else. */
import type { PanelModel } from "@warplens/server/protocol";

type Report = NonNullable<PanelModel["report"]>;
type Kind = NonNullable<Report["violations"]>[number]["kind"];

const words: Readonly<Record<Kind, string>> = {
  "out-of-bounds": "it reaches out of bounds",
  misaligned: "it accesses memory where that is not aligned",
  uninitialised: "it reads what nobody has set",
  "shared-race": "its threads race in shared memory",
  "global-race": "its threads race in global memory",
  "divergent-barrier": "not all its threads come to a barrier",
  overflow: "a signed integer of it overflows",
  "division-by-zero": "it divides by zero",
};

/** Undefined where it goes wrong in no way that it does not with its own values, too. */
export function wrongThen(report: Report, own: Report | undefined): string | undefined {
  const known = new Set(own?.violations?.map(({ kind }) => kind));
  const found = report.violations?.find(({ kind }) => !known.has(kind));
  return found && words[found.kind];
}
