/**
 * Looks for what a kernel does wrong: runs blocks of it as the source has it, before any optimisation, and watches each access and barrier.
 * What is found has threads that show it; what rests on values that were made up is left out.
 */
import { BudgetExceeded } from "../execute/budget.ts";
import { compile } from "../execute/compile.ts";
import { launchConstants } from "../execute/constants.ts";
import { WrapsAround } from "../execute/patterns.ts";
import { warpSize } from "../execute/program.ts";
import { traceAddresses } from "../execute/provenance.ts";
import { Runner } from "../execute/run.ts";
import { sliceForAddresses } from "../execute/slice.ts";
import type { Contents } from "../execute/sources.ts";
import { Stopped } from "../execute/stopped.ts";
import { NotExecutable } from "../execute/values.ts";
import type { Buffer, Dim3, Kernel, Launch, Op } from "../ir/kernel.ts";
import { asWritten } from "../passes/as-written.ts";
import type { Reach } from "../report/reach.ts";
import type { Violation } from "../report/violation.ts";
import { markSkips } from "../sampling/loops.ts";
import { Subject } from "../sampling/variation.ts";
import type { Work } from "../work.ts";
import { goesByData } from "./alike.ts";
import { type Arithmetic, type Probed, probe } from "./arithmetic.ts";
import { findInvented, isUnordered } from "./invented.ts";
import { laneValue } from "./lane-values.ts";
import { Watcher } from "./watcher.ts";
import { spotOf, spotsOf } from "./witnesses.ts";

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
  const kernel = asWritten(subject.kernel, work);
  const found = new Map<string, Violation>();
  const run = (part: readonly Dim3[], ordered: boolean, own: Work): void => {
    for (const violation of violationsOf({ ...subject, kernel }, part, ordered, own)) {
      const { by } = violation;
      const other = "other" in violation ? ` ${spotOf(violation.other.at)}` : "";
      const key = `${violation.kind} ${spotOf(by.at)}${other}`;
      if (!found.has(key) || (violation.kind === "divergent-barrier" && !violation.ended)) found.set(key, violation);
    }
  };
  const whole = work.share(steps);
  const { grid } = subject.launch;
  // Where threads wait for each other, the first block shows what all do, and the last ones what the rim of the data does.
  const { violations, reach, last } = arithmeticOf({ ...subject, kernel }, work.share(steps * shareOfArithmetic));
  const ends = unique([[0, 0, 0], ...last.slice(-1), grid.map((length) => length - 1) as unknown as Dim3]);
  if ((needsOrder(kernel) || hasArrays(kernel)) && isUnderstood(kernel, subject.launch)) run(ends, true, whole.share(steps * shareOfOrder));
  run(unique([...tellingBlocks(grid), ...last, ...(scatters(kernel) ? spread(grid) : [])]), false, whole);
  return { violations: [...found.values(), ...violations], ...(reach ? { reach } : {}) };
}

/** Beside the steps, for the values that decide addresses. */
const shareOfArithmetic = 1 / 4;

function arithmeticOf(subject: Probed, work: Work): Arithmetic {
  try {
    return probe(subject, work);
  } catch (error) {
    if (!isReason(error)) throw error;
    return { violations: [], reach: undefined, last: [] };
  }
}

/** Of the steps, those for blocks whose warps wait at every barrier. */
const shareOfOrder = 2 / 3;

/** What blocks do wrong; of stores that meet, once more with what they store. */
function violationsOf(subject: Sanitized, blocks: readonly Dim3[], ordered: boolean, work: Work): readonly Violation[] {
  const first = withPatterns((allLanes) => watched(subject, blocks, ordered, { allLanes }, work));
  let { violations } = first;
  const isAbout =
    (spots: ReadonlySet<string>) =>
    (violation: Violation): boolean =>
      "sameWarp" in violation && spots.has(spotsOf(violation.by.at, violation.other.at));
  if (first.contested.size > 0) {
    const again = watched(subject, blocks, ordered, { allLanes: true, values: first.contested }, work);
    const isSettled = isAbout(again.settled);
    violations = [...violations.filter((violation) => !isSettled(violation)), ...again.violations];
  }
  if (first.ofData.size > 0) {
    // What is read there may be equal by chance: of other numbers only what is always equal is.
    const other = watched(withOtherNumbers(subject), blocks, ordered, { allLanes: true, values: first.ofData, isSubstituted: true }, work);
    const isSettled = isAbout(other.settled);
    violations = violations.filter((violation) => !isSettled(violation) || other.violations.some((still) => isSamePair(still, violation)));
  }
  return violations;
}

