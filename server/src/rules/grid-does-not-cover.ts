import type { GuardReach, StoredPart } from "@warplens/sim-engine";
import type { Place } from "../syntax/reading.ts";
import { formatDim } from "../units.ts";
import { defineRule, type RuleContext, type SimulatedLaunch } from "./rule.ts";
import { textAt } from "./support/edits.ts";
import { groupBy } from "./support/group-by.ts";
import { isKnown, placeIn } from "./support/violations.ts";

export default defineRule({
  id: "grid-does-not-cover",
  group: "correctness",
  severity: "warning",
  priority: "correctness",
  guide: { document: "best-practices", section: "10.3" },
  summary: "The threads of a launch end before the bound that their kernel compares its index with.",
  why: "Every thread passes the guard, and the last elements are never worked on: often a division that should round up rounds down.",
  remedy: "Round the number of blocks up, `(n + threads - 1) / threads`, or let each thread go on by the grid's size until the bound.",
  notes:
    "Told where a guard compares an index that tells blocks apart with a bound that all threads share, no thread of the corner blocks fails it, the greatest index is not the last below the bound, and each buffer that is stored to by that index has a rest that no launch of the program stores to. Launches of one kernel count together; one that the program makes several times, or of which not all is known, may go through parts: nothing is said.",
  fix: "none",
  simulated: true,
  specificity: 2,
  example: {
    bad: `__global__ void relu(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = fmaxf(x[i], 0.0f);
}
int main() {
  float *x;
  cudaMalloc(&x, 10000 * sizeof(float));
  cudaMemset(x, 0, 10000 * sizeof(float));
  relu<<<10000 / 256, 256>>>(x, 10000);
}`,
    good: `__global__ void relu(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = fmaxf(x[i], 0.0f);
}
int main() {
  float *x;
  cudaMalloc(&x, 10000 * sizeof(float));
  cudaMemset(x, 0, 10000 * sizeof(float));
  relu<<<(10000 + 255) / 256, 256>>>(x, 10000);
}`,
  },
  *check(context) {
    const { reading, launches } = context.program;
    // What is not simulated may work on the rest.
    if (launches.some((fact) => !context.launches.some((launch) => launch.fact === fact))) return;
    const guards = context.launches.flatMap((launch) =>
      (launch.report.reach?.guards ?? []).flatMap((guard) => {
        const place = placeIn(launch, guard.at, reading.files);
        return place ? [{ launch, guard, place }] : [];
      }),
    );
    const groups = groupBy(guards, ({ place, guard }) => `${place.file}:${place.start}-${place.end} ${guard.limit} ${guard.stored.join()}`);
    const told = new Set<SimulatedLaunch>();
    for (const group of groups.values()) {
      const last = group.reduce((most, each) => (each.guard.most >= most.guard.most ? each : most));
      const { launch, guard, place } = last;
      if (told.has(launch) || group.some((each) => each.guard.covers || !isOnce(each.launch))) continue;
      const rest = restOf(context, launch, guard);
      if (rest === undefined) continue;
      told.add(launch);
      yield findingOf(context, last, place, rest);
    }
  },
});

/** The program makes it once, with values that it says. */
const isOnce = ({ fact }: SimulatedLaunch): boolean => fact.expression !== undefined && fact.executions === 1 && isKnown({ fact });

/** A buffer of which nobody stores to the end: none of those that the guard is about is stored to whole. */
function restOf({ launches }: RuleContext, launch: SimulatedLaunch, { stored }: GuardReach): StoredPart | undefined {
  const parts = stored.flatMap((name) => {
    const own = launch.report.reach?.stored.find((part) => part.name === name);
    if (own === undefined) return [];
    const ends = launches.map(
      ({ report }) => report.reach?.stored.find((part) => part.name === name && part.bytes === own.bytes)?.end ?? 0,
    );
    return [{ ...own, end: Math.max(...ends) }];
  });
  const [first] = parts;
  return parts.every(({ end, bytes }) => end < bytes) ? first : undefined;
}

function findingOf(
  { program: { reading } }: RuleContext,
  { launch, guard }: { readonly launch: SimulatedLaunch; readonly guard: GuardReach },
  place: Place,
  { name, bytes, end }: StoredPart,
) {
  const { fact, report } = launch;
  const count = (value: number): string => value.toLocaleString("en-US");
  return {
    span: fact.at,
    message: `${formatDim(report.grid)} blocks of ${formatDim(report.block)} threads do not cover what \`${report.kernel}\` is to work on: indices end at ${count(guard.most)}, and \`${textAt(reading, place)}\` asks for less than ${count(guard.limit)}. Nothing stores to the last ${count(bytes - end)} bytes of \`${name}\`.`,
    related: [{ at: place, message: "every thread passes this" }],
    kernel: report.kernel,
  };
}
