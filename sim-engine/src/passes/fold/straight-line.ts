/**
 * Addresses into one array that differ by something simple are computed one from the other: by a constant, which becomes the
 * access's offset, or by a stride (LLVM's SeparateConstOffsetFromGEP, SLSR and NaryReassociate).
 */

import { createOp } from "../../ir/builder.ts";
import { intConstant, isConstant } from "../../ir/constants.ts";
import { type DominatorTree, dominators, reversePostorder } from "../../ir/graph.ts";
import type { Block, Kernel, Op, ScalarType } from "../../ir/kernel.ts";
import type { Work } from "../../work.ts";
import { Constants } from "../edit/constants.ts";
import { isNarrow } from "../facts/alias.ts";
import { findFragments } from "../facts/fragments.ts";
import { type Linear, linearOf, singleTerm, sum } from "../facts/linear.ts";

interface Address {
  readonly gep: Op;
  readonly block: Block;
  /** The index without constant additions, wherever in its sum they are, and their sum. */
  readonly terms: readonly Op[];
  readonly offset: number;
  readonly linear: Linear;
}

/** Addresses of one array that are compared with each other. */
const groupLimit = 64;

/** Returns whether any address changed. */
export function reduceStraightLine(kernel: Kernel, work: Work): boolean {
  const tree = dominators(kernel);
  const constants = new Constants(kernel);
  let changed = false;
  for (const group of groups(kernel, work)) {
    if (group.length < 2 || group.length > groupLimit) continue;
    const done: Address[] = [];
    for (const address of group) {
      work.ask(group.length);
      const reduced = shareRoot(kernel, constants, tree, group, address) || fromPrevious(kernel, constants, tree, done, address);
      changed ||= reduced;
      done.push(address);
    }
  }
  return changed;
}

/** By array and element size, in an order where dominating addresses come first. */
function groups(kernel: Kernel, work: Work): Address[][] {
  const found = new Map<string, Address[]>();
  const fragments = findFragments(kernel, work);
  for (const block of reversePostorder(kernel)) {
    for (const gep of block.ops) {
      work.ask(1);
      const { action, args } = gep;
      const [base, index] = args;
      if (action.kind !== "gep" || !base || !index || intConstant(index) !== undefined || action.offset !== 0) continue;
      if (fragments.isAddress(gep) && !isNarrow(base)) continue;
      const key = `${base.id} ${action.scale}`;
      const list = found.get(key) ?? [];
      found.set(key, list);
      list.push({ gep, block, ...strip(index), linear: linearOf(index, isNarrow(base)) });
    }
  }
  return [...found.values()];
}

/** An index as a sum of others and a constant, exact or not: an index into an array is taken to be positive, so that adding cannot wrap it. */
function strip(index: Op): { readonly terms: readonly Op[]; readonly offset: number } {
  const { action, args } = index;
  const [a, b] = args;
  if (action.kind !== "int" || action.op !== "add" || !a || !b) return { terms: [index], offset: 0 };
  const left = strip(a);
  const right = intConstant(b) === undefined ? strip(b) : { terms: [], offset: intConstant(b) as number };
  const offset = left.offset + right.offset;
  return offset < 0 || offset > 0x7fffffff ? { terms: [index], offset: 0 } : { terms: [...left.terms, ...right.terms], offset };
}

/** `a[i + 4]` beside `a[i]` or `a[i + 8]`: all of them from `a[i]`. */
function shareRoot(kernel: Kernel, constants: Constants, tree: DominatorTree, group: readonly Address[], address: Address): boolean {
  const { gep, block, terms, offset } = address;
  if (offset <= 0 || gep.action.kind !== "gep") return false;
  const [base, index] = gep.args;
  const [first, ...more] = terms;
  if (!base || index?.type !== "i32" || !first || index === first) return false;
  const near = (other: Address): boolean =>
    other !== address &&
    other.terms.length === terms.length &&
    terms.every((term, at) => term === other.terms[at]) &&
    (tree.dominates(other.block, block) || tree.dominates(block, other.block));
  if (!group.some(near)) return false;
  const emit = (action: Op["action"], type: ScalarType, ...args: Op[]): Op => {
    const op = createOp(kernel, action, type, args, gep.span);
    block.ops.splice(block.ops.indexOf(gep), 0, op);
    return op;
  };
  const root = more.reduce((sum, term) => emit({ kind: "int", op: "add", exact: true }, "i32", sum, term), first);
  const inner = emit({ kind: "gep", scale: gep.action.scale, offset: 0 }, "ptr", base, root);
  gep.args = [inner, constants.int("i32", 0)];
  gep.action = { kind: "gep", scale: 1, offset: offset * gep.action.scale };
  return true;
}

/** `a[i + n]` behind `a[i]`: that address, n elements on. */
function fromPrevious(kernel: Kernel, constants: Constants, tree: DominatorTree, done: readonly Address[], address: Address): boolean {
  const { gep, block, linear } = address;
  if (gep.action.kind !== "gep" || gep.action.scale === 1 || gep.args[1]?.action.kind === "phi") return false;
  for (let back = done.length - 1; back >= 0; back--) {
    const other = done[back] as Address;
    if (other.gep.action.kind !== "gep" || other.linear === linear || !tree.dominates(other.block, block)) continue;
    const stride = singleTerm(sum(linear, other.linear, -1));
    if (!stride || !available(tree, kernel, stride.value, other.block)) continue;
    if (gep.args[1]?.type === "i64" && !isOtherRow(gep.args[1], other.gep.args[1], stride.value)) continue;
    const type = stride.value.type as ScalarType;
    const ops: Op[] = [];
    let value = stride.value;
    if (stride.coefficient !== 1) {
      value = createOp(kernel, { kind: "int", op: "mul", exact: true }, type, [value, constants.int(type, stride.coefficient)], gep.span);
      ops.push(value);
    }
    block.ops.splice(block.ops.indexOf(gep), 0, ...ops);
    gep.args = [other.gep, value];
    return true;
  }
  return false;
}

/** Whether an index is a sum of which one summand is a row a constant from the other's times a pitch: of 64 bits SLSR looks at products alone. */
function isOtherRow(index: Op, other: Op | undefined, pitch: Op): boolean {
  const known = new Set(other && summands(other));
  return summands(index).some((summand) => {
    const { action, args } = summand;
    if (action.kind !== "int" || action.op !== "mul" || known.has(summand)) return false;
    const factors = args.map((arg) => (arg.action.kind === "convert" ? (arg.args[0] as Op) : arg));
    return (
      factors.includes(pitch) &&
      factors.some((factor) => factor.action.kind === "int" && factor.action.op === "add" && isConstant(factor.args[1]))
    );
  });
}

function summands(op: Op): Op[] {
  return op.action.kind === "int" && (op.action.op === "add" || op.action.op === "sub") ? op.args.flatMap(summands) : [op];
}

function available(tree: DominatorTree, kernel: Kernel, value: Op, at: Block): boolean {
  const home = kernel.blocks.find((block) => block.ops.includes(value) || block.phis.includes(value));
  return home !== undefined && (home === at || tree.dominates(home, at));
}
