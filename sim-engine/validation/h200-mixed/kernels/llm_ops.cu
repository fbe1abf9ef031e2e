// Kernels of a transformer's training and inference: normalisation, rotary embedding, activations, loss and optimiser.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cfloat>
#include <cstdio>
#include <vector>

#define CHECK(call)                                                            \
  do {                                                                         \
    cudaError_t status = (call);                                               \
    if (status != cudaSuccess) {                                               \
      printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));   \
      return 1;                                                                \
    }                                                                          \
  } while (0)

__device__ __forceinline__ float warpSum(float v) {
  for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_xor_sync(0xffffffff, v, offset);
  return v;
}

__device__ float blockSum(float v) {
  __shared__ float partial[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  v = warpSum(v);
  if (lane == 0) partial[warp] = v;
  __syncthreads();
  v = threadIdx.x < blockDim.x / 32 ? partial[lane] : 0.0f;
  if (warp == 0) v = warpSum(v);
  if (threadIdx.x == 0) partial[0] = v;
  __syncthreads();
  return partial[0];
}

// y = x / rms(x) * w, one block a row.
__global__ void rmsNorm(float* __restrict__ y, const float* __restrict__ x, const float* __restrict__ w, int dim, float eps) {
  const float* row = x + (size_t)blockIdx.x * dim;
  float* out = y + (size_t)blockIdx.x * dim;
  float ss = 0.0f;
  for (int i = threadIdx.x; i < dim; i += blockDim.x) ss += row[i] * row[i];
  const float scale = rsqrtf(blockSum(ss) / dim + eps);
  for (int i = threadIdx.x; i < dim; i += blockDim.x) out[i] = row[i] * scale * w[i];
}

// The same on bf16 pairs, one warp a row.
__global__ void rmsNormBf16(__nv_bfloat162* y, const __nv_bfloat162* x, const __nv_bfloat162* w, int rows, int pairs) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float ss = 0.0f;
  for (int i = lane; i < pairs; i += 32) {
    const float2 v = __bfloat1622float2(x[(size_t)row * pairs + i]);
    ss += v.x * v.x + v.y * v.y;
  }
  const float scale = rsqrtf(warpSum(ss) / (2 * pairs) + 1e-5f);
  for (int i = lane; i < pairs; i += 32) {
    const float2 v = __bfloat1622float2(x[(size_t)row * pairs + i]);
    const float2 g = __bfloat1622float2(w[i]);
    y[(size_t)row * pairs + i] = __floats2bfloat162_rn(v.x * scale * g.x, v.y * scale * g.y);
  }
}

// Rotary position embedding in place: q of (token, head, dim).
__global__ void rope(float* q, const float* freqs, int tokens, int heads, int dim) {
  const int idx = blockIdx.x * blockDim.x + threadIdx.x;
  const int half = dim / 2;
  if (idx >= tokens * heads * half) return;
  const int d = idx % half, h = (idx / half) % heads, t = idx / (half * heads);
  float s, c;
  sincosf(t * freqs[d], &s, &c);
  float* base = q + ((size_t)t * heads + h) * dim;
  const float a = base[d], b = base[d + half];
  base[d] = a * c - b * s;
  base[d + half] = a * s + b * c;
}

__global__ void swiglu(float* out, const float* gate, const float* up, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float g = gate[i];
    out[i] = g / (1.0f + expf(-g)) * up[i];
  }
}

// GeLU over eight halves a thread.
__global__ void geluHalf8(uint4* out, const uint4* in, int n8) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n8) return;
  uint4 v = in[i];
  __half2* h = reinterpret_cast<__half2*>(&v);
#pragma unroll
  for (int k = 0; k < 4; k++) {
    float2 f = __half22float2(h[k]);
    f.x = 0.5f * f.x * (1.0f + tanhf(0.7978845608f * (f.x + 0.044715f * f.x * f.x * f.x)));
    f.y = 0.5f * f.y * (1.0f + tanhf(0.7978845608f * (f.y + 0.044715f * f.y * f.y * f.y)));
    h[k] = __float22half2_rn(f);
  }
  out[i] = v;
}

// Log-sum-exp and loss of each row's target, one block a row, online.
__global__ void crossEntropy(float* losses, const float* logits, const int* targets, int vocabulary) {
  __shared__ float maxima[32], sums[32];
  const float* row = logits + (size_t)blockIdx.x * vocabulary;
  float m = -FLT_MAX, s = 0.0f;
  for (int i = threadIdx.x; i < vocabulary; i += blockDim.x) {
    const float v = row[i];
    if (v > m) {
      s = s * expf(m - v) + 1.0f;
      m = v;
    } else {
      s += expf(v - m);
    }
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    const float om = __shfl_down_sync(0xffffffff, m, offset), os = __shfl_down_sync(0xffffffff, s, offset);
    const float top = fmaxf(m, om);
    s = s * expf(m - top) + os * expf(om - top);
    m = top;
  }
  if (threadIdx.x % 32 == 0) {
    maxima[threadIdx.x / 32] = m;
    sums[threadIdx.x / 32] = s;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < blockDim.x / 32; w++) {
      const float top = fmaxf(m, maxima[w]);
      s = s * expf(m - top) + sums[w] * expf(maxima[w] - top);
      m = top;
    }
    losses[blockIdx.x] = m + logf(s) - row[targets[blockIdx.x]];
  }
}

