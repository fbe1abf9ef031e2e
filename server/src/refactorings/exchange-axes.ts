import { axesIn, exchangedAxes } from "../rules/support/exchange-axes.ts";
import transposedThreadIndex from "../rules/transposed-thread-index.ts";
import { defineRefactoring } from "./refactoring.ts";

export default defineRefactoring({
  id: "exchange-axes",
  summary:
    "Exchanges the roles of x and y in a kernel: `threadIdx.y` for each `threadIdx.x` and the other way round, and so for `blockIdx`, `blockDim` and `gridDim`.",
  where:
    "At a kernel's name, or at one of these, in a kernel that uses both. Of launches in square blocks the sides of the grid are exchanged, too; others stay as they are, and so does a variable that is also another launch's.",
  guide: { document: "best-practices", section: "9.2.1.4" },
  rules: ["transposed-thread-index"],
  example: {
    before: transposedThreadIndex.example.bad,
    cursor: "threadIdx.x",
    after: transposedThreadIndex.example.bad.replace(
      "row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y",
      "row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x",
    ),
  },
  *offers(context) {
    for (const kernel of new Set(context.launches.flatMap(({ fact }) => fact.kernel ?? []))) {
      if (kernel.at.file !== 0) continue;
      const members = axesIn(context, kernel.declaration);
      if (!["x", "y"].every((axis) => members.some((each) => each.axis === axis))) continue;
      const fix = exchangedAxes(context, kernel.declaration);
      if (fix) yield { at: [kernel.nameAt, ...members.map(({ node }) => node)], fix };
    }
  },
});
