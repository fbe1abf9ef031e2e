import { defineRule, type Finding } from "./rule.ts";
import { all, replaceWritten } from "./support/edits.ts";
import { asArgument, constantNumber, mathCalls, named, numberOf } from "./support/math-calls.ts";

const powers = new Set(["pow"]);
const functions: Readonly<Record<number, string>> = { 2: "exp2", 10: "exp10" };

export default defineRule({
  id: "power-of-constant-base",
  group: "instructions",
  severity: "hint",
  priority: "low-medium",
  guide: { document: "best-practices", section: "11.1.6" },
  summary: "`pow` of 2 or 10, for which there is a function of its own.",
  why: "`pow` computes the logarithm of the base each time: nvcc 13.0 makes 54 instructions of `powf(2.0f, x)` and 199 of `pow(2.0, x)`, and 10 and 66 of `exp2f(x)` and `exp2(x)`.",
  remedy:
    "Call `exp2f` or `exp10f`, for doubles `exp2` or `exp10`. For a whole number `n`, `ldexpf(1.0f, n)`, or `1 << n` where an integer is meant.",
  fix: "unsafe",
  changes: "rounding",
  example: {
    bad: `__global__ void decibels(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = powf(10.0f, x[i] * 0.05f);
}`,
    good: `__global__ void decibels(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = exp10f(x[i] * 0.05f);
}`,
  },
  *check(context): Generator<Finding> {
    const { reading, semantics } = context.program;
    for (const { call, written } of mathCalls(context, powers)) {
      const [base, exponent] = call.arguments;
      const value = base && constantNumber(semantics, base);
      const name = value === undefined ? undefined : functions[value];
      if (name === undefined || !exponent || call.arguments.length !== 2 || semantics.isFixed(exponent)) continue;
      const number = numberOf(semantics, exponent);
      if (number === undefined) continue;
      const whole = number === "integer";
      const better = whole ? (value === 2 ? "ldexp(1.0, n)" : "exp10") : named(name, number);
      const edits = whole ? undefined : all(replaceWritten(reading, call, `${better}(${asArgument(context, exponent)})`));
      yield {
        span: call,
        message: `\`${written}\` computes the logarithm of ${value} each time: \`${better}\`${whole && value === 2 ? ", or a shift," : ""} is 3 to 5 times as fast.`,
        fix: edits && { title: `Call \`${better}\` (the last digit may change)`, safe: false, edits },
      };
    }
  },
});
