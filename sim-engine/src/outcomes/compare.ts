/**
 * Holds what one launch leaves in memory against what another does: blocks of both are run on the same inputs, every value computed as the
 * source has it.
 */
import { EarlierContents } from "../contents/earlier.ts";
import { Replay } from "../contents/replay.ts";
import { BudgetExceeded } from "../execute/budget.ts";
import { compile } from "../execute/compile.ts";
import type { LazyMemory } from "../execute/memory.ts";
import { type Program, warpSize } from "../execute/program.ts";
import { Runner } from "../execute/run.ts";
import { wholeKernel } from "../execute/slice.ts";
import type { Contents } from "../execute/sources.ts";
import { type Dim3, type Kernel, type Launch, type ScalarType, scalarBytes } from "../ir/kernel.ts";
import { asWritten } from "../passes/as-written.ts";
import { uninitialised } from "../passes/edit/ssa-repair.ts";
import { Cancelled, type Work } from "../work.ts";
import { type Side, sameInputs } from "./inputs.ts";

export type Comparison =
  | {
      readonly outcome: "equal";
      /** Bytes that were stored, and looked at. */
      readonly bytes: number;
      /** Blocks of the first launch of which something was run, of so many. */
      readonly blocks: number;
      readonly of: number;
    }
  | {
      readonly outcome: "differs";
      readonly buffer: string;
      /** Of the first element that does, as `type`. */
      readonly index: number;
      readonly type: ScalarType;
      readonly before: number;
      readonly after: number;
    }
  | { readonly outcome: "unknown"; readonly why: string };

/** Steps that the first block of each launch may take, and beyond which no further ones are run. */
const firstSteps = 600_000;
const enoughSteps = 200_000;
/** Steps within which all blocks of a launch are run, where those that were chosen do not store to the same places. */
const wholeSteps = 400_000;
/** Steps for running what stores to a place, where there are too many blocks, and for finding it. */
const replaySteps = 400_000;
const patience = 8192;

/**
 * Whether two launches leave the same behind.
 * @param exact bit for bit; else floats may be rounded otherwise (see `sameRounded`)
 * @throws Cancelled
 */
export function compareOutcomes(before: Side, after: Side, exact: boolean, work: Work): Comparison {
  const found = attempt(before, after, exact, work);
  if (!(found.outcome === "unknown" && found.why === nothingStored && hasNull(before))) return found;
  // Whatever it stores goes to nowhere: that the program passes null may be for want of a better argument.
  return attempt(withoutNull(before), withoutNull(after), exact, work);
}

const nothingStored = "nothing is stored by the blocks that were run";

const isNull = ({ kernel, launch }: Side, index: number): boolean => {
  const argument = launch.arguments[index];
  return kernel.parameters[index]?.type === "ptr" && argument?.kind === "scalar" && Number(argument.value) === 0;
};

const hasNull = (side: Side): boolean => side.launch.arguments.some((_, index) => isNull(side, index));

const withoutNull = (side: Side): Side => ({
  ...side,
  launch: {
    ...side.launch,
    arguments: side.launch.arguments.map((each, index) => (isNull(side, index) ? { kind: "unknown", reason: "it is null" } : each)),
  },
});

function attempt(before: Side, after: Side, exact: boolean, work: Work): Comparison {
  const contents = new EarlierContents(work);
  const as = ({ kernel, launch }: Side): Side => ({ kernel: asWritten(kernel, work), launch });
  try {
    const sides = sameInputs(as(before), as(after), contents, work);
    if (!sides) return unknown("it is given other arguments");
    const notComputed = sides.flatMap(({ kernel }) => valuesNotComputed(kernel))[0];
    if (notComputed !== undefined) return unknown(notComputed);
    // There is nothing that could differ.
    if (!sides.some(({ kernel }) => storesGlobally(kernel))) return { outcome: "equal", bytes: 0, blocks: 0, of: 0 };
    return compared(sides[0], sides[1], exact, contents, work);
  } catch (error) {
    if (error instanceof Cancelled) throw error;
    if (error instanceof BudgetExceeded) return unknown("a block of it takes too long to compute every value of");
    if (error instanceof Error) return unknown(error.message);
    throw error;
  }
}

const unknown = (why: string): Comparison => ({ outcome: "unknown", why });

