/**
 * How many turns each warp's loops take where their bounds are known of the thread's index and of what memory holds before the launch, as the
 * rows of a sparse matrix are: told of all warps of a launch, without running any.
 */
import { arithmetic, launchConstants } from "../execute/constants.ts";
import { type Program, warpSize } from "../execute/program.ts";
import { type MemoryObject, mayOverlap } from "../execute/provenance.ts";
import { compareInt } from "../ir/evaluate.ts";
import type { Loop } from "../ir/graph.ts";
import { type Block, type Dim3, type IntPredicate, type Op, type ScalarType, scalarBytes } from "../ir/kernel.ts";
import type { Work } from "../work.ts";
import { placeOf } from "./boxes.ts";
import { innermostLoops, testsOf } from "./estimates.ts";

/** A warp of a launch, by its block's linear index. */
export interface ToldWarp {
  readonly block: number;
  readonly warp: number;
}

/** Warps that are told apart at most, and operations that one bound may be made of. */
const mostWarps = 1 << 18;
const mostOperations = 64;
/** Operations of all bounds, of all lanes that are told apart. */
const mostTold = 16_000_000;
/** Operations that a step of work does. */
const operationsAStep = 16;
/** Warps of which all lanes are looked at, to see which of them have places of their own. */
const looked = 8;

/** The thread that is asked about. */
interface Thread {
  block: Dim3;
  index: Dim3;
}

type Told = () => number;

/**
 * Those that have most to do in loops of this sort, most first.
 * @param lengthOf instructions that a warp issues each time it runs a block of the program
 * @returns nothing where no loop's turns are told
 */
export function busiestWarps(program: Program, lengthOf: (block: Block) => number, count: number, work: Work): readonly ToldWarp[] {
  const thread: Thread = { block: [0, 0, 0], index: [0, 0, 0] };
  const loops = toldLoops(program, lengthOf, thread);
  const { grid, block } = program.launch;
  const threads = block[0] * block[1] * block[2];
  const warps = Math.ceil(threads / warpSize);
  const all = grid[0] * grid[1] * grid[2] * warps;
  if (loops.length === 0 || all > mostWarps) return [];
  const enter = (warp: number, lane: number): void => {
    const index = Math.min(threads - 1, (warp % warps) * warpSize + lane);
    thread.block = placeOf(grid, Math.floor(warp / warps));
    thread.index = [index % block[0], Math.floor(index / block[0]) % block[1], Math.floor(index / block[0] / block[1])];
  };
  const lanes = distinctLanes(loops, all, enter);
  const operations = lanes.length * loops.reduce((sum, loop) => sum + loop.operations, 0);
  if (all * operations > mostTold) return [];
  const costs = new Float64Array(all);
  for (let warp = 0; warp < all; warp++) {
    work.ask(operations / operationsAStep);
    const most = new Float64Array(loops.length);
    for (const lane of lanes) {
      enter(warp, lane);
      for (const [k, { turns }] of loops.entries()) most[k] = Math.max(most[k]!, turns());
    }
    for (const [k, { length }] of loops.entries()) costs[warp]! += most[k]! * length;
  }
  const best: number[] = [];
  for (let warp = 0; warp < all; warp++) {
    if (best.length === count && costs[warp]! <= costs[best.at(-1)!]!) continue;
    const at = best.findIndex((other) => costs[warp]! > costs[other]!);
    best.splice(at < 0 ? best.length : at, 0, warp);
    if (best.length > count) best.pop();
  }
  return best.map((warp) => ({ block: Math.floor(warp / warps), warp: warp % warps }));
}

/** Lanes whose bounds stand elsewhere than those of the lanes before them. */
function distinctLanes(loops: readonly ToldLoop[], all: number, enter: (warp: number, lane: number) => void): readonly number[] {
  const lanes = [0];
  for (let lane = 1; lane < warpSize; lane++) {
    const isOwn = Array.from({ length: looked }, (_, k) => Math.floor((k * all) / looked)).some((warp) => {
      const placesOf = (of: number): readonly number[] => {
        enter(warp, of);
        return loops.flatMap(({ places }) => places.map((place) => place()));
      };
      const [own, last] = [placesOf(lane), placesOf(lanes.at(-1)!)];
      return own.some((place, k) => place !== last[k]);
    });
    if (isOwn) lanes.push(lane);
  }
  return lanes;
}

