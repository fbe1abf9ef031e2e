// SGEMM ladder: C = alpha*A*B + beta*C, row major, step by step.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CEIL_DIV(M, N) (((M) + (N)-1) / (N))
#define cudaCheck(err) (cudaCheck_(err, __FILE__, __LINE__))

static void cudaCheck_(cudaError_t error, const char *file, int line) {
  if (error != cudaSuccess) {
    printf("[CUDA ERROR] at file %s:%d:\n%s\n", file, line, cudaGetErrorString(error));
    exit(EXIT_FAILURE);
  }
}

// Kernel 1: consecutive threads walk down a column, so loads of A and stores to C are strided.
__global__ void sgemm_naive(int M, int N, int K, float alpha, const float *A, const float *B,
                            float beta, float *C) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < M && y < N) {
    float tmp = 0.0f;
    for (int i = 0; i < K; ++i) {
      tmp += A[x * K + i] * B[i * N + y];
    }
    C[x * N + y] = alpha * tmp + beta * C[x * N + y];
  }
}

// Kernel 2: 1D block, remapped so that a warp covers consecutive columns.
template <const int BLOCKSIZE>
__global__ void sgemm_global_mem_coalesce(int M, int N, int K, float alpha, const float *A,
                                          const float *B, float beta, float *C) {
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

// Kernel 3: shared memory blocking.
template <const int BLOCKSIZE>
__global__ void sgemm_shared_mem_block(int M, int N, int K, float alpha, const float *A,
                                       const float *B, float beta, float *C) {
  const unsigned cRow = blockIdx.x;
  const unsigned cCol = blockIdx.y;

  __shared__ float As[BLOCKSIZE * BLOCKSIZE];
  __shared__ float Bs[BLOCKSIZE * BLOCKSIZE];

  const unsigned threadCol = threadIdx.x % BLOCKSIZE;
  const unsigned threadRow = threadIdx.x / BLOCKSIZE;

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

// Kernel 4: every thread computes TM results of one column.
template <const int BM, const int BN, const int BK, const int TM>
__global__ void sgemm1DBlocktiling(int M, int N, int K, float alpha, const float *A,
                                   const float *B, float beta, float *C) {
  const unsigned cRow = blockIdx.y;
  const unsigned cCol = blockIdx.x;
  const int threadCol = threadIdx.x % BN;
  const int threadRow = threadIdx.x / BN;

  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];

  A += cRow * BM * K;
  B += cCol * BN;
  C += cRow * BM * N + cCol * BN;

  const unsigned innerColA = threadIdx.x % BK;
  const unsigned innerRowA = threadIdx.x / BK;
  const unsigned innerColB = threadIdx.x % BN;
  const unsigned innerRowB = threadIdx.x / BN;

  float threadResults[TM] = {0.0f};
  for (unsigned bkIdx = 0; bkIdx < K; bkIdx += BK) {
    As[innerRowA * BK + innerColA] = A[innerRowA * K + innerColA];
    Bs[innerRowB * BN + innerColB] = B[innerRowB * N + innerColB];
    __syncthreads();
    A += BK;
    B += BK * N;
    for (unsigned dotIdx = 0; dotIdx < BK; ++dotIdx) {
      float tmpB = Bs[dotIdx * BN + threadCol];
      for (unsigned resIdx = 0; resIdx < TM; ++resIdx) {
        threadResults[resIdx] += As[(threadRow * TM + resIdx) * BK + dotIdx] * tmpB;
      }
    }
    __syncthreads();
  }
  for (unsigned resIdx = 0; resIdx < TM; ++resIdx) {
    C[(threadRow * TM + resIdx) * N + threadCol] =
        alpha * threadResults[resIdx] + beta * C[(threadRow * TM + resIdx) * N + threadCol];
  }
}

// Kernel 5: TM x TN results per thread.
template <const int BM, const int BN, const int BK, const int TM, const int TN>
__global__ void __launch_bounds__((BM * BN) / (TM * TN), 1)
    sgemm2DBlocktiling(int M, int N, int K, float alpha, const float *A, const float *B,
                       float beta, float *C) {
  const unsigned cRow = blockIdx.y;
  const unsigned cCol = blockIdx.x;
  const unsigned numThreads = (BM * BN) / (TM * TN);

  const int threadCol = threadIdx.x % (BN / TN);
  const int threadRow = threadIdx.x / (BN / TN);

  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];

  A += cRow * BM * K;
  B += cCol * BN;
  C += cRow * BM * N + cCol * BN;

  const unsigned innerRowA = threadIdx.x / BK;
  const unsigned innerColA = threadIdx.x % BK;
  const unsigned strideA = numThreads / BK;
  const unsigned innerRowB = threadIdx.x / BN;
  const unsigned innerColB = threadIdx.x % BN;
  const unsigned strideB = numThreads / BN;

  float threadResults[TM * TN] = {0.0f};
  float regM[TM] = {0.0f};
  float regN[TN] = {0.0f};

  for (unsigned bkIdx = 0; bkIdx < K; bkIdx += BK) {
    for (unsigned loadOffset = 0; loadOffset < BM; loadOffset += strideA) {
      As[(innerRowA + loadOffset) * BK + innerColA] = A[(innerRowA + loadOffset) * K + innerColA];
    }
    for (unsigned loadOffset = 0; loadOffset < BK; loadOffset += strideB) {
      Bs[(innerRowB + loadOffset) * BN + innerColB] = B[(innerRowB + loadOffset) * N + innerColB];
    }
    __syncthreads();
    A += BK;
    B += BK * N;
    for (unsigned dotIdx = 0; dotIdx < BK; ++dotIdx) {
      for (unsigned i = 0; i < TM; ++i) regM[i] = As[(threadRow * TM + i) * BK + dotIdx];
      for (unsigned i = 0; i < TN; ++i) regN[i] = Bs[dotIdx * BN + threadCol * TN + i];
      for (unsigned m = 0; m < TM; ++m)
        for (unsigned n = 0; n < TN; ++n) threadResults[m * TN + n] += regM[m] * regN[n];
    }
    __syncthreads();
  }
  for (unsigned m = 0; m < TM; ++m) {
    for (unsigned n = 0; n < TN; ++n) {
      float *dst = &C[(threadRow * TM + m) * N + threadCol * TN + n];
      *dst = alpha * threadResults[m * TN + n] + beta * *dst;
    }
  }
}

