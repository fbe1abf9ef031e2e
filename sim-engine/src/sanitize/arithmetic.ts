/**
 * Looks at the values that decide where a kernel goes and what it touches: indices that do not fit 32 bits, divisions by zero, and how far
 * the indices come that guards compare with a bound. Runs the blocks at the grid's corners, where indices are least and greatest.
 */
import type { AccessCounter, AccessListener, RequestShape } from "../execute/accesses.ts";
import { BudgetExceeded } from "../execute/budget.ts";
import { compile } from "../execute/compile.ts";
import type { Program } from "../execute/program.ts";
import { traceAddresses } from "../execute/provenance.ts";
import { Runner } from "../execute/run.ts";
import { type Slice, sliceForAddresses } from "../execute/slice.ts";
import type { Contents } from "../execute/sources.ts";
import type { Dim3, Kernel, Launch, Op, Span } from "../ir/kernel.ts";
import type { GuardReach, Reach, StoredPart } from "../report/reach.ts";
import type { Actor, Violation } from "../report/violation.ts";
import type { Work } from "../work.ts";
import { dependsOnBlock } from "./alike.ts";
import { findInvented, type Invented } from "./invented.ts";
import { laneValue } from "./lane-values.ts";
import { LastElements } from "./last-elements.ts";
import { extentsOf } from "./objects.ts";

export interface Probed {
  /** Prepared as for running it. */
  readonly kernel: Kernel;
  readonly launch: Launch;
  readonly contents: Contents;
  /** Parameters whose values were made up. */
  readonly invented: ReadonlySet<number>;
}

export interface Arithmetic {
  readonly violations: readonly Violation[];
  /** Undefined where not all corners could be run. */
  readonly reach: Reach | undefined;
  /** Blocks besides the corners that come to the last elements. */
  readonly last: readonly Dim3[];
}

/** @throws Cancelled, and an Error with a reason where the kernel cannot be run */
export function probe({ kernel, launch, contents, invented }: Probed, work: Work): Arithmetic {
  const base = sliceForAddresses(kernel, traceAddresses(kernel, launch, work), work);
  const watches = new Watches(kernel, base, invented);
  if (watches.isEmpty) return { violations: [], reach: undefined, last: [] };
  let watching: Watching | undefined;
  const program = compile(kernel, launch, {
    allLanes: true,
    contents,
    work,
    slice: { needs: (op) => base.needs(op) || watches.needed.has(op), acts: (op) => base.acts(op) },
    onValue: { watches: (op) => watches.has(op), told: (op, from, mask) => watching?.told(op, from, mask) },
  });
  const runner = new Runner(program, work);
  watching = new Watching(runner, watches, findInvented(program, invented, work));
  let complete = true;
  for (const at of corners(launch.grid)) {
    try {
      watching.run(at);
    } catch (error) {
      // What was seen until then counts.
      if (!(error instanceof BudgetExceeded)) throw error;
      complete = false;
      break;
    }
  }
  return { violations: watching.violations, reach: complete ? watching.reach : undefined, last: watching.last.blocks };
}

/** The last block first: it is the one where most goes wrong. */
function corners(grid: Dim3): Dim3[] {
  const [x, y, z] = grid.map((length) => length - 1) as unknown as Dim3;
  const all: Dim3[] = [
    [x, y, z],
    [0, 0, 0],
    [x, 0, 0],
    [0, y, 0],
    [0, 0, z],
  ];
  return [...new Map(all.map((at) => [at.join(), at])).values()];
}

/** `index < limit`, or what comes to the same; `passes`: the comparison is true where it holds. */
interface Guard {
  readonly op: Op;
  readonly index: Op;
  readonly bound: Op;
  /** What is added to the bound for the least index that does not pass. */
  readonly beyond: 0 | 1;
  readonly passes: boolean;
}

const isDivision = ({ action }: Op): boolean => action.kind === "int" && /^[su](div|rem)$/.test(action.op);

/** Values of their operands alone. */
const isPlain = ({ action: { kind } }: Op): boolean => /^(const|param|special|int|icmp|select|convert|phi)$/.test(kind);

/** A value of 32 bits that is used as one of 64. */
interface Widening {
  readonly value: Op;
  readonly signed: boolean;
}

/** Indices of 32 bits are signed. */
function widens({ action, args: [first, index] }: Op): Widening | undefined {
  if (action.kind === "gep") return index?.type === "i32" ? { value: index, signed: true } : undefined;
  if (action.kind !== "convert" || first?.type !== "i32") return undefined;
  return action.op === "sext" || action.op === "zext" ? { value: first, signed: action.op === "sext" } : undefined;
}

