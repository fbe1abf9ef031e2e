// Attention step by step: scores, softmax over the past, values; a thread each.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void attention_query_key(float *preatt, const float *inp, int B, int T, int C, int NH) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  int total = B * NH * T * T;
  if (idx < total) {
    int t2 = idx % T, t = (idx / T) % T;
    if (t2 > t) {
      preatt[idx] = -INFINITY;
      return;
    }
    int h = (idx / (T * T)) % NH, b = idx / (NH * T * T);
    int C3 = C * 3, hs = C / NH;
    const float *query = inp + b * T * C3 + t * C3 + h * hs;
    const float *key = inp + b * T * C3 + t2 * C3 + h * hs + C;
    float val = 0.0f;
    for (int i = 0; i < hs; i++) val += query[i] * key[i];
    preatt[idx] = val * (1.0 / sqrtf(hs));
  }
}

__global__ void attention_softmax(float *att, const float *preatt, int B, int T, int NH) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx < B * T * NH) {
    int h = idx % NH, t = (idx / NH) % T, b = idx / (NH * T);
    const float *pre = preatt + b * NH * T * T + h * T * T + t * T;
    float *a = att + b * NH * T * T + h * T * T + t * T;
    float maxval = -10000.0f;
    for (int t2 = 0; t2 <= t; t2++)
      if (pre[t2] > maxval) maxval = pre[t2];
    float sum = 0.0f;
    for (int t2 = 0; t2 <= t; t2++) {
      float e = expf(pre[t2] - maxval);
      sum += e;
      a[t2] = e;
    }
    float inv = sum == 0.0f ? 0.0f : 1.0f / sum;
    for (int t2 = 0; t2 < T; t2++) a[t2] = t2 <= t ? a[t2] * inv : 0.0f;
  }
}

__global__ void attention_value(float *out, const float *att, const float *inp, int B, int T, int C, int NH) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx < B * T * NH) {
    int h = idx % NH, t = (idx / NH) % T, b = idx / (NH * T);
    int C3 = C * 3, hs = C / NH;
    float *o = out + b * T * C + t * C + h * hs;
    const float *a = att + b * NH * T * T + h * T * T + t * T;
    for (int i = 0; i < hs; i++) o[i] = 0.0f;
    for (int t2 = 0; t2 <= t; t2++) {
      const float *value = inp + b * T * C3 + t2 * C3 + h * hs + C * 2;
      float w = a[t2];
      for (int i = 0; i < hs; i++) o[i] += w * value[i];
    }
  }
}

int main() {
  const int B = 2, T = 512, C = 768, NH = 12;
  float *h = (float *)malloc((size_t)B * T * 3 * C * sizeof(float));
  for (int i = 0; i < B * T * 3 * C; i++) h[i] = rand() / (float)RAND_MAX - 0.5f;
  float *inp, *preatt, *att, *out;
  cudaMalloc(&inp, (size_t)B * T * 3 * C * sizeof(float));
  cudaMalloc(&preatt, (size_t)B * NH * T * T * sizeof(float));
  cudaMalloc(&att, (size_t)B * NH * T * T * sizeof(float));
  cudaMalloc(&out, (size_t)B * T * C * sizeof(float));
  cudaMemcpy(inp, h, (size_t)B * T * 3 * C * sizeof(float), cudaMemcpyHostToDevice);
  int block_size = 256;
  int total = B * NH * T * T;
  attention_query_key<<<(total + block_size - 1) / block_size, block_size>>>(preatt, inp, B, T, C, NH);
  total = B * T * NH;
  attention_softmax<<<(total + block_size - 1) / block_size, block_size>>>(att, preatt, B, T, NH);
  attention_value<<<(total + block_size - 1) / block_size, block_size>>>(out, att, inp, B, T, C, NH);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