// Kernel 6: float4 loads, A transposed while going to shared memory.
template <const int BM, const int BN, const int BK, const int TM, const int TN>
__global__ void sgemmVectorize(int M, int N, int K, float alpha, float *A, float *B, float beta,
                               float *C) {
  const unsigned cRow = blockIdx.y;
  const unsigned cCol = blockIdx.x;
  const int threadCol = threadIdx.x % (BN / TN);
  const int threadRow = threadIdx.x / (BN / TN);

  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];

  A += cRow * BM * K;
  B += cCol * BN;
  C += cRow * BM * N + cCol * BN;

  const unsigned innerRowA = threadIdx.x / (BK / 4);
  const unsigned innerColA = threadIdx.x % (BK / 4);
  const unsigned innerRowB = threadIdx.x / (BN / 4);
  const unsigned innerColB = threadIdx.x % (BN / 4);

  float threadResults[TM * TN] = {0.0f};
  float regM[TM] = {0.0f};
  float regN[TN] = {0.0f};

  for (unsigned bkIdx = 0; bkIdx < K; bkIdx += BK) {
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
    for (unsigned dotIdx = 0; dotIdx < BK; ++dotIdx) {
      for (unsigned i = 0; i < TM; ++i) regM[i] = As[dotIdx * BM + threadRow * TM + i];
      for (unsigned i = 0; i < TN; ++i) regN[i] = Bs[dotIdx * BN + threadCol * TN + i];
      for (unsigned m = 0; m < TM; ++m)
        for (unsigned n = 0; n < TN; ++n) threadResults[m * TN + n] += regM[m] * regN[n];
    }
    __syncthreads();
  }
  for (unsigned m = 0; m < TM; m += 1) {
    for (unsigned n = 0; n < TN; n += 4) {
      float4 *dst = reinterpret_cast<float4 *>(&C[(threadRow * TM + m) * N + threadCol * TN + n]);
      float4 tmp = *dst;
      tmp.x = alpha * threadResults[m * TN + n] + beta * tmp.x;
      tmp.y = alpha * threadResults[m * TN + n + 1] + beta * tmp.y;
      tmp.z = alpha * threadResults[m * TN + n + 2] + beta * tmp.z;
      tmp.w = alpha * threadResults[m * TN + n + 3] + beta * tmp.w;
      *dst = tmp;
    }
  }
}

// Kernel 7: warp tiling.
const int WARPSIZE = 32;

