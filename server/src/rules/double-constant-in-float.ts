import type { Expression } from "../syntax/ast.ts";
import { defineRule, type Finding, type RuleContext } from "./rule.ts";
import { all, replace } from "./support/edits.ts";
import { FloatUse, type Use } from "./support/float-use.ts";
import { groupBy } from "./support/group-by.ts";

type Literal = Expression & { readonly kind: "float" };

export default defineRule({
  id: "double-constant-in-float",
  group: "instructions",
  severity: "hint",
  priority: "low",
  guide: { document: "best-practices", section: "11.1.4" },
  summary: "A floating-point constant without the suffix `f` that makes single-precision device code compute in double precision.",
  why: "The constant is a `double`, so the other operand is converted to `double`, the operation runs at double precision (1/2 of the throughput on data-centre GPUs such as the H200, 1/64 on a GeForce) and its result is converted back.",
  remedy: "Write the suffix: `0.5f`.",
  notes: `Found is what is left when the compiler is done. nvcc computes in single precision by itself where the result is the same: one operation of a float and a constant that is exactly a float, whose result becomes a float at once (\`y = x * 0.5\`), and a comparison with such a constant (\`x > 0.0\`). Constants that are only converted (\`float y = 0.1\`) cost nothing. Double arithmetic stays with constants that no float is (\`x * 0.1\`), with two operations in a row (\`0.5 * x * y\`), with integers (\`i * 0.5\`), and with functions that have a double overload (\`max(x, 0.0)\`).

Left alone are constants where another operand is a \`double\`, where the result is one, and where a type depends on a template parameter. The constants of one computation are one finding, since it is double while one of them is.

Of a number of 8 or 16 bits and a constant both results are worked out for every such number: where they are the same the fix is safe (\`byte / 255.0\`), and where they become integers that differ the double is what is asked for.

The fix is safe where the constant is only chosen (\`max(x, 0.0)\`), too; elsewhere intermediate results are rounded to single precision, which may change the last digit. A constant in a macro is mended in its \`#define\`, and only when every use in the file is single precision.`,
  fix: "safe",
  changes: "rounding",
  givesWayTo: ["fractional-power", "power-of-constant-base", "small-integer-power"],
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
    const { program, syntax } = context;
    const uses = new FloatUse(program, syntax);
    const found = syntax.expressions("float").flatMap((literal): Constant[] => {
      if (literal.suffix !== "" || !syntax.inDevice(literal) || !fitsFloat(literal.value)) return [];
      const use = uses.of(literal);
      return use ? [{ literal, ...use }] : [];
    });
    // A power's own operands are told with it, what is computed for one is not.
    const isOperand = ({ literal }: Constant): boolean => {
      const around = syntax.parent(literal);
      return around?.role === "expression" && around.node.kind === "call";
    };
    for (const constants of groupBy(found, ({ root }) => root).values())
      yield { ...finding(context, constants), stands: !constants.every(isOperand) };
  },
});

interface Constant extends Use {
  readonly literal: Literal;
}

/** Finite as a float, and not lost to zero. */
const fitsFloat = (value: number): boolean => Number.isFinite(Math.fround(value)) && (Math.fround(value) !== 0 || value === 0);

/** The constants of one computation: it stays double while one of them is. */
function finding({ program: { reading } }: RuleContext, constants: readonly Constant[]): Finding {
  const literals = constants.map(({ literal }) => literal);
  const [first = { start: 0, end: 0 }, ...others] = literals;
  const listed = (texts: readonly string[]): string => texts.map((text) => `\`${text}\``).join(", ");
  const [doubles, floats] = [listed(distinct(literals, "")), listed(distinct(literals, "f"))];
  const edits = all(...literals.map((literal) => replace(reading, literal, `${literal.text}f`)));
  const safe = constants.every(({ exact }) => exact);
  return {
    span: first,
    message: `${doubles} ${distinct(literals, "").length > 1 ? "are doubles, which make" : "is a double, which makes"} this computation on floats run in double precision: 1/2 of the throughput on an H200, 1/64 on a GeForce. Write ${floats}.`,
    related: others.slice(0, mostRelated).map((at) => ({ at, message: "also a double" })),
    fix: edits && { title: `Write ${floats}${safe ? "" : " (rounding may change)"}`, safe, edits },
  };
}

const mostRelated = 8;

const distinct = (literals: readonly Literal[], suffix: string): readonly string[] => [
  ...new Set(literals.map(({ text }) => `${text}${suffix}`)),
];