function compared(before: Side, after: Side, exact: boolean, contents: EarlierContents, work: Work): Comparison {
  const isSameShape =
    String(before.launch.block) === String(after.launch.block) && String(before.launch.grid) === String(after.launch.grid);
  const [first, second] = [new Run(before, contents, work), new Run(after, contents, work)];
  const parts = isSameShape ? [[first, second]] : [[first], [second]];
  const ended = parts.map((runs) => sampled(runs)).every((each) => each);
  const isWhole = ended && first.blocks === first.count;
  const direct = isSameShape ? heldAgainst(first, second, exact, isWhole) : undefined;
  if (direct) return direct;
  const across = mirrored(before, after, exact, contents, work);
  if (across) return across;
  if (Math.max(first.whole, second.whole) <= wholeSteps) {
    const [all, others] = [new Run(before, contents, work), new Run(after, contents, work)];
    all.everything();
    others.everything();
    return heldAgainst(all, others, exact, true) ?? unknown(nothingStored);
  }
  return replayed(first, second, exact, contents, work);
}

/**
 * Where x and y may have changed their roles: blocks of the first launch, whole, against those of the other that lie opposite the grid's
 * diagonal. Undefined where these do not store to the same places, or take too long.
 */
function mirrored(before: Side, after: Side, exact: boolean, contents: EarlierContents, work: Work): Comparison | undefined {
  const [columns, rows, layers] = before.launch.grid;
  const isMirrored = String(after.launch.grid) === String([rows, columns, layers]);
  if (!isMirrored || columns === 1 || rows === 1) return undefined;
  const [first, second] = [new Run(before, contents, work), new Run(after, contents, work)];
  try {
    for (const [x, y, z] of chosenBlocks(before.launch.grid)) {
      if (first.blocks > 0 && Math.max(first.next, second.next) > enoughSteps) break;
      first.part([x, y, z]);
      second.part([y, x, z]);
    }
  } catch (error) {
    if (error instanceof BudgetExceeded) return undefined;
    throw error;
  }
  const found = heldAgainst(first, second, exact, false);
  // What differs may be for threads that are exchanged otherwise.
  return found?.outcome === "equal" ? found : undefined;
}

/**
 * Runs the chosen blocks of launches of one shape; where warps do not wait for each other, the first warp of each before the others.
 * @returns false where that would have been too much
 */
function sampled(runs: readonly Run[]): boolean {
  const [first] = runs;
  if (!first) return true;
  const warps = runs.some(({ waits }) => waits) ? [undefined] : [...Array(warpsOf(first.launch)).keys()];
  for (const [turn, warp] of warps.entries()) {
    for (const [k, at] of chosenBlocks(first.launch.grid).entries()) {
      if (turn + k > 0 && runs.some(({ next }) => next > enoughSteps)) return false;
      for (const run of runs) run.part(at, warp);
    }
  }
  return true;
}

const warpsOf = ({ block: [x, y, z] }: Launch): number => Math.ceil((x * y * z) / warpSize);

/** One launch, and as much of it as was run. */
class Run {
  readonly launch: Launch;
  readonly kernel: Kernel;
  readonly #runner: Runner;
  readonly program: Program;
  readonly #work: Work;
  readonly #blocks = new Set<string>();
  #most = 0;

  constructor({ kernel, launch }: Side, contents: Contents, work: Work) {
    this.kernel = kernel;
    this.launch = launch;
    this.#work = work.share(Number.POSITIVE_INFINITY);
    // Pages are never filled: bytes that were stored are told from those that were not.
    const bare: Contents = {
      source: (content, element, seed) => {
        const source = contents.source(content, element, seed);
        return { read: (offset, type) => source.read(offset, type) };
      },
    };
    this.program = compile(kernel, launch, {
      slice: wholeKernel,
      allLanes: true,
      allBarriers: true,
      counts: () => false,
      contents: bare,
      work,
    });
    this.program.environment.floatSums = new Set();
    this.#runner = new Runner(this.program, this.#work);
  }

  get count(): number {
    return this.launch.grid.reduce((product, length) => product * length, 1);
  }

  /** Blocks of which something was run. */
  get blocks(): number {
    return this.#blocks.size;
  }

  /** Warps of a block wait for each other. */
  get waits(): boolean {
    return this.program.waits;
  }

  /** Steps after one more part like those so far. */
  get next(): number {
    return this.#work.spent + this.#most;
  }

  /** Steps that all blocks would take. */
  get whole(): number {
    return this.#most * this.count * (this.waits ? 1 : warpsOf(this.launch));
  }

  /** Runs a block, or one warp of it. */
  part(at: Dim3, warp?: number): void {
    const before = this.#work.spent;
    this.#runner.work = this.#work.share(firstSteps);
    this.#runner.runBlock(at, 1, warp);
    this.#blocks.add(at.join());
    this.#most = Math.max(this.#most, this.#work.spent - before);
  }

