// A mix of small HPC kernels in the manner of the usual heterogeneous benchmark suites.
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <float.h>
#include <vector>
#include <cuda_runtime.h>

#define CUDA_SAFE(x)                                                                   \
    do {                                                                               \
        cudaError_t rc = (x);                                                          \
        if (rc != cudaSuccess) {                                                       \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(rc)); \
            exit(-1);                                                                  \
        }                                                                              \
    } while (0)

typedef float fp;

/* ============================== particles in boxes ============================== */
#define NUMBER_PAR_PER_BOX 96
#define NUMBER_THREADS 128

typedef struct { fp v, x, y, z; } FOUR_VECTOR;
typedef struct {
    int offset;
    int nn;
    int nei[26];
} box_str;

#define DOT(A, B) ((A.x) * (B.x) + (A.y) * (B.y) + (A.z) * (B.z))

__global__ void kernel_boxes(fp alpha, int nboxes, const box_str *d_box, const FOUR_VECTOR *d_rv, const fp *d_qv,
                             FOUR_VECTOR *d_fv)
{
    int bx = blockIdx.x;
    int tx = threadIdx.x;
    if (bx >= nboxes) return;

    __shared__ FOUR_VECTOR rA_shared[NUMBER_PAR_PER_BOX];
    __shared__ FOUR_VECTOR rB_shared[NUMBER_PAR_PER_BOX];
    __shared__ fp qB_shared[NUMBER_PAR_PER_BOX];

    fp a2 = 2.0f * alpha * alpha;
    int first_i = d_box[bx].offset;

    for (int wtx = tx; wtx < NUMBER_PAR_PER_BOX; wtx += NUMBER_THREADS) rA_shared[wtx] = d_rv[first_i + wtx];
    __syncthreads();

    for (int k = 0; k < 1 + d_box[bx].nn; k++) {
        int pointer = (k == 0) ? bx : d_box[bx].nei[k - 1];
        int first_j = d_box[pointer].offset;
        for (int wtx = tx; wtx < NUMBER_PAR_PER_BOX; wtx += NUMBER_THREADS) {
            rB_shared[wtx] = d_rv[first_j + wtx];
            qB_shared[wtx] = d_qv[first_j + wtx];
        }
        __syncthreads();
        for (int wtx = tx; wtx < NUMBER_PAR_PER_BOX; wtx += NUMBER_THREADS) {
            FOUR_VECTOR f = d_fv[first_i + wtx];
            for (int j = 0; j < NUMBER_PAR_PER_BOX; j++) {
                fp r2 = rA_shared[wtx].v + rB_shared[j].v - DOT(rA_shared[wtx], rB_shared[j]);
                fp u2 = a2 * r2;
                fp vij = expf(-u2);
                fp fs = 2 * vij;
                fp dx = rA_shared[wtx].x - rB_shared[j].x;
                fp dy = rA_shared[wtx].y - rB_shared[j].y;
                fp dz = rA_shared[wtx].z - rB_shared[j].z;
                f.v += qB_shared[j] * vij;
                f.x += qB_shared[j] * fs * dx;
                f.y += qB_shared[j] * fs * dy;
                f.z += qB_shared[j] * fs * dz;
            }
            d_fv[first_i + wtx] = f;
        }
        __syncthreads();
    }
}

/* ============================== hotspot ============================== */
#define HB 16
__global__ void calculate_temp(int iteration, const float *power, const float *temp_src, float *temp_dst,
                               int grid_cols, int grid_rows, float Cap, float Rx, float Ry, float Rz, float step)
{
    __shared__ float temp_on_cuda[HB][HB];
    __shared__ float power_on_cuda[HB][HB];
    __shared__ float temp_t[HB][HB];

    const float amb_temp = 80.0f;
    const float step_div_Cap = step / Cap, Rx_1 = 1 / Rx, Ry_1 = 1 / Ry, Rz_1 = 1 / Rz;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int small = HB - iteration * 2;
    const int y = small * blockIdx.y - iteration + ty;
    const int x = small * blockIdx.x - iteration + tx;
    const bool valid = x >= 0 && x < grid_cols && y >= 0 && y < grid_rows;

    if (valid) {
        temp_on_cuda[ty][tx] = temp_src[y * grid_cols + x];
        power_on_cuda[ty][tx] = power[y * grid_cols + x];
    }
    __syncthreads();

    // neighbours, clamped at the border of the chip
    int N = (y == 0) ? ty : ty - 1;
    int S = (y == grid_rows - 1) ? ty : ty + 1;
    int W = (x == 0) ? tx : tx - 1;
    int E = (x == grid_cols - 1) ? tx : tx + 1;

    bool computed = false;
    for (int i = 0; i < iteration; i++) {
        computed = false;
        if (valid && tx >= i + 1 && tx <= HB - i - 2 && ty >= i + 1 && ty <= HB - i - 2) {
            computed = true;
            temp_t[ty][tx] = temp_on_cuda[ty][tx] +
                step_div_Cap * (power_on_cuda[ty][tx] +
                                (temp_on_cuda[S][tx] + temp_on_cuda[N][tx] - 2.0f * temp_on_cuda[ty][tx]) * Ry_1 +
                                (temp_on_cuda[ty][E] + temp_on_cuda[ty][W] - 2.0f * temp_on_cuda[ty][tx]) * Rx_1 +
                                (amb_temp - temp_on_cuda[ty][tx]) * Rz_1);
        }
        __syncthreads();
        if (i == iteration - 1) break;
        if (computed) temp_on_cuda[ty][tx] = temp_t[ty][tx];
        __syncthreads();
    }
    if (computed) temp_dst[y * grid_cols + x] = temp_t[ty][tx];
}