/** The operations that are looked at. */
class Watches {
  readonly divisions = new Set<Op>();
  /** Values of 32 bits that become part of an address. */
  readonly widened = new Map<Op, Widening>();
  readonly guards = new Map<Op, Guard>();
  /** What divisors are made of, besides what is computed anyway. */
  readonly needed = new Set<Op>();

  constructor(kernel: Kernel, slice: Slice, invented: ReadonlySet<number>) {
    for (const { ops, end } of kernel.blocks) {
      for (const op of ops) {
        if (isDivision(op)) this.#division(op, slice);
        if (/^(load|store|atomic|copy.async)$/.test(op.action.kind)) for (const address of op.args.slice(0, 1)) this.#address(address);
      }
      if (end.kind === "branch" && end.cond.action.kind === "icmp") this.#guard(end.cond, invented);
    }
  }

  get isEmpty(): boolean {
    return this.divisions.size + this.widened.size + this.guards.size === 0;
  }

  has(op: Op): boolean {
    return this.divisions.has(op) || this.widened.has(op) || this.guards.has(op);
  }

  #division(op: Op, slice: Slice): void {
    const [, divisor] = op.args;
    if (!divisor || divisor.action.kind === "const") return;
    const made = new Set<Op>([divisor]);
    for (const each of made) {
      if (slice.needs(each)) continue;
      if (!isPlain(each)) return;
      for (const arg of each.args) made.add(arg);
    }
    for (const each of made) this.needed.add(each);
    this.divisions.add(op);
  }

  #address(address: Op): void {
    const seen = new Set<Op>([address]);
    for (const op of seen) {
      const { action, args } = op;
      const narrow = widens(op);
      if (narrow) this.widened.set(op, narrow);
      if (/^(gep|int|convert|select|phi)$/.test(action.kind)) for (const arg of args) seen.add(arg);
    }
  }

  #guard(op: Op, invented: ReadonlySet<number>): void {
    if (op.action.kind !== "icmp") return;
    const [a, b] = op.args;
    const [, , relation] = /^([su])(lt|le|gt|ge)$/.exec(op.action.predicate) ?? [];
    if (!a || !b || relation === undefined) return;
    const turned = isBound(a, invented);
    const [index, bound] = turned ? [b, a] : [a, b];
    if (!isBound(bound, invented) || !isIndex(index, invented) || !dependsOnBlock(index)) return;
    // index < bound passes; bound <= index is the same turned and negated.
    const less = relation.startsWith("l") !== turned;
    const orEqual = relation.endsWith("e");
    this.guards.set(op, { op, index, bound, passes: less, beyond: less === orEqual ? 1 : 0 });
  }
}

/** The same for all threads, and said by the source. */
const isBound = (op: Op, invented: ReadonlySet<number>): boolean =>
  every(op, ({ action }) => {
    if (action.kind === "param") return !invented.has(action.index);
    if (action.kind === "special") return /^n(tid|ctaid)/.test(action.register);
    return /^(const|int|convert|select|icmp)$/.test(action.kind);
  });

/** A sum of products of what tells threads apart: greatest at the rim of the grid. */
const isIndex = (op: Op, invented: ReadonlySet<number>): boolean =>
  every(op, ({ action }) => {
    if (action.kind === "param") return !invented.has(action.index);
    if (action.kind === "special") return /^n?(tid|ctaid)/.test(action.register);
    if (action.kind === "int") return /^(add|sub|mul|shl)$/.test(action.op);
    return /^(const|convert|phi)$/.test(action.kind);
  });

function every(value: Op, holds: (op: Op) => boolean): boolean {
  const seen = new Set<Op>([value]);
  for (const op of seen) {
    if (!holds(op)) return false;
    for (const arg of op.args) seen.add(arg);
  }
  return true;
}

interface Seen {
  most: number;
  limit: number;
  /** Some thread did not pass, or what decides is not known. */
  ends: boolean;
  /** The least distance of neighbouring threads' indices. */
  stride: number;
  /** The blocks that came to it, each once. */
  readonly blocks: Set<Dim3>;
}

/** The buffer that an operation stores to: its address, and how far the stores have come. */
interface Stored {
  readonly name: string;
  readonly bytes: number;
  readonly start: number;
  end: number;
}

const place = ({ file, line, start, end }: Span): Actor["at"] => ({ file, line, start, end });

/** Hears of the values, and of what is stored to. */
class Watching implements AccessListener {
  readonly #runner: Runner;
  readonly #program: Program;
  readonly #watches: Watches;
  readonly #invented: Invented;
  readonly #found = new Map<string, Violation>();
  readonly #guards = new Map<Guard, Seen>();
  readonly #stored = new Map<AccessCounter, Stored>();
  readonly last: LastElements;
  #block: Dim3 = [0, 0, 0];
  #blocks = 0;

