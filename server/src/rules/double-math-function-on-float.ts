import type { Expression } from "../syntax/ast.ts";
import { defineRule, type Finding, type RuleContext } from "./rule.ts";
import { all, replace } from "./support/edits.ts";
import { constantNumber, mathCalls, named, numberOf } from "./support/math-calls.ts";

/** Without an overload for floats. */
const doubleOnly = new Set(["rhypot", "norm3d", "norm4d", "rnorm3d", "rnorm4d"]);
/** With an overload for floats, which an integer among the arguments turns into that for doubles. */
const mixed = new Set(["pow", "atan2", "hypot", "fmod", "remainder", "fmin", "fmax", "copysign", "fdim"]);
const names = new Set([...doubleOnly, ...mixed]);

export default defineRule({
  id: "double-math-function-on-float",
  group: "instructions",
  severity: "hint",
  priority: "low",
  guide: { document: "best-practices", section: "11.1.4" },
  alsoIn: [{ document: "best-practices", section: "11.1.6" }],
  summary: "A function of the mathematical library that computes in double precision although its floating-point arguments are floats.",
  why: "C++ takes `pow(x, n)` of a float and an integer for that of two doubles, and `rhypot`, `norm3d` and their kin have no overload for floats: the arguments are converted, and the function runs at double precision (1/2 of the throughput on data-centre GPUs such as the H200, 1/64 on a GeForce). nvcc 13.0 makes 256 instructions of `pow(x, n)`, and 99 of `powf(x, n)`.",
  remedy: "Call the function of floats: `powf`, `atan2f`, `rnorm3df`.",
  fix: "unsafe",
  changes: "rounding",
  example: {
    bad: `__global__ void raise(float *x, int n, int power) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = pow(x[i], power);
}`,
    good: `__global__ void raise(float *x, int n, int power) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = powf(x[i], power);
}`,
  },
  *check(context): Generator<Finding> {
    const { reading, semantics } = context.program;
    for (const { call, name, written } of mathCalls(context, names)) {
      if (written !== name) continue;
      const numbers = call.arguments.map((each) => numberOf(semantics, each));
      const converts = doubleOnly.has(name) || numbers.includes("integer");
      if (!converts || !numbers.includes("float") || !numbers.every((each) => each === "float" || each === "integer")) continue;
      if (isPowerWithItsOwnRule(context, name, call.arguments) || isWantedDouble(context, call)) continue;
      const single = named(name, "float");
      const edits = all(replace(reading, call.callee, single));
      yield {
        span: call,
        message: `\`${written}\` computes in double precision here, of floats: 1/2 of the throughput on an H200, 1/64 on a GeForce. \`${single}\` does not.`,
        fix: edits && { title: `Call \`${single}\` (rounding may change)`, safe: false, edits },
      };
    }
  },
});

/** \`pow(x, 2)\`, \`pow(2, x)\`. */
function isPowerWithItsOwnRule({ program: { semantics } }: RuleContext, name: string, [base, exponent]: readonly Expression[]): boolean {
  return name === "pow" && [base, exponent].some((each) => each !== undefined && constantNumber(semantics, each) !== undefined);
}

/** What comes of it is a double, or meets one. */
function isWantedDouble({ program: { semantics }, syntax }: RuleContext, call: Expression): boolean {
  let node: Expression = call;
  for (let item = syntax.parent(node); item; item = syntax.parent(node)) {
    if (item.role === "declaration") return item.node.kind !== "variable" || numberIn(semantics.declaredType(item.node)) !== "float";
    if (item.role === "statement") return false;
    const parent: Expression = item.node;
    if (parent.kind === "assign") return numberOf(semantics, parent.left) !== "float";
    if (parent.kind === "binary") {
      const other = node.start === parent.left.start ? parent.right : parent.left;
      if (numberOf(semantics, other) === "double" && constantNumber(semantics, other) === undefined) return true;
    } else if (parent.kind !== "parenthesized" && parent.kind !== "unary") return parent.kind === "call" || parent.kind === "cast";
    node = parent;
  }
  return false;
}

const numberIn = (type: { readonly kind: string; readonly name?: unknown } | undefined): unknown =>
  type?.kind === "floating" ? type.name : undefined;
