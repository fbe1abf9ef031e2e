// SGEMM, step by step: C = alpha * A * B + beta * C, row major, M x K times K x N
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define CEIL_DIV(M, N) (((M) + (N) - 1) / (N))
#define cudaCheck(err) do { cudaError_t e__ = (err); if (e__ != cudaSuccess) { printf("[CUDA ERROR] at file %s(line %d):\n%s\n", \
    __FILE__, __LINE__, cudaGetErrorString(e__)); exit(EXIT_FAILURE); } } while (0)

// 1
__global__ void sgemm_naive(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < M && y < N) {
        float tmp = 0.0f;
        for (int i = 0; i < K; ++i) tmp += A[x * K + i] * B[i * N + y];
        C[x * N + y] = alpha * tmp + beta * C[x * N + y];
    }
}
// 2
template <const unsigned BLOCKSIZE>
__global__ void sgemm_global_mem_coalesce(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
    const int cRow = blockIdx.x * BLOCKSIZE + (threadIdx.x / BLOCKSIZE);
    const int cCol = blockIdx.y * BLOCKSIZE + (threadIdx.x % BLOCKSIZE);
    if (cRow < M && cCol < N) {
        float tmp = 0.0f;
        for (int i = 0; i < K; ++i) tmp += A[cRow * K + i] * B[i * N + cCol];
        C[cRow * N + cCol] = alpha * tmp + beta * C[cRow * N + cCol];
    }
}
// 3
template <const int BS>
__global__ void sgemm_shared_mem_block(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
    __shared__ float As[BS * BS];
    __shared__ float Bs[BS * BS];
    const unsigned threadCol = threadIdx.x % BS, threadRow = threadIdx.x / BS;
    A += blockIdx.y * BS * K;
    B += blockIdx.x * BS;
    C += blockIdx.y * BS * N + blockIdx.x * BS;
    float tmp = 0.0f;
    for (int bkIdx = 0; bkIdx < K; bkIdx += BS) {
        As[threadRow * BS + threadCol] = A[threadRow * K + threadCol];
        Bs[threadRow * BS + threadCol] = B[threadRow * N + threadCol];
        __syncthreads();
        A += BS;
        B += BS * N;
        for (int dot = 0; dot < BS; ++dot) tmp += As[threadRow * BS + dot] * Bs[dot * BS + threadCol];
        __syncthreads();
    }
    C[threadRow * N + threadCol] = alpha * tmp + beta * C[threadRow * N + threadCol];
}
// 4
template <const int BM, const int BN, const int BK, const int TM>
__global__ void sgemm_1D_blocktiling(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
    static_assert(BM * BK == BM * BN / TM && BN * BK == BM * BN / TM, "one load a thread");
    __shared__ float As[BM * BK];
    __shared__ float Bs[BK * BN];
    const int threadCol = threadIdx.x % BN, threadRow = threadIdx.x / BN;
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    const unsigned innerColA = threadIdx.x % BK, innerRowA = threadIdx.x / BK;
    const unsigned innerColB = threadIdx.x % BN, innerRowB = threadIdx.x / BN;
    float threadResults[TM] = {0.0f};
    for (int bkIdx = 0; bkIdx < K; bkIdx += BK) {
        As[innerRowA * BK + innerColA] = A[innerRowA * K + innerColA];
        Bs[innerRowB * BN + innerColB] = B[innerRowB * N + innerColB];
        __syncthreads();
        A += BK;
        B += BK * N;
        for (int dot = 0; dot < BK; ++dot) {
            float tmpB = Bs[dot * BN + threadCol];
            for (int r = 0; r < TM; ++r) threadResults[r] += As[(threadRow * TM + r) * BK + dot] * tmpB;
        }
        __syncthreads();
    }
    for (int r = 0; r < TM; ++r) {
        float *c = C + (threadRow * TM + r) * N + threadCol;
        *c = alpha * threadResults[r] + beta * *c;
    }
}
// 5
template <const int BM, const int BN, const int BK, const int TM, const int TN>
__global__ void __launch_bounds__((BM * BN) / (TM * TN), 1)
sgemm_2D_blocktiling(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
    constexpr int numThreads = BM * BN / (TM * TN);
    const int threadCol = threadIdx.x % (BN / TN), threadRow = threadIdx.x / (BN / TN);
    __shared__ float As[BM * BK];
    __shared__ float Bs[BK * BN];
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    const int innerRowA = threadIdx.x / BK, innerColA = threadIdx.x % BK, strideA = numThreads / BK;
    const int innerRowB = threadIdx.x / BN, innerColB = threadIdx.x % BN, strideB = numThreads / BN;
    float acc[TM * TN] = {0.0f}, regM[TM], regN[TN];
    for (int bkIdx = 0; bkIdx < K; bkIdx += BK) {
        for (int off = 0; off < BM; off += strideA) As[(innerRowA + off) * BK + innerColA] = A[(innerRowA + off) * K + innerColA];
        for (int off = 0; off < BK; off += strideB) Bs[(innerRowB + off) * BN + innerColB] = B[(innerRowB + off) * N + innerColB];
        __syncthreads();
        A += BK;
        B += BK * N;
        for (int dot = 0; dot < BK; ++dot) {
            for (int i = 0; i < TM; ++i) regM[i] = As[(threadRow * TM + i) * BK + dot];
            for (int i = 0; i < TN; ++i) regN[i] = Bs[dot * BN + threadCol * TN + i];
            for (int m = 0; m < TM; ++m)
                for (int n = 0; n < TN; ++n) acc[m * TN + n] += regM[m] * regN[n];
        }
        __syncthreads();
    }
    for (int m = 0; m < TM; ++m)
        for (int n = 0; n < TN; ++n) {
            float *c = C + (threadRow * TM + m) * N + threadCol * TN + n;
            *c = alpha * acc[m * TN + n] + beta * *c;
        }
}
// 6: float4 loads, A stored transposed
template <const int BM, const int BN, const int BK, const int TM, const int TN>
__global__ void sgemm_vectorize(int M, int N, int K, float alpha, float *A, float *B, float beta, float *C) {
    const int threadCol = threadIdx.x % (BN / TN), threadRow = threadIdx.x / (BN / TN);
    __shared__ __align__(16) float As[BM * BK];
    __shared__ __align__(16) float Bs[BK * BN];
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    const int innerRowA = threadIdx.x / (BK / 4), innerColA = threadIdx.x % (BK / 4);
    const int innerRowB = threadIdx.x / (BN / 4), innerColB = threadIdx.x % (BN / 4);
    float acc[TM * TN] = {0.0f}, regM[TM], regN[TN];
    for (int bkIdx = 0; bkIdx < K; bkIdx += BK) {
        float4 t = reinterpret_cast<float4 *>(&A[innerRowA * K + innerColA * 4])[0];
        As[(innerColA * 4 + 0) * BM + innerRowA] = t.x;
        As[(innerColA * 4 + 1) * BM + innerRowA] = t.y;
        As[(innerColA * 4 + 2) * BM + innerRowA] = t.z;
        As[(innerColA * 4 + 3) * BM + innerRowA] = t.w;
        reinterpret_cast<float4 *>(&Bs[innerRowB * BN + innerColB * 4])[0] = reinterpret_cast<float4 *>(&B[innerRowB * N + innerColB * 4])[0];
        __syncthreads();
        A += BK;
        B += BK * N;
        for (int dot = 0; dot < BK; ++dot) {
            for (int i = 0; i < TM; ++i) regM[i] = As[dot * BM + threadRow * TM + i];
            for (int i = 0; i < TN; ++i) regN[i] = Bs[dot * BN + threadCol * TN + i];
            for (int m = 0; m < TM; ++m)
                for (int n = 0; n < TN; ++n) acc[m * TN + n] += regM[m] * regN[n];
        }
        __syncthreads();
    }
    for (int m = 0; m < TM; ++m)
        for (int n = 0; n < TN; n += 4) {
            float4 *c = reinterpret_cast<float4 *>(&C[(threadRow * TM + m) * N + threadCol * TN + n]), t = *c;
            t.x = alpha * acc[m * TN + n] + beta * t.x;
            t.y = alpha * acc[m * TN + n + 1] + beta * t.y;
            t.z = alpha * acc[m * TN + n + 2] + beta * t.z;
            t.w = alpha * acc[m * TN + n + 3] + beta * t.w;
            *c = t;
        }
}
// 7: warp tiling. 8: the same with double-buffered shared memory through registers
template <const int BM, const int BN, const int BK, const int WM, const int WN, const int WNITER, const int TM, const int TN,
          const int NUM_THREADS, const bool DOUBLE>
