/**
 * Addresses that move by the same distance in each iteration become pointers that are advanced (LLVM's loop strength
 * reduction): `a[k * n + j]` over k costs one addition, not a multiplication and an address.
 */
import { nvcc } from "../../compilers/compiler.ts";
import { createOp } from "../../ir/builder.ts";
import { type DominatorTree, dominators, findLoops, type Loop } from "../../ir/graph.ts";
import type { Block, Kernel, Op, ScalarType } from "../../ir/kernel.ts";
import { answerOf } from "../../ir/origins.ts";
import type { Work } from "../../work.ts";
import { preheader } from "../edit/blocks.ts";
import { Constants } from "../edit/constants.ts";
import { Substitution } from "../edit/substitution.ts";
import { isNarrow } from "../facts/alias.ts";
import { type Fragments, findFragments } from "../facts/fragments.ts";
import { type Linear, linearKey, linearOf, multipleOf, singleTerm, splitBy, sum } from "../facts/linear.ts";
import { bottomTest, type Counter, constantTrips, definedIn, isCounted, loopCounter } from "./induction.ts";
import { sizes } from "./turn-size.ts";

/** An address in a loop: base + scale * (slope * counter + rest). */
interface Moving {
  readonly gep: Op;
  readonly block: Block;
  readonly rest: Linear;
}

/** One that shares its pointer with the first of its group, `times` strides and a constant from it. */
interface Member {
  readonly moving: Moving;
  readonly times: number;
  readonly left: number;
}

/** The first address of a group, and the pointer that it became. */
interface Led {
  readonly moving: Moving;
  readonly pointer: Op;
}

/** Returns whether any address was reduced. */
export function reduceStrength(kernel: Kernel, work: Work): boolean {
  let changed = false;
  for (const loop of findLoops(kernel)) preheader(kernel, loop);
  const fragments = findFragments(kernel, work);
  // LLVM passes over loops that hold others; here they keep pointers, too (DEVIATIONS.md).
  for (const loop of findLoops(kernel).reverse()) changed = reduceLoop(kernel, loop, fragments, work) || changed;
  return changed;
}

function reduceLoop(kernel: Kernel, loop: Loop, fragments: Fragments, work: Work): boolean {
  const [latch] = loop.latches;
  if (!latch || loop.latches.length !== 1) return false;
  const entry = preheader(kernel, loop);
  const inLoop = definedIn(loop);
  const counters = steppingCounters(loop, entry, latch, inLoop);
  if (counters.size === 0) return false;
  const constants = new Constants(kernel);
  const substitution = new Substitution();
  const found = new Map<
    string,
    { readonly counter: Op; readonly slope: Linear; readonly base: Op; readonly scale: number; readonly list: Moving[] }
  >();
  for (const block of kernel.blocks) {
    if (!loop.blocks.has(block)) continue;
    for (const gep of block.ops) {
      work.ask(1);
      const { action, args } = gep;
      const [base, index] = args;
      if (action.kind !== "gep" || !base || !index || inLoop(base) || !inLoop(index) || action.offset !== 0) continue;
      const linear = linearOf(index, isNarrow(base));
      for (const counter of counters.keys()) {
        const split = splitBy(linear, counter);
        if (!split || split.slope.size === 0 || dependsOnLoop(split.slope, inLoop) || dependsOnLoop(split.rest, inLoop)) continue;
        if (typeof counters.get(counter)?.step !== "number" && !onlyConstant(split.slope)) continue;
        const key = `${base.id} ${action.scale} ${counter.id} ${linearKey(split.slope)}`;
        const group = found.get(key) ?? { counter, slope: split.slope, base, scale: action.scale, list: [] };
        found.set(key, group);
        group.list.push({ gep, block, rest: split.rest });
        break;
      }
    }
  }
  if (found.size === 0 || isLeft(kernel, loop, entry, inLoop)) return false;
  const tree = dominators(kernel);
  for (const group of found.values()) {
    // No offset of a constant goes into an instruction that loads a fragment: several in a turn would each need a pointer, which LLVM does not take.
    if (group.list.length > 1 && group.list.every(({ gep }) => fragments.isAddress(gep))) continue;
    work.ask(kernel.blocks.length + group.list.length);
    const { start, step } = counters.get(group.counter) as Stepping;
    new Pointers(kernel, { loop, entry, latch, inLoop, tree }, constants, substitution).reduce(group, start, step);
  }
  substitution.apply(kernel, work);
  return true;
}

