// Monte Carlo with a generator of its own: pi, the price of an option, an integral.
#include <cstdio>
#include <cuda_runtime.h>

__device__ unsigned nextRandom(unsigned &state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

__device__ float uniform(unsigned &state) { return (nextRandom(state) >> 8) * (1.0f / 16777216.0f); }

__global__ void countInside(unsigned long long *inside, int trials) {
  unsigned state = 1234567u + 747796405u * (blockIdx.x * blockDim.x + threadIdx.x);
  int hits = 0;
  for (int t = 0; t < trials; t++) {
    float x = uniform(state), y = uniform(state);
    if (x * x + y * y <= 1.0f) hits++;
  }
  for (int o = 16; o > 0; o >>= 1) hits += __shfl_down_sync(0xffffffff, hits, o);
  if (threadIdx.x % 32 == 0) atomicAdd(inside, (unsigned long long)hits);
}

__global__ void asianOption(float *payoffs, int steps, float s0, float strike, float drift, float vol) {
  unsigned state = 88172645u ^ (2654435761u * (1 + blockIdx.x * blockDim.x + threadIdx.x));
  float s = s0, sum = 0.f;
  for (int t = 0; t < steps; t++) {
    float u1 = uniform(state) + 1e-7f, u2 = uniform(state);
    float z = sqrtf(-2.0f * logf(u1)) * cosf(6.2831853f * u2);
    s *= expf(drift + vol * z);
    sum += s;
  }
  payoffs[blockIdx.x * blockDim.x + threadIdx.x] = fmaxf(sum / steps - strike, 0.0f);
}

__global__ void meanOf(const float *values, float *mean, int n) {
  __shared__ float cache[256];
  float sum = 0;
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) sum += values[i];
  cache[threadIdx.x] = sum;
  __syncthreads();
  for (int s = blockDim.x / 2; s != 0; s /= 2) {
    if (threadIdx.x < s) cache[threadIdx.x] += cache[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(mean, cache[0] / n);
}

int main() {
  unsigned long long *inside;
  float *payoffs, *mean;
  const int paths = 1 << 19;
  cudaMalloc(&inside, 8);
  cudaMalloc(&payoffs, paths * sizeof(float));
  cudaMalloc(&mean, sizeof(float));
  cudaMemset(inside, 0, 8);
  cudaMemset(mean, 0, 4);
  countInside<<<1024, 256>>>(inside, 1000);
  asianOption<<<paths / 128, 128>>>(payoffs, 100, 100.f, 95.f, 0.0001f, 0.02f);
  meanOf<<<64, 256>>>(payoffs, mean, paths);
  float m;
  cudaMemcpy(&m, mean, sizeof(float), cudaMemcpyDeviceToHost);
  printf("%f\n", m);
  return 0;
}
