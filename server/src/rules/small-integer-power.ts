import { defineRule, type Finding } from "./rule.ts";
import { all, excerpt, replaceWritten } from "./support/edits.ts";
import { asFactor, constantNumber, isRepeatable, mathCalls, numberOf } from "./support/math-calls.ts";

const powers = new Set(["pow", "__pow"]);

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
  notes:
    "Exponents from 2 to 4, -1 and -2. The fix is offered where the base can be written twice, and is unsafe: the last digit may differ. `pow` of an integer is a double, so there is no fix for it.",
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
    const { reading, semantics } = context.program;
    for (const { call, written } of mathCalls(context, powers)) {
      const [base, exponent] = call.arguments;
      const value = exponent && constantNumber(semantics, exponent);
      if (
        !base ||
        !exponent ||
        value === undefined ||
        call.arguments.length !== 2 ||
        !(value === -1 || value === -2 || (value >= 2 && value <= mostFactors))
      )
        continue;
      if (!Number.isInteger(value) || constantNumber(semantics, base) !== undefined) continue;
      const factor = asFactor(context, base);
      const product = Array<string>(Math.abs(value)).fill(factor).join(" * ");
      const one = numberOf(semantics, base) === "float" ? "1.0f" : "1.0";
      const newText = value > 0 ? `(${product})` : `(${one} / ${value === -1 ? product : `(${product})`})`;
      const fits = isRepeatable(base) && numberOf(semantics, base) !== "integer";
      const edits = fits ? all(replaceWritten(reading, call, newText)) : undefined;
      yield {
        span: call,
        message: `\`${written}\` takes a hundred instructions or more where ${value > 2 ? `${value - 1} multiplications do` : value === 2 ? "a multiplication does" : "a division does"}: raise \`${excerpt(reading, base, 40)}\` to ${value} by hand.`,
        fix: edits && { title: `Write \`${newText.slice(1, -1)}\` (the last digit may change)`, safe: false, edits },
      };
    }
  },
});
