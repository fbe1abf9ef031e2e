// Heads of queries, keys and values taken apart, and put together again.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void permute_kernel(float *q, float *k, float *v, const float *inp, int B, int N, int NH, int d) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx < B * NH * N * d) {
    int b = idx / (NH * N * d);
    int rest = idx % (NH * N * d);
    int nh_ = rest / (N * d);
    rest = rest % (N * d);
    int n = rest / d;
    int d_ = rest % d;
    int inp_idx = (b * N * 3 * NH * d) + (n * 3 * NH * d) + (0 * NH * d) + (nh_ * d) + d_;
    q[idx] = inp[inp_idx];
    k[idx] = inp[inp_idx + NH * d];
    v[idx] = inp[inp_idx + 2 * (NH * d)];
  }
}

__global__ void unpermute_kernel(const float *inp, float *out, int B, int N, int NH, int d) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx < B * NH * N * d) {
    int b = idx / (NH * N * d);
    int rest = idx % (NH * N * d);
    int nh_ = rest / (N * d);
    rest = rest % (N * d);
    int n = rest / d, d_ = rest % d;
    int other = (b * NH * N * d) + (n * NH * d) + (nh_ * d) + d_;
    out[other] = __ldcs(&inp[idx]);
  }
}

__global__ void repack4(float4 *q, float4 *k, float4 *v, const float4 *inp, int T, int NH, int d4) {
  int t = blockIdx.x, b = blockIdx.y;
  for (int i = threadIdx.x; i < NH * d4; i += blockDim.x) {
    int h = i / d4, c = i % d4;
    const float4 *row = inp + (size_t)(b * T + t) * 3 * NH * d4;
    size_t to = ((size_t)(b * NH + h) * T + t) * d4 + c;
    q[to] = row[i];
    k[to] = row[i + NH * d4];
    v[to] = row[i + 2 * NH * d4];
  }
}

int main() {
  const int B = 8, T = 1024, C = 768, NH = 12, HS = C / NH;
  float *inp, *q, *k, *v, *out;
  cudaMalloc(&inp, B * T * 3 * C * sizeof(float));
  cudaMalloc(&q, B * T * C * sizeof(float));
  cudaMalloc(&k, B * T * C * sizeof(float));
  cudaMalloc(&v, B * T * C * sizeof(float));
  cudaMalloc(&out, B * T * C * sizeof(float));
  cudaMemset(inp, 0, B * T * 3 * C * sizeof(float));
  int total = B * NH * T * HS;
  permute_kernel<<<(total + 255) / 256, 256>>>(q, k, v, inp, B, T, NH, HS);
  unpermute_kernel<<<(total + 255) / 256, 256>>>(q, out, B, T, NH, HS);
  repack4<<<dim3(T, B), 96>>>((float4 *)q, (float4 *)k, (float4 *)v, (const float4 *)inp, T, NH, HS / 4);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
