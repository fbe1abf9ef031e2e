// Sparse matrix-vector products in several storage formats, and SpMM.
// The matrix comes from a 2D grid: 5-point stencil plus a few long-range
// couplings whose number depends on the row, so that row lengths vary.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>
#include <cuda_runtime.h>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    printf("error %s (%s:%d)\n", cudaGetErrorString(e_), __FILE__, __LINE__); exit(1); } } while (0)
#define CK_LAUNCH() CK(cudaGetLastError())

// structs of device pointers, passed by value to the kernels
struct CSRMatrix { int rows; int nnz; const int *rowPtrs; const int *colIdx; const float *value; };
struct COOMatrix { int nnz; const int *rowIdx; const int *colIdx; const float *value; };
struct ELLMatrix { int rows; int width; const int *rowLen; const int *colIdx; const float *value; };
struct JDSMatrix { int rows; int diagonals; const int *perm; const int *iterPtr; const int *colIdx; const float *value; };

__global__ void spmv_coo_kernel(COOMatrix m, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m.nnz)
        atomicAdd(&y[m.rowIdx[i]], x[m.colIdx[i]] * m.value[i]);
}

__global__ void spmv_csr_scalar_kernel(CSRMatrix m, const float *x, float *y)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < m.rows) {
        float sum = 0.0f;
        for (int i = m.rowPtrs[row]; i < m.rowPtrs[row + 1]; ++i)
            sum += x[m.colIdx[i]] * m.value[i];
        y[row] = sum;
    }
}

// LANES threads per row, LANES a power of two up to 32
template <int LANES>
__global__ void spmv_csr_vector_kernel(CSRMatrix m, const float *__restrict__ x, float *__restrict__ y)
{
    int gid = blockIdx.x * blockDim.x + threadIdx.x;
    int row = gid / LANES, lane = gid % LANES;
    float sum = 0.0f;
    if (row < m.rows) {
        int end = m.rowPtrs[row + 1];
        for (int i = m.rowPtrs[row] + lane; i < end; i += LANES)
            sum += __ldg(&x[m.colIdx[i]]) * m.value[i];
    }
    for (int o = LANES / 2; o > 0; o /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, o, LANES);
    if (lane == 0 && row < m.rows) y[row] = sum;
}

// entries in column-major order
__global__ void spmv_ell_kernel(ELLMatrix m, const float *x, float *y)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < m.rows) {
        float sum = 0.0f;
        int len = m.rowLen[row];
        for (int k = 0; k < len; ++k) {
            size_t i = (size_t)k * m.rows + row;
            sum += x[m.colIdx[i]] * m.value[i];
        }
        y[row] = sum;
    }
}

// rows sorted by length; diagonal k holds the k-th entry of every row with more than k
__global__ void spmv_jds_kernel(JDSMatrix m, const float *x, float *y)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= m.rows) return;
    float sum = 0.0f;
    for (int k = 0; k < m.diagonals; ++k) {
        int start = m.iterPtr[k];
        if (r >= m.iterPtr[k + 1] - start) break;
        sum += x[m.colIdx[start + r]] * m.value[start + r];
    }
    y[m.perm[r]] = sum;
}

// SpMM: B is cols x N row major, one thread per output element, x runs along N
__global__ void spmm_naive_kernel(CSRMatrix m, const float *B, float *C, int N)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m.rows || col >= N) return;
    float sum = 0.0f;
    for (int i = m.rowPtrs[row]; i < m.rowPtrs[row + 1]; ++i)
        sum += m.value[i] * B[(size_t)m.colIdx[i] * N + col];
    C[(size_t)row * N + col] = sum;
}

