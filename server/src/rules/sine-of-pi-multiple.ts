import type { Expression } from "../syntax/ast.ts";
import { termsOf, withoutParentheses } from "../syntax/terms.ts";
import { defineRule, type Finding, type RuleContext } from "./rule.ts";
import { all, replaceWritten } from "./support/edits.ts";
import { asFactor, constantNumber, mathCalls, named, numberOf } from "./support/math-calls.ts";

const functions = new Set(["sin", "cos"]);

/** How closely a constant has to be pi: as a float is. */
const tolerance = 2 ** -22;

export default defineRule({
  id: "sine-of-pi-multiple",
  group: "instructions",
  severity: "hint",
  priority: "low-medium",
  guide: { document: "best-practices", section: "11.1.6" },
  summary: "Sine or cosine of a product with pi.",
  why: "`sinf` has to find the rest of its argument by pi/2, which for large ones takes a slow way through local memory; the product with pi was rounded before. `sinpif(x)` does neither: nvcc 13.0 makes 29 instructions of it, and 139 of `sinf(pi * x)`.",
  remedy: "Call `sinpi(x)` or `cospi(x)`, with `f` for floats, and leave pi out.",
  fix: "unsafe",
  changes: "rounding",
  example: {
    bad: `__global__ void wave(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = sinf(3.14159265f * x[i]);
}`,
    good: `__global__ void wave(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = sinpif(x[i]);
}`,
  },
  *check(context): Generator<Finding> {
    const { reading, semantics } = context.program;
    for (const { call, name, written } of mathCalls(context, functions)) {
      const [argument] = call.arguments;
      if (!argument || call.arguments.length !== 1 || semantics.isFixed(argument)) continue;
      const product = productOf(context, argument);
      if (!product) continue;
      const number = product.rest.some((each) => numberOf(semantics, each) === "double")
        ? "double"
        : numberOf(semantics, product.rest[0] ?? argument);
      const kind = written.endsWith("f") ? "float" : number;
      if (kind !== "float" && kind !== "double") continue;
      const better = named(`${name}pi`, kind);
      const times =
        product.times === 1 ? "" : `${product.times}${Number.isInteger(product.times) ? ".0" : ""}${kind === "float" ? "f" : ""} * `;
      const edits = all(
        replaceWritten(
          reading,
          call,
          `${better}(${times}${product.rest.map((each) => (product.rest.length + times.length > 1 ? asFactor(context, each) : textOf(context, each))).join(" * ")})`,
        ),
      );
      yield {
        span: call,
        message: `\`${written}\` of a multiple of pi: \`${better}\` multiplies by pi itself, exactly, and needs no reduction of its argument.`,
        fix: edits && { title: `Call \`${better}\` (the last digits may change)`, safe: false, edits },
      };
    }
  },
});

const textOf = (context: RuleContext, node: Expression): string => asFactor(context, withoutParentheses(node)).replace(/^\((.*)\)$/s, "$1");

/** A product with pi: what pi is taken times, and the other factors. A product of whole numbers alone needs pi to be none. */
function productOf(
  { program: { semantics } }: RuleContext,
  argument: Expression,
): { readonly times: number; readonly rest: readonly Expression[] } | undefined {
  const factors = termsOf(argument, (op) => op === "*");
  const isPi = (node: Expression): boolean => {
    const halves = (2 * (constantNumber(semantics, node) ?? 0)) / Math.PI;
    return (
      halves !== 0 &&
      Number.isInteger(Math.round(halves)) &&
      Math.round(halves) !== 0 &&
      Math.abs(halves / Math.round(halves) - 1) <= tolerance &&
      Math.abs(halves) <= 16
    );
  };
  const pi = factors.find((each) => isPi(each) && numberOf(semantics, each) !== "integer");
  const rest = factors.filter((each) => each !== pi);
  if (
    !pi ||
    rest.length === 0 ||
    rest.some((each) => withoutParentheses(each).kind === "binary" && numberOf(semantics, each) === "integer")
  )
    return undefined;
  const times = Math.round((2 * (constantNumber(semantics, pi) ?? 0)) / Math.PI) / 2;
  return rest.every((each) => numberOf(semantics, each) === "integer") ? undefined : { times, rest };
}
