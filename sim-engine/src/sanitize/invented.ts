/**
 * What rests on data that nobody knows: contents that were made up, what other blocks store meanwhile, clocks. A thread that goes some
 * way because of it is no witness.
 */
import { isExact } from "../execute/content.ts";
import type { Program } from "../execute/program.ts";
import { type MemoryObject, mayOverlap } from "../execute/provenance.ts";
import { reconvergence } from "../ir/graph.ts";
import type { Block, Op } from "../ir/kernel.ts";
import type { Work } from "../work.ts";

export interface Invented {
  /** The value is such data, or made of it. */
  has(value: Op): boolean;
  /** The operation's place is reached, or its address found, by way of such data. */
  of(op: Op): boolean;
}

/** @param scalars parameters whose values were made up */
export function findInvented(program: Program, scalars: ReadonlySet<number>, work: Work): Invented {
  const { kernel, launch, provenance } = program;
  const ops = kernel.blocks.flatMap((block) => [...block.phis, ...block.ops].map((op) => ({ op, block })));
  const values = new Set<Op>();
  const blocks = new Set<Block>();
  /** Objects that something of the kind was stored to, or that other blocks store to. */
  const stained = new Set<MemoryObject>();
  // A block may be the first to run: then it finds what the launch found, and what it stores itself. Where blocks look at what others
  // store, that need not be a way that the kernel can go.
  const meetsBlocks = program.leavesWaits || !isUnordered(program);
  const counters = meetsBlocks ? countersOf(program) : new Set<MemoryObject>();
  for (const { op } of ops)
    if (op.args[0] && (op.action.kind === "copy.bulk" || (meetsBlocks && /^(store|atomic)$/.test(op.action.kind))))
      for (const object of provenance.of(op.args[0])) if (!/^(shared|local)/.test(object) && !counters.has(object)) stained.add(object);
  for (const [index, { content }] of launch.buffers.entries()) if (!isExact(content)) stained.add(`buffer ${index}`);
  for (const [index, { content }] of kernel.globals.entries()) if (!isExact(content)) stained.add(`global ${index}`);
  const regionOf = divergentRegions(program);
  const branches = new Set(kernel.blocks.filter(({ end }) => end.kind === "branch"));
  const isSource = ({ action }: Op): boolean => {
    switch (action.kind) {
      case "unknown":
      case "matrix":
      case "wgmma":
        return true;
      case "param":
      case "param.address":
        return scalars.has(action.index);
      case "special":
        return /^(smid|clock|globaltimer|activemask)$/.test(action.register);
      default:
        return false;
    }
  };
  const becomes = (op: Op, block: Block): boolean => {
    if (isSource(op) || op.args.some((arg) => values.has(arg))) return true;
    if (op.action.kind === "phi") return blocks.has(block) || block.predecessors.some((from) => blocks.has(from));
    const [address] = op.args;
    if (!address || (op.action.kind !== "load" && op.action.kind !== "atomic")) return false;
    return mayOverlap(provenance.of(address), stained);
  };
  for (let changed = true; changed; ) {
    changed = false;
    for (const { op, block } of ops) {
      // Found in a set, and what its operands may point at.
      work.ask(2);
      const isOne = values.has(op) || becomes(op, block);
      if (isOne && !values.has(op)) {
        values.add(op);
        changed = true;
      }
      const [target] = op.args;
      if (!target || !/^(store|atomic|copy.async)$/.test(op.action.kind) || !(isOne || blocks.has(block))) continue;
      for (const object of provenance.of(target)) {
        if (stained.has(object)) continue;
        stained.add(object);
        changed = true;
      }
    }
    for (const branch of branches) {
      if (branch.end.kind !== "branch" || !(values.has(branch.end.cond) || blocks.has(branch))) continue;
      branches.delete(branch);
      const region = regionOf(branch);
      work.ask(region.size);
      for (const block of region) {
        if (blocks.has(block)) continue;
        blocks.add(block);
        changed = true;
      }
    }
  }
  const homes = new Map(ops.map(({ op, block }) => [op, block]));
  return {
    has: (value) => values.has(value),
    of: (op) => {
      const home = homes.get(op);
      return (
        (home !== undefined && blocks.has(home)) || op.args.slice(0, op.action.kind === "copy.async" ? 2 : 1).some((arg) => values.has(arg))
      );
    },
  };
}

/** What the kernel only counts up or down, or begins anew: any block may be the one that finds a number there, as blocks come in any order. */
function countersOf({ kernel, provenance }: Program): ReadonlySet<MemoryObject> {
  const [counted, others] = [new Set<MemoryObject>(), new Set<MemoryObject>()];
  for (const { ops } of kernel.blocks)
    for (const { action, args } of ops) {
      const [address, value] = args;
      if (!address || !/^(store|atomic|copy)/.test(action.kind)) continue;
      if (action.kind === "store" && value?.action.kind === "const") continue;
      const isCount = action.kind === "atomic" && /^(add|sub|inc|dec)$/.test(action.op);
      const counts = isCount && (value?.action.kind === "const" || /^(inc|dec)$/.test(action.op));
      for (const object of provenance.of(address)) (counts ? counted : others).add(object);
    }
  return new Set([...counted].filter((object) => !mayOverlap(new Set([object]), others)));
}

/** Nothing in the kernel lets blocks wait for each other: no fence, no look at what others write. */
export const isUnordered = ({ kernel }: Pick<Program, "kernel">): boolean =>
  kernel.blocks.every(({ ops }) =>
    ops.every(
      ({ action }) =>
        action.kind !== "fence" && !((action.kind === "load" || action.kind === "store") && action.space === "global" && action.volatile),
    ),
  );

/** All blocks of the launch, or of a cluster, wait for each other: a barrier of each, and a fence by the same words. */
export const meetsGrid = ({ kernel }: Pick<Program, "kernel">): boolean =>
  kernel.blocks.some(({ ops }) =>
    ops.some(({ action, span }, k) => {
      const next = ops[k + 1];
      return action.kind === "barrier" && next?.action.kind === "fence" && next.span.start === span.start && next.span.file === span.file;
    }),
  );

/**
 * Of a block that branches: the blocks that are run or not as it goes, up to where its ways meet. Found as it is asked for: those of all
 * together come to the square of the kernel's blocks.
 */
export function divergentRegions({ kernel }: Pick<Program, "kernel">): (branch: Block) => ReadonlySet<Block> {
  const joins = reconvergence(kernel);
  return (branch) => {
    const region = new Set<Block>();
    if (branch.end.kind !== "branch") return region;
    const join = joins.parent(branch);
    const pending = [branch.end.then, branch.end.else];
    // Who returns early decides about all that comes behind.
    let returns = false;
    for (let next = pending.pop(); next; next = pending.pop()) {
      if (next === join || region.has(next)) continue;
      region.add(next);
      if (next.end.kind === "return") returns = true;
      else if (next.end.kind === "jump") pending.push(next.end.to);
      else pending.push(next.end.then, next.end.else);
    }
    if (returns && join) {
      pending.push(join);
      for (let next = pending.pop(); next; next = pending.pop()) {
        if (region.has(next)) continue;
        region.add(next);
        if (next.end.kind === "jump") pending.push(next.end.to);
        else if (next.end.kind === "branch") pending.push(next.end.then, next.end.else);
      }
    }
    return region;
  };
}
