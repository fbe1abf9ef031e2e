// softmax and cross entropy over a GPT-2 sized vocabulary: separate, online, fused classifier with in-place dlogits
#include <cassert>
#include <cfloat>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#define CUCHK(cmd)                                                                         \
  {                                                                                        \
    cudaError_t e = cmd;                                                                   \
    if (e != cudaSuccess) {                                                                \
      fprintf(stderr, "%s failed at line %d: %s\n", #cmd, __LINE__, cudaGetErrorString(e)); \
      exit(2);                                                                             \
    }                                                                                      \
  }

struct SoftmaxParams { float Scale; float Offset; };

// (1) one thread handles a complete row
__global__ void softmax_forward1(float *probs, const float *logits, int N, int V, int P) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N) return;
  const float *x = logits + (size_t)i * P;
  float *y = probs + (size_t)i * P;
  float maxval = -FLT_MAX;
  for (int j = 0; j < V; j++) if (x[j] > maxval) maxval = x[j];
  float sum = 0;
  for (int j = 0; j < V; j++) { y[j] = expf(x[j] - maxval); sum += y[j]; }
  for (int j = 0; j < V; j++) y[j] /= sum;
}

// (2) block per row, tree reduction in shared memory
template <int BS>
__global__ void softmax_forward2(float *probs, const float *logits, int V, int P) {
  __shared__ float sh[BS];
  const float *x = logits + (size_t)blockIdx.x * P;
  float *y = probs + (size_t)blockIdx.x * P;
  const int tid = threadIdx.x;
  float v = -FLT_MAX;
  for (int j = tid; j < V; j += BS) v = fmaxf(v, x[j]);
  sh[tid] = v;
  for (int s = BS / 2; s > 0; s >>= 1) {
    __syncthreads();
    if (tid < s) sh[tid] = fmaxf(sh[tid], sh[tid + s]);
  }
  __syncthreads();
  float mx = sh[0];
  __syncthreads();
  v = 0;
  for (int j = tid; j < V; j += BS) { float e = expf(x[j] - mx); y[j] = e; v += e; }
  sh[tid] = v;
  for (int s = BS / 2; s > 0; s >>= 1) {
    __syncthreads();
    if (tid < s) sh[tid] += sh[tid + s];
  }
  __syncthreads();
  float inv = 1.0f / sh[0];
  for (int j = tid; j < V; j += BS) y[j] *= inv;
}

__device__ __forceinline__ void online_merge(float &m, float &s, float m2, float s2) {
  float mn = fmaxf(m, m2);
  s = s * __expf(m - mn) + s2 * __expf(m2 - mn);
  m = mn;
}

__device__ SoftmaxParams prepare_softmax(const float *x, int V) {
  __shared__ float sm[32], ss[32];
  float m = -1e30f, s = 0;
  for (int j = threadIdx.x; j < V; j += blockDim.x) {
    float v = x[j];
    if (v > m) { s *= __expf(m - v); m = v; }
    s += __expf(v - m);
  }
  for (int o = 16; o > 0; o >>= 1) {
    float m2 = __shfl_xor_sync(0xffffffffu, m, o), s2 = __shfl_xor_sync(0xffffffffu, s, o);
    online_merge(m, s, m2, s2);
  }
  int lane = threadIdx.x % 32, w = threadIdx.x / 32;
  if (lane == 0) { sm[w] = m; ss[w] = s; }
  __syncthreads();
  m = lane < blockDim.x / 32 ? sm[lane] : -1e30f;
  s = lane < blockDim.x / 32 ? ss[lane] : 0.f;
  for (int o = 16; o > 0; o >>= 1) {
    float m2 = __shfl_xor_sync(0xffffffffu, m, o), s2 = __shfl_xor_sync(0xffffffffu, s, o);
    online_merge(m, s, m2, s2);
  }
  return {1.f / s, m};
}

