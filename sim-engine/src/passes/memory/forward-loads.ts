/**
 * Loads whose value is known already: from a store to the same place, or from an earlier load of it, with no write between on
 * any way there. Where paths bring different values they meet in a phi; where only the way into a loop lacks the value, it is
 * loaded there once (LLVM's GVN with partial redundancy elimination), which also takes invariant loads out of loops.
 */

import { createBlock, createOp, noSpan, successors } from "../../ir/builder.ts";
import { type DominatorTree, dominators } from "../../ir/graph.ts";
import type { Block, Kernel, Op, ScalarType } from "../../ir/kernel.ts";
import { isLeaf, isPure } from "../../ir/operations.ts";
import type { Work } from "../../work.ts";
import { retarget } from "../edit/edges.ts";
import { Substitution } from "../edit/substitution.ts";
import { compareLocations, type Location, locationOf } from "../facts/alias.ts";
import { clobbers, mayWrite } from "../facts/memory-effects.ts";
import { ValueNumbers } from "../facts/value-numbers.ts";

/** Blocks one load's search may visit. */
const searchLimit = 200;

/** Returns whether a load went away. */
export function forwardLoads(kernel: Kernel, work: Work): boolean {
  return new Forwarding(kernel, work).run();
}

class Forwarding {
  readonly #kernel: Kernel;
  readonly #tree: DominatorTree;
  readonly #memory = new Map<Block, Op[]>();
  readonly #blockOf = new Map<Op, Block>();
  readonly #substitution = new Substitution();
  readonly #vectors = new Map<Op, readonly Op[]>();
  readonly #locations = new Map<Op, Location | undefined>();
  readonly #numbers: ValueNumbers;
  readonly #work: Work;

