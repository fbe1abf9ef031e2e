/** Branches that send lanes of a warp different ways, though which way follows from the thread's place in its block alone. */
import type { CompiledBlock, Program } from "../execute/program.ts";
import type { Block, Op, Span } from "../ir/kernel.ts";
import { isPure } from "../ir/operations.ts";
import type { Sample } from "../sampling/sample.ts";

/** Of a branch's executions, the share that has to part a warp. */
const oftenParting = 0.1;
/** Lanes of a warp, on average, with which a block counts as busy. */
const busyLanes = 28;
/** Arithmetic that a condition is looked through. */
const deepest = 16;

export interface IdleBranch {
  readonly span: Span;
  readonly cond: Op;
  /** Blocks between the branch and where its ways meet, with the share of executions that full warps would take. */
  readonly blocks: ReadonlyMap<Block, number>;
}

/** The outermost ones; what lies within one is its. */
export function idleBranches(program: Program, { totals, counts }: Sample): IdleBranch[] {
  const found: IdleBranch[] = [];
  for (const compiled of program.blocks) {
    const { end } = compiled.block;
    if (end.kind !== "branch" || end.span.line === 0 || !isOfPlace(end.cond, 0)) continue;
    const { executions, divergent } = counts.flow(totals, compiled);
    if (executions === 0 || divergent < oftenParting * executions) continue;
    const blocks = new Map<Block, number>();
    for (const each of between(compiled)) {
      const flow = counts.flow(totals, each);
      if (flow.executions > 0 && flow.lanes < busyLanes * flow.executions) blocks.set(each.block, flow.lanes / (32 * flow.executions));
    }
    if (blocks.size > 0) found.push({ span: end.span, cond: end.cond, blocks });
  }
  return found.filter((each) => !found.some((other) => other !== each && other.blocks.size > each.blocks.size && isWithin(each, other)));
}

const isWithin = (inner: IdleBranch, outer: IdleBranch): boolean => [...inner.blocks.keys()].every((block) => outer.blocks.has(block));

/** It follows from the thread's place in its block, and from what all threads share. */
function isOfPlace({ action, args }: Op, depth: number): boolean {
  if (action.kind === "const" || action.kind === "param") return true;
  if (action.kind === "special") return /^(tid|ntid|laneid|nctaid)/.test(action.register);
  if (action.kind === "icmp" || action.kind === "phi") return depth < deepest && args.every((arg) => isOfPlace(arg, depth + 1));
  return depth < deepest && isPure({ action, args } as Op) && args.length > 0 && args.every((arg) => isOfPlace(arg, depth + 1));
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