/* ============================== LU decomposition ============================== */
#define BLOCK_SIZE 16

__global__ void lud_diagonal(float *m, int matrix_dim, int offset)
{
    __shared__ float shadow[BLOCK_SIZE][BLOCK_SIZE];
    int array_offset = offset * matrix_dim + offset;
    for (int i = 0; i < BLOCK_SIZE; i++) {
        shadow[i][threadIdx.x] = m[array_offset + threadIdx.x];
        array_offset += matrix_dim;
    }
    __syncthreads();
    for (int i = 0; i < BLOCK_SIZE - 1; i++) {
        if (threadIdx.x > i) {
            for (int j = 0; j < i; j++) shadow[threadIdx.x][i] -= shadow[threadIdx.x][j] * shadow[j][i];
            shadow[threadIdx.x][i] /= shadow[i][i];
        }
        __syncthreads();
        if (threadIdx.x > i) {
            for (int j = 0; j < i + 1; j++) shadow[i + 1][threadIdx.x] -= shadow[i + 1][j] * shadow[j][threadIdx.x];
        }
        __syncthreads();
    }
    array_offset = (offset + 1) * matrix_dim + offset;
    for (int i = 1; i < BLOCK_SIZE; i++) {
        m[array_offset + threadIdx.x] = shadow[i][threadIdx.x];
        array_offset += matrix_dim;
    }
}

__global__ void lud_perimeter(float *m, int matrix_dim, int offset)
{
    __shared__ float dia[BLOCK_SIZE][BLOCK_SIZE];
    __shared__ float peri_row[BLOCK_SIZE][BLOCK_SIZE];
    __shared__ float peri_col[BLOCK_SIZE][BLOCK_SIZE];
    int i, j, array_offset, idx;
    const int blk = (blockIdx.x + 1) * BLOCK_SIZE;

    if (threadIdx.x < BLOCK_SIZE) {
        idx = threadIdx.x;
        array_offset = offset * matrix_dim + offset;
        for (i = 0; i < BLOCK_SIZE / 2; i++) { dia[i][idx] = m[array_offset + idx]; array_offset += matrix_dim; }
        array_offset = offset * matrix_dim + offset;
        for (i = 0; i < BLOCK_SIZE; i++) { peri_row[i][idx] = m[array_offset + blk + idx]; array_offset += matrix_dim; }
    } else {
        idx = threadIdx.x - BLOCK_SIZE;
        array_offset = (offset + BLOCK_SIZE / 2) * matrix_dim + offset;
        for (i = BLOCK_SIZE / 2; i < BLOCK_SIZE; i++) { dia[i][idx] = m[array_offset + idx]; array_offset += matrix_dim; }
        array_offset = (offset + blk) * matrix_dim + offset;
        for (i = 0; i < BLOCK_SIZE; i++) { peri_col[i][idx] = m[array_offset + idx]; array_offset += matrix_dim; }
    }
    __syncthreads();
    if (threadIdx.x < BLOCK_SIZE) {
        idx = threadIdx.x;
        for (i = 1; i < BLOCK_SIZE; i++)
            for (j = 0; j < i; j++) peri_row[i][idx] -= dia[i][j] * peri_row[j][idx];
    } else {
        idx = threadIdx.x - BLOCK_SIZE;
        for (i = 0; i < BLOCK_SIZE; i++) {
            for (j = 0; j < i; j++) peri_col[idx][i] -= peri_col[idx][j] * dia[j][i];
            peri_col[idx][i] /= dia[i][i];
        }
    }
    __syncthreads();
    if (threadIdx.x < BLOCK_SIZE) {
        idx = threadIdx.x;
        array_offset = (offset + 1) * matrix_dim + offset;
        for (i = 1; i < BLOCK_SIZE; i++) { m[array_offset + blk + idx] = peri_row[i][idx]; array_offset += matrix_dim; }
    } else {
        idx = threadIdx.x - BLOCK_SIZE;
        array_offset = (offset + blk) * matrix_dim + offset;
        for (i = 0; i < BLOCK_SIZE; i++) { m[array_offset + idx] = peri_col[i][idx]; array_offset += matrix_dim; }
    }
}