  constructor(kernel: Kernel, work: Work) {
    this.#kernel = kernel;
    this.#work = work;
    this.#tree = dominators(kernel);
    this.#numbers = new ValueNumbers(this.#tree, this.#blockOf);
    for (const block of kernel.blocks) {
      work.ask(block.ops.length);
      for (const phi of block.phis) this.#blockOf.set(phi, block);
      for (const op of block.ops) this.#blockOf.set(op, block);
      this.#memory.set(
        block,
        block.ops.filter((op) => op.action.kind === "load" || mayWrite(op)),
      );
    }
  }

  run(): boolean {
    let changed = false;
    for (const block of this.#kernel.blocks) {
      for (const load of this.#memory.get(block) ?? []) {
        this.#work.ask(4);
        if (load.action.kind !== "load" || load.action.volatile) continue;
        const location = this.#locationOf(load);
        if (!location) continue;
        const value = this.#search(load, block, location);
        if (!value) continue;
        this.#forward(load, block, value);
        changed = true;
      }
    }
    if (changed) {
      this.#resolveExtracts();
      this.#substitution.apply(this.#kernel, this.#work);
    }
    return changed;
  }

  #locationOf(op: Op): Location | undefined {
    if (this.#locations.has(op)) return this.#locations.get(op);
    const found = locationOf(op);
    const location = found && { ...found, base: this.#numbers.canonical(found.base) };
    this.#locations.set(op, location);
    return location;
  }

  #forward(load: Op, block: Block, value: Found): void {
    if (value.kind === "vector") this.#vectors.set(load, value.components);
    else this.#substitution.replace(load, value.op);
    this.#work.ask(block.ops.length / 64);
    block.ops.splice(block.ops.indexOf(load), 1);
    const list = this.#memory.get(block);
    list?.splice(list.indexOf(load), 1);
  }

  #resolveExtracts(): void {
    if (this.#vectors.size === 0) return;
    for (const block of this.#kernel.blocks) {
      this.#work.ask(block.ops.length);
      block.ops = block.ops.filter((op) => {
        const components = op.action.kind === "extract" && op.args[0] ? this.#vectors.get(op.args[0]) : undefined;
        const component = components && op.action.kind === "extract" ? components[op.action.index] : undefined;
        if (!component) return true;
        this.#substitution.replace(op, component);
        return false;
      });
    }
  }

  #search(load: Op, block: Block, location: Location): Found | undefined {
    const list = this.#memory.get(block) ?? [];
    const here = this.#scan(list, list.indexOf(load) - 1, location);
    if (here) return here === "clobbered" ? undefined : here;
    const home = this.#numbers.home(location.base);
    if (home === block) return undefined;
    if (location.components > 1) return this.#searchDominators(block, location);
    const search = new Search(this.#kernel, this.#tree, this.#blockOf, location, home, load, block, (from) => {
      this.#work.ask(8);
      return this.#scanEnd(from, location);
    });
    const op = search.run();
    if (!op) return undefined;
    for (const { block: at, op: created } of search.created) {
      this.#blockOf.set(created, at);
      if (!this.#memory.has(at)) this.#memory.set(at, []);
      if (created.action.kind === "load") this.#memory.get(at)?.push(created);
    }
    return { kind: "value", op };
  }

  /** Of vectors only those read on the one way here. */
  #searchDominators(block: Block, location: Location): Found | undefined {
    let at = block;
    for (let steps = 0; steps < searchLimit && at.predecessors.length === 1; steps++) {
      at = at.predecessors[0] as Block;
      const found = this.#scanEnd(at, location);
      if (found) return found === "clobbered" ? undefined : found;
    }
    return undefined;
  }

  #scanEnd(block: Block, location: Location): Found | "clobbered" | undefined {
    const list = this.#memory.get(block) ?? [];
    return this.#scan(list, list.length - 1, location);
  }

  /** The value of `location` after `list[last]`, looking back through the block. */
  #scan(list: readonly Op[], last: number, location: Location): Found | "clobbered" | undefined {
    for (let index = last; index >= 0; index--) {
      this.#work.ask(1);
      const op = list[index] as Op;
      const other = this.#locationOf(op);
      const { action } = op;
      if (other && (action.kind === "load" || action.kind === "store") && !action.volatile) {
        const found = provided(this.#kernel, op, other, location, this.#substitution);
        if (found) return found;
      }
      if (mayWrite(op) && clobbers(this.#kernel, op, location, other)) return "clobbered";
    }
    return undefined;
  }
}

type Found = { readonly kind: "value"; readonly op: Op } | { readonly kind: "vector"; readonly components: readonly Op[] };

/** What a load or store says about exactly the bytes of `location`, in its type. */
function provided(kernel: Kernel, op: Op, from: Location, location: Location, substitution: Substitution): Found | undefined {
  if (from.type !== location.type || from.space !== location.space) return undefined;
  if (op.action.kind === "store" && from.base === location.base && from.components >= location.components) {
    const step = from.bytes / from.components;
    const first = (location.offset - from.offset) / step;
    if (!Number.isInteger(first) || first < 0 || first + location.components > from.components) return undefined;
    const values = op.args.slice(1 + first, 1 + first + location.components).map((value) => substitution.resolve(value));
    if (location.components === 1) return values[0] && { kind: "value", op: values[0] };
    return { kind: "vector", components: values };
  }
  if (op.action.kind !== "load" || from.components !== location.components) return undefined;
  return compareLocations(kernel, from, location) === "same" ? { kind: "value", op } : undefined;
}

/** Whether a block is reached from itself without passing `other`. */
function comesBack(block: Block, other: Block): boolean {
  const seen = new Set<Block>();
  const pending = [block];
  for (let at = pending.pop(); at; at = pending.pop()) {
    for (const next of successors(at)) {
      if (next === block) return true;
      if (next === other || seen.has(next)) continue;
      seen.add(next);
      pending.push(next);
    }
  }
  return false;
}

/** Puts a block on an edge; phis keep their operands. */
function splitEdge(kernel: Kernel, { from, to, block }: { readonly from: Block; readonly to: Block; readonly block: Block }): void {
  kernel.blocks.splice(kernel.blocks.indexOf(to), 0, block);
  retarget(from, to, block);
  block.predecessors = [from];
  block.end = { kind: "jump", to };
  to.predecessors[to.predecessors.indexOf(from)] = block;
}

/** Every way on from a loop's header passes `block` before it comes back or the kernel ends. */
function alwaysReaches(header: Block, block: Block): boolean {
  const seen = new Set<Block>();
  const pending = header === block ? [] : [header];
  for (let at = pending.pop(); at; at = pending.pop()) {
    if (at.end.kind === "return") return false;
    for (const next of successors(at)) {
      if (next === header) return false;
      if (next === block || seen.has(next)) continue;
      seen.add(next);
      pending.push(next);
    }
  }
  return true;
}

/** The value of one location at the start of a block, by asking its predecessors. */
class Search {
  readonly created: { readonly block: Block; readonly op: Op }[] = [];
  readonly #kernel: Kernel;
  readonly #tree: DominatorTree;
  readonly #location: Location;
  readonly #load: Op;
  readonly #block: Block;
  readonly #blockOf: ReadonlyMap<Op, Block>;
  /** Above it the address means another place. */
  readonly #home: Block | undefined;
  readonly #scanEnd: (block: Block) => Found | "clobbered" | undefined;
  readonly #atStart = new Map<Block, Op | undefined>();
  readonly #failed = new Set<Op>();
  /** The edge that gets a block for a load, and that block. */
  #split: { readonly from: Block; readonly to: Block; readonly block: Block } | undefined;
  /** Blocks in which the value was found. */
  readonly #providers = new Set<Block>();
  #visits = 0;

  constructor(
    kernel: Kernel,
    tree: DominatorTree,
    blockOf: ReadonlyMap<Op, Block>,
    location: Location,
    home: Block | undefined,
    load: Op,
    block: Block,
    scanEnd: (block: Block) => Found | "clobbered" | undefined,
  ) {
    this.#kernel = kernel;
    this.#tree = tree;
    this.#location = location;
    this.#load = load;
    this.#block = block;
    this.#blockOf = blockOf;
    this.#home = home;
    this.#scanEnd = scanEnd;
  }

  /** Phis and loads are put in place only when the whole search succeeds. */
  run(): Op | undefined {
    const value = this.#start(this.#block);
    if (!value) return undefined;
    const needed = this.#needed(value);
    if (!needed) return undefined;
    if (this.#split && this.created.some(({ block, op }) => block === this.#split?.block && needed.has(op)))
      splitEdge(this.#kernel, this.#split);
    for (const { block, op } of this.created) {
      if (!needed.has(op)) continue;
      if (op.action.kind === "phi") block.phis.push(op);
      else block.ops.push(op);
    }
    this.created.splice(0, this.created.length, ...this.created.filter(({ op }) => needed.has(op)));
    return value;
  }

  /** What was made and `value` builds on; undefined when that includes a join that failed after others had relied on it. */
  #needed(value: Op): Set<Op> | undefined {
    const made = new Set(this.created.map(({ op }) => op));
    const needed = new Set<Op>();
    const pending = [value];
    for (let op = pending.pop(); op; op = pending.pop()) {
      if (this.#failed.has(op)) return undefined;
      if (!made.has(op) || needed.has(op)) continue;
      needed.add(op);
      pending.push(...op.args);
    }
    return needed;
  }

  #end(block: Block): Op | undefined {
    if (++this.#visits > searchLimit) return undefined;
    const found = this.#scanEnd(block);
    if (found === "clobbered") return undefined;
    if (found) {
      this.#providers.add(block);
      return found.kind === "value" ? found.op : undefined;
    }
    if (block === this.#home) return undefined;
    return this.#start(block);
  }

  #start(block: Block): Op | undefined {
    if (this.#atStart.has(block)) return this.#atStart.get(block);
    const { predecessors } = block;
    if (predecessors.length === 0) return undefined;
    if (predecessors.length === 1) {
      // Not yet known while it is asked for: a cycle without a join cannot be.
      this.#atStart.set(block, undefined);
      const value = this.#end(predecessors[0] as Block);
      this.#atStart.set(block, value);
      return value;
    }
    const phi = createOp(this.#kernel, { kind: "phi" }, this.#location.type as ScalarType, [], this.#load.span);
    this.#atStart.set(block, phi);
    const values = predecessors.map((from) => this.#end(from));
    const missing = values.flatMap((value, index) => (value ? [] : [index]));
    if (missing.length > 0) {
      const from = predecessors[missing[0] as number] as Block;
      const filled = missing.length === 1 ? (this.#loadBefore(block, from) ?? this.#loadOnEdge(block, from)) : undefined;
      if (!filled) {
        this.#failed.add(phi);
        this.#atStart.set(block, undefined);
        return undefined;
      }
      values[missing[0] as number] = filled;
      // What only moved out of the loop loses its line, as in LLVM.
      if (values.every((value) => value === filled || value === this.#load || value === phi)) filled.span = noSpan;
    }
    const others = [...new Set(values)].filter((value) => value !== phi);
    if (others.length === 1 && others[0] && missing.length === 0) {
      this.#atStart.set(block, others[0]);
      this.#replaceMade(phi, others[0]);
      return others[0];
    }
    phi.args = values as Op[];
    this.created.push({ block, op: phi });
    return phi;
  }

  /** A phi that turned out to be one value may already be an operand of those made while it was looked for. */
  #replaceMade(phi: Op, value: Op): void {
    for (const { op } of this.created) op.args = op.args.map((arg) => (arg === phi ? value : arg));
    for (const [block, known] of this.#atStart) if (known === phi) this.#atStart.set(block, value);
  }

  /** The loop's header lacks the value from outside only: load it there, if the loop loads it whenever it is entered. */
  #loadBefore(header: Block, outside: Block): Op | undefined {
    if (this.#tree.dominates(header, outside) || outside.end.kind !== "jump") return undefined;
    if (!header.predecessors.every((from) => from === outside || this.#tree.dominates(header, from))) return undefined;
    if (!alwaysReaches(header, this.#block)) return undefined;
    if (this.#home && !this.#tree.dominates(this.#home, outside)) return undefined;
    const address = this.#load.args[0];
    if (!address) return undefined;
    const load = createOp(this.#kernel, this.#load.action, this.#load.type, [], this.#load.span);
    const made = this.#addressAt(address, outside);
    if (!made) return undefined;
    load.args = [made];
    this.created.push({ block: outside, op: load });
    return load;
  }

  /** Only one of the ways that meet where the load stands lacks the value: it is loaded on that way. Not for what a loop before left. */
  #loadOnEdge(block: Block, from: Block): Op | undefined {
    if (block !== this.#block || block.predecessors.some((each) => this.#tree.dominates(block, each))) return undefined;
    if (block.predecessors.filter((each) => each === from).length > 1) return undefined;
    if ([...this.#providers].some((provider) => comesBack(provider, block))) return undefined;
    if (this.#home && !this.#tree.dominates(this.#home, from)) return undefined;
    const address = this.#load.args[0];
    if (!address) return undefined;
    const at = from.end.kind === "jump" ? from : createBlock(this.#kernel);
    const made = this.#addressAt(address, at, from);
    if (at !== from) this.#kernel.blocks.pop();
    if (!made) return undefined;
    const load = createOp(this.#kernel, this.#load.action, this.#load.type, [made], this.#load.span);
    if (at !== from) this.#split = { from, to: block, block: at };
    this.created.push({ block: at, op: load });
    return load;
  }

  /** The address at the end of `from`, computed again in `block` as far as it does not stand there. */
  #addressAt(address: Op, block: Block, from = block): Op | undefined {
    const home = this.#blockOf.get(address);
    if (isLeaf(address) || (home && this.#tree.dominates(home, from))) return address;
    if (!isPure(address)) return undefined;
    const args: Op[] = [];
    for (const arg of address.args) {
      const there = this.#addressAt(arg, block, from);
      if (!there) return undefined;
      args.push(there);
    }
    const copy = createOp(this.#kernel, address.action, address.type, args, address.span);
    this.created.push({ block, op: copy });
    return copy;
  }
}
