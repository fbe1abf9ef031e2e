#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__device__ void addHalf(__half* address, float value) {
  unsigned* base = (unsigned*)((size_t)address & ~(size_t)2);
  bool high = ((size_t)address & 2) != 0;
  unsigned old = *base, assumed;
  do {
    assumed = old;
    unsigned short bits = high ? (unsigned short)(assumed >> 16) : (unsigned short)(assumed & 0xffff);
    float sum = __half2float(__ushort_as_half(bits)) + value;
    unsigned short next = __half_as_ushort(__float2half(sum));
    unsigned changed = high ? (assumed & 0xffff) | ((unsigned)next << 16) : (assumed & 0xffff0000) | next;
    old = atomicCAS(base, assumed, changed);
  } while (assumed != old);
}

// A row of gradients for each token.
__global__ void embeddingGradient(__half* table, const int* tokens, const float* gradient, int width) {
  int token = tokens[blockIdx.x];
  for (int c = threadIdx.x; c < width; c += blockDim.x) addHalf(&table[token * width + c], gradient[blockIdx.x * width + c]);
}

__global__ void biasGradient(__half* bias, const float* gradient, int rows, int width) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int r = blockIdx.y; r < rows; r += gridDim.y) sum += gradient[r * width + c];
  addHalf(&bias[c], sum);
}

int main() {
  const int tokens = 8192, width = 512, vocabulary = 2048;
  float* h = (float*)malloc(tokens * width * sizeof(float));
  int* t = (int*)malloc(tokens * sizeof(int));
  for (int i = 0; i < tokens * width; i++) h[i] = (float)(i % 13) * 0.01f;
  for (int i = 0; i < tokens; i++) t[i] = rand() % vocabulary;
  float* gradient;
  int* at;
  __half *table, *bias;
  cudaMalloc(&gradient, tokens * width * sizeof(float));
  cudaMalloc(&at, tokens * sizeof(int));
  cudaMalloc(&table, vocabulary * width * sizeof(__half));
  cudaMalloc(&bias, width * sizeof(__half));
  cudaMemcpy(gradient, h, tokens * width * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(at, t, tokens * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(table, 0, vocabulary * width * sizeof(__half));
  cudaMemset(bias, 0, width * sizeof(__half));
  embeddingGradient<<<tokens, 128>>>(table, at, gradient, width);
  biasGradient<<<dim3(width / 128, 64), 128>>>(bias, gradient, tokens, width);
  biasGradient<<<dim3(width / 128, 512), 128>>>(bias, gradient, tokens, width);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
