/**
 * The part of a kernel whose values must be computed to know where it goes and what it touches: branch conditions,
 * addresses, and what these depend on, through memory too. The rest is only counted.
 */
import type { Kernel, Op } from "../ir/kernel.ts";
import { isNamedBarrier, meetsOthers } from "../ir/operations.ts";
import type { Work } from "../work.ts";
import { type MemoryObject, mayOverlap, type Provenance } from "./provenance.ts";

export interface Slice {
  /** The operation's value must be computed. */
  needs(op: Op): boolean;
  /** The operation's effect on memory must be carried out. */
  acts(op: Op): boolean;
}

/** The slice of everything: for comparing values. */
export const wholeKernel: Slice = { needs: (op) => op.type !== "void", acts: () => true };

/** @param also other values that are asked for */
export function sliceForAddresses(kernel: Kernel, provenance: Provenance, work: Work, also: Iterable<Op> = []): Slice {
  return slice(kernel, provenance, undefined, work, also);
}

/** The slice for what a kernel leaves in these objects: where it goes, and what it stores to them. */
export function sliceForStores(kernel: Kernel, provenance: Provenance, objects: ReadonlySet<MemoryObject>, work: Work): Slice {
  return slice(kernel, provenance, objects, work);
}

/** The slice for where a kernel goes. @param also other values that are asked for */
export function sliceForFlow(kernel: Kernel, provenance: Provenance, work: Work, also: Iterable<Op> = []): Slice {
  return slice(kernel, provenance, new Set(), work, also);
}

/** @param objects whose contents are asked for; undefined: all addresses are */
function slice(
  kernel: Kernel,
  provenance: Provenance,
  objects: ReadonlySet<MemoryObject> | undefined,
  work: Work,
  also: Iterable<Op> = [],
): Slice {
  const needed = new Set<Op>();
  const acting = new Set<Op>();
  const pending: Op[] = [];
  const need = (op: Op | undefined): void => {
    if (!op || needed.has(op)) return;
    needed.add(op);
    pending.push(op);
  };
  for (const op of also) need(op);
  /** What a bulk copy reaches at one of its ends; where a tensor lies is a matter of its map. */
  const bulkEnds = ({ action, args: [shared, global] }: Op, end: "shared" | "global"): ReadonlySet<MemoryObject> => {
    const isTensor = action.kind === "copy.bulk" && action.tensor !== undefined;
    const address = end === "shared" ? shared : global;
    return address === undefined || (isTensor && end === "global") ? new Set<MemoryObject>(["any"]) : provenance.of(address);
  };
  /** Operations that write memory, with the operands they write. */
  const writers: { readonly op: Op; readonly objects: ReadonlySet<MemoryObject> }[] = [];
  for (const block of kernel.blocks) {
    for (const op of block.ops) {
      const { kind } = op.action;
      if (meetsOthers(op) || isNamedBarrier(op)) for (const arg of op.args) need(arg);
      if (objects === undefined) {
        if (kind === "load" || kind === "store" || kind === "atomic") need(op.args[0]);
        if (kind === "copy.async" || kind === "copy.bulk") for (const arg of op.args) need(arg);
        // Which warp of the group it is decides what it reads.
        if (kind === "wgmma") need(op.args[0]);
        // What it takes depends on how many values differ.
        if (kind === "match") need(op);
      }
      const [target] = op.args;
      if (target && (kind === "store" || kind === "atomic" || kind === "copy.async")) writers.push({ op, objects: provenance.of(target) });
      if (op.action.kind === "copy.bulk") writers.push({ op, objects: bulkEnds(op, op.action.to) });
    }
    if (block.end.kind === "branch") need(block.end.cond);
  }
  /** Something that is needed reads this memory: whoever writes it must do so. */
  const read = (objects: ReadonlySet<MemoryObject>): void => {
    work.ask(writers.length / 4);
    for (const writer of writers) {
      if (acting.has(writer.op) || !mayOverlap(writer.objects, objects)) continue;
      acting.add(writer.op);
      for (const arg of writer.op.args) need(arg);
      if (writer.op.action.kind === "atomic") read(writer.objects);
      const [, source] = writer.op.args;
      const { action } = writer.op;
      if (action.kind === "copy.async" && source) read(provenance.of(source));
      if (action.kind === "copy.bulk") read(bulkEnds(writer.op, action.to === "shared" ? "global" : "shared"));
    }
  };
  if (objects !== undefined) read(objects);
  const shared = new Set<MemoryObject>(["shared dynamic", ...kernel.shared.map((_, index) => `shared ${index}` as const)]);
  for (let op = pending.pop(); op; op = pending.pop()) {
    work.ask(1);
    for (const arg of op.args) need(arg);
    const [address] = op.args;
    if (address && (op.action.kind === "load" || op.action.kind === "atomic")) read(provenance.of(address));
    // A descriptor is no pointer that could be followed.
    if (op.action.kind === "wgmma") read(shared);
    if (op.action.kind === "atomic") acting.add(op);
  }
  return { needs: (op) => needed.has(op), acts: (op) => acting.has(op) };
}
