import rowPerThread from "../rules/row-per-thread.ts";
import { defineRefactoring } from "./refactoring.ts";
import { warpPerRow } from "./support/warp-per-row.ts";

/** Of rows that a launch can be run whole with. */
const before = rowPerThread.example.bad.replace("n = 4096", "n = 1024");

export default defineRefactoring({
  id: "warp-per-row",
  summary:
    "Lets a warp take each row that a thread goes along: lanes side by side, shuffles that sum up, one lane that stores, and 32 times the blocks.",
  where:
    "At the loop or the name of a kernel that finds its row by `blockIdx.x * blockDim.x + threadIdx.x`, sums up from 0 on in one loop and stores what comes of it; its launches say the grid as a number, in blocks of whole warps. It can be proved where the launch is small enough to be run whole.",
  guide: { document: "best-practices", section: "9.2.1.4" },
  changes: "rounding",
  example: {
    before,
    cursor: "for (int k",
    after: before
      .replace("int row = blockIdx.x * blockDim.x + threadIdx.x;", "int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;")
      .replace("for (int k = 0; k < n; ++k)", "for (int k = threadIdx.x % 32; k < n; k += 32)")
      .replace(
        "  out[row] = sum;",
        "  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);\n  if (threadIdx.x % 32 == 0) out[row] = sum;",
      )
      .replace("<<<n / 32, 32>>>", "<<<(n / 32) * 32, 32>>>"),
  },
  *offers(context) {
    const { syntax, launches } = context;
    for (const kernel of new Set(launches.flatMap(({ fact }) => fact.kernel ?? []))) {
      const fix = kernel.at.file === 0 ? warpPerRow(context, kernel.declaration) : undefined;
      if (!fix) continue;
      const loops = syntax.statements("for").filter((loop) => syntax.code(loop)?.function === kernel.declaration);
      yield { at: [kernel.nameAt, ...loops], fix };
    }
  },
});
