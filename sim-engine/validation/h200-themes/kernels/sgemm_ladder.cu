// sgemm_ladder.cu -- following along my blog series "how far is a hand written SGEMM from cuBLAS?"
// C = alpha * A @ B + beta * C, everything row major, sizes multiples of the tiles.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <functional>
#include <string>
#include <cuda_runtime.h>

#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))

static void cudaCheck(cudaError_t e, const char *file, int line) {
  if (e != cudaSuccess) {
    printf("[CUDA ERROR] at file %s:%d:\n%s\n", file, line, cudaGetErrorString(e));
    exit(EXIT_FAILURE);
  }
}
#define cudaCheck(err) (cudaCheck(err, __FILE__, __LINE__))

// ---------------------------------------------------------------- kernel 1
// threadIdx.x walks down the rows => neighbouring threads touch different rows of A and C.
__global__ void sgemm_naive(int M, int N, int K, float alpha, const float *A,
                            const float *B, float beta, float *C) {
  const uint x = blockIdx.x * blockDim.x + threadIdx.x;
  const uint y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < M && y < N) {
    float tmp = 0.0f;
    for (int i = 0; i < K; ++i) {
      tmp += A[x * K + i] * B[i * N + y];
    }
    C[x * N + y] = alpha * tmp + beta * C[x * N + y];
  }
}

// ---------------------------------------------------------------- kernel 2
template <const uint BLOCKSIZE>
__global__ void sgemm_global_mem_coalesce(int M, int N, int K, float alpha,
                                          const float *A, const float *B,
                                          float beta, float *C) {
  const int cRow = blockIdx.x * BLOCKSIZE + (threadIdx.x / BLOCKSIZE);
  const int cCol = blockIdx.y * BLOCKSIZE + (threadIdx.x % BLOCKSIZE);
  if (cRow < M && cCol < N) {
    float tmp = 0.0f;
    for (int i = 0; i < K; ++i) {
      tmp += A[cRow * K + i] * B[i * N + cCol];
    }
    C[cRow * N + cCol] = alpha * tmp + beta * C[cRow * N + cCol];
  }
}

// ---------------------------------------------------------------- kernel 3
template <const int BLOCKSIZE>
__global__ void sgemm_shared_mem_block(int M, int N, int K, float alpha,
                                       const float *A, const float *B,
                                       float beta, float *C) {
  const uint cRow = blockIdx.x;
  const uint cCol = blockIdx.y;

  __shared__ float As[BLOCKSIZE * BLOCKSIZE];
  __shared__ float Bs[BLOCKSIZE * BLOCKSIZE];

  const uint threadCol = threadIdx.x % BLOCKSIZE;
  const uint threadRow = threadIdx.x / BLOCKSIZE;

  A += cRow * BLOCKSIZE * K;
  B += cCol * BLOCKSIZE;
  C += cRow * BLOCKSIZE * N + cCol * BLOCKSIZE;

  float tmp = 0.0f;
  for (int bkIdx = 0; bkIdx < K; bkIdx += BLOCKSIZE) {
    As[threadRow * BLOCKSIZE + threadCol] = A[threadRow * K + threadCol];
    Bs[threadRow * BLOCKSIZE + threadCol] = B[threadRow * N + threadCol];
    __syncthreads();
    A += BLOCKSIZE;
    B += BLOCKSIZE * N;
    for (int dotIdx = 0; dotIdx < BLOCKSIZE; ++dotIdx) {
      tmp += As[threadRow * BLOCKSIZE + dotIdx] * Bs[dotIdx * BLOCKSIZE + threadCol];
    }
    __syncthreads();
  }
  C[threadRow * N + threadCol] = alpha * tmp + beta * C[threadRow * N + threadCol];
}

