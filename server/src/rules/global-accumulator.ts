import { defineRule } from "./rule.ts";
import { accumulatedInRegister } from "./support/accumulate-in-register.ts";
import { costsOf, findingOf } from "./support/costs.ts";
import { textAt } from "./support/edits.ts";
import { expressionAt } from "./support/expression-at.ts";

export default defineRule({
  id: "global-accumulator",
  group: "memory",
  severity: "warning",
  priority: "high",
  guide: { document: "best-practices", section: "9.2.1" },
  summary: "A loop stores to the same place of global memory in every turn.",
  why: "The compiler may not keep the value in a register where another pointer of the loop could point there: each turn stores, and loads behind the store have to wait for it.",
  remedy: "Sum up in a local variable and store it once behind the loop; or say by `__restrict__` that the pointers do not overlap.",
  notes:
    "Told where the address does not change in the loop, which has no barrier, fence or atomic, and the launch would take less time without the stores. The fix is unsafe, since another pointer of the loop might point there.",
  fix: "unsafe",
  simulated: true,
  tellsGain: true,
  specificity: 3,
  example: {
    bad: `__global__ void sums(float *out, const float *in, int n, int rows) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  out[x] = 0;
  for (int k = 0; k < rows; ++k) out[x] += in[k * n + x];
}
int main() {
  const int n = 1 << 18, rows = 256;
  float *in, *out;
  cudaMalloc(&in, rows * n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemset(in, 0, rows * n * sizeof(float));
  sums<<<n / 256, 256>>>(out, in, n, rows);
}`,
    good: `__global__ void sums(float *out, const float *in, int n, int rows) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < rows; ++k) sum += in[k * n + x];
  out[x] = sum;
}
int main() {
  const int n = 1 << 18, rows = 256;
  float *in, *out;
  cudaMalloc(&in, rows * n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemset(in, 0, rows * n * sizeof(float));
  sums<<<n / 256, 256>>>(out, in, n, rows);
}`,
  },
  *check(context) {
    const { syntax, program } = context;
    for (const cost of costsOf(context, "kept in memory")) {
      const access = expressionAt(syntax, program.reading, cost.place);
      const place = textAt(program.reading, cost.place).replace(/\s+/g, " ");
      if (stepsOn(place)) continue;
      yield {
        ...findingOf(
          cost,
          `\`${place}\` is stored in every turn of the loop, as the compiler cannot tell that nothing else there points to it. Sum up in a local variable, and store it once behind the loop.`,
        ),
        fix: access && accumulatedInRegister(context, access),
      };
    }
  },
});

/** Each turn that stores there goes on to another place: `list[size++]` is a list, however few turns do so. */
const stepsOn = (place: string): boolean => /\+\+|--/.test(place);
