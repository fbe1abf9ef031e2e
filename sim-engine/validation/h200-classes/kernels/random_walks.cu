// Monte Carlo: pi, an integral, walks on a grid, noise for pictures.
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>

__device__ __forceinline__ unsigned hash(unsigned x) {
  x = (x ^ 61u) ^ (x >> 16);
  x *= 9u;
  x ^= x >> 4;
  x *= 0x27d4eb2du;
  return x ^ (x >> 15);
}

__global__ void countInside(unsigned long long *inside, int tries) {
  unsigned long long seed = 1234567ull + blockIdx.x * blockDim.x + threadIdx.x;
  unsigned mine = 0;
  for (int i = 0; i < tries; i++) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    float x = (unsigned)(seed >> 33) * (1.f / 2147483648.f);
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    float y = (unsigned)(seed >> 33) * (1.f / 2147483648.f);
    if (x * x + y * y < 1.f) mine++;
  }
  atomicAdd(inside, (unsigned long long)mine);
}

__global__ void integral(double *sum, int n) {
  __shared__ double part[256];
  double s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    double x = hash(i) * (1.0 / 4294967296.0);
    s += exp(-x * x) * sin(x);
  }
  part[threadIdx.x] = s;
  __syncthreads();
  for (int k = 128; k > 0; k >>= 1) {
    if (threadIdx.x < k) part[threadIdx.x] += part[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(sum, part[0]);
}

__global__ void walk(int *visits, int side, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned s = hash(i);
  int x = side / 2, y = side / 2;
  for (int k = 0; k < steps; k++) {
    s = s * 1664525u + 1013904223u;
    int d = s >> 30;
    x = (x + (d == 0) - (d == 1)) & (side - 1);
    y = (y + (d == 2) - (d == 3)) & (side - 1);
  }
  atomicAdd(&visits[y * side + x], 1);
}

__global__ void valueNoise(float *image, int w, int h, int octaves) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float v = 0.f, a = 0.5f, f = 1.f / 64.f;
  for (int o = 0; o < octaves; o++) {
    float px = x * f, py = y * f, ix = floorf(px), iy = floorf(py), fx = px - ix, fy = py - iy;
    unsigned k = (unsigned)ix + 57u * (unsigned)iy;
    float n00 = hash(k) * 2.3283064e-10f, n10 = hash(k + 1) * 2.3283064e-10f, n01 = hash(k + 57) * 2.3283064e-10f,
          n11 = hash(k + 58) * 2.3283064e-10f;
    fx = fx * fx * (3.f - 2.f * fx);
    fy = fy * fy * (3.f - 2.f * fy);
    v += a * ((n00 * (1 - fx) + n10 * fx) * (1 - fy) + (n01 * (1 - fx) + n11 * fx) * fy);
    a *= 0.5f;
    f *= 2.f;
  }
  image[y * w + x] = v;
}

int main() {
  unsigned long long *inside;
  double *sum;
  int *visits;
  float *image;
  cudaMalloc(&inside, 8);
  cudaMalloc(&sum, 8);
  cudaMalloc(&visits, 256 * 256 * sizeof(int));
  cudaMalloc(&image, 2048 * 2048 * sizeof(float));
  cudaMemset(inside, 0, 8);
  cudaMemset(sum, 0, 8);
  cudaMemset(visits, 0, 256 * 256 * sizeof(int));
  countInside<<<528, 256>>>(inside, 1000);
  integral<<<264, 256>>>(sum, 1 << 22);
  walk<<<1024, 128>>>(visits, 256, 500);
  valueNoise<<<dim3(2048 / 16, 2048 / 16), dim3(16, 16)>>>(image, 2048, 2048, 5);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
