import { testRule } from "../testing/rule-tables.ts";
import rule from "./low-occupancy.ts";

const program = (bytes: number, body: string, launch = "k<<<n / 64, 64>>>(out, in, n);"): string => `
__global__ void k(float *out, const float *in, int n) {
  __shared__ float tile[${bytes / 4}];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  tile[threadIdx.x] = in[i];
  __syncthreads();
${body}
  out[i] = sum + tile[threadIdx.x ^ 32];
}
int main() {
  const int n = 1 << 22;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  ${launch}
}`;
const waiting = "  for (int k = 0; k < 1024; ++k) sum = sum * 1.5f + 2.5f;";
const moving = "  for (int k = 0; k < 64; ++k) sum += in[(i * 97 + k * 4099) & (n - 1)];";

testRule(rule, {
  clean: {
    "little shared memory": program(4 << 10, waiting),
    "memory, of which few warps ask enough": program(40 << 10, moving),
    "all blocks resident at once": program(40 << 10, waiting, "k<<<132, 64>>>(out, in, n);"),
  },
  found: {
    "much shared memory, and waits": {
      code: program(
        40 << 10,
        waiting,
        `k<<<n / 64, 64>>>(out, in, n);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ An SM holds 5 blocks of \`k\` (occupancy 16 %), limited by shared memory, and its warps wait.`,
      ),
    },
  },
});
