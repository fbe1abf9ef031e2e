// Convolution with constant-memory masks: 1D basic, 1D tiled, 1D relying on
// caches for halos, 2D basic, 2D tiled (input-tile blocks), 2D tiled
// (output-tile blocks, caches for halo), and a separable row/column pair.
// Images live in pitched memory.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>
#include <cuda_runtime.h>

#define CUDA_TRY(stmt)                                                            \
    if (cudaError_t e = (stmt); e != cudaSuccess) {                               \
        std::fprintf(stderr, "%s failed at line %d: %s\n", #stmt, __LINE__,       \
                     cudaGetErrorString(e));                                      \
        std::exit(1);                                                             \
    }

constexpr int R1 = 8;                 // 1D radius
constexpr int W1 = 2 * R1 + 1;
constexpr int R2 = 3;                 // 2D radius
constexpr int W2 = 2 * R2 + 1;
constexpr int RS = 9;                 // separable radius
constexpr int WS = 2 * RS + 1;

__constant__ float c_mask1[W1];
__constant__ float c_mask2[W2][W2];
__constant__ float c_row[WS];
__constant__ float c_col[WS];

// ----------------------------------------------------------------- 1D
__global__ void conv1d_basic(const float *in, const float *mask, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float acc = 0.0f;
    for (int k = 0; k < W1; ++k) {
        int j = i - R1 + k;
        if (j >= 0 && j < n) acc += in[j] * mask[k];     // mask in global memory
    }
    out[i] = acc;
}

__global__ void conv1d_tiled(const float *__restrict__ in, float *__restrict__ out, int n)
{
    extern __shared__ float tile[];                      // blockDim.x + 2*R1
    const int base = blockIdx.x * blockDim.x - R1;
    for (int t = threadIdx.x; t < (int)blockDim.x + 2 * R1; t += blockDim.x) {
        int j = base + t;
        tile[t] = (j >= 0 && j < n) ? in[j] : 0.0f;
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float acc = 0.0f;
#pragma unroll
        for (int k = 0; k < W1; ++k) acc += tile[threadIdx.x + k] * c_mask1[k];
        out[i] = acc;
    }
}

// Inner elements from shared memory, halos straight from L1/L2.
__global__ void conv1d_cached(const float *__restrict__ in, float *__restrict__ out, int n)
{
    extern __shared__ float tile[];
    const int start = blockIdx.x * blockDim.x;
    const int i = start + threadIdx.x;
    tile[threadIdx.x] = i < n ? in[i] : 0.0f;
    __syncthreads();
    if (i >= n) return;
    const int stop = start + blockDim.x;
    float acc = 0.0f;
    for (int k = 0; k < W1; ++k) {
        int j = i - R1 + k;
        if (j < 0 || j >= n) continue;
        acc += (j >= start && j < stop ? tile[j - start] : __ldg(in + j)) * c_mask1[k];
    }
    out[i] = acc;
}

// ----------------------------------------------------------------- 2D
struct Image {
    float *p;
    size_t pitch;   // in floats
    int w, h;
};

__global__ void conv2d_basic(Image in, Image out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= in.w || y >= in.h) return;
    float acc = 0.0f;
    for (int dy = 0; dy < W2; ++dy)
        for (int dx = 0; dx < W2; ++dx) {
            int sx = x + dx - R2, sy = y + dy - R2;
            if (sx >= 0 && sx < in.w && sy >= 0 && sy < in.h)
                acc += c_mask2[dy][dx] * in.p[sy * in.pitch + sx];
        }
    out.p[y * out.pitch + x] = acc;
}

