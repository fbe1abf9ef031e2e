// Linear layers: a result a thread, a warp a result, weights of int8, gradients of weights, dropout.
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void linearThread(const float *x, const float *w, const float *b, float *y, int batch, int in, int out) {
  int o = blockIdx.x * blockDim.x + threadIdx.x, n = blockIdx.y;
  if (o >= out) return;
  float s = b[o];
  for (int i = 0; i < in; i++) s += x[n * in + i] * w[o * in + i];
  y[n * out + o] = fmaxf(s, 0.f);
}

__global__ void linearWarp(const float *__restrict__ x, const float *__restrict__ w, const float *__restrict__ b, float *y, int in, int out) {
  int o = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (o >= out) return;
  const float4 *x4 = (const float4 *)(x + blockIdx.y * in), *w4 = (const float4 *)(w + (size_t)o * in);
  float s = 0.f;
  for (int i = lane; i < in / 4; i += 32) {
    float4 a = x4[i], c = w4[i];
    s += a.x * c.x + a.y * c.y + a.z * c.z + a.w * c.w;
  }
  for (int k = 16; k > 0; k /= 2) s += __shfl_xor_sync(0xffffffff, s, k);
  if (lane == 0) y[blockIdx.y * out + o] = s + b[o];
}

__global__ void linearHalf2(const half2 *x, const half2 *w, half *y, int in2) {
  int o = blockIdx.x * 8 + threadIdx.y, lane = threadIdx.x;
  half2 s = __float2half2_rn(0.f);
  for (int i = lane; i < in2; i += 32) s = __hfma2(x[i], w[(size_t)o * in2 + i], s);
  float f = __low2float(s) + __high2float(s);
  for (int k = 16; k > 0; k /= 2) f += __shfl_down_sync(~0u, f, k);
  if (lane == 0) y[o] = __float2half(f);
}

__global__ void linearInt8(const char4 *x, const char4 *w, const float *scale, float *y, int in4) {
  __shared__ int part[4];
  int o = blockIdx.x, s = 0;
  for (int i = threadIdx.x; i < in4; i += blockDim.x) {
    char4 a = x[i], b = w[(size_t)o * in4 + i];
    s += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
  }
  for (int k = 16; k > 0; k /= 2) s += __shfl_down_sync(~0u, s, k);
  if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = s;
  __syncthreads();
  if (threadIdx.x == 0) y[o] = (part[0] + part[1] + part[2] + part[3]) * scale[o];
}

__global__ void weightGradients(const float *x, const float *dy, float *dw, int batch, int in, int out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, o = blockIdx.y * blockDim.y + threadIdx.y;
  float s = 0.f;
  for (int n = 0; n < batch; n++) s += x[n * in + i] * dy[n * out + o];
  dw[o * in + i] += s;
}

__global__ void dropout(const float4 *x, float4 *y, unsigned seed, float keep, int n4) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n4) return;
  float4 v = x[i];
  unsigned r = (i + seed) * 2654435761u;
  r ^= r >> 16;
  r *= 0x85ebca6bu;
  r ^= r >> 13;
  float scale = 1.f / keep;
  unsigned limit = keep * 255.f;
  v.x = (r & 255) < limit ? v.x * scale : 0.f;
  v.y = ((r >> 8) & 255) < limit ? v.y * scale : 0.f;
  v.z = ((r >> 16) & 255) < limit ? v.z * scale : 0.f;
  v.w = (r >> 24) < limit ? v.w * scale : 0.f;
  y[i] = v;
}

int main() {
  const int batch = 32, in = 2048, out = 4096;
  float *x, *w, *b, *y, *dw;
  cudaMalloc(&x, batch * in * sizeof(float));
  cudaMalloc(&w, in * out * sizeof(float));
  cudaMalloc(&b, out * sizeof(float));
  cudaMalloc(&y, batch * out * sizeof(float));
  cudaMalloc(&dw, in * out * sizeof(float));
  cudaMemset(x, 0, batch * in * sizeof(float));
  cudaMemset(w, 0, in * out * sizeof(float));
  linearThread<<<dim3(out / 128, batch), 128>>>(x, w, b, y, batch, in, out);
  linearWarp<<<dim3(out / 8, batch), 256>>>(x, w, b, y, in, out);
  linearHalf2<<<out / 8, dim3(32, 8)>>>((half2 *)x, (half2 *)w, (half *)y, in / 2);
  linearInt8<<<out, 128>>>((char4 *)x, (char4 *)w, b, y, in / 4);
  weightGradients<<<dim3(in / 32, out / 8), dim3(32, 8)>>>(x, y, dw, batch, in, out);
  dropout<<<in * out / 4 / 256, 256>>>((float4 *)w, (float4 *)dw, 42u, 0.9f, in * out / 4);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
