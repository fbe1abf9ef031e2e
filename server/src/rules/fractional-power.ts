import type { Expression } from "../syntax/ast.ts";
import { defineRule, type Finding } from "./rule.ts";
import { all, excerpt, replaceWritten } from "./support/edits.ts";
import { asArgument, asFactor, constantNumber, isRepeatable, mathCalls, named, numberOf } from "./support/math-calls.ts";

const powers = new Set(["pow"]);

/** The guide's table, and 3/2: exponents as fractions, and functions of x that come to the same; `r` stands for the first of them. */
const formulas: readonly (readonly [numerator: number, denominator: number, formula: string])[] = [
  [1, 9, "rcbrt(rcbrt(x))"],
  [-1, 9, "cbrt(rcbrt(x))"],
  [1, 6, "rcbrt(rsqrt(x))"],
  [-1, 6, "rcbrt(sqrt(x))"],
  [1, 4, "rsqrt(rsqrt(x))"],
  [-1, 4, "sqrt(rsqrt(x))"],
  [1, 3, "cbrt(x)"],
  [-1, 3, "rcbrt(x)"],
  [1, 2, "sqrt(x)"],
  [-1, 2, "rsqrt(x)"],
  [2, 3, "cbrt(x) * cbrt(x)"],
  [-2, 3, "rcbrt(x) * rcbrt(x)"],
  [3, 4, "sqrt(x) * sqrt(sqrt(x))"],
  [-3, 4, "rsqrt(x) * sqrt(rsqrt(x))"],
  [7, 6, "x * rcbrt(rsqrt(x))"],
  [-7, 6, "1 / x * rcbrt(sqrt(x))"],
  [5, 4, "x * rsqrt(rsqrt(x))"],
  [-5, 4, "1 / x * sqrt(rsqrt(x))"],
  [3, 2, "x * sqrt(x)"],
];

/** How closely a constant has to be a fraction: as a float is. */
const tolerance = 2 ** -23;

export default defineRule({
  id: "fractional-power",
  group: "instructions",
  severity: "hint",
  priority: "low-medium",
  guide: { document: "best-practices", section: "11.1.5" },
  summary: "`pow` with an exponent for which square and cube roots are faster and more exact.",
  why: "`pow` computes a logarithm and an exponential with extra digits: nvcc 13.0 makes 80 instructions of `powf(x, 1.0f / 3)` and 211 of `pow(x, 1.0 / 3)`, and 22 and 49 of `cbrtf(x)` and `cbrt(x)`. An exponent such as 1/3 is no floating-point number, and its error grows with the logarithm of `x`.",
  remedy: "Use `sqrt`, `cbrt`, `rsqrt` and `rcbrt`, as the guide's table has them.",
  fix: "unsafe",
  changes: "rounding",
  notes: `| exponent | formula |
| --- | --- |
${formulas.map(([numerator, denominator, formula]) => `| ${numerator}/${denominator} | \`${formula}\` |`).join("\n")}

The formulas hold for x >= 0; \`cbrt\` of a negative number is a number, where \`pow\` gives NaN. The fix is unsafe, as the last digit may differ. What stands twice in a formula is computed once. That a sixth, a ninth or a fourth root is meant is told to a float's precision.`,
  example: {
    bad: `__global__ void roots(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = powf(x[i], 1.0f / 3.0f);
}`,
    good: `__global__ void roots(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = cbrtf(x[i]);
}`,
  },
  *check(context): Generator<Finding> {
    const { reading, semantics } = context.program;
    for (const { call, written } of mathCalls(context, powers)) {
      const [base, exponent] = call.arguments;
      const value = exponent && constantNumber(semantics, exponent);
      if (!base || !exponent || value === undefined || call.arguments.length !== 2 || semantics.isFixed(base)) continue;
      const known = formulas.find(([numerator, denominator]) => Math.abs(value / (numerator / denominator) - 1) <= tolerance);
      const number = numberOf(semantics, base);
      if (!known || (number !== "float" && number !== "double")) continue;
      const [numerator, denominator, formula] = known;
      const text = (argument: string, factor: string): string =>
        formula
          .replaceAll(/r?(sqrt|cbrt)/g, (name) => named(name, number))
          .replace(/^1 /, number === "float" ? "1.0f " : "1.0 ")
          .replaceAll(/\bx\b/g, (_, at: number, whole: string) => (whole[at - 1] === "(" ? argument : factor));
      const edits = fixable(base, formula)
        ? all(replaceWritten(reading, call, parenthesised(text(asArgument(context, base), asFactor(context, base)))))
        : undefined;
      yield {
        span: call,
        message: `\`${written}\` of ${excerpt(reading, exponent, 30)}: \`${text("x", "x")}\` is faster, and more exact.`,
        fix: edits && {
          title: `Write \`${text("x", "x")}\` for the power of ${numerator}/${denominator} (the last digit may change)`,
          safe: false,
          edits,
        },
      };
    }
  },
});

/** What stands more than once in the formula must be as good to read twice. */
const fixable = (base: Expression, formula: string): boolean => [...formula.matchAll(/\bx\b/g)].length === 1 || isRepeatable(base);

const parenthesised = (text: string): string => (text.includes(" ") ? `(${text})` : text);
