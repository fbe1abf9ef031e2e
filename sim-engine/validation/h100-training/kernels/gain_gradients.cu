// Gradients of gains and biases that every row adds to: by atomics from each row, from each block, and with rows in shared memory.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void addEachRow(float* gradGain, float* gradBias, const float* grad, const float* in, const float* scale, int rows, int width) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  int lane = threadIdx.x % 32;
  if (row >= rows) return;
  float s = scale[row];
  for (int i = lane; i < width; i += 32) {
    float g = grad[row * width + i];
    atomicAdd(&gradBias[i], g);
    atomicAdd(&gradGain[i], g * in[row * width + i] * s);
  }
}

__global__ void addInShared(float* gradGain, float* gradBias, const float* grad, const float* in, const float* scale, int rows, int width) {
  extern __shared__ float sums[];
  for (int i = threadIdx.x; i < 2 * width; i += blockDim.x) sums[i] = 0.0f;
  __syncthreads();
  int lane = threadIdx.x % 32;
  int warps = gridDim.x * (blockDim.x / 32);
  for (int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; row < rows; row += warps) {
    float s = scale[row];
    for (int i = lane; i < width; i += 32) {
      float g = grad[row * width + i];
      atomicAdd(&sums[i], g);
      atomicAdd(&sums[width + i], g * in[row * width + i] * s);
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < width; i += blockDim.x) {
    atomicAdd(&gradBias[i], sums[i]);
    atomicAdd(&gradGain[i], sums[width + i]);
  }
}

__global__ void addColumns(float* gradBias, const float* grad, int rows, int width, int share) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  int first = blockIdx.y * share;
  for (int row = first; row < first + share; row++) sum += grad[row * width + col];
  atomicAdd(&gradBias[col], sum);
}

__global__ void scatterRows(float* table, const int* token, const float* grad, int rows, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * width) return;
  atomicAdd(&table[token[i / width] * width + i % width], grad[i]);
}

int main() {
  const int rows = 8192, width = 768;
  std::vector<float> host(rows * width);
  std::vector<int> tokens(rows);
  for (int i = 0; i < rows * width; i++) host[i] = (i % 19) * 0.1f - 0.9f;
  for (int i = 0; i < rows; i++) tokens[i] = (i * 7919) % 30000;
  float *grad, *in, *gradGain, *gradBias, *scale, *table;
  int* token;
  cudaMalloc(&grad, rows * width * sizeof(float));
  cudaMalloc(&in, rows * width * sizeof(float));
  cudaMalloc(&gradGain, width * sizeof(float));
  cudaMalloc(&gradBias, width * sizeof(float));
  cudaMalloc(&scale, rows * sizeof(float));
  cudaMalloc(&table, 30000 * width * sizeof(float));
  cudaMalloc(&token, rows * sizeof(int));
  cudaMemcpy(grad, host.data(), rows * width * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(in, host.data(), rows * width * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(scale, host.data(), rows * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(token, tokens.data(), rows * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(gradGain, 0, width * sizeof(float));
  cudaMemset(gradBias, 0, width * sizeof(float));
  cudaMemset(table, 0, 30000 * width * sizeof(float));
  addEachRow<<<rows / 8, 256>>>(gradGain, gradBias, grad, in, scale, rows, width);
  addEachRow<<<rows / 2, 64>>>(gradGain, gradBias, grad, in, scale, rows, width);
  addInShared<<<132, 512, 2 * width * sizeof(float)>>>(gradGain, gradBias, grad, in, scale, rows, width);
  addInShared<<<1024, 256, 2 * width * sizeof(float)>>>(gradGain, gradBias, grad, in, scale, rows, width);
  addColumns<<<dim3(width / 128, rows / 64), 128>>>(gradBias, grad, rows, width, 64);
  addColumns<<<dim3(width / 256, rows / 16), 256>>>(gradBias, grad, rows, width, 16);
  scatterRows<<<rows * width / 256, 256>>>(table, token, grad, rows, width);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
