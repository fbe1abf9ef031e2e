// Rows of a table gathered by tokens, forwards and backwards; rotary positions; one of many.
#include <cstdio>
#include <cstdlib>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

__global__ void gatherRows(float *out, const int *tokens, const float *wte, const float *wpe, int B, int T, int C) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < B * T * C) {
    int bt = i / C, t = bt % T, c = i % C;
    out[i] = wte[tokens[bt] * C + c] + wpe[t * C + c];
  }
}

__global__ void gatherRows4(float4 *out, const int *tokens, const float4 *wte, const float4 *wpe, int B, int T, int C4) {
  int bt = blockIdx.x, ix = tokens[bt];
  for (int c = threadIdx.x; c < C4; c += blockDim.x) {
    float4 a = wte[(size_t)ix * C4 + c], b = wpe[(size_t)(bt % T) * C4 + c];
    out[(size_t)bt * C4 + c] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
  }
}

__global__ void scatterGradients(float *dwte, float *dwpe, const float *dout, const int *tokens, int B, int T, int C) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < B * T * C) {
    int bt = i / C, t = bt % T, c = i % C;
    float g = dout[i];
    atomicAdd(&dwte[tokens[bt] * C + c], g);
    atomicAdd(&dwpe[t * C + c], g);
  }
}

__global__ void positionsBackward(float *dwpe, const __nv_bfloat16 *dout, int B, int T, int C) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= T * C) return;
  float s = 0.f;
  for (int b = 0; b < B; b++) s += __bfloat162float(dout[(size_t)b * T * C + i]);
  dwpe[i] += s;
}

__global__ void bf16Rows(__nv_bfloat16 *out, const int *tokens, const __nv_bfloat16 *table, int C) {
  const uint4 *from = (const uint4 *)(table + (size_t)tokens[blockIdx.x] * C);
  uint4 *to = (uint4 *)(out + (size_t)blockIdx.x * C);
  for (int c = threadIdx.x; c < C / 8; c += blockDim.x) to[c] = from[c];
}

int main() {
  const int B = 8, T = 1024, C = 768, V = 50257;
  int *h = (int *)malloc(B * T * sizeof(int)), *tokens;
  for (int i = 0; i < B * T; i++) h[i] = rand() % V;
  float *wte, *wpe, *out;
  __nv_bfloat16 *table, *half;
  cudaMalloc(&tokens, B * T * sizeof(int));
  cudaMalloc(&wte, (size_t)V * C * sizeof(float));
  cudaMalloc(&wpe, T * C * sizeof(float));
  cudaMalloc(&out, B * T * C * sizeof(float));
  cudaMalloc(&table, (size_t)V * C * sizeof(__nv_bfloat16));
  cudaMalloc(&half, B * T * C * sizeof(__nv_bfloat16));
  cudaMemcpy(tokens, h, B * T * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(out, 0, B * T * C * sizeof(float));
  gatherRows<<<(B * T * C + 255) / 256, 256>>>(out, tokens, wte, wpe, B, T, C);
  gatherRows4<<<B * T, 192>>>((float4 *)out, tokens, (float4 *)wte, (float4 *)wpe, B, T, C / 4);
  scatterGradients<<<(B * T * C + 255) / 256, 256>>>(wte, wpe, out, tokens, B, T, C);
  positionsBackward<<<(T * C + 255) / 256, 256>>>(wpe, half, B, T, C);
  bf16Rows<<<B * T, 96>>>(half, tokens, table, C);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
