import { defineRule, type RuleContext } from "./rule.ts";
import { isStrided } from "./strided-global-access.ts";
import { type Cost, costsOf, findingOf, laneStrideOf, sectorsPerRequest } from "./support/costs.ts";
import { exchangedAxes } from "./support/exchange-axes.ts";
import { expressionAt } from "./support/expression-at.ts";
import { LaneIndex } from "./support/lane-index.ts";

/** Requests of an access, over those of the one in question, from which it counts for as much. */
const asMuch = 1 / 4;

export default defineRule({
  id: "transposed-thread-index",
  group: "memory",
  severity: "warning",
  priority: "high",
  guide: { document: "best-practices", section: "9.2.1.4" },
  summary: "In a grid of two dimensions `threadIdx.x` walks down the rows of a matrix, and `threadIdx.y` along them.",
  why: "The threads of a warp follow each other in x. Where x is the row, each of them takes a sector of its own; where it is the column, 32 lanes share four.",
  remedy:
    "Exchange the roles of x and y: let the index that follows `threadIdx.x` be the column. Exchange the sides of grid and block where the matrix is not square.",
  notes:
    "Told where the row follows `threadIdx.x` and the column `threadIdx.y`, in one access or in another one of the kernel, and no other access of much weight has it the right way round: a transpose has one side wrong whichever way it goes (see [strided-global-access](strided-global-access.md)). The fix exchanges them in the kernel, and of square blocks the sides of the grid: it is unsafe, and not offered where a grid whose sides differ does not say them one by one, or is another kernel's, too.",
  fix: "unsafe",
  simulated: true,
  tellsGain: true,
  specificity: 4,
  example: {
    bad: `__global__ void scale(float *out, const float *in, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  out[row * n + column] = 2 * in[row * n + column];
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 64 << 20);
  cudaMalloc(&out, 64 << 20);
  cudaMemset(in, 0, 64 << 20);
  scale<<<dim3(128, 512), dim3(32, 8)>>>(out, in, 4096);
}`,
    good: `__global__ void scale(float *out, const float *in, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  out[row * n + column] = 2 * in[row * n + column];
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 64 << 20);
  cudaMalloc(&out, 64 << 20);
  cudaMemset(in, 0, 64 << 20);
  scale<<<dim3(128, 512), dim3(32, 8)>>>(out, in, 4096);
}`,
  },
  *check(context) {
    const lanes = new LaneIndex(context);
    for (const cost of costsOf(context, "sectors")) {
      const { access, place } = cost;
      if (!access || !isStrided(cost) || isTranspose(cost)) continue;
      const [row] = lanes.terms(place, "x");
      const column = lanes.plainTerms(place, "y")[0] ?? columnBeside(context, lanes, cost);
      if (row === undefined || column === undefined) continue;
      const node = expressionAt(context.syntax, context.program.reading, place);
      const kernel = node && context.syntax.code(node)?.function;
      yield {
        ...findingOf(
          cost,
          `\`threadIdx.x\` walks down the rows here, in ${row}, and \`threadIdx.y\` along them, in ${column}: ${sectorsPerRequest(access)}. Exchange the roles of x and y.`,
        ),
        fix: kernel && exchangedAxes(context, kernel),
      };
    }
  },
});

/**
 * Of a row that each thread goes along by itself, as products of matrices have it: the column that another access to a row of the thread's
 * own has by `threadIdx.y`, such as the store of the result.
 */
function columnBeside({ program }: RuleContext, lanes: LaneIndex, { launch }: Cost): string | undefined {
  for (const access of launch.report.accesses) {
    const { space, bytesPerLane, file, start, end } = access;
    const index = program.reading.files.indexOf(launch.kernel.files[file] ?? "");
    if (space !== "global" || index < 0 || Math.abs(laneStrideOf(access, launch)?.bytes ?? 0) <= bytesPerLane) continue;
    const at = { file: index, start, end };
    const [column] = lanes.plainTerms(at, "y");
    if (column !== undefined && lanes.terms(at, "x").length > 0) return column;
  }
  return undefined;
}

/** Another access goes along the rows already: to exchange x and y would make that one as bad. */
function isTranspose({ access, launch, report }: Cost): boolean {
  const isOfCost = (start: number, end: number): boolean => report.at.some((at) => at.start === start && at.end === end);
  return launch.report.accesses.some(
    ({ space, requests, laneStride, bytesPerLane, start, end }) =>
      space === "global" &&
      laneStride !== undefined &&
      Math.abs(laneStride) === bytesPerLane &&
      requests >= asMuch * (access?.requests ?? 0) &&
      !isOfCost(start, end),
  );
}
