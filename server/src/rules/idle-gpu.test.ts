import { testRule } from "../testing/rule-tables.ts";
import rule from "./idle-gpu.ts";

const program = (launch: string, loop = "int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x"): string => `
__global__ void scale(float *out, const float *in, int n) {
  for (${loop}) out[i] = 2 * in[i];
}
int main() {
  const int n = 1 << 18;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  ${launch}
}`;

testRule(rule, {
  clean: {
    "all SMs": program("scale<<<1024, 256>>>(out, in, n);"),
    "little to do": program("scale<<<1, 256>>>(out, in, 1024);"),
    "beside what takes longer": program(
      "for (int k = 0; k < 100000; ++k) scale<<<1024, 256>>>(out, in, n);\n  scale<<<1, 1>>>(out, in, n);",
      "int i = threadIdx.x; i < n; i += blockDim.x",
    ),
    "a loop that goes on by the grid's size, with a result for each thread": `
__global__ void sums(float *out, const float *in, int n) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int i = thread; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  out[thread] = sum;
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 64 << 20);
  cudaMalloc(&out, 32 * 256 * sizeof(float));
  sums<<<32, 256>>>(out, in, 16 << 20);
}`,
    "of which nobody says how large it is": program('int g = atoi(getenv("G")); scale<<<g, 1>>>(out, in, n);', "int i = 0; i < n; ++i"),
  },
  found: {
    "one thread": {
      code: program(
        `scale<<<1, 1>>>(out, in, n);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^ \`scale\` gives work to 1 of 132 SMs, one thread, for`,
        "int i = 0; i < n; ++i",
      ),
    },
    "blocks that are the larger the fewer SMs have work": {
      code: `
__global__ void roots(float *out, const float *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i];
  for (int k = 0; k < 4000; ++k) x = sqrtf(x + 1) / (x + 2);
  out[i] = x;
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 4096 * sizeof(float));
  cudaMalloc(&out, 4096 * sizeof(float));
  cudaMemset(in, 0, 4096 * sizeof(float));
  roots<<<4, 1024>>>(out, in);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^ \`roots\` gives work to 4 of 132 SMs, in blocks of 1024 threads: for more SMs launch 128 blocks of 32.
}`,
    },
    "few blocks of a loop that goes on by the grid's size": {
      code: program(`scale<<<4, 256>>>(out, in, n);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ \`scale\` gives work to 4 of 132 SMs, in blocks of 256 threads: its loop goes on by the grid's size, so launch 1056 blocks of 256.`),
    },
  },
});
