/**
 * Small branches go away, as in LLVM's SimplifyCFG: conditions that lead to one place are joined, short arms without memory are
 * computed on both ways and selected, and what both arms begin with is done before them. What is left of short branches, with
 * loads and stores in them, the machine predicates.
 */
import { nvcc } from "../../compilers/compiler.ts";
import { createOp, noSpan } from "../../ir/builder.ts";
import type { Block, Kernel, Op } from "../../ir/kernel.ts";
import { hasEffect, isConvergent, isPure } from "../../ir/operations.ts";
import type { Work } from "../../work.ts";
import { addEdge, incoming, removeEdge } from "../edit/edges.ts";
import { Substitution } from "../edit/substitution.ts";
import { locationOf } from "../facts/alias.ts";
import { mayWrite } from "../facts/memory-effects.ts";
import { valueKey } from "../facts/value-numbers.ts";
import { sinkCommonOf } from "./sink-common.ts";

/** Returns whether any branch went. */
export function convertBranches(kernel: Kernel, work: Work): boolean {
  let changed = false;
  for (let again = true; again; ) {
    again = false;
    for (const block of kernel.blocks) {
      work.ask(kernel.blocks.length / 64 + 4);
      if (block.end.kind !== "branch" || block.end.then === block.end.else) continue;
      again =
        hoistCommon(kernel, block, work) ||
        sinkCommonOf(kernel, block, false, work) ||
        joinConditions(kernel, block) ||
        selectArms(kernel, block) ||
        again;
    }
    changed ||= again;
  }
  return changed;
}

/** Cheap enough to compute, and safe, where its value may not be wanted. */
function isSpeculative(kernel: Kernel, op: Op): boolean {
  if (op.action.kind === "load") return isWithinVariable(kernel, op);
  if (!isPure(op)) return false;
  const { action } = op;
  if (action.kind === "math")
    return action.precision === "fast" || /^(fabs|fneg|floor|ceil|trunc|rint|abs|popc|clz|copysign|saturate)$/.test(action.fn);
  if (action.kind === "float") return action.op !== "fdiv" && action.op !== "frem";
  return action.kind !== "int" || !/div|rem/.test(action.op);
}

/** A load at a constant place of a variable that is there in any case; of an `extern` array nobody knows how long it is. */
function isWithinVariable(kernel: Kernel, load: Op): boolean {
  const location = load.action.kind === "load" && load.action.volatile !== true ? locationOf(load) : undefined;
  if (location === undefined || location.base !== location.object) return false;
  const bytes = variableBytes(kernel, location.object);
  return bytes !== undefined && location.offset >= 0 && location.offset + location.bytes <= bytes;
}

function variableBytes(kernel: Kernel, { action }: Op): number | undefined {
  switch (action.kind) {
    case "shared.address":
      return kernel.shared[action.index]?.bytes;
    case "global.address":
      return kernel.globals[action.index]?.bytes;
    case "alloca":
      return action.bytes;
    default:
      return undefined;
  }
}

/** `if (a) if (b) x; else y; else y;`: one branch on a && b. */
function joinConditions(kernel: Kernel, block: Block): boolean {
  const { end } = block;
  if (end.kind !== "branch") return false;
  for (const inner of [end.then, end.else]) {
    const other = inner === end.then ? end.else : end.then;
    if (inner.predecessors.length !== 1 || inner.phis.length > 0 || inner.end.kind !== "branch" || inner === block) continue;
    if (inner.end.then !== other && inner.end.else !== other) continue;
    if (
      inner.ops.length > nvcc.joinedConditionSize + 1 ||
      !inner.ops.every((op) => isSpeculative(kernel, op)) ||
      inner.end.then === inner.end.else
    )
      continue;
    if (inner.end.then === block || inner.end.else === block) continue;
    const further = inner.end.then === other ? inner.end.else : inner.end.then;
    if (further.predecessors.includes(block) || other.phis.some((phi) => incoming(other, phi, block) !== incoming(other, phi, inner)))
      continue;
    // `a` leads inwards, `b` further: each as it is, or negated.
    for (const op of inner.ops) block.ops.push(op);
    const a = conditionFor(kernel, block, end.cond, inner === end.then);
    const b = conditionFor(kernel, block, inner.end.cond, further === inner.end.then);
    const both = createOp(kernel, { kind: "int", op: "and" }, "i1", [a, b], inner.end.span);
    block.ops.push(both);
    const from = further.predecessors.indexOf(inner);
    further.predecessors[from] = block;
    removeEdge(inner, other);
    inner.predecessors = [];
    inner.ops = [];
    inner.end = { kind: "return" };
    block.end = { kind: "branch", cond: both, then: further, else: other, span: end.span };
    kernel.blocks = kernel.blocks.filter((each) => each !== inner);
    return true;
  }
  return false;
}

