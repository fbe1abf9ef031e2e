// A linear layer, forward: a thread an output, tiles, eight by eight results a thread, and a small batch.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void linear_forward1(float *out, const float *inp, const float *weight, const float *bias, int BT, int C, int OC) {
  int bt = blockIdx.x * blockDim.x + threadIdx.x, oc = blockIdx.y * blockDim.y + threadIdx.y;
  if (bt < BT && oc < OC) {
    float val = bias != NULL ? bias[oc] : 0.0f;
    const float *wrow = weight + oc * C, *x = inp + bt * C;
    for (int i = 0; i < C; i++) val += x[i] * wrow[i];
    out[bt * OC + oc] = val;
  }
}

__device__ float4 ld_vec(const float *address) { return *reinterpret_cast<const float4 *>(address); }
__device__ void st_vec(float *address, float4 val) { *reinterpret_cast<float4 *>(address) = val; }

__global__ void __launch_bounds__(16 * 16, 2) linear_forward2(float *out, const float *inp, const float *weight, const float *bias, int C, int OC) {
  int oc = 8 * (blockIdx.y * blockDim.y + threadIdx.y);
  __shared__ float lhs_s[128][32];
  __shared__ float rhs_s[128][32];
  inp += 128 * blockIdx.x * C;
  weight += 128 * blockIdx.y * C;
  out += 128 * blockIdx.x * OC + 128 * blockIdx.y;
  float vals[8][8] = {};
  if (bias != NULL)
    for (int i = 0; i < 8; i++)
      for (int j = 0; j < 8; j += 4) {
        float4 b = ld_vec(bias + oc + j);
        vals[i][j + 0] = b.x;
        vals[i][j + 1] = b.y;
        vals[i][j + 2] = b.z;
        vals[i][j + 3] = b.w;
      }
  int si_start = 4 * (16 * threadIdx.y + threadIdx.x);
  for (int so = 0; so < C; so += 32) {
    __syncthreads();
    int xmod8 = threadIdx.x % 8, xby8 = threadIdx.x / 8, xo = 4 * xmod8;
    for (int y = 2 * threadIdx.y + xby8; y < 128; y += 32) {
      st_vec(&lhs_s[y][xo], ld_vec(inp + y * C + so + xo));
      st_vec(&rhs_s[y][xo], ld_vec(weight + y * C + so + xo));
    }
    __syncthreads();
    for (int si = si_start; si < si_start + 32; si += 4) {
      float4 rhs[8];
      for (int u = 0; u < 8; ++u) rhs[u] = ld_vec(&rhs_s[u + 8 * threadIdx.y][si % 32]);
      for (int ii = 0; ii < 8; ++ii) {
        float4 lhs = ld_vec(&lhs_s[ii + 8 * threadIdx.x][si % 32]);
        for (int ji = 0; ji < 8; ++ji) {
          vals[ii][ji] += lhs.x * rhs[ji].x;
          vals[ii][ji] += lhs.y * rhs[ji].y;
          vals[ii][ji] += lhs.z * rhs[ji].z;
          vals[ii][ji] += lhs.w * rhs[ji].w;
        }
      }
    }
  }
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; j += 4) {
      float4 r;
      r.x = vals[i][j + 0];
      r.y = vals[i][j + 1];
      r.z = vals[i][j + 2];
      r.w = vals[i][j + 3];
      st_vec(out + (8 * threadIdx.x + i) * OC + 8 * threadIdx.y + j, r);
    }
}

__global__ void add_bias(float *out, const float *bias, int BT, int OC) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < BT * OC; i += blockDim.x * gridDim.x) out[i] += bias[i % OC];
}

// A batch of four rows; a warp an output.
__global__ void linear_small(float *out, const float *inp, const float *weight, int C, int OC) {
  int oc = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  float acc[4] = {};
  for (int i = lane * 4; i < C; i += 128) {
    float4 w = ld_vec(weight + (size_t)oc * C + i);
#pragma unroll
    for (int b = 0; b < 4; b++) {
      float4 x = ld_vec(inp + b * C + i);
      acc[b] += w.x * x.x + w.y * x.y + w.z * x.z + w.w * x.w;
    }
  }
#pragma unroll
  for (int b = 0; b < 4; b++) {
    for (int o = 16; o > 0; o >>= 1) acc[b] += __shfl_xor_sync(~0u, acc[b], o);
    if (lane == 0) out[b * OC + oc] = acc[b];
  }
}

int main() {
  const int BT = 2048, C = 768, OC = 3072;
  float *inp, *weight, *bias, *out, *h = (float *)malloc((size_t)OC * C * sizeof(float));
  for (int i = 0; i < OC * C; i++) h[i] = rand() / (float)RAND_MAX;
  cudaMalloc(&inp, BT * C * sizeof(float));
  cudaMalloc(&weight, OC * C * sizeof(float));
  cudaMalloc(&bias, OC * sizeof(float));
  cudaMalloc(&out, BT * OC * sizeof(float));
  cudaMemcpy(inp, h, BT * C * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(weight, h, OC * C * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(bias, h, OC * sizeof(float), cudaMemcpyHostToDevice);
  linear_forward1<<<dim3(BT / 16, OC / 16), dim3(16, 16)>>>(out, inp, weight, bias, BT, C, OC);
  linear_forward2<<<dim3(BT / 128, OC / 128), dim3(16, 16)>>>(out, inp, weight, bias, C, OC);
  add_bias<<<132 * 4, 512>>>(out, bias, BT, OC);
  linear_small<<<OC / 4, 128>>>(out, inp, weight, C, OC);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