// ---------------------------------------------------------------- kernel 4
// each thread: a column of TM results
template <const int BM, const int BN, const int BK, const int TM>
__global__ void sgemm1DBlocktiling(int M, int N, int K, float alpha,
                                   const float *A, const float *B, float beta,
                                   float *C) {
  const uint cRow = blockIdx.y;
  const uint cCol = blockIdx.x;

  const int threadCol = threadIdx.x % BN;
  const int threadRow = threadIdx.x / BN;

  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];

  A += cRow * BM * K;
  B += cCol * BN;
  C += cRow * BM * N + cCol * BN;

  // BM*BK == BN*BK == blockDim.x
  const uint innerColA = threadIdx.x % BK;
  const uint innerRowA = threadIdx.x / BK;
  const uint innerColB = threadIdx.x % BN;
  const uint innerRowB = threadIdx.x / BN;

  float threadResults[TM] = {0.0f};

  for (uint bkIdx = 0; bkIdx < K; bkIdx += BK) {
    As[innerRowA * BK + innerColA] = A[innerRowA * K + innerColA];
    Bs[innerRowB * BN + innerColB] = B[innerRowB * N + innerColB];
    __syncthreads();
    A += BK;
    B += BK * N;
    for (uint dotIdx = 0; dotIdx < BK; ++dotIdx) {
      float tmpB = Bs[dotIdx * BN + threadCol];
      for (uint resIdx = 0; resIdx < TM; ++resIdx) {
        threadResults[resIdx] += As[(threadRow * TM + resIdx) * BK + dotIdx] * tmpB;
      }
    }
    __syncthreads();
  }
  for (uint resIdx = 0; resIdx < TM; ++resIdx) {
    const uint idx = (threadRow * TM + resIdx) * N + threadCol;
    C[idx] = alpha * threadResults[resIdx] + beta * C[idx];
  }
}

// ---------------------------------------------------------------- kernel 5
template <const int BM, const int BN, const int BK, const int TM, const int TN>
__global__ void __launch_bounds__((BM * BN) / (TM * TN), 1)
    sgemm2DBlocktiling(int M, int N, int K, float alpha, const float *A,
                       const float *B, float beta, float *C) {
  const uint cRow = blockIdx.y;
  const uint cCol = blockIdx.x;
  constexpr uint numThreadsBlocktile = (BM * BN) / (TM * TN);

  const int threadCol = threadIdx.x % (BN / TN);
  const int threadRow = threadIdx.x / (BN / TN);

  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];

  A += cRow * BM * K;
  B += cCol * BN;
  C += cRow * BM * N + cCol * BN;

  const uint innerRowA = threadIdx.x / BK;
  const uint innerColA = threadIdx.x % BK;
  constexpr uint strideA = numThreadsBlocktile / BK;
  const uint innerRowB = threadIdx.x / BN;
  const uint innerColB = threadIdx.x % BN;
  constexpr uint strideB = numThreadsBlocktile / BN;

  float threadResults[TM * TN] = {0.0f};
  float regM[TM] = {0.0f};
  float regN[TN] = {0.0f};

  for (uint bkIdx = 0; bkIdx < K; bkIdx += BK) {
    for (uint loadOffset = 0; loadOffset < BM; loadOffset += strideA) {
      As[(innerRowA + loadOffset) * BK + innerColA] =
          A[(innerRowA + loadOffset) * K + innerColA];
    }
    for (uint loadOffset = 0; loadOffset < BK; loadOffset += strideB) {
      Bs[(innerRowB + loadOffset) * BN + innerColB] =
          B[(innerRowB + loadOffset) * N + innerColB];
    }
    __syncthreads();
    A += BK;
    B += BK * N;
    for (uint dotIdx = 0; dotIdx < BK; ++dotIdx) {
      for (uint i = 0; i < TM; ++i) {
        regM[i] = As[(threadRow * TM + i) * BK + dotIdx];
      }
      for (uint i = 0; i < TN; ++i) {
        regN[i] = Bs[dotIdx * BN + threadCol * TN + i];
      }
      for (uint m = 0; m < TM; ++m) {
        for (uint n = 0; n < TN; ++n) {
          threadResults[m * TN + n] += regM[m] * regN[n];
        }
      }
    }
    __syncthreads();
  }

  for (uint m = 0; m < TM; ++m) {
    for (uint n = 0; n < TN; ++n) {
      const uint idx = (threadRow * TM + m) * N + threadCol * TN + n;
      C[idx] = alpha * threadResults[m * TN + n] + beta * C[idx];
    }
  }
}