__global__ void __launch_bounds__(NUM_THREADS)
sgemm_warptiling(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
    constexpr int WMITER = (WM * WN) / (32 * TM * TN * WNITER), WSUBM = WM / WMITER, WSUBN = WN / WNITER, STAGES = DOUBLE ? 2 : 1;
    constexpr int rowStrideA = NUM_THREADS * 4 / BK, rowStrideB = NUM_THREADS / (BN / 4);
    constexpr int LA = BM / rowStrideA, LB = BK / rowStrideB;
    static_assert((BM / WM) * (BN / WN) * 32 == NUM_THREADS, "warps cover the block tile");
    static_assert(LA * rowStrideA == BM && LB * rowStrideB == BK, "loads cover the tiles");
    __shared__ __align__(16) float As[STAGES][BM * BK];
    __shared__ __align__(16) float Bs[STAGES][BK * BN];
    const int warpIdx = threadIdx.x / 32, warpCol = warpIdx % (BN / WN), warpRow = warpIdx / (BN / WN);
    const int lane = threadIdx.x % 32, threadColInWarp = lane % (WSUBN / TN), threadRowInWarp = lane / (WSUBN / TN);
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += (blockIdx.y * BM + warpRow * WM) * N + blockIdx.x * BN + warpCol * WN;
    const int innerRowA = threadIdx.x / (BK / 4), innerColA = threadIdx.x % (BK / 4);
    const int innerRowB = threadIdx.x / (BN / 4), innerColB = threadIdx.x % (BN / 4);
    float acc[WMITER * TM * WNITER * TN] = {0.0f}, regM[WMITER * TM], regN[WNITER * TN];
    float4 fa[LA], fb[LB];
    auto fetch = [&]() {
#pragma unroll
        for (int i = 0; i < LA; ++i) fa[i] = *reinterpret_cast<const float4 *>(&A[(innerRowA + i * rowStrideA) * K + innerColA * 4]);
#pragma unroll
        for (int i = 0; i < LB; ++i) fb[i] = *reinterpret_cast<const float4 *>(&B[(innerRowB + i * rowStrideB) * N + innerColB * 4]);
        A += BK;
        B += BK * N;
    };
    auto put = [&](int s) {
#pragma unroll
        for (int i = 0; i < LA; ++i) {
            float *d = &As[s][innerColA * 4 * BM + innerRowA + i * rowStrideA];
            d[0] = fa[i].x; d[BM] = fa[i].y; d[2 * BM] = fa[i].z; d[3 * BM] = fa[i].w;
        }
#pragma unroll
        for (int i = 0; i < LB; ++i) *reinterpret_cast<float4 *>(&Bs[s][(innerRowB + i * rowStrideB) * BN + innerColB * 4]) = fb[i];
    };
    auto compute = [&](int s) {
        for (int dot = 0; dot < BK; ++dot) {
#pragma unroll
            for (int w = 0; w < WMITER; ++w)
                for (int i = 0; i < TM; ++i) regM[w * TM + i] = As[s][dot * BM + warpRow * WM + w * WSUBM + threadRowInWarp * TM + i];
#pragma unroll
            for (int w = 0; w < WNITER; ++w)
                for (int i = 0; i < TN; ++i) regN[w * TN + i] = Bs[s][dot * BN + warpCol * WN + w * WSUBN + threadColInWarp * TN + i];
#pragma unroll
            for (int m = 0; m < WMITER * TM; ++m)
#pragma unroll
                for (int n = 0; n < WNITER * TN; ++n) acc[m * WNITER * TN + n] += regM[m] * regN[n];
        }
    };
    if (!DOUBLE) {
        for (int k = 0; k < K; k += BK) {
            fetch();
            put(0);
            __syncthreads();
            compute(0);
            __syncthreads();
        }
    } else {
        fetch();
        put(0);
        __syncthreads();
        int s = 0;
        for (int k = BK; k < K; k += BK, s ^= 1) {
            fetch();
            compute(s);
            put(s ^ 1);
            __syncthreads();
        }
        compute(s);
    }
#pragma unroll
    for (int wm = 0; wm < WMITER; ++wm)
#pragma unroll
        for (int wn = 0; wn < WNITER; ++wn)
#pragma unroll
            for (int m = 0; m < TM; ++m)
#pragma unroll
                for (int n = 0; n < TN; n += 4) {
                    float4 *c = reinterpret_cast<float4 *>(&C[(wm * WSUBM + threadRowInWarp * TM + m) * N + wn * WSUBN + threadColInWarp * TN + n]), t = *c;
                    const float *a = &acc[(wm * TM + m) * (WNITER * TN) + wn * TN + n];
                    t.x = alpha * a[0] + beta * t.x;
                    t.y = alpha * a[1] + beta * t.y;
                    t.z = alpha * a[2] + beta * t.z;
                    t.w = alpha * a[3] + beta * t.w;
                    *c = t;
                }
}

