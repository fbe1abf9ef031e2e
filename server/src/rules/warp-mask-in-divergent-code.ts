import type { Expression, Statement } from "../syntax/ast.ts";
import { termsOf, withoutParentheses } from "../syntax/terms.ts";
import { defineRule, type Finding, type RuleContext } from "./rule.ts";
import { excerpt } from "./support/edits.ts";
import { libraryName } from "./support/library-calls.ts";
import { isOwn, sameSpan } from "./support/syntax-index.ts";
import { Variables } from "./support/variables.ts";

const synchronising = /^__(shfl(_up|_down|_xor)?|any|all|ballot|match_(any|all)|reduce_\w+)_sync$/;

export default defineRule({
  id: "warp-mask-in-divergent-code",
  group: "warp",
  severity: "warning",
  priority: "correctness",
  guide: { document: "volta", section: "1.4.1.2" },
  alsoIn: [{ document: "turing", section: "1.4.1.2" }],
  summary: "A `_sync` intrinsic whose mask names all lanes of the warp, in a branch that only some of them take.",
  why: "Every lane that the mask names has to come to the intrinsic: where one does not, the result is undefined, and the warp may wait for ever.",
  remedy:
    "Move the intrinsic out of the branch, or name the lanes that come: `unsigned mask = __ballot_sync(0xffffffff, condition)` before the branch.",
  fix: "none",
  notes:
    "Found where the branch compares `threadIdx.x` or the lane with a constant that parts a warp. Where the launch is known, `divergent-barrier` finds the others, with the threads that show it.",
  example: {
    bad: `__global__ void sum(float *out, float *s) {
  float x = s[threadIdx.x];
  if (threadIdx.x < 8) {
    for (int offset = 4; offset > 0; offset /= 2) x += __shfl_down_sync(0xffffffff, x, offset);
    if (threadIdx.x == 0) *out = x;
  }
}`,
    good: `__global__ void sum(float *out, float *s) {
  float x = s[threadIdx.x];
  if (threadIdx.x < 8) {
    for (int offset = 4; offset > 0; offset /= 2) x += __shfl_down_sync(0xff, x, offset);
    if (threadIdx.x == 0) *out = x;
  }
}`,
  },
  *check(context): Generator<Finding> {
    const { program, syntax } = context;
    const variables = new Variables(syntax, program.semantics);
    for (const call of syntax.expressions("call")) {
      const name = libraryName(call) ?? "";
      const [mask] = call.arguments;
      if (!synchronising.test(name) || !mask || program.semantics.resolve(call.callee).some(isOwn) || !namesAll(context, mask)) continue;
      const parting = partingBranch(context, variables, call);
      if (!parting) continue;
      yield {
        span: call,
        message: `The mask names all 32 lanes, and only those for which \`${excerpt(program.reading, parting, 40)}\` come here: \`${name}\` waits for the others, or gives values that mean nothing.`,
        related: [{ at: parting, message: "parts the warp" }],
      };
    }
  },
});

function namesAll({ program: { semantics } }: RuleContext, mask: Expression): boolean {
  const value = semantics.constant(mask);
  return typeof value === "bigint" && BigInt.asUintN(32, value) === 0xffffffffn;
}

/** A condition around the node, of constants and the thread's index alone, that does not hold for whole warps. */
function partingBranch({ program: { semantics }, syntax }: RuleContext, variables: Variables, node: Expression): Expression | undefined {
  let child: Expression | Statement = node;
  for (const { role, node: outer } of syntax.ancestors(node)) {
    if (role === "declaration" && outer.kind === "function") return undefined;
    if (role === "expression" && outer.kind === "lambda") return undefined;
    if (role === "statement" && outer.kind === "if" && sameSpan(child, outer.then) && outer.condition.kind !== "variable") {
      for (const term of termsOf(outer.condition, (op) => op === "&&")) {
        const inner = withoutParentheses(term);
        if (inner.kind !== "binary") continue;
        const limit = semantics.constant(inner.right);
        if (typeof limit !== "bigint" || !indexed(semantics.constant, variables, inner.left)) continue;
        const whole =
          inner.op === "<" || inner.op === ">="
            ? limit % 32n === 0n
            : inner.op === "<=" || inner.op === ">"
              ? (limit + 1n) % 32n === 0n
              : inner.op !== "==";
        if (!whole) return inner;
      }
    }
    if (role !== "declaration") child = outer;
  }
  return undefined;
}

/** `threadIdx.x`, the lane, or a variable that is one of them from its beginning to its end. */
function indexed(constant: (node: Expression) => unknown, variables: Variables, node: Expression, depth = 0): boolean {
  const inner = withoutParentheses(node);
  if (inner.kind === "member")
    return inner.base.kind === "name" && inner.base.name.parts[0]?.text === "threadIdx" && inner.name.parts[0]?.text === "x";
  if (
    inner.kind === "binary" &&
    ((inner.op === "%" && constant(inner.right) === 32n) || (inner.op === "&" && constant(inner.right) === 31n))
  )
    return indexed(constant, variables, inner.left, depth);
  const variable = variables.of(inner);
  const first = variable && variables.initial(variable);
  return variable && first && depth < 2 && variables.writes(variable).length === 0 ? indexed(constant, variables, first, depth + 1) : false;
}