// ---------------------------------------------------------------- kernel 6
// float4 for GMEM and SMEM, As stored transposed
template <const int BM, const int BN, const int BK, const int TM, const int TN>
__global__ void sgemmVectorize(int M, int N, int K, float alpha, float *A,
                               float *B, float beta, float *C) {
  const uint cRow = blockIdx.y;
  const uint cCol = blockIdx.x;
  const int threadCol = threadIdx.x % (BN / TN);
  const int threadRow = threadIdx.x / (BN / TN);

  __shared__ __align__(16) float As[BM * BK];
  __shared__ __align__(16) float Bs[BK * BN];

  A += cRow * BM * K;
  B += cCol * BN;
  C += cRow * BM * N + cCol * BN;

  // 256 threads * 4 floats = 1024 = BM*BK = BK*BN for 128/8
  const uint innerRowA = threadIdx.x / (BK / 4);
  const uint innerColA = threadIdx.x % (BK / 4);
  const uint innerRowB = threadIdx.x / (BN / 4);
  const uint innerColB = threadIdx.x % (BN / 4);

  float threadResults[TM * TN] = {0.0f};
  float regM[TM] = {0.0f};
  float regN[TN] = {0.0f};

  for (uint bkIdx = 0; bkIdx < K; bkIdx += BK) {
    float4 tmp = reinterpret_cast<float4 *>(&A[innerRowA * K + innerColA * 4])[0];
    As[(innerColA * 4 + 0) * BM + innerRowA] = tmp.x;
    As[(innerColA * 4 + 1) * BM + innerRowA] = tmp.y;
    As[(innerColA * 4 + 2) * BM + innerRowA] = tmp.z;
    As[(innerColA * 4 + 3) * BM + innerRowA] = tmp.w;

    reinterpret_cast<float4 *>(&Bs[innerRowB * BN + innerColB * 4])[0] =
        reinterpret_cast<float4 *>(&B[innerRowB * N + innerColB * 4])[0];
    __syncthreads();
    A += BK;
    B += BK * N;

    for (uint dotIdx = 0; dotIdx < BK; ++dotIdx) {
      for (uint i = 0; i < TM; ++i) regM[i] = As[dotIdx * BM + threadRow * TM + i];
      for (uint i = 0; i < TN; ++i) regN[i] = Bs[dotIdx * BN + threadCol * TN + i];
      for (uint m = 0; m < TM; ++m)
        for (uint n = 0; n < TN; ++n) threadResults[m * TN + n] += regM[m] * regN[n];
    }
    __syncthreads();
  }

  for (uint m = 0; m < TM; m += 1) {
    for (uint n = 0; n < TN; n += 4) {
      float4 *dst = reinterpret_cast<float4 *>(&C[(threadRow * TM + m) * N + threadCol * TN + n]);
      float4 tmp = *dst;
      tmp.x = alpha * threadResults[m * TN + n + 0] + beta * tmp.x;
      tmp.y = alpha * threadResults[m * TN + n + 1] + beta * tmp.y;
      tmp.z = alpha * threadResults[m * TN + n + 2] + beta * tmp.z;
      tmp.w = alpha * threadResults[m * TN + n + 3] + beta * tmp.w;
      *dst = tmp;
    }
  }
}

// ---------------------------------------------------------------- kernel 7
const int WARPSIZE = 32;

