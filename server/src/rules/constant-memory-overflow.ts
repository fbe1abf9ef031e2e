import type { Expression, VariableDeclaration } from "../syntax/ast.ts";
import { formatCapacity } from "../units.ts";
import { defineRule, type Finding } from "./rule.ts";

/** The constant bank that a module may fill, on every GPU. */
const limit = 64 * 1024;

export default defineRule({
  id: "constant-memory-overflow",
  group: "correctness",
  severity: "error",
  priority: "correctness",
  guide: { document: "best-practices", section: "9.2.6" },
  ofFile: true,
  summary: "`__constant__` variables that come to more than 64 KB.",
  why: "A GPU has 64 KB of constant memory: `ptxas` refuses the file.",
  remedy: "Keep what all threads read alike in constant memory, and the rest in global memory, through `const __restrict__` pointers.",
  fix: "none",
  example: {
    bad: `__constant__ float table[20000];
__global__ void look(float *out, int i) { out[threadIdx.x] = table[i]; }`,
    good: `__constant__ float table[10000];
__global__ void look(float *out, int i) { out[threadIdx.x] = table[i]; }`,
  },
  *check({ program: { semantics }, syntax }): Generator<Finding> {
    const used = new Map<VariableDeclaration, Expression>();
    for (const name of syntax.expressionsEverywhere("name")) {
      for (const each of semantics.resolve(name))
        if ("kind" in each && each.kind === "variable" && each.specifiers.constant && !used.has(each)) used.set(each, name);
    }
    let total = 0;
    for (const variable of used.keys()) {
      const type = semantics.declaredType(variable);
      const bytes = type && semantics.sizeOf(type);
      if (bytes === undefined || variable.specifiers.extern) continue;
      if (total <= limit && total + bytes > limit)
        yield {
          span: variable.name,
          message: `With this the constants of the file come to ${formatCapacity(total + bytes)}; a GPU has ${formatCapacity(limit)} for them.`,
        };
      total += bytes;
    }
  },
});
