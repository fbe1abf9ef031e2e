/**
 * How much each warp of a launch does where data decides, told from where it goes alone: its loops' bounds, found in memory, are read,
 * and what their turns do is passed by. So those are found that do most, which blocks drawn evenly from all over the grid hardly ever hold.
 */
import { BudgetExceeded } from "../execute/budget.ts";
import { compile } from "../execute/compile.ts";
import { WrapsAround } from "../execute/patterns.ts";
import { type Program, warpSize } from "../execute/program.ts";
import { Runner } from "../execute/run.ts";
import { sliceForFlow } from "../execute/slice.ts";
import type { Contents } from "../execute/sources.ts";
import type { Block } from "../ir/kernel.ts";
import type { Work } from "../work.ts";
import { placeOf } from "./boxes.ts";
import { markEstimates } from "./estimates.ts";
import { busiestWarps } from "./told-turns.ts";

/** A warp, or a block whose warps wait for each other. */
export interface Surveyed {
  /** Linear index of its block, x fastest. */
  readonly block: number;
  /** Absent where all of the block's warps count. */
  readonly warp?: number;
  /** Warp instructions. */
  readonly issued: number;
}

export interface SurveyOptions {
  readonly contents: Contents;
  /** Instructions that a warp issues each time it runs a block of the program. */
  readonly lengthOf: (block: Block) => number;
  /** Steps that may be spent. */
  readonly steps: number;
}

/** Warps that tell what one takes; and how many have to be affordable for a survey to tell more than a sample does. */
const firstOnes = 32;
const fewest = 256;
/** Warps that are looked at as their loops' bounds tell that they do most. */
const fewBusiest = 8;
/** Steps of any one: who takes more goes on for reasons that are only found on the way. */
const stepsOfOne = 20_000;

export interface Survey {
  readonly longest: Surveyed;
  /** What each does on average. */
  readonly mean: number;
  /** Of what the longest does, what another does that is met by chance somewhere in its work. */
  readonly besides: number;
  /** None was left out. */
  readonly isOfAll: boolean;
}

/**
 * The one that does most of all, or of as many as can be afforded, evenly from all over the grid. Undefined where nothing tells without
 * running all.
 */
export function survey(program: Program, { contents, lengthOf, steps }: SurveyOptions, work: Work): Survey | undefined {
  const { kernel, launch, provenance } = program;
  const slice = sliceForFlow(kernel, provenance, work);
  const control = compile(kernel, launch, { contents, slice, counts: () => false, work });
  if (!markEstimates(control, [1], work)) return undefined;
  const [x, y, z] = launch.block;
  const warps = control.waits ? 1 : Math.ceil((x * y * z) / warpSize);
  const all = launch.grid[0] * launch.grid[1] * launch.grid[2] * warps;
  const lengths = control.blocks.map(({ block }) => lengthOf(block));
  const share = work.share(steps);
  const runner = new Runner(control, share);
  let longest: Surveyed | undefined;
  let [seen, sum, squares] = [0, 0, 0];
  const look = (one: number): number => {
    const [block, warp] = [Math.floor(one / warps), one % warps];
    runner.work = share.share(stepsOfOne);
    runner.runBlock(placeOf(launch.grid, block), 1, control.waits ? undefined : warp);
    const { executions } = runner.flow;
    const issued = lengths.reduce((total, length, k) => total + length * executions[k]!, 0);
    executions.fill(0);
    if (!longest || issued > longest.issued) longest = { block, issued, ...(control.waits ? {} : { warp }) };
    return issued;
  };
  const count = (issued: number): void => {
    seen += 1;
    sum += issued;
    squares += issued * issued;
  };
  let isOfAll = false;
  try {
    const first = Math.min(firstOnes, all);
    for (let k = 0; k < first; k++) count(look(Math.floor((k * all) / first)));
    const affordable = Math.floor(share.left / (share.spent / first));
    if (affordable < Math.min(fewest, all)) return undefined;
    for (const { block, warp } of busiestWarps(control, lengthOf, fewBusiest, work)) look(block * warps + (control.waits ? 0 : warp));
    const looks = Math.min(all, affordable);
    isOfAll = looks === all;
    for (let k = 0; k < looks; k++) count(look(Math.floor((k * all) / looks)));
  } catch (error) {
    if (!(error instanceof BudgetExceeded || error instanceof WrapsAround)) throw error;
    // Those that were looked at are from the grid's beginning alone, but for the first ones.
    if (error instanceof WrapsAround || seen < fewest) return undefined;
    isOfAll = false;
  }
  if (!longest || sum === 0) return undefined;
  return { longest, mean: sum / seen, besides: squares / sum / longest.issued, isOfAll };
}