namespace wt {
template <const int BM, const int BN, const int BK, const int rowStrideA, const int rowStrideB>
__device__ void loadFromGmem(int N, int K, const float *A, const float *B,
                             float *As, float *Bs, int innerRowA, int innerColA,
                             int innerRowB, int innerColB) {
  for (uint offset = 0; offset + rowStrideA <= BM; offset += rowStrideA) {
    const float4 tmp = reinterpret_cast<const float4 *>(
        &A[(innerRowA + offset) * K + innerColA * 4])[0];
    As[(innerColA * 4 + 0) * BM + innerRowA + offset] = tmp.x;
    As[(innerColA * 4 + 1) * BM + innerRowA + offset] = tmp.y;
    As[(innerColA * 4 + 2) * BM + innerRowA + offset] = tmp.z;
    As[(innerColA * 4 + 3) * BM + innerRowA + offset] = tmp.w;
  }
  for (uint offset = 0; offset + rowStrideB <= BK; offset += rowStrideB) {
    reinterpret_cast<float4 *>(&Bs[(innerRowB + offset) * BN + innerColB * 4])[0] =
        reinterpret_cast<const float4 *>(&B[(innerRowB + offset) * N + innerColB * 4])[0];
  }
}

template <const int BM, const int BN, const int BK, const int WM, const int WN,
          const int WMITER, const int WNITER, const int WSUBM, const int WSUBN,
          const int TM, const int TN>
__device__ void processFromSmem(float *regM, float *regN, float *threadResults,
                                const float *As, const float *Bs,
                                const uint warpRow, const uint warpCol,
                                const uint threadRowInWarp, const uint threadColInWarp) {
  for (uint dotIdx = 0; dotIdx < BK; ++dotIdx) {
    for (uint wSubRowIdx = 0; wSubRowIdx < WMITER; ++wSubRowIdx)
      for (uint i = 0; i < TM; ++i)
        regM[wSubRowIdx * TM + i] =
            As[(dotIdx * BM) + warpRow * WM + wSubRowIdx * WSUBM + threadRowInWarp * TM + i];
    for (uint wSubColIdx = 0; wSubColIdx < WNITER; ++wSubColIdx)
      for (uint i = 0; i < TN; ++i)
        regN[wSubColIdx * TN + i] =
            Bs[(dotIdx * BN) + warpCol * WN + wSubColIdx * WSUBN + threadColInWarp * TN + i];

    for (uint wSubRowIdx = 0; wSubRowIdx < WMITER; ++wSubRowIdx)
      for (uint wSubColIdx = 0; wSubColIdx < WNITER; ++wSubColIdx)
        for (uint m = 0; m < TM; ++m)
          for (uint n = 0; n < TN; ++n)
            threadResults[(wSubRowIdx * TM + m) * (WNITER * TN) + (wSubColIdx * TN) + n] +=
                regM[wSubRowIdx * TM + m] * regN[wSubColIdx * TN + n];
  }
}
} // namespace wt

template <const int BM, const int BN, const int BK, const int WM, const int WN,
          const int WNITER, const int TM, const int TN, const int NUM_THREADS>
