/** A warp in the place of each thread that goes along a row: its lanes go along side by side, and shuffles sum up what they found. */

import type { Edit, Fix, RuleContext } from "../../rules/rule.ts";
import { all, excerpt, indentationAt, insertBefore, replace } from "../../rules/support/edits.ts";
import { freshName } from "../../rules/support/fresh-name.ts";
import { numberOf } from "../../rules/support/math-calls.ts";
import { type Variable, Variables } from "../../rules/support/variables.ts";
import type { Expression, FunctionDeclaration, Statement, VariableDeclaration } from "../../syntax/ast.ts";
import { withoutParentheses } from "../../syntax/terms.ts";
import { isGlobalIndex } from "./global-index.ts";
import { gridsOf } from "./grids.ts";
import { countingOf, type For, flattened, isZero, summedIn } from "./sum-loop.ts";

/** Lanes of a warp. */
const warpSize = 32;

/** The statements of a kernel that sums up a row, in their parts. */
interface RowSum {
  /** `int row = blockIdx.x * blockDim.x + threadIdx.x` */
  readonly row: VariableDeclaration;
  readonly sum: Variable;
  readonly loop: For;
  /** What counts along the row: its first value, and its step. */
  readonly first: Expression;
  readonly step: Expression;
  readonly counter: string;
  /** `out[row] = sum;` and the like, behind the loop. */
  readonly stores: readonly Statement[];
}

/**
 * Undefined where the kernel does anything besides: find its row by the global index, leave where there is none, sum up in one loop from 0 on,
 * and store what comes of it; or where its launches do not say the grid as one number, in blocks of whole warps.
 */
export function warpPerRow(context: RuleContext, kernel: FunctionDeclaration): Fix | undefined {
  const { reading } = context.program;
  const parts = rowSum(context, kernel);
  const grids = parts && gridsOf(context, kernel);
  if (!parts || !grids) return undefined;
  const { row, sum, loop, first, step, counter, stores } = parts;
  const at = reading.locate(loop.start, loop.end);
  const indentation = indentationAt(reading, at);
  const [index] = row.init?.values ?? [];
  const name = "name" in sum && typeof sum.name === "object" ? sum.name.parts.at(-1)?.text : undefined;
  if (!index || name === undefined || indentation === undefined) return undefined;
  const distance = freshName(reading.sources[at.file] ?? "", ["d", "distance"]);
  const shuffles = `for (int ${distance} = 16; ${distance} > 0; ${distance} /= 2) ${name} += __shfl_down_sync(0xffffffff, ${name}, ${distance});`;
  const end = { start: loop.end - 1, end: loop.end };
  const edits: readonly (Edit | undefined)[] = [
    replace(reading, index, `(${excerpt(reading, index, 1000)}) / ${warpSize}`),
    replace(reading, first, `threadIdx.x % ${warpSize}`),
    replace(reading, step, `${counter} += ${warpSize}`),
    replace(reading, end, `${reading.textOf(end.start, end.end)}\n${indentation}${shuffles}`),
    ...stores.map((store) => insertBefore(reading, store, `if (threadIdx.x % ${warpSize} == 0) `)),
    ...grids.map((grid) => replace(reading, grid, times(excerpt(reading, grid, 1000)))),
  ];
  const complete = all(...edits);
  return complete && { title: "Let a warp take each row", safe: false, edits: complete };
}

const times = (grid: string): string => (/^\w+$/.test(grid) ? `${grid} * ${warpSize}` : `(${grid}) * ${warpSize}`);

function rowSum({ syntax, program: { semantics } }: RuleContext, { body, specifiers }: FunctionDeclaration): RowSum | undefined {
  const variables = new Variables(syntax, semantics);
  const statements = flattened(body?.body ?? []);
  if (!specifiers.global || !statements) return undefined;
  const declared = statements.flatMap((each) => (each.kind === "declaration" ? each.declarations : []));
  const row = declared.find(
    (each): each is VariableDeclaration =>
      each.kind === "variable" && each.init?.values[0] !== undefined && isGlobalIndex(each.init.values[0]),
  );
  const loops = statements.filter((each): each is For => each.kind === "for");
  const [loop, ...more] = loops;
  if (!row || !loop || more.length > 0 || variables.writes(row).length > 0) return undefined;
  const behind = statements.slice(statements.indexOf(loop) + 1);
  const before = statements.slice(0, statements.indexOf(loop));
  const counting = countingOf(loop, variables);
  const sum = counting && summedIn(loop, variables)?.sum;
  if (!counting || !sum || !isZero(variables.initial(sum)) || numberOf(semantics, sumName(sum, variables) ?? counting.first) === undefined)
    return undefined;
  const isAllowed = before.every((each) => each.kind === "declaration" || isGuard(each));
  // All lanes come by the loop: what decides whether there is a row may go by nothing else.
  const guards = before.flatMap((each) => (each.kind === "if" ? [each.condition] : []));
  if (!isAllowed || !guards.every((each) => each.kind !== "variable" && goesByRow(each, row, variables))) return undefined;
  if (behind.length === 0 || !behind.every((each) => each.kind === "expression" && each.expression.kind === "assign")) return undefined;
  return { row, sum, loop, ...counting, stores: behind };
}

const isGuard = (statement: Statement): boolean =>
  statement.kind === "if" &&
  !statement.else &&
  (statement.then.kind === "return" ||
    (statement.then.kind === "block" && statement.then.body.length === 1 && statement.then.body[0]?.kind === "return"));

/** `row >= n`, `row < n`. */
function goesByRow(condition: Expression, row: VariableDeclaration, variables: Variables): boolean {
  const inner = withoutParentheses(condition);
  if (inner.kind !== "binary" || !/^[<>]=?$/.test(inner.op) || variables.of(inner.left) !== row) return false;
  const limit = variables.of(inner.right);
  return inner.right.kind === "integer" || (limit !== undefined && !("kind" in limit) && variables.writes(limit).length === 0);
}

const sumName = (sum: Variable, variables: Variables): Expression | undefined => variables.uses(sum)[0];
