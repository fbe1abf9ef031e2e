// Lab 3 and 4: matrix transpose, matrix multiply and matrix-vector product step by step.
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define gpuErrchk(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line) {
    if (code != cudaSuccess) {
        fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
        exit(code);
    }
}

const int TILE_DIM = 32;
const int BLOCK_ROWS = 8;

__global__ void transposeNaive(float *odata, const float *idata, int width, int height) {
    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        odata[x * height + (y + j)] = idata[(y + j) * width + x];
}

template <int PAD>
__global__ void transposeTile(float *odata, const float *idata, int width, int height) {
    __shared__ float tile[TILE_DIM][TILE_DIM + PAD];
    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE_DIM + threadIdx.x;
    y = blockIdx.x * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        odata[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void transposeDiagonal(float *odata, const float *idata, int width, int height) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    int blockIdx_x, blockIdx_y;
    if (width == height) {
        blockIdx_y = blockIdx.x;
        blockIdx_x = (blockIdx.x + blockIdx.y) % gridDim.x;
    } else {
        int bid = blockIdx.x + gridDim.x * blockIdx.y;
        blockIdx_y = bid % gridDim.y;
        blockIdx_x = ((bid / gridDim.y) + blockIdx_y) % gridDim.x;
    }
    int xIndex = blockIdx_x * TILE_DIM + threadIdx.x;
    int yIndex = blockIdx_y * TILE_DIM + threadIdx.y;
    int index_in = xIndex + yIndex * width;
    xIndex = blockIdx_y * TILE_DIM + threadIdx.x;
    yIndex = blockIdx_x * TILE_DIM + threadIdx.y;
    int index_out = xIndex + yIndex * height;
    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) tile[threadIdx.y + i][threadIdx.x] = idata[index_in + i * width];
    __syncthreads();
    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) odata[index_out + i * height] = tile[threadIdx.x][threadIdx.y + i];
}

// step 1: one thread per element, row mapped on threadIdx.x (not coalesced)
__global__ void sgemm1(int M, int N, int K, const float *A, const float *B, float *C) {
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < M && y < N) {
        float tmp = 0.0;
        for (int i = 0; i < K; ++i) tmp += A[x * K + i] * B[i * N + y];
        C[x * N + y] = tmp;
    }
}

// step 2: coalesced
__global__ void sgemm2(int M, int N, int K, const float *A, const float *B, float *C) {
    const int x = blockIdx.x * 32 + (threadIdx.x / 32);
    const int y = blockIdx.y * 32 + (threadIdx.x % 32);
    if (x < M && y < N) {
        float tmp = 0.0;
        for (int i = 0; i < K; ++i) tmp += A[x * K + i] * B[i * N + y];
        C[x * N + y] = tmp;
    }
}

// step 3: shared memory
__global__ void sgemm3(int M, int N, int K, const float *A, const float *B, float *C) {
    __shared__ float As[32 * 32];
    __shared__ float Bs[32 * 32];
    const int threadCol = threadIdx.x % 32;
    const int threadRow = threadIdx.x / 32;
    A += blockIdx.x * 32 * K;
    B += blockIdx.y * 32;
    C += blockIdx.x * 32 * N + blockIdx.y * 32;
    float tmp = 0.0;
    for (int bk = 0; bk < K; bk += 32) {
        As[threadRow * 32 + threadCol] = A[threadRow * K + threadCol];
        Bs[threadRow * 32 + threadCol] = B[threadRow * N + threadCol];
        __syncthreads();
        A += 32;
        B += 32 * N;
        for (int d = 0; d < 32; ++d) tmp += As[threadRow * 32 + d] * Bs[d * 32 + threadCol];
        __syncthreads();
    }
    C[threadRow * N + threadCol] = tmp;
}

// step 4: each thread computes a column of TM results
template <const int BM, const int BN, const int BK, const int TM>
__global__ void sgemm4(int M, int N, int K, const float *A, const float *B, float *C) {
    __shared__ float As[BM * BK];
    __shared__ float Bs[BK * BN];
    const int cRow = blockIdx.y, cCol = blockIdx.x;
    const int threadCol = threadIdx.x % BN, threadRow = threadIdx.x / BN;
    A += cRow * BM * K;
    B += cCol * BN;
    C += cRow * BM * N + cCol * BN;
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
            float tmpB = Bs[d * BN + threadCol];
            for (int r = 0; r < TM; ++r) res[r] += As[(threadRow * TM + r) * BK + d] * tmpB;
        }
        __syncthreads();
    }
    for (int r = 0; r < TM; ++r) C[(threadRow * TM + r) * N + threadCol] = res[r];
}

