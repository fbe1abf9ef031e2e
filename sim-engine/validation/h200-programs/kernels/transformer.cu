#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdio>
#include <cmath>

static const int BATCH = 8, SEQ = 512, HEADS = 16, HEAD_DIM = 64, VOCAB = 32000;
#define HIDDEN (HEADS * HEAD_DIM)

__device__ __forceinline__ float warpReduceSum(float v) {
#pragma unroll
  for (int m = 16; m > 0; m >>= 1) v += __shfl_xor_sync(0xffffffffu, v, m);
  return v;
}
__device__ float blockReduceSum(float v) {
  __shared__ float partial[32];
  int lane = threadIdx.x % 32, wid = threadIdx.x / 32;
  v = warpReduceSum(v);
  if (lane == 0) partial[wid] = v;
  __syncthreads();
  v = threadIdx.x < blockDim.x / 32 ? partial[lane] : 0.f;
  if (wid == 0) v = warpReduceSum(v);
  if (threadIdx.x == 0) partial[0] = v;
  __syncthreads();
  return partial[0];
}

// out[t] = table[token[t]]
__global__ void embed(const int *tokens, const half *table, half *out, int hidden) {
  int t = blockIdx.x;
  const half2 *src = reinterpret_cast<const half2 *>(table + (size_t)tokens[t] * hidden);
  half2 *dst = reinterpret_cast<half2 *>(out + (size_t)t * hidden);
  for (int i = threadIdx.x; i < hidden / 2; i += blockDim.x) dst[i] = src[i];
}

__global__ void rmsNorm(const half *__restrict__ x, const half *__restrict__ w, half *__restrict__ y, int hidden, float eps) {
  const half *row = x + (size_t)blockIdx.x * hidden;
  float ss = 0.f;
  for (int i = threadIdx.x; i < hidden; i += blockDim.x) {
    float v = __half2float(row[i]);
    ss += v * v;
  }
  ss = blockReduceSum(ss);
  float scale = rsqrtf(ss / hidden + eps);
  for (int i = threadIdx.x; i < hidden; i += blockDim.x)
    y[(size_t)blockIdx.x * hidden + i] = __float2half(__half2float(row[i]) * scale * __half2float(w[i]));
}

__global__ void rope(half *q, int seq, int heads, int headDim) {
  int pos = blockIdx.x, head = blockIdx.y, batch = blockIdx.z, i = threadIdx.x;
  half *p = q + (((size_t)batch * seq + pos) * heads + head) * headDim;
  float freq = __powf(10000.f, -2.f * i / headDim);
  float s, c;
  __sincosf(pos * freq, &s, &c);
  float a = __half2float(p[i]), b = __half2float(p[i + headDim / 2]);
  p[i] = __float2half(a * c - b * s);
  p[i + headDim / 2] = __float2half(a * s + b * c);
}

// One block per (query, head, batch)
__global__ void attentionNaive(const half *q, const half *k, const half *v, half *o, int seq, int heads, int headDim, float scale) {
  extern __shared__ float scores[];
  int t = blockIdx.x, h = blockIdx.y, b = blockIdx.z;
  int stride = heads * headDim;
  const half *qp = q + ((size_t)b * seq + t) * stride + h * headDim;
  float best = -INFINITY;
  for (int j = threadIdx.x; j <= t; j += blockDim.x) {
    const half *kp = k + ((size_t)b * seq + j) * stride + h * headDim;
    float dot = 0.f;
    for (int d = 0; d < headDim; d++) dot += __half2float(qp[d]) * __half2float(kp[d]);
    scores[j] = dot * scale;
    best = fmaxf(best, scores[j]);
  }
  __shared__ float red[32];
  for (int m = 16; m > 0; m >>= 1) best = fmaxf(best, __shfl_xor_sync(0xffffffffu, best, m));
  if (threadIdx.x % 32 == 0) red[threadIdx.x / 32] = best;
  __syncthreads();
  best = red[0];
  for (int w = 1; w < blockDim.x / 32; w++) best = fmaxf(best, red[w]);
  float sum = 0.f;
  for (int j = threadIdx.x; j <= t; j += blockDim.x) {
    float e = __expf(scores[j] - best);
    scores[j] = e;
    sum += e;
  }
  sum = blockReduceSum(sum);
  for (int d = threadIdx.x; d < headDim; d += blockDim.x) {
    float acc = 0.f;
    for (int j = 0; j <= t; j++) acc += scores[j] * __half2float(v[((size_t)b * seq + j) * stride + h * headDim + d]);
    o[((size_t)b * seq + t) * stride + h * headDim + d] = __float2half(acc / sum);
  }
}

