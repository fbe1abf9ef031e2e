import type { VariableDeclaration } from "../syntax/ast.ts";
import { formatCapacity } from "../units.ts";
import { defineRule, type Finding } from "./rule.ts";
import { groupBy } from "./support/group-by.ts";

/** What any kernel may have of static shared memory, on every GPU. */
const limit = 48 * 1024;

export default defineRule({
  id: "shared-memory-over-static-limit",
  group: "correctness",
  severity: "error",
  priority: "correctness",
  guide: { document: "volta", section: "1.4.3.2" },
  alsoIn: [{ document: "turing", section: "1.4.3.1" }],
  summary: "A kernel whose shared arrays come to more than 48 KB.",
  why: "`ptxas` refuses the kernel: more than 48 KB of shared memory has to be dynamic, and allowed before the launch.",
  remedy:
    "Declare `extern __shared__` memory, call `cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)`, and give the bytes at the launch.",
  fix: "none",
  example: {
    bad: `__global__ void tiles(float *out) {
  __shared__ float a[64][128];
  __shared__ float b[64][128];
  a[threadIdx.y][threadIdx.x] = b[threadIdx.y][threadIdx.x];
  out[threadIdx.x] = a[0][threadIdx.x];
}`,
    good: `__global__ void tiles(float *out) {
  __shared__ float a[64][64];
  __shared__ float b[64][64];
  a[threadIdx.y][threadIdx.x] = b[threadIdx.y][threadIdx.x];
  out[threadIdx.x] = a[0][threadIdx.x];
}`,
  },
  *check({ program: { semantics }, syntax }): Generator<Finding> {
    const arrays = syntax.statements("declaration").flatMap(({ declarations }) =>
      declarations.flatMap((each) => {
        const owner =
          each.kind === "variable" && each.specifiers.shared && !each.specifiers.extern ? syntax.code(each)?.function : undefined;
        return owner && each.kind === "variable" ? [{ array: each, owner }] : [];
      }),
    );
    for (const [, group] of groupBy(arrays, ({ owner }) => owner)) {
      const sizes = group.map(({ array }) => sizeOf(array));
      if (sizes.includes(undefined)) continue;
      const total = sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
      const [largest] = group.map(({ array }, index) => ({ array, bytes: sizes[index] ?? 0 })).sort((a, b) => b.bytes - a.bytes);
      if (total <= limit || !largest) continue;
      yield {
        span: largest.array.name,
        message: `The shared arrays come to ${formatCapacity(total)}; \`ptxas\` allows ${formatCapacity(limit)} of static shared memory. Make it dynamic, and allow it with \`cudaFuncSetAttribute\`.`,
      };
    }
    function sizeOf(array: VariableDeclaration): number | undefined {
      const type = semantics.declaredType(array);
      return type && semantics.sizeOf(type);
    }
  },
});
