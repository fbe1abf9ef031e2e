/** Loops in the shape passes want: one block before the header that only enters the loop, and copies of a loop's blocks. */

import { createBlock, createOp } from "../../ir/builder.ts";
import type { Loop } from "../../ir/graph.ts";
import type { Block, Kernel, Op, Terminator } from "../../ir/kernel.ts";
import type { Work } from "../../work.ts";
import { addEdge, removeEdge, retarget } from "./edges.ts";

/** The one block outside the loop that goes to its header, and nowhere else; made when there is none. Keeps `kernel.blocks` in order. */
export function preheader(kernel: Kernel, loop: Loop): Block {
  const { header } = loop;
  const outside = [...new Set(header.predecessors.filter((from) => !loop.blocks.has(from)))];
  const [only] = outside;
  if (outside.length === 1 && only && only.end.kind === "jump") return only;
  return insertBefore(kernel, header, outside);
}

/** A new block on the edges from `froms` to `to`, with phis there for what they bring differently. */
export function insertBefore(kernel: Kernel, to: Block, froms: readonly Block[]): Block {
  const block = insertBlock(kernel, to);
  const edges = to.predecessors.flatMap((from, index) => (froms.includes(from) ? [index] : []));
  const values = new Map<Op, Op>();
  for (const phi of to.phis) {
    const args = edges.map((index) => phi.args[index] as Op);
    const [first] = args;
    if (first && args.every((arg) => arg === first)) values.set(phi, first);
    else {
      const merged = createOp(kernel, { kind: "phi" }, phi.type, args, phi.span);
      block.phis.push(merged);
      values.set(phi, merged);
    }
  }
  block.predecessors = edges.map((index) => to.predecessors[index] as Block);
  for (const from of block.predecessors) removeEdge(from, to);
  for (const from of froms) retarget(from, to, block);
  block.end = { kind: "jump", to };
  addEdge(block, to, (phi) => values.get(phi) ?? phi);
  return block;
}

/** A new block, in the list just before `before`. */
export function insertBlock(kernel: Kernel, before: Block): Block {
  const block = createBlock(kernel);
  kernel.blocks.pop();
  kernel.blocks.splice(kernel.blocks.indexOf(before), 0, block);
  return block;
}

/** A copy of some blocks: operands and edges among them go to copies, others stay. */
export interface Copy {
  readonly blocks: ReadonlyMap<Block, Block>;
  readonly values: ReadonlyMap<Op, Op>;
}

/**
 * Copies `blocks`; `start` gives values their copies to begin with (the header's phis, which are then not copied). Successors
 * outside get new edges with operands from the copies; edges back to `header` are the caller's: they go to the copied header.
 */
export function copyBlocks(
  kernel: Kernel,
  blocks: readonly Block[],
  header: Block,
  start: ReadonlyMap<Op, Op>,
  before: Block,
  work: Work,
): Copy {
  const values = new Map(start);
  const copies = new Map<Block, Block>();
  for (const block of blocks) {
    work.ask(2 * block.ops.length + kernel.blocks.length / 64 + 1);
    const copy = insertBlock(kernel, before);
    copies.set(block, copy);
    if (block.unroll !== undefined && block !== header) copy.unroll = block.unroll;
    for (const phi of block.phis) {
      if (block === header && start.has(phi)) continue;
      const op = createOp(kernel, phi.action, phi.type, [], phi.span);
      values.set(phi, op);
      copy.phis.push(op);
    }
    for (const op of block.ops) {
      const made = createOp(kernel, op.action, op.type, op.args, op.span);
      values.set(op, made);
      copy.ops.push(made);
    }
  }
  const value = (op: Op): Op => values.get(op) ?? op;
  for (const [block, copy] of copies) {
    for (const op of copy.ops) op.args = op.args.map(value);
    copy.end = copyEnd(block.end, copies, value);
    if (block === header) continue;
    copy.predecessors = block.predecessors.map((from) => copies.get(from) ?? from);
    for (const [index, phi] of copy.phis.entries()) phi.args = (block.phis[index] as Op).args.map(value);
  }
  for (const [block, copy] of copies) {
    for (const to of new Set(targets(block.end))) {
      if (copies.has(to)) continue;
      for (const [index, from] of [...to.predecessors].entries()) {
        if (from !== block) continue;
        addEdge(copy, to, (phi) => value(phi.args[index] as Op));
      }
    }
  }
  return { blocks: copies, values };
}

const targets = (end: Terminator): Block[] => (end.kind === "jump" ? [end.to] : end.kind === "branch" ? [end.then, end.else] : []);

function copyEnd(end: Terminator, copies: ReadonlyMap<Block, Block>, value: (op: Op) => Op): Terminator {
  const target = (block: Block): Block => copies.get(block) ?? block;
  switch (end.kind) {
    case "jump":
      return { kind: "jump", to: target(end.to) };
    case "branch":
      return { kind: "branch", cond: value(end.cond), then: target(end.then), else: target(end.else), span: end.span };
    case "return":
      return end;
  }
}
