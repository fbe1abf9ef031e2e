/**
 * An index into a row becomes one into the whole array, as NVVM has it (InstCombine merges a getelementptr into the one it starts from):
 * `(a + row)[i]` is a[(long)row + (long)i], a sum of 64 bits for each access. Where a loop's counter is exact its strength reduction
 * makes a pointer of that again, which costs what the row's own pointer does: those are left. So are rows whose beginning is itself
 * accessed, where the address stands anyway (validation/compiler/rows.json).
 */
import { createOp } from "../../ir/builder.ts";
import { intConstant } from "../../ir/constants.ts";
import { findLoops, type Loop, reversePostorder } from "../../ir/graph.ts";
import type { Block, Kernel, Op } from "../../ir/kernel.ts";
import type { Work } from "../../work.ts";
import { isNarrow } from "../facts/alias.ts";
import { findFragments } from "../facts/fragments.ts";
import { type Linear, linearOf, splitBy } from "../facts/linear.ts";
import { findUses } from "../facts/uses.ts";
import { bottomTest, loopCounter } from "./induction.ts";

/** Returns whether any address was merged. */
export function mergeAddresses(kernel: Kernel, work: Work): boolean {
  const homes = new Map<Op, Block>();
  for (const block of kernel.blocks) for (const op of [...block.phis, ...block.ops]) homes.set(op, block);
  const loops = findLoops(kernel);
  const uses = findUses(kernel);
  const stands = (address: Op | undefined): boolean => address !== undefined && (uses.by.get(address) ?? []).some(isNoAddress);
  const merging = new Merging(kernel, homes);
  const fragments = findFragments(kernel, work);
  // Rows of rows come before what is in them.
  for (const block of reversePostorder(kernel))
    for (const gep of [...block.ops]) {
      work.ask(1);
      if (!isIntoRow(gep) || stands(gep.args[0]) || fragments.isLanes(gep)) continue;
      if (!loops.some((loop) => loop.blocks.has(block) && movesAlong(gep, loop, homes))) merging.merge(gep);
    }
  return merging.count > 0;
}

const isNoAddress = ({ action }: Op): boolean => action.kind !== "gep";

/** An element of what begins at an element of the same size. */
function isIntoRow({ action, args: [row, index] }: Op): boolean {
  if (action.kind !== "gep" || !row || !index || action.offset !== 0 || action.scale === 1 || row.action.kind !== "gep") return false;
  const { scale, offset } = row.action;
  return scale === action.scale && offset === 0 && [index, row.args[1]].every((each) => intConstant(each) === undefined) && !isNarrow(row);
}

/** The row stays while the index steps by the same each turn, and does not wrap. */
function movesAlong({ args: [row, index] }: Op, loop: Loop, homes: ReadonlyMap<Op, Block>): boolean {
  const { blocks, header } = loop;
  const inLoop = (op: Op | undefined): boolean => {
    const home = op && homes.get(op);
    return home !== undefined && blocks.has(home);
  };
  if (!index || inLoop(row)) return false;
  const linear = linearOf(index);
  return header.phis.some((phi) => {
    const split = splitBy(linear, phi);
    if (!split || split.slope.size === 0) return false;
    return (
      [split.slope, split.rest].every((part) => [...part.values()].every(({ factors }) => !factors.some(inLoop))) &&
      isExact(phi, inLoop) &&
      (stepsByConstant(phi, inLoop) || counts(loop, phi))
    );
  });
}

const isConstant = (linear: Linear): boolean => [...linear.keys()].every((key) => key === "");

const stepsByConstant = (counter: Op, inLoop: (op: Op | undefined) => boolean): boolean =>
  counter.args.filter(inLoop).every((next) => isConstant(splitBy(linearOf(next), counter)?.rest ?? new Map()));

/** Whether NVVM finds how often the loop runs by this counter, and so that it does not wrap; what it has unrolled it has counted. */
function counts(loop: Loop, counter: Op): boolean {
  if (loop.header.unroll !== undefined) return true;
  const test = bottomTest(loop);
  const entry = loop.header.predecessors.find((from) => !loop.blocks.has(from));
  return test !== undefined && entry !== undefined && loopCounter(loop, test, entry)?.phi === counter;
}

function isExact(counter: Op, inLoop: (op: Op | undefined) => boolean): boolean {
  return counter.args.filter(inLoop).every((next) => {
    const split = splitBy(linearOf(next), counter);
    const once = split?.slope.size === 1 && split.slope.get("")?.coefficient === 1;
    return once && [...split.rest.values()].every(({ factors }) => !factors.some(inLoop));
  });
}

class Merging {
  readonly #kernel: Kernel;
  readonly #homes: Map<Op, Block>;
  readonly #extended = new Map<Op, Op>();
  count = 0;

  constructor(kernel: Kernel, homes: Map<Op, Block>) {
    this.#kernel = kernel;
    this.#homes = homes;
  }

  merge(gep: Op): void {
    const [row, index] = gep.args;
    const [array, first] = row?.args ?? [];
    if (!row || !index || !array || !first) return;
    // Where the row begins is known where it is: a loop leaves that outside.
    const start = this.#extended.get(row) ?? this.#extend(first, row, "behind");
    this.#extended.set(row, start);
    const total = this.#emit({ kind: "int", op: "add" }, [start, this.#extend(index, gep, "before")], gep, "before");
    gep.args = [array, total];
    this.count++;
  }

  #extend(index: Op, at: Op, side: "before" | "behind"): Op {
    return index.type === "i64" ? index : this.#emit({ kind: "convert", op: "sext" }, [index], at, side);
  }

  #emit(action: Op["action"], args: Op[], at: Op, side: "before" | "behind"): Op {
    const op = createOp(this.#kernel, action, "i64", args, at.span);
    const block = this.#homes.get(at);
    if (!block) return op;
    block.ops.splice(block.ops.indexOf(at) + (side === "behind" ? 1 : 0), 0, op);
    this.#homes.set(op, block);
    return op;
  }
}
