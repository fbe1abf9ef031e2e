import { defineRule } from "./rule.ts";
import { about, shown, threadOf, verbOf } from "./support/violations.ts";

export default defineRule({
  id: "misaligned-access",
  group: "correctness",
  severity: "error",
  priority: "correctness",
  summary: "A thread accesses memory at an address that is no multiple of the access's width.",
  why: "The hardware reads and writes 2, 4, 8 or 16 bytes at once only at multiples of as many; anything else ends the kernel with an error (misaligned address).",
  remedy:
    "Begin where the width divides the offset: pad rows to a multiple of the vector, or access the elements one by one where that is not sure.",
  notes: "Allocations begin at multiples of 256 bytes; the offset from there decides.",
  fix: "none",
  simulated: true,
  specificity: 3,
  example: {
    bad: `__global__ void copy(float *out, const float *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  *(float4 *)&out[4 * i] = *(const float4 *)&in[4 * i + 1];
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 1 << 20);
  cudaMalloc(&out, 1 << 20);
  copy<<<64, 256>>>(out, in);
}`,
    good: `__global__ void copy(float *out, const float *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  *(float4 *)&out[4 * i] = *(const float4 *)&in[4 * i];
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 1 << 20);
  cudaMalloc(&out, 1 << 20);
  copy<<<64, 256>>>(out, in);
}`,
  },
  *check(context) {
    for (const each of shown(context, "misaligned")) {
      const { by, offset, width } = each.violation;
      yield {
        span: each.place,
        message: `Misaligned: ${threadOf(by)} ${verbOf(by)} ${width} bytes at byte ${offset.toLocaleString("en-US")} of \`${each.violation.object.name}\`, which is no multiple of ${width}.`,
        ...about(each),
      };
    }
  },
});
