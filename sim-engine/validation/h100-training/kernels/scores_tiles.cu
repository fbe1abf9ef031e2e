// Products of rows with rows, as of queries and keys, from tiles of registers that are filled straight from global memory.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void scoresScalar(const float* query, const float* key, float* score, int length, int width, int pitch, float scale) {
  int row = (blockIdx.y * blockDim.y + threadIdx.y) * 8;
  int col = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
  query += row * pitch;
  key += col * pitch;
  float sum[8][8] = {};
  for (int k = 0; k < width; k++) {
    float a[8], b[8];
    for (int i = 0; i < 8; i++) {
      a[i] = query[i * pitch + k];
      b[i] = key[i * pitch + k];
    }
    for (int i = 0; i < 8; i++)
      for (int j = 0; j < 8; j++) sum[i][j] += a[i] * b[j];
  }
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++) score[(row + i) * length + col + j] = sum[i][j] * scale;
}

__global__ void scoresQuads(const float* query, const float* key, float* score, int length, int width, int pitch, float scale) {
  int row = (blockIdx.y * blockDim.y + threadIdx.y) * 4;
  int col = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
  float sum[4][8] = {};
  for (int k = 0; k < width; k += 4) {
    float4 b[8];
    for (int j = 0; j < 8; j++) b[j] = *reinterpret_cast<const float4*>(&key[(col + j) * pitch + k]);
    for (int i = 0; i < 4; i++) {
      float4 a = *reinterpret_cast<const float4*>(&query[(row + i) * pitch + k]);
      for (int j = 0; j < 8; j++) sum[i][j] += a.x * b[j].x + a.y * b[j].y + a.z * b[j].z + a.w * b[j].w;
    }
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 8; j += 4)
      *reinterpret_cast<float4*>(&score[(row + i) * length + col + j]) =
          make_float4(sum[i][j] * scale, sum[i][j + 1] * scale, sum[i][j + 2] * scale, sum[i][j + 3] * scale);
}

__global__ void scoresSmall(const float* __restrict__ query, const float* __restrict__ key, float* __restrict__ score, int length, int width, int pitch) {
  int row = (blockIdx.y * blockDim.y + threadIdx.y) * 4;
  int col = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  float sum[4][4] = {};
  for (int k = 0; k < width; k++)
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) sum[i][j] += query[(row + i) * pitch + k] * key[(col + j) * pitch + k];
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) score[(row + i) * length + col + j] = sum[i][j];
}

__global__ void mixColumns(const float* weight, const float* value, float* out, int rows, int inner, int cols) {
  int row = (blockIdx.y * blockDim.y + threadIdx.y) * 8;
  int col = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  float sum[8][4] = {};
  for (int k = 0; k < inner; k++) {
    float4 v = *reinterpret_cast<const float4*>(&value[k * cols + col]);
    for (int i = 0; i < 8; i++) {
      float w = weight[(row + i) * inner + k];
      sum[i][0] += w * v.x;
      sum[i][1] += w * v.y;
      sum[i][2] += w * v.z;
      sum[i][3] += w * v.w;
    }
  }
  for (int i = 0; i < 8; i++)
    *reinterpret_cast<float4*>(&out[(row + i) * cols + col]) = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}

int main() {
  const int length = 2048, width = 64, pitch = 192;
  std::vector<float> host(length * pitch);
  for (int i = 0; i < length * pitch; i++) host[i] = (i % 13) * 0.1f - 0.5f;
  float *input, *score, *out;
  cudaMalloc(&input, length * pitch * sizeof(float));
  cudaMalloc(&score, (size_t)length * length * sizeof(float));
  cudaMalloc(&out, length * 256 * sizeof(float));
  cudaMemcpy(input, host.data(), length * pitch * sizeof(float), cudaMemcpyHostToDevice);
  scoresScalar<<<dim3(length / 128, length / 128), dim3(16, 16)>>>(input, input + width, score, length, width, pitch, 0.125f);
  scoresQuads<<<dim3(length / 128, length / 64), dim3(16, 16)>>>(input, input + width, score, length, width, pitch, 0.125f);
  scoresSmall<<<dim3(length / 128, length / 32), dim3(32, 8)>>>(input, input + width, score, length, width, pitch);
  mixColumns<<<dim3(256 / 128, length / 64), dim3(32, 8)>>>(score, input, out, length, 1024, 256);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
