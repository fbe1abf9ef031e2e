import { testRule } from "../testing/rule-tables.ts";
import rule from "./missing-tile.ts";

const program = (kernel: string, launch: string): string => `
__global__ void product(float *c, const float *a, const float *b, int n) {
${kernel}
}
int main() {
  const int n = 1024;
  float *a, *b, *c;
  cudaMalloc(&a, n * n * sizeof(float));
  cudaMalloc(&b, n * n * sizeof(float));
  cudaMalloc(&c, n * n * sizeof(float));
  cudaMemset(a, 0, n * n * sizeof(float));
  cudaMemset(b, 0, n * n * sizeof(float));
  product<<<${launch}>>>(c, a, b, n);
}`;

testRule(rule, {
  clean: {
    "a launch that nobody says": `__global__ void product(float *c, const float *a, const float *b, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}`,
    "a tile of 4 by 4": program(
      `  int x = 4 * (blockIdx.x * blockDim.x + threadIdx.x), y = 4 * (blockIdx.y * blockDim.y + threadIdx.y);
  float sum[4][4] = {};
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) sum[i][j] += a[(y + i) * n + k] * b[k * n + x + j];
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) c[(y + i) * n + x + j] = sum[i][j];`,
      "dim3(n / 128, n / 32), dim3(32, 8)",
    ),
    "a matrix times a vector": program(
      `  int y = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[k * n + y] * b[k];
  c[y] = sum;`,
      "n / 128, 128",
    ),
  },
  found: {
    "from global memory": {
      code: program(
        `  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += a[y * n + k] * b[k * n + x];
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ The loop loads two values for each product
  c[y * n + x] = sum;`,
        "dim3(n / 32, n / 8), dim3(32, 8)",
      ),
    },
    "from shared memory, by one number of the thread": {
      code: program(
        `  __shared__ float as[32][32], bs[32][32];
  int tx = threadIdx.x % 32, ty = threadIdx.x / 32;
  int x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + ty;
  float sum = 0;
  for (int t = 0; t < n; t += 32) {
    as[ty][tx] = a[y * n + t + tx];
    bs[ty][tx] = b[(t + ty) * n + x];
    __syncthreads();
    for (int k = 0; k < 32; ++k)
      sum += as[ty][k] * bs[k][tx];
//    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ a tile of results
    __syncthreads();
  }
  c[y * n + x] = sum;`,
        "dim3(n / 32, n / 32), 1024",
      ),
    },
  },
});
