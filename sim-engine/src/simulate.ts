/** Simulates one launch of a kernel on a GPU model: optimise, execute sampled blocks, count. */
import { compiledFor } from "./compiled.ts";
import { assumeUnknowns } from "./contents/assume.ts";
import { contentsFor, type EarlierContents } from "./contents/earlier.ts";
import { describe } from "./described.ts";
import { type Executed, executed } from "./executed.ts";
import type { GpuModel } from "./gpus/model.ts";
import type { Content, Dim3, Kernel, Launch, Op } from "./ir/kernel.ts";
import { LaunchRefused, launchProblem } from "./launchable.ts";
import { guardedOperands, withSlowPaths } from "./machine/index.ts";
import type { Basis, LaunchReport } from "./report/launch-report.ts";
import { sourceLoops } from "./report/source-loops.ts";
import { tally } from "./report/tally.ts";
import type { Violation } from "./report/violation.ts";
import { sanitize } from "./sanitize/index.ts";
import { TimedRun } from "./timed.ts";
import { Cancelled, Work } from "./work.ts";
import { withOtherValues } from "./worth/assumed.ts";

export interface SimulateOptions {
  /** Registers a thread, when they are known. */
  readonly registers?: { readonly value: number; readonly basis: Basis };
  /** What it is spent of, and whether it is still wanted. */
  readonly work?: Work;
  /** Of it, the most the optimiser may spend: a kernel that takes more is optimised in part, and the report says so. */
  readonly optimisingSteps?: number;
  /** Without what the kernel does wrong and what it could do without, which take a third of the steps and change no other figure (default: false). */
  readonly figuresOnly?: boolean;
  /** Told each buffer whose contents decide addresses, branches or slow paths. */
  readonly onContent?: (buffer: number) => void;
  /** Milliseconds, for `simulated.ms`. */
  readonly now?: () => number;
}

/**
 * The report of one launch. The kernel is as the front end made it, and is left as it is. A kernel that runs for longer than it may is
 * given up.
 * @throws Cancelled, LaunchRefused, and an Error with a reason for the user when the launch cannot be simulated
 */
export function simulate(kernel: Kernel, launch: Launch, gpu: GpuModel, options: SimulateOptions = {}): LaunchReport {
  const now = options.now ?? (() => Date.now());
  const started = now();
  const { work = new Work() } = options;
  const problem = launchProblem(kernel, launch, gpu, options.registers?.value);
  if (problem !== undefined) throw new LaunchRefused(problem);
  const compiled = compiledFor(kernel, Math.round(Number(gpu.computeCapability) * 10), work, options.optimisingSteps);
  const contents = contentsFor(compiled.kernel, work);
  const { launch: complete, assumptions, origins, decisive, invented, madeUp } = assumeUnknowns(compiled.kernel, launch, contents, work);
  const uneven = [...decisive].some((buffer) => isUneven(complete.buffers[buffer]?.content));
  for (const buffer of decisive) options.onContent?.(buffer);
  const prepared = { kernel: compiled.kernel, launch: complete, contents, uneven };
  const machine = withSlowPaths(
    compiled.machine,
    unvaryingOperands(compiled.kernel, complete, contents, guardedOperands(compiled.machine), (buffer) => options.onContent?.(buffer)),
  );
  const before = work.spent;
  const run = executed(prepared, machine, gpu, options.registers, work);
  const taken = work.spent - before;
  const steps = Math.max(leastSteps, taken / 2);
  const asking = work.share(steps);
  // Odd sizes make blocks differ, of which more are run then.
  const otherwise = once(() =>
    ranOtherwise(
      { ...prepared, launch: withOtherValues(complete) },
      machine,
      gpu,
      options.registers,
      work.share(Math.max(leastSteps, taken)),
    ),
  );
  const relaunched = (grid: Dim3, block: Dim3): number | undefined => {
    // It is not to take what the launch's own answer still needs.
    if (work.left < relaunchShare * steps) return undefined;
    const again = ranOtherwise({ ...prepared, launch: { ...complete, grid, block } }, machine, gpu, options.registers, asking);
    return again && new TimedRun(again, gpu, tally(again.program, again.machine, again.sample, work), work).asItIs().time?.ns;
  };
  const stored = [...decisive].filter((buffer) => contents.isMadeUp(launch.buffers[buffer]?.content ?? { kind: "unknown" }));
  const report = describe(run, gpu, work, {
    madeUp: new Set([...madeUp, ...stored]),
    asksCosts: !options.figuresOnly,
    otherwise,
    relaunched,
  });
  report.assumptions.push(...(kernel.assumptions ?? []), ...compiled.assumptions, ...assumptions, ...origins);
  report.loops.push(...sourceLoops(kernel, complete, contents, work));
  report.assumptions.push(...contents.assumptions);
  if (!options.figuresOnly)
    tellFaults(report, { kernel, optimised: compiled.kernel, launch, contents, steps, work }, { complete, invented });
  report.simulated.ms = now() - started;
  return report;
}