// Block covers the input tile; only the inner threads write.
constexpr int IN_TILE = 32;
constexpr int OUT_TILE = IN_TILE - 2 * R2;
__global__ __launch_bounds__(IN_TILE *IN_TILE) void conv2d_input_tile(Image in, Image out)
{
    __shared__ float tile[IN_TILE][IN_TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = blockIdx.x * OUT_TILE + tx - R2;
    const int y = blockIdx.y * OUT_TILE + ty - R2;
    tile[ty][tx] = (x >= 0 && x < in.w && y >= 0 && y < in.h) ? in.p[y * in.pitch + x] : 0.0f;
    __syncthreads();
    if (x < 0 || y < 0 || x >= in.w || y >= in.h) return;
    const int cx = tx - R2, cy = ty - R2;
    if (cx >= 0 && cx < OUT_TILE && cy >= 0 && cy < OUT_TILE) {
        float acc = 0.0f;
        for (int dy = 0; dy < W2; ++dy)
            for (int dx = 0; dx < W2; ++dx) acc += c_mask2[dy][dx] * tile[cy + dy][cx + dx];
        out.p[y * out.pitch + x] = acc;
    }
}

// Block covers the output tile, 16x16 with an explicit halo load; every
// thread produces ROWS outputs in a column.
template <int BX, int BY, int ROWS>
__global__ void conv2d_output_tile(Image in, Image out)
{
    constexpr int TW = BX + 2 * R2, TH = BY * ROWS + 2 * R2;
    __shared__ float tile[TH][TW + 1];
    const int x0 = blockIdx.x * BX - R2, y0 = blockIdx.y * BY * ROWS - R2;
    for (int t = threadIdx.y * BX + threadIdx.x; t < TW * TH; t += BX * BY) {
        int ly = t / TW, lx = t - ly * TW;
        int x = x0 + lx, y = y0 + ly;
        bool ok = x >= 0 && x < in.w && y >= 0 && y < in.h;
        tile[ly][lx] = ok ? in.p[y * in.pitch + x] : 0.0f;
    }
    __syncthreads();
    const int x = blockIdx.x * BX + threadIdx.x;
    if (x >= in.w) return;
    float acc[ROWS] = {};
    const int ly = threadIdx.y * ROWS;
#pragma unroll
    for (int dx = 0; dx < W2; ++dx) {
        float col[ROWS + W2 - 1];
#pragma unroll
        for (int r = 0; r < ROWS + W2 - 1; ++r) col[r] = tile[ly + r][threadIdx.x + dx];
#pragma unroll
        for (int r = 0; r < ROWS; ++r)
#pragma unroll
            for (int dy = 0; dy < W2; ++dy) acc[r] += c_mask2[dy][dx] * col[r + dy];
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        int y = blockIdx.y * BY * ROWS + ly + r;
        if (y < in.h) out.p[y * out.pitch + x] = acc[r];
    }
}

// ------------------------------------------------------------ separable
constexpr int ROW_BX = 64, ROW_BY = 4;
__global__ void conv_sep_rows(Image in, Image out)
{
    __shared__ float s[ROW_BY][ROW_BX + 2 * RS];
    const int y = blockIdx.y * ROW_BY + threadIdx.y;
    const int x0 = blockIdx.x * ROW_BX - RS;
    for (int t = threadIdx.x; t < ROW_BX + 2 * RS; t += ROW_BX) {
        int x = x0 + t;
        s[threadIdx.y][t] = (y < in.h && x >= 0 && x < in.w) ? in.p[y * in.pitch + x] : 0.0f;
    }
    __syncthreads();
    const int x = blockIdx.x * ROW_BX + threadIdx.x;
    if (x >= in.w || y >= in.h) return;
    float acc = 0.0f;
#pragma unroll
    for (int k = 0; k < WS; ++k) acc += c_row[k] * s[threadIdx.y][threadIdx.x + k];
    out.p[y * out.pitch + x] = acc;
}

constexpr int COL_BX = 32, COL_BY = 8, COL_STEPS = 8;
__global__ void conv_sep_cols(Image in, Image out)
{
    __shared__ float s[COL_BY * COL_STEPS + 2 * RS][COL_BX];
    const int x = blockIdx.x * COL_BX + threadIdx.x;
    const int yb = blockIdx.y * COL_BY * COL_STEPS;
    for (int t = threadIdx.y; t < COL_BY * COL_STEPS + 2 * RS; t += COL_BY) {
        int y = yb + t - RS;
        s[t][threadIdx.x] = (x < in.w && y >= 0 && y < in.h) ? in.p[y * in.pitch + x] : 0.0f;
    }
    __syncthreads();
    if (x >= in.w) return;
    for (int st = 0; st < COL_STEPS; ++st) {
        int l = st * COL_BY + threadIdx.y, y = yb + l;
        if (y >= in.h) break;
        float acc = 0.0f;
#pragma unroll
        for (int k = 0; k < WS; ++k) acc += c_col[k] * s[l + k][threadIdx.x];
        out.p[y * out.pitch + x] = acc;
    }
}

// ------------------------------------------------------------------ host
static Image makeImage(int w, int h)
{
    Image im{nullptr, 0, w, h};
    size_t bytes;
    CUDA_TRY(cudaMallocPitch((void **)&im.p, &bytes, w * sizeof(float), h));
    im.pitch = bytes / sizeof(float);
    return im;
}

static bool closeTo(double a, double b) { return std::fabs(a - b) <= 1e-4 * (1.0 + std::fabs(b)); }

int main()
{
    const int n = 7'000'003, w = 1917, h = 1083;
    std::vector<float> a(n), m1(W1), img((size_t)w * h), row(WS), col(WS);
    float m2[W2][W2];
    for (int i = 0; i < n; ++i) a[i] = float((i * 37u) % 1021u) / 1021.0f;
    for (int k = 0; k < W1; ++k) m1[k] = 1.0f / (1.0f + std::abs(k - R1));
    for (int y = 0; y < W2; ++y)
        for (int x = 0; x < W2; ++x) m2[y][x] = 0.01f * (y * 2 + x + 1);
    for (int k = 0; k < WS; ++k) {
        row[k] = std::exp(-0.05f * (k - RS) * (k - RS));
        col[k] = std::exp(-0.08f * (k - RS) * (k - RS));
    }
    for (size_t i = 0; i < img.size(); ++i) img[i] = float((i * 7919u) % 256u);

    CUDA_TRY(cudaMemcpyToSymbol(c_mask1, m1.data(), sizeof(float) * W1));
    CUDA_TRY(cudaMemcpyToSymbol(c_mask2, m2, sizeof(m2)));
    CUDA_TRY(cudaMemcpyToSymbol(c_row, row.data(), sizeof(float) * WS));
    CUDA_TRY(cudaMemcpyToSymbol(c_col, col.data(), sizeof(float) * WS));

    float *d_a, *d_o, *d_m;
    CUDA_TRY(cudaMalloc(&d_a, n * sizeof(float)));
    CUDA_TRY(cudaMalloc(&d_o, n * sizeof(float)));
    CUDA_TRY(cudaMalloc(&d_m, W1 * sizeof(float)));
    CUDA_TRY(cudaMemcpy(d_a, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_TRY(cudaMemcpy(d_m, m1.data(), W1 * sizeof(float), cudaMemcpyHostToDevice));
    std::vector<float> o(n);
    int bad = 0;

    auto check1d = [&](const char *name) {
        CUDA_TRY(cudaGetLastError());
        CUDA_TRY(cudaMemcpy(o.data(), d_o, n * sizeof(float), cudaMemcpyDeviceToHost));
        int wrong = 0;
        for (int s = 0; s < 40000; ++s) {
            int i = s < 1000 ? s : s < 2000 ? n - 1 - (s - 1000) : int((long long)s * 7001 % n);
            double r = 0;
            for (int k = 0; k < W1; ++k) {
                int j = i - R1 + k;
                if (j >= 0 && j < n) r += (double)a[j] * m1[k];
            }
            wrong += !closeTo(o[i], r);
        }
        std::printf("%-22s %s\n", name, wrong ? "mismatch" : "ok");
        bad += wrong != 0;
        CUDA_TRY(cudaMemset(d_o, 0, n * sizeof(float)));
    };
    conv1d_basic<<<(n + 255) / 256, 256>>>(d_a, d_m, d_o, n);
    check1d("1D basic");
    conv1d_tiled<<<(n + 511) / 512, 512, (512 + 2 * R1) * sizeof(float)>>>(d_a, d_o, n);
    check1d("1D tiled");
    conv1d_cached<<<(n + 255) / 256, 256, 256 * sizeof(float)>>>(d_a, d_o, n);
    check1d("1D halo by caches");

    Image in = makeImage(w, h), tmp = makeImage(w, h), out = makeImage(w, h);
    CUDA_TRY(cudaMemcpy2D(in.p, in.pitch * 4, img.data(), w * 4, w * 4, h, cudaMemcpyHostToDevice));
    std::vector<float> res((size_t)w * h);
    auto px = [&](int x, int y) { return x >= 0 && x < w && y >= 0 && y < h ? (double)img[(size_t)y * w + x] : 0.0; };
    auto check2d = [&](const char *name, bool separable) {
        CUDA_TRY(cudaGetLastError());
        CUDA_TRY(cudaMemcpy2D(res.data(), w * 4, out.p, out.pitch * 4, w * 4, h, cudaMemcpyDeviceToHost));
        int wrong = 0;
        for (int y = 0; y < h; y += (y < 40 || y > h - 40) ? 7 : 37)
            for (int x = 0; x < w; x += (x < 40 || x > w - 40) ? 3 : 29) {
                double r = 0;
                if (separable) {
                    for (int dy = 0; dy < WS; ++dy)
                        for (int dx = 0; dx < WS; ++dx)
                            r += (double)col[dy] * row[dx] * px(x + dx - RS, y + dy - RS);
                } else {
                    for (int dy = 0; dy < W2; ++dy)
                        for (int dx = 0; dx < W2; ++dx) r += m2[dy][dx] * px(x + dx - R2, y + dy - R2);
                }
                wrong += !closeTo(res[(size_t)y * w + x], r);
            }
        std::printf("%-22s %s\n", name, wrong ? "mismatch" : "ok");
        bad += wrong != 0;
        CUDA_TRY(cudaMemset2D(out.p, out.pitch * 4, 0, w * 4, h));
    };
    auto cdiv = [](int p, int q) { return (p + q - 1) / q; };
    conv2d_basic<<<dim3(cdiv(w, 16), cdiv(h, 16)), dim3(16, 16)>>>(in, out);
    check2d("2D basic", false);
    conv2d_input_tile<<<dim3(cdiv(w, OUT_TILE), cdiv(h, OUT_TILE)), dim3(IN_TILE, IN_TILE)>>>(in, out);
    check2d("2D input tile", false);
    conv2d_output_tile<32, 8, 1><<<dim3(cdiv(w, 32), cdiv(h, 8)), dim3(32, 8)>>>(in, out);
    check2d("2D output tile x1", false);
    conv2d_output_tile<32, 8, 4><<<dim3(cdiv(w, 32), cdiv(h, 32)), dim3(32, 8)>>>(in, out);
    check2d("2D output tile x4", false);
    conv_sep_rows<<<dim3(cdiv(w, ROW_BX), cdiv(h, ROW_BY)), dim3(ROW_BX, ROW_BY)>>>(in, tmp);
    conv_sep_cols<<<dim3(cdiv(w, COL_BX), cdiv(h, COL_BY * COL_STEPS)), dim3(COL_BX, COL_BY)>>>(tmp, out);
    check2d("separable", true);

    cudaFree(in.p); cudaFree(tmp.p); cudaFree(out.p);
    cudaFree(d_a); cudaFree(d_o); cudaFree(d_m);
    std::puts(bad ? "FAIL" : "PASS");
    return bad ? 1 : 0;
}
