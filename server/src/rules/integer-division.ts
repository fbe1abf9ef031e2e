import type { Expression } from "../syntax/ast.ts";
import { withoutParentheses } from "../syntax/terms.ts";
import { defineRule, type Finding, type RuleContext } from "./rule.ts";
import { all, excerpt, replaceWritten } from "./support/edits.ts";
import { asFactor } from "./support/math-calls.ts";
import { unqualified } from "./support/ranges.ts";
import { type Variable, Variables } from "./support/variables.ts";

export default defineRule({
  id: "integer-division",
  group: "instructions",
  severity: "hint",
  priority: "low",
  guide: { document: "best-practices", section: "11.1.1" },
  summary: "A remainder or quotient by a number that is always a power of two, but only known when the kernel runs.",
  why: "Integer division is a sequence of some 20 instructions. By a constant the compiler finds a shorter way, but it cannot know that a variable that is doubled each time stays a power of two.",
  remedy: "`x & (d - 1)` for `x % d`, and a shift by the logarithm for `x / d`.",
  fix: "safe",
  notes:
    "A power of two is a variable that starts as one and is only shifted, or multiplied or divided by such constants, `1 << n`, and products of these. Of signed dividends the remainder has their sign, so the fix is safe for unsigned ones only; where a remainder is only compared with 0, it is safe for both.",
  givesWayTo: ["warp-divergence"],
  example: {
    bad: `__global__ void twiddle(float *x, const float *w) {
  float v = x[threadIdx.x];
  for (unsigned int s = 1; s < blockDim.x; s *= 2) v *= w[threadIdx.x % (2 * s)];
  x[threadIdx.x] = v;
}`,
    good: `__global__ void twiddle(float *x, const float *w) {
  float v = x[threadIdx.x];
  for (unsigned int s = 1; s < blockDim.x; s *= 2) v *= w[threadIdx.x & (2 * s - 1)];
  x[threadIdx.x] = v;
}`,
  },
  *check(context): Generator<Finding> {
    const { program, syntax } = context;
    const variables = new Variables(syntax, program.semantics);
    for (const division of syntax.expressions("binary")) {
      const { op, left, right } = division;
      if ((op !== "%" && op !== "/") || !syntax.inDevice(division) || program.semantics.constant(right) !== undefined) continue;
      if (
        !isInteger(context, left) ||
        isFolded(context, variables, right) ||
        !isPowerOfTwo(context, variables, right) ||
        isUnrolled(context, variables, right)
      )
        continue;
      const divisor = excerpt(program.reading, withoutParentheses(right), 40);
      const unsigned = isUnsigned(context, left) || isUnsigned(context, right);
      const safe = unsigned || isComparedWithZero(context, division);
      const mask = /^[\w.]+$/.test(divisor) || /[*]/.test(divisor) ? `${divisor} - 1` : `(${divisor}) - 1`;
      const edits =
        op === "%" && safe ? all(replaceWritten(program.reading, division, `(${asFactor(context, left)} & (${mask}))`)) : undefined;
      yield {
        span: division,
        message: `\`${divisor}\` is a power of two, which the compiler does not know: ${op === "%" ? `\`& (${mask})\` is one instruction` : "a shift is one instruction"}, where the division is some 20.`,
        fix: edits && { title: `Write \`& (${mask})\``, safe, edits },
      };
    }
  },
});

function isInteger({ program: { semantics } }: RuleContext, node: Expression): boolean {
  return unqualified(semantics.typeOf(node))?.kind === "integer";
}

function isUnsigned({ program: { semantics } }: RuleContext, node: Expression): boolean {
  const type = unqualified(semantics.typeOf(node));
  return type?.kind === "integer" && /^u/.test(type.name);
}

function isComparedWithZero({ program: { semantics }, syntax }: RuleContext, node: Expression): boolean {
  let inner = node;
  for (let item = syntax.parent(inner); item?.role === "expression"; item = syntax.parent(inner)) {
    const parent: Expression = item.node;
    if (parent.kind === "binary")
      return (parent.op === "==" || parent.op === "!=") && semantics.constant(parent.left === inner ? parent.right : parent.left) === 0n;
    if (parent.kind !== "parenthesized") return parent.kind === "unary" && parent.op === "!";
    inner = parent;
  }
  return false;
}

