// Choosing a token: the largest logit, a threshold, a draw; and counting which tokens there are.
#include <cfloat>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void argmaxRow(int *best, const float *logits, int V) {
  __shared__ float values[256];
  __shared__ int places[256];
  const float *x = logits + (size_t)blockIdx.x * V;
  float top = -FLT_MAX;
  int place = 0;
  for (int i = threadIdx.x; i < V; i += 256) {
    float v = x[i];
    if (v > top) {
      top = v;
      place = i;
    }
  }
  values[threadIdx.x] = top;
  places[threadIdx.x] = place;
  __syncthreads();
  for (int s = 128; s > 0; s >>= 1) {
    if (threadIdx.x < s && values[threadIdx.x + s] > values[threadIdx.x]) {
      values[threadIdx.x] = values[threadIdx.x + s];
      places[threadIdx.x] = places[threadIdx.x + s];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) best[blockIdx.x] = places[0];
}

__global__ void topTwo(float2 *out, const float *logits, int V) {
  const float *x = logits + (size_t)(blockIdx.x * blockDim.y + threadIdx.y) * V;
  float first = -FLT_MAX, second = -FLT_MAX;
  for (int i = threadIdx.x; i < V; i += 32) {
    float v = x[i];
    second = fmaxf(second, fminf(first, v));
    first = fmaxf(first, v);
  }
  for (int o = 16; o > 0; o >>= 1) {
    float f = __shfl_xor_sync(~0u, first, o), s = __shfl_xor_sync(~0u, second, o);
    second = fmaxf(fminf(first, f), fmaxf(second, s));
    first = fmaxf(first, f);
  }
  if (threadIdx.x == 0) out[blockIdx.x * blockDim.y + threadIdx.y] = make_float2(first, second);
}

__global__ void cumulativePick(int *chosen, const float *probs, const float *coins, int V, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float coin = coins[row], cdf = 0.0f;
  int pick = V - 1;
  for (int i = 0; i < V; i++) {
    cdf += probs[(size_t)row * V + i];
    if (coin < cdf && pick == V - 1) pick = i;
  }
  chosen[row] = pick;
}

__global__ void countTokens(int *counts, const unsigned short *tokens, int n) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * 2;
  if (i + 1 >= n) return;
  ushort2 pair = *(const ushort2 *)(tokens + i);
  atomicAdd(&counts[pair.x], 1);
  atomicAdd(&counts[pair.y], 1);
}

int main() {
  const int rows = 512, V = 32000, n = 1 << 22;
  float *h = (float *)malloc((size_t)rows * V * sizeof(float));
  for (int i = 0; i < rows * V; i++) h[i] = rand() / (float)RAND_MAX;
  unsigned short *ht = (unsigned short *)malloc(n * 2);
  for (int i = 0; i < n; i++) ht[i] = rand() % 32000;
  float *logits, *coins;
  float2 *two;
  int *best, *counts;
  unsigned short *tokens;
  cudaMalloc(&logits, (size_t)rows * V * 4);
  cudaMalloc(&coins, rows * 4);
  cudaMalloc(&two, rows * 8);
  cudaMalloc(&best, rows * 4);
  cudaMalloc(&counts, 32000 * 4);
  cudaMalloc(&tokens, n * 2);
  cudaMemcpy(logits, h, (size_t)rows * V * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(coins, h, rows * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(tokens, ht, n * 2, cudaMemcpyHostToDevice);
  cudaMemset(counts, 0, 32000 * 4);
  argmaxRow<<<rows, 256>>>(best, logits, V);
  topTwo<<<rows / 4, dim3(32, 4)>>>(two, logits, V);
  cumulativePick<<<rows / 32, 32>>>(best, logits, coins, 2000, rows);
  countTokens<<<n / 2 / 256, 256>>>(counts, tokens, n);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
