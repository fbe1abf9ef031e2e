/**
 * What an earlier launch left in one of its buffers, found by running those of its warps that are asked for: where its stores'
 * addresses tell which warp stores an element, that warp; else all of them, if they are few. What neither tells is summarised
 * from a sample of its blocks.
 */

import { BudgetExceeded } from "../execute/budget.ts";
import { compile } from "../execute/compile.ts";
import { launchConstants } from "../execute/constants.ts";
import { random } from "../execute/content.ts";
import type { LazyMemory } from "../execute/memory.ts";
import { type Program, warpSize } from "../execute/program.ts";
import { type MemoryObject, mayOverlap, type Provenance, traceAddresses } from "../execute/provenance.ts";
import { Runner } from "../execute/run.ts";
import type { Scalar } from "../execute/scalars.ts";
import { sliceForStores } from "../execute/slice.ts";
import type { Contents, MemorySource } from "../execute/sources.ts";
import { type Content, type Dim3, type Kernel, type Launch, type Op, type ScalarType, scalarBytes } from "../ir/kernel.ts";
import type { Work } from "../work.ts";
import { Forms, linearIn } from "./forms.ts";
import { LikeBlocks, type Stretches, stretchesOf } from "./like-blocks.ts";
import { StoreOrigin } from "./origin.ts";
import { summarise } from "./summary.ts";

/** Steps all blocks may take to be run as a whole rather than on demand, or where there is no other way: a table that is filled by hashes. */
const fewSteps = 20_000;
const mostSteps = 1_000_000;
/** Steps that the sample of a launch's blocks may take, and blocks of it. */
const sampleSteps = 40_000;
const sampledBlocks = 8;
/** Steps of one warp, or of a block of warps that wait for each other. */
const runSteps = 200_000;

/** Of the elements that blocks filled which were not run. */
const fillSeed = 3;

/** More than a block has. */
const mostWarps = 64;
/** How what a buffer holds was found. */
type Found = "simple" | "on demand" | "whole" | "sampled";

/** What replays that run all of their blocks may spend together, and whether one of them is running. */
export interface Wholes {
  readonly work: Work;
  isRunning: boolean;
}

export interface ReplayOptions {
  /** What the buffer held, where all that decides what is stored to it is known. */
  readonly before?: Content | undefined;
  /** Steps that finding who stores to a byte may take, where it is not to be as many as usual. */
  readonly patience?: number | undefined;
  /** What replays may spend that run all of their blocks, as there is no other way, and whether one does: what it reads is paid for by it. */
  readonly whole?: Wholes;
  /** What blocks that may not be run any more stored is taken to be as what others did. */
  readonly alike?: boolean;
}

export class Replay implements MemorySource {
  readonly found: Found;
  /** Of `simple` and `sampled`. */
  readonly content: Content;
  readonly #program: Program;
  readonly #runner: Runner;
  /** What all replays may spend. */
  readonly #work: Work;
  readonly #whole: Wholes;
  /** It spends what those may that run all of their blocks. */
  #isWhole = false;
  readonly #start: number;
  readonly #memory: LazyMemory;
  #origins: readonly { readonly origin: StoreOrigin; readonly atomic: boolean }[] = [];
  /** Several warps may add to a byte. */
  #adds = false;
  /** Blocks or warps that were run, and bytes that were asked for. */
  readonly #done = new Set<number>();
  readonly #sought = new Set<number>();
  #ranAll = false;
  /** What the launch's other blocks may have stored, once no more may be run, where nothing of a block like them is known. */
  rest: Content | undefined;
  #rest: MemorySource | undefined;
  readonly #stretches: Stretches | undefined;
  #like: LikeBlocks | undefined;
  /** Bytes of the buffer, where it is a table in which places are claimed that data decides. */
  readonly #tableBytes: number | undefined;
  /** Of the places of a table that were not filled, the share that the blocks which were not run are taken to have filled. */
  filled: number | undefined;
  /** Whether any of what was read was taken from a block like the one that stores it. */
  tookLike = false;
  readonly #contents: Contents;
  readonly #patience: number | undefined;
  readonly #before: MemorySource | undefined;
  /** Type of the elements that are stored. */
  readonly element: ScalarType;

