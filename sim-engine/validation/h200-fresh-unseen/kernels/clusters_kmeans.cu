// K-means: who is nearest, and where the centres go; nearest neighbours.
#include <cfloat>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define K 16
#define D 8
__constant__ float centres[K * D];

__global__ void assignConstant(const float *points, int *labels, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float best = FLT_MAX;
  int label = 0;
  for (int k = 0; k < K; k++) {
    float d2 = 0.f;
    for (int d = 0; d < D; d++) {
      float diff = points[i * D + d] - centres[k * D + d];
      d2 += diff * diff;
    }
    if (d2 < best) {
      best = d2;
      label = k;
    }
  }
  labels[i] = label;
}

__global__ void sumClusters(const float *points, const int *labels, float *sums, int *counts, int n) {
  __shared__ float ssum[K * D];
  __shared__ int scount[K];
  for (int i = threadIdx.x; i < K * D; i += blockDim.x) ssum[i] = 0.f;
  if (threadIdx.x < K) scount[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int label = labels[i];
    for (int d = 0; d < D; d++) atomicAdd(&ssum[label * D + d], points[i * D + d]);
    atomicAdd(&scount[label], 1);
  }
  __syncthreads();
  for (int j = threadIdx.x; j < K * D; j += blockDim.x) atomicAdd(&sums[j], ssum[j]);
  if (threadIdx.x < K) atomicAdd(&counts[threadIdx.x], scount[threadIdx.x]);
}

__global__ void nearestNeighbour(const float2 *queries, const float2 *points, int *nearest, int n) {
  __shared__ float2 tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float2 q = queries[i];
  float best = FLT_MAX;
  int which = -1;
  for (int t = 0; t < n; t += 256) {
    tile[threadIdx.x] = points[t + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 256; j++) {
      float dx = q.x - tile[j].x, dy = q.y - tile[j].y, d = dx * dx + dy * dy;
      if (d < best) {
        best = d;
        which = t + j;
      }
    }
    __syncthreads();
  }
  nearest[i] = which;
}

int main() {
  const int n = 1 << 20;
  float *h = (float *)malloc(n * D * sizeof(float));
  int *hl = (int *)malloc(n * sizeof(int));
  for (int i = 0; i < n * D; i++) h[i] = rand() / (float)RAND_MAX;
  for (int i = 0; i < n; i++) hl[i] = rand() % K;
  float *points, *sums;
  int *labels, *counts;
  cudaMalloc(&points, n * D * sizeof(float));
  cudaMalloc(&labels, n * sizeof(int));
  cudaMalloc(&sums, K * D * sizeof(float));
  cudaMalloc(&counts, K * sizeof(int));
  cudaMemcpy(points, h, n * D * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(labels, hl, n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(centres, h, K * D * sizeof(float));
  cudaMemset(sums, 0, K * D * sizeof(float));
  cudaMemset(counts, 0, K * sizeof(int));
  sumClusters<<<n / 256, 256>>>(points, labels, sums, counts, n);
  assignConstant<<<n / 256, 256>>>(points, labels, n);
  nearestNeighbour<<<32768 / 256, 256>>>((const float2 *)points, (const float2 *)points + 65536, labels, 8192);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
