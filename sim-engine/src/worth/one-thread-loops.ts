/** Sums that one thread of a block makes in a loop, while the others wait. */
import { type Program, warpSize } from "../execute/program.ts";
import type { Loop } from "../ir/graph.ts";
import type { Op } from "../ir/kernel.ts";
import { hasEffect, isConvergent, meetsOthers } from "../ir/operations.ts";
import { comesOf } from "../ir/origins.ts";
import type { Sample } from "../sampling/sample.ts";
import type { Cause } from "./costs.ts";
import { flows } from "./flows.ts";

/** Loads that give each lane of a warp some. */
const fewLoads = 2 * warpSize;

/**
 * Each loop is a cause. What is left of it is what each lane of one warp would do: what more warps could take of it, and what it takes to sum
 * up what lanes found, is not known.
 */
export function oneThreadLoops(program: Program, sample: Sample): Cause[] {
  const [x, y, z] = program.launch.block;
  const blocks = program.launch.grid[0] * program.launch.grid[1] * program.launch.grid[2];
  if (x * y * z < 2 * warpSize) return [];
  const { flow, entries: entriesOf } = flows(program, sample);
  return program.loops.flatMap((loop): Cause[] => {
    const { executions = 0, lanes = 0 } = flow(loop.header) ?? {};
    const entries = entriesOf(loop);
    const isAlone = entries > 0 && lanes <= executions && entries <= blocks;
    if (!isAlone || !isSum(loop)) return [];
    const loads = [...loop.blocks].flatMap((block) =>
      block.ops.flatMap((op) => (op.action.kind === "load" && op.span.line > 0 ? [{ op, executions: flow(block)?.executions ?? 0 }] : [])),
    );
    if (loads.reduce((sum, each) => sum + each.executions, 0) < fewLoads * entries) return [];
    const ops = loads.map(({ op }) => op);
    return [{ kind: "loop of one thread", ops, executed: new Map([...loop.blocks].map((block) => [block, 1 / warpSize])) }];
  });
}

/**
 * Nothing of a turn rests on the one before but sums, extremes and counters, nothing is stored, and nothing that is loaded decides how many
 * turns there are.
 */
function isSum({ header, blocks }: Loop): boolean {
  const ops = [...blocks].flatMap((block) => block.ops);
  if (ops.some((op) => hasEffect(op) || isConvergent(op) || meetsOthers(op))) return false;
  const ends = [...blocks].flatMap(({ end }) =>
    end.kind === "branch" && !(blocks.has(end.then) && blocks.has(end.else)) ? [end.cond] : [],
  );
  if (ends.some(isLoaded)) return false;
  return header.phis.every((phi) => header.predecessors.every((from, index) => !blocks.has(from) || isSummedUp(phi, phi.args[index])));
}

/** Whether a value follows from what memory holds. */
const isLoaded = (value: Op): boolean =>
  comesOf(
    value,
    ({ action }) => action.kind === "load" && action.space !== "param",
    ({ args }) => args,
  );

/** Whether what a value is in the next turn is it, joined with something else. */
const isSummedUp = (phi: Op, next: Op | undefined): boolean => comesOf(next, (op) => op === phi, joined);

/** What a value joins, if it does. */
function joined({ action, args }: Op): readonly Op[] {
  if (action.kind === "fma") return args.slice(2);
  const isJoining =
    /^(gep|select|phi)$/.test(action.kind) ||
    (action.kind === "int" && /^(add|sub|and|or|xor|[su]min|[su]max)$/.test(action.op)) ||
    (action.kind === "float" && /^f(add|sub|min|max)$/.test(action.op));
  return isJoining ? args : [];
}
