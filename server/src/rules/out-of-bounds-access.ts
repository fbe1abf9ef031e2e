import { defineRule, type Fix, type RuleContext } from "./rule.ts";
import { boundsCheck } from "./support/bounds-check.ts";
import { expressionAt } from "./support/expression-at.ts";
import { about, elementAt, type Shown, shown, sizeOf, threadOf, verbOf } from "./support/violations.ts";

export default defineRule({
  id: "out-of-bounds-access",
  group: "correctness",
  severity: "error",
  priority: "correctness",
  summary: "A thread reads or writes beyond the end of an allocation or an array, or before its start.",
  why: "What lies there belongs to something else, or to nobody: the kernel ends with an error, or it goes on with wrong values and spoils those of others. Which of both happens may differ from run to run.",
  remedy:
    "Compare the index with the number of elements before it is used (`if (i < n)`), or make the allocation or the grid the size that the other one needs.",
  notes:
    "Blocks at the corners and in the middle of the grid are run as the source has them; a thread whose access lies outside of what its pointer points into is the witness. The sizes are those that the host code allocates (`cudaMalloc` and its kin), of `__shared__`, `__device__`, `__constant__` and local arrays, and of dynamic shared memory as it is launched. Where a size, the launch or a value that the index rests on is not known but assumed, nothing is said. The fix compares an index that is a variable with the parameter that has the number of elements, before a statement of the kernel's own body.",
  fix: "unsafe",
  changes: "faults",
  simulated: true,
  specificity: 4,
  givesWayTo: ["unchecked-arithmetic"],
  example: {
    bad: `__global__ void add(float *c, const float *a, const float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] = a[i] + b[i];
}
int main() {
  float *a, *b, *c;
  cudaMalloc(&a, 1024 * sizeof(float));
  cudaMalloc(&b, 1024 * sizeof(float));
  cudaMalloc(&c, 1000 * sizeof(float));
  add<<<4, 256>>>(c, a, b, 1000);
}`,
    good: `__global__ void add(float *c, const float *a, const float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
int main() {
  float *a, *b, *c;
  cudaMalloc(&a, 1000 * sizeof(float));
  cudaMalloc(&b, 1000 * sizeof(float));
  cudaMalloc(&c, 1000 * sizeof(float));
  add<<<4, 256>>>(c, a, b, 1000);
}`,
  },
  *check(context) {
    for (const each of shown(context, "out-of-bounds")) {
      // Where the kernel is launched several times what overflows may do so in another launch.
      const stands = context.launches.filter(({ fact }) => fact.kernelName === each.launch.fact.kernelName).length > 1;
      const { violation, place, text } = each;
      const { by, object } = violation;
      if (object.kind === "null") {
        const what = object.name === "" ? "the pointer" : `\`${object.name}\``;
        yield { span: place, message: `Null pointer: ${threadOf(by)} ${verbOf(by)} \`${text}\`, and ${what} is null.`, ...about(each) };
        continue;
      }
      yield {
        span: place,
        message: `Out of bounds: ${threadOf(by)} ${verbOf(by)} \`${text}\`, ${elementAt(violation)}; ${sizeOf(violation)}.`,
        ...about(each),
        fix: checked(context, each),
        stands,
      };
    }
  },
});

/** The access behind a comparison, where it goes beyond the last element. */
function checked(context: RuleContext, { violation, launch, place }: Shown<"out-of-bounds">): Fix | undefined {
  const { object, offset, width } = violation;
  if (place.file !== 0 || object.kind !== "buffer" || offset < object.bytes || object.bytes % width !== 0) return undefined;
  const access = expressionAt(context.syntax, context.program.reading, place);
  return access && boundsCheck(context, access, object.bytes / width, launch);
}