/** The numbers that operations have in all threads; of a launch in a loop of the host those that they have in its later turns, too, for which its report stands. */
function unvaryingOperands(
  kernel: Kernel,
  launch: Launch,
  contents: EarlierContents,
  ops: readonly Op[],
  asked: (buffer: number) => void,
): ReadonlyMap<Op, number | bigint> {
  let known = contents.unvarying(kernel, launch, ops, asked);
  for (const turn of launch.later ?? []) {
    const then = contents.unvarying(kernel, { ...launch, ...turn }, [...known.keys()], asked);
    known = new Map([...known].filter(([op, value]) => then.get(op) === value));
  }
  return known;
}

/** Of the steps that a relaunch may take, those that have to be left: for it, and for what is asked of the launch behind it. */
const relaunchShare = 4;

interface Searched {
  readonly kernel: Kernel;
  readonly optimised: Kernel;
  readonly launch: Launch;
  readonly contents: EarlierContents;
  /** The most that is spent on its first turn. */
  readonly steps: number;
  readonly work: Work;
}

/** Adds what the kernel does wrong to its report, and how far its indices come. @throws Cancelled */
function tellFaults(
  report: LaunchReport,
  { kernel, optimised, launch, contents, steps, work }: Searched,
  { complete, invented }: { readonly complete: Launch; readonly invented: ReadonlySet<number> },
): void {
  const assumed = assumedNumbers(complete);
  const subject = { kernel, launch: complete, contents, buffers: launch.buffers, invented: new Set([...invented, ...assumed]) };
  const { violations, reach } = sanitize(subject, steps, work);
  // With numbers that the front end has assumed for such as might be: what orders threads wrongly does so with others, too, as a rule.
  const suspected =
    assumed.length === 0 || launch.assumed ? [] : sanitize({ ...subject, invented }, steps * shareOfAssumed, work).violations;
  for (const violation of suspected)
    if (ofOrder.has(violation.kind) && !violations.some((known) => isSamePlace(known, violation)))
      violations.push({ ...violation, assumed: assumed.flatMap((index) => kernel.parameters[index]?.name ?? []) });
  for (const later of launch.later ?? []) {
    const turn = assumeUnknowns(optimised, { ...launch, ...later }, contents, work);
    const again = {
      kernel,
      launch: turn.launch,
      contents,
      buffers: later.buffers,
      invented: new Set([...turn.invented, ...assumedNumbers(turn.launch)]),
    };
    for (const violation of sanitize(again, steps * shareOfLater, work).violations)
      if (!violations.some((known) => isSamePlace(known, violation))) violations.push({ ...violation, later: true });
  }
  if (violations.length > 0) report.violations = violations;
  if (reach) report.reach = reach;
}

/** The parameters whose numbers the front end has assumed. */
const assumedNumbers = ({ arguments: given }: Launch): number[] =>
  given.flatMap((argument, index) => (argument.kind === "scalar" && argument.assumed === true ? [index] : []));

const ofOrder: ReadonlySet<Violation["kind"]> = new Set(["shared-race", "global-race", "divergent-barrier"]);

/** Steps that a search for faults, and running the launch otherwise, may take at least; at most half of what running it took, with other values all. */
const leastSteps = 60_000;

/** Of those steps, the most for what assumed numbers show. */
const shareOfAssumed = 1 / 2;

/** Of those steps, the most for each later turn of the host's loop that is looked at. */
const shareOfLater = 1 / 4;

const isSamePlace = (a: Violation, b: Violation): boolean =>
  a.kind === b.kind && a.by.at.file === b.by.at.file && a.by.at.start === b.by.at.start && a.by.at.end === b.by.at.end;

/** Undefined where it cannot be run in the steps that there are. */
function ranOtherwise(...[prepared, machine, gpu, registers, work]: Parameters<typeof executed>): Executed | undefined {
  try {
    return work.isOver ? undefined : executed(prepared, machine, gpu, registers, work);
  } catch (error) {
    if (error instanceof Cancelled) throw error;
    return undefined;
  }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** Drawn at random, a content is alike all over. */
const isUneven = (content: Content | undefined): boolean => content !== undefined && /^(written|parts|values|computed)$/.test(content.kind);
