import { defineRule } from "./rule.ts";
import { costsOf, findingOf } from "./support/costs.ts";
import { textAt } from "./support/edits.ts";
import { restricted } from "./support/restrict.ts";

const example = (parameters: string): string => `__global__ void smooth(${parameters}, int n, int rows) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  for (int row = 0; row < rows; ++row) {
    const float *from = in + row * (n + 8) + x;
    float sum = 0;
    for (int k = 0; k < 9; ++k) sum += weights[k] * from[k];
    out[row * n + x] = sum;
  }
}
int main() {
  const int n = 1 << 20, rows = 16;
  float *in, *out, *weights;
  cudaMalloc(&in, rows * (n + 8) * sizeof(float));
  cudaMalloc(&out, rows * n * sizeof(float));
  cudaMalloc(&weights, 9 * sizeof(float));
  cudaMemset(in, 0, rows * (n + 8) * sizeof(float));
  cudaMemset(weights, 0, 9 * sizeof(float));
  smooth<<<n / 256, 256>>>(out, in, weights, n, rows);
}`;

export default defineRule({
  id: "redundant-global-load",
  group: "memory",
  severity: "information",
  priority: "medium",
  guide: { document: "best-practices", section: "9.2.1" },
  summary: "A loop loads the same place of global memory in every turn, since a store of the loop might have changed it.",
  why: "The compiler keeps a value in a register only where no store between could reach it: through pointers that may overlap any could.",
  remedy: "Say by `__restrict__` that the pointers do not overlap, or load the value into a local variable before the loop.",
  notes:
    "Told where the address does not change in the loop, which has no barrier, fence or atomic, and the launch would take less time without the loads. The fix is unsafe, since the pointers might overlap.",
  fix: "unsafe",
  simulated: true,
  tellsGain: true,
  specificity: 2,
  example: {
    bad: example("float *out, const float *in, const float *weights"),
    good: example("float *__restrict__ out, const float *__restrict__ in, const float *__restrict__ weights"),
  },
  *check(context) {
    for (const cost of costsOf(context, "loaded again")) {
      const place = textAt(context.program.reading, cost.place).replace(/\s+/g, " ");
      const more = cost.besides.length > 0 ? ` and ${cost.besides.length} more are` : " is";
      yield {
        ...findingOf(
          cost,
          `\`${place}\`${more} loaded in every turn of the loop, as the compiler cannot tell that no store there changes it. Say by \`__restrict__\` that the pointers do not overlap.`,
        ),
        fix: restricted(context, cost),
      };
    }
  },
});
