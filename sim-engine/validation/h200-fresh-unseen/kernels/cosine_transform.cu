// Transforms: cosine of blocks of eight, Walsh by shared memory and by steps.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__constant__ float basis[64];

__global__ void dctBlocks(float *dst, const float *src, int width) {
  __shared__ float a[8][9], b[8][9];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = blockIdx.x * 8 + tx, y = blockIdx.y * 8 + ty;
  a[ty][tx] = src[y * width + x] - 128.0f;
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 8; i++) sum += basis[ty * 8 + i] * a[i][tx];
  b[ty][tx] = sum;
  __syncthreads();
  sum = 0;
  for (int i = 0; i < 8; i++) sum += b[ty][i] * basis[tx * 8 + i];
  dst[y * width + x] = sum;
}

__global__ void walshShared(float *out, const float *in, int log2N) {
  const int N = 1 << log2N;
  extern __shared__ float s[];
  const float *src = in + blockIdx.x * N;
  float *dst = out + blockIdx.x * N;
  for (int pos = threadIdx.x; pos < N; pos += blockDim.x) s[pos] = src[pos];
  for (int stride = N / 2; stride > 0; stride >>= 1) {
    __syncthreads();
    for (int pos = threadIdx.x; pos < N / 2; pos += blockDim.x) {
      int lo = pos & (stride - 1);
      int i0 = ((pos - lo) << 1) + lo, i1 = i0 + stride;
      float d0 = s[i0], d1 = s[i1];
      s[i0] = d0 + d1;
      s[i1] = d0 - d1;
    }
  }
  __syncthreads();
  for (int pos = threadIdx.x; pos < N; pos += blockDim.x) dst[pos] = s[pos];
}

__global__ void walshStep4(float *out, const float *in, int stride) {
  const int pos = blockIdx.x * blockDim.x + threadIdx.x;
  int lo = pos & (stride - 1);
  int i0 = ((pos - lo) << 2) + lo, i1 = i0 + stride, i2 = i1 + stride, i3 = i2 + stride;
  float d0 = in[i0], d1 = in[i1], d2 = in[i2], d3 = in[i3], t;
  t = d0;
  d0 = d0 + d2;
  d2 = t - d2;
  t = d1;
  d1 = d1 + d3;
  d3 = t - d3;
  t = d0;
  out[i0] = d0 + d1;
  out[i1] = t - d1;
  t = d2;
  out[i2] = d2 + d3;
  out[i3] = t - d3;
}

int main() {
  const int w = 2048, n = w * w;
  float *h = (float *)malloc(n * sizeof(float)), c[64];
  for (int i = 0; i < n; i++) h[i] = rand() % 256;
  for (int i = 0; i < 64; i++) c[i] = cosf((2 * (i % 8) + 1) * (i / 8) * 0.19634954f) * 0.5f;
  float *a, *b;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMemcpy(a, h, n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(basis, c, sizeof(c));
  dctBlocks<<<dim3(w / 8, w / 8), dim3(8, 8)>>>(b, a, w);
  walshShared<<<n / 2048, 512, 2048 * sizeof(float)>>>(b, a, 11);
  walshStep4<<<n / 4 / 256, 256>>>(b, a, 1 << 18);
  cudaMemcpy(h, b, n * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%f\n", h[5]);
  return 0;
}