__global__ void __launch_bounds__(NUM_THREADS)
    sgemmWarptiling(int M, int N, int K, float alpha, float *A, float *B,
                    float beta, float *C) {
  const uint cRow = blockIdx.y;
  const uint cCol = blockIdx.x;

  const uint warpIdx = threadIdx.x / WARPSIZE;
  const uint warpCol = warpIdx % (BN / WN);
  const uint warpRow = warpIdx / (BN / WN);

  constexpr uint WMITER = (WM * WN) / (WARPSIZE * TM * TN * WNITER);
  constexpr uint WSUBM = WM / WMITER;
  constexpr uint WSUBN = WN / WNITER;

  const uint threadIdxInWarp = threadIdx.x % WARPSIZE;
  const uint threadColInWarp = threadIdxInWarp % (WSUBN / TN);
  const uint threadRowInWarp = threadIdxInWarp / (WSUBN / TN);

  __shared__ __align__(16) float As[BM * BK];
  __shared__ __align__(16) float Bs[BK * BN];

  A += cRow * BM * K;
  B += cCol * BN;
  C += (cRow * BM + warpRow * WM) * N + cCol * BN + warpCol * WN;

  const uint innerRowA = threadIdx.x / (BK / 4);
  const uint innerColA = threadIdx.x % (BK / 4);
  constexpr uint rowStrideA = (NUM_THREADS * 4) / BK;
  const uint innerRowB = threadIdx.x / (BN / 4);
  const uint innerColB = threadIdx.x % (BN / 4);
  constexpr uint rowStrideB = NUM_THREADS / (BN / 4);

  float threadResults[WMITER * TM * WNITER * TN] = {0.0f};
  float regM[WMITER * TM] = {0.0f};
  float regN[WNITER * TN] = {0.0f};

  for (uint bkIdx = 0; bkIdx < K; bkIdx += BK) {
    wt::loadFromGmem<BM, BN, BK, rowStrideA, rowStrideB>(
        N, K, A, B, As, Bs, innerRowA, innerColA, innerRowB, innerColB);
    __syncthreads();
    wt::processFromSmem<BM, BN, BK, WM, WN, WMITER, WNITER, WSUBM, WSUBN, TM, TN>(
        regM, regN, threadResults, As, Bs, warpRow, warpCol, threadRowInWarp, threadColInWarp);
    A += BK;
    B += BK * N;
    __syncthreads();
  }

  for (uint wSubRowIdx = 0; wSubRowIdx < WMITER; ++wSubRowIdx) {
    for (uint wSubColIdx = 0; wSubColIdx < WNITER; ++wSubColIdx) {
      float *C_interim = C + (wSubRowIdx * WSUBM) * N + wSubColIdx * WSUBN;
      for (uint m = 0; m < TM; m += 1) {
        for (uint n = 0; n < TN; n += 4) {
          float4 *dst = reinterpret_cast<float4 *>(
              &C_interim[(threadRowInWarp * TM + m) * N + threadColInWarp * TN + n]);
          float4 tmp = *dst;
          const int i = (wSubRowIdx * TM + m) * (WNITER * TN) + wSubColIdx * TN + n;
          tmp.x = alpha * threadResults[i + 0] + beta * tmp.x;
          tmp.y = alpha * threadResults[i + 1] + beta * tmp.y;
          tmp.z = alpha * threadResults[i + 2] + beta * tmp.z;
          tmp.w = alpha * threadResults[i + 3] + beta * tmp.w;
          *dst = tmp;
        }
      }
    }
  }
}

// ---------------------------------------------------------------- kernel 8
// warptiling + double buffering: two smem stages, next tile staged while computing this one.
// One __syncthreads per k-tile.
template <const int BM, const int BN, const int BK, const int WM, const int WN,
          const int WNITER, const int TM, const int TN, const int NUM_THREADS>
