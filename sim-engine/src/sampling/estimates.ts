/** Lets the runner estimate loops instead of running all their turns. */
import { LoopEstimate } from "../execute/estimate.ts";
import type { Program } from "../execute/program.ts";
import type { Loop } from "../ir/graph.ts";
import type { Block, IntPredicate, Op } from "../ir/kernel.ts";
import { isPure, meetsOthers } from "../ir/operations.ts";
import { inverse } from "../ir/predicates.ts";
import { findUses, type Uses } from "../passes/facts/uses.ts";
import type { Work } from "../work.ts";

/** Slices of a loop's turns, by how deep the nest is that it is in, so that no nest is run too often; the last of deeper ones too. */
export const coarse: readonly number[] = [8, 4, 2];
export const fine: readonly number[] = [32, 8, 4];

interface Test {
  readonly op: Op;
  readonly predicate: IntPredicate;
}

/**
 * Marks the headers of loops that count their turns; they are not skipped otherwise (see `markSkips`).
 * @param slices that turns are cut into, by the depth of the nest
 * @returns whether there are any
 */
export function markEstimates(program: Program, slices: readonly number[], work: Work): boolean {
  const { loops, slice, registers, divergence, patterns } = program;
  const compiled = new Map(program.blocks.map((each) => [each.block, each]));
  const innermost = innermostLoops(loops);
  const holding = new Set(loops.map(({ parent }) => parent));
  const depths = nestDepths(loops);
  const uses = findUses(program.kernel);
  let marked = false;
  for (const loop of loops) {
    const header = compiled.get(loop.header);
    // Who waits for the turns of others has to run as many as they do.
    if (!header || [...loop.blocks].some((block) => block.ops.some(meetsOthers))) continue;
    work.ask(loop.blocks.size);
    const found = foundByTurns(loop, uses);
    const tests = loop.exits.filter(({ from }) => innermost.get(from) === loop).flatMap(({ from }) => testsOf(from, loop));
    const asked = tests.filter(({ op }) => slice.needs(op) && !found.has(op));
    // Windows would be run to see whether all goes the same way, and it does not with estimates in them.
    if (asked.length > 0 || holding.has(loop)) header.skip = undefined;
    if (asked.length === 0) continue;
    header.estimate = new LoopEstimate(
      loop.header.phis
        .filter((phi) => slice.needs(phi))
        .map((phi) => ({ slot: registers.slot(phi), uniform: !divergence.isVarying(phi) || patterns.of(phi) !== undefined })),
      asked.map(({ op, predicate }) => ({ predicate, difference: program.difference(op) })),
      slices[Math.min(depths.get(loop) ?? 1, slices.length) - 1] ?? 1,
    );
    for (const block of loop.blocks) {
      const each = compiled.get(block);
      if (each) each.within = [...each.within, header.estimate];
    }
    marked = true;
  }
  return marked;
}

/** The loop that a block is in, of several the one within the others. */
export function innermostLoops(loops: readonly Loop[]): ReadonlyMap<Block, Loop> {
  const innermost = new Map<Block, Loop>();
  // Each comes after the one that holds it.
  for (const loop of loops) for (const block of loop.blocks) innermost.set(block, loop);
  return innermost;
}

/** Comparisons all of which have to hold for a loop to go on from a block that may leave it. */
export function testsOf({ end }: Block, { blocks }: Loop): Test[] {
  return end.kind === "branch" ? allOf(end.cond, blocks.has(end.then)) : [];
}

/** Comparisons all of which have to hold for a condition to be as it is wanted. */
function allOf(condition: Op, wanted: boolean): Test[] {
  const tests: Test[] = [];
  const met = new Set([condition]);
  for (const op of met) {
    const { action, args } = op;
    if (action.kind === "icmp" && args[0]?.type !== "i1")
      tests.push({ op, predicate: wanted ? action.predicate : inverse[action.predicate] });
    else if (action.kind === "int" && action.op === (wanted ? "and" : "or")) for (const arg of args) met.add(arg);
  }
  return tests;
}

/** Values in a loop that its turns find in memory or learn of other lanes, and what follows from them: nothing tells what is next. */
function foundByTurns({ blocks }: Loop, uses: Uses): ReadonlySet<Op> {
  const inside = new Set([...blocks].flatMap(({ phis, ops }) => [...phis, ...ops]));
  const found = new Set<Op>();
  for (const op of inside) {
    const { action, args } = op;
    const isSame = action.kind === "load" && action.volatile !== true && !args.some((arg) => inside.has(arg));
    if (!isSame && action.kind !== "phi" && !isPure(op)) found.add(op);
  }
  for (const op of found) for (const user of uses.by.get(op) ?? []) if (inside.has(user)) found.add(user);
  return found;
}

/** By loop: how deep the deepest is of those in the same nest. */
function nestDepths(loops: readonly Loop[]): ReadonlyMap<Loop, number> {
  const roots = new Map<Loop, Loop>();
  const deepest = new Map<Loop, number>();
  // Each comes after the one that holds it.
  for (const loop of loops) {
    const root = (loop.parent && roots.get(loop.parent)) ?? loop;
    roots.set(loop, root);
    deepest.set(root, Math.max(deepest.get(root) ?? 0, loop.depth));
  }
  return new Map([...roots].map(([loop, root]) => [loop, deepest.get(root) ?? 1]));
}