// step 5: 2D register tile
template <const int BM, const int BN, const int BK, const int TM, const int TN>
__global__ void __launch_bounds__((BM * BN) / (TM * TN), 1) sgemm5(int M, int N, int K, const float *A, const float *B, float *C) {
    constexpr int NT = (BM * BN) / (TM * TN);
    __shared__ float As[BM * BK];
    __shared__ float Bs[BK * BN];
    const int threadCol = threadIdx.x % (BN / TN), threadRow = threadIdx.x / (BN / TN);
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    float res[TM * TN] = {0.0};
    float regM[TM], regN[TN];
    for (int bk = 0; bk < K; bk += BK) {
        for (int i = threadIdx.x; i < BM * BK; i += NT) As[i] = A[(i / BK) * K + i % BK];
        for (int i = threadIdx.x; i < BK * BN; i += NT) Bs[i] = B[(i / BN) * N + i % BN];
        __syncthreads();
        A += BK;
        B += BK * N;
        for (int d = 0; d < BK; ++d) {
            for (int i = 0; i < TM; ++i) regM[i] = As[(threadRow * TM + i) * BK + d];
            for (int i = 0; i < TN; ++i) regN[i] = Bs[d * BN + threadCol * TN + i];
            for (int m = 0; m < TM; ++m)
                for (int n = 0; n < TN; ++n) res[m * TN + n] += regM[m] * regN[n];
        }
        __syncthreads();
    }
    for (int m = 0; m < TM; ++m)
        for (int n = 0; n < TN; ++n) C[(threadRow * TM + m) * N + threadCol * TN + n] = res[m * TN + n];
}

// y = A x, thread per row
__global__ void matvecRow(const float *A, const float *x, float *y, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        float s = 0;
        for (int c = 0; c < cols; c++) s += A[r * cols + c] * x[c];
        y[r] = s;
    }
}
// y = A^T x, thread per column (coalesced)
__global__ void matvecCol(const float *A, const float *x, float *y, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < cols) {
        float s = 0;
        for (int r = 0; r < rows; r++) s += A[r * cols + c] * x[r];
        y[c] = s;
    }
}

double sumOf(const float *d, size_t n) {
    float *h = (float *)malloc(n * sizeof(float));
    gpuErrchk(cudaMemcpy(h, d, n * sizeof(float), cudaMemcpyDeviceToHost));
    double s = 0;
    for (size_t i = 0; i < n; i++) s += h[i] * (1.0 + (i % 7));
    free(h);
    return s;
}

int main(int argc, char **argv) {
    const int W = 4096, H = 2048;  // transpose and matvec
    const int n = 1024;            // matmul
    float *big, *bigT, *A, *B, *C, *x, *y;
    gpuErrchk(cudaMalloc(&big, W * H * sizeof(float)));
    gpuErrchk(cudaMalloc(&bigT, W * H * sizeof(float)));
    gpuErrchk(cudaMalloc(&A, n * n * sizeof(float)));
    gpuErrchk(cudaMalloc(&B, n * n * sizeof(float)));
    gpuErrchk(cudaMalloc(&C, n * n * sizeof(float)));
    gpuErrchk(cudaMalloc(&x, W * sizeof(float)));
    gpuErrchk(cudaMalloc(&y, W * sizeof(float)));
    float *h = (float *)malloc(W * H * sizeof(float));
    for (int i = 0; i < W * H; i++) h[i] = (float)((i * 37) % 101) / 101.0f;
    gpuErrchk(cudaMemcpy(big, h, W * H * sizeof(float), cudaMemcpyHostToDevice));
    gpuErrchk(cudaMemcpy(A, h, n * n * sizeof(float), cudaMemcpyHostToDevice));
    gpuErrchk(cudaMemcpy(B, h + 5, n * n * sizeof(float), cudaMemcpyHostToDevice));
    gpuErrchk(cudaMemcpy(x, h + 11, W * sizeof(float), cudaMemcpyHostToDevice));
    gpuErrchk(cudaMemset(y, 0, W * sizeof(float)));

    dim3 grid(W / TILE_DIM, H / TILE_DIM), block(TILE_DIM, BLOCK_ROWS);
    transposeNaive<<<grid, block>>>(bigT, big, W, H);
    transposeTile<0><<<grid, block>>>(bigT, big, W, H);
    transposeTile<1><<<grid, block>>>(bigT, big, W, H);
    transposeDiagonal<<<grid, block>>>(bigT, big, W, H);
    gpuErrchk(cudaPeekAtLastError());
    double s = sumOf(bigT, (size_t)W * H);

    sgemm1<<<dim3(n / 4 / 32, n / 16), dim3(32, 16)>>>(n / 4, n, n, A, B, C);  // only a quarter of the rows, too slow
    sgemm2<<<dim3(n / 32, n / 32), 1024>>>(n, n, n, A, B, C);
    sgemm3<<<dim3(n / 32, n / 32), 1024>>>(n, n, n, A, B, C);
    sgemm4<64, 64, 8, 8><<<dim3(n / 64, n / 64), 512>>>(n, n, n, A, B, C);
    sgemm5<64, 64, 8, 4, 4><<<dim3(n / 64, n / 64), 256>>>(n, n, n, A, B, C);
    gpuErrchk(cudaPeekAtLastError());
    s += sumOf(C, (size_t)n * n);

    matvecRow<<<(H + 127) / 128, 128>>>(big, x, y, H, W);
    matvecCol<<<(W + 127) / 128, 128>>>(big, x, y, H, W);
    gpuErrchk(cudaPeekAtLastError());
    gpuErrchk(cudaDeviceSynchronize());
    s += sumOf(y, W);
    printf("checksum: %.3f\n", s);
    free(h);
    return 0;
}
