import { testRule } from "../testing/rule-tables.ts";
import rule from "./synchronise-in-loop.ts";

const program = (loop: string, blocks = "1"): string => `__global__ void k(float *x) { x[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
int main() {
  float *d, *other, h[100];
  cudaMalloc(&d, 1 << 30);
  cudaMalloc(&other, 1 << 30);
  cudaMemset(d, 0, 1 << 30);
  cudaMemset(other, 0, 1 << 30);
  const int blocks = ${blocks};
${loop}
}`;

testRule(rule, {
  clean: {
    "behind the loop": program("  for (int i = 0; i < 100; i++) { k<<<blocks, 32>>>(d); }\n  cudaDeviceSynchronize();"),
    "the host reads": program(
      "  for (int i = 0; i < 100; i++) {\n    k<<<blocks, 32>>>(d);\n    cudaDeviceSynchronize();\n    h[i] = d[0];\n  }",
    ),
    "nothing is launched": program("  for (int i = 0; i < 100; i++) { cudaDeviceSynchronize(); }"),
    timed: program(`  for (int i = 0; i < 100; i++) {
    double t = omp_get_wtime();
    k<<<blocks, 32>>>(d);
    cudaDeviceSynchronize();
    h[i] = omp_get_wtime() - t;
  }`),
    "kernels that take much longer than the wait": program(
      "  for (int i = 0; i < 100; i++) {\n    k<<<blocks, 256>>>(d);\n    cudaDeviceSynchronize();\n  }",
      "1 << 20",
    ),
    "kernels of which nobody knows how long they take": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *d, int n, int blocks) {
  for (int i = 0; i < n; i++) {
    k<<<blocks, 32>>>(d);
    cudaDeviceSynchronize();
  }
}`,
  },
  found: {
    "each turn": {
      code: program(`  for (int i = 0; i < 100; i++) {
    k<<<blocks, 32>>>(d);
    cudaDeviceSynchronize();
//  ^^^^^^^^^^^^^^^^^^^^^^^ the device stands idle meanwhile. Wait once, behind the loop. A turn takes 1
    float *t = d; d = other; other = t;
  }`),
    },
    "the older call, and twice a turn, once": {
      code: program(`  for (int i = 0; i < 100; i++) {
    k<<<blocks, 32>>>(d);
    cudaThreadSynchronize();
//  ^^^^^^^^^^^^^^^^^^^^^^^ idle
    k<<<blocks, 32>>>(d);
    cudaThreadSynchronize();
  }`),
    },
  },
});
