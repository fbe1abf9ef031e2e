/** After blocks were copied, a value has several definitions: uses are given the one that reaches them, with phis where ways meet. */

import { createOp } from "../../ir/builder.ts";
import type { Block, Kernel, Op, ScalarType } from "../../ir/kernel.ts";
import type { Work } from "../../work.ts";

/** Why the value of a variable that is read before it is set is unknown; such a value may be taken for any other. */
export const uninitialised = "a variable is read before it is set";

/** For each value, its definition at the end of each block that has one. */
export type Definitions = ReadonlyMap<Op, ReadonlyMap<Block, Op>>;

/**
 * Rewrites the uses of the keys of `definitions`, but for those by operations of a block that has its own definition: they are
 * taken to mean that one. Leaves phis of one value behind, for `simplifyCfg` to clear away.
 */
export function repairSsa(kernel: Kernel, definitions: Definitions, work: Work): void {
  const repairs = new Map([...definitions].map(([value, at]) => [value, new Repair(kernel, value, at)]));
  const snapshot = kernel.blocks.map((block) => ({ block, phis: [...block.phis] }));
  for (const { block, phis } of snapshot) {
    work.ask(block.ops.length + phis.length + 1);
    for (const phi of phis) {
      for (let index = 0; index < phi.args.length; index++) {
        const from = block.predecessors[index];
        const repair = repairs.get(phi.args[index]!);
        if (repair && from) phi.args[index] = repair.atEnd(from);
      }
    }
    for (const op of block.ops) {
      for (let index = 0; index < op.args.length; index++) {
        const repair = repairs.get(op.args[index]!);
        if (repair && !repair.defines(block)) op.args[index] = repair.atStart(block);
      }
    }
    const { end } = block;
    if (end.kind === "branch") {
      const repair = repairs.get(end.cond);
      if (repair) end.cond = repair.atEnd(block);
    }
  }
}

class Repair {
  readonly #kernel: Kernel;
  readonly #value: Op;
  readonly #at: ReadonlyMap<Block, Op>;
  readonly #starts = new Map<Block, Op>();

  constructor(kernel: Kernel, value: Op, at: ReadonlyMap<Block, Op>) {
    this.#kernel = kernel;
    this.#value = value;
    this.#at = at;
  }

  defines(block: Block): boolean {
    return this.#at.has(block);
  }

  atEnd(block: Block): Op {
    return this.#at.get(block) ?? this.atStart(block);
  }

  atStart(block: Block): Op {
    const path: Block[] = [];
    let at = block;
    let value = this.#starts.get(at);
    while (!value && at.predecessors.length === 1) {
      path.push(at);
      at = at.predecessors[0] as Block;
      value = this.#at.get(at) ?? this.#starts.get(at);
    }
    value ??= this.#join(at);
    for (const each of path) this.#starts.set(each, value);
    return value;
  }

  #join(block: Block): Op {
    if (block.predecessors.length === 0) return this.#unset();
    const phi = createOp(this.#kernel, { kind: "phi" }, this.#value.type as ScalarType, [], this.#value.span);
    this.#starts.set(block, phi);
    phi.args = block.predecessors.map((from) => this.atEnd(from));
    block.phis.push(phi);
    return phi;
  }

  /** No definition on the way here: the use cannot run before one, so any value will do. */
  #unset(): Op {
    const entry = this.#kernel.blocks[0];
    const { type } = this.#value;
    const known = entry?.ops.find((op) => op.action.kind === "unknown" && op.action.reason === uninitialised && op.type === type);
    if (known) return known;
    const op = createOp(this.#kernel, { kind: "unknown", reason: uninitialised }, type);
    entry?.ops.unshift(op);
    return op;
  }
}
