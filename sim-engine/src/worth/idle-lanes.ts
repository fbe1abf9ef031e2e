/**
 * Branches that send lanes of a warp different ways: by the thread's place in its block, which another numbering of threads mends, or by
 * values, as where each lane's loop has its own length.
 */
import { type CompiledBlock, type Program, warpSize } from "../execute/program.ts";
import { isConstant } from "../ir/constants.ts";
import type { Block, Op, Span } from "../ir/kernel.ts";
import { isPure } from "../ir/operations.ts";
import { comesOf } from "../ir/origins.ts";
import type { FlowTotals } from "../sampling/counts.ts";
import type { Sample } from "../sampling/sample.ts";
import type { Work } from "../work.ts";
import type { Cause } from "./costs.ts";

/** Of a branch's executions, the share that has to part a warp. */
const oftenParting = 0.1;
/** Share of a warp's threads, on average, with which a block counts as busy. */
const busyLanes = 7 / 8;
/** Share of the lanes that may be busy where values decide, which no numbering mends: of what is issued most is for nothing then. */
const mostBusy = 1 / 2;
/** Arithmetic that a condition is looked through. */
const deepest = 16;

/** The outermost ones, each a cause; what lies within one is its. */
export function idleBranches(program: Program, { totals, counts }: Sample, work: Work): Cause[] {
  const [x, y, z] = program.launch.block;
  const warps = Math.ceil((x * y * z) / warpSize);
  /** Lanes of a warp that are threads, on average. */
  const threads = (x * y * z) / warps;
  const found: Idle[] = [];
  /** What follows by one condition of the source, in all copies that the compiler makes of it. */
  const behind = new Map<string, Set<CompiledBlock>>();
  const flow = (block: CompiledBlock): FlowTotals => counts.flow(totals, block);
  const branches = program.blocks.flatMap((block) => {
    const { end } = block.block;
    return end.kind === "branch" && end.span.line > 0 && flow(block).executions > 0 ? [{ block, end, blocks: between(block) }] : [];
  });
  for (const { end, blocks } of branches) {
    work.ask(blocks.length);
    const copies = behind.get(keyOf(end.span)) ?? new Set();
    for (const block of blocks) copies.add(block);
    behind.set(keyOf(end.span), copies);
  }
  for (const { block, end, blocks } of branches) {
    const { executions, divergent } = flow(block);
    // Side by side already: other numbers would make no more of them whole.
    if (isRangeOfThreads(end.cond, program)) continue;
    const ofPlace = isOfPlace(end.cond, program, 0);
    const all = ofPlace ? blocks : [...(behind.get(keyOf(end.span)) ?? [])];
    work.ask(all.length);
    // A warp that is alone has none to give its lanes' work to.
    if (
      ofPlace
        ? warps === 1 || divergent < oftenParting * executions
        : !program.divergence.isVarying(end.cond) || busyShare(all, flow, threads) > mostBusy
    )
      continue;
    // Of a branch that only some come to, the others wait for another one.
    const coming = ofPlace ? flow(block).lanes / executions : threads;
    const executed = new Map<Block, number>();
    for (const each of all) {
      const { executions: times, lanes } = flow(each);
      // One lane of a warp is its leader: what it does is done once for all.
      if (times > 0 && lanes < busyLanes * coming * times && !(ofPlace && lanes <= times))
        executed.set(each.block, lanes / (coming * times));
    }
    if (executed.size === 0) continue;
    const divided = ofPlace ? divisionsIn(end.cond, 0) : [];
    found.push({ kind: ofPlace ? "idle lanes" : "idle lanes by values", ops: [], place: end.span, cond: end.cond, executed, divided });
  }
  const outermost = found.filter(
    (each) => !found.some((other) => other !== each && other.executed.size > each.executed.size && isWithin(each, other)),
  );
  const causes = new Map<string, Idle>();
  for (const each of outermost) {
    const copy = causes.get(keyOf(each.place));
    causes.set(keyOf(each.place), { ...each, executed: new Map([...(copy?.executed ?? []), ...each.executed]) });
  }
  return [...causes.values()];
}

