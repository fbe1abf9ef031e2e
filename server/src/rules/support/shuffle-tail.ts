/** The last turns of a reduction in shared memory, done by one warp with shuffles. */
import type { Expression, Statement } from "../../syntax/ast.ts";
import { withoutParentheses } from "../../syntax/terms.ts";
import type { Fix, RuleContext, SimulatedLaunch } from "../rule.ts";
import { comesWhole } from "./barrier-between.ts";
import { all, excerpt, indentationAt, replace } from "./edits.ts";
import { freshName } from "./fresh-name.ts";
import { libraryName } from "./library-calls.ts";
import { numberOf } from "./math-calls.ts";
import { Variables } from "./variables.ts";

export type For = Statement & { readonly kind: "for" };

/** Threads of a block from which there are turns for more than one warp. */
const leastThreads = 64;

/**
 * `for (d = …; d > 0; d /= 2) { if (tid < d) s[tid] += s[tid + d]; __syncthreads(); }` stops at 32 values, and the first warp goes on:
 * sums are added in the same order. Undefined where the loop does anything else, or the block is no row of two warps at least.
 */
export function shuffleTail(context: RuleContext, loop: For, { report }: SimulatedLaunch): Fix | undefined {
  const { program, syntax } = context;
  const { reading, semantics } = program;
  const [x, y, z] = report.block;
  if (x < leastThreads || x % leastThreads !== 0 || y !== 1 || z !== 1) return undefined;
  const block = syntax.parent(loop)?.node;
  const halving = halvingOf(context, loop);
  const sum = halving && sumOf(context, loop.body, halving);
  if (!halving || !sum || !block || !("kind" in block) || block.kind !== "block" || !comesWhole(context, block)) return undefined;
  const element = numberOf(semantics, sum.target);
  const at = reading.locate(loop.start, loop.end);
  const indentation = indentationAt(reading, at);
  if (element === undefined || indentation === undefined) return undefined;
  const text = reading.sources[at.file] ?? "";
  const [own, distance] = [freshName(text, ["value", "part"]), freshName(text, ["d", "distance"])];
  const written = (node: Expression): string => excerpt(reading, node, 1000);
  const [thread, base] = [written(sum.index), written(sum.target.base)];
  const tail = [
    "",
    `if (${thread} < 32) {`,
    `  auto ${own} = ${written(sum.target)};`,
    `  for (int ${distance} = 16; ${distance} > 0; ${distance} /= 2) ${own} += __shfl_down_sync(0xffffffff, ${own}, ${distance});`,
    `  if (${thread} == 0) ${base}[0] = ${own};`,
    "}",
    "__syncthreads();",
  ];
  const end = { start: loop.end - 1, end: loop.end };
  const edits = all(
    replace(reading, halving.bound, "16"),
    replace(reading, end, `${reading.textOf(end.start, end.end)}${tail.join(`\n${indentation}`)}`),
  );
  return edits && { title: "Let one warp sum up the last 32 values by shuffles", safe: false, edits };
}

interface Halving {
  readonly counter: Expression;
  /** The zero that it counts down to. */
  readonly bound: Expression;
}

/** `d > 0` with `d /= 2` or `d >>= 1`. */
function halvingOf({ syntax, program: { semantics } }: RuleContext, { condition, step }: For): Halving | undefined {
  const variables = new Variables(syntax, semantics);
  if (condition?.kind !== "binary" || condition.op !== ">" || semantics.constant(condition.right) !== 0n) return undefined;
  const counter = variables.of(condition.left);
  if (!counter || step?.kind !== "assign" || variables.of(step.left) !== counter) return undefined;
  const by = semantics.constant(step.right);
  const halves = (step.op === "/" && by === 2n) || (step.op === ">>" && by === 1n);
  return halves ? { counter: condition.left, bound: condition.right } : undefined;
}

interface Sum {
  /** `s[tid]` */
  readonly target: Expression & { readonly kind: "subscript" };
  /** `tid` */
  readonly index: Expression;
}

/** `if (tid < d) s[tid] += s[tid + d]; __syncthreads();` and nothing else. */
function sumOf(context: RuleContext, body: Statement, { counter }: Halving): Sum | undefined {
  const [branch, barrier, ...more] = body.kind === "block" ? body.body : [];
  if (branch?.kind !== "if" || branch.else || branch.init || !barrier || more.length > 0 || !isBarrier(barrier)) return undefined;
  const { condition } = branch;
  const then = branch.then.kind === "block" && branch.then.body.length === 1 ? branch.then.body[0] : branch.then;
  const assignment = then?.kind === "expression" ? then.expression : undefined;
  if (condition.kind !== "binary" || condition.op !== "<" || assignment?.kind !== "assign") return undefined;
  const { reading } = context.program;
  const same = (a: Expression, b: Expression): boolean => spelled(a) === spelled(b);
  const spelled = (node: Expression): string => excerpt(reading, withoutParentheses(node), 1000).replaceAll(/\s/g, "");
  const { left: index, right: limit } = condition;
  const { left: target, right } = assignment;
  if (!same(limit, counter) || target.kind !== "subscript" || !isThread(context, index)) return undefined;
  const [own, ...others] = target.indices;
  if (!own || others.length > 0 || !same(own, index)) return undefined;
  const addends = right.kind === "binary" && right.op === "+" ? [right.left, right.right] : [];
  const added = assignment.op === "+" ? right : assignment.op === "" ? addends.find((each) => !same(each, target)) : undefined;
  if (assignment.op === "" && !addends.some((each) => same(each, target))) return undefined;
  const [from] = added?.kind === "subscript" && same(added.base, target.base) ? added.indices : [];
  const distance = from && withoutParentheses(from);
  if (distance?.kind !== "binary" || distance.op !== "+") return undefined;
  const terms = [spelled(distance.left), spelled(distance.right)].sort();
  return terms.join() === [spelled(index), spelled(counter)].sort().join() ? { target, index } : undefined;
}

/** `threadIdx.x`, or a variable that is given it. */
function isThread({ syntax, program: { semantics } }: RuleContext, node: Expression): boolean {
  if (node.kind === "member") return isThreadIndex(node);
  const variables = new Variables(syntax, semantics);
  const variable = variables.of(node);
  const initial = variable && variables.writes(variable).length === 0 ? variables.initial(variable) : undefined;
  return initial?.kind === "member" && isThreadIndex(initial);
}

const isThreadIndex = ({ base, name }: Expression & { readonly kind: "member" }): boolean =>
  base.kind === "name" && base.name.parts.at(-1)?.text === "threadIdx" && name.parts.at(-1)?.text === "x";

const isBarrier = (statement: Statement): boolean =>
  statement.kind === "expression" && statement.expression.kind === "call" && libraryName(statement.expression) === "__syncthreads";