namespace wt {
template <const int BM, const int BN, const int BK, const int rowStrideA, const int rowStrideB>
__device__ void loadFromGmem(int N, int K, const float *A, const float *B, float *As, float *Bs,
                             int innerRowA, int innerColA, int innerRowB, int innerColB) {
  for (unsigned offset = 0; offset + rowStrideA <= BM; offset += rowStrideA) {
    const float4 tmp =
        reinterpret_cast<const float4 *>(&A[(innerRowA + offset) * K + innerColA * 4])[0];
    As[(innerColA * 4 + 0) * BM + innerRowA + offset] = tmp.x;
    As[(innerColA * 4 + 1) * BM + innerRowA + offset] = tmp.y;
    As[(innerColA * 4 + 2) * BM + innerRowA + offset] = tmp.z;
    As[(innerColA * 4 + 3) * BM + innerRowA + offset] = tmp.w;
  }
  for (unsigned offset = 0; offset + rowStrideB <= BK; offset += rowStrideB) {
    reinterpret_cast<float4 *>(&Bs[(innerRowB + offset) * BN + innerColB * 4])[0] =
        reinterpret_cast<const float4 *>(&B[(innerRowB + offset) * N + innerColB * 4])[0];
  }
}

template <const int BM, const int BN, const int BK, const int WM, const int WN, const int WMITER,
          const int WNITER, const int WSUBM, const int WSUBN, const int TM, const int TN>
__device__ void processFromSmem(float *regM, float *regN, float *threadResults, const float *As,
                                const float *Bs, const unsigned warpRow, const unsigned warpCol,
                                const unsigned threadRowInWarp, const unsigned threadColInWarp) {
  for (unsigned dotIdx = 0; dotIdx < BK; ++dotIdx) {
    for (unsigned ws = 0; ws < WMITER; ++ws)
      for (unsigned i = 0; i < TM; ++i)
        regM[ws * TM + i] =
            As[(dotIdx * BM) + warpRow * WM + ws * WSUBM + threadRowInWarp * TM + i];
    for (unsigned ws = 0; ws < WNITER; ++ws)
      for (unsigned i = 0; i < TN; ++i)
        regN[ws * TN + i] =
            Bs[(dotIdx * BN) + warpCol * WN + ws * WSUBN + threadColInWarp * TN + i];
    for (unsigned wr = 0; wr < WMITER; ++wr)
      for (unsigned wc = 0; wc < WNITER; ++wc)
        for (unsigned m = 0; m < TM; ++m)
          for (unsigned n = 0; n < TN; ++n)
            threadResults[(wr * TM + m) * (WNITER * TN) + (wc * TN) + n] +=
                regM[wr * TM + m] * regN[wc * TN + n];
  }
}
} // namespace wt

template <const int BM, const int BN, const int BK, const int WM, const int WN, const int WNITER,
          const int TM, const int TN, const int NUM_THREADS>
