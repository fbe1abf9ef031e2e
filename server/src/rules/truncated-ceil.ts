import type { Expression } from "../syntax/ast.ts";
import { withoutParentheses } from "../syntax/terms.ts";
import { defineRule, type Finding } from "./rule.ts";
import { all, replaceWritten } from "./support/edits.ts";
import { libraryName } from "./support/library-calls.ts";
import { asFactor, isRepeatable, numberOf } from "./support/math-calls.ts";
import { isOwn } from "./support/syntax-index.ts";

export default defineRule({
  id: "truncated-ceil",
  group: "correctness",
  severity: "warning",
  priority: "correctness",
  guide: { document: "best-practices", section: "10.3" },
  summary: "`ceil` of a quotient of integers, which has been cut already.",
  why: "The division of two integers drops the rest before `ceil` sees it: a grid made so is a block short wherever the size is no multiple of the block's.",
  remedy: "`(n + size - 1) / size`, which needs no floating point.",
  fix: "unsafe",
  changes: "faults",
  example: {
    bad: `__global__ void fill(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 1.0f;
}
void run(float *x, int n) {
  int blocks = ceil(n / 256);
  fill<<<blocks, 256>>>(x, n);
}`,
    good: `__global__ void fill(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 1.0f;
}
void run(float *x, int n) {
  int blocks = (n + 256 - 1) / 256;
  fill<<<blocks, 256>>>(x, n);
}`,
  },
  *check(context): Generator<Finding> {
    const { program, syntax } = context;
    for (const call of syntax.expressions("call")) {
      const [argument] = call.arguments;
      if (!/^ceilf?$/.test(libraryName(call) ?? "") || !argument || program.semantics.resolve(call.callee).some(isOwn)) continue;
      const quotient = inner(argument);
      if (quotient.kind !== "binary" || quotient.op !== "/" || program.semantics.constant(quotient) !== undefined) continue;
      const { left, right } = quotient;
      if (numberOf(program.semantics, left) !== "integer" || numberOf(program.semantics, right) !== "integer") continue;
      const [n, size] = [asFactor(context, left), asFactor(context, right)];
      const edits = isRepeatable(right) ? all(replaceWritten(program.reading, call, `(${n} + ${size} - 1) / ${size}`)) : undefined;
      yield {
        span: call,
        message: `Both are integers: the quotient is cut before \`ceil\` sees it, and what is left over gets no block. Write \`(${n} + ${size} - 1) / ${size}\`.`,
        fix: edits && { title: `Write \`(${n} + ${size} - 1) / ${size}\``, safe: false, edits },
      };
    }
  },
});

/** Behind parentheses and conversions to a floating-point type. */
function inner(node: Expression): Expression {
  const plain = withoutParentheses(node);
  const [operand, ...others] = plain.kind === "cast" ? plain.operands : [];
  return operand && others.length === 0 ? inner(operand) : plain;
}
