import { testRule } from "../testing/rule-tables.ts";
import rule from "./row-per-thread.ts";

const program = (body: string): string => `
__global__ void k(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
${body}
  out[i] = sum;
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 256 << 20);
  cudaMalloc(&out, 64 << 20);
  k<<<64, 256>>>(out, in, 4096);
}`;

testRule(rule, {
  clean: {
    "each thread a column": program("  for (int c = 0; c < n; ++c) sum += in[c * 16384 + i];"),
    "a stride without a walk": program("  sum = in[i * n];"),
    "through four elements, which are a vector": program("  for (int c = 0; c < 4; ++c) sum += sinf(in[i * 4 + c]);"),
    "a walk down the columns": program("  for (int c = 0; c < n; ++c) sum += in[(i + c) % n * n];"),
  },
  found: {
    "along a row": {
      code: program(`  for (int c = 0; c < n; ++c)
    sum += in[i * n + c];
    //     ^^^^^^^^^^^^^ Each thread goes along a row of its own, in \`c\`, and neighbouring lanes are a row apart, in \`i * n\``),
    },
    "through a pointer to the row": {
      code: program(`  const float *row = in + i * n;
  for (int c = 0; c < n; ++c)
    sum += row[c];
    //     ^^^^^^ in \`c\``),
    },
  },
});