interface ToldLoop {
  readonly turns: Told;
  /** Addresses of what its bounds come of. */
  readonly places: readonly Told[];
  /** What is computed to tell its turns. */
  readonly operations: number;
  /** Instructions of a turn, without what is in loops within. */
  readonly length: number;
}

/** Loops whose first test against a bound is told, the bound from memory. */
function toldLoops(program: Program, lengthOf: (block: Block) => number, thread: Thread): readonly ToldLoop[] {
  const innermost = innermostLoops(program.loops);
  const teller = new Teller(program, thread);
  return program.loops.flatMap((loop): ToldLoop[] => {
    const own = [...loop.blocks].filter((block) => innermost.get(block) === loop);
    const length = own.reduce((sum, block) => sum + lengthOf(block), 0);
    for (const { from } of loop.exits) {
      if (innermost.get(from) !== loop) continue;
      for (const { op, predicate } of testsOf(from, loop)) {
        const told = teller.turns(loop, op, predicate);
        if (told) return [{ ...told, length }];
      }
    }
    return [];
  });
}

/** Which way a counter goes as long as such a comparison holds, and whether its end is among its values. */
const goesOn: Readonly<Partial<Record<IntPredicate, { readonly sign: 1 | -1; readonly atEnd: boolean }>>> = {
  slt: { sign: 1, atEnd: false },
  ult: { sign: 1, atEnd: false },
  ne: { sign: 1, atEnd: false },
  sle: { sign: 1, atEnd: true },
  ule: { sign: 1, atEnd: true },
  sgt: { sign: -1, atEnd: false },
  ugt: { sign: -1, atEnd: false },
  sge: { sign: -1, atEnd: true },
  uge: { sign: -1, atEnd: true },
};

/** Makes functions of operations that follow from the thread's index and from memory that the launch does not store to. */
class Teller {
  readonly #program: Program;
  readonly #thread: Thread;
  readonly #constantOf;
  readonly #stored: ReadonlySet<MemoryObject>;
  #operations = 0;
  #places: Told[] = [];

  constructor(program: Program, thread: Thread) {
    this.#program = program;
    this.#thread = thread;
    this.#constantOf = launchConstants(program.environment);
    const stored = new Set<MemoryObject>();
    for (const { ops } of program.kernel.blocks)
      for (const { action, args } of ops)
        if (/^(store|atomic|copy)/.test(action.kind) && args[0]) for (const object of program.provenance.of(args[0])) stored.add(object);
    this.#stored = stored;
  }