__global__ void siluMul(const half2 *__restrict__ gate, const half2 *__restrict__ up, half2 *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float2 g = __half22float2(gate[i]);
  float2 u = __half22float2(up[i]);
  g.x = g.x / (1.f + __expf(-g.x)) * u.x;
  g.y = g.y / (1.f + __expf(-g.y)) * u.y;
  out[i] = __float22half2_rn(g);
}

__global__ void dequantInt8(const char4 *__restrict__ w, const float *__restrict__ scales, float4 *__restrict__ out, int cols4) {
  int r = blockIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols4) return;
  char4 q = w[r * cols4 + c];
  float s = scales[r];
  out[r * cols4 + c] = make_float4(q.x * s, q.y * s, q.z * s, q.w * s);
}

__global__ void argmaxRow(const float *logits, int *out, int vocab) {
  __shared__ float bestV[256];
  __shared__ int bestI[256];
  const float *row = logits + (size_t)blockIdx.x * vocab;
  float v = -1e30f;
  int at = 0;
  for (int i = threadIdx.x; i < vocab; i += 256)
    if (row[i] > v) {
      v = row[i];
      at = i;
    }
  bestV[threadIdx.x] = v;
  bestI[threadIdx.x] = at;
  __syncthreads();
  for (int s = 128; s > 0; s >>= 1) {
    if (threadIdx.x < s && bestV[threadIdx.x + s] > bestV[threadIdx.x]) {
      bestV[threadIdx.x] = bestV[threadIdx.x + s];
      bestI[threadIdx.x] = bestI[threadIdx.x + s];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = bestI[0];
}

template <typename T>
T *device(size_t n) {
  T *p = nullptr;
  cudaMalloc(reinterpret_cast<void **>(&p), n * sizeof(T));
  cudaMemset(p, 0, n * sizeof(T));
  return p;
}

int main(int argc, char **argv) {
  const int tokens = BATCH * SEQ;
  int *ids = device<int>(tokens);
  int *hostIds = new int[tokens];
  for (int i = 0; i < tokens; i++) hostIds[i] = rand() % VOCAB;
  cudaMemcpy(ids, hostIds, tokens * sizeof(int), cudaMemcpyHostToDevice);
  half *table = device<half>((size_t)VOCAB * HIDDEN);
  half *x = device<half>((size_t)tokens * HIDDEN), *y = device<half>((size_t)tokens * HIDDEN), *w = device<half>(HIDDEN);
  half *k = device<half>((size_t)tokens * HIDDEN), *v = device<half>((size_t)tokens * HIDDEN);
  float *logits = device<float>((size_t)BATCH * VOCAB);
  char4 *q8 = device<char4>(HIDDEN * HIDDEN / 4);
  float4 *deq = device<float4>(HIDDEN * HIDDEN / 4);
  float *scales = device<float>(HIDDEN);

  embed<<<tokens, 128>>>(ids, table, x, HIDDEN);
  rmsNorm<<<tokens, 256>>>(x, w, y, HIDDEN, 1e-5f);
  dim3 ropeGrid(SEQ, HEADS, BATCH);
  rope<<<ropeGrid, HEAD_DIM / 2>>>(y, SEQ, HEADS, HEAD_DIM);
  attentionNaive<<<ropeGrid, 128, SEQ * sizeof(float)>>>(y, k, v, x, SEQ, HEADS, HEAD_DIM, 1.f / sqrtf(HEAD_DIM));
  int n2 = tokens * HIDDEN / 2;
  siluMul<<<(n2 + 255) / 256, 256>>>((half2 *)x, (half2 *)y, (half2 *)k, n2);
  dequantInt8<<<dim3((HIDDEN / 4 + 127) / 128, HIDDEN), 128>>>(q8, scales, deq, HIDDEN / 4);
  argmaxRow<<<BATCH, 256>>>(logits, ids, VOCAB);
  cudaDeviceSynchronize();
  return 0;
}
