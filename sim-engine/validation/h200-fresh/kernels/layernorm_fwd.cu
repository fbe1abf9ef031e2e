// Layer normalisation, forward, as the training code of a language model tries it.
#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

template <class T>
__host__ __device__ T ceil_div(T dividend, T divisor) { return (dividend + divisor - 1) / divisor; }

// A thread a token.
__global__ void layernorm_kernel1(float *out, float *mean, float *rstd, const float *inp, const float *weight, const float *bias, int N, int C) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  float eps = 1e-5f;
  if (idx < N) {
    const float *x = inp + idx * C;
    float m = 0.0f;
    for (int i = 0; i < C; i++) m += x[i];
    m = m / C;
    float v = 0.0f;
    for (int i = 0; i < C; i++) {
      float shift = x[i] - m;
      v += shift * shift;
    }
    v = v / C;
    float s = 1.0f / sqrtf(v + eps);
    float *o = out + idx * C;
    for (int i = 0; i < C; i++) o[i] = s * (x[i] - m) * weight[i] + bias[i];
    mean[idx] = m;
    rstd[idx] = s;
  }
}

// A warp a token, the row read three times.
__global__ void layernorm_kernel2(float *__restrict__ out, float *__restrict__ mean, float *__restrict__ rstd, const float *__restrict__ inp,
                                  const float *__restrict__ weight, const float *__restrict__ bias, int N, int C) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  int idx = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
  if (idx >= N) return;
  const float *x = inp + idx * C;
  float sum = 0.0f;
  for (int i = warp.thread_rank(); i < C; i += warp.size()) sum += x[i];
  sum = cg::reduce(warp, sum, cg::plus<float>{});
  float m = sum / C;
  if (warp.thread_rank() == 0 && mean != nullptr) __stcs(mean + idx, m);
  sum = 0.0f;
  for (int i = warp.thread_rank(); i < C; i += warp.size()) {
    float diff = x[i] - m;
    sum += diff * diff;
  }
  sum = cg::reduce(warp, sum, cg::plus<float>{});
  float s = rsqrtf(sum / C + 1e-5f);
  if (warp.thread_rank() == 0 && rstd != nullptr) __stcs(rstd + idx, s);
  float *o = out + idx * C;
  for (int c = warp.thread_rank(); c < C; c += warp.size()) {
    float n = s * (__ldcs(x + c) - m);
    __stcs(o + c, n * weight[c] + bias[c]);
  }
}

// A block a token, sum and sum of squares at once.
__global__ void layernorm_kernel3(float *out, float *mean, float *rstd, const float *inp, const float *weight, const float *bias, int N, int C) {
  __shared__ float shared_sum[32];
  __shared__ float shared_sum2[32];
  int num_warps = blockDim.x / 32;
  int warp_id = threadIdx.x / 32;
  int lane_id = threadIdx.x % 32;
  int idx = blockIdx.x;
  const float *x = inp + idx * C;
  float thread_sum = 0.0f, thread_sum2 = 0.0f;
  for (int i = threadIdx.x; i < C; i += blockDim.x) {
    float xi = x[i];
    thread_sum += xi;
    thread_sum2 += xi * xi;
  }
  for (int o = 16; o > 0; o /= 2) {
    thread_sum += __shfl_xor_sync(0xffffffff, thread_sum, o);
    thread_sum2 += __shfl_xor_sync(0xffffffff, thread_sum2, o);
  }
  shared_sum[warp_id] = thread_sum;
  shared_sum2[warp_id] = thread_sum2;
  __syncthreads();
  float warp_sum = lane_id < num_warps ? shared_sum[lane_id] : 0.0f;
  float warp_sum2 = lane_id < num_warps ? shared_sum2[lane_id] : 0.0f;
  for (int o = 16; o > 0; o /= 2) {
    warp_sum += __shfl_xor_sync(0xffffffff, warp_sum, o);
    warp_sum2 += __shfl_xor_sync(0xffffffff, warp_sum2, o);
  }
  float m = warp_sum / C;
  float var = warp_sum2 / C - m * m;
  float s = rsqrtf(var + 1e-5f);
  if (threadIdx.x == 0 && mean != nullptr) __stcs(mean + idx, m);
  if (threadIdx.x == 0 && rstd != nullptr) __stcs(rstd + idx, s);
  float *o = out + idx * C;
  for (int i = threadIdx.x; i < C; i += blockDim.x) __stcs(o + i, s * (__ldcs(x + i) - m) * weight[i] + bias[i]);
}

void launch1(float *out, float *mean, float *rstd, const float *inp, const float *weight, const float *bias, int B, int T, int C, const int block_size) {
  const int N = B * T;
  layernorm_kernel1<<<ceil_div(N, block_size), block_size>>>(out, mean, rstd, inp, weight, bias, N, C);
}
void launch2(float *out, float *mean, float *rstd, const float *inp, const float *weight, const float *bias, int B, int T, int C, const int block_size) {
  assert(block_size % 32 == 0);
  const int N = B * T;
  layernorm_kernel2<<<ceil_div(N * 32, block_size), block_size>>>(out, mean, rstd, inp, weight, bias, N, C);
}
void launch3(float *out, float *mean, float *rstd, const float *inp, const float *weight, const float *bias, int B, int T, int C, const int block_size) {
  layernorm_kernel3<<<B * T, block_size>>>(out, mean, rstd, inp, weight, bias, B * T, C);
}

float *make_random_float(size_t n) {
  float *p = (float *)malloc(n * sizeof(float));
  for (size_t i = 0; i < n; i++) p[i] = ((float)rand() / RAND_MAX) * 2.0 - 1.0;
  return p;
}

int main() {
  int B = 8, T = 1024, C = 768;
  float *inp = make_random_float(B * T * C), *weight = make_random_float(C), *bias = make_random_float(C);
  float *d_out, *d_mean, *d_rstd, *d_inp, *d_weight, *d_bias;
  cudaMalloc(&d_out, B * T * C * sizeof(float));
  cudaMalloc(&d_mean, B * T * sizeof(float));
  cudaMalloc(&d_rstd, B * T * sizeof(float));
  cudaMalloc(&d_inp, B * T * C * sizeof(float));
  cudaMalloc(&d_weight, C * sizeof(float));
  cudaMalloc(&d_bias, C * sizeof(float));
  cudaMemcpy(d_inp, inp, B * T * C * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_weight, weight, C * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_bias, bias, C * sizeof(float), cudaMemcpyHostToDevice);
  launch1(d_out, d_mean, d_rstd, d_inp, d_weight, d_bias, B, T, C, 128);
  launch2(d_out, d_mean, d_rstd, d_inp, d_weight, d_bias, B, T, C, 256);
  launch3(d_out, d_mean, d_rstd, d_inp, d_weight, d_bias, B, T, C, 256);
  cudaDeviceSynchronize();
  return 0;
}
