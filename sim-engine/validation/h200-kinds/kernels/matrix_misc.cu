// Around dense matrices: transposes, products with a vector, column sums, a triangular solve, an LU update.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void setup(float *a, int n, float scale) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = scale * ((i * 37 + i / 1000) % 101 - 50);
}

__global__ void transposeNaive(float *out, const float *in, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c < cols && r < rows) out[c * rows + r] = in[r * cols + c];
}

template <int PAD>
__global__ void transposeTile(float *out, const float *in, int rows, int cols) {
  __shared__ float tile[32][32 + PAD];
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
#pragma unroll
  for (int k = 0; k < 32; k += 8)
    if (c < cols && r + k < rows) tile[threadIdx.y + k][threadIdx.x] = in[(r + k) * cols + c];
  __syncthreads();
  c = blockIdx.y * 32 + threadIdx.x;
  r = blockIdx.x * 32 + threadIdx.y;
#pragma unroll
  for (int k = 0; k < 32; k += 8)
    if (c < rows && r + k < cols) out[(r + k) * rows + c] = tile[threadIdx.x][threadIdx.y + k];
}

__global__ void mvThread(const float *A, const float *x, float *y, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float sum = 0;
  for (int c = 0; c < cols; c++) sum += A[r * cols + c] * x[c];
  y[r] = sum;
}

__global__ void mvWarp(const float *__restrict__ A, const float *__restrict__ x, float *__restrict__ y, int rows, int cols) {
  int r = blockIdx.x * blockDim.y + threadIdx.y;  // a warp is one row of the block
  if (r >= rows) return;
  float sum = 0;
  for (int c = threadIdx.x; c < cols; c += 32) sum += A[(size_t)r * cols + c] * x[c];
  for (int m = 16; m > 0; m >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, m);
  if (threadIdx.x == 0) y[r] = sum;
}

template <int THREADS>
__global__ void mvBlock(const float4 *__restrict__ A, const float4 *__restrict__ x, float *__restrict__ y, int cols4) {
  __shared__ float s[THREADS];
  float sum = 0;
  for (int c = threadIdx.x; c < cols4; c += THREADS) {
    float4 a = A[(size_t)blockIdx.x * cols4 + c], b = x[c];
    sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
  }
  s[threadIdx.x] = sum;
  __syncthreads();
  for (int d = THREADS / 2; d > 0; d /= 2) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = s[0];
}

__global__ void columnSums(const float *a, float *sums, int rows, int cols, int rowsPerBlock) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  int r0 = blockIdx.y * rowsPerBlock, r1 = min(rows, r0 + rowsPerBlock);
  float s = 0;
  for (int r = r0; r < r1; r++) s += a[r * cols + c];
  atomicAdd(&sums[c], s);
}

// Forward substitution with one unit lower 32x32 block of L; each thread owns a column of B.
__global__ void solveStep(const float *__restrict__ L, int ldl, float *__restrict__ B, int ldb, int cols) {
  __shared__ float l[32][32];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) l[i / 32][i % 32] = L[(i / 32) * ldl + i % 32];
  __syncthreads();
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  float x[32];
#pragma unroll
  for (int r = 0; r < 32; r++) {
    float v = B[(size_t)r * ldb + c];
#pragma unroll
    for (int k = 0; k < r; k++) v -= l[r][k] * x[k];
    x[r] = v;
    B[(size_t)r * ldb + c] = v;
  }
}

// Below and right of pivot k; multipliers are already in column k.
__global__ void luUpdate(double *a, int n, int k) {
  int j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x, i = k + 1 + blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) a[(size_t)i * n + j] -= a[(size_t)i * n + k] * a[(size_t)k * n + j];
}

int main() {
  const int n = 4096, rows = 3000, cols = 5000, lu = 2500;
  float *a, *b, *x, *y, *sums;
  double *d;
  cudaMalloc(&a, n * n * sizeof(float)), cudaMalloc(&b, n * n * sizeof(float)), cudaMalloc(&d, lu * lu * sizeof(double));
  cudaMalloc(&x, 8192 * sizeof(float)), cudaMalloc(&y, 8192 * sizeof(float)), cudaMalloc(&sums, 8192 * sizeof(float));
  setup<<<n * n / 256, 256>>>(a, n * n, 0.001f);
  cudaMemcpy(x, a + 4096, 8192 * sizeof(float), cudaMemcpyDeviceToDevice);
  cudaMemset(sums, 0, 8192 * sizeof(float)), cudaMemset(d, 0, lu * lu * sizeof(double));
  transposeNaive<<<dim3((cols + 15) / 16, (rows + 15) / 16), dim3(16, 16)>>>(b, a, rows, cols);
  transposeTile<0><<<dim3(n / 32, n / 32), dim3(32, 8)>>>(b, a, n, n);
  transposeTile<1><<<dim3((cols + 31) / 32, (rows + 31) / 32), dim3(32, 8)>>>(b, a, rows, cols);
  mvThread<<<(n + 127) / 128, 128>>>(a, x, y, n, n);
  mvWarp<<<(rows + 3) / 4, dim3(32, 4)>>>(a, x, y, rows, cols);
  mvBlock<256><<<n, 256>>>((float4 *)a, (float4 *)x, y, n / 4);
  columnSums<<<dim3((cols + 95) / 96, 20), 96>>>(a, sums, rows, cols, 150);
  solveStep<<<400000 / 128, 128>>>(a, n, b, 400000, 400000);
  luUpdate<<<dim3((lu + 31) / 32, (lu + 7) / 8), dim3(32, 8)>>>(d, lu, 10);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