interface Idle extends Cause {
  readonly place: Span;
  readonly executed: ReadonlyMap<Block, number>;
}

const keyOf = ({ file, start, end }: Span): string => `${file}:${start}-${end}`;

/** Lanes that work, of those that are threads of the warps that run blocks, by what is issued. @param threads of a warp, on average */
function busyShare(blocks: readonly CompiledBlock[], flow: (block: CompiledBlock) => FlowTotals, threads: number): number {
  const sum = (of: (flow: FlowTotals) => number): number =>
    blocks.reduce((total, block) => total + of(flow(block)) * block.block.ops.length, 0);
  return (
    sum(({ lanes }) => lanes) /
    Math.max(
      1,
      sum(({ executions }) => threads * executions),
    )
  );
}

const isWithin = (inner: Idle, outer: Idle): boolean => [...inner.executed.keys()].every((block) => outer.executed.has(block));

/** It follows from the thread's place in its block, and from what all threads share. */
function isOfPlace(op: Op, program: Program, depth: number): boolean {
  const { action, args } = op;
  if (!program.divergence.isVarying(op)) return true;
  if (action.kind === "special") return /^(tid|laneid)/.test(action.register);
  if (depth >= deepest || args.length === 0 || !(action.kind === "icmp" || action.kind === "phi" || isPure(op))) return false;
  return args.every((arg) => isOfPlace(arg, program, depth + 1));
}

/** Divisions by what is no constant that a condition is worked out by: threads that are numbered otherwise compare their number. */
function divisionsIn(op: Op, depth: number): Op[] {
  const { action, args } = op;
  const [, divisor] = args;
  const own = action.kind === "int" && /^[su](div|rem)$/.test(action.op) && divisor && !isConstant(divisor) ? [op] : [];
  const isLookedThrough = depth < deepest && (action.kind === "icmp" || (action.kind !== "phi" && isPure(op)));
  return isLookedThrough ? [...own, ...args.flatMap((arg) => divisionsIn(arg, depth + 1))] : own;
}

/** Whether it is true of the threads from one number on, or up to one, in blocks whose warps are rows of threads or parts of one. */
function isRangeOfThreads({ action, args: [a, b] }: Op, program: Program): boolean {
  if (action.kind !== "icmp" || !a || !b || /^(eq|ne)$/.test(action.predicate)) return false;
  const { divergence, launch } = program;
  const [width, ...further] = launch.block;
  const [varying, other] = divergence.isVarying(a) ? [a, b] : [b, a];
  return (width % warpSize === 0 || further.every((side) => side === 1)) && !divergence.isVarying(other) && isThread(varying, divergence);
}

/** The thread's number along x, scaled, bounded, gone on from in a loop, and what all threads of a warp share added to it. */
function isThread(value: Op, divergence: Program["divergence"]): boolean {
  const varying = ({ args }: Op): readonly Op[] => args.filter((arg) => divergence.isVarying(arg));
  const isOther = (op: Op): boolean => {
    const { action } = op;
    if (action.kind === "special") return !/^tid/.test(action.register);
    const isSteady =
      action.kind === "convert" ||
      action.kind === "phi" ||
      (action.kind === "int" && /^(add|sub|mul|shl|[su]min|[su]max)$/.test(action.op));
    return !isSteady || varying(op).length === 0;
  };
  return !comesOf(value, isOther, varying);
}

/** Blocks on the ways from a branch to where they meet again. */
function between(branch: CompiledBlock): CompiledBlock[] {
  const found = new Set<CompiledBlock>();
  const pending = nextOf(branch);
  for (let block = pending.pop(); block; block = pending.pop()) {
    if (block === branch.join || block === branch || found.has(block)) continue;
    found.add(block);
    pending.push(...nextOf(block));
  }
  return [...found];
}

const nextOf = ({ end }: CompiledBlock): CompiledBlock[] =>
  end.kind === "branch" ? [end.then.to, end.else.to] : end.kind === "jump" ? [end.edge.to] : [];
