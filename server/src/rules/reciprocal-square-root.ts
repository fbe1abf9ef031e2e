import { defineRule } from "./rule.ts";
import { all, replaceWritten } from "./support/edits.ts";
import { asArgument, constantNumber, mathCalls, named, numberOf } from "./support/math-calls.ts";
import { sameSpan } from "./support/syntax-index.ts";

const roots = new Set(["sqrt"]);

export default defineRule({
  id: "reciprocal-square-root",
  group: "instructions",
  severity: "hint",
  priority: "low",
  guide: { document: "best-practices", section: "11.1.3" },
  summary: "One divided by a square root.",
  why: "The root and the division are each rounded exactly, in a loop of instructions with a slow way out: nvcc 13.0 makes 105 instructions of `1.0f / sqrtf(x)`, and 10 of `rsqrtf(x)`, which one instruction of the special function units begins. It may not do so by itself, as the last digit may differ.",
  remedy: "Call `rsqrtf(x)`, or `rsqrt(x)` for doubles.",
  fix: "unsafe",
  changes: "rounding",
  example: {
    bad: `__global__ void normalise(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 1.0f / sqrtf(x[i]);
}`,
    good: `__global__ void normalise(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = rsqrtf(x[i]);
}`,
  },
  *check(context) {
    const { program, syntax } = context;
    for (const { call, written } of mathCalls(context, roots)) {
      const [argument] = call.arguments;
      const quotient = syntax.parent(call)?.node;
      // What the compiler knows it computes itself.
      if (
        !argument ||
        call.arguments.length !== 1 ||
        program.semantics.isFixed(argument) ||
        quotient?.kind !== "binary" ||
        quotient.op !== "/"
      )
        continue;
      const number = numberOf(program.semantics, call);
      if (
        !sameSpan(quotient.right, call) ||
        constantNumber(program.semantics, quotient.left) !== 1 ||
        (number !== "float" && number !== "double")
      )
        continue;
      const name = named("rsqrt", number);
      const edits = all(replaceWritten(program.reading, quotient, `${name}(${asArgument(context, argument)})`));
      yield {
        span: quotient,
        message: `A division and \`${written}\`, each of which takes many instructions: \`${name}\` is about one.`,
        fix: edits && { title: `Call \`${name}\` (the last digit may change)`, safe: false, edits },
      };
    }
  },
});
