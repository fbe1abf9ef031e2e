/** What all ways into a block end with is done once there, as LLVM's SimplifyCFG does. */

import { createOp, noSpan, successors } from "../../ir/builder.ts";
import type { Block, Kernel, Op } from "../../ir/kernel.ts";
import { isPure } from "../../ir/operations.ts";
import type { Work } from "../../work.ts";
import { Substitution } from "../edit/substitution.ts";

/** Loads and stores of different places too, which LLVM merges once it is done with loads that are known. Returns whether any moved. */
export function sinkCommon(kernel: Kernel, work: Work): boolean {
  let changed = false;
  for (const block of kernel.blocks) changed = sinkCommonOf(kernel, block, true, work) || changed;
  return changed;
}

/** Where the ways of a block's branch meet: what they end with, but for one operand. With `accesses`, loads and addresses too. */
export function sinkCommonOf(kernel: Kernel, block: Block, accesses: boolean, work: Work): boolean {
  const { end } = block;
  if (end.kind !== "branch") return false;
  const join = [end.then, end.else]
    .map((arm) => (arm.end.kind === "jump" ? arm.end.to : undefined))
    .find((to) => to !== undefined && to !== block);
  if (!join) return false;
  const froms = join.predecessors;
  if (froms.length < 2 || new Set(froms).size < froms.length || froms.some((from) => from.end.kind !== "jump" || from === join))
    return false;
  // Into a loop's header the ways come at different times.
  if (froms.some((from) => from !== end.then && from !== end.else && reaches(join, from))) return false;
  let moved = false;
  while (new Sinking(kernel, join, accesses, work).sinkOne()) moved = true;
  return moved;
}

function reaches(from: Block, to: Block): boolean {
  const seen = new Set([from]);
  const pending = [from];
  for (let at = pending.pop(); at && seen.size < 64; at = pending.pop()) {
    if (at === to) return true;
    for (const next of successors(at)) {
      if (seen.has(next)) continue;
      seen.add(next);
      pending.push(next);
    }
  }
  return false;
}

/** One operation of every predecessor of a join. */
type Row = readonly Op[];

class Sinking {
  readonly #work: Work;
  readonly #kernel: Kernel;
  readonly #join: Block;
  readonly #accesses: boolean;

  constructor(kernel: Kernel, join: Block, accesses: boolean, work: Work) {
    this.#work = work;
    this.#kernel = kernel;
    this.#join = join;
    this.#accesses = accesses;
  }

  /** Sinks the last operation of every predecessor, or the last access; false when they differ too much. */
  sinkOne(): boolean {
    const froms = this.#join.predecessors;
    return this.#sink(froms.map((from) => from.ops.at(-1))) || (this.#accesses && this.#sink(froms.map(lastAccess)));
  }

  #sink(lasts: readonly (Op | undefined)[]): boolean {
    const join = this.#join;
    if (lasts.includes(undefined)) return false;
    const row = lasts as Row;
    const [first] = row as [Op];
    if (!this.#isAlike(row)) return false;
    // A value is sunk only when the join is all that wants it, in one phi.
    const phi = first.type === "void" ? undefined : join.phis.find((each) => each.args.every((arg, index) => arg === row[index]));
    if (first.type !== "void" && (!phi || row.some((op) => this.#isUsed(op, phi)))) return false;
    const differing = differingOf(row);
    if (first.action.kind === "store" && differing.includes(0) && !this.#accesses) return false;
    if (differing.filter((index) => !this.#follows(row, index)).length > 1) return false;
    const args = first.args.map((arg, index) => {
      if (!differing.includes(index)) return arg;
      const operands = row.map((op) => op.args[index] as Op);
      const merged = createOp(this.#kernel, { kind: "phi" }, arg.type, operands, first.span);
      join.phis.push(merged);
      return merged;
    });
    for (const [index, from] of join.predecessors.entries()) from.ops.splice(from.ops.indexOf(row[index] as Op), 1);
    join.ops.unshift(createOp(this.#kernel, first.action, first.type, args, spanOf(row)));
    if (phi) {
      join.phis = join.phis.filter((each) => each !== phi);
      const substitution = new Substitution();
      substitution.replace(phi, join.ops[0] as Op);
      substitution.apply(this.#kernel, this.#work);
    }
    return true;
  }

  #isAlike(row: Row): boolean {
    const [first] = row as [Op];
    if (!(isSinkable(first) || (this.#accesses && first.action.kind === "load" && !first.action.volatile))) return false;
    const key = JSON.stringify(first.action);
    return row.every(
      (op) =>
        op.type === first.type &&
        op.args.length === first.args.length &&
        op.args.every((arg, index) => arg.type === first.args[index]?.type) &&
        JSON.stringify(op.action) === key,
    );
  }

  /** The operands sink after their users, so that the phi of them is not one of those that remain. */
  #follows(row: Row, index: number): boolean {
    if (!this.#accesses) return false;
    const operands = row.map((op) => op.args[index] as Op);
    const froms = this.#join.predecessors;
    if (!operands.every((op, k) => froms[k]?.ops.includes(op) && !this.#isUsed(op, row[k] as Op))) return false;
    return this.#isAlike(operands) && differingOf(operands).length <= 1;
  }

  /** Something other than `user` wants the value. */
  #isUsed(op: Op, user: Op | undefined): boolean {
    return this.#kernel.blocks.some(
      (each) =>
        each.ops.some((other) => other !== user && other.args.includes(op)) ||
        each.phis.some((other) => other !== user && other.args.includes(op)) ||
        (each.end.kind === "branch" && each.end.cond === op),
    );
  }
}

/** The operands in which they are not all the same. */
function differingOf(row: Row): number[] {
  const [first] = row as [Op];
  return first.args.flatMap((_, index) => (row.every((op) => op.args[index] === first.args[index]) ? [] : [index]));
}

/** The last load or store, if only arithmetic follows it. */
function lastAccess(block: Block): Op | undefined {
  const last = block.ops.findLast((op) => !isPure(op));
  return last?.action.kind === "load" || last?.action.kind === "store" ? last : undefined;
}

/** A load that stands for several lines has none of them. */
function spanOf(row: Row): Op["span"] {
  const [first] = row as [Op];
  if (first.type === "void") return (row.at(-1) as Op).span;
  return first.action.kind === "load" && row.some(({ span }) => span.line !== first.span.line) ? noSpan : first.span;
}

const isSinkable = (op: Op): boolean =>
  (op.action.kind === "store" && !op.action.volatile && op.args.length === 2) || (isPure(op) && op.action.kind !== "extract");
