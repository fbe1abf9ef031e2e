import { formatRatio } from "../units.ts";
import { defineRule } from "./rule.ts";
import { costsOf, findingOf } from "./support/costs.ts";

export default defineRule({
  id: "divergent-constant-access",
  group: "memory",
  severity: "information",
  priority: "medium",
  guide: { document: "best-practices", section: "9.2.6" },
  summary: "Lanes of a warp read different addresses of constant memory.",
  why: "The constant cache gives one address to all lanes at a time. Different addresses are served one after the other, so that a read costs as much as it has of them.",
  remedy: "Keep what lanes index differently in global memory read through `const __restrict__` pointers, or in shared memory.",
  fix: "none",
  simulated: true,
  tellsGain: true,
  specificity: 2,
  example: {
    bad: `__constant__ float table[1024];
__global__ void look(float *out, const int *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 16; ++k) sum += table[(threadIdx.x * 7 + k) % 1024];
  out[i] = sum;
}
int main() {
  float *out;
  int *in;
  cudaMalloc(&in, 16 << 20);
  cudaMalloc(&out, 16 << 20);
  look<<<16384, 256>>>(out, in);
}`,
    good: `__constant__ float table[1024];
__global__ void look(float *out, const int *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 16; ++k) sum += table[k];
  out[i] = sum;
}
int main() {
  float *out;
  int *in;
  cudaMalloc(&in, 16 << 20);
  cudaMalloc(&out, 16 << 20);
  look<<<16384, 256>>>(out, in);
}`,
  },
  *check(context) {
    for (const cost of costsOf(context, "addresses")) {
      const { access, report } = cost;
      if (!access) continue;
      const array = report.object === undefined ? "Constant memory" : `\`${report.object}\``;
      yield findingOf(
        cost,
        `${array} is read at ${formatRatio(access.transactions / access.requests)} addresses a request, one after the other. Read it from global memory through \`__ldg\` or a \`const __restrict__\` pointer, or from shared memory.`,
      );
    }
  },
});