__global__ void __launch_bounds__(NUM_THREADS)
    sgemmWarptiling(int M, int N, int K, float alpha, float *A, float *B, float beta, float *C) {
  const unsigned cRow = blockIdx.y;
  const unsigned cCol = blockIdx.x;

  const unsigned warpIdx = threadIdx.x / WARPSIZE;
  const unsigned warpCol = warpIdx % (BN / WN);
  const unsigned warpRow = warpIdx / (BN / WN);

  constexpr int WMITER = (WM * WN) / (WARPSIZE * TM * TN * WNITER);
  constexpr int WSUBM = WM / WMITER;
  constexpr int WSUBN = WN / WNITER;

  const unsigned threadIdxInWarp = threadIdx.x % WARPSIZE;
  const unsigned threadColInWarp = threadIdxInWarp % (WSUBN / TN);
  const unsigned threadRowInWarp = threadIdxInWarp / (WSUBN / TN);

  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];

  A += cRow * BM * K;
  B += cCol * BN;
  C += (cRow * BM + warpRow * WM) * N + cCol * BN + warpCol * WN;

  const unsigned innerRowA = threadIdx.x / (BK / 4);
  const unsigned innerColA = threadIdx.x % (BK / 4);
  constexpr int rowStrideA = (NUM_THREADS * 4) / BK;
  const unsigned innerRowB = threadIdx.x / (BN / 4);
  const unsigned innerColB = threadIdx.x % (BN / 4);
  constexpr int rowStrideB = NUM_THREADS / (BN / 4);

  float threadResults[WMITER * TM * WNITER * TN] = {0.0f};
  float regM[WMITER * TM] = {0.0f};
  float regN[WNITER * TN] = {0.0f};

  for (unsigned bkIdx = 0; bkIdx < K; bkIdx += BK) {
    wt::loadFromGmem<BM, BN, BK, rowStrideA, rowStrideB>(N, K, A, B, As, Bs, innerRowA, innerColA,
                                                         innerRowB, innerColB);
    __syncthreads();
    wt::processFromSmem<BM, BN, BK, WM, WN, WMITER, WNITER, WSUBM, WSUBN, TM, TN>(
        regM, regN, threadResults, As, Bs, warpRow, warpCol, threadRowInWarp, threadColInWarp);
    A += BK;
    B += BK * N;
    __syncthreads();
  }

  for (unsigned wr = 0; wr < WMITER; ++wr) {
    for (unsigned wc = 0; wc < WNITER; ++wc) {
      float *C_interim = C + (wr * WSUBM) * N + wc * WSUBN;
      for (unsigned m = 0; m < TM; m += 1) {
        for (unsigned n = 0; n < TN; n += 4) {
          float4 *dst = reinterpret_cast<float4 *>(
              &C_interim[(threadRowInWarp * TM + m) * N + threadColInWarp * TN + n]);
          float4 tmp = *dst;
          const int i = (wr * TM + m) * (WNITER * TN) + wc * TN + n;
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

static void randomize(std::vector<float> &v) {
  for (auto &x : v) {
    float t = (float)(rand() % 5) + 0.01f * (rand() % 5);
    x = (rand() % 2) ? -t : t;
  }
}

static double checksum(const float *dC, int n) {
  std::vector<float> h(n);
  cudaCheck(cudaMemcpy(h.data(), dC, sizeof(float) * n, cudaMemcpyDeviceToHost));
  double s = 0;
  for (int i = 0; i < n; ++i) s += h[i] * ((i % 7) + 1);
  return s;
}

int main() {
  srand(10);
  const int S = 2048;
  std::vector<float> hA(S * S), hB(S * S), hC(S * S);
  randomize(hA);
  randomize(hB);
  randomize(hC);
  float *A, *B, *C;
  cudaCheck(cudaMalloc(&A, sizeof(float) * S * S));
  cudaCheck(cudaMalloc(&B, sizeof(float) * S * S));
  cudaCheck(cudaMalloc(&C, sizeof(float) * S * S));
  cudaCheck(cudaMemcpy(A, hA.data(), sizeof(float) * S * S, cudaMemcpyHostToDevice));
  cudaCheck(cudaMemcpy(B, hB.data(), sizeof(float) * S * S, cudaMemcpyHostToDevice));
  cudaCheck(cudaMemcpy(C, hC.data(), sizeof(float) * S * S, cudaMemcpyHostToDevice));

  const float alpha = 0.5f, beta = 0.25f;
  {
    int M = 512, N = 1024, K = 512;
    dim3 grid(CEIL_DIV(M, 32), CEIL_DIV(N, 32)), block(32, 32);
    sgemm_naive<<<grid, block>>>(M, N, K, alpha, A, B, beta, C);
    cudaCheck(cudaGetLastError());
  }
  {
    int n = 1024;
    dim3 grid(CEIL_DIV(n, 32), CEIL_DIV(n, 32));
    sgemm_global_mem_coalesce<32><<<grid, 32 * 32>>>(n, n, n, alpha, A, B, beta, C);
    cudaCheck(cudaGetLastError());
    sgemm_shared_mem_block<32><<<grid, 32 * 32>>>(n, n, n, alpha, A, B, beta, C);
    cudaCheck(cudaGetLastError());
  }
  {
    int n = 1536;
    dim3 grid(CEIL_DIV(n, 64), CEIL_DIV(n, 64));
    sgemm1DBlocktiling<64, 64, 8, 8><<<grid, 512>>>(n, n, n, alpha, A, B, beta, C);
    cudaCheck(cudaGetLastError());
  }
  {
    dim3 grid(CEIL_DIV(S, 128), CEIL_DIV(S, 128));
    sgemm2DBlocktiling<128, 128, 8, 8, 8><<<grid, 256>>>(S, S, S, alpha, A, B, beta, C);
    cudaCheck(cudaGetLastError());
    sgemmVectorize<128, 128, 8, 8, 8><<<grid, 256>>>(S, S, S, alpha, A, B, beta, C);
    cudaCheck(cudaGetLastError());
    sgemmWarptiling<128, 128, 16, 64, 64, 4, 8, 4, 128><<<grid, 128>>>(S, S, S, alpha, A, B, beta, C);
    cudaCheck(cudaGetLastError());
  }
  {
    int n = 1024;
    dim3 grid(CEIL_DIV(n, 64), CEIL_DIV(n, 64));
    sgemm2DBlocktiling<64, 64, 8, 4, 8><<<grid, 128>>>(n, n, n, alpha, A, B, beta, C);
    cudaCheck(cudaGetLastError());
  }
  cudaCheck(cudaDeviceSynchronize());
  printf("sgemm_steps checksum %.6e\n", checksum(C, S * S));
  cudaFree(A);
  cudaFree(B);
  cudaFree(C);
  return 0;
}
