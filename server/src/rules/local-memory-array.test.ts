import { testRule } from "../testing/rule-tables.ts";
import rule from "./local-memory-array.ts";

const program = (body: string): string => `
__global__ void pick(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v[16];
#pragma unroll
  for (int k = 0; k < 16; ++k) v[k] = in[i + k * n];
  float sum = 0;
${body}
  out[i] = sum;
}
int main() {
  const int n = 1 << 22;
  float *in, *out;
  cudaMalloc(&in, 16 * n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemset(in, 0, 16 * n * sizeof(float));
  pick<<<n / 256, 256>>>(out, in, n);
}`;

testRule(rule, {
  clean: {
    "constant indices": program("  for (int k = 0; k < 16; ++k) sum += v[k] * k;"),
    "by the block, seldom": program("  sum = v[blockIdx.x & 15];"),
  },
  found: {
    "by the thread, in a loop": {
      code: program(`  for (int k = 0; k < n / 65536; ++k) sum += v[(i + k) & 15] * k;
//                                           ^^^^^^^^^^^^^^^ \`v\`, 64 B of each thread, lies in local memory`),
    },
  },
});
