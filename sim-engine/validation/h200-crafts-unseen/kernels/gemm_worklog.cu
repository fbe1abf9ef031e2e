// GEMM worklog: from the three-line kernel to tensor cores, one post at a time.
// C = A * B, row major, plus the transposes needed for the "B^T" experiments.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>
#include <cmath>
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <mma.h>

#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))
void cudaCheck(cudaError_t error, const char *file, int line) {
  if (error != cudaSuccess) {
    printf("[CUDA ERROR] at file %s:%d:\n%s\n", file, line, cudaGetErrorString(error));
    exit(EXIT_FAILURE);
  }
}
#define cudaCheck(err) (cudaCheck(err, __FILE__, __LINE__))

// Kernel 1: naive (rows along threadIdx.x, on purpose the wrong way round)
__global__ void sgemm_naive(int M, int N, int K, const float *A, const float *B, float *C) {
  const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    float tmp = 0.0;
    for (int i = 0; i < K; ++i) tmp += A[row * K + i] * B[i * N + col];
    C[row * N + col] = tmp;
  }
}

// Kernel 2: coalesced
template <const unsigned BLOCKSIZE>
__global__ void sgemm_coalesced(int M, int N, int K, const float *A, const float *B, float *C) {
  const int row = blockIdx.x * BLOCKSIZE + (threadIdx.x / BLOCKSIZE);
  const int col = blockIdx.y * BLOCKSIZE + (threadIdx.x % BLOCKSIZE);
  if (row < M && col < N) {
    float tmp = 0.0;
    for (int i = 0; i < K; ++i) tmp += A[row * K + i] * B[i * N + col];
    C[row * N + col] = tmp;
  }
}