__global__ void lud_internal(float *m, int matrix_dim, int offset)
{
    __shared__ float peri_row[BLOCK_SIZE][BLOCK_SIZE];
    __shared__ float peri_col[BLOCK_SIZE][BLOCK_SIZE];
    int global_row_id = offset + (blockIdx.y + 1) * BLOCK_SIZE;
    int global_col_id = offset + (blockIdx.x + 1) * BLOCK_SIZE;
    peri_row[threadIdx.y][threadIdx.x] = m[(offset + threadIdx.y) * matrix_dim + global_col_id + threadIdx.x];
    peri_col[threadIdx.y][threadIdx.x] = m[(global_row_id + threadIdx.y) * matrix_dim + offset + threadIdx.x];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < BLOCK_SIZE; i++) sum += peri_col[threadIdx.y][i] * peri_row[i][threadIdx.x];
    m[(global_row_id + threadIdx.y) * matrix_dim + global_col_id + threadIdx.x] -= sum;
}

/* ============================== pathfinder ============================== */
#define PB 256
#define IN_RANGE(x, min, max) ((x) >= (min) && (x) <= (max))
#define MIN(a, b) ((a) <= (b) ? (a) : (b))

__global__ void dynproc_kernel(int iteration, const int *gpuWall, const int *gpuSrc, int *gpuResults, int cols, int startStep)
{
    __shared__ int prev[PB];
    __shared__ int result[PB];
    int bx = blockIdx.x, tx = threadIdx.x;
    int small_block_cols = PB - iteration * 2;
    int xidx = small_block_cols * bx - iteration + tx;
    bool valid = IN_RANGE(xidx, 0, cols - 1);
    int W = (xidx == 0) ? tx : tx - 1;
    int E = (xidx == cols - 1) ? tx : tx + 1;

    if (valid) prev[tx] = gpuSrc[xidx];
    __syncthreads();
    bool computed = false;
    for (int i = 0; i < iteration; i++) {
        computed = false;
        if (IN_RANGE(tx, i + 1, PB - i - 2) && valid) {
            computed = true;
            int shortest = MIN(prev[W], prev[tx]);
            shortest = MIN(shortest, prev[E]);
            result[tx] = shortest + gpuWall[(size_t)cols * (startStep + i) + xidx];
        }
        __syncthreads();
        if (i == iteration - 1) break;
        if (computed) prev[tx] = result[tx];
        __syncthreads();
    }
    if (computed) gpuResults[xidx] = result[tx];
}

/* ============================== k-means point ============================== */
#define NFEAT 34
#define NCLUST 5
__constant__ float c_clusters[NCLUST * NFEAT];

__global__ void kmeansPoint(const float *features, int npoints, int *membership)
{
    const unsigned point_id = blockIdx.x * blockDim.x + threadIdx.x;
    if (point_id >= npoints) return;
    int index = -1;
    float min_dist = FLT_MAX;
    for (int i = 0; i < NCLUST; i++) {
        float ans = 0.0f;
        for (int j = 0; j < NFEAT; j++) {
            float diff = features[point_id + (size_t)j * npoints] - c_clusters[i * NFEAT + j];
            ans += diff * diff;
        }
        if (ans < min_dist) { min_dist = ans; index = i; }
    }
    membership[point_id] = index;
}

