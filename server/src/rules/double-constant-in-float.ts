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
  notes: `Found are constants that meet a float operand (\`x * 0.5\`, \`x < 0.1\`, \`sqrt(x + 1.0)\`), that take part in a computation whose result becomes a float (\`float y = i * 0.5\`), or that only initialise one (\`float y = 0.0\`). Left alone are constants where another operand is a \`double\`, where the result is one, and where a type depends on a template parameter.

The fix is safe where the constant is only converted, and where it is compared with a float and is itself exactly a float; elsewhere the intermediate result is rounded to single precision, which may change the last digit. A constant in a macro is mended in its \`#define\`, and only when every use in the file is single precision.`,
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
