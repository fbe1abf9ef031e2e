// GELU forward and backward, in floats and in packs of bfloat16.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#define GELU_SCALING_FACTOR sqrtf(2.0f / M_PI)
typedef __nv_bfloat16 floatX;

__global__ void gelu_forward1(float *out, const float *inp, int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) {
    float x = inp[i];
    float cube = 0.044715f * x * x * x;
    out[i] = 0.5f * x * (1.0f + tanhf(GELU_SCALING_FACTOR * (x + cube)));
  }
}

__global__ void gelu_backward1(float *dinp, const float *inp, const float *dout, int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) {
    float x = inp[i];
    float cube = 0.044715f * x * x * x;
    float arg = GELU_SCALING_FACTOR * (x + cube);
    float th = tanhf(arg);
    float ch = coshf(arg);
    float sech = 1.0f / (ch * ch);
    float local = 0.5f * (1.0f + th) + x * 0.5f * sech * GELU_SCALING_FACTOR * (1.0f + 3.0f * 0.044715f * x * x);
    dinp[i] = local * dout[i];
  }
}

template <class T>
struct alignas(16) Pack {
  static constexpr int size = 16 / sizeof(T);
  T data[size];
  __device__ T &operator[](int i) { return data[i]; }
  __device__ const T &operator[](int i) const { return data[i]; }
};
typedef Pack<floatX> x128;

__device__ x128 load128(const floatX *p) {
  int4 bits = *reinterpret_cast<const int4 *>(p);
  return *reinterpret_cast<x128 *>(&bits);
}
__device__ void store128(floatX *p, x128 v) { *reinterpret_cast<int4 *>(p) = *reinterpret_cast<int4 *>(&v); }

__global__ void gelu_forward2(floatX *out, const floatX *inp, int N) {
  int idx = (blockIdx.x * blockDim.x + threadIdx.x) * x128::size;
  if (idx >= N) return;
  x128 packed_out;
  x128 packed_inp = load128(inp + idx);
  for (int k = 0; k < x128::size; ++k) {
    float xi = (float)packed_inp[k];
    float cube = 0.044715f * xi * xi * xi;
    packed_out[k] = (floatX)(0.5f * xi * (1.0f + tanhf(GELU_SCALING_FACTOR * (xi + cube))));
  }
  store128(out + idx, packed_out);
}

__global__ void gelu_backward2(floatX *dinp, const floatX *inp, const floatX *dout, int N) {
  int idx = (blockIdx.x * blockDim.x + threadIdx.x) * x128::size;
  if (idx >= N) return;
  x128 r;
  x128 x8 = load128(inp + idx), g8 = load128(dout + idx);
  for (int k = 0; k < x128::size; ++k) {
    float x = (float)x8[k];
    float cube = 0.044715f * x * x * x;
    float arg = GELU_SCALING_FACTOR * (x + cube);
    float th = tanhf(arg);
    float ch = coshf(arg);
    float local = 0.5f * (1.0f + th) + x * 0.5f / (ch * ch) * GELU_SCALING_FACTOR * (1.0f + 3.0f * 0.044715f * x * x);
    r[k] = (floatX)(local * (float)g8[k]);
  }
  store128(dinp + idx, r);
}

int main() {
  const int N = 8 * 1024 * 4 * 768;
  float *inp, *out, *dout;
  cudaMalloc(&inp, N * sizeof(float));
  cudaMalloc(&out, N * sizeof(float));
  cudaMalloc(&dout, N * sizeof(float));
  float *h = (float *)malloc(N * sizeof(float));
  for (int i = 0; i < N; i++) h[i] = rand() / (float)RAND_MAX * 2.f - 1.f;
  cudaMemcpy(inp, h, N * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(dout, h, N * sizeof(float), cudaMemcpyHostToDevice);
  gelu_forward1<<<(N + 127) / 128, 128>>>(out, inp, N);
  gelu_backward1<<<(N + 255) / 256, 256>>>(out, inp, dout, N);
  gelu_forward2<<<(N / 8 + 511) / 512, 512>>>((floatX *)out, (const floatX *)inp, N);
  gelu_backward2<<<(N / 8 + 127) / 128, 128>>>((floatX *)out, (const floatX *)inp, (const floatX *)dout, N);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
