/**
 * Local variables become values: LLVM's SROA and mem2reg. An alloca that is only loaded and stored at constant offsets is
 * split into the scalars that are accessed, and each becomes SSA values with phis where paths meet. An array indexed by what
 * is not constant stays in local memory, as it does on the device; after unrolling it may be constant, so run this again.
 */

import { createOp } from "../../ir/builder.ts";
import { intConstant, wrap } from "../../ir/constants.ts";
import { type DominatorTree, dominators } from "../../ir/graph.ts";
import { type Block, type Kernel, type Op, type ScalarType, type Span, scalarBytes } from "../../ir/kernel.ts";
import type { Work } from "../../work.ts";
import { uninitialised } from "../edit/ssa-repair.ts";
import { Substitution } from "../edit/substitution.ts";

/** The integer of so many bytes. */
const integers: Readonly<Record<number, ScalarType>> = { 1: "i8", 2: "i16", 4: "i32", 8: "i64" };

/** One scalar of an alloca: its accesses have its offset and size, or lie within it; those of another type are cast. */
interface Slot {
  readonly type: ScalarType;
  readonly bytes: number;
  /** Blocks that load it before they store it. */
  readonly loadedFirst: Set<Block>;
  readonly storedIn: Set<Block>;
}

/** Where a component of an access lies: in a slot, so many bytes from its start. */
interface Part {
  readonly slot: Slot;
  readonly from: number;
}

/** A load or store whose components are slots or parts of them. */
interface Access {
  readonly op: Op;
  readonly block: Block;
  readonly offset: number;
  readonly type: ScalarType;
  readonly components: number;
}

/** Returns whether anything was promoted. @param all also what may be read before it is set; else that stays in memory, where it shows */
export function promote(kernel: Kernel, work: Work, all = true): boolean {
  let changed = false;
  // A pointer kept in one alloca may point into another: promoting the first makes the second's accesses visible.
  for (let round = 0; round < 4; round++) {
    const slots: Slot[] = [];
    const accesses = new Map<Op, readonly Part[]>();
    for (const list of collectAccesses(kernel, work).values()) {
      work.ask(2 * list.length);
      const own = partition(list);
      if (!own || (!all && own.slots.some((slot) => mayBeUnset(kernel, slot, work)))) continue;
      slots.push(...own.slots);
      for (const [op, parts] of own.accesses) accesses.set(op, parts);
    }
    if (accesses.size === 0) break;
    new Renaming(kernel, slots, accesses, work).run();
    changed = true;
  }
  return changed;
}

/** The accesses of each alloca whose address goes nowhere but into loads and stores at constant offsets, in program order. */
function collectAccesses(kernel: Kernel, work: Work): Map<Op, Access[]> {
  const found = new Map<Op, Access[]>();
  const place = new Map<Op, { readonly alloca: Op; readonly offset: number } | undefined>();
  for (const op of kernel.blocks[0]?.ops ?? []) {
    if (op.action.kind !== "alloca") continue;
    found.set(op, []);
    place.set(op, { alloca: op, offset: 0 });
  }
  if (found.size === 0) return found;
  const resolve = (op: Op): { readonly alloca: Op; readonly offset: number } | undefined => {
    if (op.action.kind !== "gep" || place.has(op)) return place.get(op);
    const base = op.args[0] && resolve(op.args[0]);
    const index = intConstant(op.args[1]);
    if (base && index === undefined) found.delete(base.alloca);
    const at =
      base && index !== undefined ? { alloca: base.alloca, offset: base.offset + index * op.action.scale + op.action.offset } : undefined;
    place.set(op, at);
    return at;
  };
  const letGo = (arg: Op): void => {
    const at = resolve(arg);
    if (at) found.delete(at.alloca);
  };
  for (const block of kernel.blocks) {
    for (const phi of block.phis) if (phi.type === "ptr") phi.args.forEach(letGo);
    for (const op of block.ops) {
      work.ask(1);
      const { action } = op;
      if (action.kind === "gep") {
        resolve(op);
        continue;
      }
      for (const [index, arg] of op.args.entries()) {
        if (arg.type !== "ptr") continue;
        const type = action.kind === "load" ? op.type : op.args[1]?.type;
        const usable = (action.kind === "load" || action.kind === "store") && index === 0 && !action.volatile && type && type !== "void";
        if (!usable) letGo(arg);
        else {
          const at = resolve(arg);
          if (at) found.get(at.alloca)?.push({ op, block, offset: at.offset, type, components: action.components });
        }
      }
    }
  }
  return found;
}