  /**
   * @param kernel optimised
   * @param launch complete: nothing in it is unknown but contents that do not matter
   * @param contents of the launch's own buffers
   * @param work shared with other replays
   */
  constructor(
    kernel: Kernel,
    launch: Launch,
    buffer: number,
    contents: Contents,
    work: Work,
    { before, patience, alike = false, whole = { work, isRunning: false } }: ReplayOptions = {},
  ) {
    this.#patience = patience;
    const object: MemoryObject = `buffer ${buffer}`;
    // Pages are never filled: bytes that were stored are told from those that were not.
    const bare: Contents = {
      source: (content, element, seed) => {
        const source = contents.source(content, element, seed);
        return { read: (offset, type) => source.read(offset, type) };
      },
    };
    const provenance = traceAddresses(kernel, launch, work);
    const slice = sliceForStores(kernel, provenance, new Set([object]), work);
    const program = compile(kernel, launch, { slice, allLanes: true, contents: bare, counts: () => false, work });
    const { environment } = program;
    this.#contents = contents;
    this.#before = before && contents.source(before, "i32", 0);
    this.#program = program;
    this.#work = work;
    this.#whole = whole;
    this.#runner = new Runner(program, work);
    this.#start = environment.bufferStarts[buffer] ?? 0;
    const memory = environment.global.memoryAt(this.#start);
    if (!memory) throw new Error(`there is no buffer ${buffer}`);
    this.#memory = memory;
    const { content: held = { kind: "unknown" }, bytes } = launch.buffers[buffer] ?? {};
    const writers = writersOf(kernel, buffer, provenance);
    const type = writers[0]?.args[1]?.type ?? "void";
    this.element = type === "void" || type === "ptr" ? (launch.buffers[buffer]?.element ?? "i32") : type;
    const forms = new Forms(kernel, environment, launchConstants(environment));
    const stores = writers.flatMap((op) => storeForms(op, forms));
    this.#stretches = alike && stores.length === writers.length ? stretchesOf(stores, this.#start, environment, work) : undefined;
    this.content = { kind: "unknown" };
    const simple = stores.length === writers.length && held.kind === "unknown" ? simpleContent(stores, this.#start) : undefined;
    if (simple) {
      this.found = "simple";
      this.content = simple;
      return;
    }
    const sample = this.#sample();
    const blocks = launch.grid[0] * launch.grid[1] * launch.grid[2];
    const all = (sample.steps / Math.max(1, sample.blocks)) * blocks;
    const origins = stores.flatMap(({ op, address, width }) => {
      const origin = StoreOrigin.of(address, width, environment, bytes ?? 2 ** 32, work);
      return origin ? [{ origin, atomic: op.action.kind === "atomic" }] : [];
    });
    const invertible = origins.length === writers.length;
    this.#tableBytes = !invertible && held.kind !== "unknown" && writers.every(claims) ? bytes : undefined;
    const may = invertible ? Math.min(this.#budget.left, fewSteps) : Math.min(whole.work.left, mostSteps);
    if (sample.blocks > 0 && all <= may) {
      this.found = "whole";
      if (!invertible) this.#isWhole = true;
    } else if (invertible) {
      this.found = "on demand";
      this.#origins = origins;
      this.#adds = origins.some(({ atomic }) => atomic);
    } else if (sample.blocks > 0 && this.#tableBytes !== undefined) {
      // How full a table gets is told by what a few blocks put into it.
      this.found = "whole";
      this.#ranAll = true;
      this.#takeRest();
    } else {
      this.found = "sampled";
      const atomic = writers.some((op) => op.action.kind === "atomic");
      this.content = atomic || sample.blocks === 0 ? { kind: "unknown" } : summarise(this.#memory, this.element, held);
    }
  }

  /** Whether a warp was found that stores to a byte, and run. */
  isStored(offset: number): boolean {
    this.read(offset, "i8");
    return this.#memory.isWritten(offset);
  }

  isFresh(offset: number): boolean {
    if (!(this.found === "whole" || this.found === "on demand") || this.#before?.isFresh?.(offset) !== true) return false;
    this.read(offset, "i8");
    return this.#rest === undefined && !this.#memory.isWritten(offset);
  }

  read(offset: number, type: ScalarType): Scalar {
    if (this.found === "whole") this.#runAll();
    else {
      const last = offset + scalarBytes[type] - 1;
      if (this.#adds || !this.#memory.isWritten(offset)) this.#seek(offset);
      if (!this.#memory.isWritten(last)) this.#seek(last);
    }
    if (!this.#rest || this.#memory.isWritten(offset)) return this.#memory.read(offset, type);
    const last = scalarBytes[type] - 1;
    for (const like of this.#like?.placesLike(offset) ?? []) {
      if (!(this.#memory.isWritten(like) && this.#memory.isWritten(like + last))) continue;
      this.tookLike = true;
      return this.#memory.read(like, type);
    }
    return this.#rest.read(offset, type);
  }

  /** Runs the warps that may store to a byte, until one has; that may add to it, all. */
  #seek(offset: number): void {
    if (this.#rest || this.#sought.has(offset)) return;
    this.#sought.add(offset);
    for (const { origin, atomic } of this.#origins) {
      if (!atomic && this.#memory.isWritten(offset)) continue;
      const steps = origin.search(
        this.#start + offset,
        (block, warp) => {
          this.#run(block, warp);
          return this.#rest !== undefined || (!atomic && this.#memory.isWritten(offset));
        },
        this.#patience,
      );
      this.#budget.ask(steps);
    }
  }

  get #budget(): Work {
    return this.#isWhole || this.#whole.isRunning ? this.#whole.work : this.#work;
  }

  /** Runs a warp, or its block where its warps wait for each other. */
  #run(block: Dim3, warp: number): void {
    const { waits, launch } = this.#program;
    const [columns, rows] = launch.grid;
    const index = block[0] + columns * (block[1] + rows * block[2]);
    const key = waits ? index : index * mostWarps + warp;
    if (this.#rest || this.#done.has(key)) return;
    this.#done.add(key);
    this.#runner.work = this.#budget.share(runSteps);
    try {
      if (waits) this.#runner.runBlock(block);
      else this.#runner.runBlock(block, 1, warp);
    } catch (error) {
      if (!(error instanceof BudgetExceeded)) throw error;
      // What it stored half-way is nobody else's.
      this.#done.delete(key);
      if (this.#stretches)
        this.#like = new LikeBlocks(
          this.#stretches,
          [...this.#done].map((each) => (waits ? each : Math.floor(each / mostWarps))),
        );
      this.#takeRest();
    }
  }

  /** What the blocks stored that are not run. */
  #takeRest(): void {
    this.rest = summarise(this.#memory, this.element, { kind: "unknown" });
    const stored = this.#contents.source(this.rest, this.element, 0);
    this.filled = this.#shareFilled();
    this.#rest = this.filled === undefined ? stored : this.#here(this.filled, stored);
  }

  /** Of the places nobody has filled, the share that the warps which were not run fill: each place is as likely as any. */
  #shareFilled(): number | undefined {
    const elements = (this.#tableBytes ?? 0) / scalarBytes[this.element];
    let stored = 0;
    for (const _ of this.#memory.written(scalarBytes[this.element])) stored++;
    if (stored === 0 || stored > elements || this.#done.size === 0) return undefined;
    const { waits, launch } = this.#program;
    const runs = product(launch.grid) * (waits ? 1 : Math.ceil(product(launch.block) / warpSize));
    return 1 - (1 - stored / elements) ** (runs / this.#done.size - 1);
  }

  /** What was stored, in so many of the elements; what was there before in the others. */
  #here(share: number, stored: MemorySource): MemorySource {
    const size = scalarBytes[this.element];
    return {
      read: (offset, type) =>
        random(Math.floor(offset / size), fillSeed) < share ? stored.read(offset, type) : this.#memory.read(offset, type),
    };
  }

  #runAll(): void {
    if (this.#ranAll) return;
    this.#ranAll = true;
    const [columns, rows, layers] = this.#program.launch.grid;
    const { isRunning } = this.#whole;
    this.#whole.isRunning ||= this.#isWhole;
    try {
      for (let z = 0; z < layers; z++) for (let y = 0; y < rows; y++) for (let x = 0; x < columns; x++) this.#runBlock([x, y, z]);
    } finally {
      this.#whole.isRunning = isRunning;
    }
  }

  #runBlock(block: Dim3): void {
    const { waits, launch } = this.#program;
    const warps = waits ? 1 : Math.ceil((launch.block[0] * launch.block[1] * launch.block[2]) / warpSize);
    for (let warp = 0; warp < warps; warp++) this.#run(block, warp);
  }

  /** Runs blocks spread evenly over the grid. */
  #sample(): { readonly blocks: number; readonly steps: number } {
    const [columns, rows, layers] = this.#program.launch.grid;
    const count = columns * rows * layers;
    const budget = this.#budget;
    const before = budget.spent;
    let blocks = 0;
    for (let k = 0; k < Math.min(count, sampledBlocks); k++) {
      if (budget.spent - before > sampleSteps || this.#rest) break;
      const index = Math.floor(((2 * k + 1) * count) / (2 * Math.min(count, sampledBlocks)));
      this.#runBlock([index % columns, Math.floor(index / columns) % rows, Math.floor(index / (columns * rows))]);
      if (!this.#rest) blocks++;
    }
    return { blocks, steps: budget.spent - before };
  }
}

const product = ([x, y, z]: Dim3): number => x * y * z;

/** Whether it takes a place that is free. */
const claims = ({ action }: Op): boolean => action.kind === "atomic" && action.op === "cas";

interface StoreForms {
  readonly op: Op;
  readonly address: NonNullable<ReturnType<Forms["of"]>>;
  readonly values: readonly Op[];
  readonly width: number;
  readonly forms: Forms;
}

/** Operations that may write to a buffer. */
export function writersOf(kernel: Kernel, buffer: number, provenance: Provenance): Op[] {
  const object: ReadonlySet<MemoryObject> = new Set([`buffer ${buffer}` as const]);
  const writes = ({ action: { kind }, args: [target] }: Op): boolean =>
    target !== undefined && (kind === "store" || kind === "atomic") && mayOverlap(provenance.of(target), object);
  return kernel.blocks.flatMap(({ ops }) => ops.filter(writes));
}

/** Where a store or an atomic goes; none where data decides it. */
function storeForms(op: Op, forms: Forms): StoreForms[] {
  const [target, ...values] = op.args;
  const [first] = values;
  if (!target || !first || first.type === "void") return [];
  const address = forms.of(target);
  return address ? [{ op, address, values, width: scalarBytes[first.type] * (op.action.kind === "store" ? values.length : 1), forms }] : [];
}

/** The same constant everywhere, or a multiple of each element's own index. */
function simpleContent(stores: readonly StoreForms[], start: number): Content | undefined {
  let found: { readonly slope: number; readonly start: number } | undefined;
  for (const { op, address, values, forms } of stores) {
    if (op.action.kind !== "store") return undefined;
    for (const [k, value] of values.entries()) {
      const bytes = value.type === "void" ? 1 : scalarBytes[value.type];
      const form = value.type === "f16" || value.type === "bf16" ? undefined : forms.of(value);
      const linear = form && linearIn(form, { ...address, constant: address.constant - start + k * bytes });
      if (!linear) return undefined;
      const element = { slope: linear.slope * bytes, start: linear.start };
      if (found && (found.slope !== element.slope || found.start !== element.start)) return undefined;
      found = element;
    }
  }
  if (!found) return undefined;
  if (found.slope === 0) return found.start === 0 ? { kind: "zero" } : { kind: "constant", value: found.start };
  return { kind: "linear", stride: found.slope, start: found.start };
}
