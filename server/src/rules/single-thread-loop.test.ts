import { testRule } from "../testing/rule-tables.ts";
import rule from "./single-thread-loop.ts";

const program = (body: string, block = 256): string => `
__global__ void k(float *out, const float *in, int n) {
  __shared__ float part[${block}];
  __shared__ float total;
  part[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
${body}
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = part[threadIdx.x] / total;
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 64 << 20);
  cudaMalloc(&out, 64 << 20);
  cudaMemset(in, 0, 64 << 20);
  k<<<4096, ${block}>>>(out, in, 1024);
}`;
const alone = (loop: string): string => `  if (threadIdx.x == 0) {
    float sum = 0;
${loop}
    total = sum;
  }`;

testRule(rule, {
  clean: {
    "all threads take a part": program("  for (int i = threadIdx.x; i < n; i += 256) part[threadIdx.x] += in[i];"),
    "few turns": program(alone("    for (int i = 0; i < 8; ++i) sum += part[i];")),
    "a block of one warp": program(alone("    for (int i = 0; i < n; ++i) sum += in[i];"), 32),
    "each turn needs the one before": program(alone("    for (int i = 0; i < n; ++i) sum = sum * in[i] + 1;")),
    "each turn stores": program(alone("    for (int i = 1; i < 256; ++i) part[i] += part[i - 1];")),
    "what is found ends it": program(alone("    for (int i = 0; i < n && in[i] >= sum; ++i) sum += in[i];")),
  },
  found: {
    "a sum of shared memory": {
      code: program(
        alone(`    for (int i = 0; i < 256; ++i)
      sum += part[i];
      //     ^^^^^^^ One thread of each block turns this loop alone, while 255 wait for it`),
      ),
    },
    "an extreme of global memory": {
      code: program(
        alone(`    for (int i = 0; i < n; ++i)
      sum = fmaxf(sum, in[blockIdx.x * n + i]);
      //               ^^^^^^^^^^^^^^^^^^^^^^ One thread of each block turns this loop alone`),
      ),
    },
  },
});
