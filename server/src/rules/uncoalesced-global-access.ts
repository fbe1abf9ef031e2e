import type { Place } from "../syntax/reading.ts";
import { walk } from "../syntax/walk.ts";
import { defineRule, type RuleContext } from "./rule.ts";
import { isStrided } from "./strided-global-access.ts";
import { type Cost, costsOf, findingOf, laneStrideOf, sectorsPerRequest } from "./support/costs.ts";
import { expressionAt, isCallAt, isLibraryRecordAt } from "./support/expression-at.ts";
import { gainOptions } from "./worth.ts";

export default defineRule({
  id: "uncoalesced-global-access",
  group: "memory",
  severity: "warning",
  priority: "high",
  guide: { document: "best-practices", section: "9.2.1" },
  alsoIn: [{ document: "best-practices", section: "9.2.1.1" }],
  summary: "The lanes of a warp access global memory in no order that shares sectors.",
  why: "A warp's access is served in sectors of 32 bytes. Lanes that read or write apart from each other each need a sector, of which the most part is moved for nothing.",
  remedy:
    "Sort or bin the indices, reorder the data so that neighbouring threads use neighbouring elements, or gather into shared memory once and reuse it there.",
  notes: `Reported from 1.5 times the ideal number of sectors where no constant stride explains it (see [strided-global-access](strided-global-access.md)), for the launch in which most are wasted. What an index array holds is taken from the host code where it can be followed; where nobody says it, nothing is reported: a \`// warplens: index=uniform(0, n)\` comment says it.`,
  fix: "none",
  simulated: true,
  tellsGain: true,
  // To sort or reorder data takes more than an edit.
  options: { minGain: { ...gainOptions.minGain, default: 10 } },
  specificity: 1,
  givesWayTo: ["row-per-thread"],
  example: {
    bad: `__global__ void scramble(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[(unsigned)(i * i + 7 * i) % n];
}
int main() {
  const int n = 1 << 20;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  scramble<<<n / 256, 256>>>(out, in, n);
}`,
    good: `__global__ void copy(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}
int main() {
  const int n = 1 << 20;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  copy<<<n / 256, 256>>>(out, in, n);
}`,
  },
  *check(context) {
    for (const cost of costsOf(context, "sectors")) {
      if (isStrided(cost) || !cost.access || isCallAt(context, cost.place) || isLibraryRecordAt(context, cost.place, cost.launch.fact))
        continue;
      const { operation } = cost.access;
      yield findingOf(cost, `Uncoalesced ${operation}: ${sectorsPerRequest(cost.access)}; ${why(context, cost)}.`);
    }
  },
});

/** In blocks of few columns lanes are side by side already, as far as a row goes. */
function why(context: RuleContext, { access, launch, place }: Cost): string {
  const [columns] = launch.report.block;
  const isSideBySide = access !== undefined && laneStrideOf(access, launch)?.bytes === access.bytesPerLane;
  if (isByIndices(context, place))
    return "the indices that it goes by are data, and those of neighbouring threads lie apart. Sort them, or reorder what they name, so that neighbours lie together";
  return isSideBySide && columns < 32
    ? `the block is ${columns} threads wide, and each of its rows takes sectors of its own. Launch blocks that are 32 threads wide, and less high`
    : "the lanes of a warp do not share sectors. Let neighbouring threads access neighbouring elements";
}

/** Its index is itself an element of an array: `in[order[i]]`. */
function isByIndices({ program, syntax }: RuleContext, place: Place): boolean {
  const access = expressionAt(syntax, program.reading, place);
  if (access?.kind !== "subscript") return false;
  let found = false;
  for (const index of access.indices)
    walk(index, (node) => {
      found ||= node.kind === "subscript";
      return !found;
    });
  return found;
}
