import smallBlock from "../rules/small-block.ts";
import { withBlockOf } from "../rules/support/block-size.ts";
import { defineRefactoring } from "./refactoring.ts";

/** Threads a block that the guide begins with, and their doubles: multiples of a warp. */
const sizes = [128, 256, 512];

export default defineRefactoring({
  id: "change-block-size",
  summary: "Launches a kernel in blocks of 128, 256 or 512 threads.",
  where:
    "At a launch of blocks of one dimension whose configuration says the number of threads by a number, or by a variable that is given one; the grid has to be worked out from the same number.",
  guide: { document: "best-practices", section: "10.3" },
  rules: ["small-block"],
  example: {
    before: smallBlock.example.bad,
    cursor: "<<<n / 32, 32>>>",
    after: smallBlock.example.bad.replace("<<<n / 32, 32>>>", "<<<n / 256, 256>>>"),
  },
  *offers(context) {
    for (const launch of context.launches) {
      const [x, y, z] = launch.report.block;
      if (y !== 1 || z !== 1 || launch.fact.at.file !== 0) continue;
      for (const threads of sizes) {
        const fix = threads === x ? undefined : withBlockOf(context, launch, threads);
        if (fix) yield { at: [launch.fact.at], fix };
      }
    }
  },
});
