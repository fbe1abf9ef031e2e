// Options: a closed formula in two layouts, trees, and paths drawn at random.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

struct Option {
  float s, k, t, r, v, call, put, pad;
};

__device__ float cnd(float d) {
  float k = 1.f / (1.f + 0.2316419f * fabsf(d));
  float p = 0.39894228f * expf(-0.5f * d * d) * (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1.f - p : p;
}

__global__ void closedStructs(Option *o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float root = sqrtf(o[i].t);
  float d1 = (logf(o[i].s / o[i].k) + (o[i].r + 0.5f * o[i].v * o[i].v) * o[i].t) / (o[i].v * root), d2 = d1 - o[i].v * root;
  float e = expf(-o[i].r * o[i].t);
  o[i].call = o[i].s * cnd(d1) - o[i].k * e * cnd(d2);
  o[i].put = o[i].k * e * (1.f - cnd(d2)) - o[i].s * (1.f - cnd(d1));
}

__global__ void closedArrays(const float *s, const float *k, const float *t, float *call, float *put, float r, float v, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float S = s[i], K = k[i], T = t[i], root = sqrtf(T);
    float d1 = (__logf(S / K) + (r + 0.5f * v * v) * T) / (v * root), d2 = d1 - v * root;
    float c1 = 0.5f * erfcf(-d1 * 0.70710678f), c2 = 0.5f * erfcf(-d2 * 0.70710678f), e = __expf(-r * T);
    call[i] = S * c1 - K * e * c2;
    put[i] = K * e * (1.f - c2) - S * (1.f - c1);
  }
}

// A tree of 1,024 steps a block.
__global__ void tree(const float *spot, float *price, float strike, float up, float p, float discount) {
  __shared__ float value[1025];
  float s = spot[blockIdx.x];
  for (int i = threadIdx.x; i <= 1024; i += blockDim.x) {
    float end = s * powf(up, 2.f * i - 1024.f);
    value[i] = fmaxf(end - strike, 0.f);
  }
  __syncthreads();
  for (int step = 1023; step >= 0; step--) {
    float v[4];
    int count = 0;
    for (int i = threadIdx.x; i <= step; i += blockDim.x) v[count++] = discount * (p * value[i + 1] + (1.f - p) * value[i]);
    __syncthreads();
    count = 0;
    for (int i = threadIdx.x; i <= step; i += blockDim.x) value[i] = v[count++];
    __syncthreads();
  }
  if (threadIdx.x == 0) price[blockIdx.x] = value[0];
}

__device__ unsigned next(unsigned &x) {
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  return x;
}

__global__ void asianPaths(float *payoff, int steps, float drift, float vol, float strike) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned state = i * 747796405u + 2891336453u;
  float s = 100.f, sum = 0.f;
  for (int k = 0; k < steps; k++) {
    float u1 = (next(state) + 1.f) * 2.3283064e-10f, u2 = next(state) * 2.3283064e-10f;
    float z = sqrtf(-2.f * logf(u1)) * cosf(6.2831853f * u2);
    s *= expf(drift + vol * z);
    sum += s;
  }
  payoff[i] = fmaxf(sum / steps - strike, 0.f);
}

int main() {
  const int n = 1 << 20;
  Option *h = (Option *)malloc(n * sizeof(Option)), *o;
  float *f = (float *)malloc(n * sizeof(float)), *s, *k, *t, *call, *put;
  for (int i = 0; i < n; i++) {
    h[i].s = 50.f + rand() % 100;
    h[i].k = 100.f;
    h[i].t = 1.f;
    h[i].r = 0.02f;
    h[i].v = 0.3f;
    f[i] = 1.f + rand() / (float)RAND_MAX;
  }
  cudaMalloc(&o, n * sizeof(Option));
  cudaMalloc(&s, n * sizeof(float));
  cudaMalloc(&k, n * sizeof(float));
  cudaMalloc(&t, n * sizeof(float));
  cudaMalloc(&call, n * sizeof(float));
  cudaMalloc(&put, n * sizeof(float));
  cudaMemcpy(o, h, n * sizeof(Option), cudaMemcpyHostToDevice);
  cudaMemcpy(s, f, n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(k, f, n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(t, f, n * sizeof(float), cudaMemcpyHostToDevice);
  closedStructs<<<n / 256, 256>>>(o, n);
  closedArrays<<<480, 128>>>(s, k, t, call, put, 0.02f, 0.3f, n);
  tree<<<512, 256>>>(s, call, 1.5f, 1.01f, 0.5f, 0.9999f);
  asianPaths<<<512, 256>>>(call, 252, 0.0001f, 0.01f, 100.f);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
