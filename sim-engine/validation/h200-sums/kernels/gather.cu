// Warps that fetch numbers from all over memory and then turn a long loop: those that come first do not wait for the others.
#include <cstdio>
__global__ void gather(const float *x, const int *at, float *y, int turns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int k = 0; k < 64; k++) s += x[at[i * 64 + k]];
  for (int k = 0; k < turns; k++) s = s * 0.999f + 0.25f;
  y[i] = s;
}
__global__ void contended(float *sum, float *y, int turns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = atomicAdd(sum, 1.0f);
  for (int k = 0; k < turns; k++) s = s * 0.999f + 0.25f;
  y[i] = s;
}
__global__ void often(const float *x, const int *at, float *y, int turns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int r = 0; r < 50; r++) {
    for (int k = 0; k < 8; k++) s += x[at[(i * 8 + k + r * 4096) & ((1 << 24) - 1)]];
    for (int k = 0; k < turns; k++) s = s * 0.999f + 0.25f;
  }
  y[i] = s;
}
int main() {
  const int blocks = 132 * 8, threads = 256, n = 1 << 26;
  float *x, *y;
  int *at;
  cudaMalloc(&x, n * sizeof(float));
  cudaMemset(x, 0, n * sizeof(float));
  cudaMalloc(&y, blocks * threads * sizeof(float));
  cudaMalloc(&at, n * sizeof(int));
  int *host = new int[n];
  unsigned seed = 1;
  for (int i = 0; i < n; i++) {
    seed = seed * 1664525u + 1013904223u;
    host[i] = seed >> 6;
  }
  cudaMemcpy(at, host, n * sizeof(int), cudaMemcpyHostToDevice);
  gather<<<blocks, threads>>>(x, at, y, 200000);
  contended<<<blocks, threads>>>(x, y, 200000);
  often<<<blocks, threads>>>(x, at, y, 4000);
  gather<<<132, 64>>>(x, at, y, 200000);
  contended<<<132, 64>>>(x, y, 200000);
  often<<<132, 64>>>(x, at, y, 4000);
  gather<<<blocks, threads>>>(x, at, y, 2000);
  gather<<<blocks, threads>>>(x, at, y, 100);
  cudaDeviceSynchronize();
  return 0;
}
