/**
 * Loads whose value is known already: from a store to the same place, or from an earlier load of it, with no write between on
 * any way there. Where paths bring different values they meet in a phi; where only the way into a loop lacks the value, it is
 * loaded there once (LLVM's GVN with partial redundancy elimination), which also takes invariant loads out of loops.
 */

import { type DominatorTree, dominators } from "../../ir/graph.ts";
import type { Block, Kernel, Op } from "../../ir/kernel.ts";
import type { Work } from "../../work.ts";
import { Substitution } from "../edit/substitution.ts";
import { compareLocations, type Location, locationOf } from "../facts/alias.ts";
import { clobbers, mayWrite } from "../facts/memory-effects.ts";
import { ValueNumbers } from "../facts/value-numbers.ts";
import { type Found, Search, searchLimit } from "./load-search.ts";

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
