// Each kernel shows one thing that WarpLens finds.
#include <cuda_runtime.h>

// Neighbouring threads store a whole row apart: 32 sectors a request where 4 would do.
__global__ void transpose(const float *in, float *out, int n) {
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 8 + threadIdx.y;
  out[x * n + y] = in[y * n + x];
}

// Through a tile both sides are coalesced, but a column of the tile lies in one bank: pad the row to 33.
__global__ void transposeTiled(const float *in, float *out, int n) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  for (int row = 0; row < 32; row += 8)
    tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int row = 0; row < 32; row += 8)
    out[(y + row) * n + x] = tile[threadIdx.x][threadIdx.y + row];
}

// Each lane follows its own index: every sector serves one lane.
// warplens: index=permutation(n)
__global__ void gather(const float *values, const int *index, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = values[index[i]];
}

// 0.5 is a double, so the sum is computed in double; an unsigned counter must wrap by definition.
__global__ void smooth(const float *in, float *out, int n, int radius) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < radius || i >= n - radius) return;
  float sum = 0.0f;
  for (unsigned int k = 0; k < 2 * radius + 1; k++)
    sum += in[i - radius + k] * 0.5;
  out[i] = sum;
}

// Since Volta the lanes of a warp need not run together: a shuffle must name who takes part.
__global__ void sum(const float *in, float *total, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = i < n ? in[i] : 0.0f;
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_down(value, offset);
  if (threadIdx.x % 32 == 0) atomicAdd(total, value);
}

int main() {
  const int side = 4096;
  const int n = side * side;
  float *in, *out, *total;
  int *index;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMalloc(&index, n * sizeof(int));
  cudaMalloc(&total, sizeof(float));

  transpose<<<dim3(side / 32, side / 8), dim3(32, 8)>>>(in, out, side);
  transposeTiled<<<dim3(side / 32, side / 32), dim3(32, 8)>>>(in, out, side);

  int threads = 256;
  int blocks = (n + threads - 1) / threads;
  gather<<<blocks, threads>>>(in, index, out, n);
  smooth<<<blocks, threads>>>(in, out, n, 4);
  sum<<<blocks, threads>>>(in, total, n);
  return cudaDeviceSynchronize() != cudaSuccess;
}
