// Layer normalisation, backward: atomics to memory, sums in shared memory, a sweep of columns.
#include <cstdio>
#include <cstdlib>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

// A warp a token, all gradients of weights by atomics.
__global__ void layernorm_backward1(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp, const float *weight,
                                    const float *mean, const float *rstd, int N, int C) {
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
  int row = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
  if (row >= N) return;
  const float *g = dout + (size_t)row * C, *x = inp + (size_t)row * C;
  float *d = dinp + (size_t)row * C;
  const float m = mean[row], r = rstd[row];
  float dnorm_mean = 0.0f, dnorm_norm_mean = 0.0f;
  for (int i = warp.thread_rank(); i < C; i += 32) {
    float norm = (x[i] - m) * r;
    float dnorm = weight[i] * g[i];
    dnorm_mean += dnorm;
    dnorm_norm_mean += dnorm * norm;
  }
  dnorm_mean = cg::reduce(warp, dnorm_mean, cg::plus<float>{}) / C;
  dnorm_norm_mean = cg::reduce(warp, dnorm_norm_mean, cg::plus<float>{}) / C;
  for (int i = warp.thread_rank(); i < C; i += 32) {
    float norm = (x[i] - m) * r;
    float dnorm = weight[i] * g[i];
    atomicAdd(&dbias[i], g[i]);
    atomicAdd(&dweight[i], norm * g[i]);
    d[i] += (dnorm - dnorm_mean - norm * dnorm_norm_mean) * r;
  }
}

// The same with a block's sums in shared memory.
__global__ void layernorm_backward2(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp, const float *weight,
                                    const float *mean, const float *rstd, int N, int C) {
  extern __shared__ float shared[];
  float *dbias_shared = shared, *dweight_shared = shared + C;
  for (int i = threadIdx.x; i < C; i += blockDim.x) {
    dbias_shared[i] = 0.0f;
    dweight_shared[i] = 0.0f;
  }
  __syncthreads();
  int warps = blockDim.x / 32, warp_id = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int row = blockIdx.x * warps + warp_id; row < N; row += gridDim.x * warps) {
    const float *g = dout + (size_t)row * C, *x = inp + (size_t)row * C;
    float *d = dinp + (size_t)row * C;
    const float m = mean[row], r = rstd[row];
    float a = 0.0f, b = 0.0f;
    for (int i = lane; i < C; i += 32) {
      float norm = (x[i] - m) * r, dnorm = weight[i] * g[i];
      a += dnorm;
      b += dnorm * norm;
    }
    for (int o = 16; o > 0; o >>= 1) {
      a += __shfl_xor_sync(0xffffffffu, a, o);
      b += __shfl_xor_sync(0xffffffffu, b, o);
    }
    a /= C;
    b /= C;
    for (int i = lane; i < C; i += 32) {
      float gi = g[i], norm = (x[i] - m) * r, dnorm = weight[i] * gi;
      atomicAdd(&dbias_shared[i], gi);
      atomicAdd(&dweight_shared[i], norm * gi);
      d[i] += (dnorm - a - norm * b) * r;
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < C; i += blockDim.x) {
    atomicAdd(&dbias[i], dbias_shared[i]);
    atomicAdd(&dweight[i], dweight_shared[i]);
  }
}

// A block of 32 by 8 sums 32 columns over a part of the rows.
__global__ void layernorm_columns(float *dweight, float *dbias, const float *dout, const float *inp, const float *mean, const float *rstd, int N, int C) {
  __shared__ float sw[8][33], sb[8][33];
  int c = blockIdx.x * 32 + threadIdx.x;
  float w = 0.f, b = 0.f;
  for (int row = blockIdx.y * 8 + threadIdx.y; row < N; row += gridDim.y * 8) {
    float g = dout[(size_t)row * C + c];
    w += g * (inp[(size_t)row * C + c] - mean[row]) * rstd[row];
    b += g;
  }
  sw[threadIdx.y][threadIdx.x] = w;
  sb[threadIdx.y][threadIdx.x] = b;
  __syncthreads();
  if (threadIdx.y == 0) {
    for (int i = 1; i < 8; i++) {
      w += sw[i][threadIdx.x];
      b += sb[i][threadIdx.x];
    }
    atomicAdd(&dweight[c], w);
    atomicAdd(&dbias[c], b);
  }
}

int main() {
  const int B = 8, T = 1024, C = 768, N = B * T;
  float *h = (float *)malloc((size_t)N * C * sizeof(float));
  for (int i = 0; i < N * C; i++) h[i] = rand() / (float)RAND_MAX - 0.5f;
  float *dinp, *dweight, *dbias, *dout, *inp, *weight, *mean, *rstd;
  cudaMalloc(&dinp, N * C * sizeof(float));
  cudaMalloc(&dout, N * C * sizeof(float));
  cudaMalloc(&inp, N * C * sizeof(float));
  cudaMalloc(&dweight, C * sizeof(float));
  cudaMalloc(&dbias, C * sizeof(float));
  cudaMalloc(&weight, C * sizeof(float));
  cudaMalloc(&mean, N * sizeof(float));
  cudaMalloc(&rstd, N * sizeof(float));
  cudaMemset(dinp, 0, N * C * sizeof(float));
  cudaMemset(dweight, 0, C * sizeof(float));
  cudaMemset(dbias, 0, C * sizeof(float));
  cudaMemcpy(dout, h, N * C * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(inp, h, N * C * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(weight, h, C * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(mean, h, N * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(rstd, h, N * sizeof(float), cudaMemcpyHostToDevice);
  layernorm_backward1<<<(N * 32 + 511) / 512, 512>>>(dinp, dweight, dbias, dout, inp, weight, mean, rstd, N, C);
  layernorm_backward2<<<132, 1024, 2 * C * sizeof(float)>>>(dinp, dweight, dbias, dout, inp, weight, mean, rstd, N, C);
  layernorm_columns<<<dim3(C / 32, 16), dim3(32, 8)>>>(dweight, dbias, dout, inp, mean, rstd, N, C);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