function conditionFor(kernel: Kernel, block: Block, cond: Op, straight: boolean): Op {
  if (straight) return cond;
  const entry = kernel.blocks[0] as Block;
  let one = entry.ops.find((op) => op.action.kind === "const" && op.type === "i1" && op.action.value === 1);
  if (!one) {
    one = createOp(kernel, { kind: "const", value: 1 }, "i1");
    entry.ops.unshift(one);
  }
  const not = createOp(kernel, { kind: "int", op: "xor" }, "i1", [cond, one], cond.span);
  block.ops.push(not);
  return not;
}

/** A triangle or diamond of few pure operations: all computed, phis become selections. */
function selectArms(kernel: Kernel, block: Block): boolean {
  const { end } = block;
  if (end.kind !== "branch") return false;
  const join = commonJoin(end.then, end.else);
  if (!join || join === block) return false;
  const arms = [end.then, end.else].filter((arm) => arm !== join);
  if (arms.some((arm) => arm.predecessors.length !== 1 || arm.phis.length > 0 || arm.unroll !== undefined)) return false;
  const ops = arms.flatMap((arm) => arm.ops);
  if (ops.length > nvcc.speculatedSize || !ops.every((op) => isSpeculative(kernel, op))) return false;
  const thenFrom = end.then === join ? block : end.then;
  const elseFrom = end.else === join ? block : end.else;
  for (const op of ops) block.ops.push(op);
  const values = new Map<Op, Op>();
  for (const phi of join.phis) {
    const a = incoming(join, phi, thenFrom) as Op;
    const b = incoming(join, phi, elseFrom) as Op;
    if (a === b) values.set(phi, a);
    else {
      const select = createOp(kernel, { kind: "select" }, phi.type, [end.cond, a, b], end.span);
      block.ops.push(select);
      values.set(phi, select);
    }
  }
  removeEdge(thenFrom, join);
  removeEdge(elseFrom, join);
  addEdge(block, join, (phi) => values.get(phi) ?? phi);
  block.end = { kind: "jump", to: join };
  for (const arm of arms) {
    arm.predecessors = [];
    arm.ops = [];
    arm.end = { kind: "return" };
  }
  kernel.blocks = kernel.blocks.filter((each) => !arms.includes(each));
  return true;
}

/** Where both ways meet at once. */
function commonJoin(a: Block, b: Block): Block | undefined {
  const next = (block: Block): Block | undefined => (block.end.kind === "jump" ? block.end.to : undefined);
  if (next(a) === b) return b;
  if (next(b) === a) return a;
  return next(a) === next(b) ? next(a) : undefined;
}

/** The operations both arms begin with, loads among them, move before the branch. */
function hoistCommon(kernel: Kernel, block: Block, work: Work): boolean {
  const { end } = block;
  if (end.kind !== "branch") return false;
  const { then: a, else: b } = end;
  if (a.predecessors.length !== 1 || b.predecessors.length !== 1) return false;
  const substitution = new Substitution();
  let moved = 0;
  while (a.ops[0] && b.ops[0]) {
    const [x, y] = [a.ops[0], b.ops[0]];
    if (hasEffect(x) || isConvergent(x) || mayWrite(x) || x.action.kind === "unknown" || x.action.kind === "alloca") break;
    y.args = y.args.map((arg) => substitution.resolve(arg));
    if (x.action.kind !== y.action.kind || JSON.stringify(x.action) !== JSON.stringify(y.action) || valueKey(x) !== valueKey(y)) break;
    substitution.replace(y, x);
    // It stands for two lines, so the compiler gives it none.
    x.span = noSpan;
    block.ops.push(x);
    a.ops.shift();
    b.ops.shift();
    moved++;
  }
  substitution.apply(kernel, work);
  return moved > 0;
}
