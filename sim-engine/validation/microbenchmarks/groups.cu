// What blocks share: groups of them that read the same, by division, remainder, or as matrix products go through their tiles. Each
// block reads a tile of TILE floats. Profiled: `ncu --metrics dram__bytes_read.sum,dram__bytes_write.sum,gpu__time_duration.sum`.
#include <cuda_runtime.h>

constexpr int threads = 256;

__device__ float tile(const float* a, size_t index, int floats) {
  const float* p = a + index * floats;
  float sum = 0;
  for (int i = threadIdx.x; i < floats; i += threads) sum += p[i];
  return sum;
}

__global__ void quotient(const float* a, float* out, int group, int floats) {
  out[blockIdx.x * threads + threadIdx.x] = tile(a, blockIdx.x / group, floats);
}

__global__ void remainder(const float* a, float* out, int tiles, int floats) {
  out[blockIdx.x * threads + threadIdx.x] = tile(a, blockIdx.x % tiles, floats);
}

__global__ void rows(const float* a, float* out, int group, int floats) {
  int block = blockIdx.y * gridDim.x + blockIdx.x;
  out[block * threads + threadIdx.x] = tile(a, blockIdx.y / group, floats);
}

// Tiles of two matrices, gone through in columns of `height` tiles, as matrix products do it.
__global__ void swizzled(const float* a, const float* b, float* out, int height, int width, int floats) {
  int column = blockIdx.x / (height * width), place = blockIdx.x % (height * width);
  int row = column * height + place % height;
  out[blockIdx.x * threads + threadIdx.x] = tile(a, row, floats) * tile(b, place / height, floats);
}

// Elements of rows of `width`: blocks end within rows.
__global__ void within(const float* perRow, const float* a, float* out, int width, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] * perRow[(i / width) * 8];
}

// Only the last blocks have work.
__global__ void last(const float* a, float* out, int from, int floats) {
  out[blockIdx.x * threads + threadIdx.x] = blockIdx.x >= from ? tile(a, blockIdx.x, floats) : 0;
}

// Each block reads what the one before it does, and a tile more.
__global__ void triangle(const float* a, float* out) {
  float sum = 0;
  for (int c = 0; c <= blockIdx.x; c++) sum += a[c * threads + threadIdx.x];
  out[blockIdx.x * threads + threadIdx.x] = sum;
}

int main() {
  float *a, *b, *out;
  cudaMalloc(&a, size_t(1) << 30);
  cudaMalloc(&b, size_t(1) << 30);
  cudaMalloc(&out, size_t(1) << 28);
  cudaMemset(a, 0, size_t(1) << 30);
  cudaMemset(b, 0, size_t(1) << 30);
  quotient<<<4224, threads>>>(a, out, 1, 4096);
  quotient<<<4224, threads>>>(a, out, 4, 4096);
  quotient<<<4224, threads>>>(a, out, 33, 4096);
  quotient<<<33000, threads>>>(a, out, 6, 16384);
  remainder<<<8192, threads>>>(a, out, 96, 4096);
  remainder<<<8192, threads>>>(a, out, 4096, 8192);
  rows<<<dim3(16, 512), threads>>>(a, out, 4, 4096);
  rows<<<dim3(4, 2048), threads>>>(a, out, 8, 16384);
  swizzled<<<16384, threads>>>(a, b, out, 8, 128, 4096);
  swizzled<<<16384, threads>>>(a, b, out, 16, 64, 16384);
  swizzled<<<16384, threads>>>(a, b, out, 4, 1024, 16384);
  within<<<65536, threads>>>(b, a, out, 1000, 1 << 24);
  within<<<65536, threads>>>(b, a, out, 24, 1 << 24);
  last<<<8192, threads>>>(a, out, 6000, 8192);
  triangle<<<1056, threads>>>(a, out);
  return cudaDeviceSynchronize();
}
