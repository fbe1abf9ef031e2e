// Softmax over rows: a thread, a warp, a block, online, over a triangle.
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void softmaxThread(float *out, const float *inp, int N, int C) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) {
    const float *x = inp + i * C;
    float *y = out + i * C;
    float maxval = -INFINITY;
    for (int j = 0; j < C; j++)
      if (x[j] > maxval) maxval = x[j];
    double sum = 0.0;
    for (int j = 0; j < C; j++) {
      y[j] = expf(x[j] - maxval);
      sum += y[j];
    }
    for (int j = 0; j < C; j++) y[j] /= (float)sum;
  }
}

__global__ void softmaxShared(float *out, const float *inp, int N, int C) {
  extern __shared__ float shared[];
  int idx = blockIdx.x, tid = threadIdx.x, block_size = blockDim.x;
  const float *x = inp + idx * C;
  float maxval = -INFINITY;
  for (int i = tid; i < C; i += block_size) maxval = fmaxf(maxval, x[i]);
  shared[tid] = maxval;
  for (int stride = block_size / 2; stride >= 1; stride /= 2) {
    __syncthreads();
    if (tid < stride) shared[tid] = fmaxf(shared[tid], shared[tid + stride]);
  }
  __syncthreads();
  float offset = shared[0];
  for (int i = tid; i < C; i += block_size) out[idx * C + i] = expf(x[i] - offset);
  __syncthreads();
  x = out + idx * C;
  float sumval = 0.0f;
  for (int i = tid; i < C; i += block_size) sumval += x[i];
  shared[tid] = sumval;
  for (int stride = block_size / 2; stride >= 1; stride /= 2) {
    __syncthreads();
    if (tid < stride) shared[tid] += shared[tid + stride];
  }
  __syncthreads();
  float sum = shared[0];
  for (int i = tid; i < C; i += block_size) out[idx * C + i] = x[i] / sum;
}

__device__ float warpMax(float v) {
  for (int o = 16; o > 0; o /= 2) v = fmaxf(v, __shfl_down_sync(0xFFFFFFFF, v, o));
  return __shfl_sync(0xFFFFFFFF, v, 0);
}
__device__ float warpSum(float v) {
  for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xFFFFFFFF, v, o);
  return __shfl_sync(0xFFFFFFFF, v, 0);
}

__global__ void softmaxWarp(float *out, const float *inp, int N, int C) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= N) return;
  const float *x = inp + row * C;
  float *y = out + row * C;
  float m = -FLT_MAX;
  for (int i = lane; i < C; i += 32) m = fmaxf(m, x[i]);
  m = warpMax(m);
  float s = 0;
  for (int i = lane; i < C; i += 32) {
    float e = expf(x[i] - m);
    y[i] = e;
    s += e;
  }
  s = warpSum(s);
  for (int i = lane; i < C; i += 32) y[i] /= s;
}

__global__ void softmaxOnline(float *out, const float *inp, int N, int C) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= N) return;
  const float *x = inp + row * C;
  float maxval = -INFINITY, sumval = 0.0f;
  for (int i = lane; i < C; i += 32) {
    float v = x[i];
    if (v > maxval) {
      sumval = sumval * expf(maxval - v);
      maxval = v;
    }
    sumval += expf(v - maxval);
  }
  float top = warpMax(maxval);
  sumval = warpSum(sumval * expf(maxval - top));
  for (int i = lane; i < C; i += 32) out[row * C + i] = expf(x[i] - top) / sumval;
}

// Rows of scores, of which the first t + 1 count.
__global__ void softmaxCausal(float *out, float inv_temperature, const float *inp, int N, int T) {
  int idx = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (idx >= N * T) return;
  int own_pos = idx % T;
  const float *x = inp + (size_t)idx * T;
  float maxval = -FLT_MAX, sumval = 0.0f;
  for (int i = lane; i <= own_pos; i += 32) {
    float old = maxval;
    maxval = fmaxf(maxval, x[i]);
    sumval = sumval * __expf(inv_temperature * (old - maxval)) + __expf(inv_temperature * (x[i] - maxval));
  }
  float global = warpMax(maxval);
  sumval = warpSum(sumval * __expf(inv_temperature * (maxval - global)));
  float norm = 1.f / sumval;
  for (int i = lane; i <= own_pos; i += 32) out[(size_t)idx * T + i] = __expf(inv_temperature * (x[i] - global)) * norm;
}

int main() {
  const int N = 8192, C = 1024;
  float *h = (float *)malloc((size_t)N * C * sizeof(float));
  for (int i = 0; i < N * C; i++) h[i] = rand() / (float)RAND_MAX;
  float *inp, *out;
  cudaMalloc(&inp, (size_t)48 * 1024 * 1024 * sizeof(float));
  cudaMalloc(&out, (size_t)48 * 1024 * 1024 * sizeof(float));
  cudaMemcpy(inp, h, (size_t)N * C * sizeof(float), cudaMemcpyHostToDevice);
  softmaxThread<<<N / 64, 64>>>(out, inp, N, C);
  softmaxShared<<<N, 256, 256 * sizeof(float)>>>(out, inp, N, C);
  softmaxWarp<<<N / 4, 128>>>(out, inp, N, C);
  softmaxOnline<<<N / 8, 256>>>(out, inp, N, C);
  softmaxCausal<<<48 * 1024 / 8, 256>>>(out, 0.125f, inp, 48, 1024);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
