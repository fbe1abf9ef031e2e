// Pairs of halves: axpy, dot product, a row norm in bfloat16.
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void axpyHalf(const half *x, half *y, half a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __hfma(a, x[i], y[i]);
}

__global__ void axpyHalf2(const half2 *x, half2 *y, half2 a, int n2) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n2; i += gridDim.x * blockDim.x) y[i] = __hfma2(a, x[i], y[i]);
}

__global__ void dotHalf2(const half2 *__restrict__ a, const half2 *__restrict__ b, float *__restrict__ results, int n2) {
  __shared__ half2 shared[128];
  half2 value = __float2half2_rn(0.f);
  for (int i = threadIdx.x + blockDim.x * blockIdx.x; i < n2; i += blockDim.x * gridDim.x) value = __hfma2(a[i], b[i], value);
  shared[threadIdx.x] = value;
  __syncthreads();
  for (int s = 64; s > 0; s >>= 1) {
    if (threadIdx.x < s) shared[threadIdx.x] = __hadd2(shared[threadIdx.x], shared[threadIdx.x + s]);
    __syncthreads();
  }
  if (threadIdx.x == 0) results[blockIdx.x] = __low2float(shared[0]) + __high2float(shared[0]);
}

// Eight values of 16 bits at once.
__global__ void rmsNorm(__nv_bfloat16 *out, const __nv_bfloat16 *in, const __nv_bfloat16 *weight, int C) {
  __shared__ float partial[32];
  const __nv_bfloat16 *x = in + (size_t)blockIdx.x * C;
  float sum = 0.f;
  for (int i = threadIdx.x * 8; i < C; i += blockDim.x * 8) {
    uint4 bits = *(const uint4 *)(x + i);
    const __nv_bfloat162 *p = (const __nv_bfloat162 *)&bits;
    for (int k = 0; k < 4; k++) {
      float2 f = __bfloat1622float2(p[k]);
      sum += f.x * f.x + f.y * f.y;
    }
  }
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = threadIdx.x % 32 < blockDim.x / 32 ? partial[threadIdx.x % 32] : 0.f;
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
  float r = rsqrtf(sum / C + 1e-6f);
  for (int i = threadIdx.x * 8; i < C; i += blockDim.x * 8) {
    uint4 bits = *(const uint4 *)(x + i), w = *(const uint4 *)(weight + i), o;
    const __nv_bfloat162 *p = (const __nv_bfloat162 *)&bits, *q = (const __nv_bfloat162 *)&w;
    __nv_bfloat162 *s = (__nv_bfloat162 *)&o;
    for (int k = 0; k < 4; k++) {
      float2 f = __bfloat1622float2(p[k]), g = __bfloat1622float2(q[k]);
      s[k] = __floats2bfloat162_rn(f.x * r * g.x, f.y * r * g.y);
    }
    *(uint4 *)(out + (size_t)blockIdx.x * C + i) = o;
  }
}

int main() {
  const int n = 1 << 24;
  half *x, *y;
  float *results;
  cudaMalloc(&x, n * sizeof(half));
  cudaMalloc(&y, n * sizeof(half));
  cudaMalloc(&results, 1024 * sizeof(float));
  cudaMemset(x, 0, n * sizeof(half));
  cudaMemset(y, 0, n * sizeof(half));
  axpyHalf<<<n / 256, 256>>>(x, y, __float2half(2.0f), n);
  axpyHalf2<<<132 * 8, 256>>>((half2 *)x, (half2 *)y, __float2half2_rn(2.0f), n / 2);
  dotHalf2<<<512, 128>>>((half2 *)x, (half2 *)y, results, n / 2);
  rmsNorm<<<4096, 256>>>((__nv_bfloat16 *)y, (__nv_bfloat16 *)x, (__nv_bfloat16 *)x, 4096);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