// Kernel 3: shared memory tiles
template <typename T, int TILE>
__global__ void gemm_smem(int M, int N, int K, const T *A, const T *B, T *C) {
  __shared__ T As[TILE][TILE];
  __shared__ T Bs[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  T tmp = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    As[threadIdx.y][threadIdx.x] = (row < M && k0 + threadIdx.x < K) ? A[row * K + k0 + threadIdx.x] : T(0);
    Bs[threadIdx.y][threadIdx.x] = (k0 + threadIdx.y < K && col < N) ? B[(k0 + threadIdx.y) * N + col] : T(0);
    __syncthreads();
    for (int k = 0; k < TILE; ++k) tmp += As[threadIdx.y][k] * Bs[k][threadIdx.x];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = tmp;
}

// Kernel 4: 1D blocktiling, a thread computes TM results of one column (sizes multiple of the tile)
template <const int BM, const int BN, const int BK, const int TM>
__global__ void sgemm_1d(int M, int N, int K, const float *A, const float *B, float *C) {
  __shared__ float As[BM * BK];
  __shared__ __align__(16) float Bs[BK * BN];
  const int threadCol = threadIdx.x % BN, threadRow = threadIdx.x / BN;
  A += blockIdx.y * BM * K;
  B += blockIdx.x * BN;
  C += blockIdx.y * BM * N + blockIdx.x * BN;
  const int aCol = threadIdx.x % BK, aRow = threadIdx.x / BK;
  const int bCol = threadIdx.x % BN, bRow = threadIdx.x / BN;
  float acc[TM] = {0.0};
  for (int bk = 0; bk < K; bk += BK) {
    As[aRow * BK + aCol] = A[aRow * K + aCol];
    Bs[bRow * BN + bCol] = B[bRow * N + bCol];
    __syncthreads();
    A += BK;
    B += BK * N;
    for (int k = 0; k < BK; ++k) {
      float b = Bs[k * BN + threadCol];
      for (int r = 0; r < TM; ++r) acc[r] += As[(threadRow * TM + r) * BK + k] * b;
    }
    __syncthreads();
  }
  for (int r = 0; r < TM; ++r) C[(threadRow * TM + r) * N + threadCol] = acc[r];
}

// Kernel 5: 2D blocktiling with float4 loads and A transposed in shared memory
template <const int BM, const int BN, const int BK, const int TM, const int TN>
__global__ void __launch_bounds__((BM / TM) * (BN / TN)) sgemm_2d_vec(int M, int N, int K, const float *A, const float *B, float *C) {
  __shared__ __align__(16) float As[BK * BM];
  __shared__ __align__(16) float Bs[BK * BN];
  constexpr int NT = (BM / TM) * (BN / TN);
  const int tCol = threadIdx.x % (BN / TN), tRow = threadIdx.x / (BN / TN);
  A += blockIdx.y * BM * K;
  B += blockIdx.x * BN;
  C += blockIdx.y * BM * N + blockIdx.x * BN;
  float acc[TM * TN] = {0.0}, regM[TM], regN[TN];
  for (int bk = 0; bk < K; bk += BK) {
    for (int e = threadIdx.x; e < BM * BK / 4; e += NT) {
      int r = e / (BK / 4), c = e % (BK / 4);
      float4 t = reinterpret_cast<const float4 *>(&A[r * K + c * 4])[0];
      As[(c * 4 + 0) * BM + r] = t.x;
      As[(c * 4 + 1) * BM + r] = t.y;
      As[(c * 4 + 2) * BM + r] = t.z;
      As[(c * 4 + 3) * BM + r] = t.w;
    }
    for (int e = threadIdx.x; e < BK * BN / 4; e += NT) {
      int r = e / (BN / 4), c = e % (BN / 4);
      reinterpret_cast<float4 *>(&Bs[r * BN + c * 4])[0] = reinterpret_cast<const float4 *>(&B[r * N + c * 4])[0];
    }
    __syncthreads();
    A += BK;
    B += BK * N;
    for (int k = 0; k < BK; ++k) {
      for (int i = 0; i < TM; ++i) regM[i] = As[k * BM + tRow * TM + i];
      for (int i = 0; i < TN; ++i) regN[i] = Bs[k * BN + tCol * TN + i];
      for (int m = 0; m < TM; ++m)
        for (int n = 0; n < TN; ++n) acc[m * TN + n] += regM[m] * regN[n];
    }
    __syncthreads();
  }
  for (int m = 0; m < TM; ++m)
    for (int n = 0; n < TN; n += 4)
      reinterpret_cast<float4 *>(&C[(tRow * TM + m) * N + tCol * TN + n])[0] = make_float4(acc[m * TN + n], acc[m * TN + n + 1], acc[m * TN + n + 2], acc[m * TN + n + 3]);
}

// Kernel 6: tensor cores through the wmma API, four warps per block, 32x32 per warp
__global__ void hgemm_wmma(int M, int N, int K, const half *A, const half *B, float *C) {
  using namespace nvcuda::wmma;
  int warp = threadIdx.x / 32;
  int row = blockIdx.y * 64 + (warp / 2) * 32, col = blockIdx.x * 64 + (warp % 2) * 32;
  fragment<accumulator, 16, 16, 16, float> c[2][2];
  fragment<matrix_a, 16, 16, 16, half, row_major> a[2];
  fragment<matrix_b, 16, 16, 16, half, row_major> b[2];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) fill_fragment(c[i][j], 0.0f);
  for (int k = 0; k < K; k += 16) {
    for (int i = 0; i < 2; i++) {
      load_matrix_sync(a[i], A + (row + 16 * i) * K + k, K);
      load_matrix_sync(b[i], B + k * N + col + 16 * i, N);
    }
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 2; j++) mma_sync(c[i][j], a[i], b[j], c[i][j]);
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) store_matrix_sync(C + (row + 16 * i) * N + col + 16 * j, c[i][j], N, mem_row_major);
}

// Kernel 7: int8 dot products, B given transposed
__global__ void igemm_dp4a(int M, int N, int K4, const int *A, const int *Bt, int *C) {
  __shared__ int As[16][17], Bs[16][17];
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x, acc = 0;
  for (int k0 = 0; k0 < K4; k0 += 16) {
    As[threadIdx.y][threadIdx.x] = A[row * K4 + k0 + threadIdx.x];
    Bs[threadIdx.y][threadIdx.x] = Bt[(blockIdx.x * 16 + threadIdx.y) * K4 + k0 + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) acc = __dp4a(As[threadIdx.y][k], Bs[threadIdx.x][k], acc);
    __syncthreads();
  }
  C[row * N + col] = acc;
}

// Interlude: transposing B
__global__ void transpose_naive(const float *in, float *out, int rows, int cols) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < cols && y < rows) out[x * rows + y] = in[y * cols + x];
}
template <int PAD>
__global__ void transpose_tile(const float *in, float *out, int rows, int cols) {
  __shared__ float t[32][32 + PAD];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < cols && y + j < rows) t[threadIdx.y + j][threadIdx.x] = in[(y + j) * cols + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < rows && y + j < cols) out[(y + j) * rows + x] = t[threadIdx.x][threadIdx.y + j];
}

