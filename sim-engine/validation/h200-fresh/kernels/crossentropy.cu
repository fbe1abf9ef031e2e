// Loss of a classifier: logits of a large vocabulary, padded.
#include <cfloat>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

__global__ void crossentropy_forward(float *losses, const float *probs, const int *targets, int B, int T, int V) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < B * T) {
    int b = i / T, t = i % T;
    const float *probs_bt = probs + (size_t)b * T * V + (size_t)t * V;
    int ix = targets[b * T + t];
    losses[b * T + t] = -logf(probs_bt[ix]);
  }
}

__global__ void crossentropy_softmax_backward(float *dlogits, const float *dlosses, const float *probs, const int *targets, int B, int T, int V) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < B * T * V) {
    int b = i / (T * V), t = (i / V) % T, v = i % V;
    float p = probs[i];
    int ix = targets[b * T + t];
    float indicator = v == ix ? 1.0f : 0.0f;
    dlogits[i] += (p - indicator) * dlosses[b * T + t];
  }
}

// A block a row: maximum and sum at once, the loss, and the gradient in place of the logits.
__global__ void __launch_bounds__(1024) fused_loss(float *logits, float *losses, const int *targets, float scale, int V, int P) {
  __shared__ float smax[32], ssum[32];
  float *x = logits + (size_t)blockIdx.x * P;
  float m = -FLT_MAX, s = 0.f;
  for (int i = threadIdx.x; i < V / 4; i += blockDim.x) {
    float4 v = reinterpret_cast<const float4 *>(x)[i];
    float top = fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
    float next = fmaxf(m, top);
    s *= expf(m - next);
    s += expf(v.x - next) + expf(v.y - next) + expf(v.z - next) + expf(v.w - next);
    m = next;
  }
  for (int o = 16; o > 0; o >>= 1) {
    float om = __shfl_xor_sync(~0u, m, o), os = __shfl_xor_sync(~0u, s, o);
    float next = fmaxf(m, om);
    s = s * expf(m - next) + os * expf(om - next);
    m = next;
  }
  if (threadIdx.x % 32 == 0) {
    smax[threadIdx.x / 32] = m;
    ssum[threadIdx.x / 32] = s;
  }
  __syncthreads();
  m = smax[threadIdx.x % 32];
  s = ssum[threadIdx.x % 32];
  for (int o = 16; o > 0; o >>= 1) {
    float om = __shfl_xor_sync(~0u, m, o), os = __shfl_xor_sync(~0u, s, o);
    float next = fmaxf(m, om);
    s = s * expf(m - next) + os * expf(om - next);
    m = next;
  }
  int target = targets[blockIdx.x];
  if (threadIdx.x == 0) losses[blockIdx.x] = -logf(expf(x[target] - m) / s);
  __syncthreads();
  float inverse = 1.f / s;
  for (int i = threadIdx.x; i < V; i += blockDim.x) {
    float p = expf(x[i] - m) * inverse;
    x[i] = (p - (i == target ? 1.f : 0.f)) * scale;
  }
}

int main() {
  const int B = 2, T = 512, V = 50257, P = 50304;
  std::vector<int> targets(B * T);
  for (int i = 0; i < B * T; i++) targets[i] = rand() % V;
  float *logits, *dlogits, *losses, *dlosses;
  int *d_targets;
  cudaMalloc(&logits, (size_t)B * T * P * sizeof(float));
  cudaMalloc(&dlogits, (size_t)B * T * P * sizeof(float));
  cudaMalloc(&losses, B * T * sizeof(float));
  cudaMalloc(&dlosses, B * T * sizeof(float));
  cudaMalloc(&d_targets, B * T * sizeof(int));
  cudaMemset(logits, 0, (size_t)B * T * P * sizeof(float));
  cudaMemset(dlogits, 0, (size_t)B * T * P * sizeof(float));
  cudaMemset(dlosses, 0, B * T * sizeof(float));
  cudaMemcpy(d_targets, targets.data(), B * T * sizeof(int), cudaMemcpyHostToDevice);
  crossentropy_forward<<<(B * T + 127) / 128, 128>>>(losses, logits, d_targets, B, T, V);
  crossentropy_softmax_backward<<<(B * T * V + 255) / 256, 256>>>(dlogits, dlosses, logits, d_targets, B, T, V);
  fused_loss<<<B * T, 1024>>>(logits, losses, d_targets, 1.0f / (B * T), V, P);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
