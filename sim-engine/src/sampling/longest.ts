/** The warp of a launch that does most, or the block, where its warps wait for each other: run by itself, so that it is known how long it takes. */
import { BudgetExceeded } from "../execute/budget.ts";
import { WrapsAround } from "../execute/patterns.ts";
import type { Program } from "../execute/program.ts";
import type { WarpRecord } from "../execute/record.ts";
import { Runner } from "../execute/run.ts";
import type { ObservedBlock, Observer } from "../observe/observer.ts";
import type { Work } from "../work.ts";
import { placeOf } from "./boxes.ts";
import { type SurveyOptions, survey } from "./survey.ts";

export interface Longest {
  /** Linear index of its block, x fastest. */
  readonly block: number;
  readonly records: readonly WarpRecord[];
  readonly log: ObservedBlock["log"];
  /** Of what it does, what others do that have to do with it. */
  readonly besides: number;
  /** It is known of all others that they do much less, and it is not one of the block's warps alone. */
  readonly isCertain: boolean;
}

interface LongestOptions extends SurveyOptions {
  readonly observerOf: (runner: Runner) => Observer;
  /** Steps that running it may take. */
  readonly blockSteps: number;
}

/** It is hardly longer than others up to this share beyond the mean: those tell what it takes. Assumed (DEVIATIONS.md). */
const alike = 0.5;

/** Of what the longest does, what others do at most that have ended for most of its time. Assumed (DEVIATIONS.md). */
const muchLess = 0.5;

/** Undefined where warps are alike, and where nothing tells which one does most. Counters of the program go on counting: totals have to have been taken. */
export function longestOf(program: Program, options: LongestOptions, work: Work): Longest | undefined {
  const found = survey(program, options, work);
  if (!found || found.longest.issued <= found.mean * (1 + alike)) return undefined;
  const { longest, besides, isOfAll } = found;
  const { block, warp } = longest;
  const whole = ran(program, block, undefined, options, work);
  if (whole) return { ...whole, block, besides, isCertain: isOfAll && besides <= muchLess };
  const part = warp === undefined ? undefined : ran(program, block, warp, options, work);
  return part && { ...part, block, besides, isCertain: false };
}

/** What the block does, or one of its warps; undefined where that is too much work. */
function ran(
  program: Program,
  block: number,
  warp: number | undefined,
  { observerOf, blockSteps }: LongestOptions,
  work: Work,
): Pick<Longest, "records" | "log"> | undefined {
  const runner = new Runner(program, work.share(blockSteps));
  try {
    const { records, log } = observerOf(runner).watch(block, () => runner.runBlock(placeOf(program.launch.grid, block), 1, warp));
    return { records: records.filter((record) => record !== undefined), log };
  } catch (error) {
    if (error instanceof BudgetExceeded || error instanceof WrapsAround) return undefined;
    throw error;
  }
}
