/** How blocks begin that take too long to be run whole: enough to tell what they share with one that was. */
import { BudgetExceeded } from "../execute/budget.ts";
import type { Program } from "../execute/program.ts";
import { Runner } from "../execute/run.ts";
import type { ObservedBlock, Observer } from "../observe/observer.ts";
import type { Work } from "../work.ts";
import { placeOf } from "./boxes.ts";

/** Steps of a block that is run only for what it shares with its neighbour: some turns of a main loop. */
const glimpsedSteps = 40_000;
/** Steps of all such blocks of a launch: those that come last, the farthest along z, are left out where divisions make many groups. */
const allGlimpsed = 400_000;

/**
 * Runs the beginning of each block, and logs its accesses. Counters of the program go on counting: totals have to have been taken.
 * @param blocks linear indices, x fastest
 */
export function glimpse(
  program: Program,
  blocks: readonly number[],
  observerOf: (runner: Runner) => Observer,
  work: Work,
): ObservedBlock[] {
  const all = work.share(allGlimpsed);
  return blocks.map((index) => {
    // What a runner was in the middle of when its steps were over is no beginning for another block.
    const runner = new Runner(program, all.share(glimpsedSteps));
    const begin = (): void => {
      try {
        runner.runBlock(placeOf(program.launch.grid, index));
      } catch (error) {
        if (!(error instanceof BudgetExceeded)) throw error;
      }
    };
    return observerOf(runner).watch(index, begin);
  });
}