/* ============================== Needleman-Wunsch, one block anti-diagonal ============================== */
#define NB 32
__device__ __host__ inline int maximum(int a, int b, int c)
{
    int k = a <= b ? b : a;
    return k <= c ? c : k;
}
__global__ void nw_diagonal(const int *reference, int *matrix, int cols, int penalty, int block_diag, int block_width)
{
    // blocks (bx, by) with bx + by == block_diag
    int bx_min = max(0, block_diag - block_width + 1);
    int bx = bx_min + blockIdx.x;
    int by = block_diag - bx;
    int tx = threadIdx.x;

    __shared__ int temp[NB + 1][NB + 1];
    __shared__ int ref[NB][NB];

    int base = cols * NB * by + NB * bx;      // north-west corner
    if (tx == 0) temp[0][0] = matrix[base];
    for (int ty = 0; ty < NB; ty++) ref[ty][tx] = reference[base + cols * (ty + 1) + tx + 1];
    temp[tx + 1][0] = matrix[base + cols * (tx + 1)];
    temp[0][tx + 1] = matrix[base + tx + 1];
    __syncthreads();
    for (int m = 0; m < NB; m++) {
        if (tx <= m) {
            int ix = tx + 1, iy = m - tx + 1;
            temp[iy][ix] = maximum(temp[iy - 1][ix - 1] + ref[iy - 1][ix - 1], temp[iy][ix - 1] - penalty, temp[iy - 1][ix] - penalty);
        }
        __syncthreads();
    }
    for (int m = NB - 2; m >= 0; m--) {
        if (tx <= m) {
            int ix = tx + NB - m, iy = NB - tx;
            temp[iy][ix] = maximum(temp[iy - 1][ix - 1] + ref[iy - 1][ix - 1], temp[iy][ix - 1] - penalty, temp[iy - 1][ix] - penalty);
        }
        __syncthreads();
    }
    for (int ty = 0; ty < NB; ty++) matrix[base + cols * (ty + 1) + tx + 1] = temp[ty + 1][tx + 1];
}

