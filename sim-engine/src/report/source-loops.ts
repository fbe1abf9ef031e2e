/**
 * How often the loops of the source turn: unrolling leaves few of them as they were written, so one block of the kernel as the
 * front end made it is run for this alone.
 */

import { compile } from "../execute/compile.ts";
import { launchConstants } from "../execute/constants.ts";
import { WrapsAround } from "../execute/patterns.ts";
import { warpSize } from "../execute/program.ts";
import { Runner } from "../execute/run.ts";
import type { Contents } from "../execute/sources.ts";
import { cloneKernel, linkBlocks } from "../ir/builder.ts";
import { findLoops } from "../ir/graph.ts";
import type { Dim3, Kernel, Launch } from "../ir/kernel.ts";
import { hoistLeaves } from "../passes/fold/leaves.ts";
import { inferSpaces } from "../passes/memory/infer-spaces.ts";
import { promote } from "../passes/memory/promote.ts";
import { CountVector } from "../sampling/counts.ts";
import { markSkips } from "../sampling/loops.ts";
import { Subject } from "../sampling/variation.ts";
import { Cancelled, type Work } from "../work.ts";
import type { LoopReport } from "./launch-report.ts";
import { loopReports } from "./tables.ts";

const mostSteps = 100_000;

/** Loops of a block in the middle of the grid; none where it takes too long to tell. */
export function sourceLoops(kernel: Kernel, launch: Launch, contents: Contents, work: Work): LoopReport[] {
  const source = cloneKernel(kernel);
  linkBlocks(source);
  if (findLoops(source).length === 0) return [];
  hoistLeaves(source, work);
  promote(source, work);
  inferSpaces(source);
  for (const allLanes of [false, true]) {
    try {
      return run(source, launch, contents, allLanes, work);
    } catch (error) {
      if (error instanceof Cancelled) throw error;
      if (!(error instanceof WrapsAround)) return [];
    }
  }
  return [];
}

function run(kernel: Kernel, launch: Launch, contents: Contents, allLanes: boolean, work: Work): LoopReport[] {
  const program = compile(kernel, launch, { allLanes, contents, work });
  if (program.loops.length === 0) return [];
  markSkips(new Subject(program, launchConstants(program.environment), work), work);
  const runner = new Runner(program, work.share(mostSteps));
  const middle = launch.grid.map((length) => Math.floor(length / 2)) as unknown as Dim3;
  const warps = Math.ceil((launch.block[0] * launch.block[1] * launch.block[2]) / warpSize);
  if (program.waits || warps <= 4) runner.runBlock(middle);
  else for (const warp of [0, Math.floor(warps / 2), warps - 1]) runner.runBlock(middle, 1, warp);
  const counts = new CountVector(runner);
  return loopReports(program, counts, counts.take());
}
