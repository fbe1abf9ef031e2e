import { defineRule, type Finding } from "./rule.ts";
import { isStrided } from "./strided-global-access.ts";
import { type Cost, costsOf, findingOf, laneStrideOf, sectorsPerRequest } from "./support/costs.ts";
import { groupBy } from "./support/group-by.ts";
import { LaneIndex } from "./support/lane-index.ts";

export default defineRule({
  id: "row-per-thread",
  group: "memory",
  severity: "warning",
  priority: "high",
  guide: { document: "best-practices", section: "9.2.1.4" },
  summary: "Each thread goes along a row of its own, so that neighbouring threads are a row apart in every turn.",
  why: "In each turn of the loop every lane takes another sector, of which it uses one element; the others come later, when the caches may have lost it.",
  remedy:
    "Let a warp take a row: lanes go along it side by side, and shuffles sum up what they found. Or let each thread take a column, store the matrix the other way round, or bring tiles through shared memory.",
  notes:
    "The time without it has each request take as few sectors as its bytes need, and what the caches keep today counts as kept. Where the launch leaves most of the GPU's room for warps empty it is the time with a warp in the place of each thread, as many times the blocks, whose lanes share the loop.",
  fix: "none",
  simulated: true,
  tellsGain: true,
  specificity: 3,
  givesWayTo: ["global-accumulator"],
  example: {
    bad: `__global__ void sums(float *out, const float *in, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += in[row * n + k];
  out[row] = sum;
}
int main() {
  const int n = 4096;
  float *in, *out;
  cudaMalloc(&in, n * n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemset(in, 0, n * n * sizeof(float));
  sums<<<n / 32, 32>>>(out, in, n);
}`,
    good: `__global__ void sums(float *out, const float *in, int n) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  float sum = 0;
  for (int k = threadIdx.x % 32; k < n; k += 32) sum += in[row * n + k];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
  if (threadIdx.x % 32 == 0) out[row] = sum;
}
int main() {
  const int n = 4096;
  float *in, *out;
  cudaMalloc(&in, n * n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemset(in, 0, n * n * sizeof(float));
  sums<<<n / 8, 256>>>(out, in, n);
}`,
  },
  *check(context) {
    const lanes = new LaneIndex(context);
    const found: { readonly cost: Cost; readonly finding: Finding }[] = [];
    const told = new Set<string>();
    for (const cost of [...costsOf(context, "rows"), ...costsOf(context, "sectors")]) {
      const { access, place } = cost;
      const key = `${place.file}:${place.start}-${place.end}`;
      if (!access || !isStrided(cost) || told.has(key)) continue;
      // What lies in one sector is no row.
      if (Math.abs(laneStrideOf(access, cost.launch)?.bytes ?? 0) <= sectorBytes) continue;
      const [row] = lanes.terms(place, "x");
      const [along] = lanes.stepping(place);
      // A row that the index itself begins at is one that data says.
      if (row === undefined || along === undefined || row.startsWith(`\`${along}\``)) continue;
      told.add(key);
      const finding = findingOf(
        cost,
        `Each thread goes along a row of its own, in \`${along}\`, and neighbouring lanes are a row apart, in ${row}: ${sectorsPerRequest(access)}. ${advice[cost.report.held ?? "none"]}.`,
      );
      found.push({ cost, finding });
    }
    // Who hands a kernel's rows to warps, or its columns to threads, does so for all of its arrays.
    for (const group of groupBy(found, ({ cost }) => `${cost.launch.report.kernel} ${cost.report.held}`).values()) {
      const saved = ({ gain }: Cost): number => gain.ns - gain.without;
      const [most, ...others] = group.sort((a, b) => saved(b.cost) - saved(a.cost));
      if (!most) continue;
      const elsewhere = others.map(({ cost }) => ({ at: cost.place, message: "rows of another array, in the same way" }));
      yield { ...most.finding, related: [...elsewhere, ...(most.finding.related ?? [])] };
    }
  },
});

const sectorBytes = 32;

/** By what keeps lanes from sharing the turns of the loop. */
const advice = {
  none: "Let a warp take a row and its lanes go along it side by side, or each thread a column",
  order:
    "Turns follow from each other: store the rows as columns, so that neighbouring lanes take neighbouring elements, or go through a tile in shared memory",
  others: "Other accesses of the loop have lanes side by side: go through a tile in shared memory, so that these have, too",
} as const;
