// Atomics by how many threads meet at one address, reductions, rows read again, and memory of the host.
#include <cuda_bf16.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                  \
  do {                                                                               \
    cudaError_t error = (call);                                                      \
    if (error != cudaSuccess) {                                                      \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
      exit(1);                                                                       \
    }                                                                                \
  } while (0)

__global__ void countAll(unsigned *total, const int *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && data[i] >= 0) atomicAdd(total, 1u);
}

__global__ void sumAll(float *total, const float *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(total, data[i]);
}

__global__ void fewBins(unsigned *bins, const unsigned char *data, int n, int mask) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[data[i] & mask], 1u);
}

__global__ void fewBinsShared(unsigned *bins, const unsigned char *data, int n, int mask) {
  __shared__ unsigned mine[256];
  mine[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[data[i] & mask], 1u);
  __syncthreads();
  if (mine[threadIdx.x]) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

__global__ void oneOfABlock(float *total, const float *data, int n) {
  __shared__ float part[32];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += data[i];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (threadIdx.x == 0) atomicAdd(total, sum);
  }
}

__global__ void maximum(int *result, const int *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicMax(result, data[i]);
}

__global__ void takeTurns(int *counter, int *order, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) order[atomicAdd(counter, 1)] = i;
}

// A row a warp: three readings of it.
__global__ void softmaxWarp(const float *in, float *out, int rows, int columns) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float *x = in + (size_t)row * columns;
  float most = -1e30f;
  for (int i = lane; i < columns; i += 32) most = fmaxf(most, x[i]);
  for (int d = 16; d > 0; d /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, d));
  float sum = 0;
  for (int i = lane; i < columns; i += 32) sum += expf(x[i] - most);
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
  float scale = 1 / sum;
  for (int i = lane; i < columns; i += 32) out[(size_t)row * columns + i] = expf(x[i] - most) * scale;
}

// The same, a block a row.
__global__ void softmaxBlock(const float *in, float *out, int columns) {
  __shared__ float part[32];
  const float *x = in + (size_t)blockIdx.x * columns;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  float most = -1e30f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) most = fmaxf(most, x[i]);
  for (int d = 16; d > 0; d /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, d));
  if (lane == 0) part[warp] = most;
  __syncthreads();
  most = part[0];
  for (int i = 1; i < blockDim.x / 32; i++) most = fmaxf(most, part[i]);
  __syncthreads();
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += expf(x[i] - most);
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
  if (lane == 0) part[warp] = sum;
  __syncthreads();
  sum = 0;
  for (int i = 0; i < blockDim.x / 32; i++) sum += part[i];
  for (int i = threadIdx.x; i < columns; i += blockDim.x) out[(size_t)blockIdx.x * columns + i] = expf(x[i] - most) / sum;
}

// One warp a block, bf16 rows.
__global__ void normaliseWarp(const __nv_bfloat16 *in, const __nv_bfloat16 *weight, __nv_bfloat16 *out, int columns) {
  const __nv_bfloat16 *x = in + (size_t)blockIdx.x * columns;
  float sum = 0, squares = 0;
  for (int i = threadIdx.x; i < columns; i += 32) {
    float v = __bfloat162float(x[i]);
    sum += v;
    squares += v * v;
  }
  for (int d = 16; d > 0; d /= 2) {
    sum += __shfl_xor_sync(0xffffffff, sum, d);
    squares += __shfl_xor_sync(0xffffffff, squares, d);
  }
  float mean = sum / columns, scale = rsqrtf(squares / columns - mean * mean + 1e-5f);
  for (int i = threadIdx.x; i < columns; i += 32)
    out[(size_t)blockIdx.x * columns + i] = __float2bfloat16((__bfloat162float(x[i]) - mean) * scale * __bfloat162float(weight[i]));
}

