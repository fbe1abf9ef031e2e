// What lies between the matrix products of a transformer: bias, GELU both ways, SwiGLU, dropout with the residual, bias gradients.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>

typedef __nv_bfloat16 floatX;

struct alignas(16) x128 {
  floatX v[8];
  __device__ floatX &operator[](int i) { return v[i]; }
};
__device__ inline x128 load128(const floatX *p) { return *reinterpret_cast<const x128 *>(p); }
__device__ inline void store128(floatX *p, x128 v) { *reinterpret_cast<x128 *>(p) = v; }

#define GELU_SCALE 0.7978845608028654f

__device__ __forceinline__ float gelu(float x) { return 0.5f * x * (1.0f + tanhf(GELU_SCALE * (x + 0.044715f * x * x * x))); }

__device__ __forceinline__ float gelu_slope(float x) {
  float t = tanhf(GELU_SCALE * (x + 0.044715f * x * x * x));
  return 0.5f * (1.0f + t) + 0.5f * x * (1.0f - t * t) * GELU_SCALE * (1.0f + 3.0f * 0.044715f * x * x);
}

__global__ void fill_bf16(floatX *p, size_t n, float scale, uint32_t salt) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t h = ((uint32_t)i + salt) * 2654435769u;
  h ^= h >> 17;
  p[i] = __float2bfloat16(scale * ((h & 0x7fff) / 16384.0f - 1.0f));
}

// pre += bias (by column), out = gelu(pre)
__global__ void bias_gelu_forward(floatX *out, floatX *pre, const float *bias, long n, int OC) {
  long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float x = __bfloat162float(pre[i]) + bias[i % OC];
    pre[i] = __float2bfloat16(x);
    out[i] = __float2bfloat16(gelu(x));
  }
}

// in place on the gradient, eight at a time
__global__ void gelu_backward(floatX *grad, const floatX *pre, long n) {
  long i = ((long)blockIdx.x * blockDim.x + threadIdx.x) * 8;
  if (i >= n) return;
  x128 g = load128(grad + i), x = load128(pre + i);
#pragma unroll
  for (int k = 0; k < 8; k++) g[k] = __float2bfloat16(__bfloat162float(g[k]) * gelu_slope(__bfloat162float(x[k])));
  store128(grad + i, g);
}

// rows of 2H: gate first, then up
__global__ void swiglu_forward(floatX *__restrict__ out, const floatX *__restrict__ both, int rows, int H) {
  int per_row = H / 8;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows * per_row; i += gridDim.x * blockDim.x) {
    int row = i / per_row, c = i % per_row * 8;
    x128 gate = load128(both + (size_t)row * 2 * H + c), up = load128(both + (size_t)row * 2 * H + H + c), o;
#pragma unroll
    for (int k = 0; k < 8; k++) {
      float a = __bfloat162float(gate[k]);
      o[k] = __float2bfloat16(a / (1.0f + __expf(-a)) * __bfloat162float(up[k]));
    }
    store128(out + (size_t)row * H + c, o);
  }
}
__device__ __forceinline__ uint32_t squirrel(uint32_t at, uint32_t seed) {
  uint32_t m = at * 0xB5297A4Du + seed;
  m ^= m >> 8;
  m += 0x68E31DA4u;
  m ^= m << 8;
  m *= 0x1B56C4E9u;
  return m ^ (m >> 8);
}
// stream += dropout(x), the mask kept as bytes
__global__ void dropout_residual(float *stream, uint8_t *mask, const floatX *x, int n, float p, uint32_t seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  bool keep = squirrel(i, seed) >= (uint32_t)(p * 4294967295.0f);
  mask[i] = keep;
  if (keep) stream[i] += __bfloat162float(x[i]) / (1.0f - p);
}
// a thread per column, all rows
__global__ void bias_grad_columns(float *dbias, const floatX *dout, int rows, int OC) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= OC) return;
  float sum = 0.0f;
  for (int r = 0; r < rows; r++) sum += __bfloat162float(dout[(size_t)r * OC + c]);
  dbias[c] += sum;
}
// 32 columns per block of 1024, tree over the 32 row groups in shared memory
__global__ void __launch_bounds__(1024) bias_grad_tree(float *dbias, const floatX *dout, int rows, int OC) {
  __shared__ float s[32][32];
  int c = blockIdx.x * 32 + threadIdx.x;
  float sum = 0.0f;
  for (int r = threadIdx.y; r < rows; r += 32) sum += __bfloat162float(dout[(size_t)r * OC + c]);
  s[threadIdx.y][threadIdx.x] = sum;
  for (int half = 16; half > 0; half >>= 1) {
    __syncthreads();
    if (threadIdx.y < half) s[threadIdx.y][threadIdx.x] += s[threadIdx.y + half][threadIdx.x];
  }
  if (threadIdx.y == 0) dbias[c] += s[0][threadIdx.x];
}
// eight columns to a thread, a slice of rows to a block, atomics at the end
__global__ void bias_grad_atomic(float *dbias, const floatX *dout, int rows_per_block, int OC) {
  int c = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
  if (c >= OC) return;
  float sum[8] = {0.0f};
  const floatX *from = dout + (size_t)blockIdx.y * rows_per_block * OC + c;
  for (int r = 0; r < rows_per_block; r++) {
    x128 g = load128(from + (size_t)r * OC);
#pragma unroll
    for (int k = 0; k < 8; k++) sum[k] += __bfloat162float(g[k]);
  }
#pragma unroll
  for (int k = 0; k < 8; k++) atomicAdd(&dbias[c + k], sum[k]);
}

int main() {
  const int B = 8, T = 1024, C = 768, OC = 4 * C, N = B * T;
  const long n = (long)N * OC;
  floatX *pre, *out;
  float *bias, *dbias, *stream;
  uint8_t *mask;
  cudaMalloc(&pre, n * sizeof(floatX)), cudaMalloc(&out, n * sizeof(floatX));
  cudaMalloc(&bias, OC * 4), cudaMalloc(&dbias, OC * 4), cudaMalloc(&stream, N * C * 4), cudaMalloc(&mask, N * C);
  cudaMemset(bias, 0, OC * 4), cudaMemset(dbias, 0, OC * 4), cudaMemset(stream, 0, N * C * 4);
  fill_bf16<<<(unsigned)((n + 255) / 256), 256>>>(pre, n, 2.0f, 99u);
  bias_gelu_forward<<<(unsigned)((n + 255) / 256), 256>>>(out, pre, bias, n, OC);
  dropout_residual<<<(N * C + 191) / 192, 192>>>(stream, mask, out, N * C, 0.1f, 42u);
  gelu_backward<<<(unsigned)((n / 8 + 511) / 512), 512>>>(out, pre, n);
  bias_grad_columns<<<OC / 64, 64>>>(dbias, out, N, OC);
  bias_grad_tree<<<OC / 32, dim3(32, 32)>>>(dbias, out, N, OC);
  bias_grad_atomic<<<dim3(OC / 8 / 128, N / 64), 128>>>(dbias, out, 64, OC);
  swiglu_forward<<<1056, 256>>>(out, pre, N, OC / 2);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
