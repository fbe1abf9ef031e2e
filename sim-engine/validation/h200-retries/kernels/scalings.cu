#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__device__ void multiply(float* address, float by) {
  unsigned* p = (unsigned*)address;
  unsigned old = *p, assumed;
  do {
    assumed = old;
    old = atomicCAS(p, assumed, __float_as_uint(__uint_as_float(assumed) * by));
  } while (assumed != old);
}

// Each edge scales the product of its node.
__global__ void nodeProducts(const int* node, const float* weight, float* product, int edges) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e < edges) multiply(&product[node[e]], weight[e]);
}

__global__ void rowProducts(const float* x, float* product, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y;
  multiply(&product[row], x[row * cols + c]);
}

int main() {
  const int edges = 1 << 20, nodes = 1 << 17, rows = 256, cols = 2048;
  int* n = (int*)malloc(edges * sizeof(int));
  float* w = (float*)malloc(edges * sizeof(float));
  for (int i = 0; i < edges; i++) {
    n[i] = rand() % nodes;
    w[i] = 1.0f + (float)(i % 7) * 0.001f;
  }
  int* node;
  float *weight, *product;
  cudaMalloc(&node, edges * sizeof(int));
  cudaMalloc(&weight, edges * sizeof(float));
  cudaMalloc(&product, nodes * sizeof(float));
  cudaMemcpy(node, n, edges * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(weight, w, edges * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(product, 1, nodes * sizeof(float));
  nodeProducts<<<edges / 256, 256>>>(node, weight, product, edges);
  rowProducts<<<dim3(cols / 256, rows), 256>>>(weight, product, rows, cols);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
