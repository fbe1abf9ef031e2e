// The optimiser: AdamW on floats, with lerp, with parameters in bfloat16 and master weights, and the norm of gradients before it.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

__global__ void adamw_kernel1(float *params, const float *grads, float *m_memory, float *v_memory, long num_parameters, float lr, float beta1,
                              float beta2, float beta1_correction, float beta2_correction, float eps, float weight_decay) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= num_parameters) return;
  m_memory[i] = beta1 * m_memory[i] + (1.0f - beta1) * grads[i];
  v_memory[i] = beta2 * v_memory[i] + (1.0f - beta2) * grads[i] * grads[i];
  float m_hat = m_memory[i] / beta1_correction;
  float v_hat = v_memory[i] / beta2_correction;
  params[i] -= lr * (m_hat / (sqrtf(v_hat) + eps) + weight_decay * params[i]);
}

__device__ inline float lerp(float start, float end, float weight) { return fma(weight, end, fma(-weight, start, start)); }

__global__ void adamw_kernel2(__nv_bfloat16 *params, float *master, const __nv_bfloat16 *grads, float *m_memory, float *v_memory, size_t n, float lr,
                              float beta1, float beta2, float c1, float c2, float eps, float weight_decay, float grad_scale) {
  size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float grad = grad_scale * (float)grads[i];
  float m = m_memory[i], v = v_memory[i];
  m = lerp(grad, m, beta1);
  m_memory[i] = m;
  v = lerp(grad * grad, v, beta2);
  v_memory[i] = v;
  m /= c1;
  v /= c2;
  float old = master[i];
  float param = old - lr * (m / (sqrtf(v) + eps) + weight_decay * old);
  params[i] = __float2bfloat16(param);
  master[i] = param;
}

__global__ void norm_squared(float *out, const __nv_bfloat16 *data, size_t count) {
  size_t index = blockIdx.x * blockDim.x + threadIdx.x;
  size_t width = blockDim.x * gridDim.x;
  float acc = 0.f;
  for (size_t i = index; i < count; i += width) acc += (float)data[i] * (float)data[i];
  for (int o = 16; o > 0; o /= 2) acc += __shfl_xor_sync(0xffffffff, acc, o);
  __shared__ float shared[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  if (lane == 0) shared[warp] = acc;
  __syncthreads();
  acc = lane < warps ? shared[lane] : 0.f;
  for (int o = 16; o > 0; o /= 2) acc += __shfl_xor_sync(0xffffffff, acc, o);
  if (threadIdx.x == 0) out[blockIdx.x] = acc;
}

__global__ void sgd_momentum(float4 *w, float4 *velocity, const float4 *g, float lr, float mu, int n4) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n4) return;
  float4 p = w[i], v = velocity[i], d = g[i];
  v.x = mu * v.x - lr * d.x;
  v.y = mu * v.y - lr * d.y;
  v.z = mu * v.z - lr * d.z;
  v.w = mu * v.w - lr * d.w;
  p.x += v.x;
  p.y += v.y;
  p.z += v.z;
  p.w += v.w;
  velocity[i] = v;
  w[i] = p;
}

int main() {
  const long n = 10485760;
  float *params, *grads, *m, *v, *norms;
  __nv_bfloat16 *low;
  cudaMalloc(&params, n * sizeof(float));
  cudaMalloc(&grads, n * sizeof(float));
  cudaMalloc(&m, n * sizeof(float));
  cudaMalloc(&v, n * sizeof(float));
  cudaMalloc(&low, n * sizeof(__nv_bfloat16));
  cudaMalloc(&norms, 2048 * sizeof(float));
  cudaMemset(params, 0, n * sizeof(float));
  cudaMemset(grads, 0, n * sizeof(float));
  cudaMemset(m, 0, n * sizeof(float));
  cudaMemset(v, 0, n * sizeof(float));
  cudaMemset(low, 0, n * sizeof(__nv_bfloat16));
  const int t = 10;
  float c1 = 1.0f - powf(0.9f, t), c2 = 1.0f - powf(0.999f, t);
  adamw_kernel1<<<(n + 511) / 512, 512>>>(params, grads, m, v, n, 1e-3f, 0.9f, 0.999f, c1, c2, 1e-8f, 0.01f);
  adamw_kernel2<<<(n + 511) / 512, 512>>>(low, params, (const __nv_bfloat16 *)grads, m, v, n, 1e-3f, 0.9f, 0.999f, c1, c2, 1e-8f, 0.01f, 1.0f);
  norm_squared<<<132 * 2, 1024>>>(norms, (const __nv_bfloat16 *)grads, n * 2);
  sgd_momentum<<<n / 4 / 256, 256>>>((float4 *)params, (float4 *)m, (const float4 *)grads, 0.1f, 0.9f, n / 4);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
