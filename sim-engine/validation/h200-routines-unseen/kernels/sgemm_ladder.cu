// Week 4 lab: climbing the SGEMM ladder.
// C = alpha * A * B + beta * C, all matrices row major.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cmath>
#include <cuda_runtime.h>
#define CUDA_CHECK(call)                                                            \
    do {                                                                            \
        cudaError_t err__ = (call);                                                 \
        if (err__ != cudaSuccess) {                                                 \
            fprintf(stderr, "%s:%d CUDA error: %s\n", __FILE__, __LINE__,           \
                    cudaGetErrorString(err__));                                     \
            exit(EXIT_FAILURE);                                                     \
        }                                                                           \
    } while (0)

#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))
// Step 1: one thread per output element, threadIdx.x walks down the rows (bad!)
__global__ void sgemm_naive(int M, int N, int K, float alpha, const float *A, const float *B,
                            float beta, float *C) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && col < N) {
        float acc = 0.0f;
        for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
        C[row * N + col] = alpha * acc + beta * C[row * N + col];
    }
}
// Step 2: neighbouring threads take neighbouring columns
template <int BS>
__global__ void sgemm_coalesced(int M, int N, int K, float alpha, const float *A, const float *B,
                                float beta, float *C) {
    int row = blockIdx.y * BS + threadIdx.x / BS;
    int col = blockIdx.x * BS + threadIdx.x % BS;
    if (row < M && col < N) {
        float acc = 0.0f;
        for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
        C[row * N + col] = alpha * acc + beta * C[row * N + col];
    }
}
// Step 3: stage square tiles in shared memory (guards for ragged sizes)
template <int TILE>
__global__ void sgemm_shared(int M, int N, int K, float alpha, const float *A, const float *B,
                             float beta, float *C) {
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float acc = 0.0f;
    for (int t = 0; t < CEIL_DIV(K, TILE); ++t) {
        int ka = t * TILE + tx, kb = t * TILE + ty;
        As[ty][tx] = (row < M && ka < K) ? A[row * K + ka] : 0.0f;
        Bs[ty][tx] = (kb < K && col < N) ? B[kb * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; ++k) acc += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = alpha * acc + beta * C[row * N + col];
}
// Step 4: each thread computes TM results of one column
template <int BM, int BN, int BK, int TM>
__global__ void sgemm_1d_tile(int M, int N, int K, float alpha, const float *A, const float *B,
                              float beta, float *C) {
    __shared__ float As[BM * BK];
    __shared__ float Bs[BK * BN];
    const int threadCol = threadIdx.x % BN, threadRow = threadIdx.x / BN;
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    const int aCol = threadIdx.x % BK, aRow = threadIdx.x / BK;
    const int bCol = threadIdx.x % BN, bRow = threadIdx.x / BN;
    float res[TM] = {0.0f};
    for (int bk = 0; bk < K; bk += BK) {
        As[aRow * BK + aCol] = A[aRow * K + aCol];
        Bs[bRow * BN + bCol] = B[bRow * N + bCol];
        __syncthreads();
        A += BK;
        B += BK * N;
        for (int d = 0; d < BK; ++d) {
            float b = Bs[d * BN + threadCol];
            for (int i = 0; i < TM; ++i) res[i] += As[(threadRow * TM + i) * BK + d] * b;
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; ++i) {
        float *c = &C[(threadRow * TM + i) * N + threadCol];
        *c = alpha * res[i] + beta * *c;
    }
}
// Step 5: TM x TN results per thread
template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__((BM * BN) / (TM * TN))
sgemm_2d_tile(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
    constexpr int NT = (BM * BN) / (TM * TN);
    __shared__ float As[BM * BK];
    __shared__ float Bs[BK * BN];
    const int threadCol = threadIdx.x % (BN / TN), threadRow = threadIdx.x / (BN / TN);
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    float res[TM * TN] = {0.0f}, regM[TM], regN[TN];
    for (int bk = 0; bk < K; bk += BK) {
        for (int i = threadIdx.x; i < BM * BK; i += NT) As[i] = A[(i / BK) * K + i % BK];
        for (int i = threadIdx.x; i < BK * BN; i += NT) Bs[i] = B[(i / BN) * N + i % BN];
        __syncthreads();
        A += BK;
        B += BK * N;
        for (int d = 0; d < BK; ++d) {
            for (int i = 0; i < TM; ++i) regM[i] = As[(threadRow * TM + i) * BK + d];
            for (int j = 0; j < TN; ++j) regN[j] = Bs[d * BN + threadCol * TN + j];
            for (int i = 0; i < TM; ++i)
                for (int j = 0; j < TN; ++j) res[i * TN + j] += regM[i] * regN[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) {
            float *c = &C[(threadRow * TM + i) * N + threadCol * TN + j];
            *c = alpha * res[i * TN + j] + beta * *c;
        }
}
// Step 6/7: float4 loads, A transposed on its way into shared memory, optional double buffer
template <int BM, int BN, int BK, int TM, int TN, int STAGES>
__global__ void __launch_bounds__((BM * BN) / (TM * TN))
sgemm_vec4(int M, int N, int K, float alpha, const float *__restrict__ A, const float *__restrict__ B,
           float beta, float *__restrict__ C) {
    constexpr int NT = (BM * BN) / (TM * TN);
    constexpr int A4 = BM * BK / 4 / NT, B4 = BK * BN / 4 / NT;
    static_assert(A4 >= 1 && B4 >= 1, "block too small for float4 loads");
    __shared__ float As[STAGES][BK * BM];
    __shared__ float Bs[STAGES][BK * BN];
    const int tid = threadIdx.x;
    const int threadCol = tid % (BN / TN), threadRow = tid / (BN / TN);
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    float4 ra[A4], rb[B4];
    auto fetch = [&](int k0) {
#pragma unroll
        for (int i = 0; i < A4; ++i) {
            int v = tid + i * NT, r = v / (BK / 4), c = (v % (BK / 4)) * 4;
            ra[i] = *reinterpret_cast<const float4 *>(&A[r * K + k0 + c]);
        }
#pragma unroll
        for (int i = 0; i < B4; ++i) {
            int v = tid + i * NT, r = v / (BN / 4), c = (v % (BN / 4)) * 4;
            rb[i] = *reinterpret_cast<const float4 *>(&B[(k0 + r) * N + c]);
        }
    };
    auto stash = [&](int s) {
#pragma unroll
        for (int i = 0; i < A4; ++i) {
            int v = tid + i * NT, r = v / (BK / 4), c = (v % (BK / 4)) * 4;
            As[s][(c + 0) * BM + r] = ra[i].x;
            As[s][(c + 1) * BM + r] = ra[i].y;
            As[s][(c + 2) * BM + r] = ra[i].z;
            As[s][(c + 3) * BM + r] = ra[i].w;
        }
#pragma unroll
        for (int i = 0; i < B4; ++i)
            *reinterpret_cast<float4 *>(&Bs[s][(tid + i * NT) * 4]) = rb[i];
    };
    float res[TM][TN] = {}, regM[TM], regN[TN];
    int cur = 0;
    fetch(0);
    stash(0);
    __syncthreads();
    for (int bk = 0; bk < K; bk += BK) {
        bool more = bk + BK < K;
        if (more) fetch(bk + BK);
#pragma unroll
        for (int d = 0; d < BK; ++d) {
#pragma unroll
            for (int i = 0; i < TM; ++i) regM[i] = As[cur][d * BM + threadRow * TM + i];
#pragma unroll
            for (int j = 0; j < TN; ++j) regN[j] = Bs[cur][d * BN + threadCol * TN + j];
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j) res[i][j] += regM[i] * regN[j];
        }
        if (STAGES == 1) __syncthreads();
        cur = (cur + 1) % STAGES;
        if (more) stash(cur);
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; j += 4) {
            float4 *p = reinterpret_cast<float4 *>(&C[(threadRow * TM + i) * N + threadCol * TN + j]);
            float4 c = *p;
            c.x = alpha * res[i][j] + beta * c.x;
            c.y = alpha * res[i][j + 1] + beta * c.y;
            c.z = alpha * res[i][j + 2] + beta * c.z;
            c.w = alpha * res[i][j + 3] + beta * c.w;
            *p = c;
        }
}
// Step 8: warps own a WM x WN patch and walk it in WMITER x WNITER sub-patches
template <int BM, int BN, int BK, int WM, int WN, int WNITER, int TM, int TN, int NT>
__global__ void __launch_bounds__(NT)
sgemm_warptile(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
    constexpr int WMITER = (WM * WN) / (32 * TM * TN * WNITER);
    constexpr int WSUBM = WM / WMITER, WSUBN = WN / WNITER;
    __shared__ float As[BM * BK];
    __shared__ float Bs[BK * BN];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int warpCol = warp % (BN / WN), warpRow = warp / (BN / WN);
    const int tCol = lane % (WSUBN / TN), tRow = lane / (WSUBN / TN);
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += (blockIdx.y * BM + warpRow * WM) * N + blockIdx.x * BN + warpCol * WN;
    float res[WMITER * TM * WNITER * TN] = {0.0f}, regM[WMITER * TM], regN[WNITER * TN];
    for (int bk = 0; bk < K; bk += BK) {
        for (int v = threadIdx.x; v < BM * BK / 4; v += NT) {
            int r = v / (BK / 4), c = v % (BK / 4) * 4;
            float4 t = reinterpret_cast<const float4 *>(&A[r * K + c])[0];
            As[(c + 0) * BM + r] = t.x;
            As[(c + 1) * BM + r] = t.y;
            As[(c + 2) * BM + r] = t.z;
            As[(c + 3) * BM + r] = t.w;
        }
        for (int v = threadIdx.x; v < BK * BN / 4; v += NT)
            reinterpret_cast<float4 *>(Bs)[v] =
                reinterpret_cast<const float4 *>(&B[(v / (BN / 4)) * N + v % (BN / 4) * 4])[0];
        __syncthreads();
        for (int d = 0; d < BK; ++d) {
            for (int w = 0; w < WMITER; ++w)
                for (int i = 0; i < TM; ++i)
                    regM[w * TM + i] = As[d * BM + warpRow * WM + w * WSUBM + tRow * TM + i];
            for (int w = 0; w < WNITER; ++w)
                for (int j = 0; j < TN; ++j)
                    regN[w * TN + j] = Bs[d * BN + warpCol * WN + w * WSUBN + tCol * TN + j];
            for (int i = 0; i < WMITER * TM; ++i)
                for (int j = 0; j < WNITER * TN; ++j) res[i * WNITER * TN + j] += regM[i] * regN[j];
        }
        A += BK;
        B += BK * N;
        __syncthreads();
    }
    for (int i = 0; i < WMITER * TM; ++i)
        for (int j = 0; j < WNITER * TN; ++j) {
            int r = (i / TM) * WSUBM + tRow * TM + i % TM, c = (j / TN) * WSUBN + tCol * TN + j % TN;
            C[r * N + c] = alpha * res[i * WNITER * TN + j] + beta * C[r * N + c];
        }
}
int main() {
    const int S = 1024;
    const float alpha = 1.25f, beta = 0.0f;
    std::vector<float> hA(S * S), hB(S * S), hC(S * S);
    for (int i = 0; i < S * S; ++i) {
        hA[i] = (float)((i * 37) % 101) / 101.0f - 0.5f;
        hB[i] = (float)((i * 53) % 97) / 97.0f - 0.5f;
    }
    float *A, *B, *C;
    size_t bytes = hA.size() * sizeof(float);
    CUDA_CHECK(cudaMalloc(&A, bytes));
    CUDA_CHECK(cudaMalloc(&B, bytes));
    CUDA_CHECK(cudaMalloc(&C, bytes));
    CUDA_CHECK(cudaMemcpy(A, hA.data(), bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(B, hB.data(), bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemset(C, 0, bytes));

    auto verify = [&](const char *name, int M, int N, int K) {
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaDeviceSynchronize());
        CUDA_CHECK(cudaMemcpy(hC.data(), C, bytes, cudaMemcpyDeviceToHost));
        double worst = 0;
        for (int s = 0; s < 64; ++s) {
            int r = (s * 131) % M, c = (s * 71 + 5) % N;
            double ref = 0;
            for (int k = 0; k < K; ++k) ref += (double)hA[r * K + k] * hB[k * N + c];
            worst = fmax(worst, fabs(alpha * ref - hC[r * N + c]));
        }
        printf("%-28s max err %.3e %s\n", name, worst, worst < 1e-2 ? "ok" : "WRONG");
    };

    sgemm_naive<<<dim3(S / 32, S / 32), dim3(32, 32)>>>(S, S, S, alpha, A, B, beta, C); verify("naive 32x32", S, S, S);
    sgemm_naive<<<dim3(CEIL_DIV(500, 16), CEIL_DIV(500, 16)), dim3(16, 16)>>>(500, 500, 300, alpha, A, B, beta, C); verify("naive 16x16 ragged", 500, 500, 300);
    sgemm_coalesced<32><<<dim3(S / 32, S / 32), 32 * 32>>>(S, S, S, alpha, A, B, beta, C); verify("coalesced", S, S, S);
    sgemm_shared<16><<<dim3(S / 16, S / 16), dim3(16, 16)>>>(S, S, S, alpha, A, B, beta, C); verify("shared 16", S, S, S);
    sgemm_shared<32><<<dim3(CEIL_DIV(1000, 32), CEIL_DIV(900, 32)), dim3(32, 32)>>>(900, 1000, 777, alpha, A, B, beta, C); verify("shared 32 ragged", 900, 1000, 777);
    sgemm_1d_tile<64, 64, 8, 8><<<dim3(S / 64, S / 64), 512>>>(S, S, S, alpha, A, B, beta, C); verify("1d tile", S, S, S);
    sgemm_2d_tile<64, 64, 8, 4, 4><<<dim3(S / 64, S / 64), 256>>>(S, S, S, alpha, A, B, beta, C); verify("2d tile 64x64 4x4", S, S, S);
    sgemm_2d_tile<128, 128, 8, 8, 8><<<dim3(S / 128, S / 128), 256>>>(S, S, S, alpha, A, B, beta, C); verify("2d tile 128x128 8x8", S, S, S);
    sgemm_vec4<128, 128, 8, 8, 8, 1><<<dim3(S / 128, S / 128), 256>>>(S, S, S, alpha, A, B, beta, C); verify("vec4 transposed A", S, S, S);
    sgemm_vec4<128, 64, 16, 8, 4, 1><<<dim3(S / 64, S / 128), 256>>>(S, S, S, alpha, A, B, beta, C); verify("vec4 128x64x16 8x4", S, S, S);
    sgemm_vec4<128, 128, 8, 8, 8, 2><<<dim3(S / 128, S / 128), 256>>>(S, S, S, alpha, A, B, beta, C); verify("double buffered", S, S, S);
    sgemm_vec4<64, 64, 16, 8, 8, 2><<<dim3(512 / 64, S / 64), 64>>>(S, 512, 512, alpha, A, B, beta, C); verify("double buffered small", S, 512, 512);
    sgemm_warptile<128, 128, 16, 64, 64, 4, 8, 4, 128><<<dim3(S / 128, S / 128), 128>>>(S, S, S, alpha, A, B, beta, C); verify("warp tiled 64x64", S, S, S);
    sgemm_warptile<64, 128, 8, 32, 64, 2, 4, 4, 128><<<dim3(S / 128, S / 64), 128>>>(S, S, S, alpha, A, B, beta, C); verify("warp tiled 32x64", S, S, S);

    cudaFree(A);
    cudaFree(B);
    cudaFree(C);
    return 0;
}
