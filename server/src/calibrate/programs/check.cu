// What the model is checked with: kernels of other kinds than those it was measured by, of which each prints its time.
// They are simulated from this text: launches stand in plain sight, and move more than the L2 holds.
#include "measure.h"

__global__ void copy(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}
__global__ void strided(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 8) out[i] = in[i * 8];
}
__global__ void transpose(const float *in, float *out, int width) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * width + x] = tile[threadIdx.x][threadIdx.y + j];
}
__global__ void stencil(const float *in, float *out, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x == 0 || y == 0 || x >= width - 1 || y >= width - 1) return;
  int i = y * width + x;
  out[i] = 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
}
__global__ void reduce(const float *in, float *out, int n) {
  __shared__ float sums[256];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}
__global__ void matmul(const float *a, const float *b, float *c, int n) {
  __shared__ float as[16][16], bs[16][16];
  int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
  float sum = 0;
  for (int tile = 0; tile < n; tile += 16) {
    as[y][x] = a[row * n + tile + x];
    bs[y][x] = b[(tile + y) * n + column];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += as[y][k] * bs[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

static cudaEvent_t before, after;
static void start() { CHECK(cudaEventRecord(before)); }
static void stop(const char *kernel) {
  CHECK(cudaEventRecord(after));
  CHECK(cudaGetLastError());
  CHECK(cudaEventSynchronize(after));
  float ms = 0;
  CHECK(cudaEventElapsedTime(&ms, before, after));
  printf("%s %.9g\n", kernel, ms * 1e6);
}

int main() {
  const int width = 8192, n = width * width;
  float *a, *b, *c;
  CHECK(cudaMalloc(&a, n * sizeof(float)));
  CHECK(cudaMalloc(&b, n * sizeof(float)));
  CHECK(cudaMalloc(&c, n * sizeof(float)));
  CHECK(cudaMemset(a, 0, n * sizeof(float)));
  CHECK(cudaMemset(b, 0, n * sizeof(float)));
  CHECK(cudaMemset(c, 0, n * sizeof(float)));
  CHECK(cudaEventCreate(&before));
  CHECK(cudaEventCreate(&after));
  for (int i = 0; i < samples; ++i) {
    start();
    copy<<<n / 256, 256>>>(a, b, n);
    stop("copy");
    start();
    strided<<<n / 8 / 256, 256>>>(a, b, n);
    stop("strided");
    start();
    transpose<<<dim3(width / 32, width / 32), dim3(32, 8)>>>(a, b, width);
    stop("transpose");
    start();
    stencil<<<dim3(width / 32, width / 8), dim3(32, 8)>>>(a, b, width);
    stop("stencil");
    start();
    reduce<<<2048, 256>>>(a, b, n);
    stop("reduce");
    start();
    matmul<<<dim3(2048 / 16, 2048 / 16), dim3(16, 16)>>>(a, b, c, 2048);
    stop("matmul");
  }
  return 0;
}
