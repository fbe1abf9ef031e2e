// Gradients summed in memory: by each element, by columns, through shared memory, for scaled rows.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void biasByElement(const float *dout, float *db, int rows, int C) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * C) atomicAdd(&db[i % C], dout[i]);
}

__global__ void biasByWarps(const float *dout, float *db, int rows, int C) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  for (int c = lane; c < C; c += 32) atomicAdd(&db[c], dout[row * C + c]);
}

__global__ void biasByColumns(const float *dout, float *db, int rows, int C) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, per = rows / gridDim.y;
  float s = 0.f;
  for (int r = blockIdx.y * per; r < (blockIdx.y + 1) * per; r++) s += dout[r * C + c];
  atomicAdd(&db[c], s);
}

// RMS norm, backward: a block a row, gradients of the weight by atomics.
__global__ void rmsBackward(const float *dout, const float *x, const float *w, float *dx, float *dw, int C) {
  __shared__ float part[8], both[2];
  int row = blockIdx.x, t = threadIdx.x;
  const float *g = dout + row * C, *in = x + row * C;
  float sq = 0.f, dot = 0.f;
  for (int c = t; c < C; c += 256) {
    sq += in[c] * in[c];
    dot += g[c] * w[c] * in[c];
  }
  for (int k = 0; k < 2; k++) {
    float v = k ? dot : sq;
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(~0u, v, o);
    if (t % 32 == 0) part[t / 32] = v;
    __syncthreads();
    if (t == 0) {
      for (int i = 1; i < 8; i++) v += part[i];
      both[k] = v;
    }
    __syncthreads();
  }
  float r = rsqrtf(both[0] / C + 1e-5f), f = both[1] * r * r * r / C;
  for (int c = t; c < C; c += 256) {
    dx[row * C + c] = g[c] * w[c] * r - in[c] * f;
    atomicAdd(&dw[c], g[c] * in[c] * r);
  }
}

// Sums by key: few keys, many values.
__global__ void byKey(const int *key, const float *value, float *sums, int *counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(&sums[key[i]], value[i]);
    atomicAdd(&counts[key[i]], 1);
  }
}

int main() {
  const int rows = 8192, C = 1024, n = 1 << 20;
  float *a, *b, *c, *d, *w;
  int *key, *counts, *h = (int *)malloc(n * sizeof(int));
  for (int i = 0; i < n; i++) h[i] = rand() % 1000;
  cudaMalloc(&a, rows * C * sizeof(float));
  cudaMalloc(&b, rows * C * sizeof(float));
  cudaMalloc(&c, rows * C * sizeof(float));
  cudaMalloc(&d, C * sizeof(float));
  cudaMalloc(&w, C * sizeof(float));
  cudaMalloc(&key, n * sizeof(int));
  cudaMalloc(&counts, 1000 * sizeof(int));
  cudaMemset(a, 0, rows * C * sizeof(float));
  cudaMemset(b, 0, rows * C * sizeof(float));
  cudaMemset(d, 0, C * sizeof(float));
  cudaMemset(w, 0, C * sizeof(float));
  cudaMemcpy(key, h, n * sizeof(int), cudaMemcpyHostToDevice);
  biasByElement<<<rows * C / 256, 256>>>(a, d, rows, C);
  biasByWarps<<<rows / 8, 256>>>(a, d, rows, C);
  biasByColumns<<<dim3(C / 256, 64), 256>>>(a, d, rows, C);
  rmsBackward<<<rows, 256>>>(a, b, w, c, d, C);
  byKey<<<n / 256, 256>>>(key, a, d, counts, n);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
