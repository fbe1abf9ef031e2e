/**
 * Looks for what a kernel does wrong: runs blocks of it as the source has it, before any optimisation, and watches each access and barrier.
 * What is found has threads that show it; what rests on values that were made up is left out.
 */
import { BudgetExceeded } from "../execute/budget.ts";
import { compile } from "../execute/compile.ts";
import { launchConstants } from "../execute/constants.ts";
import { WrapsAround } from "../execute/patterns.ts";
import { Runner } from "../execute/run.ts";
import type { Contents } from "../execute/sources.ts";
import { Stopped } from "../execute/stopped.ts";
import { NotExecutable } from "../execute/values.ts";
import { cloneKernel, linkBlocks } from "../ir/builder.ts";
import type { Buffer, Dim3, Kernel, Launch } from "../ir/kernel.ts";
import { hoistLeaves } from "../passes/fold/leaves.ts";
import { inferSpaces } from "../passes/memory/infer-spaces.ts";
import { promote } from "../passes/memory/promote.ts";
import type { Reach } from "../report/reach.ts";
import type { Violation } from "../report/violation.ts";
import { markSkips } from "../sampling/loops.ts";
import type { Work } from "../work.ts";
import { type Arithmetic, type Probed, probe } from "./arithmetic.ts";
import { findInvented } from "./invented.ts";
import { Watcher } from "./watcher.ts";

export interface Sanitized {
  /** As the front end made it. */
  readonly kernel: Kernel;
  /** With something in the place of what is unknown. */
  readonly launch: Launch;
  readonly contents: Contents;
  /** The launch's buffers, before anything was assumed of what they hold. */
  readonly buffers: readonly Buffer[];
  /** Parameters whose values were made up. */
  readonly invented: ReadonlySet<number>;
}

export interface Sanitation {
  readonly violations: Violation[];
  readonly reach?: Reach;
}

/**
 * The violations that the blocks in question show, each kind once for each place in the source.
 * @param steps the most that is spent on it: what is found until then counts
 * @throws Cancelled
 */
export function sanitize(subject: Sanitized, steps: number, work: Work): Sanitation {
  const kernel = cloneKernel(subject.kernel);
  linkBlocks(kernel);
  hoistLeaves(kernel, work);
  promote(kernel, work);
  inferSpaces(kernel);
  const found = new Map<string, Violation>();
  const run = (part: readonly Dim3[], ordered: boolean, own: Work): void => {
    for (const violation of withPatterns((allLanes) => watched({ ...subject, kernel }, part, ordered, allLanes, own))) {
      const { by } = violation;
      const key = `${violation.kind} ${by.at.file}:${by.at.start}-${by.at.end}`;
      if (!found.has(key) || (violation.kind === "divergent-barrier" && !violation.ended)) found.set(key, violation);
    }
  };
  const whole = work.share(steps);
  const { grid } = subject.launch;
  // Where threads wait for each other, the first block shows what all do, and the last what the rim of the data does.
  const ends = unique([[0, 0, 0], grid.map((length) => length - 1) as unknown as Dim3]);
  if ((needsOrder(kernel) || hasArrays(kernel)) && isUnderstood(kernel, subject.launch)) run(ends, true, whole.share(steps * shareOfOrder));
  run(tellingBlocks(grid), false, whole);
  const { violations, reach } = arithmeticOf({ ...subject, kernel }, work.share(steps * shareOfArithmetic));
  return { violations: [...found.values(), ...violations], ...(reach ? { reach } : {}) };
}

/** Beside the steps, for the values that decide addresses. */
const shareOfArithmetic = 1 / 4;

function arithmeticOf(subject: Probed, work: Work): Arithmetic {
  try {
    return probe(subject, work);
  } catch (error) {
    if (!isReason(error)) throw error;
    return { violations: [], reach: undefined };
  }
}

/** Of the steps, those for blocks whose warps wait at every barrier. */
const shareOfOrder = 2 / 3;

/** Tries it with as few lanes computed as will do. */
function withPatterns(run: (allLanes: boolean) => readonly Violation[]): readonly Violation[] {
  try {
    return run(false);
  } catch (error) {
    if (!(error instanceof WrapsAround)) throw error;
    return run(true);
  }
}

/** What is found until the work or the blocks end, or they cannot go on. */
function watched(
  { kernel, launch, contents, buffers, invented }: Sanitized,
  blocks: readonly Dim3[],
  ordered: boolean,
  allLanes: boolean,
  work: Work,
): readonly Violation[] {
  let watcher: Watcher | undefined;
  try {
    const program = compile(kernel, launch, {
      allLanes,
      contents,
      work,
      allBarriers: ordered,
      onSync: (op, mask) => watcher?.synchronises(op, mask),
    });
    if (!ordered) markSkips({ program, constantOf: launchConstants(program.environment) }, work);
    const runner = new Runner(program, work);
    const watching = new Watcher(runner, findInvented(program, invented, work), ordered || !needsOrder(kernel), {
      buffers,
      contents,
      work,
    });
    watcher = watching;
    for (const at of blocks) watching.watch(at, () => runner.runBlock(at));
  } catch (error) {
    if (!isReason(error)) throw error;
  }
  return watcher?.violations ?? [];
}

/** An end that the kernel, or its length, is the reason of. */
const isReason = (error: unknown): boolean =>
  error instanceof BudgetExceeded ||
  error instanceof NotExecutable ||
  error instanceof Stopped ||
  (error instanceof Error && error.constructor === Error);

/** Threads of a block meet, or share memory. */
const needsOrder = ({ blocks, shared }: Kernel): boolean =>
  shared.length > 0 || blocks.some(({ ops }) => ops.some(({ action }) => action.kind === "barrier"));

/** Threads have arrays of their own, which are not registers. */
const hasArrays = ({ blocks }: Kernel): boolean => blocks.some(({ ops }) => ops.some(({ action }) => action.kind === "alloca"));

/**
 * Blocks that tell of all: one in the middle and those beside it, which share what neighbours share, and the corners of the grid, where
 * indices are smallest and largest.
 */
function tellingBlocks(grid: Dim3): Dim3[] {
  const [x, y, z] = grid.map((length) => length - 1) as unknown as Dim3;
  const [mx, my, mz] = grid.map((length) => Math.floor((length - 1) / 2)) as unknown as Dim3;
  const blocks: Dim3[] = [
    [0, 0, 0],
    [x, y, z],
    [mx, my, mz],
    [Math.min(mx + 1, x), my, mz],
    [mx, Math.min(my + 1, y), mz],
    [x, 0, 0],
    [0, y, 0],
    [Math.min(1, x), 0, 0],
    [0, 0, z],
  ];
  return unique(blocks);
}

const unique = (blocks: readonly Dim3[]): Dim3[] => [...new Map(blocks.map((at) => [at.join(), at])).values()];

/** What orders the accesses of a block's threads is understood: barriers, mbarriers, and waits for asynchronous copies. */
const isUnderstood = ({ blocks }: Kernel, { cluster }: Launch): boolean =>
  (cluster === undefined || cluster.every((count) => count === 1)) &&
  blocks.every(({ ops }) =>
    ops.every(
      ({ action }) =>
        !/^(copy.bulk|wgmma|barrier.arrive)/.test(action.kind) &&
        !(action.kind === "mbarrier" && action.op === "copies") &&
        !(action.kind === "barrier" && action.object),
    ),
  );