__global__ void __launch_bounds__(NUM_THREADS)
    sgemmDoubleBuffering(int M, int N, int K, float alpha, const float *A, const float *B,
                         float beta, float *C) {
  const uint cRow = blockIdx.y, cCol = blockIdx.x;
  const uint warpIdx = threadIdx.x / WARPSIZE;
  const uint warpCol = warpIdx % (BN / WN);
  const uint warpRow = warpIdx / (BN / WN);

  constexpr uint WMITER = (WM * WN) / (WARPSIZE * TM * TN * WNITER);
  constexpr uint WSUBM = WM / WMITER;
  constexpr uint WSUBN = WN / WNITER;

  const uint lane = threadIdx.x % WARPSIZE;
  const uint threadColInWarp = lane % (WSUBN / TN);
  const uint threadRowInWarp = lane / (WSUBN / TN);

  __shared__ __align__(16) float As[2][BM * BK];
  __shared__ __align__(16) float Bs[2][BK * BN];

  A += cRow * BM * K;
  B += cCol * BN;
  C += (cRow * BM + warpRow * WM) * N + cCol * BN + warpCol * WN;

  const uint innerRowA = threadIdx.x / (BK / 4);
  const uint innerColA = threadIdx.x % (BK / 4);
  constexpr uint rowStrideA = (NUM_THREADS * 4) / BK;
  const uint innerRowB = threadIdx.x / (BN / 4);
  const uint innerColB = threadIdx.x % (BN / 4);
  constexpr uint rowStrideB = NUM_THREADS / (BN / 4);

  float threadResults[WMITER * TM * WNITER * TN] = {0.0f};
  float regM[WMITER * TM] = {0.0f};
  float regN[WNITER * TN] = {0.0f};

  wt::loadFromGmem<BM, BN, BK, rowStrideA, rowStrideB>(
      N, K, A, B, As[0], Bs[0], innerRowA, innerColA, innerRowB, innerColB);
  __syncthreads();

  int cur = 0;
  for (uint bkIdx = 0; bkIdx < K; bkIdx += BK) {
    if (bkIdx + BK < K) {
      wt::loadFromGmem<BM, BN, BK, rowStrideA, rowStrideB>(
          N, K, A + BK, B + BK * N, As[cur ^ 1], Bs[cur ^ 1], innerRowA, innerColA, innerRowB,
          innerColB);
    }
    wt::processFromSmem<BM, BN, BK, WM, WN, WMITER, WNITER, WSUBM, WSUBN, TM, TN>(
        regM, regN, threadResults, As[cur], Bs[cur], warpRow, warpCol, threadRowInWarp,
        threadColInWarp);
    A += BK;
    B += BK * N;
    cur ^= 1;
    __syncthreads();
  }

  for (uint a = 0; a < WMITER; ++a)
    for (uint b = 0; b < WNITER; ++b) {
      float *Ci = C + (a * WSUBM) * N + b * WSUBN;
      for (uint m = 0; m < TM; ++m)
        for (uint n = 0; n < TN; n += 4) {
          float4 *dst = reinterpret_cast<float4 *>(
              &Ci[(threadRowInWarp * TM + m) * N + threadColInWarp * TN + n]);
          const float *r = &threadResults[(a * TM + m) * (WNITER * TN) + b * TN + n];
          float4 c = *dst;
          c.x = alpha * r[0] + beta * c.x;
          c.y = alpha * r[1] + beta * c.y;
          c.z = alpha * r[2] + beta * c.z;
          c.w = alpha * r[3] + beta * c.w;
          *dst = c;
        }
    }
}

// ----------------------------------------------------------------
static void randomize_matrix(std::vector<float> &mat) {
  for (auto &v : mat) {
    float t = (float)(rand() % 5) + 0.01f * (rand() % 5);
    v = (rand() % 2 == 0) ? t : -t;
  }
}

