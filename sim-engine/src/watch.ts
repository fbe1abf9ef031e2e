/** What one warp of a launch does at one place of the source, one execution after another. */
import { compiledFor } from "./compiled.ts";
import { assumeUnknowns } from "./contents/assume.ts";
import { contentsFor } from "./contents/earlier.ts";
import { type AccessCounter, type AccessListener, type AccessOperation, type AccessSpace, shapeBytes } from "./execute/accesses.ts";
import { BudgetExceeded } from "./execute/budget.ts";
import { compile } from "./execute/compile.ts";
import { WrapsAround } from "./execute/patterns.ts";
import { type CompiledBlock, warpSize } from "./execute/program.ts";
import { Runner } from "./execute/run.ts";
import type { GpuModel } from "./gpus/model.ts";
import type { Block, Kernel, Launch, Op, Span } from "./ir/kernel.ts";
import { LaunchRefused, launchProblem } from "./launchable.ts";
import type { Work } from "./work.ts";

/** Steps that the block may take, or where its warps do not wait for each other the warp. */
const mostSteps = 300_000;
/** Executions that are told. */
const mostExecutions = 256;

export interface WatchedPlace {
  readonly isAt: (span: Span) => boolean;
  /** Of an access; without, it is a branch. */
  readonly access?: { readonly space: AccessSpace; readonly operation: AccessOperation; readonly bytesPerLane: number };
}

export interface WarpName {
  /** Linear index in the grid, and of the warp in the block. */
  readonly block: number;
  readonly warp: number;
}

/** One execution: which lanes take part, bit by bit, and of an access their first bytes, of a branch those that go one way. */
export type WatchedExecution =
  | {
      readonly lanes: number;
      /** By active lane, from the lowest. */
      readonly bytes: readonly number[];
      /** Where the lowest lies, modulo 128 bytes. */
      readonly at: number;
    }
  | { readonly lanes: number; readonly taken: number };

export interface WatchedWarp {
  /** The first ones, as they come. */
  readonly executions: readonly WatchedExecution[];
  /** How many there were. */
  readonly count: number;
  /** The warp was not run to its end: it takes too long. */
  readonly isCut: boolean;
  /** Of a branch: what those lanes come to first, and the others; absent where nothing of the source is known there. */
  readonly ways: readonly [Span | undefined, Span | undefined];
}

/**
 * Runs the warp, of the kernel as the compiler has it, and its block where warps wait for each other.
 * @throws Cancelled, LaunchRefused, and an Error with a reason for the user when it cannot be run
 */
export function watchWarp(kernel: Kernel, launch: Launch, gpu: GpuModel, place: WatchedPlace, name: WarpName, work: Work): WatchedWarp {
  const problem = launchProblem(kernel, launch, gpu);
  if (problem !== undefined) throw new LaunchRefused(problem);
  const { grid, block } = launch;
  if (name.block >= grid[0] * grid[1] * grid[2] || name.warp >= Math.ceil((block[0] * block[1] * block[2]) / warpSize))
    throw new Error("the launch has no such warp");
  const compiled = compiledFor(kernel, Math.round(Number(gpu.computeCapability) * 10), work);
  const contents = contentsFor(compiled.kernel, work);
  const { launch: complete } = assumeUnknowns(compiled.kernel, launch, contents, work);
  const run = (allLanes: boolean): WatchedWarp => {
    const program = compile(compiled.kernel, complete, { contents, allLanes, work, gpu: gpu.values });
    const runner = new Runner(program, work.share(mostSteps));
    const watcher = new Watcher(runner, place, name.warp);
    for (const counter of [...program.counters.values()].flat()) if (watcher.isOf(counter)) counter.listener = watcher;
    const at = [name.block % grid[0], Math.floor(name.block / grid[0]) % grid[1], Math.floor(name.block / (grid[0] * grid[1]))] as const;
    return watcher.watch(() => runner.runBlock(at, 1, program.waits ? undefined : name.warp));
  };
  try {
    return run(false);
  } catch (error) {
    if (!(error instanceof WrapsAround)) throw error;
    return run(true);
  }
}