interface Partition {
  readonly slots: readonly Slot[];
  readonly accesses: ReadonlyMap<Op, readonly Part[]>;
}

/**
 * One slot for each scalar of an alloca, the widest that is accessed there; what is narrower is a part of it. Nothing when accesses
 * overlap otherwise.
 */
function partition(list: readonly Access[]): Partition | undefined {
  const accesses = new Map<Op, readonly Part[]>();
  const widest = new Map<number, ScalarType>();
  for (const { offset, type, components } of list) {
    const bytes = scalarBytes[type];
    for (let component = 0; component < components; component++) {
      const start = offset + component * bytes;
      const known = widest.get(start);
      if (known === undefined || scalarBytes[known] < bytes) widest.set(start, type);
    }
  }
  const at = new Map<number, Part>();
  let last: { readonly start: number; readonly slot: Slot } | undefined;
  const made: Slot[] = [];
  for (const [start, type] of [...widest].sort((a, b) => a[0] - b[0])) {
    const bytes = scalarBytes[type];
    if (!last || start >= last.start + last.slot.bytes) {
      last = { start, slot: { type, bytes, loadedFirst: new Set(), storedIn: new Set() } };
      made.push(last.slot);
    } else if (start + bytes > last.start + last.slot.bytes) return undefined;
    at.set(start, { slot: last.slot, from: start - last.start });
  }
  for (const { op, block, offset, type, components } of list) {
    const own: Part[] = [];
    const bytes = scalarBytes[type];
    for (let component = 0; component < components; component++) {
      const part = at.get(offset + component * bytes);
      if (!part) continue;
      own.push(part);
      const { slot } = part;
      // Bits of a truth value or an address are not taken apart.
      if (bytes < slot.bytes && (type === "i1" || slot.type === "ptr")) return undefined;
      const reads = op.action.kind === "load" || bytes < slot.bytes;
      if (reads && !slot.storedIn.has(block)) slot.loadedFirst.add(block);
      if (op.action.kind === "store") slot.storedIn.add(block);
    }
    accesses.set(op, own);
  }
  return { slots: made, accesses };
}

/** Some way leads to a read of it on which nothing was stored before. */
function mayBeUnset(kernel: Kernel, slot: Slot, work: Work): boolean {
  const [entry] = kernel.blocks;
  return entry !== undefined && slot.loadedFirst.size > 0 && liveIn(slot, work).has(entry);
}

type Before = (readonly [slot: Slot, value: Op | undefined])[];

/** What each slot holds, which can be had back as it was. */
class Held {
  readonly #values = new Map<Slot, Op>();
  #before: Before = [];

  get(slot: Slot): Op | undefined {
    return this.#values.get(slot);
  }

  set(slot: Slot, value: Op): void {
    this.#before.push([slot, this.#values.get(slot)]);
    this.#values.set(slot, value);
  }

  /** From here on: what is held now. */
  begin(): Before {
    this.#before = [];
    return this.#before;
  }

  /** The last that began and has not been restored. */
  restore(before: Before): void {
    for (const [slot, value] of before.toReversed()) {
      if (value) this.#values.set(slot, value);
      else this.#values.delete(slot);
    }
  }
}

/** Where phis go, and a walk down the dominator tree that knows what each slot holds. */
class Renaming {
  readonly #kernel: Kernel;
  readonly #work: Work;
  readonly #slots: readonly Slot[];
  readonly #accesses: ReadonlyMap<Op, readonly Part[]>;
  readonly #tree: DominatorTree;
  readonly #phis = new Map<Block, Map<Slot, Op>>();
  readonly #substitution = new Substitution();
  readonly #vectors = new Map<Op, readonly Op[]>();
  readonly #unset = new Map<ScalarType, Op>();
  readonly #constants = new Map<string, Op>();

  constructor(kernel: Kernel, slots: readonly Slot[], accesses: ReadonlyMap<Op, readonly Part[]>, work: Work) {
    this.#kernel = kernel;
    this.#work = work;
    this.#slots = slots;
    this.#accesses = accesses;
    this.#tree = dominators(kernel);
  }