void run_kernel(int kernel_num, int M, int N, int K, float alpha, float *A, float *B, float beta, float *C) {
    switch (kernel_num) {
    case 1: sgemm_naive<<<dim3(CEIL_DIV(M, 32), CEIL_DIV(N, 32)), dim3(32, 32)>>>(M, N, K, alpha, A, B, beta, C); break;
    case 2: sgemm_global_mem_coalesce<32><<<dim3(CEIL_DIV(M, 32), CEIL_DIV(N, 32)), 32 * 32>>>(M, N, K, alpha, A, B, beta, C); break;
    case 3: sgemm_shared_mem_block<32><<<dim3(N / 32, M / 32), 32 * 32>>>(M, N, K, alpha, A, B, beta, C); break;
    case 4: sgemm_1D_blocktiling<64, 64, 8, 8><<<dim3(N / 64, M / 64), 512>>>(M, N, K, alpha, A, B, beta, C); break;
    case 5: sgemm_2D_blocktiling<128, 128, 8, 8, 8><<<dim3(N / 128, M / 128), 256>>>(M, N, K, alpha, A, B, beta, C); break;
    case 6: sgemm_vectorize<128, 128, 8, 8, 8><<<dim3(N / 128, M / 128), 256>>>(M, N, K, alpha, A, B, beta, C); break;
    case 7: sgemm_warptiling<128, 128, 16, 64, 64, 4, 8, 4, 128, false><<<dim3(N / 128, M / 128), 128>>>(M, N, K, alpha, A, B, beta, C); break;
    case 8: sgemm_warptiling<128, 128, 16, 64, 32, 2, 8, 4, 256, true><<<dim3(N / 128, M / 128), 256>>>(M, N, K, alpha, A, B, beta, C); break;
    case 9: sgemm_warptiling<64, 128, 16, 32, 64, 2, 4, 4, 128, true><<<dim3(N / 128, M / 64), 128>>>(M, N, K, alpha, A, B, beta, C); break;
    default: printf("unknown kernel\n"); exit(EXIT_FAILURE);
    }
    cudaCheck(cudaGetLastError());
}

