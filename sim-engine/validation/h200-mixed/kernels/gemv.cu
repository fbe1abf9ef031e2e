// Matrix times vector as inference needs it: plain, by warps, from eight and four bits; a batched small product; an outer product.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <vector>

__global__ void gemvPlain(float* y, const float* a, const float* x, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.f;
  for (int k = 0; k < columns; k++) sum += a[(size_t)row * columns + k] * x[k];
  y[row] = sum;
}

__global__ void gemvWarp(float* y, const float* __restrict__ a, const float* __restrict__ x, int rows, int columns) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  const float4* line = reinterpret_cast<const float4*>(a + (size_t)row * columns);
  const float4* vec = reinterpret_cast<const float4*>(x);
  float sum = 0.f;
  for (int k = threadIdx.x; k < columns / 4; k += 32) {
    const float4 u = line[k], v = vec[k];
    sum += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
  }
  for (int offset = 16; offset; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
  if (threadIdx.x == 0) y[row] = sum;
}

// Transposed: column sums weighted by x, a block of rows in shared memory.
__global__ void gemvTransposed(float* y, const float* a, const float* x, int rows, int columns) {
  __shared__ float part[8][32];
  const int column = blockIdx.x * 32 + threadIdx.x;
  float sum = 0.f;
  for (int row = threadIdx.y; row < rows; row += 8) sum += a[(size_t)row * columns + column] * x[row];
  part[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y == 0) {
    for (int i = 1; i < 8; i++) sum += part[i][threadIdx.x];
    y[column] = sum;
  }
}

// Eight-bit weights with a scale a row, one warp a row, sixteen bytes a lane.
__global__ void gemvInt8(float* y, const int8_t* a, const float* scales, const half* x, int rows, int columns) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0.f;
  for (int k = lane * 16; k < columns; k += 32 * 16) {
    const int4 packed = *reinterpret_cast<const int4*>(a + (size_t)row * columns + k);
    const int8_t* q = reinterpret_cast<const int8_t*>(&packed);
#pragma unroll
    for (int j = 0; j < 16; j++) sum += (float)q[j] * __half2float(x[k + j]);
  }
#pragma unroll
  for (int mask = 16; mask > 0; mask >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, mask);
  if (lane == 0) y[row] = sum * scales[row];
}

// Four bits in blocks of 32 with a half-precision scale each.
struct Block4 {
  half scale;
  uint8_t nibbles[16];
};

__global__ void gemvInt4(float* y, const Block4* a, const float* x, int rows, int columns) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  const int blocks = columns / 32;
  float sum = 0.f;
  for (int b = threadIdx.x; b < blocks; b += 32) {
    const Block4& block = a[(size_t)row * blocks + b];
    const float d = __half2float(block.scale);
    float inner = 0.f;
#pragma unroll
    for (int j = 0; j < 16; j++) {
      const int q = block.nibbles[j];
      inner += (float)((q & 15) - 8) * x[b * 32 + j] + (float)((q >> 4) - 8) * x[b * 32 + j + 16];
    }
    sum += d * inner;
  }
  for (int mask = 16; mask > 0; mask >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, mask);
  if (threadIdx.x == 0) y[row] = sum;
}

// Thousands of 16 by 16 products, one block each.
__global__ void batchedSmall(float* c, const float* a, const float* b, int batch) {
  __shared__ float as[16][16], bs[16][17];
  const size_t at = (size_t)blockIdx.x * 256 + threadIdx.y * 16 + threadIdx.x;
  as[threadIdx.y][threadIdx.x] = a[at];
  bs[threadIdx.y][threadIdx.x] = b[at];
  __syncthreads();
  float sum = 0.f;
#pragma unroll
  for (int k = 0; k < 16; k++) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
  c[at] = sum;
}

__global__ void outerProduct(float* a, const float* x, const float* y, int rows, int columns, float alpha) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < columns) a[(size_t)row * columns + column] += alpha * x[row] * y[column];
}

// Dot products of a query with cached keys, a thread a key; then values weighted.
__global__ void queryKeys(float* scores, const float* q, const float* keys, int length, int dim) {
  extern __shared__ float query[];
  const int head = blockIdx.y;
  for (int i = threadIdx.x; i < dim; i += blockDim.x) query[i] = q[head * dim + i];
  __syncthreads();
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= length) return;
  const float* key = keys + ((size_t)head * length + t) * dim;
  float sum = 0.f;
  for (int i = 0; i < dim; i += 4) {
    const float4 k = *reinterpret_cast<const float4*>(key + i);
    sum += k.x * query[i] + k.y * query[i + 1] + k.z * query[i + 2] + k.w * query[i + 3];
  }
  scores[head * length + t] = sum * rsqrtf((float)dim);
}

int main() {
  const int rows = 4096, columns = 4096;
  float *a, *x, *y, *scales;
  cudaMalloc(&a, (size_t)rows * columns * 4);
  cudaMalloc(&x, (size_t)rows * columns * 4);
  cudaMalloc(&y, (size_t)rows * columns * 4);
  cudaMalloc(&scales, rows * 4);
  std::vector<float> host((size_t)rows * columns);
  for (size_t i = 0; i < host.size(); i++) host[i] = (float)(i % 13) * 0.1f - 0.6f;
  cudaMemcpy(a, host.data(), host.size() * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(x, host.data(), host.size() * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(scales, host.data(), rows * 4, cudaMemcpyHostToDevice);
  gemvPlain<<<rows / 128, 128>>>(y, a, x, rows, columns);
  gemvWarp<<<rows / 8, dim3(32, 8)>>>(y, a, x, rows, columns);
  gemvTransposed<<<columns / 32, dim3(32, 8)>>>(y, a, x, rows, columns);
  gemvInt8<<<rows / 4, 128>>>(y, (const int8_t*)a, scales, (const half*)x, rows, columns);
  gemvInt4<<<rows / 4, dim3(32, 4)>>>(y, (const Block4*)a, x, rows, columns);
  batchedSmall<<<16384, dim3(16, 16)>>>(y, a, x, 16384);
  outerProduct<<<dim3(columns / 32, rows / 8), dim3(32, 8)>>>(y, a, x, rows, columns, 0.5f);
  queryKeys<<<dim3(2048 / 128, 32), 128, 128 * sizeof(float)>>>(y, x, a, 2048, 128);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
