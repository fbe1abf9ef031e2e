import type { Expression, Node } from "../syntax/ast.ts";
import { formatCapacity } from "../units.ts";
import { defineRule, type Finding } from "./rule.ts";
import { countersOf } from "./support/counters.ts";
import { loopsAround } from "./support/loops.ts";
import { runtimeCalls } from "./support/runtime-calls.ts";
import { Variables } from "./support/variables.ts";

export default defineRule({
  id: "transfer-in-loop",
  group: "host",
  severity: "information",
  priority: "high",
  guide: { document: "best-practices", section: "9.1" },
  summary: "A loop that copies one array in pieces, between host and device.",
  why: "Each copy costs some microseconds before its first byte moves, and blocks the host: one copy of all pieces pays that once.",
  remedy: "One `cudaMemcpy` of the whole array; `cudaMemcpy2D` where the pieces are rows of a wider one.",
  fix: "none",
  notes: "Found where both sides of a blocking copy go on by the loop's counter within an array, and the loop launches nothing.",
  example: {
    bad: `void upload(float *device, const float *host, int rows, int width) {
  for (int row = 0; row < rows; row++)
    cudaMemcpy(device + row * width, host + row * width, width * sizeof(float), cudaMemcpyHostToDevice);
}`,
    good: `void upload(float *device, const float *host, int rows, int width) {
  cudaMemcpy(device, host, rows * width * sizeof(float), cudaMemcpyHostToDevice);
}`,
  },
  *check(context): Generator<Finding> {
    const { program, syntax } = context;
    const variables = new Variables(syntax, program.semantics);
    const launches = syntax.expressions("call").filter(({ launch }) => launch !== undefined);
    for (const { call, name } of runtimeCalls(context)) {
      const [to, from, size] = call.arguments;
      const [loop] = name === "cudaMemcpy" ? loopsAround(syntax, call) : [];
      if (!to || !from || loop?.kind !== "for" || launches.some((each) => each.start >= loop.start && each.end <= loop.end)) continue;
      const counters = countersOf(loop, variables).map(({ variable }) => variable);
      const mentions = (node: Node): boolean =>
        syntax
          .expressions("name")
          .some((each) => each.start >= node.start && each.end <= node.end && counters.some((counter) => variables.of(each) === counter));
      if (!mentions(to) || !mentions(from) || !goesOn(to) || !goesOn(from)) continue;
      const bytes = size && program.semantics.constant(size);
      const each = typeof bytes === "bigint" ? ` of ${formatCapacity(Number(bytes))}` : "";
      yield { span: call, message: `A copy${each} a turn, of pieces of one array: one copy of all of them pays for its beginning once.` };
    }
  },
});

/** Within one array: a pointer and an offset, or the address of an element. */
function goesOn(node: Expression): boolean {
  if (node.kind === "parenthesized") return goesOn(node.inner);
  if (node.kind === "cast") return node.operands.length === 1 && node.operands.every(goesOn);
  return (node.kind === "binary" && node.op === "+") || (node.kind === "unary" && node.op === "&" && node.operand.kind === "subscript");
}
