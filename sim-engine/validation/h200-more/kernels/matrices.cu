// Matrices in several layouts: register tiles, vectors, triangular loops, padding, double buffering.
#include <cstdio>
#include <cuda_runtime.h>

#define TILE 16

__global__ void sgemmRegister(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C, int n) {
    const int BM = 64, BK = 16, TM = 4;
    __shared__ float As[BK][BM];
    __shared__ float Bs[BK][BM];
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    int row0 = blockIdx.y * BM, col0 = blockIdx.x * BM;
    float acc[TM][TM] = {};
    for (int k0 = 0; k0 < n; k0 += BK) {
        for (int l = threadIdx.x; l < BM * BK; l += 256) {
            As[l % BK][l / BK] = A[(row0 + l / BK) * n + k0 + l % BK];
            Bs[l / BM][l % BM] = B[(k0 + l / BM) * n + col0 + l % BM];
        }
        __syncthreads();
        for (int k = 0; k < BK; ++k) {
            float a[TM], b[TM];
            for (int m = 0; m < TM; ++m) a[m] = As[k][ty * TM + m];
            for (int m = 0; m < TM; ++m) b[m] = Bs[k][tx * TM + m];
            for (int m = 0; m < TM; ++m)
                for (int j = 0; j < TM; ++j) acc[m][j] += a[m] * b[j];
        }
        __syncthreads();
    }
    for (int m = 0; m < TM; ++m)
        for (int j = 0; j < TM; ++j) C[(row0 + ty * TM + m) * n + col0 + tx * TM + j] = acc[m][j];
}

__global__ void addMatrices(const float *a, const float *b, float *c, int rows, int cols, int pitch) {
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) c[row * pitch + col] = a[row * pitch + col] + b[row * pitch + col];
}

__global__ void gemv(const float *A, const float *x, float *y, int rows, int cols) {
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    const float4 *a = reinterpret_cast<const float4 *>(A + (size_t)row * cols);
    const float4 *v = reinterpret_cast<const float4 *>(x);
    float sum = 0.0f;
    for (int i = lane; i < cols / 4; i += 32) {
        float4 p = a[i], q = v[i];
        sum += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
    }
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
    if (lane == 0) y[row] = sum;
}

__global__ void triangular(const double *L, const double *b, double *x, int n, int batch) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= batch) return;
    for (int i = 0; i < n; ++i) {
        double s = b[i * batch + id];
        for (int j = 0; j < i; ++j) s -= L[i * n + j] * x[j * batch + id];
        x[i * batch + id] = s / L[i * n + i];
    }
}

__global__ void transposeDiagonal(float *out, const float *in, int n) {
    __shared__ float tile[32][33];
    int bx = (blockIdx.x + blockIdx.y) % gridDim.x, by = blockIdx.x;
    int x = bx * 32 + threadIdx.x, y = by * 32 + threadIdx.y;
#pragma unroll
    for (int i = 0; i < 32; i += 8) tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * n + x];
    __syncthreads();
    x = by * 32 + threadIdx.x;
    y = bx * 32 + threadIdx.y;
#pragma unroll
    for (int i = 0; i < 32; i += 8) out[(y + i) * n + x] = tile[threadIdx.x][threadIdx.y + i];
}

__global__ void spmvEll(const int *cols, const float *vals, const float *x, float *y, int rows, int width) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0;
        for (int k = 0; k < width; ++k) {
            int c = cols[k * rows + row];
            if (c >= 0) sum += vals[k * rows + row] * x[c];
        }
        y[row] = sum;
    }
}

__global__ void dct8(const float *in, float *out, int blocks) {
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= blocks) return;
    float v[8];
    for (int i = 0; i < 8; ++i) v[i] = in[b * 8 + i];
    for (int k = 0; k < 8; ++k) {
        float s = 0;
        for (int i = 0; i < 8; ++i) s += v[i] * cosf(3.14159265f / 8 * (i + 0.5f) * k);
        out[b * 8 + k] = s;
    }
}

__global__ void __launch_bounds__(256, 4) fft8(float2 *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float2 v[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) v[k] = data[i + k * n];
#pragma unroll
    for (int half = 4; half >= 1; half /= 2) {
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            if ((k & half) == 0) {
                float2 a = v[k], b = v[k + half];
                v[k] = make_float2(a.x + b.x, a.y + b.y);
                v[k + half] = make_float2(a.x - b.x, a.y - b.y);
            }
        }
    }
#pragma unroll
    for (int k = 0; k < 8; ++k) data[i + k * n] = v[k];
}

int main() {
    const int n = 1024;
    float *a, *b, *c;
    cudaMalloc(&a, n * n * sizeof(double));
    cudaMalloc(&b, n * n * sizeof(double));
    cudaMalloc(&c, n * n * sizeof(double));
    cudaMemset(a, 0, n * n * sizeof(double));
    cudaMemset(b, 0, n * n * sizeof(double));
    cudaMemset(c, 0, n * n * sizeof(double));
    sgemmRegister<<<dim3(n / 64, n / 64), 256>>>(a, b, c, n);
    addMatrices<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n, n - 5, n);
    gemv<<<n / 4, 128>>>(a, b, c, n, n);
    triangular<<<8, 128>>>((double *)a, (double *)b, (double *)c, 64, 1024);
    transposeDiagonal<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(a, b, n);
    spmvEll<<<n * 16 / 256, 256>>>((int *)a, b, b, c, n * 16, 24);
    dct8<<<n * 64 / 256, 256>>>(a, b, n * 64);
    fft8<<<n * 16 / 256, 256>>>((float2 *)a, n * 16);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