/**
 * Whether NVVM computes each address anew in every turn: of a loop that keeps so many values that there would be no registers for pointers, and
 * of one that is long and of which it does not know how often it runs (validation/compiler/pointers.json).
 */
function isLeft({ launchBounds }: Kernel, loop: Loop, entry: Block, inLoop: (op: Op) => boolean): boolean {
  const kept = new Set<Op>(loop.header.phis);
  for (const { phis, ops } of loop.blocks)
    for (const { args } of [...phis, ...ops]) for (const arg of args) if (!inLoop(arg) && arg.action.kind !== "const") kept.add(arg);
  const threads = launchBounds?.maxThreads ?? nvcc.threadsAssumed;
  return (
    (kept.size * threads) / nvcc.threadsAssumed > nvcc.valuesBesidePointers ||
    (sizes(loop).raw > nvcc.uncountedReducedSize && !isKnown(loop, entry))
  );
}

/** Whether it is known before the loop how often it runs. */
function isKnown(loop: Loop, entry: Block): boolean {
  const test = bottomTest(loop);
  if (!test) return false;
  if (constantTrips(loop, test, entry) !== undefined) return true;
  const counter = loopCounter(loop, test, entry);
  // What was unrolled counts its turns down to nothing.
  return counter !== undefined && (counter.predicate === "ne" || (isCounted(entry, counter) && !isCutShort(loop, counter)));
}

/**
 * Whether the counter was made one of 64 bits, for it is multiplied as such, and its low half is tested: that may wrap, where it goes by more
 * than one from who knows where, as in loops that were unrolled behind their rest (planes of a volume by size_t).
 */
function isCutShort({ blocks }: Loop, { phi, start, step }: Counter): boolean {
  if (phi.type !== "i32" || step === 1 || step === -1 || start.action.kind === "const") return false;
  const isOfCounter = (op: Op | undefined): boolean =>
    op === phi || (op?.action.kind === "int" && op.action.op === "add" && op.args[1]?.action.kind === "const" && isOfCounter(op.args[0]));
  const isWidened = ({ action, args }: Op): boolean => action.kind === "convert" && action.op === "sext" && isOfCounter(args[0]);
  return [...blocks].some(({ ops }) =>
    ops.some(({ action, type, args }) => action.kind === "int" && action.op === "mul" && type === "i64" && args.some(isWidened)),
  );
}

const dependsOnLoop = (linear: Linear, inLoop: (op: Op) => boolean): boolean =>
  [...linear.values()].some(({ factors }) => factors.some(inLoop));

interface Stepping {
  readonly start: Op;
  /** The same in each iteration. */
  readonly step: number | Linear;
}

/**
 * Header phis that step by a constant and never wrap; and long ones that step by what the loop does not change, as a plane of a volume,
 * but for those that it is tested by: these nvcc keeps as indices.
 */
function steppingCounters(loop: Loop, entry: Block, latch: Block, inLoop: (op: Op) => boolean): Map<Op, Stepping> {
  const counters = new Map<Op, Stepping>();
  const tested = new Set(
    [...loop.blocks].flatMap(({ ops }) => ops.filter(({ action }) => action.kind === "icmp").flatMap(({ args }) => args)),
  );
  for (const phi of loop.header.phis) {
    if (phi.type !== "i32" && phi.type !== "i64") continue;
    const start = phi.args[loop.header.predecessors.indexOf(entry)];
    const next = phi.args[loop.header.predecessors.indexOf(latch)];
    if (!start || !next || phi.args.length !== 2) continue;
    const split = splitBy(linearOf(next), phi);
    const one = split?.slope.get("");
    if (split?.slope.size !== 1 || one?.coefficient !== 1) continue;
    const step = split.rest.get("")?.coefficient ?? 0;
    if (split.rest.size === 1 && step !== 0) counters.set(phi, { start, step });
    else if (phi.type === "i64" && split.rest.size > 0 && !dependsOnLoop(split.rest, inLoop) && !tested.has(phi) && !tested.has(next))
      counters.set(phi, { start, step: split.rest });
  }
  return counters;
}