const isPowerConstant = ({ program: { semantics } }: RuleContext, node: Expression): boolean => {
  const value = semantics.constant(node);
  return typeof value === "bigint" && value > 0n && (value & (value - 1n)) === 0n;
};

/** The compiler knows its value: it is made of constants, and of variables that are given one and keep it. */
function isFolded(context: RuleContext, variables: Variables, node: Expression, depth = 0): boolean {
  const inner = withoutParentheses(node);
  if (context.program.semantics.constant(inner) !== undefined) return true;
  if (inner.kind === "binary") return [inner.left, inner.right].every((each) => isFolded(context, variables, each, depth));
  const variable = variables.of(inner);
  const first = variable && variables.initial(variable);
  return (
    variable !== undefined &&
    first !== undefined &&
    depth < 2 &&
    variables.writes(variable).length === 0 &&
    isFolded(context, variables, first, depth + 1)
  );
}

function isPowerOfTwo(context: RuleContext, variables: Variables, node: Expression, depth = 0): boolean {
  const inner = withoutParentheses(node);
  if (isPowerConstant(context, inner)) return true;
  if (inner.kind === "binary" && inner.op === "*")
    return [inner.left, inner.right].every((each) => isPowerOfTwo(context, variables, each, depth));
  if (inner.kind === "binary" && inner.op === "<<") return isPowerOfTwo(context, variables, inner.left, depth);
  const variable = variables.of(inner);
  return variable !== undefined && depth < 2 && staysPowerOfTwo(context, variables, variable, depth);
}

/** Starts as a power of two, and is only multiplied, divided and shifted by them. */
function staysPowerOfTwo(context: RuleContext, variables: Variables, variable: Variable, depth: number): boolean {
  if (!("kind" in variable) || context.program.semantics.enclosingFunction(variable) === undefined) return false;
  const first = variables.initial(variable);
  const writes = variables.writes(variable);
  if (!first && !writes.some(({ op }) => op === "")) return false;
  if (first && !isPowerOfTwo(context, variables, first, depth + 1)) return false;
  return writes.every(({ op, value }) => {
    if (op === "<<" || op === ">>") return true;
    if (value === undefined) return false;
    if (op === "*" || op === "/") return isPowerConstant(context, value);
    return op === "" && (isStep(context, variables, variable, value) || isPowerOfTwo(context, variables, value, depth + 1));
  });
}

/** \`s * 2\`, \`s >> 1\` of the variable itself. */
function isStep(context: RuleContext, variables: Variables, variable: Variable, value: Expression): boolean {
  const inner = withoutParentheses(value);
  if (inner.kind !== "binary" || !/^([*/]|<<|>>)$/.test(inner.op)) return false;
  const ofItself = variables.of(withoutParentheses(inner.left)) === variable;
  return ofItself && (inner.op === "<<" || inner.op === ">>" || isPowerConstant(context, inner.right));
}

/** The variable counts a loop between constants, which is unrolled: then the divisor is one. */
function isUnrolled({ program: { semantics }, syntax }: RuleContext, variables: Variables, divisor: Expression): boolean {
  const names = syntax.expressions("name").filter(({ start, end }) => start >= divisor.start && end <= divisor.end);
  return names.some((name) => {
    const variable = variables.of(name);
    return [...syntax.ancestors(divisor)].some(({ role, node }) => {
      if (role !== "statement" || node.kind !== "for" || !node.condition || node.condition.kind !== "binary") return false;
      const { left, right } = node.condition;
      const counts = [left, right].some((each) => variables.of(withoutParentheses(each)) === variable);
      const first = variable && variables.initial(variable);
      return (
        counts &&
        [left, right].some((each) => semantics.constant(each) !== undefined) &&
        first !== undefined &&
        semantics.constant(first) !== undefined
      );
    });
  });
}