  everything(): void {
    const [columns, rows, layers] = this.launch.grid;
    for (let z = 0; z < layers; z++) for (let y = 0; y < rows; y++) for (let x = 0; x < columns; x++) this.part([x, y, z]);
  }

  /** Memories of its buffers, and of variables in global memory. */
  *memories(): Generator<Memory> {
    const { environment } = this.program;
    const { buffers } = this.launch;
    const { globals } = this.kernel;
    const at = (start: number | undefined): Pick<Memory, "bytes" | "isSum"> | undefined => {
      const bytes = start === undefined ? undefined : environment.global.memoryAt(start);
      return start === undefined || !bytes ? undefined : { bytes, isSum: (offset) => environment.floatSums?.has(start + offset) === true };
    };
    for (const [index, { name, element = "i32" }] of buffers.entries()) {
      const found = at(environment.bufferStarts[index]);
      if (found) yield { name, type: element, ...found, index };
    }
    for (const [index, { name, element, space }] of globals.entries()) {
      const found = space === "global" ? at(environment.globalAddresses[index]) : undefined;
      if (found) yield { name, type: element, ...found, index: undefined };
    }
  }
}

interface Memory {
  readonly name: string;
  readonly type: ScalarType;
  readonly bytes: LazyMemory;
  /** Of the buffer, where it is one. */
  readonly index: number | undefined;
  /** Floats were summed up at this offset by atomics, in an order that is never the same: no two runs of the launch need leave the same. */
  isSum(offset: number): boolean;
}

/** Those at the corners and in the middle, where indices are smallest and largest, and then some spread over the grid. */
function chosenBlocks([x, y, z]: Dim3): Dim3[] {
  const count = x * y * z;
  const corners: Dim3[] = [
    [0, 0, 0],
    [x - 1, y - 1, z - 1],
    [x >> 1, y >> 1, z >> 1],
    [x - 1, 0, 0],
    [0, y - 1, 0],
  ];
  const spread = Array.from({ length: Math.min(count, mostSpread) }, (_, k): Dim3 => {
    const index = Math.floor((k * count) / Math.min(count, mostSpread));
    return [index % x, Math.floor(index / x) % y, Math.floor(index / (x * y))];
  });
  return [...new Map([...corners, ...spread].map((at) => [at.join(), at])).values()];
}

const mostSpread = 24;

/** Undefined where one stored to places that the other did not, and not all blocks were run. */
function heldAgainst(first: Run, second: Run, exact: boolean, isWhole: boolean): Comparison | undefined {
  const others = [...second.memories()];
  let bytes = 0;
  for (const [k, one] of [...first.memories()].entries()) {
    const other = others[k];
    if (!other) return unknown("it is given other memory");
    const found = memoryAgainst(one, other, exact, isWhole);
    if (found === undefined || typeof found !== "number") return found;
    bytes += found;
  }
  return bytes === 0 ? unknown(nothingStored) : equal(bytes, first);
}

const equal = (bytes: number, { blocks, count }: Run): Comparison => ({ outcome: "equal", bytes, blocks, of: count });

/** Bytes that are equal; else what differs. */
function memoryAgainst(one: Memory, other: Memory, exact: boolean, isWhole: boolean): number | Comparison | undefined {
  const offsets = new Set([...one.bytes.written(1), ...other.bytes.written(1)]);
  const size = scalarBytes[one.type];
  const isSummed = (offset: number): boolean => isFloat(one.type) && (one.isSum(offset) || other.isSum(offset));
  const [rounded, sums]: [Rounded[], Rounded[]] = [[], []];
  for (const offset of offsets) {
    const start = offset - (offset % size);
    const isSum = isSummed(start);
    const asFloat = isSum || (!exact && isFloat(one.type));
    if (asFloat && offset !== start) continue;
    const type = asFloat ? one.type : "i8";
    const [a, b] = [Number(one.bytes.read(offset, type)), Number(other.bytes.read(offset, type))];
    const both = one.bytes.isWritten(offset) && other.bytes.isWritten(offset);
    if (!both && !isWhole && a !== b) return undefined;
    if (asFloat) (isSum ? sums : rounded).push({ index: offset / size, a, b });
    else if (a !== b) return difference(one, other, offset);
  }
  const worst = tooFar(rounded, one.type);
  const worstSum = worst ? undefined : tooFar(sums, one.type);
  // The rest of a sum may be what other blocks add.
  if (worstSum && !isWhole) return undefined;
  const found = worst ?? worstSum;
  return found
    ? { outcome: "differs", buffer: one.name, index: found.index, type: one.type, before: found.a, after: found.b }
    : offsets.size;
}