const isSamePair = (a: Violation, b: Violation): boolean =>
  "sameWarp" in a && "sameWarp" in b && a.kind === b.kind && spotsOf(a.by.at, a.other.at) === spotsOf(b.by.at, b.other.at);

/** With numbers of their own in the place of all with a fraction. */
function withOtherNumbers({ launch, ...subject }: Sanitized): Sanitized {
  const buffers = launch.buffers.map(
    (buffer): Buffer =>
      buffer.element === "f32" || buffer.element === "f64" ? { ...buffer, content: { kind: "uniform", lo: 1, hi: 2 } } : buffer,
  );
  return { ...subject, launch: { ...launch, buffers } };
}

/** Tries it with as few lanes computed as will do. */
function withPatterns<T>(run: (allLanes: boolean) => T): T {
  try {
    return run(false);
  } catch (error) {
    if (!(error instanceof WrapsAround)) throw error;
    return run(true);
  }
}

interface Watch {
  readonly allLanes: boolean;
  /** Values that are computed although nothing that is run goes by them. */
  readonly values?: ReadonlySet<Op>;
  /** See `Sites`. */
  readonly isSubstituted?: boolean;
}

/** What is found until the work or the blocks end, or they cannot go on. */
function watched(
  { kernel, launch, contents, buffers, invented }: Sanitized,
  blocks: readonly Dim3[],
  ordered: boolean,
  { allLanes, values, isSubstituted = false }: Watch,
  work: Work,
): Pick<Watcher, "violations" | "contested" | "ofData" | "settled"> {
  let watcher: Watcher | undefined;
  try {
    const program = compile(kernel, launch, {
      allLanes,
      contents,
      work,
      allBarriers: ordered,
      looksAgain: ordered || !needsOrder(kernel),
      ...(values ? { slice: sliceForAddresses(kernel, traceAddresses(kernel, launch, work), work, values) } : {}),
      onSync: (op, mask) => watcher?.synchronises(op, mask),
    });
    if (!ordered) markSkips(new Subject(program, launchConstants(program.environment), work), work);
    const runner = new Runner(program, work);
    const valueAt = (op: Op, warp: number, lane: number): number | undefined =>
      values?.has(op) ? laneValue(program, op, program.waits ? warp * warpSize : 0, lane) : undefined;
    const given = { buffers, contents, work };
    const watching = new Watcher(
      runner,
      findInvented(program, invented, work),
      ordered || !needsOrder(kernel),
      given,
      valueAt,
      isSubstituted,
    );
    watcher = watching;
    const [...all] = isUnordered(program) ? blocks : inOrder(blocks);
    for (const [k, at] of all.entries()) watching.watch(at, k > 0 && k === all.length - 1, () => runner.runBlock(at));
  } catch (error) {
    if (!isReason(error)) throw error;
  }
  watcher?.end();
  return watcher ?? { violations: [], contested: new Set(), ofData: new Set(), settled: new Set() };
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

/** Where it stores, or whether, data says: which blocks meet there no index tells. */
const scatters = ({ blocks }: Kernel): boolean =>
  blocks.some(
    ({ ops, end }) =>
      (end.kind === "branch" && goesByData(end.cond)) ||
      ops.some(({ action, args: [address] }) => /^(store|atomic)$/.test(action.kind) && address !== undefined && goesByData(address)),
  );

/** Blocks of such a kernel that are run besides, as far as the steps go. */
const mostSpread = 128;

/** As many blocks, at even distances. */
function spread([x, y, z]: Dim3): Dim3[] {
  const all = x * y * z;
  const step = Math.max(1, all / mostSpread);
  return Array.from({ length: Math.min(all, mostSpread) }, (_, k): Dim3 => {
    const block = Math.floor(k * step);
    return [block % x, Math.floor(block / x) % y, Math.floor(block / (x * y))];
  });
}

/** Blocks that wait for others wait for those before them, as a rule. */
const inOrder = (blocks: readonly Dim3[]): readonly Dim3[] => [...blocks].sort((a, b) => a[2] - b[2] || a[1] - b[1] || a[0] - b[0]);

const unique = (blocks: readonly Dim3[]): Dim3[] => [...new Map(blocks.map((at) => [at.join(), at])).values()];

/** What orders the accesses of a block's threads is understood: barriers, mbarriers, and waits for asynchronous copies. */
const isUnderstood = ({ blocks }: Kernel, { cluster }: Launch): boolean =>
  (cluster === undefined || cluster.every((count) => count === 1)) &&
  blocks.every(({ ops }) =>
    ops.every(({ action }) => !action.kind.startsWith("wgmma") && !(action.kind === "copy.bulk" && action.multicast)),
  );
