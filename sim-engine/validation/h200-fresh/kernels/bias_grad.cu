// Sums over the rows of a matrix of gradients: a block a column, warps along columns, atomics.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void bias_backward1(float *dbias, const float *dout, int B, int T, int OC) {
  extern __shared__ float shared[];
  int o = blockIdx.x, tid = threadIdx.x, block_size = blockDim.x;
  const float *x = dout + o;
  double sum = 0.0;
  for (int i = tid; i < B * T; i += block_size) sum += x[i * OC];
  shared[tid] = (float)sum;
  __syncthreads();
  for (int stride = block_size / 2; stride >= 1; stride /= 2) {
    __syncthreads();
    if (tid < stride) shared[tid] += shared[tid + stride];
  }
  if (tid == 0) dbias[o] += shared[0];
}

__global__ void bias_backward2(float *dbias, const float *dout, int B, int T, int OC) {
  extern __shared__ float smem[];
  const int warp_id = threadIdx.x / 32, lane_id = threadIdx.x % 32;
  const int tl = blockIdx.x * 32, vstep = blockDim.x / 32;
  const float *dout_col = dout + tl + lane_id;
  float dout_sum = 0.0f;
  for (int row = warp_id; row < B * T; row += vstep) dout_sum += dout_col[row * OC];
  smem[lane_id + warp_id * 32] = dout_sum;
  __syncthreads();
  dout_sum = 0.0f;
  if (warp_id == 0) {
    for (int j = 0; j < vstep; j++) dout_sum += smem[lane_id + j * 32];
    dbias[tl + lane_id] += dout_sum;
  }
}

__global__ void bias_backward3(float *dbias, const float *dout, int B, int T, int OC) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= OC) return;
  float sum = 0.0f;
  for (int i = blockIdx.y; i < B * T; i += gridDim.y) sum += dout[(size_t)i * OC + c];
  atomicAdd(dbias + c, sum);
}

int main() {
  const int B = 8, T = 1024, OC = 768 * 4;
  float *dout, *dbias, *h = (float *)malloc((size_t)B * T * OC * sizeof(float));
  for (int i = 0; i < B * T * OC; i++) h[i] = rand() / (float)RAND_MAX;
  cudaMalloc(&dout, (size_t)B * T * OC * sizeof(float));
  cudaMalloc(&dbias, OC * sizeof(float));
  cudaMemcpy(dout, h, (size_t)B * T * OC * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(dbias, 0, OC * sizeof(float));
  const int block_size = 512;
  bias_backward1<<<OC, block_size, block_size * sizeof(float)>>>(dbias, dout, B, T, OC);
  bias_backward2<<<OC / 32, 1024, 1024 * sizeof(float)>>>(dbias, dout, B, T, OC);
  bias_backward3<<<dim3((OC + 255) / 256, 64), 256>>>(dbias, dout, B, T, OC);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