int main() {
  const int M = 1024, N = 1024, K = 1024;
  const float alpha = 0.5f, beta = 3.0f;
  srand(10);

  std::vector<float> hA(M * K), hB(K * N), hC(M * N), out(M * N);
  randomize_matrix(hA);
  randomize_matrix(hB);
  randomize_matrix(hC);

  float *dA, *dB, *dC;
  cudaCheck(cudaMalloc(&dA, sizeof(float) * M * K));
  cudaCheck(cudaMalloc(&dB, sizeof(float) * K * N));
  cudaCheck(cudaMalloc(&dC, sizeof(float) * M * N));
  cudaCheck(cudaMemcpy(dA, hA.data(), sizeof(float) * M * K, cudaMemcpyHostToDevice));
  cudaCheck(cudaMemcpy(dB, hB.data(), sizeof(float) * K * N, cudaMemcpyHostToDevice));

  std::vector<std::pair<std::string, std::function<void()>>> ladder;
  ladder.push_back({"1 naive", [&] {
                      dim3 grid(CEIL_DIV(M, 32), CEIL_DIV(N, 32)), block(32, 32);
                      sgemm_naive<<<grid, block>>>(M, N, K, alpha, dA, dB, beta, dC);
                    }});
  ladder.push_back({"2 gmem coalesce", [&] {
                      dim3 grid(CEIL_DIV(M, 32), CEIL_DIV(N, 32));
                      sgemm_global_mem_coalesce<32>
                          <<<grid, 32 * 32>>>(M, N, K, alpha, dA, dB, beta, dC);
                    }});
  ladder.push_back({"3 smem block", [&] {
                      dim3 grid(CEIL_DIV(M, 32), CEIL_DIV(N, 32));
                      sgemm_shared_mem_block<32>
                          <<<grid, 32 * 32>>>(M, N, K, alpha, dA, dB, beta, dC);
                    }});
  ladder.push_back({"4 1D blocktile", [&] {
                      dim3 grid(CEIL_DIV(N, 64), CEIL_DIV(M, 64));
                      sgemm1DBlocktiling<64, 64, 8, 8>
                          <<<grid, (64 * 64) / 8>>>(M, N, K, alpha, dA, dB, beta, dC);
                    }});
  ladder.push_back({"5 2D blocktile", [&] {
                      dim3 grid(CEIL_DIV(N, 128), CEIL_DIV(M, 128));
                      sgemm2DBlocktiling<128, 128, 8, 8, 8>
                          <<<grid, 256>>>(M, N, K, alpha, dA, dB, beta, dC);
                    }});
  ladder.push_back({"6 vectorize", [&] {
                      dim3 grid(CEIL_DIV(N, 128), CEIL_DIV(M, 128));
                      sgemmVectorize<128, 128, 8, 8, 8>
                          <<<grid, 256>>>(M, N, K, alpha, dA, dB, beta, dC);
                    }});
  ladder.push_back({"7 warptile", [&] {
                      dim3 grid(CEIL_DIV(N, 128), CEIL_DIV(M, 128));
                      sgemmWarptiling<128, 128, 16, 64, 64, 4, 8, 4, 128>
                          <<<grid, 128>>>(M, N, K, alpha, dA, dB, beta, dC);
                    }});
  ladder.push_back({"8 double buffer", [&] {
                      dim3 grid(CEIL_DIV(N, 128), CEIL_DIV(M, 64));
                      sgemmDoubleBuffering<64, 128, 16, 32, 64, 1, 8, 4, 128>
                          <<<grid, 128>>>(M, N, K, alpha, dA, dB, beta, dC);
                    }});

  for (auto &[name, fn] : ladder) {
    cudaCheck(cudaMemcpy(dC, hC.data(), sizeof(float) * M * N, cudaMemcpyHostToDevice));
    cudaEvent_t beg, end;
    cudaEventCreate(&beg);
    cudaEventCreate(&end);
    cudaEventRecord(beg);
    fn();
    cudaEventRecord(end);
    cudaCheck(cudaGetLastError());
    cudaCheck(cudaEventSynchronize(end));
    float ms = 0;
    cudaEventElapsedTime(&ms, beg, end);
    cudaCheck(cudaMemcpy(out.data(), dC, sizeof(float) * M * N, cudaMemcpyDeviceToHost));
    double worst = 0;
    for (int s = 0; s < 200; ++s) {
      int r = (s * 7919) % M, c = (s * 104729 + 13) % N;
      double ref = 0;
      for (int k = 0; k < K; ++k) ref += (double)hA[r * K + k] * hB[k * N + c];
      ref = alpha * ref + beta * hC[r * N + c];
      worst = fmax(worst, fabs(ref - out[r * N + c]));
    }
    printf("kernel %-18s %8.3f ms  %9.1f GFLOPS  max err %.4f %s\n", name.c_str(), ms,
           2e-6 * M * N * (double)K / ms, worst, worst < 0.05 ? "ok" : "MISMATCH");
    cudaEventDestroy(beg);
    cudaEventDestroy(end);
  }
  cudaFree(dA);
  cudaFree(dB);
  cudaFree(dC);
  return 0;
}
