// Attention of one head after another, forward, in single precision: scores kept, and scores never written.
#include <cfloat>
#include <cstdio>
#include <cstdlib>

#define OK(call)                                                                 \
  if (cudaError_t e = (call)) {                                                  \
    fprintf(stderr, "%d: %s\n", __LINE__, cudaGetErrorString(e));                \
    exit(1);                                                                     \
  }

constexpr int D = 64;

// A score a thread.
__global__ void scores(const float *q, const float *k, float *s, int length, float scale) {
  const int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;
  const float *qi = q + ((size_t)blockIdx.z * length + i) * D, *kj = k + ((size_t)blockIdx.z * length + j) * D;
  float sum = 0;
  for (int d = 0; d < D; d++) sum += qi[d] * kj[d];
  s[((size_t)blockIdx.z * length + i) * length + j] = sum * scale;
}

// A query a thread; keys and values come through shared memory 32 at a time; the output row stays in registers.
__global__ void __launch_bounds__(128) rowsInRegisters(const float *q, const float *k, const float *v, float *o, int length, float scale) {
  __shared__ float sk[32][D], sv[32][D];
  const int i = blockIdx.x * 128 + threadIdx.x;
  const size_t head = (size_t)blockIdx.y * length * D;
  float mine[D], out[D];
#pragma unroll
  for (int d = 0; d < D; d++) {
    mine[d] = q[head + (size_t)i * D + d] * scale;
    out[d] = 0;
  }
  float top = -FLT_MAX, sum = 0;
  for (int j0 = 0; j0 < length; j0 += 32) {
    for (int e = threadIdx.x; e < 32 * D; e += 128) {
      sk[e / D][e % D] = k[head + (size_t)j0 * D + e];
      sv[e / D][e % D] = v[head + (size_t)j0 * D + e];
    }
    __syncthreads();
    for (int j = 0; j < 32; j++) {
      float s = 0;
#pragma unroll
      for (int d = 0; d < D; d++) s += mine[d] * sk[j][d];
      const float m = fmaxf(top, s), old = __expf(top - m), p = __expf(s - m);
      sum = sum * old + p;
      top = m;
#pragma unroll
      for (int d = 0; d < D; d++) out[d] = out[d] * old + p * sv[j][d];
    }
    __syncthreads();
  }
#pragma unroll
  for (int d = 0; d < D; d++) o[head + (size_t)i * D + d] = out[d] / sum;
}

// 64 queries a block of 256 threads, 32 keys at a time: each computes 4 × 2 scores of a tile and 4 × 4 of the output.
__global__ void __launch_bounds__(256) tiles(const float *q, const float *k, const float *v, float *o, int length, float scale) {
  __shared__ float sq[64][D + 1], sk[32][D + 1], sp[64][32 + 1];
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  const size_t head = (size_t)blockIdx.y * length * D;
  const int i0 = blockIdx.x * 64;
  for (int e = threadIdx.x; e < 64 * D; e += 256) sq[e / D][e % D] = q[head + (size_t)i0 * D + e] * scale;
  float out[4][4] = {}, top[4], sum[4];
  for (int r = 0; r < 4; r++) {
    top[r] = -FLT_MAX;
    sum[r] = 0;
  }
  for (int j0 = 0; j0 < length; j0 += 32) {
    __syncthreads();
    for (int e = threadIdx.x; e < 32 * D; e += 256) sk[e / D][e % D] = k[head + (size_t)j0 * D + e];
    __syncthreads();
    float s[4][2] = {};
    for (int d = 0; d < D; d++) {
      float a[4], b[2];
#pragma unroll
      for (int r = 0; r < 4; r++) a[r] = sq[ty * 4 + r][d];
#pragma unroll
      for (int c = 0; c < 2; c++) b[c] = sk[tx * 2 + c][d];
#pragma unroll
      for (int r = 0; r < 4; r++)
#pragma unroll
        for (int c = 0; c < 2; c++) s[r][c] += a[r] * b[c];
    }
#pragma unroll
    for (int r = 0; r < 4; r++) {
      float m = fmaxf(s[r][0], s[r][1]);
      for (int w = 8; w; w /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, w));
      m = fmaxf(m, top[r]);
      float part = 0;
#pragma unroll
      for (int c = 0; c < 2; c++) {
        s[r][c] = __expf(s[r][c] - m);
        part += s[r][c];
        sp[ty * 4 + r][tx * 2 + c] = s[r][c];
      }
      for (int w = 8; w; w /= 2) part += __shfl_xor_sync(~0u, part, w);
      const float old = __expf(top[r] - m);
      sum[r] = sum[r] * old + part;
      top[r] = m;
#pragma unroll
      for (int c = 0; c < 4; c++) out[r][c] *= old;
    }
    __syncthreads();
    for (int e = threadIdx.x; e < 32 * D; e += 256) sk[e / D][e % D] = v[head + (size_t)j0 * D + e];
    __syncthreads();
    for (int j = 0; j < 32; j++) {
      float a[4], b[4];
#pragma unroll
      for (int r = 0; r < 4; r++) a[r] = sp[ty * 4 + r][j];
#pragma unroll
      for (int c = 0; c < 4; c++) b[c] = sk[j][tx * 4 + c];
#pragma unroll
      for (int r = 0; r < 4; r++)
#pragma unroll
        for (int c = 0; c < 4; c++) out[r][c] += a[r] * b[c];
    }
  }
#pragma unroll
  for (int r = 0; r < 4; r++)
#pragma unroll
    for (int c = 0; c < 4; c++) o[head + (size_t)(i0 + ty * 4 + r) * D + tx * 4 + c] = out[r][c] / sum[r];
}

int main() {
  const int heads = 32, length = 1024;
  float *q, *k, *v, *o, *s;
  const size_t bytes = (size_t)heads * length * D * sizeof(float);
  OK(cudaMalloc(&q, bytes));
  OK(cudaMalloc(&k, bytes));
  OK(cudaMalloc(&v, bytes));
  OK(cudaMalloc(&o, bytes));
  OK(cudaMalloc(&s, (size_t)heads * length * length * sizeof(float)));
  OK(cudaMemset(q, 0, bytes));
  OK(cudaMemset(k, 0, bytes));
  OK(cudaMemset(v, 0, bytes));
  scores<<<dim3(length / 16, length / 16, heads), dim3(16, 16)>>>(q, k, s, length, 0.125f);
  rowsInRegisters<<<dim3(length / 128, heads), 128>>>(q, k, v, o, length, 0.125f);
  tiles<<<dim3(length / 64, heads), 256>>>(q, k, v, o, length, 0.125f);
  OK(cudaDeviceSynchronize());
  return 0;
}
