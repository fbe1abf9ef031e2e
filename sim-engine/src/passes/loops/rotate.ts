/**
 * Loops that test at the top become loops that test at the bottom behind one test before them, as LLVM's loop rotation does:
 * one branch less in each iteration, and a body that runs whenever the loop is entered, so that loads may leave it.
 */
import { nvcc } from "../../compilers/compiler.ts";
import { createOp, linkBlocks } from "../../ir/builder.ts";
import { findLoops, type Loop } from "../../ir/graph.ts";
import type { Block, Kernel, Op } from "../../ir/kernel.ts";
import { hasEffect, isConvergent, isLeaf } from "../../ir/operations.ts";
import type { Work } from "../../work.ts";
import { insertBefore, preheader } from "../edit/blocks.ts";
import { addEdge, removeEdge } from "../edit/edges.ts";
import { repairSsa } from "../edit/ssa-repair.ts";

/** Returns whether any loop was rotated. */
export function rotateLoops(kernel: Kernel, work: Work): boolean {
  let changed = false;
  const done = new Set<Block>();
  for (;;) {
    const loops = findLoops(kernel);
    work.spend(kernel.blocks.length + loops.reduce((sum, { blocks }) => sum + blocks.size, 0));
    const loop = loops.find((each) => !done.has(each.header) && canRotate(each));
    if (!loop || work.isOver) return changed;
    done.add(loop.header);
    rotate(kernel, loop, work);
    changed = true;
  }
}

/** The header decides whether to leave, and is not already the end of the loop. */
function canRotate(loop: Loop): boolean {
  const { header } = loop;
  const { end } = header;
  if (end.kind !== "branch" || loop.latches.length === 0 || loop.latches.includes(header)) return false;
  if (loop.blocks.has(end.then) === loop.blocks.has(end.else)) return false;
  return header.ops.length <= nvcc.rotatedHeaderSize && !header.ops.some((op) => hasEffect(op) || isConvergent(op));
}

function rotate(kernel: Kernel, loop: Loop, work: Work): void {
  const { header } = loop;
  const { end } = header;
  if (end.kind !== "branch") return;
  const before = preheader(kernel, loop);
  let body = loop.blocks.has(end.then) ? end.then : end.else;
  const out = body === end.then ? end.else : end.then;
  // The body becomes the header: it must not be that of an inner loop, or a join.
  if (body.predecessors.length > 1) body = insertBefore(kernel, body, [header]);

  // The test before the loop: the header's operations, with the values that enter the loop.
  const entering = header.predecessors.indexOf(before);
  const values = new Map<Op, Op>();
  for (const phi of header.phis) values.set(phi, phi.args[entering] as Op);
  for (const op of header.ops) {
    const copy = createOp(
      kernel,
      op.action,
      op.type,
      op.args.map((arg) => values.get(arg) ?? arg),
      op.span,
    );
    values.set(op, copy);
    before.ops.push(copy);
  }
  const operand =
    (block: Block) =>
    (phi: Op): Op => {
      const arg = phi.args[block.predecessors.indexOf(header)] as Op;
      return values.get(arg) ?? arg;
    };
  removeEdge(before, header);
  before.end = { kind: "branch", cond: values.get(end.cond) ?? end.cond, then: end.then, else: end.else, span: end.span };
  addEdge(before, body, operand(body));
  addEdge(before, out, operand(out));
  if (header.unroll !== undefined) {
    body.unroll = header.unroll;
    delete header.unroll;
  }

  // What the header defined now has two definitions: the copies, and itself at the bottom of the loop.
  const definitions = new Map<Op, Map<Block, Op>>();
  for (const [op, copy] of values) {
    if (isLeaf(op)) continue;
    definitions.set(
      op,
      new Map([
        [header, op],
        [before, copy],
      ]),
    );
  }
  linkBlocks(kernel);
  repairSsa(kernel, definitions, work);
}
