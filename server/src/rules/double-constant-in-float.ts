import type { Expression } from "../syntax/ast.ts";
import { defineRule, type Finding, type RuleContext } from "./rule.ts";
import { all, excerpt, replace } from "./support/edits.ts";
import { FloatUse } from "./support/float-use.ts";

type Literal = Expression & { readonly kind: "float" };

export default defineRule({
  id: "double-constant-in-float",
  group: "instructions",
  severity: "hint",
  priority: "low",
  guide: { document: "best-practices", section: "11.1.4" },
  summary: "A floating-point constant without the suffix `f` in single-precision device code.",
  why: "The constant is a `double`, so the other operand is converted to `double`, the operation runs at double precision (1/2 to 1/64 of the throughput, depending on the GPU) and its result is converted back.",
  remedy: "Write the suffix: `0.5f`.",
  fix: "safe",
  example: {
    bad: `__global__ void scale(float *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = data[i] * 0.1;
}`,
    good: `__global__ void scale(float *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = data[i] * 0.1f;
}`,
  },
  *check(context) {
    const uses = new FloatUse(context.program, context.syntax);
    for (const literal of context.syntax.expressions("float")) {
      if (literal.suffix !== "" || !context.syntax.inDevice(literal) || !fitsFloat(literal.value)) continue;
      const use = uses.of(literal);
      if (use) yield finding(context, literal, use.exact && !roundsTwice(literal.value), use.computes);
    }
  },
});

/** Finite as a float, and not lost to zero. */
const fitsFloat = (value: number): boolean => Number.isFinite(Math.fround(value)) && (Math.fround(value) !== 0 || value === 0);

/**
 * The value of `0.1f` is the decimal rounded once; of `(float)0.1` it is rounded twice. They can differ only where the
 * double lies exactly between two floats.
 */
function roundsTwice(value: number): boolean {
  const near = Math.fround(value);
  const other = 2 * value - near;
  return near !== value && Math.fround(other) === other;
}

function finding({ program: { reading } }: RuleContext, literal: Literal, safe: boolean, computes: boolean): Finding {
  const single = `${literal.text}f`;
  const edits = all(replace(reading, literal, single));
  return {
    span: literal,
    message: computes
      ? `\`${excerpt(reading, literal)}\` is a double, which makes this a double-precision computation on float operands. Write \`${single}\`.`
      : `\`${excerpt(reading, literal)}\` is a double that is only converted to float. Write \`${single}\`.`,
    fix: edits && { title: safe ? `Write \`${single}\`` : `Write \`${single}\` (rounding may change)`, safe, edits },
  };
}
