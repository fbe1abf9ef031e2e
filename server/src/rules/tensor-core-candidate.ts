import { defineRule } from "./rule.ts";
import { costsOf, findingOf } from "./support/costs.ts";

export default defineRule({
  id: "tensor-core-candidate",
  group: "instructions",
  severity: "information",
  priority: "high",
  guide: { document: "volta", section: "1.4.2" },
  alsoIn: [{ document: "turing", section: "1.4.2" }],
  summary: "A product of matrices of 16-bit floats is computed by ordinary instructions.",
  why: "Tensor cores multiply and add whole tiles of 16-bit values, sixteen times as many a cycle as the ordinary pipes and more, and sum up in 32 bits.",
  remedy: "Use `wmma` fragments of 16 by 16 by 16, `mma.sync.m16n8k16`, or a library that does (cuBLAS, CUTLASS).",
  notes:
    "Told of loops whose factors are 16-bit floats from memory, one by the thread's row and one by its column, on GPUs that have tensor cores for them. The time then is that of a tile of 4 by 4 results alone, with a quarter of the loads and of what converts their values: tensor cores do more.",
  fix: "none",
  simulated: true,
  tellsGain: true,
  specificity: 3,
  example: {
    bad: `#include <cuda_fp16.h>
__global__ void product(float *c, const __half *a, const __half *b, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += __half2float(a[y * n + k]) * __half2float(b[k * n + x]);
  c[y * n + x] = sum;
}
int main() {
  const int n = 1024;
  __half *a, *b;
  float *c;
  cudaMalloc(&a, n * n * sizeof(__half));
  cudaMalloc(&b, n * n * sizeof(__half));
  cudaMalloc(&c, n * n * sizeof(float));
  cudaMemset(a, 0, n * n * sizeof(__half));
  cudaMemset(b, 0, n * n * sizeof(__half));
  product<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(c, a, b, n);
}`,
    good: `#include <mma.h>
using namespace nvcuda;
__global__ void product(float *c, const __half *a, const __half *b, int n) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> of;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> by;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0);
  for (int k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(of, a + blockIdx.y * 16 * n + k, n);
    wmma::load_matrix_sync(by, b + k * n + blockIdx.x * 16, n);
    wmma::mma_sync(sum, of, by, sum);
  }
  wmma::store_matrix_sync(c + blockIdx.y * 16 * n + blockIdx.x * 16, sum, n, wmma::mem_row_major);
}
int main() {
  const int n = 1024;
  __half *a, *b;
  float *c;
  cudaMalloc(&a, n * n * sizeof(__half));
  cudaMalloc(&b, n * n * sizeof(__half));
  cudaMalloc(&c, n * n * sizeof(float));
  cudaMemset(a, 0, n * n * sizeof(__half));
  cudaMemset(b, 0, n * n * sizeof(__half));
  product<<<dim3(n / 16, n / 16), 32>>>(c, a, b, n);
}`,
  },
  *check(context) {
    for (const cost of costsOf(context, "factors for tensor cores")) {
      yield findingOf(
        cost,
        "A product of matrices of 16-bit floats by ordinary instructions. Use tensor cores: `wmma` fragments of 16 by 16 by 16, or `mma.sync.m16n8k16`. A tile of 4 by 4 results a thread alone comes to this:",
      );
    }
  },
});
