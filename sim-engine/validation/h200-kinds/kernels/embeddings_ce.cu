// Both ends of a language model: token embedding there and back, cross-entropy over the vocabulary, argmax and top-k of rows.
#include <cfloat>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <vector>

__global__ void noiseLogits(float *logits, long n) {
  long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned h = (unsigned)i * 1664525u + 1013904223u;
  h = (h ^ (h >> 16)) * 0x7feb352du;
  h ^= h >> 15;
  logits[i] = (h >> 8) * (10.f / 16777216.f) - 5.f;
}
__global__ void embedTokens(uint4 *out, const int *tokens, const uint4 *wte, int rows, int C8, float scale) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * C8) return;
  uint4 raw = wte[(size_t)tokens[i / C8] * C8 + i % C8];
  __nv_bfloat162 *v = reinterpret_cast<__nv_bfloat162 *>(&raw);
  for (int k = 0; k < 4; k++) v[k] = __hmul2(v[k], __float2bfloat162_rn(scale));
  out[i] = raw;
}
// a warp per token adds its row of gradient to the table
__global__ void embedBackward(float *dwte, const int *tokens, const __nv_bfloat16 *dout, int rows, int C) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  float *to = dwte + (size_t)tokens[row] * C;
  for (int c = threadIdx.x; c < C; c += 32) atomicAdd(to + c, __bfloat162float(dout[(size_t)row * C + c]));
}
struct MaxSum { float m, s; };

__device__ __forceinline__ MaxSum join(MaxSum a, MaxSum b) {
  MaxSum hi = a.m > b.m ? a : b, lo = a.m > b.m ? b : a;
  hi.s += lo.s * __expf(lo.m - hi.m);
  return hi;
}
// maximum and sum of exponentials of a row, known to the whole block
__device__ MaxSum rowMaxSum(const float *x, int V) {
  __shared__ MaxSum part[32];
  MaxSum a = {-FLT_MAX, 0.f};
  for (int i = threadIdx.x; i < V; i += blockDim.x) a = join(a, MaxSum{x[i], 1.f});
  for (int o = 16; o; o >>= 1) a = join(a, MaxSum{__shfl_xor_sync(~0u, a.m, o), __shfl_xor_sync(~0u, a.s, o)});
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = a;
  __syncthreads();
  a = part[0];
  for (int w = 1; w < blockDim.x / 32; w++) a = join(a, part[w]);
  return a;
}
__global__ void crossEntropyForward(float *losses, const float *logits, const int *targets, int V, int Vp) {
  const float *x = logits + (size_t)blockIdx.x * Vp;
  MaxSum a = rowMaxSum(x, V);
  if (threadIdx.x == 0) losses[blockIdx.x] = logf(a.s) + a.m - x[targets[blockIdx.x]];
}
// softmax fused: loss out, logits overwritten by their gradients
__global__ void __launch_bounds__(1024) crossEntropyBackward(float *logits, float *losses, const int *targets, float dloss, int V, int Vp) {
  int row = gridDim.x - 1 - blockIdx.x, y = targets[row];
  float *x = logits + (size_t)row * Vp;
  MaxSum a = rowMaxSum(x, V);
  if (threadIdx.x == 0) losses[row] = logf(a.s) + a.m - x[y];
  __syncthreads();
  float inv = 1.f / a.s;
  for (int i = threadIdx.x; i < Vp; i += blockDim.x) x[i] = i < V ? (__expf(x[i] - a.m) * inv - (i == y)) * dloss : 0.f;
}
template <int BLOCK>
__global__ void argmaxRows(int *best, const float *x, int V, int stride) {
  __shared__ float sv[BLOCK];
  __shared__ int si[BLOCK];
  float v = -FLT_MAX;
  int at = INT_MAX, tid = threadIdx.x;
  for (int i = tid; i < V; i += BLOCK) {
    float f = x[(size_t)blockIdx.x * stride + i];
    if (f > v) v = f, at = i;
  }
  sv[tid] = v, si[tid] = at;
  __syncthreads();
  for (int s = BLOCK / 2; s; s /= 2) {
    if (tid < s && (sv[tid + s] > sv[tid] || (sv[tid + s] == sv[tid] && si[tid + s] < si[tid]))) sv[tid] = sv[tid + s], si[tid] = si[tid + s];
    __syncthreads();
  }
  if (tid == 0) best[blockIdx.x] = si[0];
}
// the row is copied to shared memory and its greatest taken out K times
template <int K>
__global__ void topkRows(float *values, int *indices, const float *x, int V, int stride) {
  extern __shared__ float row[];
  __shared__ unsigned long long winner[2];
  for (int i = threadIdx.x; i < V; i += blockDim.x) row[i] = x[(size_t)blockIdx.x * stride + i];
  if (threadIdx.x < 2) winner[threadIdx.x] = 0;
  __syncthreads();
  for (int k = 0; k < K; k++) {
    unsigned long long mine = 0;
    for (int i = threadIdx.x; i < V; i += blockDim.x) {
      unsigned bits = __float_as_uint(row[i]);
      bits = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
      unsigned long long key = (unsigned long long)bits << 32 | (unsigned)i;
      if (key > mine) mine = key;
    }
    for (int o = 16; o; o >>= 1) {
      unsigned long long other = __shfl_down_sync(~0u, mine, o);
      if (other > mine) mine = other;
    }
    if (threadIdx.x % 32 == 0) atomicMax(&winner[k & 1], mine);
    __syncthreads();
    if (threadIdx.x == 0) {
      int at = (int)(winner[k & 1] & 0xffffffffu);
      values[blockIdx.x * K + k] = row[at];
      indices[blockIdx.x * K + k] = at;
      row[at] = -FLT_MAX;
      winner[(k + 1) & 1] = 0;
    }
    __syncthreads();
  }
}

