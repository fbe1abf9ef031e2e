import missingLaunchBounds from "../rules/missing-launch-bounds.ts";
import { largestBlocks, withLaunchBounds } from "../rules/support/launch-bounds.ts";
import { defineRefactoring } from "./refactoring.ts";

export default defineRefactoring({
  id: "write-launch-bounds",
  summary: "Tells the compiler how many threads a block of the kernel has at most: `__launch_bounds__(256)`.",
  where: "At the name of a kernel without bounds whose launches are known. A launch with more threads fails then.",
  guide: { document: "best-practices", section: "10.1" },
  rules: ["missing-launch-bounds"],
  changes: "faults",
  example: {
    before: missingLaunchBounds.example.bad,
    cursor: "fill(float *x)",
    after: missingLaunchBounds.example.bad.replace("void fill", "void __launch_bounds__(1024) fill"),
  },
  *offers({ launches }) {
    for (const { kernel, threads } of largestBlocks(launches))
      if (kernel.nameAt.file === 0) yield { at: [kernel.nameAt], fix: withLaunchBounds(kernel, threads) };
  },
});