// One warp per row; the warp stages 32 entries in registers and broadcasts
// them by shuffle. Each lane owns two columns as float2, so N must be 64.
__global__ __launch_bounds__(128) void spmm_warp_kernel(CSRMatrix m, const float2 *__restrict__ B,
                                                        float2 *__restrict__ C)
{
    const int lane = threadIdx.x & 31;
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (row >= m.rows) return;                       // whole warps leave
    const int begin = m.rowPtrs[row], end = m.rowPtrs[row + 1];
    float2 acc = make_float2(0.f, 0.f);
    for (int base = begin; base < end; base += 32) {
        int i = base + lane;
        int c = i < end ? m.colIdx[i] : 0;
        float v = i < end ? m.value[i] : 0.0f;
        int count = min(32, end - base);
        for (int k = 0; k < count; ++k) {
            int ck = __shfl_sync(0xffffffff, c, k);
            float vk = __shfl_sync(0xffffffff, v, k);
            float2 b = B[(size_t)ck * 32 + lane];
            acc.x += vk * b.x;
            acc.y += vk * b.y;
        }
    }
    C[(size_t)row * 32 + lane] = acc;
}

template <typename T> static T *upload(const std::vector<T> &v)
{
    T *p;
    CK(cudaMalloc(&p, v.size() * sizeof(T)));
    CK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}