  run(): void {
    this.#placePhis();
    this.#walk();
    for (const [block, phis] of this.#phis) for (const phi of phis.values()) block.phis.push(phi);
    const entry = this.#kernel.blocks[0];
    if (entry) entry.ops = [...this.#unset.values(), ...this.#constants.values(), ...entry.ops];
    this.#substitution.apply(this.#kernel, this.#work);
  }

  #placePhis(): void {
    const stored = new Set(this.#slots.flatMap(({ storedIn }) => [...storedIn]));
    const frontiers = dominanceFrontiers(this.#kernel, this.#tree, stored, this.#work);
    for (const slot of this.#slots) {
      if (slot.loadedFirst.size === 0) continue;
      const live = liveIn(slot, this.#work);
      const pending = [...slot.storedIn];
      for (let block = pending.pop(); block; block = pending.pop()) {
        this.#work.ask(1);
        for (const join of frontiers.get(block) ?? []) {
          if (!live.has(join) || this.#phis.get(join)?.has(slot)) continue;
          const phis = this.#phis.get(join) ?? new Map<Slot, Op>();
          this.#phis.set(join, phis);
          phis.set(slot, createOp(this.#kernel, { kind: "phi" }, slot.type));
          pending.push(join);
        }
      }
    }
  }

  #walk(): void {
    const entry = this.#kernel.blocks[0];
    if (!entry) return;
    const children = this.#tree.children();
    const held = new Held();
    // Each block on the way down, and what was held before it, to be held again on the way up.
    const stack: { readonly block: Block; before?: Before }[] = [{ block: entry }];
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const { block, before } = top;
      if (before) {
        held.restore(before);
        stack.pop();
        continue;
      }
      top.before = held.begin();
      this.#work.ask(1);
      for (const [slot, phi] of this.#phis.get(block) ?? []) held.set(slot, phi);
      this.#rename(block, held);
      const { end } = block;
      const targets = end.kind === "jump" ? [end.to] : end.kind === "branch" ? [end.then, end.else] : [];
      for (const to of new Set(targets)) this.#passOn(block, to, held);
      for (const child of children.get(block) ?? []) stack.push({ block: child });
    }
  }

  #passOn(from: Block, to: Block, held: Held): void {
    for (const [slot, phi] of this.#phis.get(to) ?? []) {
      for (const [index, predecessor] of to.predecessors.entries()) {
        if (predecessor === from) phi.args[index] = held.get(slot) ?? this.#unsetValue(slot.type);
      }
    }
  }

  #rename(block: Block, held: Held): void {
    const kept: Op[] = [];
    for (const op of block.ops) {
      this.#work.ask(1);
      const vector = op.action.kind === "extract" && op.args[0] ? this.#vectors.get(op.args[0]) : undefined;
      const own = this.#accesses.get(op);
      if (vector && op.action.kind === "extract") {
        const component = vector[op.action.index];
        if (component) this.#substitution.replace(op, component);
      } else if (!own) kept.push(op);
      else if (op.action.kind === "load") {
        const type = op.type as ScalarType;
        const values = own.map((part) => this.#taken(held.get(part.slot) ?? this.#unsetValue(part.slot.type), part, type, op.span, kept));
        if (op.action.components > 1) this.#vectors.set(op, values);
        else if (values[0]) this.#substitution.replace(op, values[0]);
      } else {
        for (const [index, part] of own.entries()) {
          const value = op.args[index + 1];
          if (value) held.set(part.slot, this.#put(this.#substitution.resolve(value), part, held, op.span, kept));
        }
      }
    }
    block.ops = kept;
  }

  /** What a part of a slot's value is. */
  #taken(value: Op, { slot, from }: Part, type: ScalarType, span: Span, into: Op[]): Op {
    const bytes = scalarBytes[type];
    if (bytes === slot.bytes) return this.#cast(value, type, span, into);
    const whole = integers[slot.bytes] as ScalarType;
    const part = integers[bytes] as ScalarType;
    const emit = (action: Op["action"], to: ScalarType, ...args: Op[]): Op => this.#emit(action, to, args, span, into);
    const bits = this.#cast(value, whole, span, into);
    const shifted = from === 0 ? bits : emit({ kind: "int", op: "lshr" }, whole, bits, this.#int("i32", 8n * BigInt(from)));
    return this.#cast(emit({ kind: "convert", op: "trunc" }, part, shifted), type, span, into);
  }

  /** What a slot holds when a value was put into it, or into a part of it. */
  #put(value: Op, { slot, from }: Part, held: Held, span: Span, into: Op[]): Op {
    const bytes = scalarBytes[value.type as ScalarType];
    if (bytes === slot.bytes) return this.#cast(value, slot.type, span, into);
    const whole = integers[slot.bytes] as ScalarType;
    const part = integers[bytes] as ScalarType;
    const emit = (action: Op["action"], to: ScalarType, ...args: Op[]): Op => this.#emit(action, to, args, span, into);
    const before = this.#cast(held.get(slot) ?? this.#unsetValue(slot.type), whole, span, into);
    const mask = ((1n << BigInt(8 * bytes)) - 1n) << BigInt(8 * from);
    const all = (1n << BigInt(8 * slot.bytes)) - 1n;
    const kept = emit({ kind: "int", op: "and" }, whole, before, this.#int(whole, all ^ mask));
    const wide = emit({ kind: "convert", op: "zext" }, whole, this.#cast(value, part, span, into));
    const placed = from === 0 ? wide : emit({ kind: "int", op: "shl" }, whole, wide, this.#int("i32", 8n * BigInt(from)));
    return this.#cast(emit({ kind: "int", op: "or" }, whole, kept, placed), slot.type, span, into);
  }

  #emit(action: Op["action"], type: ScalarType, args: Op[], span: Span, into: Op[]): Op {
    const op = createOp(this.#kernel, action, type, args, span);
    into.push(op);
    return op;
  }

  /** The same bits as another type. */
  #cast(value: Op, type: ScalarType, span: Span, into: Op[]): Op {
    if (value.type === type) return value;
    const action = type === "ptr" ? "inttoptr" : value.type === "ptr" ? "ptrtoint" : "bitcast";
    return this.#emit({ kind: "convert", op: action }, type, [value], span, into);
  }

  #int(type: ScalarType, bits: bigint): Op {
    const value = type === "i64" ? BigInt.asIntN(64, bits) : wrap(type, Number(bits));
    const key = `${type}:${value}`;
    const known = this.#constants.get(key);
    if (known) return known;
    const op = createOp(this.#kernel, { kind: "const", value }, type);
    this.#constants.set(key, op);
    return op;
  }

  #unsetValue(type: ScalarType): Op {
    const known = this.#unset.get(type);
    if (known) return known;
    const op = createOp(this.#kernel, { kind: "unknown", reason: uninitialised }, type);
    this.#unset.set(type, op);
    return op;
  }
}

/** Blocks at whose start the slot's value is still wanted. */
function liveIn(slot: Slot, work: Work): Set<Block> {
  const live = new Set(slot.loadedFirst);
  const pending = [...live];
  for (let block = pending.pop(); block; block = pending.pop()) {
    work.ask(1);
    for (const from of block.predecessors) {
      if (live.has(from) || slot.storedIn.has(from)) continue;
      live.add(from);
      pending.push(from);
    }
  }
  return live;
}

/**
 * For each block that is asked about, the joins where its dominance ends: those in which something is stored, and joins themselves. Of
 * all blocks, as of the tests of a switch whose cases fall through, they come to the square of these.
 */
function dominanceFrontiers(kernel: Kernel, tree: DominatorTree, stored: ReadonlySet<Block>, work: Work): Map<Block, Set<Block>> {
  const frontiers = new Map<Block, Set<Block>>();
  const nearest = nearestAbove(kernel, tree, (block) => block.predecessors.length > 1 || stored.has(block));
  const above = (block: Block): Block | undefined => {
    const parent = tree.parent(block);
    return parent && nearest.get(parent);
  };
  for (const block of kernel.blocks) {
    if (block.predecessors.length < 2) continue;
    const stop = tree.parent(block);
    const end = stop ? tree.depth(stop) : -1;
    for (const from of block.predecessors) {
      for (let at = nearest.get(from); at && tree.depth(at) > end; at = above(at)) {
        work.ask(1);
        const list = frontiers.get(at);
        // From another predecessor this way was gone before, up to the same block.
        if (list?.has(block)) break;
        if (list) list.add(block);
        else frontiers.set(at, new Set([block]));
      }
    }
  }
  return frontiers;
}

/** For each block the nearest of these that dominates it: itself where it is one. */
function nearestAbove(kernel: Kernel, tree: DominatorTree, isOne: (block: Block) => boolean): ReadonlyMap<Block, Block | undefined> {
  const nearest = new Map<Block, Block | undefined>();
  const children = tree.children();
  const pending = kernel.blocks.slice(0, 1);
  for (let block = pending.pop(); block; block = pending.pop()) {
    const above = tree.parent(block);
    nearest.set(block, isOne(block) || !above ? block : nearest.get(above));
    for (const child of children.get(block) ?? []) pending.push(child);
  }
  return nearest;
}
