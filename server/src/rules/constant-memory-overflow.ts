import { lastName } from "../analysis/sema/scope.ts";
import type { Expression, VariableDeclaration } from "../syntax/ast.ts";
import { walk } from "../syntax/walk.ts";
import { formatCapacity } from "../units.ts";
import { defineRule, type Finding } from "./rule.ts";
import type { SyntaxIndex } from "./support/syntax-index.ts";

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
    for (const constant of constantsOf(syntax)) {
      const [name] = syntax
        .expressionsMentioning(lastName(constant.name), "name")
        .filter((each) => semantics.resolve(each).includes(constant));
      if (name) used.set(constant, name);
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

/** Variables that the file and its headers put into constant memory, in the order of their declarations. */
function constantsOf(syntax: SyntaxIndex): readonly VariableDeclaration[] {
  const found: VariableDeclaration[] = [];
  for (const { declarations } of syntax.itemsMentioning("__constant__"))
    for (const declaration of declarations)
      walk(declaration, (node) => {
        if (node.kind === "variable" && node.specifiers.constant) found.push(node);
        return true;
      });
  return found;
}
