/** Forwarding values: each use of one becomes a use of another. */

import type { Kernel, Op } from "../../ir/kernel.ts";
import type { Work } from "../../work.ts";

/** Operands of all operations and the conditions of branches, replaced in one sweep. */
export class Substitution {
  readonly #to = new Map<Op, Op>();

  get size(): number {
    return this.#to.size;
  }

  replace(from: Op, to: Op): void {
    if (from !== to) this.#to.set(from, to);
  }

  has(op: Op): boolean {
    return this.#to.has(op);
  }

  /** The value that stands for `op` at the end of all replacements. */
  resolve(op: Op): Op {
    let to = this.#to.size === 0 ? undefined : this.#to.get(op);
    if (!to) return op;
    for (let next = this.#to.get(to); next; next = this.#to.get(to)) to = next;
    this.#to.set(op, to);
    return to;
  }

  /** Rewrites every use; the replaced operations themselves stay where they are, without uses. */
  apply(kernel: Kernel, work: Work): void {
    if (this.#to.size === 0) return;
    for (const block of kernel.blocks) {
      for (const phi of block.phis) this.#rewrite(phi);
      for (const op of block.ops) {
        work.ask(0.25);
        this.#rewrite(op);
      }
      const { end } = block;
      if (end.kind === "branch") end.cond = this.resolve(end.cond);
    }
  }

  #rewrite(op: Op): void {
    const { args } = op;
    for (let index = 0; index < args.length; index++) {
      const arg = args[index];
      if (arg && this.#to.has(arg)) args[index] = this.resolve(arg);
    }
  }
}