int main(int argc, char **argv) {
  const int M = 768, N = 1024, K = 640;
  std::vector<float> A(M * K), B(K * N), C(M * N);
  std::vector<double> Ad(M * K), Bd(K * N), Cd(M * N);
  std::vector<half> Ah(M * K), Bh(K * N);
  std::vector<signed char> Ai(M * K), Bi(N * K);
  std::vector<int> Ci(M * N);
  srand(10);
  for (int i = 0; i < M * K; i++) { int v = rand() % 9 - 4; A[i] = v * 0.25f; Ad[i] = A[i]; Ah[i] = __float2half(A[i]); Ai[i] = (signed char)v; }
  for (int i = 0; i < K * N; i++) { int v = rand() % 7 - 3; B[i] = v * 0.5f; Bd[i] = B[i]; Bh[i] = __float2half(B[i]); Bi[(i % N) * K + i / N] = (signed char)v; }
  float *dA, *dB, *dC; double *dAd, *dBd, *dCd; half *dAh, *dBh; int *dAi, *dBi, *dCi;
  cudaCheck(cudaMalloc(&dA, M * K * 4)); cudaCheck(cudaMalloc(&dB, K * N * 4)); cudaCheck(cudaMalloc(&dC, M * N * 4));
  cudaCheck(cudaMalloc(&dAd, M * K * 8)); cudaCheck(cudaMalloc(&dBd, K * N * 8)); cudaCheck(cudaMalloc(&dCd, M * N * 8));
  cudaCheck(cudaMalloc(&dAh, M * K * 2)); cudaCheck(cudaMalloc(&dBh, K * N * 2));
  cudaCheck(cudaMalloc(&dAi, M * K)); cudaCheck(cudaMalloc(&dBi, K * N)); cudaCheck(cudaMalloc(&dCi, M * N * 4));
  cudaCheck(cudaMemcpy(dA, A.data(), M * K * 4, cudaMemcpyHostToDevice)); cudaCheck(cudaMemcpy(dB, B.data(), K * N * 4, cudaMemcpyHostToDevice));
  cudaCheck(cudaMemcpy(dAd, Ad.data(), M * K * 8, cudaMemcpyHostToDevice)); cudaCheck(cudaMemcpy(dBd, Bd.data(), K * N * 8, cudaMemcpyHostToDevice));
  cudaCheck(cudaMemcpy(dAh, Ah.data(), M * K * 2, cudaMemcpyHostToDevice)); cudaCheck(cudaMemcpy(dBh, Bh.data(), K * N * 2, cudaMemcpyHostToDevice));
  cudaCheck(cudaMemcpy(dAi, Ai.data(), M * K, cudaMemcpyHostToDevice)); cudaCheck(cudaMemcpy(dBi, Bi.data(), K * N, cudaMemcpyHostToDevice));

  auto exact = [&](int i) { double s = 0; for (int k = 0; k < K; k++) s += Ad[(i / N) * K + k] * Bd[k * N + i % N]; return s; };
  cudaEvent_t beg, end;
  cudaEventCreate(&beg); cudaEventCreate(&end);
  int failures = 0;
  auto bench = [&](const char *name, std::function<void()> launch, std::function<double(int)> result) {
    cudaCheck(cudaMemset(dC, 0, M * N * 4));
    cudaEventRecord(beg);
    launch();
    cudaEventRecord(end);
    cudaCheck(cudaGetLastError());
    cudaCheck(cudaEventSynchronize(end));
    float ms;
    cudaEventElapsedTime(&ms, beg, end);
    double worst = 0, v = result(-1);
    (void)v;
    for (int i = 0; i < M * N; i += 1499) worst = fmax(worst, fabs(result(i) - exact(i)));
    printf("%-20s %8.3f ms %8.1f GFLOP/s  %s\n", name, ms, 2e-6 * M * N * K / ms, worst < 1e-3 ? "ok" : "WRONG");
    failures += !(worst < 1e-3);
  };
  auto fl = [&](int i) -> double { if (i < 0) { cudaCheck(cudaMemcpy(C.data(), dC, M * N * 4, cudaMemcpyDeviceToHost)); return 0; } return C[i]; };
  auto db = [&](int i) -> double { if (i < 0) { cudaCheck(cudaMemcpy(Cd.data(), dCd, M * N * 8, cudaMemcpyDeviceToHost)); return 0; } return Cd[i]; };
  auto in = [&](int i) -> double { if (i < 0) { cudaCheck(cudaMemcpy(Ci.data(), dCi, M * N * 4, cudaMemcpyDeviceToHost)); return 0; } return Ci[i] * 0.125; };

  bench("1 naive", [&] { sgemm_naive<<<dim3(CEIL_DIV(M, 32), CEIL_DIV(N, 32)), dim3(32, 32)>>>(M, N, K, dA, dB, dC); }, fl);
  bench("2 coalesced 32", [&] { sgemm_coalesced<32><<<dim3(CEIL_DIV(M, 32), CEIL_DIV(N, 32)), 32 * 32>>>(M, N, K, dA, dB, dC); }, fl);
  bench("2 coalesced 16", [&] { sgemm_coalesced<16><<<dim3(CEIL_DIV(M, 16), CEIL_DIV(N, 16)), 16 * 16>>>(M, N, K, dA, dB, dC); }, fl);
  bench("3 smem 32", [&] { gemm_smem<float, 32><<<dim3(CEIL_DIV(N, 32), CEIL_DIV(M, 32)), dim3(32, 32)>>>(M, N, K, dA, dB, dC); }, fl);
  bench("3 smem 16", [&] { gemm_smem<float, 16><<<dim3(CEIL_DIV(N, 16), CEIL_DIV(M, 16)), dim3(16, 16)>>>(M, N, K, dA, dB, dC); }, fl);
  bench("3 smem 16 double", [&] { gemm_smem<double, 16><<<dim3(CEIL_DIV(N, 16), CEIL_DIV(M, 16)), dim3(16, 16)>>>(M, N, K, dAd, dBd, dCd); }, db);
  bench("4 1D tiles", [&] { sgemm_1d<64, 64, 8, 8><<<dim3(N / 64, M / 64), 512>>>(M, N, K, dA, dB, dC); }, fl);
  bench("5 2D vec 64x64", [&] { sgemm_2d_vec<64, 64, 16, 4, 4><<<dim3(N / 64, M / 64), 256>>>(M, N, K, dA, dB, dC); }, fl);
  bench("5 2D vec 128x128", [&] { sgemm_2d_vec<128, 128, 8, 8, 8><<<dim3(N / 128, M / 128), 256>>>(M, N, K, dA, dB, dC); }, fl);
  bench("6 wmma", [&] { hgemm_wmma<<<dim3(N / 64, M / 64), 128>>>(M, N, K, dAh, dBh, dC); }, fl);
  bench("7 dp4a", [&] { igemm_dp4a<<<dim3(N / 16, M / 16), dim3(16, 16)>>>(M, N, K / 4, dAi, dBi, dCi); }, in);

  const int R = 3000, S = 2100;
  std::vector<float> big(R * S), tr(R * S);
  for (int i = 0; i < R * S; i++) big[i] = (float)i;
  float *dX, *dY;
  cudaCheck(cudaMalloc(&dX, R * S * 4)); cudaCheck(cudaMalloc(&dY, R * S * 4));
  cudaCheck(cudaMemcpy(dX, big.data(), R * S * 4, cudaMemcpyHostToDevice));
  for (int v = 0; v < 3; v++) {
    dim3 g(CEIL_DIV(S, 32), CEIL_DIV(R, 32)), b(32, 8);
    cudaCheck(cudaMemset(dY, 0, R * S * 4));
    if (v == 0) transpose_naive<<<dim3(CEIL_DIV(S, 16), CEIL_DIV(R, 16)), dim3(16, 16)>>>(dX, dY, R, S);
    if (v == 1) transpose_tile<0><<<g, b>>>(dX, dY, R, S);
    if (v == 2) transpose_tile<1><<<g, b>>>(dX, dY, R, S);
    cudaCheck(cudaMemcpy(tr.data(), dY, R * S * 4, cudaMemcpyDeviceToHost));
    bool good = true;
    for (int i = 0; i < R * S; i += 17) good &= tr[(i % S) * R + i / S] == big[i];
    printf("transpose %d          %s\n", v, good ? "ok" : "WRONG");
    failures += !good;
  }
  puts(failures ? "FAIL" : "PASS");
  return failures;
}
