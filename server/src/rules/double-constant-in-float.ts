import type { Expression, Node } from "../syntax/ast.ts";
import { defineRule, type Finding, type RuleContext } from "./rule.ts";
import { all, replace } from "./support/edits.ts";
import { FloatUse } from "./support/float-use.ts";
import { groupBy } from "./support/group-by.ts";

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
    const found = context.syntax.expressions("float").flatMap((literal): Constant[] => {
      if (literal.suffix !== "" || !context.syntax.inDevice(literal) || !fitsFloat(literal.value)) return [];
      const use = uses.of(literal);
      return use ? [{ literal, safe: use.exact && !roundsTwice(literal.value), computes: use.computes }] : [];
    });
    for (const [table, constants] of groupBy(found, ({ literal }) => tableOf(context, literal))) {
      if (table && constants.length > mostInTable) yield tableFinding(context, constants);
      else for (const constant of constants) yield finding(context, constant);
    }
  },
});

interface Constant {
  readonly literal: Literal;
  readonly safe: boolean;
  readonly computes: boolean;
}

/** Of a longer table of constants the first is marked for all. */
const mostInTable = 8;

/** The outermost braces a constant stands in. */
function tableOf({ syntax }: RuleContext, literal: Literal): Node | undefined {
  const lists = [...syntax.ancestors(literal)].filter(({ role, node }) => role === "expression" && node.kind === "list");
  return lists.at(-1)?.node;
}

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

function finding({ program: { reading } }: RuleContext, { literal, safe, computes }: Constant): Finding {
  const single = `${literal.text}f`;
  const edits = all(replace(reading, literal, single));
  const what = computes
    ? "a double, which makes this computation on floats run in double precision"
    : "a double that is only converted to float";
  return {
    span: literal,
    message: `\`${literal.text}\` is ${what}. Write \`${single}\`.`,
    fix: edits && { title: safe ? `Write \`${single}\`` : `Write \`${single}\` (rounding may change)`, safe, edits },
  };
}

function tableFinding({ program: { reading } }: RuleContext, constants: readonly Constant[]): Finding {
  const [first] = constants.map(({ literal }) => literal);
  const edits = all(...constants.map(({ literal }) => replace(reading, literal, `${literal.text}f`)));
  const safe = constants.every((constant) => constant.safe);
  return {
    span: first ?? { start: 0, end: 0 },
    message: `${constants.length} constants of this table are doubles that are only converted to float. Write \`${first?.text}f\` and so on.`,
    fix: edits && { title: `Write \`f\` after all ${constants.length} constants${safe ? "" : " (rounding may change)"}`, safe, edits },
  };
}
