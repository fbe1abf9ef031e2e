/** Stores that need not be made: overwritten at once, never read, of what is there already, or repeated in a loop where only the last one counts. */

import { createOp } from "../../ir/builder.ts";
import { dominators, findLoops } from "../../ir/graph.ts";
import type { Block, Kernel, Op, Span } from "../../ir/kernel.ts";
import type { Work } from "../../work.ts";
import { insertBefore } from "../edit/blocks.ts";
import { compareLocations, type Location, locationOf, underlyingObject } from "../facts/alias.ts";
import { clobbers, mayWrite } from "../facts/memory-effects.ts";

/** Returns whether any store went. */
export function removeDeadStores(kernel: Kernel, work: Work): boolean {
  const read = readAllocas(kernel);
  let changed = false;
  for (const block of kernel.blocks) {
    const accesses = block.ops.flatMap((op) => (touches(op) ? [{ op, location: locationOf(op) }] : []));
    work.ask(block.ops.length);
    const dead = new Set<Op>();
    for (const [index, { op, location }] of accesses.entries()) {
      work.ask(8);
      if (op.action.kind !== "store" || op.action.volatile || !location) continue;
      const unread = location.object?.action.kind === "alloca" && read && !read.has(location.object);
      if (
        unread ||
        overwritten(kernel, accesses.slice(index + 1, index + 1 + lookAhead), location) ||
        isThereAlready(kernel, accesses.slice(Math.max(0, index - lookAhead), index), op, location)
      )
        dead.add(op);
    }
    if (dead.size === 0) continue;
    changed = true;
    block.ops = block.ops.filter((op) => !dead.has(op));
  }
  return changed;
}

/** Local variables that something may read; undefined when an address goes where it cannot be followed. */
function readAllocas(kernel: Kernel): Set<Op> | undefined {
  const read = new Set<Op>();
  for (const block of kernel.blocks) {
    for (const phi of block.phis) if (phi.args.some(isLocal)) return undefined;
    for (const { action, args } of block.ops) {
      if (action.kind === "gep") continue;
      if (action.kind === "select" && args.some(isLocal)) return undefined;
      for (const [index, arg] of args.entries()) {
        if (action.kind === "store" && index === 0) continue;
        const object = arg.type === "ptr" ? underlyingObject(arg) : undefined;
        if (object) read.add(object);
      }
    }
  }
  return read;
}

const isLocal = (op: Op): boolean => op.type === "ptr" && underlyingObject(op)?.action.kind === "alloca";

/** Accesses looked at behind a store. */
const lookAhead = 64;

const touches = (op: Op): boolean => op.action.kind === "load" || op.action.kind === "copy.commit" || mayWrite(op);

/** A later store writes the same bytes, and nothing between reads them or lets others see them. */
function overwritten(
  kernel: Kernel,
  later: readonly { readonly op: Op; readonly location: Location | undefined }[],
  location: Location,
): boolean {
  for (const { op, location: other } of later) {
    const { action } = op;
    if ((action.kind === "load" || action.kind === "store") && other) {
      const relation = compareLocations(kernel, other, location);
      if (action.kind === "store" && !action.volatile && relation === "same") return true;
      if (action.kind === "load" && relation !== "none") return false;
    } else return false;
  }
  return false;
}

/** What was loaded from there is stored again, and nothing has written to it meanwhile: members of a record that is copied, changed and put back. */
function isThereAlready(
  kernel: Kernel,
  earlier: readonly { readonly op: Op; readonly location: Location | undefined }[],
  store: Op,
  location: Location,
): boolean {
  const [, value, ...more] = store.args;
  if (value?.action.kind !== "load" || value.action.volatile || value.action.components !== 1 || more.length > 0) return false;
  for (const { op, location: other } of earlier.toReversed()) {
    if (op === value) return other !== undefined && compareLocations(kernel, other, location) === "same";
    if (mayWrite(op) && clobbers(kernel, op, location, other)) return false;
  }
  return false;
}

/**
 * A store to one place in every iteration, which nothing in the loop reads, is made once behind it (LLVM's scalar promotion;
 * its loads have been forwarded already). Returns whether any moved.
 */
export function sinkStores(kernel: Kernel, work: Work): boolean {
  work.ask(kernel.blocks.length);
  const tree = dominators(kernel);
  for (const loop of findLoops(kernel).reverse()) {
    const [exit] = loop.exits;
    if (!exit || loop.exits.length !== 1) continue;
    const inside = new Set<Op>();
    for (const block of loop.blocks) for (const op of [...block.phis, ...block.ops]) inside.add(op);
    for (const block of [...loop.blocks]) {
      if (
        !tree.has(block) ||
        !tree.has(exit.from) ||
        !tree.dominates(block, exit.from) ||
        !loop.latches.every((latch) => tree.dominates(block, latch))
      )
        continue;
      for (const op of [...block.ops]) {
        if (op.action.kind !== "store" || op.action.volatile || op.args[0] === undefined || inside.has(op.args[0])) continue;
        const location = locationOf(op);
        if (!location || !aloneInLoop(kernel, loop.blocks, op, location, work)) continue;
        block.ops.splice(block.ops.indexOf(op), 1);
        const to = exit.to.predecessors.length > 1 ? insertBefore(kernel, exit.to, [exit.from]) : exit.to;
        to.ops.unshift(createOp(kernel, op.action, op.type, op.args, op.span));
        for (const from of loop.header.predecessors) if (!loop.blocks.has(from)) markLoad(kernel, from, location, op.span);
        sinkStores(kernel, work);
        return true;
      }
    }
  }
  return false;
}

/** What is kept in a register over a loop is loaded before it in the name of the line that stores it, as LLVM has it. */
function markLoad(kernel: Kernel, before: Block, location: Location, span: Span): void {
  for (const op of before.ops) {
    const read = op.action.kind === "load" ? locationOf(op) : undefined;
    if (read && compareLocations(kernel, read, location) === "same") op.span = span;
  }
}

function aloneInLoop(kernel: Kernel, blocks: ReadonlySet<Block>, store: Op, location: Location, work: Work): boolean {
  for (const block of blocks) {
    work.ask(block.ops.length);
    for (const op of block.ops) {
      if (op === store) continue;
      if (mayWrite(op) && clobbers(kernel, op, { ...location, readOnly: false })) return false;
      if (op.action.kind !== "load") continue;
      const read = locationOf(op);
      if (!read || compareLocations(kernel, read, location) !== "none") return false;
    }
  }
  return true;
}
