import type { Expression, Node } from "../syntax/ast.ts";
import { defineRule, type Finding, type RuleContext } from "./rule.ts";
import { type Call, libraryName } from "./support/library-calls.ts";

export default defineRule({
  id: "emulated-double-atomic",
  group: "memory",
  severity: "information",
  priority: "medium",
  guide: { document: "maxwell", section: "1.4.3.3" },
  summary: "A sum of doubles by `atomicCAS` in a loop, where the GPU has an instruction for it.",
  why: "The loop reads, adds and tries to exchange until no other thread came between, once for each of them: GPUs of compute capability 6.0 and later add doubles in one atomic instruction, in the L2 cache.",
  remedy: "`atomicAdd(double *, double)`; keep the loop under `#if __CUDA_ARCH__ < 600` where older GPUs matter.",
  fix: "none",
  example: {
    bad: `__device__ double addTo(double *address, double value) {
  unsigned long long *bits = (unsigned long long *)address, old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}`,
    good: `__device__ double addTo(double *address, double value) { return atomicAdd(address, value); }`,
  },
  *check(context): Generator<Finding> {
    for (const call of context.syntax.expressions("call")) {
      const [, , value] = call.arguments;
      if (libraryName(call) !== "atomicCAS" || !value || !context.syntax.inDevice(call) || !addsDoubles(context, value)) continue;
      yield {
        span: call.callee,
        message:
          "This loop adds to a double by trying to exchange it: `atomicAdd` does so in one instruction since compute capability 6.0.",
      };
    }
  },
});

/** `__double_as_longlong(a + __longlong_as_double(b))` */
function addsDoubles({ syntax }: RuleContext, value: Expression): boolean {
  const inside = (node: Node, outer: Node): boolean => node.start >= outer.start && node.end <= outer.end;
  const calls = (name: string, within: Node): readonly Call[] =>
    syntax.expressions("call").filter((each) => libraryName(each) === name && inside(each, within));
  return calls("__double_as_longlong", value).some(
    ({ arguments: [sum] }) => sum?.kind === "binary" && sum.op === "+" && calls("__longlong_as_double", sum).length > 0,
  );
}