int main() {
    struct Run { int kernel, M, N, K; };
    const std::vector<Run> runs = {{1, 512, 512, 512}, {2, 1024, 1024, 1024}, {3, 1024, 1024, 1024}, {4, 1024, 2304, 768}, {5, 2048, 2048, 1024},
                                   {6, 2048, 2048, 1024}, {7, 2048, 3072, 768}, {8, 2048, 3072, 768}, {9, 1024, 768, 3072}};
    const size_t maxA = 2048 * 1024 * 2, maxB = 2048 * 3072, maxC = 2048 * 3072;
    std::vector<float> hA(maxA), hB(maxB), hC(maxC), got(maxC);
    srand(7);
    auto rnd = [] { return (rand() % 5) + 0.01f * (rand() % 5) - 2.0f; };
    for (auto &x : hA) x = rnd();
    for (auto &x : hB) x = rnd();
    for (auto &x : hC) x = rnd();
    float *A, *B, *C;
    cudaCheck(cudaMalloc(&A, maxA * 4)); cudaCheck(cudaMalloc(&B, maxB * 4)); cudaCheck(cudaMalloc(&C, maxC * 4));
    cudaCheck(cudaMemcpy(A, hA.data(), maxA * 4, cudaMemcpyHostToDevice));
    cudaCheck(cudaMemcpy(B, hB.data(), maxB * 4, cudaMemcpyHostToDevice));
    const float alpha = 0.5f, beta = 3.0f;
    bool all = true;
    for (const Run &r : runs) {
        cudaCheck(cudaMemcpy(C, hC.data(), maxC * 4, cudaMemcpyHostToDevice));
        run_kernel(r.kernel, r.M, r.N, r.K, alpha, A, B, beta, C);
        cudaCheck(cudaMemcpy(got.data(), C, (size_t)r.M * r.N * 4, cudaMemcpyDeviceToHost));
        double worst = 0;
        for (int s = 0; s < 1500; s++) {
            int i = (s * 7919 + s / 3) % r.M, j = (s * 104729) % r.N;
            if (s == 0) { i = r.M - 1; j = r.N - 1; }
            double d = 0;
            for (int k = 0; k < r.K; k++) d += (double)hA[(size_t)i * r.K + k] * hB[(size_t)k * r.N + j];
            d = alpha * d + beta * hC[(size_t)i * r.N + j];
            double e = fabs(d - got[(size_t)i * r.N + j]);
            if (!(e <= worst)) worst = e;
        }
        bool ok = worst < 0.01;
        all = all && ok;
        printf("kernel %d  %4dx%4dx%4d  max err %.5f %s\n", r.kernel, r.M, r.N, r.K, worst, ok ? "ok" : "WRONG");
    }
    cudaFree(A); cudaFree(B); cudaFree(C);
    puts(all ? "PASS" : "FAIL");
    return all ? 0 : 1;
}