interface Place {
  readonly loop: Loop;
  readonly entry: Block;
  readonly latch: Block;
  readonly inLoop: (op: Op) => boolean;
  readonly tree: DominatorTree;
}

class Pointers {
  readonly #kernel: Kernel;
  readonly #loop: Loop;
  readonly #entry: Block;
  readonly #latch: Block;
  readonly #inLoop: (op: Op) => boolean;
  readonly #tree: DominatorTree;
  readonly #constants: Constants;
  readonly #substitution: Substitution;

  constructor(kernel: Kernel, at: Place, constants: Constants, substitution: Substitution) {
    this.#kernel = kernel;
    this.#loop = at.loop;
    this.#entry = at.entry;
    this.#latch = at.latch;
    this.#inLoop = at.inLoop;
    this.#tree = at.tree;
    this.#constants = constants;
    this.#substitution = substitution;
  }

  reduce(
    group: { readonly counter: Op; readonly slope: Linear; readonly base: Op; readonly scale: number; readonly list: Moving[] },
    start: Op,
    step: number | Linear,
  ): void {
    const { slope, base, scale, list } = group;
    const leads: Led[] = [];
    const known = this.#rowsBefore(base, scale);
    // Addresses that differ by constants and by multiples of the slope share one pointer, unless they are more turns apart.
    const reach = nvcc.pointerReach * (typeof step === "number" ? Math.abs(step) : 1);
    for (let pending = list; pending.length > 0; ) {
      const lead = pending[0] as Moving;
      const members: Member[] = [];
      const others: Moving[] = [];
      for (const moving of pending) {
        const difference = sum(moving.rest, lead.rest, -1);
        const distance = slope.size === 1 && slope.has("") ? onlyConstant(difference) : multipleOf(difference, slope);
        if (distance && Math.abs(distance.times) <= reach) members.push({ moving, ...distance });
        else others.push(moving);
      }
      const pointer =
        (typeof step === "number" ? undefined : this.#beside(scale, leads, lead, members)) ??
        (known.has(linearKey(withoutConstant(lead.rest))) ? undefined : this.#chain(scale, slope, leads, lead, members)) ??
        this.#share(base, scale, slope, start, step, lead, members, group.counter);
      if (pointer) leads.push({ moving: lead, pointer });
      pending = others;
    }
  }

  /**
   * Rows of a tile, a pitch from one to the next: what the nearest address before is a pitch short of is computed from that one in each turn,
   * as LLVM's straight-line strength reduction, which goes before that of loops, leaves it. Only the first row's pointer is then advanced.
   * It finds rows that the turn itself counts, in a loop that was unrolled completely; those written out were taken out of the loop before, and
   * so are those of a loop that is unrolled in part; and rows that are read before the loop, too, are known there.
   */
  #chain(scale: number, slope: Linear, leads: readonly Led[], lead: Moving, members: readonly Member[]): Op | undefined {
    if (
      this.#loop.header.unroll !== undefined ||
      members.some(({ moving, times }) => times !== 0 || !this.#tree.dominates(lead.block, moving.block))
    )
      return undefined;
    for (const { moving, pointer } of leads.toReversed()) {
      if (!this.#tree.dominates(moving.block, lead.block)) continue;
      const difference = sum(lead.rest, moving.rest, -1);
      const stride = singleTerm(difference);
      if (!stride || multipleOf(difference, slope)) continue;
      const { value, coefficient } = stride;
      const type = value.type as ScalarType;
      const along = this.#compute(new Map([["", { factors: [value], coefficient }]]), type);
      const next = createOp(this.#kernel, { kind: "gep", scale, offset: 0 }, "ptr", [pointer, along], lead.gep.span);
      lead.block.ops.splice(lead.block.ops.indexOf(lead.gep), 0, next);
      this.#lead(next, scale, members);
      return next;
    }
    return undefined;
  }

  /**
   * Where a turn goes on by what only the launch knows, as a plane of a volume, what lies beside an address that is made on the way is computed
   * from that one in each turn: of all of them one pointer is advanced.
   */
  #beside(scale: number, leads: readonly Led[], lead: Moving, members: readonly Member[]): Op | undefined {
    if (members.some(({ moving, times }) => times !== 0 || !this.#tree.dominates(lead.block, moving.block))) return undefined;
    let nearest: { readonly pointer: Op; readonly difference: Linear } | undefined;
    for (const { moving, pointer } of leads.toReversed()) {
      if (!this.#tree.dominates(moving.block, lead.block)) continue;
      const difference = sum(lead.rest, moving.rest, -1);
      if (!nearest || difference.size < nearest.difference.size) nearest = { pointer, difference };
    }
    if (!nearest) return undefined;
    const bytes = this.#compute(
      new Map([...nearest.difference].map(([key, term]) => [key, { ...term, coefficient: scale * term.coefficient }])),
      "i64",
    );
    const next = createOp(this.#kernel, { kind: "gep", scale: 1, offset: 0 }, "ptr", [nearest.pointer, bytes], lead.gep.span);
    lead.block.ops.splice(lead.block.ops.indexOf(lead.gep), 0, next);
    this.#lead(next, scale, members);
    return next;
  }

  /** Rows of an array that are accessed on the way to the loop, at constant places. */
  #rowsBefore(base: Op, scale: number): Set<string> {
    const rows = new Set<string>();
    for (const block of this.#kernel.blocks) {
      if (this.#loop.blocks.has(block) || !this.#tree.dominates(block, this.#entry)) continue;
      for (const { action, args } of block.ops)
        if (action.kind === "gep" && action.scale === scale && args[0] === base && args[1])
          rows.add(linearKey(withoutConstant(linearOf(args[1], isNarrow(base)))));
    }
    return rows;
  }

  /** Members that stand where the pointer does, but for constants. */
  #lead(pointer: Op, scale: number, members: readonly Member[]): void {
    for (const { moving, left } of members) {
      if (left === 0) this.#substitution.replace(moving.gep, pointer);
      else {
        moving.gep.action = { kind: "gep", scale: 1, offset: left * scale };
        moving.gep.args = [pointer, this.#constants.int("i32", 0)];
      }
    }
  }

  #share(
    base: Op,
    scale: number,
    slope: Linear,
    start: Op,
    step: number | Linear,
    lead: Moving,
    reached: readonly Member[],
    counter: Op,
  ): Op | undefined {
    const { header } = this.#loop;
    // From one that is wanted to the next at once: every eighth row, where a turn goes on by eight.
    const unit = reached.reduce((all, { times }) => divisor(all, times), typeof step === "number" ? Math.abs(step) : 0) || 1;
    const members = reached.map(({ times, ...member }) => ({ ...member, times: times / unit }));
    const lowest = Math.min(0, ...members.map(({ times }) => times));
    const { span } = lead.gep;
    // Where it starts: the lead's own index with the counter at its start, moved back to the lowest member.
    const index = this.#replay(lead.gep.args[1] as Op, counter, start);
    const stride = this.#compute(
      new Map([...slope].map(([key, term]) => [key, { ...term, coefficient: term.coefficient * unit }])),
      index.type as ScalarType,
    );
    let first = this.#emit(this.#entry, { kind: "gep", scale, offset: 0 }, "ptr", base, index);
    for (let times = lowest; times < 0; times++)
      first = this.#emit(this.#entry, { kind: "gep", scale: -scale, offset: 0 }, "ptr", first, stride);
    const phi = createOp(this.#kernel, { kind: "phi" }, "ptr", [], span);
    header.phis.push(phi);
    const at = new Map<number, Op>([[lowest, phi]]);
    const highest = Math.max(...members.map(({ times }) => times));
    const home = members.every(({ moving }) => moving.block === lead.block) ? lead.block : header;
    const chain: Op[] = [];
    const advance = (from: Op): Op => {
      const op = createOp(this.#kernel, { kind: "gep", scale, offset: 0 }, "ptr", [from, stride], span);
      chain.push(op);
      return op;
    };
    for (let times = lowest + 1; times <= highest; times++) at.set(times, advance(at.get(times - 1) as Op));
    for (const member of members) this.#lead(at.get(member.times) as Op, scale, [member]);
    home.ops = [...chain, ...home.ops];
    phi.args = header.predecessors.map((from) => (from === this.#entry ? first : phi));
    // To the next iteration: on from the highest when the step is one more, else from the lowest.
    const last = at.get(highest) as Op;
    const constantStride = onlyConstant(slope);
    let next: Op;
    if (typeof step !== "number") {
      const along = this.#compute(step, "i64");
      next = this.#emit(this.#latch, { kind: "gep", scale: scale * (constantStride?.left ?? 1), offset: 0 }, "ptr", phi, along);
    } else if (constantStride)
      next = this.#emit(
        this.#latch,
        { kind: "gep", scale: 1, offset: constantStride.left * step * scale },
        "ptr",
        phi,
        this.#constants.int("i32", 0),
      );
    else if (lowest + step / unit - highest === 1 && home === this.#latch)
      next = this.#emit(this.#latch, { kind: "gep", scale, offset: 0 }, "ptr", last, stride);
    else next = this.#emit(this.#latch, { kind: "gep", scale: scale * (step / unit), offset: 0 }, "ptr", phi, stride);
    phi.args[header.predecessors.indexOf(this.#latch)] = next;
    return at.get(0);
  }

  #emit(block: Block, action: Op["action"], type: ScalarType, ...args: Op[]): Op {
    const op = createOp(this.#kernel, action, type, args, args[0]?.span);
    block.ops.push(op);
    return op;
  }

  /** The operations of the loop that make `op`, again before the loop, with the counter as it starts. */
  #replay(op: Op, counter: Op, start: Op): Op {
    const made = new Map<Op, Op>([[counter, start]]);
    return answerOf(
      op,
      made,
      op,
      (each) => (this.#inLoop(each) ? each.args : []),
      (each) => {
        if (!this.#inLoop(each)) return each;
        const args = each.args.map((arg) => made.get(arg) ?? arg);
        const copy = this.#emit(this.#entry, each.action, each.type as ScalarType, ...args);
        copy.span = each.span;
        return copy;
      },
    );
  }

  #compute(linear: Linear, type: ScalarType): Op {
    let total: Op | undefined;
    const product = (a: Op, b: Op) => this.#emit(this.#entry, { kind: "int", op: "mul", exact: true }, type, a, b);
    for (const { factors, coefficient } of linear.values()) {
      const parts = factors.map((factor) => this.#widen(factor, type));
      if (coefficient !== 1 || parts.length === 0) parts.push(this.#constants.int(type, coefficient));
      const term = parts.reduce(product);
      total = total ? this.#emit(this.#entry, { kind: "int", op: "add", exact: true }, type, total, term) : term;
    }
    return total ?? this.#constants.int(type, 0);
  }

  #widen(op: Op, type: ScalarType): Op {
    return op.type === type ? op : this.#emit(this.#entry, { kind: "convert", op: op.type === "i32" ? "sext" : "trunc" }, type, op);
  }
}

const withoutConstant = (linear: Linear): Linear => new Map([...linear].filter(([key]) => key !== ""));

const divisor = (a: number, b: number): number => (b === 0 ? Math.abs(a) : divisor(b, a % b));

/** A constant difference. */
function onlyConstant(linear: Linear): { readonly times: 0; readonly left: number } | undefined {
  const left = linear.get("")?.coefficient ?? 0;
  return linear.size === (left === 0 ? 0 : 1) ? { times: 0, left } : undefined;
}
