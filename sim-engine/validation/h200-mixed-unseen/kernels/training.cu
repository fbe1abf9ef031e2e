// Steps of a network's training: dropout by a counter, batch normalisation, pooling, an embedding's gradient, a mean square loss.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

__device__ unsigned mix(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

__global__ void dropout(float4* out, const float4* in, int n4, float keep, unsigned seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n4) return;
  float4 v = in[i];
  const float scale = 1.0f / keep;
  const unsigned limit = (unsigned)(keep * 4294967040.0f);
  v.x = mix(seed + 4 * i) < limit ? v.x * scale : 0.0f;
  v.y = mix(seed + 4 * i + 1) < limit ? v.y * scale : 0.0f;
  v.z = mix(seed + 4 * i + 2) < limit ? v.z * scale : 0.0f;
  v.w = mix(seed + 4 * i + 3) < limit ? v.w * scale : 0.0f;
  out[i] = v;
}

// One block a channel of (batch, channel, pixels).
__global__ void batchNorm(float* out, const float* in, const float* gamma, const float* beta, int batch, int channels, int pixels) {
  __shared__ float sums[256], squares[256];
  int c = blockIdx.x, t = threadIdx.x;
  float s = 0, q = 0;
  for (int b = 0; b < batch; b++) {
    const float* image = in + (b * channels + c) * pixels;
    for (int i = t; i < pixels; i += blockDim.x) {
      s += image[i];
      q += image[i] * image[i];
    }
  }
  sums[t] = s;
  squares[t] = q;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) {
      sums[t] += sums[t + half];
      squares[t] += squares[t + half];
    }
    __syncthreads();
  }
  float mean = sums[0] / (batch * pixels), var = squares[0] / (batch * pixels) - mean * mean;
  float a = gamma[c] * rsqrtf(var + 1e-5f), d = beta[c] - mean * a;
  for (int b = 0; b < batch; b++)
    for (int i = t; i < pixels; i += blockDim.x) out[(b * channels + c) * pixels + i] = in[(b * channels + c) * pixels + i] * a + d;
}

__global__ void maxPool(float* out, int* where, const float* in, int planes, int height, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, p = blockIdx.z;
  int ow = width / 2, oh = height / 2;
  if (x >= ow || y >= oh) return;
  float best = -1e30f;
  int at = 0;
  for (int dy = 0; dy < 2; dy++)
    for (int dx = 0; dx < 2; dx++) {
      int i = (p * height + 2 * y + dy) * width + 2 * x + dx;
      if (in[i] > best) {
        best = in[i];
        at = i;
      }
    }
  out[(p * oh + y) * ow + x] = best;
  where[(p * oh + y) * ow + x] = at;
}

// Rows of gradients added to the rows of the words they belong to.
__global__ void embeddingBackward(float* table, const float* gradient, const int* words, int tokens, int dim) {
  int token = blockIdx.x;
  float* row = table + words[token] * dim;
  for (int i = threadIdx.x; i < dim; i += blockDim.x) atomicAdd(&row[i], gradient[token * dim + i]);
}

__global__ void squareLoss(float* loss, const float* a, const float* b, int n) {
  float s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float d = a[i] - b[i];
    s += d * d;
  }
  for (int o = 16; o > 0; o /= 2) s += __shfl_down_sync(~0u, s, o);
  __shared__ float w[32];
  if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x < 32) {
    s = threadIdx.x < blockDim.x / 32 ? w[threadIdx.x] : 0;
    for (int o = 16; o > 0; o /= 2) s += __shfl_down_sync(~0u, s, o);
    if (threadIdx.x == 0) atomicAdd(loss, s / n);
  }
}

int main() {
  const int n = 1 << 23;
  float *a, *b, *g, *loss;
  int* idx;
  cudaMalloc(&a, n * 4);
  cudaMalloc(&b, n * 4);
  cudaMalloc(&g, 4096 * 4);
  cudaMalloc(&loss, 4);
  cudaMalloc(&idx, n * 4);
  std::vector<float> h(n);
  for (int i = 0; i < n; i++) h[i] = (i % 257) / 257.0f;
  cudaMemcpy(a, h.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(b, h.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(g, h.data(), 4096 * 4, cudaMemcpyHostToDevice);
  std::vector<int> words(4096);
  for (int i = 0; i < 4096; i++) words[i] = (i * 611) % 8000;
  cudaMemset(loss, 0, 4);
  dropout<<<n / 4 / 256, 256>>>((float4*)b, (const float4*)a, n / 4, 0.9f, 17u);
  batchNorm<<<64, 256>>>(b, a, g, g + 64, 32, 64, 56 * 56);
  maxPool<<<dim3(2, 14, 32 * 64), dim3(32, 4)>>>(b, idx, a, 32 * 64, 56, 56);
  cudaMemcpy(idx, words.data(), 4096 * 4, cudaMemcpyHostToDevice);
  embeddingBackward<<<4096, 128>>>(b, a, idx, 4096, 768);
  squareLoss<<<264, 512>>>(loss, a, b, n);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
