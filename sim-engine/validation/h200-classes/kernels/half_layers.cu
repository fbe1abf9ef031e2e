// Layers in halves: activations by pairs, polynomials, gates, residuals, sums of rows.
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void geluHalf2(const half2 *x, half2 *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const half2 a = __float2half2_rn(0.044715f), b = __float2half2_rn(0.79788456f), one = __float2half2_rn(1.f), h = __float2half2_rn(0.5f);
  half2 v = x[i], cube = __hmul2(__hmul2(v, v), v), u = __hmul2(b, __hfma2(a, cube, v));
  float2 f = __half22float2(u);
  half2 t = __floats2half2_rn(tanhf(f.x), tanhf(f.y));
  y[i] = __hmul2(__hmul2(h, v), __hadd2(one, t));
}

__global__ void polynomial(const half2 *x, half2 *y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    half2 v = x[i], s = __float2half2_rn(0.1f);
#pragma unroll
    for (int k = 0; k < 24; k++) s = __hfma2(s, v, __float2half2_rn(0.01f * k));
    y[i] = s;
  }
}

__global__ void gate8(const uint4 *a, const uint4 *b, uint4 *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint4 x = a[i], g = b[i], r;
  const half2 *hx = (const half2 *)&x, *hg = (const half2 *)&g;
  half2 *hr = (half2 *)&r;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    float2 f = __half22float2(hg[k]);
    f.x = f.x / (1.f + __expf(-f.x));
    f.y = f.y / (1.f + __expf(-f.y));
    hr[k] = __hmul2(hx[k], __float22half2_rn(f));
  }
  out[i] = r;
}

__global__ void rowSumsBf16(const __nv_bfloat162 *x, float *sums, int C2) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  const __nv_bfloat162 *p = x + (size_t)row * C2;
  float s = 0.f;
  for (int c = threadIdx.x; c < C2; c += 32) {
    float2 f = __bfloat1622float2(p[c]);
    s += f.x + f.y;
  }
  for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
  if (threadIdx.x == 0) sums[row] = s;
}

// Columns of 64 rows a block in pairs of halves.
__global__ void columnSums(const half2 *x, float2 *sums, int rows, int C2) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  float2 s = make_float2(0.f, 0.f);
  for (int r = blockIdx.y * 64; r < blockIdx.y * 64 + 64; r++) {
    float2 f = __half22float2(x[(size_t)r * C2 + c]);
    s.x += f.x;
    s.y += f.y;
  }
  atomicAdd(&sums[c].x, s.x);
  atomicAdd(&sums[c].y, s.y);
}

int main() {
  const int rows = 8192, C = 2048, n2 = rows * C / 2;
  half2 *a, *b, *c;
  float *s;
  cudaMalloc(&a, n2 * sizeof(half2));
  cudaMalloc(&b, n2 * sizeof(half2));
  cudaMalloc(&c, n2 * sizeof(half2));
  cudaMalloc(&s, rows * sizeof(float));
  cudaMemset(a, 0, n2 * sizeof(half2));
  cudaMemset(b, 0, n2 * sizeof(half2));
  cudaMemset(s, 0, rows * sizeof(float));
  geluHalf2<<<n2 / 256, 256>>>(a, c, n2);
  polynomial<<<132 * 8, 256>>>(a, c, n2);
  gate8<<<n2 / 4 / 256, 256>>>((uint4 *)a, (uint4 *)b, (uint4 *)c, n2 / 4);
  rowSumsBf16<<<rows / 4, dim3(32, 4)>>>((__nv_bfloat162 *)a, s, C / 2);
  columnSums<<<dim3(C / 2 / 128, rows / 64), 128>>>(a, (float2 *)s, rows, C / 2);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