class Watcher implements AccessListener {
  readonly #runner: Runner;
  readonly #place: WatchedPlace;
  readonly #warp: number;
  readonly #executions: WatchedExecution[] = [];
  #count = 0;
  #ways: WatchedWarp["ways"] = [undefined, undefined];

  constructor(runner: Runner, place: WatchedPlace, warp: number) {
    this.#runner = runner;
    this.#place = place;
    this.#warp = warp;
    runner.records = [];
    if (!place.access) runner.branchListener = (block, mask, taken) => this.#branch(block, mask, taken);
  }

  isOf({ op, operation, bytes }: AccessCounter): boolean {
    const { access, isAt } = this.#place;
    return access !== undefined && operation === access.operation && bytes === access.bytesPerLane && isAt(op.span);
  }

  watch(run: () => void): WatchedWarp {
    let isCut = false;
    try {
      run();
    } catch (error) {
      if (!(error instanceof BudgetExceeded)) throw error;
      isCut = true;
    }
    return { executions: this.#executions, count: this.#count, isCut, ways: this.#ways };
  }

  request({ space }: AccessCounter, addresses: Float64Array, from: number, mask: number): void {
    if (space === this.#place.access?.space) this.#access(mask, (lane) => addresses[from + lane]!);
  }

  patterned({ space }: AccessCounter, _: unknown, first: number, pattern: Float64Array, mask: number): void {
    if (space === this.#place.access?.space) this.#access(mask, (lane) => first + pattern[lane]!);
  }

  /** No lane names what these move. */
  bulk(): void {}
  meets(): void {}

  get #isWatched(): boolean {
    return this.#runner.record?.warp === this.#warp && ++this.#count <= mostExecutions;
  }

  #access(mask: number, addressOf: (lane: number) => number): void {
    if (!this.#isWatched) return;
    const addresses: number[] = [];
    for (let lane = 0; lane < warpSize; lane++) if ((mask >>> lane) & 1) addresses.push(addressOf(lane));
    const lowest = Math.min(...addresses);
    this.#executions.push({ lanes: mask >>> 0, bytes: addresses.map((each) => each - lowest), at: lowest % shapeBytes });
  }

  #branch({ block, end }: CompiledBlock, mask: number, taken: number): void {
    if (end.kind !== "branch" || block.end.kind !== "branch" || !this.#place.isAt(block.end.span) || !this.#isWatched) return;
    const { span } = block.end;
    this.#ways = [firstPlace(end.then.to.block, span), firstPlace(end.else.to.block, span)];
    this.#executions.push({ lanes: mask >>> 0, taken: taken >>> 0 });
  }
}

/** Blocks that are looked through for something of the source. */
const mostBlocks = 8;

/** What is there before the kernel begins stands at its head. */
const given: ReadonlySet<Op["action"]["kind"]> = new Set(["param", "const", "special"]);

/** What of the source stands first in a block, or where it goes on, but for the branch before it. */
function firstPlace(block: Block, before: Span): Span | undefined {
  const isPlace = ({ file, line, start, end }: Span): boolean =>
    line > 0 && (file !== before.file || line !== before.line || start !== before.start || end !== before.end);
  const blocks = new Set([block]);
  for (const { ops, end } of blocks) {
    const found =
      ops.find(({ action, span }) => !given.has(action.kind) && isPlace(span))?.span ??
      (end.kind === "branch" && isPlace(end.span) ? end.span : undefined);
    if (found || blocks.size > mostBlocks) return found;
    for (const next of end.kind === "jump" ? [end.to] : end.kind === "branch" ? [end.then, end.else] : []) blocks.add(next);
  }
  return undefined;
}
