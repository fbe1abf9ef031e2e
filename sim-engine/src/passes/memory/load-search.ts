/**
 * The value of one place in memory at the start of a block, by asking the blocks before it: with phis where ways bring different values,
 * and a load where only one way lacks it.
 */
import { createBlock, createOp, noSpan, successors } from "../../ir/builder.ts";
import type { DominatorTree } from "../../ir/graph.ts";
import type { Block, Kernel, Op, ScalarType } from "../../ir/kernel.ts";
import { isLeaf, isPure } from "../../ir/operations.ts";
import { retarget } from "../edit/edges.ts";
import type { Location } from "../facts/alias.ts";

export type Found = { readonly kind: "value"; readonly op: Op } | { readonly kind: "vector"; readonly components: readonly Op[] };

/** Blocks one load's search may visit. */
export const searchLimit = 200;

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
export class Search {
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
    const kept = this.created.filter(({ op }) => needed.has(op));
    this.created.length = 0;
    for (const each of kept) this.created.push(each);
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