int main()
{
    const int gx = 613, gy = 487, rows = gx * gy;     // about 300 thousand rows
    std::vector<int> rowPtr(rows + 1, 0), col, rowOf;
    std::vector<float> val;
    for (int y = 0; y < gy; ++y)
        for (int x = 0; x < gx; ++x) {
            int r = y * gx + x;
            auto put = [&](int c, float v) { col.push_back(c); val.push_back(v); rowOf.push_back(r); };
            if (y > 0) put(r - gx, -1.0f);
            if (x > 0) put(r - 1, -1.0f);
            put(r, 4.5f);
            if (x < gx - 1) put(r + 1, -1.0f);
            if (y < gy - 1) put(r + gx, -1.0f);
            int extra = (r * 7) % 12;                 // 0..11 long-range couplings
            for (int k = 0; k < extra; ++k)
                put((int)(((long long)r * 131 + 9973LL * (k + 1)) % rows), 0.01f * (k + 1));
            rowPtr[r + 1] = (int)col.size();
        }
    const int nnz = (int)col.size();

    // ELL, column-major
    int width = 0;
    std::vector<int> len(rows);
    for (int r = 0; r < rows; ++r) { len[r] = rowPtr[r + 1] - rowPtr[r]; width = std::max(width, len[r]); }
    std::vector<int> ellCol((size_t)width * rows, 0);
    std::vector<float> ellVal((size_t)width * rows, 0.0f);
    for (int r = 0; r < rows; ++r)
        for (int k = 0; k < len[r]; ++k) {
            ellCol[(size_t)k * rows + r] = col[rowPtr[r] + k];
            ellVal[(size_t)k * rows + r] = val[rowPtr[r] + k];
        }
    // JDS: stable counting sort of the rows by length, longest first
    std::vector<int> perm;
    perm.reserve(rows);
    for (int l = width; l >= 0; --l)
        for (int r = 0; r < rows; ++r)
            if (len[r] == l) perm.push_back(r);
    std::vector<int> iterPtr(width + 1, 0), jdsCol;
    std::vector<float> jdsVal;
    for (int k = 0; k < width; ++k) {
        for (int i = 0; i < rows && len[perm[i]] > k; ++i) {
            jdsCol.push_back(col[rowPtr[perm[i]] + k]);
            jdsVal.push_back(val[rowPtr[perm[i]] + k]);
        }
        iterPtr[k + 1] = (int)jdsCol.size();
    }
    std::vector<float> x(rows);
    for (int i = 0; i < rows; ++i) x[i] = 1.0f + 0.001f * (i % 701);
    std::vector<double> ref(rows, 0.0);
    for (int i = 0; i < nnz; ++i) ref[rowOf[i]] += (double)val[i] * x[col[i]];

    printf("rows %d, nonzeros %d, widest row %d\n", rows, nnz, width);
    int *dRowPtr = upload(rowPtr), *dCol = upload(col), *dRowOf = upload(rowOf), *dLen = upload(len);
    int *dEllCol = upload(ellCol), *dJdsCol = upload(jdsCol), *dPerm = upload(perm), *dIter = upload(iterPtr);
    float *dVal = upload(val), *dEllVal = upload(ellVal), *dJdsVal = upload(jdsVal), *dX = upload(x);
    float *dY;
    CK(cudaMalloc(&dY, rows * sizeof(float)));
    CSRMatrix csr{rows, nnz, dRowPtr, dCol, dVal};
    COOMatrix coo{nnz, dRowOf, dCol, dVal};
    ELLMatrix ell{rows, width, dLen, dEllCol, dEllVal};
    JDSMatrix jds{rows, width, dPerm, dIter, dJdsCol, dJdsVal};

    int bad = 0;
    std::vector<float> y(rows);
    auto check = [&](const char *name) {
        CK_LAUNCH();
        CK(cudaMemcpy(y.data(), dY, rows * sizeof(float), cudaMemcpyDeviceToHost));
        double worst = 0;
        for (int r = 0; r < rows; ++r) worst = std::max(worst, std::fabs(y[r] - ref[r]));
        bool ok = worst < 1e-3;
        printf("%-20s max error %.2e %s\n", name, worst, ok ? "ok" : "BAD");
        if (!ok) ++bad;
        CK(cudaMemset(dY, 0, rows * sizeof(float)));
    };
    CK(cudaMemset(dY, 0, rows * sizeof(float)));
    const int tb = 256;
    spmv_coo_kernel<<<(nnz + tb - 1) / tb, tb>>>(coo, dX, dY);
    check("COO");
    spmv_csr_scalar_kernel<<<(rows + tb - 1) / tb, tb>>>(csr, dX, dY);
    check("CSR scalar");
    spmv_csr_vector_kernel<32><<<(rows + 7) / 8, 256>>>(csr, dX, dY);
    check("CSR vector, warp");
    spmv_csr_vector_kernel<4><<<(rows + 31) / 32, 128>>>(csr, dX, dY);
    check("CSR vector, 4 lanes");
    spmv_ell_kernel<<<(rows + tb - 1) / tb, tb>>>(ell, dX, dY);
    check("ELL");
    spmv_jds_kernel<<<(rows + 127) / 128, 128>>>(jds, dX, dY);
    check("JDS");

    // SpMM with 64 right-hand sides
    const int N = 64;
    std::vector<float> B((size_t)rows * N), C((size_t)rows * N);
    for (size_t i = 0; i < B.size(); ++i) B[i] = 0.5f + (float)(i % 97) * 0.01f;
    float *dB = upload(B), *dC;
    CK(cudaMalloc(&dC, C.size() * sizeof(float)));
    auto checkMM = [&](const char *name) {
        CK_LAUNCH();
        CK(cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost));
        double worst = 0;
        for (int s = 0; s < 3000; ++s) {
            int r = s < 100 ? s : s < 200 ? rows - 1 - (s - 100) : (int)((long long)s * 10007 % rows);
            for (int c = 0; c < N; c += 9) {
                double sum = 0;
                for (int i = rowPtr[r]; i < rowPtr[r + 1]; ++i) sum += (double)val[i] * B[(size_t)col[i] * N + c];
                worst = std::max(worst, std::fabs(sum - C[(size_t)r * N + c]));
            }
        }
        bool ok = worst < 1e-3;
        printf("%-20s max error %.2e %s\n", name, worst, ok ? "ok" : "BAD");
        if (!ok) ++bad;
        CK(cudaMemset(dC, 0, C.size() * sizeof(float)));
    };
    dim3 block(64, 4), grid((N + 63) / 64, (rows + 3) / 4);
    if (grid.y > 65535) {                             // grid.y limit: use taller blocks
        block = dim3(64, 8);
        grid.y = (rows + 7) / 8;
    }
    spmm_naive_kernel<<<grid, block>>>(csr, dB, dC, N);
    checkMM("SpMM naive");
    spmm_warp_kernel<<<(rows + 3) / 4, 128>>>(csr, (const float2 *)dB, (float2 *)dC);
    checkMM("SpMM warp");

    void *all[] = {dRowPtr, dCol, dRowOf, dLen, dEllCol, dJdsCol, dPerm, dIter, dVal, dEllVal, dJdsVal, dX, dY, dB, dC};
    for (void *p : all) CK(cudaFree(p));
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad ? 1 : 0;
}
