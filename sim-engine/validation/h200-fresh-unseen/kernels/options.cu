// Prices of options: closed form and binomial tree.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__device__ float normalCdf(float d) {
  const float A1 = 0.31938153f, A2 = -0.356563782f, A3 = 1.781477937f, A4 = -1.821255978f, A5 = 1.330274429f;
  float K = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  float cnd = 0.39894228f * expf(-0.5f * d * d) * (K * (A1 + K * (A2 + K * (A3 + K * (A4 + K * A5)))));
  return d > 0 ? 1.0f - cnd : cnd;
}

__global__ void blackScholes(float *call, float *put, const float *S, const float *X, const float *T, float R, float V, int n) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i >= n) return;
  float root = sqrtf(T[i]);
  float d1 = (logf(S[i] / X[i]) + (R + 0.5f * V * V) * T[i]) / (V * root);
  float d2 = d1 - V * root;
  float c1 = normalCdf(d1), c2 = normalCdf(d2);
  float e = expf(-R * T[i]);
  call[i] = S[i] * c1 - X[i] * e * c2;
  put[i] = X[i] * e * (1.0f - c2) - S[i] * (1.0f - c1);
}

__global__ void blackScholesErf(double *call, const double *S, const double *X, const double *T, double R, double V, int n) {
  for (int i = blockDim.x * blockIdx.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    double s = V * sqrt(T[i]);
    double d1 = (log(S[i] / X[i]) + (R + 0.5 * V * V) * T[i]) / s;
    call[i] = S[i] * 0.5 * erfc(-d1 * 0.70710678) - X[i] * exp(-R * T[i]) * 0.5 * erfc(-(d1 - s) * 0.70710678);
  }
}

#define STEPS 512
__global__ void binomialTree(float *price, const float *S, const float *X, float up, float puByDf, float pdByDf) {
  __shared__ float value[STEPS + 1];
  float s = S[blockIdx.x], x = X[blockIdx.x];
  for (int i = threadIdx.x; i <= STEPS; i += blockDim.x) {
    float v = s * __powf(up, (float)(2 * i - STEPS)) - x;
    value[i] = v > 0 ? v : 0;
  }
  for (int step = STEPS; step > 0; step--) {
    __syncthreads();
    float mine[STEPS / 128];
    for (int k = 0; k < STEPS / 128; k++) {
      int i = threadIdx.x + k * 128;
      mine[k] = i < step ? puByDf * value[i + 1] + pdByDf * value[i] : 0.0f;
    }
    __syncthreads();
    for (int k = 0; k < STEPS / 128; k++) {
      int i = threadIdx.x + k * 128;
      if (i < step) value[i] = mine[k];
    }
  }
  if (threadIdx.x == 0) price[blockIdx.x] = value[0];
}

int main() {
  const int n = 4000000;
  float *h = (float *)malloc(n * sizeof(float));
  float *S, *X, *T, *call, *put;
  cudaMalloc(&S, n * sizeof(float));
  cudaMalloc(&X, n * sizeof(float));
  cudaMalloc(&T, n * sizeof(float));
  cudaMalloc(&call, n * sizeof(float));
  cudaMalloc(&put, n * sizeof(float));
  for (int i = 0; i < n; i++) h[i] = 5.0f + 25.0f * rand() / RAND_MAX;
  cudaMemcpy(S, h, n * sizeof(float), cudaMemcpyHostToDevice);
  for (int i = 0; i < n; i++) h[i] = 1.0f + 99.0f * rand() / RAND_MAX;
  cudaMemcpy(X, h, n * sizeof(float), cudaMemcpyHostToDevice);
  for (int i = 0; i < n; i++) h[i] = 0.25f + 9.75f * rand() / RAND_MAX;
  cudaMemcpy(T, h, n * sizeof(float), cudaMemcpyHostToDevice);
  blackScholes<<<(n + 127) / 128, 128>>>(call, put, S, X, T, 0.02f, 0.30f, n);
  blackScholesErf<<<480, 128>>>((double *)call, (double *)S, (double *)X, (double *)T, 0.02, 0.3, n / 2);
  binomialTree<<<1024, 128>>>(call, S, X, 1.01f, 0.502f, 0.497f);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
