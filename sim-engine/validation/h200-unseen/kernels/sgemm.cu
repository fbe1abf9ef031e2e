// Single precision products: C = A·B and C = Aᵀ·B, by how much of the result a thread keeps in registers.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define OK(call)                                                                 \
  if (cudaError_t e = (call)) {                                                  \
    fprintf(stderr, "%d: %s\n", __LINE__, cudaGetErrorString(e));                \
    exit(1);                                                                     \
  }

// One result a thread, neighbours along a row.
__global__ void plain(const float *A, const float *B, float *C, int M, int N, int K) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= M || j >= N) return;
  float acc = 0.f;
  for (int p = 0; p < K; ++p) acc = fmaf(A[i * K + p], B[p * N + j], acc);
  C[i * N + j] = acc;
}

// R×R results a thread, spread over the tile with the block's stride, the next tile on its way in registers.
template <int T, int R>
__global__ void __launch_bounds__((T / R) * (T / R)) spread(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C,
                                                            int M, int N, int K) {
  constexpr int S = T / R;         // threads a side
  constexpr int D = 8;             // depth of a tile
  constexpr int L = T * D / (S * S);  // values a thread brings of each operand
  __shared__ float sa[D][T + 4];
  __shared__ float sb[D][T];
  const int tx = threadIdx.x % S, ty = threadIdx.x / S;
  const int row0 = blockIdx.y * T, col0 = blockIdx.x * T;
  float acc[R][R] = {};
  float na[L], nb[L];
#pragma unroll
  for (int q = 0; q < L; ++q) {
    const int e = threadIdx.x + q * S * S;
    na[q] = A[(row0 + e / D) * K + e % D];
    nb[q] = B[(e / T) * N + col0 + e % T];
  }
  for (int p0 = 0; p0 < K; p0 += D) {
#pragma unroll
    for (int q = 0; q < L; ++q) {
      const int e = threadIdx.x + q * S * S;
      sa[e % D][e / D] = na[q];
      sb[e / T][e % T] = nb[q];
    }
    __syncthreads();
    if (p0 + D < K) {
#pragma unroll
      for (int q = 0; q < L; ++q) {
        const int e = threadIdx.x + q * S * S;
        na[q] = A[(row0 + e / D) * K + p0 + D + e % D];
        nb[q] = B[(p0 + D + e / T) * N + col0 + e % T];
      }
    }
#pragma unroll
    for (int d = 0; d < D; ++d) {
      float a[R], b[R];
#pragma unroll
      for (int r = 0; r < R; ++r) {
        a[r] = sa[d][ty + r * S];
        b[r] = sb[d][tx + r * S];
      }
#pragma unroll
      for (int r = 0; r < R; ++r)
#pragma unroll
        for (int s = 0; s < R; ++s) acc[r][s] += a[r] * b[s];
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < R; ++r)
#pragma unroll
    for (int s = 0; s < R; ++s) C[(row0 + ty + r * S) * N + col0 + tx + s * S] = acc[r][s];
}

// 8 rows × 4 columns a thread; both operands lie along the depth's rows, so every copy is a float4.
__global__ void __launch_bounds__(256) transposedA(const float *__restrict__ At, const float *__restrict__ B, float *__restrict__ C, int M,
                                                   int N, int K) {
  __shared__ float4 sa[2][16][32];  // 16 × 128
  __shared__ float4 sb[2][16][16];  // 16 × 64
  const int t = threadIdx.x;
  const int row0 = blockIdx.y * 128, col0 = blockIdx.x * 64;
  const int tr = t / 16, tc = t % 16;
  const float4 *a4 = reinterpret_cast<const float4 *>(At);
  const float4 *b4 = reinterpret_cast<const float4 *>(B);
  float4 sum[8];
#pragma unroll
  for (int r = 0; r < 8; ++r) sum[r] = make_float4(0, 0, 0, 0);
  auto fetch = [&](int buffer, int p0) {
#pragma unroll
    for (int q = 0; q < 2; ++q) {
      const int e = t + q * 256;
      sa[buffer][e / 32][e % 32] = a4[((p0 + e / 32) * M + row0) / 4 + e % 32];
    }
    sb[buffer][t / 16][t % 16] = b4[((p0 + t / 16) * N + col0) / 4 + t % 16];
  };
  fetch(0, 0);
  __syncthreads();
  int buffer = 0;
  for (int p0 = 0; p0 < K; p0 += 16) {
    if (p0 + 16 < K) fetch(buffer ^ 1, p0 + 16);
#pragma unroll
    for (int d = 0; d < 16; ++d) {
      const float4 lo = sa[buffer][d][tr * 2], hi = sa[buffer][d][tr * 2 + 1];
      const float4 b = sb[buffer][d][tc];
      const float a[8] = {lo.x, lo.y, lo.z, lo.w, hi.x, hi.y, hi.z, hi.w};
#pragma unroll
      for (int r = 0; r < 8; ++r) {
        sum[r].x += a[r] * b.x;
        sum[r].y += a[r] * b.y;
        sum[r].z += a[r] * b.z;
        sum[r].w += a[r] * b.w;
      }
    }
    buffer ^= 1;
    __syncthreads();
  }
  float4 *c4 = reinterpret_cast<float4 *>(C);
#pragma unroll
  for (int r = 0; r < 8; ++r) c4[((row0 + tr * 8 + r) * N + col0) / 4 + tc] = sum[r];
}

int main() {
  const int M = 1024, N = 1024, K = 1024;
  float *A, *B, *C;
  OK(cudaMalloc(&A, M * K * sizeof(float)));
  OK(cudaMalloc(&B, K * N * sizeof(float)));
  OK(cudaMalloc(&C, M * N * sizeof(float)));
  std::vector<float> host(M * K);
  for (int i = 0; i < M * K; ++i) host[i] = (i % 13) * 0.25f;
  OK(cudaMemcpy(A, host.data(), M * K * sizeof(float), cudaMemcpyHostToDevice));
  OK(cudaMemcpy(B, host.data(), K * N * sizeof(float), cudaMemcpyHostToDevice));
  plain<<<dim3(N / 32, M / 8), dim3(32, 8)>>>(A, B, C, M, N, K);
  spread<32, 2><<<dim3(N / 32, M / 32), 256>>>(A, B, C, M, N, K);
  spread<64, 4><<<dim3(N / 64, M / 64), 256>>>(A, B, C, M, N, K);
  spread<128, 8><<<dim3(N / 128, M / 128), 256>>>(A, B, C, M, N, K);
  transposedA<<<dim3(N / 64, M / 128), 256>>>(A, B, C, M, N, K);
  OK(cudaDeviceSynchronize());
  OK(cudaFree(A));
  OK(cudaFree(B));
  OK(cudaFree(C));
  return 0;
}
