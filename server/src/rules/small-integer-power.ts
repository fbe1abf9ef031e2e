import type { Expression } from "../syntax/ast.ts";
import { defineRule, type Finding, type Fix, type RuleContext } from "./rule.ts";
import { all, excerpt, replaceWritten } from "./support/edits.ts";
import { groupBy } from "./support/group-by.ts";
import { asFactor, constantNumber, isRepeatable, type MathCall, mathCalls, numberOf } from "./support/math-calls.ts";

const powers = new Set(["pow"]);

/** Of more multiplications a loop or a variable is the better way to write it. */
const mostFactors = 4;

export default defineRule({
  id: "small-integer-power",
  group: "instructions",
  severity: "hint",
  priority: "low-medium",
  guide: { document: "best-practices", section: "11.1.6" },
  summary: "`pow` with a small whole number as its exponent.",
  why: "`pow` computes a logarithm and an exponential with extra digits and looks at every special case: nvcc 13.0 makes 78 instructions of `powf(x, 2.0f)` and 200 of `pow(x, 2)`, most of them in double precision even where `x` is a float. A multiplication is one.",
  remedy: "Multiply: `x * x`.",
  fix: "unsafe",
  changes: "rounding",
  notes:
    "The powers of a function are one finding. Exponents from 2 to 4, -1 and -2. The fix is offered where the base can be written twice, and is unsafe: the last digit may differ. `pow` of an integer is a double, so there is no fix for it.",
  example: {
    bad: `__global__ void squares(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = powf(x[i], 2.0f);
}`,
    good: `__global__ void squares(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * x[i];
}`,
  },
  *check(context): Generator<Finding> {
    const { reading } = context.program;
    const found = mathCalls(context, powers).flatMap((each) => powerOf(context, each) ?? []);
    for (const own of groupBy(found, ({ owner }) => owner).values()) {
      const [first, ...others] = own;
      if (!first) continue;
      const { base, value, written, call } = first;
      const kinds = new Set(own.map(({ key }) => key)).size;
      const more = kinds > 1 ? `, and ${kinds - 1} more here alike` : "";
      yield {
        span: call,
        message: `\`${written}\` takes a hundred instructions or more where ${value > 2 ? `${value - 1} multiplications do` : value === 2 ? "a multiplication does" : "a division does"}: raise \`${excerpt(reading, base, 40)}\` to ${value} by hand${more}.`,
        related: others.slice(0, 8).map((each) => ({
          at: each.call,
          message: each.key === first.key ? "the same power" : `\`${excerpt(reading, each.base, 40)}\` to ${each.value}`,
        })),
        fix: multiplied(context, own),
      };
    }
  },
});

/** All powers of a function whose bases can be written twice. */
function multiplied({ program: { reading } }: RuleContext, own: readonly Power[]): Fix | undefined {
  const products = own.filter((each) => each.product !== undefined);
  const [first] = products;
  const edits = all(...products.map((each) => replaceWritten(reading, each.call, `(${each.product})`)));
  const times = products.length > 1 ? `, ${products.length} times` : "";
  const kinds = new Set(products.map(({ key }) => key)).size;
  const title = kinds > 1 ? `Multiply for ${products.length} powers` : `Write \`${first?.product}\`${times}`;
  return first && edits && { title: `${title} (the last digit may change)`, safe: false, edits };
}

interface Power extends MathCall {
  readonly base: Expression;
  readonly value: number;
  /** The power as a product, where the base can be written several times. */
  readonly product: string | undefined;
  /** Where the function that it stands in begins. */
  readonly owner: number;
  /** The same for the same power of it. */
  readonly key: string;
}

function powerOf(context: RuleContext, math: MathCall): Power | undefined {
  const { program, syntax } = context;
  const [base, exponent, ...more] = math.call.arguments;
  const value = exponent && constantNumber(program.semantics, exponent);
  if (!base || value === undefined || more.length > 0 || program.semantics.isFixed(base)) return undefined;
  if (!Number.isInteger(value) || !(value === -1 || value === -2 || (value >= 2 && value <= mostFactors))) return undefined;
  const number = numberOf(program.semantics, base);
  const factor = asFactor(context, base);
  const factors = Array<string>(Math.abs(value)).fill(factor).join(" * ");
  const inverse = `${number === "float" ? "1.0f" : "1.0"} / ${value === -1 ? factors : `(${factors})`}`;
  const product = isRepeatable(base) && number !== "integer" ? (value > 0 ? factors : inverse) : undefined;
  const owner = syntax.code(math.call)?.function.start ?? 0;
  return { ...math, base, value, product, owner, key: `${value} ${factor.replaceAll(/\s/g, "")}` };
}