__global__ void adamW(float* p, const float* g, float* m, float* v, int n, float lr, float b1, float b2, float c1, float c2, float decay) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float grad = g[i];
  const float mi = b1 * m[i] + (1.0f - b1) * grad;
  const float vi = b2 * v[i] + (1.0f - b2) * grad * grad;
  m[i] = mi;
  v[i] = vi;
  p[i] -= lr * (mi / c1 / (sqrtf(vi / c2) + 1e-8f) + decay * p[i]);
}

// Gradients of a layer's bias: columns summed over rows, a column a thread, rows split over blockIdx.y.
__global__ void biasGradient(float* db, const float* dy, int rows, int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= columns) return;
  float sum = 0.0f;
  for (int row = blockIdx.y; row < rows; row += gridDim.y) sum += dy[(size_t)row * columns + column];
  atomicAdd(&db[column], sum);
}

// Gradient of a layer normalisation towards its input: one warp a row.
__global__ void layerNormBackward(float* dx, const float* dy, const float* x, const float* w, const float* mean, const float* rstd, int rows, int dim) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float mu = mean[row], rs = rstd[row];
  float a = 0.0f, b = 0.0f;
  for (int i = lane; i < dim; i += 32) {
    const float xh = (x[row * dim + i] - mu) * rs, d = w[i] * dy[row * dim + i];
    a += d;
    b += d * xh;
  }
  a = warpSum(a) / dim;
  b = warpSum(b) / dim;
  for (int i = lane; i < dim; i += 32) {
    const float xh = (x[row * dim + i] - mu) * rs, d = w[i] * dy[row * dim + i];
    dx[row * dim + i] += (d - a - xh * b) * rs;
  }
}

int main() {
  const int rows = 4096, dim = 2048, vocabulary = 32000, tokens = 2048, heads = 16, headDim = 128, n = rows * dim;
  float *x, *y, *w, *g, *m, *v, *logits, *losses, *freqs, *mean, *rstd;
  int* targets;
  CHECK(cudaMalloc(&x, n * sizeof(float)));
  CHECK(cudaMalloc(&y, n * sizeof(float)));
  CHECK(cudaMalloc(&g, n * sizeof(float)));
  CHECK(cudaMalloc(&m, n * sizeof(float)));
  CHECK(cudaMalloc(&v, n * sizeof(float)));
  CHECK(cudaMalloc(&w, dim * sizeof(float)));
  CHECK(cudaMalloc(&mean, rows * sizeof(float)));
  CHECK(cudaMalloc(&rstd, rows * sizeof(float)));
  CHECK(cudaMalloc(&freqs, headDim / 2 * sizeof(float)));
  CHECK(cudaMalloc(&logits, (size_t)1024 * vocabulary * sizeof(float)));
  CHECK(cudaMalloc(&losses, 1024 * sizeof(float)));
  CHECK(cudaMalloc(&targets, 1024 * sizeof(int)));
  std::vector<float> host(n);
  for (int i = 0; i < n; i++) host[i] = (float)((i * 7919LL) % 1000) / 500.0f - 1.0f;
  CHECK(cudaMemcpy(x, host.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(g, host.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(w, host.data(), dim * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(mean, host.data(), rows * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(rstd, host.data(), rows * sizeof(float), cudaMemcpyHostToDevice));
  std::vector<float> f(headDim / 2);
  for (int i = 0; i < headDim / 2; i++) f[i] = 1.0f / (1.0f + i);
  CHECK(cudaMemcpy(freqs, f.data(), f.size() * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(m, 0, n * sizeof(float)));
  CHECK(cudaMemset(v, 0, n * sizeof(float)));
  std::vector<float> scores((size_t)1024 * vocabulary);
  for (size_t i = 0; i < scores.size(); i++) scores[i] = (float)((i * 104729) % 4001) / 1000.0f - 2.0f;
  CHECK(cudaMemcpy(logits, scores.data(), scores.size() * sizeof(float), cudaMemcpyHostToDevice));
  std::vector<int> chosen(1024);
  for (int i = 0; i < 1024; i++) chosen[i] = (i * 31) % vocabulary;
  CHECK(cudaMemcpy(targets, chosen.data(), 1024 * sizeof(int), cudaMemcpyHostToDevice));

  rmsNorm<<<rows, 256>>>(y, x, w, dim, 1e-5f);
  rmsNormBf16<<<rows / 4, 128>>>((__nv_bfloat162*)y, (const __nv_bfloat162*)x, (const __nv_bfloat162*)w, rows, dim / 2);
  const int rotated = tokens * heads * headDim / 2;
  rope<<<(rotated + 255) / 256, 256>>>(y, freqs, tokens, heads, headDim);
  swiglu<<<1056, 256>>>(y, x, g, n);
  geluHalf8<<<(n / 8 + 127) / 128, 128>>>((uint4*)y, (const uint4*)x, n / 8);
  crossEntropy<<<1024, 512>>>(losses, logits, targets, vocabulary);
  adamW<<<(n + 511) / 512, 512>>>(x, g, m, v, n, 1e-3f, 0.9f, 0.999f, 0.1f, 0.001f, 0.01f);
  biasGradient<<<dim3(dim / 128, 32), 128>>>(w, g, rows, dim);
  layerNormBackward<<<rows / 8, 256>>>(y, g, x, w, mean, rstd, rows, dim);
  CHECK(cudaDeviceSynchronize());
  return 0;
}
