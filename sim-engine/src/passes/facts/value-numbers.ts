/** Which operations compute the same value wherever they stand, though neither need stand before the other. */

import type { DominatorTree } from "../../ir/graph.ts";
import type { Block, Op } from "../../ir/kernel.ts";
import { isLeaf, isPure } from "../edit/rewrite.ts";
import { valueKey } from "../fold/gvn.ts";

export class ValueNumbers {
  readonly #tree: DominatorTree;
  readonly #blockOf: ReadonlyMap<Op, Block>;
  readonly #first = new Map<string, Op>();
  readonly #known = new Map<Op, Op>();
  readonly #homes = new Map<Op, Block | undefined>();

  constructor(tree: DominatorTree, blockOf: ReadonlyMap<Op, Block>) {
    this.#tree = tree;
    this.#blockOf = blockOf;
  }

  /** One operation for all that compute this value. */
  canonical(op: Op): Op {
    const known = this.#known.get(op);
    if (known) return known;
    let canonical = op;
    if (isPure(op)) {
      const args = op.args.map((arg) => this.canonical(arg));
      const key = `${op.type} ${valueKey({ ...op, args })}`;
      canonical = this.#first.get(key) ?? op;
      this.#first.set(key, canonical);
    }
    this.#known.set(op, canonical);
    return canonical;
  }

  /** The block from which on the value is the same: that of the last phi or load it is computed from. Undefined: everywhere. */
  home(op: Op): Block | undefined {
    if (this.#homes.has(op)) return this.#homes.get(op);
    let home: Block | undefined;
    if (!isLeaf(op)) {
      if (!isPure(op)) home = this.#blockOf.get(op);
      else
        for (const arg of op.args) {
          const other = this.home(arg);
          if (other && (!home || this.#tree.dominates(home, other))) home = other;
        }
    }
    this.#homes.set(op, home);
    return home;
  }
}
