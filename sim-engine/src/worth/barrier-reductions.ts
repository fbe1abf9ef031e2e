/** Reductions of a block that halve their distance in shared memory, with a barrier in every turn, down to a single lane. */
import type { Program } from "../execute/program.ts";
import { intConstant } from "../ir/constants.ts";
import type { Loop } from "../ir/graph.ts";
import type { Block, Op } from "../ir/kernel.ts";
import type { Sample } from "../sampling/sample.ts";
import type { Cause } from "./costs.ts";
import { flows } from "./flows.ts";

/** Turns in which one warp's lanes are all that have work: log2 of a warp's lanes. */
const warpTurns = 5;
/** What such a turn issues by shuffles, a shuffle and an addition, for what it does by a barrier: a comparison, a load, an addition, a store. */
const shuffleShare = 1 / 2;

/** Share of a block's threads that store in a turn, on average, up to which they become fewer from turn to turn. Of a scan or a sort all do. */
const fewStore = 1 / 3;

/** Each loop is a cause; the turns within a warp are left as shuffles. */
export function barrierReductions(program: Program, { totals, counts }: Sample): Cause[] {
  const { flow, entries: entriesOf } = flows(program, { totals, counts });
  /** The most threads that carry out one of a loop's stores, in all its turns together. */
  const storing = ({ blocks }: Loop): number => {
    const ops = new Set([...blocks].flatMap((block) => block.ops.filter(({ action }) => action.kind === "store")));
    return counts.counters.reduce((most, each) => (ops.has(each.op) ? Math.max(most, counts.access(totals, each).lanes) : most), 0);
  };
  const [x, y, z] = program.launch.block;
  return program.loops.flatMap((loop): Cause[] => {
    const barrier = barrierOf(loop);
    if (!barrier || !loop.header.phis.some((phi) => isHalved(phi, loop)) || !exchangesInShared(loop) || !sumsUp(loop)) return [];
    const entries = entriesOf(loop);
    if (entries === 0) return [];
    const { executions = 0, lanes = 0 } = flow(barrier.block) ?? {};
    if (storing(loop) > fewStore * lanes) return [];
    const turns = executions / entries;
    // What is left from where a warp could go on by itself.
    const within = Math.min(warpTurns, turns - (Math.log2(x * y * z) - warpTurns));
    if (!(within >= 1)) return [];
    const share = (turns - within * (1 - shuffleShare)) / turns;
    const blocks = new Map([...loop.blocks].map((block) => [block, share]));
    return [{ kind: "barriers of a reduction", ops: [barrier.op], executed: blocks }];
  });
}

/** The one of the whole block, or the first of two. */
function barrierOf({ blocks }: Loop): { readonly op: Op; readonly block: Block } | undefined {
  const barriers = [...blocks].flatMap((block) => block.ops.filter(({ action }) => action.kind === "barrier").map((op) => ({ op, block })));
  const [first] = barriers;
  const { action } = first?.op ?? {};
  return action?.kind === "barrier" && !action.object && !action.named && barriers.length <= 2 ? first : undefined;
}

/** A value that each turn halves, or doubles. What is divided by two with a sign has it added first. */
function isHalved(phi: Op, { header, blocks }: Loop): boolean {
  return header.predecessors.every((from, index) => {
    const next = phi.args[index];
    if (!blocks.has(from) || next === undefined) return !blocks.has(from);
    const [value, by] = next.args;
    if (next.action.kind !== "int" || !value) return false;
    const { op } = next.action;
    if (op === "add") return value === phi && by === phi;
    const ofPhi = value === phi || (value.action.kind === "int" && value.action.op === "add" && value.args.includes(phi));
    const amount = intConstant(by);
    return ofPhi && (amount === 1 ? /^(shl|lshr|ashr)$/.test(op) : amount === 2 && /^(mul|sdiv|udiv)$/.test(op));
  });
}

/** Loads for each store: its own value, and another lane's. */
const loadsPerStore = 2;

/** What is stored is computed of two values that are loaded, not one that has only moved, as where a scan goes down again. */
function sumsUp({ blocks }: Loop): boolean {
  const ops = [...blocks].flatMap((block) => block.ops);
  const stores = ops.filter(({ action }) => action.kind === "store");
  const loads = ops.filter(({ action }) => action.kind === "load");
  return loads.length <= loadsPerStore * stores.length && stores.every(({ args: [, value] }) => value?.action.kind !== "load");
}

/** Values go from lane to lane through shared memory, and nothing else is read or written. */
function exchangesInShared({ blocks }: Loop): boolean {
  const accesses = [...blocks].flatMap(({ ops }) => ops.filter(({ action }) => /^(load|store|atomic|copy)/.test(action.kind)));
  const isShared = ({ action }: Op): boolean => (action.kind === "load" || action.kind === "store") && action.space === "shared";
  return accesses.every(isShared) && ["load", "store"].every((kind) => accesses.some(({ action }) => action.kind === kind));
}
