/**
 * Where atomics meet that go where data says: of few blocks none may come to the places that most come to. So warps from all over the grid
 * are run for these places alone.
 */
import { BudgetExceeded } from "../execute/budget.ts";
import { compile } from "../execute/compile.ts";
import { WrapsAround } from "../execute/patterns.ts";
import { type Program, warpSize } from "../execute/program.ts";
import { Runner } from "../execute/run.ts";
import { sliceForFlow } from "../execute/slice.ts";
import type { Contents } from "../execute/sources.ts";
import type { Op } from "../ir/kernel.ts";
import type { AtomicRegions } from "../observe/atomic-regions.ts";
import type { Observer } from "../observe/observer.ts";
import type { Work } from "../work.ts";
import { placeOf } from "./boxes.ts";

interface PlacesOptions {
  readonly contents: Contents;
  readonly observerOf: (runner: Runner) => Observer;
  /** Steps that may be spent. */
  readonly steps: number;
}

/** Warps that tell what one takes, and the fewest that tell more than blocks that were run. */
const firstOnes = 16;
const fewest = 128;

/** What warps from all over the grid do at these atomics, each counted as a block; undefined where too few can be run, or blocks wait within. */
export function atomicPlaces(
  program: Program,
  atomics: ReadonlySet<Op>,
  { contents, observerOf, steps }: PlacesOptions,
  work: Work,
): AtomicRegions | undefined {
  const { kernel, launch, provenance } = program;
  if (atomics.size === 0 || program.waits) return undefined;
  const addresses = [...atomics].flatMap(({ args: [address] }) => address ?? []);
  const slice = sliceForFlow(kernel, provenance, work, addresses);
  const share = work.share(steps);
  const runner = new Runner(compile(kernel, launch, { contents, slice, counts: (op) => atomics.has(op), work }), share);
  if (runner.program.waits) return undefined;
  const [x, y, z] = launch.block;
  const warps = Math.ceil((x * y * z) / warpSize);
  const all = launch.grid[0] * launch.grid[1] * launch.grid[2] * warps;
  const run = (one: number, observer: Observer): void => {
    const block = Math.floor(one / warps);
    observer.watch(block, () => runner.runBlock(placeOf(launch.grid, block), 1, one % warps));
  };
  try {
    // What they do is counted with all that follow, not here.
    const trial = observerOf(runner);
    for (let k = 0; k < firstOnes; k++) run(Math.floor((k * all) / firstOnes), trial);
    // Half of what is left: others may take twice as long as the first.
    const affordable = Math.floor(share.left / (share.spent / firstOnes) / 2);
    if (Math.min(affordable, all) < fewest) return undefined;
    const count = Math.min(all, affordable);
    const observer = observerOf(runner);
    for (let k = 0; k < count; k++) run(Math.floor(((k + 0.5) * all) / count), observer);
    return observer.atomics;
  } catch (error) {
    if (error instanceof BudgetExceeded || error instanceof WrapsAround) return undefined;
    throw error;
  }
}
