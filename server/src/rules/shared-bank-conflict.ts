import type { SharedVariable } from "@warplens/sim-engine";
import { formatRatio } from "../units.ts";
import { defineRule, type Fix, type RuleContext } from "./rule.ts";
import { type Cost, costsOf, findingOf } from "./support/costs.ts";
import { expressionAt } from "./support/expression-at.ts";
import { paddedRows, paddingOf } from "./support/pad-rows.ts";
import { arrayNameOf, tileOf } from "./support/tile.ts";
import { Variables } from "./support/variables.ts";

export default defineRule({
  id: "shared-bank-conflict",
  group: "memory",
  severity: "warning",
  priority: "medium",
  guide: { document: "best-practices", section: "9.2.3.1" },
  alsoIn: [
    { document: "best-practices", section: "9.2.3.3" },
    { document: "maxwell", section: "1.4.3.2" },
  ],
  summary: "Lanes of a warp access different words of the same bank of shared memory.",
  why: "Shared memory has 32 banks, each a 4-byte word wide. Words of one bank are served one after the other, so that a conflict of n ways takes n passes.",
  remedy:
    "Pad the rows of the array by an element (`tile[32][33]`), or change the index so that neighbouring lanes take neighbouring words.",
  notes:
    "Told where the launch would take less time without the conflicts. The fix pads the last dimension, where the array is used by subscripts only, each access giving all of them, and shared memory is not what limits the blocks of an SM.",
  fix: "safe",
  simulated: true,
  tellsGain: true,
  specificity: 2,
  example: {
    bad: `__global__ void turn(float *out, const float *in, int n) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 64 << 20);
  cudaMalloc(&out, 64 << 20);
  turn<<<dim3(128, 128), dim3(32, 8)>>>(out, in, 4096);
}`,
    good: `__global__ void turn(float *out, const float *in, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 64 << 20);
  cudaMalloc(&out, 64 << 20);
  turn<<<dim3(128, 128), dim3(32, 8)>>>(out, in, 4096);
}`,
  },
  *check(context) {
    for (const cost of costsOf(context, "wavefronts")) {
      const { access } = cost;
      if (!access) continue;
      const { operation, worst = 0, transactions, ideal, requests } = access;
      // To go round it takes more instructions for each access, where no row can be made longer.
      if (!hasRows(cost) && transactions < worthIndexing * ideal) continue;
      const passes = `${formatRatio(transactions / requests)} wavefronts/request, ideal ${formatRatio(ideal / requests)}`;
      const ways = worst > 2 ? `${worst}-way bank conflict` : "Bank conflicts";
      const array = cost.report.object === undefined ? "shared memory" : `\`${cost.report.object}\``;
      yield {
        ...findingOf(
          cost,
          `${ways}: this ${operation} of ${array} takes ${passes}. Let neighbouring lanes take neighbouring words${orPadding(cost)}.`,
        ),
        fix: padded(context, cost),
      };
    }
  },
});

const arrayOf = ({ launch, report }: Cost): SharedVariable | undefined =>
  launch.kernel.shared.find(({ name, bytes }) => name === report.object && bytes !== undefined);

/** Wavefronts over the ideal from which on an index with room in it (`i + i / 32`) comes to less. */
const worthIndexing = 1.9;

const hasRows = (cost: Cost): boolean => (arrayOf(cost)?.dimensions?.length ?? 0) >= 2;

function orPadding(cost: Cost): string {
  const array = arrayOf(cost);
  const elements = paddingOf(cost.access, array);
  if (!hasRows(cost)) return ", or leave room behind every 32 words (`i + i / 32`)";
  if (elements === undefined) return "";
  return elements === 1 ? ", or pad the rows by one element" : `, or pad the rows by ${elements} elements`;
}

/** As many elements more in each row as it takes, where the array's size is not what limits the blocks of an SM. */
function padded(context: RuleContext, cost: Cost): Fix | undefined {
  const { program, syntax } = context;
  const { place, launch } = cost;
  const elements = paddingOf(cost.access, arrayOf(cost));
  if (elements === undefined || launch.report.occupancy.limiters.includes("shared_mem")) return undefined;
  const access = expressionAt(syntax, program.reading, place);
  const name = access && arrayNameOf(access);
  const tile = name && tileOf(new Variables(syntax, program.semantics).of(name), launch);
  return tile && paddedRows(context, tile, launch, elements);
}