// (3) online max + sum
__global__ void softmax_forward3(float *probs, const float *logits, int V, int P) {
  const float *x = logits + (size_t)blockIdx.x * P;
  SoftmaxParams sp = prepare_softmax(x, V);
  for (int j = threadIdx.x; j < V; j += blockDim.x) __stcs(probs + (size_t)blockIdx.x * P + j, __expf(x[j] - sp.Offset) * sp.Scale);
}

// separate loss + gradient
__global__ void crossentropy_forward(float *losses, const float *probs, const int *targets, int N, int P) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) losses[i] = -logf(probs[(size_t)i * P + targets[i]]);
}
__global__ void crossentropy_softmax_backward1(float *dlogits, const float *dlosses, const float *probs, const int *targets, int N, int V, int P) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < (size_t)N * V) {
    int r = i / V, c = i % V;
    float p = probs[(size_t)r * P + c];
    dlogits[(size_t)r * P + c] = (p - (c == targets[r] ? 1.0f : 0.0f)) * dlosses[r];
  }
}
__global__ void crossentropy_softmax_backward2(float *dlogits, const float *dlosses, const float *probs, const int *targets, int V, int P) {
  int r = blockIdx.y;
  int c = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (c >= P) return;
  float d = dlosses[r];
  int ix = targets[r];
  float4 p = __ldcs((const float4 *)(probs + (size_t)r * P + c));
  p.x = c + 0 < V ? (p.x - (c + 0 == ix)) * d : 0.f;
  p.y = c + 1 < V ? (p.y - (c + 1 == ix)) * d : 0.f;
  p.z = c + 2 < V ? (p.z - (c + 2 == ix)) * d : 0.f;
  p.w = c + 3 < V ? (p.w - (c + 3 == ix)) * d : 0.f;
  __stcs((float4 *)(dlogits + (size_t)r * P + c), p);
}

// fused fp32
__global__ void fused_classifier_f32(float *logits, float *losses, const float *dlosses, const int *targets, int V, int P) {
  int row = blockIdx.x, ix = targets[row];
  float *x = logits + (size_t)row * P;
  SoftmaxParams sp = prepare_softmax(x, V);
  if (threadIdx.x == 0) losses[row] = -logf(__expf(x[ix] - sp.Offset) * sp.Scale);
  __syncthreads();
  float d = dlosses[row];
  for (int j = threadIdx.x; j < V; j += blockDim.x) {
    float p = __expf(x[j] - sp.Offset) * sp.Scale;
    x[j] = (p - (j == ix ? 1.f : 0.f)) * d;
  }
}

// fused bf16, 8 elements a load, written backwards so that the tail of the row is still in cache
union Pack8 { int4 raw; __nv_bfloat16 e[8]; };
__global__ void __launch_bounds__(1024, 2)
fused_classifier_bf16(__nv_bfloat16 *logits, float *losses, float dloss, const int *targets, int V, int P) {
  __shared__ float sm[32], ss[32];
  int row = gridDim.x - 1 - blockIdx.x, ix = targets[row];
  __nv_bfloat16 *x = logits + (size_t)row * P;
  float m = -1e30f, s = 0.f;
  for (int i = threadIdx.x; i < P / 8; i += blockDim.x) {
    Pack8 v;
    v.raw = ((const int4 *)x)[i];
    float lm = m;
#pragma unroll
    for (int k = 0; k < 8; k++) if (i * 8 + k < V) lm = fmaxf(lm, __bfloat162float(v.e[k]));
    s *= __expf(m - lm);
    m = lm;
#pragma unroll
    for (int k = 0; k < 8; k++) if (i * 8 + k < V) s += __expf(__bfloat162float(v.e[k]) - m);
  }
  for (int o = 16; o > 0; o >>= 1) online_merge(m, s, __shfl_xor_sync(~0u, m, o), __shfl_xor_sync(~0u, s, o));
  int lane = threadIdx.x & 31;
  if (lane == 0) { sm[threadIdx.x >> 5] = m; ss[threadIdx.x >> 5] = s; }
  __syncthreads();
  m = lane < blockDim.x / 32 ? sm[lane] : -1e30f;
  s = lane < blockDim.x / 32 ? ss[lane] : 0.f;
  for (int o = 16; o > 0; o >>= 1) online_merge(m, s, __shfl_xor_sync(~0u, m, o), __shfl_xor_sync(~0u, s, o));
  float inv = 1.f / s;
  if (threadIdx.x == 0) losses[row] = m + __logf(s) - __bfloat162float(x[ix]);
  __syncthreads();
  for (int i = P / 8 - 1 - threadIdx.x; i >= 0; i -= (int)blockDim.x) {
    Pack8 v;
    v.raw = __ldcs((const int4 *)x + i);
#pragma unroll
    for (int k = 0; k < 8; k++) {
      int c = i * 8 + k;
      float p = c < V ? __expf(__bfloat162float(v.e[k]) - m) * inv : 0.f;
      v.e[k] = __float2bfloat16((p - (c == ix ? 1.f : 0.f)) * dloss);
    }
    __stcs((int4 *)x + i, v.raw);
  }
}