  constructor(runner: Runner, watches: Watches, invented: Invented) {
    this.last = new LastElements(runner.program.launch.grid);
    this.#runner = runner;
    this.#program = runner.program;
    this.#watches = watches;
    this.#invented = invented;
    for (const counter of [...this.#program.counters.values()].flat()) {
      if (counter.space !== "global" || !/^(store|atomic)$/.test(counter.operation)) continue;
      const [address] = counter.op.args;
      const [extent, ...others] = (address && extentsOf(this.#program, address)) ?? [];
      if (!extent || others.length > 0 || extent.object.kind !== "buffer") continue;
      const { name, bytes } = extent.object;
      this.#stored.set(counter, { name, bytes, start: extent.start, end: stepsByGrid(counter.op) ? bytes : 0 });
      counter.listener = this;
    }
  }

  get violations(): readonly Violation[] {
    return [...this.#found.values()];
  }

  run(at: Dim3): void {
    this.#block = at;
    this.#blocks++;
    this.#runner.records = [];
    this.#runner.runBlock(at);
  }

  get reach(): Reach {
    const guards = [...this.#guards].flatMap(([guard, { most, limit, ends, stride, blocks }]): GuardReach[] => {
      // Blocks that do something else, or nothing, leave it open how far the others come.
      const isPartly = blocks.size < this.#blocks;
      const stored = [...this.#stored].filter(([{ op }]) => op.args[0] && isMadeOf(op.args[0], guard.index)).map(([, part]) => part.name);
      return stored.length === 0
        ? []
        : [{ at: place(guard.op.span), most, limit, covers: ends || isPartly || most + stride >= limit, stored: [...new Set(stored)] }];
    });
    const parts = new Map<string, StoredPart>();
    for (const { name, bytes, end } of this.#stored.values())
      parts.set(name, { name, bytes, end: Math.max(end, parts.get(name)?.end ?? 0) });
    return { guards, stored: [...parts.values()] };
  }

  // ---------------------------------------------------------------- what is stored to

  request(counter: AccessCounter, addresses: Float64Array, from: number, mask: number): void {
    for (let lane = 0, bits = mask; bits !== 0; lane++, bits >>>= 1) if (bits & 1) this.#stores(counter, addresses[from + lane]!);
  }

  patterned(counter: AccessCounter, _: RequestShape, first: number, pattern: Float64Array, mask: number): void {
    for (let lane = 0, bits = mask; bits !== 0; lane++, bits >>>= 1) if (bits & 1) this.#stores(counter, first + pattern[lane]!);
  }

  bulk(): void {}

  meets(): void {}

  #stores(counter: AccessCounter, address: number): void {
    const part = this.#stored.get(counter);
    if (part) part.end = Math.max(part.end, address - part.start + counter.bytes);
  }

  // ---------------------------------------------------------------- values

  told(op: Op, from: number, mask: number): void {
    if (this.#runner.isTrying) return;
    const guard = this.#watches.guards.get(op);
    if (guard) this.#compared(guard, from, mask);
    if (this.#watches.divisions.has(op)) this.#divided(op, from, mask);
    const widening = this.#watches.widened.get(op);
    if (widening) this.#widens(op, widening, from, mask);
  }

  #compared(guard: Guard, from: number, mask: number): void {
    const seen: Seen = this.#guards.get(guard) ?? {
      most: Number.NEGATIVE_INFINITY,
      limit: 0,
      ends: false,
      stride: Number.POSITIVE_INFINITY,
      blocks: new Set(),
    };
    this.#guards.set(guard, seen);
    seen.blocks.add(this.#block);
    if (this.#invented.of(guard.op) || this.#invented.has(guard.index) || this.#invented.has(guard.bound)) seen.ends = true;
    let last: number | undefined;
    for (let lane = 0, bits = mask; bits !== 0; lane++, bits >>>= 1) {
      if ((bits & 1) === 0) continue;
      const index = laneValue(this.#program, guard.index, from, lane);
      const limit = laneValue(this.#program, guard.bound, from, lane) + guard.beyond;
      if (index >= limit) seen.ends = true;
      if (lane === 0 && this.#runner.record?.warp === 0) this.last.compares(guard.op, this.#block, index, limit);
      seen.most = Math.max(seen.most, index);
      seen.limit = limit;
      if (last !== undefined && index > last) seen.stride = Math.min(seen.stride, index - last);
      last = index;
    }
    if (seen.stride === Number.POSITIVE_INFINITY) seen.stride = 1;
  }

  #divided(op: Op, from: number, mask: number): void {
    const [, divisor] = op.args;
    if (!divisor || op.action.kind !== "int" || this.#invented.of(op) || this.#invented.has(divisor)) return;
    for (let lane = 0, bits = mask; bits !== 0; lane++, bits >>>= 1) {
      if ((bits & 1) === 0 || laneValue(this.#program, divisor, from, lane) !== 0) continue;
      this.#keep({ kind: "division-by-zero", by: this.#actor(op, lane), remainder: op.action.op.endsWith("rem") });
      return;
    }
  }

  /** The value of 32 bits is not what exact arithmetic gives. */
  #widens(op: Op, { value: narrow, signed }: Widening, from: number, mask: number): void {
    if (this.#invented.of(op) || this.#invented.has(narrow)) return;
    const most = signed ? 2 ** 31 : 2 ** 32;
    for (let lane = 0, bits = mask; bits !== 0; lane++, bits >>>= 1) {
      if ((bits & 1) === 0) continue;
      const exact = this.#exact(narrow, from, lane, 0);
      if (exact < most && exact >= -(2 ** 31)) continue;
      const at = this.#firstBeyond(narrow, from, lane, most);
      this.#keep({
        kind: "overflow",
        by: this.#actor(at, lane),
        exact: this.#exact(at, from, lane, 0),
        value: signed ? laneValue(this.#program, at, from, lane) : laneValue(this.#program, at, from, lane) >>> 0,
        signed,
      });
      return;
    }
  }

  /** What sums, differences and products come to without a limit; of anything else its value. */
  #exact(op: Op, from: number, lane: number, depth: number): number {
    const { action, args } = op;
    const [a, b] = args;
    if (a && b && op.type === "i32" && action.kind === "int" && depth < deepestSum) {
      if (action.op === "add") return this.#exact(a, from, lane, depth + 1) + this.#exact(b, from, lane, depth + 1);
      if (action.op === "sub") return this.#exact(a, from, lane, depth + 1) - this.#exact(b, from, lane, depth + 1);
      if (action.op === "mul") return this.#exact(a, from, lane, depth + 1) * this.#exact(b, from, lane, depth + 1);
    }
    return laneValue(this.#program, op, from, lane);
  }

  /** The operation where it goes beyond, its operands being within. */
  #firstBeyond(op: Op, from: number, lane: number, most: number): Op {
    for (let at = op; ; ) {
      const next = at.args.find((arg) => {
        const exact = this.#exact(arg, from, lane, 0);
        return arg.action.kind === "int" && (exact >= most || exact < -(2 ** 31));
      });
      if (!next) return at;
      at = next;
    }
  }

  #actor(op: Op, lane: number): Actor {
    const [x, y] = this.#program.launch.block;
    const index = (this.#runner.record?.warp ?? 0) * 32 + lane;
    const thread: Dim3 = [index % x, Math.floor(index / x) % y, Math.floor(index / (x * y))];
    return { block: this.#block, thread, at: place(op.span), operation: "arithmetic" };
  }

  #keep(violation: Violation): void {
    const { at } = violation.by;
    const key = `${violation.kind} ${at.file}:${at.start}-${at.end}`;
    if (!this.#found.has(key)) this.#found.set(key, violation);
  }
}

/** It goes on by the grid's size, turn by turn: a block in the middle of the grid may come further than those at its corners. */
const stepsByGrid = ({ args: [address] }: Op): boolean =>
  address !== undefined && !every(address, (op) => op.action.kind !== "phi" || every(op, ({ action }) => !isGridSize(action)));

const isGridSize = (action: Op["action"]): boolean => action.kind === "special" && action.register.startsWith("nctaid");

/** Terms of a sum that is worked out again. */
const deepestSum = 12;

/** Some operand of a value is the same sum as another value. */
const isMadeOf = (value: Op, part: Op): boolean => !every(value, (op) => !isSame(op, part, 0));

function isSame(a: Op, b: Op, depth: number): boolean {
  if (a === b) return true;
  if (a.action.kind !== b.action.kind || a.type !== b.type || a.action.kind === "phi" || depth >= deepestSum) return false;
  if (a.args.length === 0 ? !/^(const|special|param)$/.test(a.action.kind) : !/^(int|convert)$/.test(a.action.kind)) return false;
  const own = (op: Op): string => JSON.stringify(op.action, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
  return own(a) === own(b) && a.args.every((arg, k) => isSame(arg, b.args[k] as Op, depth + 1));
}
