// Attention that looks back alone: rows of scores as long as their number, made weights of, and values mixed by them.
#include <cmath>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void weightsByWarp(float* weight, const float* score, int heads, int length, float scale) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  int lane = threadIdx.x % 32;
  if (row >= heads * length) return;
  int own = row % length;
  const float* x = score + (size_t)row * length;
  float top = -INFINITY;
  for (int j = lane; j <= own; j += 32) top = fmaxf(top, x[j]);
  for (int step = 16; step > 0; step >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, step));
  float sum = 0.0f;
  for (int j = lane; j <= own; j += 32) sum += expf(scale * (x[j] - top));
  for (int step = 16; step > 0; step >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  float* y = weight + (size_t)row * length;
  for (int j = lane; j < length; j += 32) y[j] = j <= own ? expf(scale * (x[j] - top)) / sum : 0.0f;
}

__global__ void weightsByThread(float* weight, const float* score, int heads, int length) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= heads * length) return;
  int own = row % length;
  const float* x = score + (size_t)row * length;
  float* y = weight + (size_t)row * length;
  float top = -10000.0f;
  for (int j = 0; j <= own; j++)
    if (x[j] > top) top = x[j];
  float sum = 0.0f;
  for (int j = 0; j <= own; j++) {
    float e = expf(x[j] - top);
    sum += e;
    y[j] = e;
  }
  for (int j = 0; j < length; j++) y[j] = j <= own ? y[j] / sum : 0.0f;
}

__global__ void mixByThread(float* out, const float* weight, const float* value, int heads, int length, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= heads * length) return;
  int head = i / length;
  int own = i % length;
  float* y = out + i * width;
  for (int c = 0; c < width; c++) y[c] = 0.0f;
  for (int j = 0; j <= own; j++) {
    const float* v = value + (head * length + j) * width;
    float w = weight[(size_t)i * length + j];
    for (int c = 0; c < width; c++) y[c] += w * v[c];
  }
}

__global__ void mixByElement(float* out, const float* weight, const float* value, int heads, int length, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= heads * length * width) return;
  int c = i % width;
  int row = i / width;
  int head = row / length;
  int own = row % length;
  float sum = 0.0f;
  for (int j = 0; j <= own; j++) sum += weight[(size_t)row * length + j] * value[(head * length + j) * width + c];
  out[i] = sum;
}

int main() {
  const int heads = 48, length = 512, width = 64;
  std::vector<float> host(heads * length * length);
  for (int i = 0; i < heads * length * length; i++) host[i] = (i % 23) * 0.1f - 1.1f;
  float *score, *weight, *value, *out;
  cudaMalloc(&score, heads * length * length * sizeof(float));
  cudaMalloc(&weight, heads * length * length * sizeof(float));
  cudaMalloc(&value, heads * length * width * sizeof(float));
  cudaMalloc(&out, heads * length * width * sizeof(float));
  cudaMemcpy(score, host.data(), heads * length * length * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(value, host.data(), heads * length * width * sizeof(float), cudaMemcpyHostToDevice);
  weightsByWarp<<<heads * length / 8, 256>>>(weight, score, heads, length, 0.125f);
  weightsByWarp<<<heads * length / 2, 64>>>(weight, score, heads, length, 0.125f);
  weightsByThread<<<heads * length / 128, 128>>>(weight, score, heads, length);
  mixByThread<<<heads * length / 128, 128>>>(out, weight, value, heads, length, width);
  mixByElement<<<heads * length * width / 256, 256>>>(out, weight, value, heads, length, width);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
