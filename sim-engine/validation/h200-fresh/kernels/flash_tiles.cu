// Attention by tiles in shared memory with an online softmax.
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

// One warp a block, a row of Q a lane; everything in dynamic shared memory.
__global__ void flashForward(const float *Q, const float *K, const float *V, int N, int d, int Tc, int Tr, int Bc, int Br, float scale, float *l, float *m, float *O) {
  int tx = threadIdx.x, bx = blockIdx.x, by = blockIdx.y;
  int qkv = (bx * gridDim.y * N * d) + (by * N * d);
  int lm = (bx * gridDim.y * N) + (by * N);
  extern __shared__ float sram[];
  int tile = Bc * d;
  float *Qi = sram, *Kj = &sram[tile], *Vj = &sram[tile * 2], *S = &sram[tile * 3];
  for (int j = 0; j < Tc; j++) {
    for (int x = 0; x < d; x++) {
      Kj[(tx * d) + x] = K[qkv + (tile * j) + (tx * d) + x];
      Vj[(tx * d) + x] = V[qkv + (tile * j) + (tx * d) + x];
    }
    __syncthreads();
    for (int i = 0; i < Tr; i++) {
      for (int x = 0; x < d; x++) Qi[(tx * d) + x] = Q[qkv + (tile * i) + (tx * d) + x];
      float row_m_prev = m[lm + (Br * i) + tx], row_l_prev = l[lm + (Br * i) + tx];
      float row_m = -INFINITY;
      for (int y = 0; y < Bc; y++) {
        float sum = 0;
        for (int x = 0; x < d; x++) sum += Qi[(tx * d) + x] * Kj[(y * d) + x];
        sum *= scale;
        S[(Bc * tx) + y] = sum;
        if (sum > row_m) row_m = sum;
      }
      float row_l = 0;
      for (int y = 0; y < Bc; y++) {
        S[(Bc * tx) + y] = __expf(S[(Bc * tx) + y] - row_m);
        row_l += S[(Bc * tx) + y];
      }
      float row_m_new = max(row_m_prev, row_m);
      float row_l_new = (__expf(row_m_prev - row_m_new) * row_l_prev) + (__expf(row_m - row_m_new) * row_l);
      for (int x = 0; x < d; x++) {
        float pv = 0;
        for (int y = 0; y < Bc; y++) pv += S[(Bc * tx) + y] * Vj[(y * d) + x];
        O[qkv + (tile * i) + (tx * d) + x] = (1 / row_l_new) * ((row_l_prev * __expf(row_m_prev - row_m_new) * O[qkv + (tile * i) + (tx * d) + x]) + (__expf(row_m - row_m_new) * pv));
      }
      m[lm + (Br * i) + tx] = row_m_new;
      l[lm + (Br * i) + tx] = row_l_new;
    }
    __syncthreads();
  }
}

// 64 queries a block, 16 by 16 threads, four by four results each.
template <int D>
__global__ void __launch_bounds__(256) flashTiles(float *out, const float *q, const float *k, const float *v, int T, float scale) {
  __shared__ float qs[64][D + 1], ks[64][D + 1], ps[64][65];
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  const size_t base = (size_t)blockIdx.y * T * D;
  for (int i = threadIdx.x; i < 64 * D; i += 256) qs[i / D][i % D] = q[base + blockIdx.x * 64 * D + i] * scale;
  float o[4][D / 16] = {}, m[4], l[4];
  for (int i = 0; i < 4; i++) {
    m[i] = -FLT_MAX;
    l[i] = 0.f;
  }
  for (int start = 0; start < T; start += 64) {
    __syncthreads();
    for (int i = threadIdx.x; i < 64 * D; i += 256) ks[i / D][i % D] = k[base + start * D + i];
    __syncthreads();
    float s[4][4] = {};
    for (int d = 0; d < D; d++)
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) s[i][j] += qs[ty * 4 + i][d] * ks[tx + j * 16][d];
#pragma unroll
    for (int i = 0; i < 4; i++) {
      float top = fmaxf(fmaxf(s[i][0], s[i][1]), fmaxf(s[i][2], s[i][3]));
      for (int w = 8; w > 0; w >>= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, w));
      float next = fmaxf(m[i], top), keep = __expf(m[i] - next), sum = 0.f;
#pragma unroll
      for (int j = 0; j < 4; j++) {
        float p = __expf(s[i][j] - next);
        ps[ty * 4 + i][tx + j * 16] = p;
        sum += p;
      }
      for (int w = 8; w > 0; w >>= 1) sum += __shfl_xor_sync(~0u, sum, w);
      l[i] = l[i] * keep + sum;
      m[i] = next;
#pragma unroll
      for (int d = 0; d < D / 16; d++) o[i][d] *= keep;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 64 * D; i += 256) ks[i / D][i % D] = v[base + start * D + i];
    __syncthreads();
    for (int j = 0; j < 64; j++)
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int d = 0; d < D / 16; d++) o[i][d] += ps[ty * 4 + i][j] * ks[j][tx + d * 16];
  }
  for (int i = 0; i < 4; i++)
    for (int d = 0; d < D / 16; d++) out[base + (blockIdx.x * 64 + ty * 4 + i) * D + tx + d * 16] = o[i][d] / l[i];
}

int main() {
  const int B = 4, NH = 12, N = 256, d = 64;
  const size_t total = (size_t)32 * 1024 * 64;
  float *Q, *K, *V, *O, *l, *m, *h = (float *)malloc(total * sizeof(float));
  for (size_t i = 0; i < total; i++) h[i] = rand() / (float)RAND_MAX;
  cudaMalloc(&Q, total * 4);
  cudaMalloc(&K, total * 4);
  cudaMalloc(&V, total * 4);
  cudaMalloc(&O, total * 4);
  cudaMalloc(&l, B * NH * N * 4);
  cudaMalloc(&m, B * NH * N * 4);
  cudaMemcpy(Q, h, total * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(K, h, total * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(V, h, total * 4, cudaMemcpyHostToDevice);
  cudaMemset(O, 0, total * 4);
  cudaMemset(l, 0, B * NH * N * 4);
  cudaMemset(m, 0xff, B * NH * N * 4);
  const int Bc = 32, Br = 32;
  const int shared = (3 * Bc * d + Bc * Br) * sizeof(float);
  flashForward<<<dim3(B, NH), Bc, shared>>>(Q, K, V, N, d, N / Bc, N / Br, Bc, Br, 1.0f / sqrtf(d), l, m, O);
  flashTiles<32><<<dim3(1024 / 64, 32), 256>>>(O, Q, K, V, 1024, 0.17f);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
