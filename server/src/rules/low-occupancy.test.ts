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
/** Values that stay in registers while one is worked out. */
const chains = `  float v[62];
#pragma unroll
  for (int j = 0; j < 62; ++j) v[j] = in[(i + j * 4096) & (n - 1)];
  for (int k = 0; k < rounds; ++k) sum = sqrtf(sum + in[k]);
#pragma unroll
  for (int j = 0; j < 62; ++j) sum = sum * v[j] + v[61 - j];`;
const moving = "  for (int k = 0; k < 64; ++k) sum += in[(i * 97 + k * 4099) & (n - 1)];";

testRule(rule, {
  clean: {
    "little shared memory": program(4 << 10, waiting),
    "memory, of which few warps ask enough": program(40 << 10, moving),
    "registers that are estimated": `__global__ void k(float *out, const float *in, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
${chains}
  out[i] = sum;
}
int main() {
  const int n = 1 << 22;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemset(in, 0, n * sizeof(float));
  k<<<n / 256, 256>>>(out, in, n, 256);
}`,
    "all blocks resident at once": program(40 << 10, waiting, "k<<<132, 64>>>(out, in, n);"),
  },
  found: {
    "many registers, and what asks for fewer": {
      code: `__global__ void k(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = in[i];
${waiting}
  out[i] = sum;
}
int main() {
  const int n = 1 << 22;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  // warplens: registers=136
  k<<<n / 256, 256>>>(out, in, n);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ limited by registers (136 a thread), and its warps wait. Next step: 8 fewer registers a thread: 25 %, which \`__launch_bounds__(256, 2)\` makes the compiler try
}`,
    },
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