/* ============================== drivers ============================== */
template <typename T> static T *upload(const std::vector<T> &v)
{
    T *d;
    CUDA_SAFE(cudaMalloc((void **)&d, v.size() * sizeof(T)));
    CUDA_SAFE(cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    return d;
}
template <typename T> static double total(const T *d, size_t n)
{
    std::vector<T> v(n);
    CUDA_SAFE(cudaMemcpy(v.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost));
    double s = 0;
    for (size_t i = 0; i < n; i++) s += (double)v[i];
    return s;
}

static double run_boxes()
{
    const int nb = 12, nboxes = nb * nb * nb;
    std::vector<box_str> box(nboxes);
    for (int z = 0; z < nb; z++)
        for (int y = 0; y < nb; y++)
            for (int x = 0; x < nb; x++) {
                box_str &b = box[(z * nb + y) * nb + x];
                b.offset = ((z * nb + y) * nb + x) * NUMBER_PAR_PER_BOX;
                b.nn = 0;
                for (int dz = -1; dz <= 1; dz++)
                    for (int dy = -1; dy <= 1; dy++)
                        for (int dx = -1; dx <= 1; dx++) {
                            int X = x + dx, Y = y + dy, Z = z + dz;
                            if ((dx || dy || dz) && X >= 0 && Y >= 0 && Z >= 0 && X < nb && Y < nb && Z < nb)
                                b.nei[b.nn++] = (Z * nb + Y) * nb + X;
                        }
            }
    const int np = nboxes * NUMBER_PAR_PER_BOX;
    std::vector<FOUR_VECTOR> rv(np), fv(np);
    std::vector<fp> qv(np);
    for (int i = 0; i < np; i++) {
        rv[i].v = (rand() % 10 + 1) / 10.0f; rv[i].x = (rand() % 10 + 1) / 10.0f;
        rv[i].y = (rand() % 10 + 1) / 10.0f; rv[i].z = (rand() % 10 + 1) / 10.0f;
        qv[i] = (rand() % 10 + 1) / 10.0f;
        fv[i].v = fv[i].x = fv[i].y = fv[i].z = 0;
    }
    box_str *d_box = upload(box);
    FOUR_VECTOR *d_rv = upload(rv), *d_fv = upload(fv);
    fp *d_qv = upload(qv);
    kernel_boxes<<<nboxes, NUMBER_THREADS>>>(0.5f, nboxes, d_box, d_rv, d_qv, d_fv);
    CUDA_SAFE(cudaGetLastError());
    double s = total((fp *)d_fv, (size_t)np * 4);
    cudaFree(d_box); cudaFree(d_rv); cudaFree(d_fv); cudaFree(d_qv);
    return s;
}

static double run_hotspot()
{
    const int n = 2048, iter = 2;
    std::vector<float> t(n * n), p(n * n);
    for (int i = 0; i < n * n; i++) { t[i] = 320.f + rand() % 30; p[i] = (rand() % 100) * 1e-4f; }
    float *d_t = upload(t), *d_p = upload(p), *d_o = upload(t);
    float grid_height = 0.016f / n, grid_width = 0.016f / n;
    float Cap = 0.5f * 1.75e6f * 0.0005f * grid_width * grid_height;
    float Rx = grid_width / (2.0f * 100 * 0.0005f * grid_height);
    float Ry = grid_height / (2.0f * 100 * 0.0005f * grid_width);
    float Rz = 0.0005f / (100 * grid_height * grid_width);
    float step = 0.001f / (3.0e6f / (0.5f * 0.0005f * 1.75e6f)) ;
    step = fminf(step, 0.1f * Cap * Rx);      // stable
    int blocks = (n + HB - iter * 2 - 1) / (HB - iter * 2);
    calculate_temp<<<dim3(blocks, blocks), dim3(HB, HB)>>>(iter, d_p, d_t, d_o, n, n, Cap, Rx, Ry, Rz, step);
    CUDA_SAFE(cudaGetLastError());
    double s = total(d_o, (size_t)n * n);
    cudaFree(d_t); cudaFree(d_p); cudaFree(d_o);
    return s;
}

static double run_lud()
{
    const int n = 3072;
    std::vector<float> m((size_t)n * n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) m[(size_t)i * n + j] = (i == j) ? 40.f : ((i * 7 + j * 13) % 19) * 0.05f;
    float *d = upload(m);
    const int rest = n / BLOCK_SIZE - 1;
    lud_diagonal<<<1, BLOCK_SIZE>>>(d, n, 0);
    lud_perimeter<<<rest, BLOCK_SIZE * 2>>>(d, n, 0);
    lud_internal<<<dim3(rest, rest), dim3(BLOCK_SIZE, BLOCK_SIZE)>>>(d, n, 0);
    CUDA_SAFE(cudaGetLastError());
    double s = total(d, (size_t)n * n);
    cudaFree(d);
    return s;
}

static double run_pathfinder()
{
    const int cols = 600000, rows = 20;
    std::vector<int> wall((size_t)rows * cols), src(cols);
    for (auto &x : wall) x = rand() % 10;
    for (auto &x : src) x = rand() % 10;
    int *d_w = upload(wall), *d_s = upload(src), *d_r = upload(src);
    int sm = PB - rows * 2;
    dynproc_kernel<<<(cols + sm - 1) / sm, PB>>>(rows, d_w, d_s, d_r, cols, 0);
    CUDA_SAFE(cudaGetLastError());
    double s = total(d_r, cols);
    cudaFree(d_w); cudaFree(d_s); cudaFree(d_r);
    return s;
}

static double run_kmeans()
{
    const int n = 400000;
    std::vector<float> f((size_t)n * NFEAT);
    for (auto &x : f) x = (rand() % 255) / 255.0f;
    float c[NCLUST * NFEAT];
    for (int i = 0; i < NCLUST; i++)
        for (int j = 0; j < NFEAT; j++) c[i * NFEAT + j] = f[(size_t)j * n + i * 1000];
    CUDA_SAFE(cudaMemcpyToSymbol(c_clusters, c, sizeof(c)));
    float *d_f = upload(f);
    int *d_m;
    CUDA_SAFE(cudaMalloc((void **)&d_m, n * sizeof(int)));
    kmeansPoint<<<(n + 255) / 256, 256>>>(d_f, n, d_m);
    CUDA_SAFE(cudaGetLastError());
    double s = total(d_m, n);
    cudaFree(d_f); cudaFree(d_m);
    return s;
}

static double run_nw()
{
    const int width = 128, dim = width * NB + 1;
    std::vector<int> ref((size_t)dim * dim), mat((size_t)dim * dim);
    for (auto &x : ref) x = rand() % 21 - 10;
    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++) mat[(size_t)i * dim + j] = -(i + j) * 5;
    int *d_ref = upload(ref), *d_mat = upload(mat);
    for (int diag = width - 1; diag <= width; diag++) {   // the two widest fronts
        int blocks = diag < width ? diag + 1 : 2 * width - 1 - diag;
        nw_diagonal<<<blocks, NB>>>(d_ref, d_mat, dim, 10, diag, width);
        CUDA_SAFE(cudaGetLastError());
    }
    CUDA_SAFE(cudaDeviceSynchronize());
    double s = total(d_mat, (size_t)dim * dim);
    cudaFree(d_ref); cudaFree(d_mat);
    return s;
}

int main()
{
    srand(7);
    double s = 0;
    s += run_boxes();
    s += run_hotspot();
    s += run_lud();
    s += run_pathfinder();
    s += run_kmeans();
    s += run_nw();
    CUDA_SAFE(cudaDeviceSynchronize());
    printf("hpc_mix checksum = %.4f\n", s);
    return 0;
}
