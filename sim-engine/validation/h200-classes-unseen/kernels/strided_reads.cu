// Reads that step over elements: fields of structs, every so many floats, columns of narrow matrices.
#include <cstdio>
#include <cuda_runtime.h>

struct Sample {
  float value, weight, time[22];
};

__global__ void oneField(const Sample *s, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = s[i].value * s[i].weight;
}

__global__ void everySo(const float *in, float *out, int n, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i * stride];
}

__global__ void sumOfFields(const Sample *s, float *out, int n) {
  float v = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += s[i].value;
  atomicAdd(out, v);
}

// A row of 24 floats a thread.
__global__ void rowsOf24(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float m = 0.f;
  for (int k = 0; k < 24; k++) m = fmaxf(m, in[i * 24 + k]);
  out[i] = m;
}

__global__ void rowsOf40(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = 0.f;
#pragma unroll 8
  for (int k = 0; k < 40; k++) s += in[i * 40 + k];
  for (int k = 0; k < 40; k++) out[i * 40 + k] = in[i * 40 + k] / s;
}

int main() {
  const int n = 1 << 20;
  float *in, *out;
  cudaMalloc(&in, n * 64 * sizeof(float));
  cudaMalloc(&out, n * 64 * sizeof(float));
  cudaMemset(in, 0, n * 64 * sizeof(float));
  oneField<<<n / 256, 256>>>((Sample *)in, out, n);
  everySo<<<n / 256, 256>>>(in, out, n, 32);
  everySo<<<n / 256, 256>>>(in, out, n, 48);
  everySo<<<n / 256, 256>>>(in, out, n, 16);
  sumOfFields<<<264, 256>>>((Sample *)in, out, n);
  rowsOf24<<<n / 256, 256>>>(in, out, n);
  rowsOf40<<<n / 4 / 128, 128>>>(in, out, n / 4);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