function difference(one: Memory, other: Memory, offset: number): Comparison {
  const size = scalarBytes[one.type];
  const index = Math.floor(offset / size);
  const [before, after] = [one, other].map(({ bytes }) => Number(bytes.read(index * size, one.type))) as [number, number];
  return { outcome: "differs", buffer: one.name, index, type: one.type, before, after };
}

/** Each place that one of them stored to, held against what the other would store there: its warps that do are looked for. */
function replayed(first: Run, second: Run, exact: boolean, contents: EarlierContents, work: Work): Comparison {
  const runs = work.share(replaySteps);
  let bytes = 0;
  for (const [from, to] of [
    [first, second],
    [second, first],
  ] as const) {
    for (const memory of from.memories()) {
      const { index } = memory;
      const offsets = [...memory.bytes.written(scalarBytes[memory.type])];
      if (offsets.length === 0) continue;
      if (index === undefined) return unknown("its blocks store elsewhere than before");
      const replay = new Replay(to.kernel, to.launch, index, contents, runs, { before: to.launch.buffers[index]?.content, patience });
      const pairs = offsets.map((offset) => {
        const other = Number(replay.read(offset, memory.type));
        return { index: offset / scalarBytes[memory.type], a: Number(memory.bytes.read(offset, memory.type)), b: other };
      });
      const isKnown = (replay.found === "whole" || replay.found === "on demand") && !replay.rest;
      if (!isKnown || offsets.some((offset) => !replay.isStored(offset)))
        return unknown("which thread stores an element is another one, and cannot be told");
      const differs = !exact && isFloat(memory.type) ? tooFar(pairs, memory.type) : pairs.find(({ a, b }) => !Object.is(a, b));
      if (differs) {
        const [before, after] = from === first ? [differs.a, differs.b] : [differs.b, differs.a];
        return { outcome: "differs", buffer: memory.name, index: differs.index, type: memory.type, before, after };
      }
      bytes += offsets.length * scalarBytes[memory.type];
    }
  }
  return bytes === 0 ? unknown(nothingStored) : equal(bytes, first);
}

interface Rounded {
  readonly index: number;
  readonly a: number;
  readonly b: number;
}

const isFloat = (type: ScalarType): boolean => /f/.test(type);

/** Half a unit in the last place of 1. */
const roundingUnit: Readonly<Partial<Record<ScalarType, number>>> = { f16: 2 ** -11, bf16: 2 ** -8, f32: 2 ** -24, f64: 2 ** -53 };

/**
 * Undefined where two arrays are the same but for rounding: their distance is at most the square root of the type's rounding unit times
 * the larger one's length, so that half of the digits agree (as `isapprox` of Julia has it, too). Else the element that is farthest off.
 */
function tooFar(pairs: readonly Rounded[], type: ScalarType): Rounded | undefined {
  const special = pairs.find(({ a, b }) => !(Number.isFinite(a) && Number.isFinite(b)) && !Object.is(a, b));
  if (special) return special;
  const finite = pairs.filter(({ a }) => Number.isFinite(a));
  const length = (of: (pair: Rounded) => number): number => Math.sqrt(finite.reduce((sum, pair) => sum + of(pair) ** 2, 0));
  const limit =
    Math.sqrt(roundingUnit[type] ?? 0) *
    Math.max(
      length(({ a }) => a),
      length(({ b }) => b),
    );
  if (length(({ a, b }) => a - b) <= limit) return undefined;
  return finite.reduce((worst, pair) => (Math.abs(pair.a - pair.b) > Math.abs(worst.a - worst.b) ? pair : worst));
}

const storesGlobally = ({ blocks }: Kernel): boolean =>
  blocks.some(({ ops }) =>
    ops.some(
      ({ action }) =>
        /^copy/.test(action.kind) ||
        ((action.kind === "store" || action.kind === "atomic") && action.space !== "shared" && action.space !== "local"),
    ),
  );

/**
 * What is stored may rest on values that are not computed: that they are equal would say nothing. One that depends on nothing, as that of a
 * variable nobody has set, is the same for both.
 */
function valuesNotComputed({ blocks }: Kernel): string[] {
  for (const { ops } of blocks) {
    for (const { action } of ops) {
      if (action.kind === "matrix") return ["products of matrices are not computed"];
      if (action.kind === "unknown" && action.reason !== uninitialised) return [action.reason];
    }
  }
  return [];
}