  /** @returns undefined where it is not told, and where its bounds come of no memory */
  turns(loop: Loop, test: Op, predicate: IntPredicate): Omit<ToldLoop, "length"> | undefined {
    const [a, b] = test.args;
    const way = goesOn[predicate];
    const counter = a && counterOf(a, loop);
    if (!counter || !way || !b) return undefined;
    const { phi, moved } = counter;
    const entries = phi.args.filter((_, k) => !loop.blocks.has(loop.header.predecessors[k]!));
    const steps = phi.args.filter((_, k) => loop.blocks.has(loop.header.predecessors[k]!));
    const [entry] = entries;
    const [next] = steps;
    if (!entry || entries.length > 1 || !next || steps.length > 1) return undefined;
    this.#operations = 0;
    this.#places = [];
    const [start, bound] = [this.#told(entry), this.#told(b)];
    const offsets = moved.map((op) => this.#told(op));
    const step = this.#stepOf(next, phi);
    if (!start || !bound || !step || this.#places.length === 0 || offsets.includes(undefined)) return undefined;
    const before = (): number => offsets.reduce((sum, each) => sum + (each?.() ?? 0), start());
    const turns = (): number => {
      const by = step() * way.sign;
      const left = (bound() - before()) * way.sign + (way.atEnd ? 1 : 0);
      return by > 0 && left > 0 ? Math.ceil(left / by) : 0;
    };
    return { turns, places: this.#places, operations: this.#operations };
  }

  /** What is added to a counter from turn to turn. */
  #stepOf(next: Op, phi: Op): Told | undefined {
    const steps: Told[] = [];
    for (let op = next; op !== phi; ) {
      const [from, by] = op.args;
      const added = op.action.kind === "int" && op.action.op === "add" && by ? this.#told(by) : undefined;
      if (!added || !from) return undefined;
      steps.push(added);
      op = from;
    }
    return () => steps.reduce((sum, each) => sum + each(), 0);
  }

  #told(op: Op): Told | undefined {
    this.#operations += 1;
    if (this.#operations > mostOperations) return undefined;
    const constant = this.#constantOf(op);
    if (constant !== undefined) return () => constant;
    const { action, args } = op;
    const [a, b, c] = args;
    switch (action.kind) {
      case "param": {
        const value = Number(this.#program.environment.parameterValue(action.index));
        return () => value;
      }
      case "special":
        return this.#special(action.register);
      case "int": {
        const [left, right] = [a && this.#told(a), b && this.#told(b)];
        if (!left || !right) return undefined;
        const compute = onBits[action.op] ?? ((x, y) => arithmetic(action.op, x, y) ?? Number.NaN);
        return op.type === "i32" ? () => compute(left(), right()) | 0 : () => compute(left(), right());
      }
      case "convert": {
        const from = a && this.#told(a);
        if (!from || !a) return undefined;
        if (action.op === "sext") return from;
        if (action.op === "trunc") return op.type === "i32" ? () => from() | 0 : undefined;
        return action.op === "zext" && a.type === "i32" ? () => from() >>> 0 : undefined;
      }
      case "gep": {
        const [base, index] = [a && this.#told(a), b && this.#told(b)];
        const { scale, offset } = action;
        return base && index && (() => base() + index() * scale + offset);
      }
      case "select": {
        const [condition, yes, no] = [a && this.#told(a), b && this.#told(b), c && this.#told(c)];
        return condition && yes && no && (() => (condition() ? yes() : no()));
      }
      case "icmp": {
        const [left, right] = [a && this.#told(a), b && this.#told(b)];
        const type = a?.type as ScalarType;
        if (!left || !right) return undefined;
        return () => {
          const [x, y] = [left(), right()];
          return Number(Number.isSafeInteger(x) && Number.isSafeInteger(y) && compareInt(action.predicate, type, x, y));
        };
      }
      case "load":
        return action.components === 1 ? this.#load(op, op.type as ScalarType, 0) : undefined;
      case "extract":
        return a?.action.kind === "load" ? this.#load(a, op.type as ScalarType, action.index) : undefined;
      default:
        return undefined;
    }
  }

  #load({ action, args: [address] }: Op, type: ScalarType, component: number): Told | undefined {
    if (action.kind !== "load" || action.volatile || !address || !/^(global|generic|constant)$/.test(action.space)) return undefined;
    if (!/^i(8|16|32|64)$/.test(type)) return undefined;
    const { environment, provenance } = this.#program;
    const objects = provenance.of(address);
    if (mayOverlap(objects, this.#stored) || ![...objects].every((object) => object.startsWith("buffer "))) return undefined;
    const at = this.#told(address);
    if (!at) return undefined;
    this.#places.push(at);
    const offset = component * scalarBytes[type];
    const { global } = environment;
    return () => Number(global.read(at() + offset, type));
  }

  #special(register: string): Told | undefined {
    const thread = this.#thread;
    const [name, axis] = register.split(".");
    const k = axis === "x" ? 0 : axis === "y" ? 1 : 2;
    if (name === "tid") return () => thread.index[k];
    if (name === "ctaid") return () => thread.block[k];
    const [width, height] = this.#program.launch.block;
    const linear = (): number => thread.index[0] + width * (thread.index[1] + height * thread.index[2]);
    if (name === "laneid") return () => linear() % warpSize;
    return name === "warpid" ? () => Math.floor(linear() / warpSize) : undefined;
  }
}

/** The phi of a loop's header that a value is, and what is added to it there. */
function counterOf(value: Op, loop: Loop): { readonly phi: Op; readonly moved: readonly Op[] } | undefined {
  const moved: Op[] = [];
  for (let op = value; ; ) {
    if (loop.header.phis.includes(op)) return { phi: op, moved };
    const { action, args } = op;
    const [from, by] = args;
    if (action.kind === "convert" && action.op === "sext" && from) op = from;
    else if (action.kind === "int" && action.op === "add" && from && by) {
      moved.push(by);
      op = from;
    } else return undefined;
  }
}

/** Operations on bits, of 32. */
const onBits: Readonly<Partial<Record<string, (a: number, b: number) => number>>> = {
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
};
