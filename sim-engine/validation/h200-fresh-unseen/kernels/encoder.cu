// Token and position embeddings, forward and backward.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void encoder_forward_token(float *out, const int *inp, const float *wte, const float *wpe, int B, int T, int C) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx < B * T) {
    int t = idx % T;
    float *o = out + idx * C;
    int ix = inp[idx];
    const float *e = wte + ix * C, *p = wpe + t * C;
    for (int i = 0; i < C; i++) o[i] = e[i] + p[i];
  }
}

__global__ void encoder_forward_element(float *out, const int *inp, const float *wte, const float *wpe, int B, int T, int C) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx < B * T * C) {
    int bt = idx / C, b = bt / T, t = bt % T, c = idx % C;
    int ix = inp[b * T + t];
    out[idx] = wte[ix * C + c] + wpe[t * C + c];
  }
}

__device__ float4 add4(const float4 &a, const float4 &b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }

__global__ void encoder_forward4(float4 *out, const int *inp, const float4 *wte, const float4 *wpe, int B, int T, int C) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x, C4 = C / 4;
  if (idx < B * T * C4) {
    int bt = idx / C4, t = bt % T, c4 = idx % C4;
    int ix = inp[bt];
    out[bt * C4 + c4] = add4(wte[ix * C4 + c4], wpe[t * C4 + c4]);
  }
}

__global__ void encoder_backward(float *dwte, float *dwpe, const float *dout, const int *inp, int B, int T, int C) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx < B * T * C) {
    int bt = idx / C, t = bt % T, c = idx % C;
    int ix = inp[bt];
    float g = dout[idx];
    atomicAdd(dwte + ix * C + c, g);
    atomicAdd(dwpe + t * C + c, g);
  }
}

__global__ void position_backward(float *dwpe, const float *dout, int B, int T, int C) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= T * C) return;
  float sum = 0.f;
  for (int b = 0; b < B; b++) sum += dout[b * T * C + idx];
  dwpe[idx] += sum;
}

int main() {
  const int B = 8, T = 1024, C = 768, V = 50257;
  int *inp = (int *)malloc(B * T * sizeof(int));
  for (int i = 0; i < B * T; i++) inp[i] = rand() % V;
  int *d_inp;
  float *out, *wte, *wpe;
  cudaMalloc(&d_inp, B * T * sizeof(int));
  cudaMalloc(&out, B * T * C * sizeof(float));
  cudaMalloc(&wte, (size_t)V * C * sizeof(float));
  cudaMalloc(&wpe, T * C * sizeof(float));
  cudaMemcpy(d_inp, inp, B * T * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(wte, 0, (size_t)V * C * sizeof(float));
  cudaMemset(wpe, 0, T * C * sizeof(float));
  encoder_forward_token<<<(B * T + 31) / 32, 32>>>(out, d_inp, wte, wpe, B, T, C);
  encoder_forward_element<<<(B * T * C + 255) / 256, 256>>>(out, d_inp, wte, wpe, B, T, C);
  encoder_forward4<<<(B * T * C / 4 + 255) / 256, 256>>>((float4 *)out, d_inp, (const float4 *)wte, (const float4 *)wpe, B, T, C);
  encoder_backward<<<(B * T * C + 255) / 256, 256>>>(wte, wpe, out, d_inp, B, T, C);
  position_backward<<<(T * C + 127) / 128, 128>>>(wpe, out, B, T, C);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
