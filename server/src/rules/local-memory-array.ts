import { formatCapacity } from "../units.ts";
import { defineRule } from "./rule.ts";
import { costsOf, findingOf } from "./support/costs.ts";

export default defineRule({
  id: "local-memory-array",
  group: "memory",
  severity: "warning",
  priority: "medium",
  guide: { document: "best-practices", section: "9.2.4" },
  summary: "An array of a thread lies in local memory, as its index is known only when the kernel runs.",
  why: "Registers cannot be indexed: an array stays in them only where each index is a constant once loops are unrolled. Else it lies in local memory, which is off the chip, and each access goes through the L1.",
  remedy:
    "Unroll the loops over it (`#pragma unroll`, and constant trip counts), so that each index is a constant; pick an element by comparing in an unrolled loop; or keep the array in shared memory, an element of each thread beside that of the next.",
  notes: "The time without it is that of the launch without the array's loads and stores.",
  fix: "none",
  simulated: true,
  tellsGain: true,
  specificity: 3,
  example: {
    bad: `__global__ void pick(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v[16];
#pragma unroll
  for (int k = 0; k < 16; ++k) v[k] = in[i + k * n];
  float sum = 0;
  for (int k = 0; k < n / 65536; ++k) sum += v[(i + k) & 15] * k;
  out[i] = sum;
}
int main() {
  const int n = 1 << 22;
  float *in, *out;
  cudaMalloc(&in, 16 * n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemset(in, 0, 16 * n * sizeof(float));
  pick<<<n / 256, 256>>>(out, in, n);
}`,
    good: `__global__ void pick(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v[16];
#pragma unroll
  for (int k = 0; k < 16; ++k) v[k] = in[i + k * n];
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 16; ++k) sum += v[k] * k;
  out[i] = sum;
}
int main() {
  const int n = 1 << 22;
  float *in, *out;
  cudaMalloc(&in, 16 * n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemset(in, 0, 16 * n * sizeof(float));
  pick<<<n / 256, 256>>>(out, in, n);
}`,
  },
  *check(context) {
    for (const cost of costsOf(context, "local array")) {
      const { object, bytes } = cost.report;
      if (object === undefined || bytes === undefined) continue;
      yield findingOf(
        cost,
        `\`${object}\`, ${formatCapacity(bytes)} of each thread, lies in local memory, as an index of it is known only when the kernel runs. Unroll the loops over it so that each index is a constant, or keep it in shared memory.`,
      );
    }
  },
});
