// Launches that are over at once: what one load, several one after another, a barrier or a store add to an empty kernel, by where the
// data lies and how many blocks ask for it. Each is launched three times.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void empty() {}
__global__ void storeOne(float* out) { *out = 1; }
__global__ void loadOne(const float* in, float* out) { *out = -*in; }
__global__ void loadTwo(const float* a, const float* b, float* out) { *out = *a + *b; }
__global__ void updateOne(float* x) { *x += 1; }
template <int steps>
__global__ void chain(const int* in, int* out) {
  int at = 0;
#pragma unroll
  for (int k = 0; k < steps; k++) at = in[at];
  *out = at;
}
__global__ void loadWarp(const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] * 2;
}
__global__ void throughShared(const float* in, float* out) {
  extern __shared__ float tile[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = tile[blockDim.x - 1 - threadIdx.x];
}
__global__ void storeWarp(float* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void arithmetic(float* out, int n) {
  float x = threadIdx.x;
  for (int k = 0; k < n; k++) x = x * 1.5f + 1;
  if (x == 0.25f) *out = x;
}

int main() {
  float *a, *b, *c, *far;
  int *ring;
  cudaMalloc(&a, 1 << 20);
  cudaMalloc(&b, 1 << 20);
  cudaMalloc(&c, 1 << 20);
  cudaMalloc(&far, 1 << 30);
  cudaMalloc(&ring, 64 << 20);
  cudaMemset(a, 0, 1 << 20);
  cudaMemset(b, 0, 1 << 20);
  cudaMemset(c, 0, 1 << 20);
  cudaMemset(far, 0, 1 << 30);
  static int next[16 << 20];
  // Steps of 256 bytes in the first page, later of 4 MB.
  for (int k = 0; k < (16 << 20); k++) next[k] = k < 512 ? k + 64 : (k + (1 << 20)) % (16 << 20);
  cudaMemcpy(ring, next, 64 << 20, cudaMemcpyHostToDevice);
  for (int again = 0; again < 3; again++) {
    empty<<<1, 1>>>();
    empty<<<132, 256>>>();
    storeOne<<<1, 1>>>(a);
    loadOne<<<1, 1>>>(a, b);
    loadOne<<<1, 1>>>(far + (200 << 20), b);
    loadTwo<<<1, 1>>>(a, b, c);
    updateOne<<<1, 1>>>(a);
    chain<1><<<1, 1>>>(ring, (int*)c);
    chain<2><<<1, 1>>>(ring, (int*)c);
    chain<3><<<1, 1>>>(ring, (int*)c);
    chain<4><<<1, 1>>>(ring, (int*)c);
    chain<8><<<1, 1>>>(ring, (int*)c);
    chain<4><<<1, 1>>>(ring + 512, (int*)c);
    loadWarp<<<1, 32>>>(a, b);
    loadWarp<<<1, 256>>>(a, b);
    loadWarp<<<8, 256>>>(a, b);
    loadWarp<<<132, 256>>>(a, b);
    loadWarp<<<264, 256>>>(a, b);
    loadWarp<<<1, 1024>>>(a, b);
    throughShared<<<1, 32, 4096>>>(a, b);
    throughShared<<<1, 256, 4096>>>(a, b);
    throughShared<<<132, 256, 4096>>>(a, b);
    storeWarp<<<1, 32>>>(a);
    storeWarp<<<132, 256>>>(a);
    storeWarp<<<264, 256>>>(a);
    arithmetic<<<1, 32>>>(a, 1);
    arithmetic<<<1, 32>>>(a, 100);
    arithmetic<<<132, 256>>>(a, 100);
  }
  cudaDeviceSynchronize();
  return cudaGetLastError() != cudaSuccess;
}