int main(int argc, char **argv) {
  const int N = argc > 1 ? atoi(argv[1]) : 384;  // B*T
  const int V = 50257, P = 50304;
  const size_t total = (size_t)N * P;
  std::vector<float> logits(total), dlosses(N, 1.0f / N);
  std::vector<int> targets(N);
  unsigned long long st = 88172645463325252ull;
  for (auto &v : logits) { st ^= st << 13; st ^= st >> 7; st ^= st << 17; v = (float)(st & 0xffff) / 6553.6f - 5.f; }
  for (int i = 0; i < N; i++) targets[i] = (int)((i * 7919ll + 31) % V);

  float *dLogits, *dProbs, *dGrad, *dLoss, *dDl;
  int *dTgt;
  CUCHK(cudaMalloc(&dLogits, total * 4)); CUCHK(cudaMalloc(&dProbs, total * 4)); CUCHK(cudaMalloc(&dGrad, total * 4));
  CUCHK(cudaMalloc(&dLoss, N * 4)); CUCHK(cudaMalloc(&dDl, N * 4)); CUCHK(cudaMalloc(&dTgt, N * 4));
  CUCHK(cudaMemcpy(dLogits, logits.data(), total * 4, cudaMemcpyHostToDevice));
  CUCHK(cudaMemcpy(dDl, dlosses.data(), N * 4, cudaMemcpyHostToDevice));
  CUCHK(cudaMemcpy(dTgt, targets.data(), N * 4, cudaMemcpyHostToDevice));

  const int rows[5] = {0, 1, N / 3, N / 2, N - 1};
  std::vector<float> row(P);
  bool pass = true;
  auto stats = [&](int r, float &mx, double &sum) {
    mx = -1e30f; sum = 0;
    for (int j = 0; j < V; j++) mx = fmaxf(mx, logits[(size_t)r * P + j]);
    for (int j = 0; j < V; j++) sum += expf(logits[(size_t)r * P + j] - mx);
  };
  auto check_rows = [&](const std::string &name, const float *d, bool grad) {
    CUCHK(cudaGetLastError());
    CUCHK(cudaDeviceSynchronize());
    float worst = 0;
    for (int r : rows) {
      CUCHK(cudaMemcpy(row.data(), d + (size_t)r * P, P * 4, cudaMemcpyDeviceToHost));
      float mx; double sum;
      stats(r, mx, sum);
      for (int j = 0; j < V; j += 7) {
        float p = expf(logits[(size_t)r * P + j] - mx) / sum;
        float want = grad ? (p - (j == targets[r])) / N : p;
        worst = fmaxf(worst, fabsf(want - row[j]) / (grad ? 1.f / N : 1.f));
      }
    }
    bool good = worst < 1e-5f;
    pass = pass && good;
    printf("%-36s max err %.2e %s\n", name.c_str(), worst, good ? "ok" : "FAILED");
  };
  auto check_loss = [&](const char *name, float tol) {
    CUCHK(cudaGetLastError());
    std::vector<float> l(N);
    CUCHK(cudaMemcpy(l.data(), dLoss, N * 4, cudaMemcpyDeviceToHost));
    for (int r : rows) {
      float mx; double sum;
      stats(r, mx, sum);
      float want = logf(sum) + mx - logits[(size_t)r * P + targets[r]];
      if (!(fabsf(want - l[r]) < tol)) { printf("%s loss[%d] = %f, expected %f\n", name, r, l[r], want); pass = false; }
    }
  };

  softmax_forward1<<<(N + 31) / 32, 32>>>(dProbs, dLogits, N, 2048, P);  // short vocabulary, a row per thread is slow
  CUCHK(cudaGetLastError());
  softmax_forward2<256><<<N, 256>>>(dProbs, dLogits, V, P); check_rows("softmax 2, block 256", dProbs, false);
  softmax_forward2<1024><<<N, 1024>>>(dProbs, dLogits, V, P); check_rows("softmax 2, block 1024", dProbs, false);
  for (int bs : {128, 512}) {
    CUCHK(cudaMemset(dProbs, 0, total * 4));
    softmax_forward3<<<N, bs>>>(dProbs, dLogits, V, P);
    check_rows("softmax 3 online, block " + std::to_string(bs), dProbs, false);
  }
  crossentropy_forward<<<(N + 127) / 128, 128>>>(dLoss, dProbs, dTgt, N, P); check_loss("separate", 1e-3f);
  crossentropy_softmax_backward1<<<(unsigned)(((size_t)N * V + 255) / 256), 256>>>(dGrad, dDl, dProbs, dTgt, N, V, P); check_rows("backward 1", dGrad, true);
  CUCHK(cudaMemset(dGrad, 0, total * 4));
  crossentropy_softmax_backward2<<<dim3((P / 4 + 255) / 256, N), 256>>>(dGrad, dDl, dProbs, dTgt, V, P); check_rows("backward 2 float4", dGrad, true);
  for (int bs : {256, 1024}) {
    CUCHK(cudaMemcpy(dGrad, dLogits, total * 4, cudaMemcpyDeviceToDevice));
    fused_classifier_f32<<<N, bs>>>(dGrad, dLoss, dDl, dTgt, V, P);
    check_rows("fused f32, block " + std::to_string(bs), dGrad, true);
    check_loss("fused f32", 1e-3f);
  }
  {
    std::vector<__nv_bfloat16> h(total);
    for (size_t i = 0; i < total; i++) h[i] = __float2bfloat16(logits[i]);
    for (size_t i = 0; i < total; i++) logits[i] = __bfloat162float(h[i]);
    __nv_bfloat16 *d;
    CUCHK(cudaMalloc(&d, total * 2));
    CUCHK(cudaMemcpy(d, h.data(), total * 2, cudaMemcpyHostToDevice));
    fused_classifier_bf16<<<N, 1024>>>(d, dLoss, 1.0f / N, dTgt, V, P);
    check_loss("fused bf16", 1e-2f);
    CUCHK(cudaMemcpy(h.data(), d, total * 2, cudaMemcpyDeviceToHost));
    for (int r : rows) {
      float g = __bfloat162float(h[(size_t)r * P + targets[r]]) * N, mx; double sum;
      stats(r, mx, sum);
      float want = expf(logits[(size_t)r * P + targets[r]] - mx) / sum - 1.f;
      if (!(fabsf(g - want) < 1e-2f)) { printf("bf16 grad row %d: %f vs %f\n", r, g, want); pass = false; }
    }
    cudaFree(d);
  }
  printf("%s\n", pass ? "PASS" : "FAIL");
  cudaFree(dLogits); cudaFree(dProbs); cudaFree(dGrad); cudaFree(dLoss); cudaFree(dDl); cudaFree(dTgt);
  return pass ? 0 : 1;
}