int main() {
  const int ROWS = 4096, C = 768, V = 50257, VP = 50304, SHORT = 32000, K = 8;
  std::vector<int> h(2 * ROWS);
  for (int &t : h) t = rand() % 4 ? rand() % V : rand() % 256;
  int *tokens, *best, *topi;
  float *logits, *dwte, *losses, *topv;
  __nv_bfloat16 *wte, *x;
  cudaMalloc(&tokens, 2 * ROWS * 4), cudaMalloc(&best, ROWS * 4), cudaMalloc(&topi, ROWS * K * 4), cudaMalloc(&topv, ROWS * K * 4);
  cudaMalloc(&logits, (size_t)ROWS * VP * 4), cudaMalloc(&dwte, (size_t)V * C * 4), cudaMalloc(&losses, ROWS * 4);
  cudaMalloc(&wte, (size_t)V * C * 2), cudaMalloc(&x, (size_t)2 * ROWS * C * 2);
  cudaMemcpy(tokens, h.data(), 2 * ROWS * 4, cudaMemcpyHostToDevice);
  cudaMemset(wte, 0x3c, (size_t)V * C * 2), cudaMemset(dwte, 0, (size_t)V * C * 4);
  noiseLogits<<<(unsigned)((long)ROWS * VP / 512), 512>>>(logits, (long)ROWS * VP);
  embedTokens<<<(2 * ROWS * C / 8 + 255) / 256, 256>>>((uint4 *)x, tokens, (const uint4 *)wte, 2 * ROWS, C / 8, 27.7128f);
  embedBackward<<<2 * ROWS / 8, dim3(32, 8)>>>(dwte, tokens, x, 2 * ROWS, C);
  argmaxRows<256><<<ROWS, 256>>>(best, logits, V, VP);
  cudaFuncSetAttribute(topkRows<K>, cudaFuncAttributeMaxDynamicSharedMemorySize, SHORT * 4);
  topkRows<K><<<512, 512, SHORT * 4>>>(topv, topi, logits, SHORT, VP);
  crossEntropyForward<<<ROWS, 512>>>(losses, logits, tokens, V, VP);
  crossEntropyBackward<<<ROWS, 1024>>>(logits, losses, tokens + ROWS, 1.f / ROWS, V, VP);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