// A tree in shared memory with a barrier a step.
__global__ void treeReduction(const float *in, float *out) {
  extern __shared__ float values[];
  values[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) values[threadIdx.x] += values[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = values[0];
}

__global__ void scaleHost(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * 2;
}

int main() {
  const int n = 1 << 22;
  int *numbers, *order;
  float *values, *total;
  unsigned *bins;
  unsigned char *bytes;
  CHECK(cudaMalloc(&numbers, n * sizeof(int)));
  CHECK(cudaMalloc(&order, n * sizeof(int)));
  CHECK(cudaMalloc(&values, n * sizeof(float)));
  CHECK(cudaMalloc(&total, 256));
  CHECK(cudaMalloc(&bins, 256 * sizeof(unsigned)));
  CHECK(cudaMalloc(&bytes, n));
  std::vector<int> hostNumbers(n);
  std::vector<unsigned char> hostBytes(n);
  for (int i = 0; i < n; i++) {
    hostNumbers[i] = i;
    hostBytes[i] = (unsigned)i * 2654435761u >> 24;
  }
  CHECK(cudaMemcpy(numbers, hostNumbers.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(bytes, hostBytes.data(), n, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(values, 0, n * sizeof(float)));
  CHECK(cudaMemset(total, 0, 256));
  CHECK(cudaMemset(bins, 0, 256 * sizeof(unsigned)));
  countAll<<<n / 256, 256>>>((unsigned *)total, numbers, n);
  sumAll<<<n / 256, 256>>>(total, values, n);
  fewBins<<<n / 256, 256>>>(bins, bytes, n, 3);
  fewBins<<<n / 256, 256>>>(bins, bytes, n, 15);
  fewBins<<<n / 256, 256>>>(bins, bytes, n, 255);
  fewBinsShared<<<264, 256>>>(bins, bytes, n, 3);
  fewBinsShared<<<264, 256>>>(bins, bytes, n, 255);
  oneOfABlock<<<1056, 256>>>(total, values, n);
  maximum<<<n / 256, 256>>>((int *)total + 8, numbers, n);
  takeTurns<<<n / 256, 256>>>((int *)total + 16, order, n);

  const int rows = 4224, columns = 50304;
  float *in, *out;
  CHECK(cudaMalloc(&in, sizeof(float) * rows * columns));
  CHECK(cudaMalloc(&out, sizeof(float) * rows * columns));
  CHECK(cudaMemset(in, 0, sizeof(float) * rows * columns));
  softmaxWarp<<<rows / 8, 256>>>(in, out, rows, columns);
  softmaxWarp<<<rows * 4 / 8, 256>>>(in, out, rows * 4, columns / 4);
  softmaxBlock<<<rows, 1024>>>(in, out, columns);
  softmaxBlock<<<rows, 256>>>(in, out, columns);

  __nv_bfloat16 *half1 = (__nv_bfloat16 *)in, *half2 = (__nv_bfloat16 *)out;
  normaliseWarp<<<8192, 32>>>(half1, half1, half2, 768);
  normaliseWarp<<<8192, 32>>>(half1, half1, half2, 4096);
  normaliseWarp<<<512, 32>>>(half1, half1, half2, 768);
  treeReduction<<<n / 256, 256, 256 * sizeof(float)>>>(values, (float *)order);
  treeReduction<<<n / 1024, 1024, 1024 * sizeof(float)>>>(values, (float *)order);
  treeReduction<<<64, 128, 128 * sizeof(float)>>>(values, (float *)order);

  float *host, *mapped;
  CHECK(cudaHostAlloc(&host, n * sizeof(float), cudaHostAllocMapped));
  CHECK(cudaHostGetDevicePointer(&mapped, host, 0));
  scaleHost<<<n / 256, 256>>>(mapped, values, n);
  scaleHost<<<n / 256, 256>>>(values, mapped, n);
  scaleHost<<<n / 256, 256>>>(mapped, mapped, n);
  CHECK(cudaDeviceSynchronize());
  return 0;
}
