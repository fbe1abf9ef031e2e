import type { Expression, Statement } from "../syntax/ast.ts";
import { defineRule, type Finding, type RuleContext } from "./rule.ts";
import { excerpt } from "./support/edits.ts";
import { type Variable, Variables } from "./support/variables.ts";

export default defineRule({
  id: "missing-syncwarp",
  group: "warp",
  severity: "warning",
  priority: "correctness",
  guide: { document: "volta", section: "1.4.1.2" },
  alsoIn: [{ document: "turing", section: "1.4.1.2" }],
  summary: "Steps of a warp that exchange values through `volatile` shared memory with nothing between them.",
  why: "The steps rely on the lanes of a warp running in step, each reading what its neighbour stored a step before. Since Volta lanes are scheduled independently, and may be a step apart; `volatile` does not order them.",
  remedy:
    "Exchange values with `__shfl_down_sync`, which needs no shared memory; or read, `__syncwarp()`, store, `__syncwarp()` in each step.",
  fix: "none",
  notes:
    "Found are two steps or more in a row that add an element of a `volatile` array or pointer to another of its elements. Without `volatile` the compiler may keep the elements in registers, which the rules of data races find where the launch is known.",
  example: {
    bad: `__device__ void warpSum(volatile float *s, int lane) {
  s[lane] += s[lane + 16];
  s[lane] += s[lane + 8];
  s[lane] += s[lane + 4];
  s[lane] += s[lane + 2];
  s[lane] += s[lane + 1];
}`,
    good: `__device__ float warpSum(float x) {
  for (int offset = 16; offset > 0; offset /= 2) x += __shfl_down_sync(0xffffffff, x, offset);
  return x;
}`,
  },
  *check(context): Generator<Finding> {
    const { syntax, program } = context;
    const variables = new Variables(syntax, program.semantics);
    for (const block of syntax.statements("block")) {
      if (!syntax.inDevice(block)) continue;
      let run: { readonly array: Variable; readonly steps: Expression[] } | undefined;
      const runs: NonNullable<typeof run>[] = [];
      for (const statement of block.body) {
        const step = stepOf(context, variables, statement);
        if (!step) run = undefined;
        else if (run?.array === step.array) run.steps.push(step.at);
        else runs.push((run = { array: step.array, steps: [step.at] }));
      }
      for (const { steps } of runs) {
        const [first, second] = steps;
        if (!first || !second) continue;
        yield {
          span: first,
          message: `The ${steps.length} steps from here on take lanes of a warp to run in step, which they need not since Volta: \`${excerpt(program.reading, second, 40)}\` may read before another lane has stored. Use \`__shfl_down_sync\`, or \`__syncwarp()\` between reading and storing.`,
          related: steps.slice(1).map((at) => ({ at, message: "a further step" })),
        };
      }
    }
  },
});

/** `s[i] += s[i + 16]` of a volatile array, also under an `if` or with an operator of its own. */
function stepOf(
  context: RuleContext,
  variables: Variables,
  statement: Statement,
): { readonly array: Variable; readonly at: Expression } | undefined {
  if (statement.kind === "if" && !statement.else) return stepOf(context, variables, statement.then);
  if (statement.kind === "block") {
    const [only, ...others] = statement.body;
    return only && others.length === 0 ? stepOf(context, variables, only) : undefined;
  }
  if (statement.kind !== "expression" || statement.expression.kind !== "assign") return undefined;
  const { left, right } = statement.expression;
  if (left.kind !== "subscript") return undefined;
  const array = variables.of(left.base);
  const type = array?.type;
  const isVolatile =
    type &&
    (array.specifiers.volatile ||
      type.volatile ||
      (type.kind === "pointer" && type.to.volatile) ||
      (type.kind === "array" && type.of.volatile));
  if (!array || !isVolatile) return undefined;
  const text = (node: Expression): string => excerpt(context.program.reading, node, 200).replaceAll(/\s/g, "");
  const own = text(left);
  const others = context.syntax
    .expressions("subscript")
    .filter(({ start, end, base }) => start >= right.start && end <= right.end && variables.of(base) === array);
  return others.some((each) => text(each) !== own) ? { array, at: statement.expression } : undefined;
}
