// Sums of an array, step by step as they are taught.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

__global__ void sumInterleaved(const float *in, float *out, int n) {
  extern __shared__ float s[];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0.f;
  __syncthreads();
  for (int step = 1; step < blockDim.x; step *= 2) {
    if (t % (2 * step) == 0) s[t] += s[t + step];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

__global__ void sumStrided(const float *in, float *out, int n) {
  extern __shared__ float s[];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0.f;
  __syncthreads();
  for (int step = 1; step < blockDim.x; step *= 2) {
    int k = 2 * step * t;
    if (k < blockDim.x) s[k] += s[k + step];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

__global__ void sumSequential(const float *in, float *out, int n) {
  extern __shared__ float s[];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
  float v = i < n ? in[i] : 0.f;
  if (i + blockDim.x < n) v += in[i + blockDim.x];
  s[t] = v;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step >>= 1) {
    if (t < step) s[t] += s[t + step];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

__global__ void sumGridStride(const float4 *in, float *out, int n4) {
  __shared__ float part[8];
  float v = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
    float4 x = in[i];
    v += x.x + x.y + x.z + x.w;
  }
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0.f;
    for (int o = 4; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    if (threadIdx.x == 0) atomicAdd(out, v);
  }
}

// Mean and variance at once, in doubles.
__global__ void moments(const float *in, double *out, int n) {
  double s = 0, q = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    double x = in[i];
    s += x;
    q += x * x;
  }
  for (int o = 16; o > 0; o >>= 1) {
    s += __shfl_xor_sync(~0u, s, o);
    q += __shfl_xor_sync(~0u, q, o);
  }
  if ((threadIdx.x & 31) == 0) {
    atomicAdd(out, s);
    atomicAdd(out + 1, q);
  }
}

int main() {
  const int n = 1 << 23;
  std::vector<float> h(n);
  for (int i = 0; i < n; i++) h[i] = (float)rand() / RAND_MAX;
  float *in, *out;
  double *d;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n / 256 * sizeof(float));
  cudaMalloc(&d, 2 * sizeof(double));
  cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(d, 0, 2 * sizeof(double));
  sumInterleaved<<<n / 256, 256, 256 * sizeof(float)>>>(in, out, n);
  sumStrided<<<n / 256, 256, 256 * sizeof(float)>>>(in, out, n);
  sumSequential<<<n / 512, 256, 256 * sizeof(float)>>>(in, out, n);
  sumGridStride<<<132 * 4, 256>>>((const float4 *)in, out, n / 4);
  moments<<<264, 512>>>(in, d, n);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
