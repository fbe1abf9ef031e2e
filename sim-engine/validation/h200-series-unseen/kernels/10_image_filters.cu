// 4K image pipeline kernels, issued on two streams:
//   separable convolution (row, column), bilateral, 3x3 median, bilinear resize, Sobel.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CU(x)                                                                                 \
    do {                                                                                      \
        const cudaError_t r_ = (x);                                                           \
        if (r_ != cudaSuccess) {                                                              \
            std::fprintf(stderr, "CUDA: %s at %s:%d\n", cudaGetErrorString(r_), __FILE__, __LINE__); \
            std::exit(1);                                                                     \
        }                                                                                     \
    } while (0)

template <typename T>
struct Image {
    T *data = nullptr;
    int width = 0, height = 0;
    __host__ __device__ size_t count() const { return (size_t)width * height; }
    __device__ const T &clamped(int x, int y) const {
        x = min(max(x, 0), width - 1);
        y = min(max(y, 0), height - 1);
        return data[(size_t)y * width + x];
    }
};

template <typename T>
static Image<T> make_image(int w, int h, const T *src = nullptr) {
    Image<T> im;
    im.width = w;
    im.height = h;
    CU(cudaMalloc(&im.data, im.count() * sizeof(T)));
    if (src)
        CU(cudaMemcpy(im.data, src, im.count() * sizeof(T), cudaMemcpyHostToDevice));
    else
        CU(cudaMemset(im.data, 0, im.count() * sizeof(T)));
    return im;
}

// ------------------------------------------------------------------ separable convolution
constexpr int KR = 8;
__constant__ float c_kernel[2 * KR + 1];

template <int BX, int BY, int STEPS>
__global__ void __launch_bounds__(BX *BY) conv_rows(Image<float> src, Image<float> dst) {
    constexpr int TILE = BX * STEPS;
    __shared__ float s[BY][TILE + 2 * KR];
    const int x0 = blockIdx.x * TILE, y = blockIdx.y * BY + threadIdx.y;
    const int yc = min(y, src.height - 1);
    for (int i = threadIdx.x; i < TILE + 2 * KR; i += BX)
        s[threadIdx.y][i] = src.data[(size_t)yc * src.width + min(max(x0 + i - KR, 0), src.width - 1)];
    __syncthreads();
    if (y >= dst.height) return;
#pragma unroll
    for (int t = 0; t < STEPS; ++t) {
        const int lx = threadIdx.x + t * BX;
        float sum = 0.f;
#pragma unroll
        for (int k = -KR; k <= KR; ++k) sum += c_kernel[KR - k] * s[threadIdx.y][lx + KR + k];
        if (x0 + lx < dst.width) dst.data[(size_t)y * dst.width + x0 + lx] = sum;
    }
}

template <int BX, int BY, int STEPS>
__global__ void __launch_bounds__(BX *BY) conv_cols(Image<float> src, Image<float> dst) {
    constexpr int TILE = BY * STEPS;
    __shared__ float s[TILE + 2 * KR][BX];
    const int x = blockIdx.x * BX + threadIdx.x, y0 = blockIdx.y * TILE;
    const int xc = min(x, src.width - 1);
#pragma unroll
    for (int i = threadIdx.y; i < TILE + 2 * KR; i += BY)
        s[i][threadIdx.x] = src.data[(size_t)min(max(y0 + i - KR, 0), src.height - 1) * src.width + xc];
    __syncthreads();
    if (x >= dst.width) return;
#pragma unroll
    for (int t = 0; t < STEPS; ++t) {
        const int ly = threadIdx.y + t * BY;
        float sum = 0.f;
#pragma unroll
        for (int k = -KR; k <= KR; ++k) sum += c_kernel[KR - k] * s[ly + KR + k][threadIdx.x];
        if (y0 + ly < dst.height) dst.data[(size_t)(y0 + ly) * dst.width + x] = sum;
    }
}

// ------------------------------------------------------------------ bilateral
template <int R>
struct SpatialWeights {
    float w[2 * R + 1][2 * R + 1];
};

template <int R>
__global__ void bilateral(Image<float> src, Image<float> dst, const __grid_constant__ SpatialWeights<R> sw,
                          float inv_2sr2) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= src.width || y >= src.height) return;
    const float center = src.data[(size_t)y * src.width + x];
    float num = 0.f, den = 0.f;
    for (int dy = -R; dy <= R; ++dy) {
#pragma unroll
        for (int dx = -R; dx <= R; ++dx) {
            const float v = src.clamped(x + dx, y + dy);
            const float d = v - center;
            const float w = sw.w[dy + R][dx + R] * __expf(-d * d * inv_2sr2);
            num = fmaf(w, v, num);
            den += w;
        }
    }
    dst.data[(size_t)y * src.width + x] = num / den;
}

// ------------------------------------------------------------------ median 3x3, four pixels per thread
__device__ __forceinline__ void sort3(int &a, int &b, int &c) {
    const int lo = min(a, b), hi = max(a, b);
    a = min(lo, c);
    const int t = max(lo, c);
    b = min(t, hi);
    c = max(t, hi);
}
__device__ __forceinline__ int med3(int a, int b, int c) { return max(min(a, b), min(max(a, b), c)); }

__global__ void __launch_bounds__(256) median3x3_x4(Image<uint8_t> src, Image<uint8_t> dst) {
    const int x = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= src.width || y >= src.height) return;
    int lo[6], mid[6], hi[6];
#pragma unroll
    for (int c = 0; c < 6; ++c) {
        lo[c] = src.clamped(x - 1 + c, y - 1);
        mid[c] = src.clamped(x - 1 + c, y);
        hi[c] = src.clamped(x - 1 + c, y + 1);
        sort3(lo[c], mid[c], hi[c]);
    }
    uchar4 o;
    unsigned char *po = reinterpret_cast<unsigned char *>(&o);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int a = max(max(lo[i], lo[i + 1]), lo[i + 2]);
        const int b = med3(mid[i], mid[i + 1], mid[i + 2]);
        const int c = min(min(hi[i], hi[i + 1]), hi[i + 2]);
        po[i] = (unsigned char)med3(a, b, c);
    }
    *reinterpret_cast<uchar4 *>(&dst.data[(size_t)y * dst.width + x]) = o;  // width % 4 == 0
}

// ------------------------------------------------------------------ bilinear resize, RGBA8
__global__ void resize_bilinear_rgba(Image<uchar4> src, Image<uchar4> dst, float sx, float sy) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= dst.width || y >= dst.height) return;
    const float fx = fmaxf((x + 0.5f) * sx - 0.5f, 0.f), fy = fmaxf((y + 0.5f) * sy - 0.5f, 0.f);
    const int ix = (int)fx, iy = (int)fy;
    const float ax = fx - ix, ay = fy - iy;
    const uchar4 p00 = src.clamped(ix, iy), p10 = src.clamped(ix + 1, iy);
    const uchar4 p01 = src.clamped(ix, iy + 1), p11 = src.clamped(ix + 1, iy + 1);
    auto mix = [&](unsigned char a, unsigned char b, unsigned char c, unsigned char d) {
        const float top = a + ax * ((float)b - a);
        const float bot = c + ax * ((float)d - c);
        return (unsigned char)__float2int_rn(top + ay * (bot - top));
    };
    dst.data[(size_t)y * dst.width + x] =
        make_uchar4(mix(p00.x, p10.x, p01.x, p11.x), mix(p00.y, p10.y, p01.y, p11.y),
                    mix(p00.z, p10.z, p01.z, p11.z), mix(p00.w, p10.w, p01.w, p11.w));
}

// ------------------------------------------------------------------ Sobel, shared tile
template <int BX, int BY>
__global__ void sobel_shared(Image<uint8_t> src, Image<uint8_t> dst) {
    __shared__ uint8_t t[BY + 2][BX + 4];
    const int x0 = blockIdx.x * BX - 1, y0 = blockIdx.y * BY - 1;
    for (int r = threadIdx.y; r < BY + 2; r += BY)
        for (int c = threadIdx.x; c < BX + 2; c += BX) t[r][c] = src.clamped(x0 + c, y0 + r);
    __syncthreads();
    const int x = x0 + 1 + threadIdx.x, y = y0 + 1 + threadIdx.y;
    if (x >= dst.width || y >= dst.height) return;
    const int cx = threadIdx.x + 1, cy = threadIdx.y + 1;
    const int gx = (t[cy - 1][cx + 1] + 2 * t[cy][cx + 1] + t[cy + 1][cx + 1]) -
                   (t[cy - 1][cx - 1] + 2 * t[cy][cx - 1] + t[cy + 1][cx - 1]);
    const int gy = (t[cy + 1][cx - 1] + 2 * t[cy + 1][cx] + t[cy + 1][cx + 1]) -
                   (t[cy - 1][cx - 1] + 2 * t[cy - 1][cx] + t[cy - 1][cx + 1]);
    const float mag = sqrtf((float)(gx * gx + gy * gy));
    dst.data[(size_t)y * dst.width + x] = (uint8_t)min(__float2int_rn(mag), 255);
}

// ------------------------------------------------------------------ host
template <typename T>
static std::vector<T> fetch(const Image<T> &im) {
    std::vector<T> h(im.count());
    CU(cudaMemcpy(h.data(), im.data, h.size() * sizeof(T), cudaMemcpyDeviceToHost));
    return h;
}

static dim3 blocks(int w, int h, int bw, int bh) { return dim3((w + bw - 1) / bw, (h + bh - 1) / bh); }

int main() {
    const int W = 3840, H = 2160, DW = 2560, DH = 1440;
    std::vector<uint8_t> gray((size_t)W * H);
    std::vector<float> grayf(gray.size());
    std::vector<uchar4> rgba(gray.size());
    uint32_t s = 2024;
    for (int y = 0; y < H; ++y)
        for (int x = 0; x < W; ++x) {
            s = s * 1103515245u + 12345u;
            const size_t i = (size_t)y * W + x;
            const int v = ((x >> 3) + (y >> 2)) % 200 + (int)((s >> 20) % 56);
            gray[i] = (uint8_t)v;
            grayf[i] = v / 255.0f;
            rgba[i] = make_uchar4(v, (s >> 8) & 255, (uint8_t)(x ^ y), 255 - v);
        }

    float kern[2 * KR + 1], ksum = 0;
    for (int k = -KR; k <= KR; ++k) ksum += kern[k + KR] = std::exp(-k * k / 18.0f) * (1.0f + 0.02f * k);
    for (float &k : kern) k /= ksum;
    CU(cudaMemcpyToSymbol(c_kernel, kern, sizeof(kern)));

    constexpr int BR = 4;
    SpatialWeights<BR> sw;
    for (int dy = -BR; dy <= BR; ++dy)
        for (int dx = -BR; dx <= BR; ++dx) sw.w[dy + BR][dx + BR] = std::exp(-(dx * dx + dy * dy) / (2.0f * 9.0f));
    const float inv_2sr2 = 1.0f / (2.0f * 0.1f * 0.1f);

    auto i_gray = make_image<uint8_t>(W, H, gray.data());
    auto i_grayf = make_image<float>(W, H, grayf.data());
    auto i_rgba = make_image<uchar4>(W, H, rgba.data());
    auto o_rows = make_image<float>(W, H), o_cols = make_image<float>(W, H), o_bil = make_image<float>(W, H);
    auto o_med = make_image<uint8_t>(W, H), o_sob = make_image<uint8_t>(W, H);
    auto o_rsz = make_image<uchar4>(DW, DH);
    CU(cudaDeviceSynchronize());

    cudaStream_t sf, sb;
    CU(cudaStreamCreateWithFlags(&sf, cudaStreamNonBlocking));
    CU(cudaStreamCreateWithFlags(&sb, cudaStreamNonBlocking));

    conv_rows<32, 8, 4><<<blocks(W, H, 128, 8), dim3(32, 8), 0, sf>>>(i_grayf, o_rows);
    CU(cudaGetLastError());
    median3x3_x4<<<blocks(W / 4, H, 32, 8), dim3(32, 8), 0, sb>>>(i_gray, o_med);
    CU(cudaGetLastError());
    conv_cols<32, 8, 8><<<blocks(W, H, 32, 64), dim3(32, 8), 0, sf>>>(o_rows, o_cols);
    CU(cudaGetLastError());
    sobel_shared<32, 16><<<blocks(W, H, 32, 16), dim3(32, 16), 0, sb>>>(i_gray, o_sob);
    CU(cudaGetLastError());
    bilateral<BR><<<blocks(W, H, 32, 8), dim3(32, 8), 0, sf>>>(i_grayf, o_bil, sw, inv_2sr2);
    CU(cudaGetLastError());
    resize_bilinear_rgba<<<blocks(DW, DH, 32, 8), dim3(32, 8), 0, sb>>>(i_rgba, o_rsz, (float)W / DW, (float)H / DH);
    CU(cudaGetLastError());
    CU(cudaStreamSynchronize(sf));
    CU(cudaStreamSynchronize(sb));

    const auto rows = fetch(o_rows), cols = fetch(o_cols), bil = fetch(o_bil);
    const auto med = fetch(o_med), sob = fetch(o_sob);
    const auto rsz = fetch(o_rsz);

    auto cx = [&](int x) { return std::min(std::max(x, 0), W - 1); };
    auto cy = [&](int y) { return std::min(std::max(y, 0), H - 1); };
    auto G = [&](int x, int y) { return (int)gray[(size_t)cy(y) * W + cx(x)]; };
    auto F = [&](int x, int y) { return (double)grayf[(size_t)cy(y) * W + cx(x)]; };
    double e_rows = 0, e_cols = 0, e_bil = 0;
    int e_med = 0, e_sob = 0, e_rsz = 0;
    for (int n = 0; n < 6000; ++n) {
        int x = (n * 1237) % W, y = (n * 761) % H;
        if (n < 4) {
            x = (n & 1) ? W - 1 : 0;
            y = (n & 2) ? H - 1 : 0;
        }
        const size_t i = (size_t)y * W + x;
        double r = 0, c = 0;
        for (int k = -KR; k <= KR; ++k) {
            r += kern[KR - k] * F(x + k, y);
            c += (double)kern[KR - k] * rows[(size_t)cy(y + k) * W + x];
        }
        e_rows = std::max(e_rows, std::fabs(r - rows[i]));
        e_cols = std::max(e_cols, std::fabs(c - cols[i]));

        double num = 0, den = 0;
        for (int dy = -BR; dy <= BR; ++dy)
            for (int dx = -BR; dx <= BR; ++dx) {
                const double v = F(x + dx, y + dy), d = v - F(x, y);
                const double w = sw.w[dy + BR][dx + BR] * std::exp(-d * d * inv_2sr2);
                num += w * v;
                den += w;
            }
        e_bil = std::max(e_bil, std::fabs(num / den - bil[i]));

        int win[9], q = 0;
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx) win[q++] = G(x + dx, y + dy);
        const int gx = win[2] + 2 * win[5] + win[8] - win[0] - 2 * win[3] - win[6];
        const int gy = win[6] + 2 * win[7] + win[8] - win[0] - 2 * win[1] - win[2];
        const double mag = std::min(std::sqrt((double)(gx * gx + gy * gy)), 255.0);
        if (std::fabs(mag - sob[i]) > 0.51) ++e_sob;
        std::nth_element(win, win + 4, win + 9);
        if (win[4] != med[i]) ++e_med;

        const int X = x % DW, Y = y % DH;
        const double fx = std::max((X + 0.5) * W / DW - 0.5, 0.0), fy = std::max((Y + 0.5) * H / DH - 0.5, 0.0);
        const int ix = (int)(fx + 1e-6), iy = (int)(fy + 1e-6);
        const double ax = fx - ix, ay = fy - iy;
        auto P = [&](int a, int b) { return (double)rgba[(size_t)cy(b) * W + cx(a)].y; };
        const double v = (P(ix, iy) * (1 - ax) + P(ix + 1, iy) * ax) * (1 - ay) +
                         (P(ix, iy + 1) * (1 - ax) + P(ix + 1, iy + 1) * ax) * ay;
        if (std::fabs(v - rsz[(size_t)Y * DW + X].y) > 0.6) ++e_rsz;
    }
    std::printf("conv_rows err %.2e  conv_cols err %.2e  bilateral err %.2e\n", e_rows, e_cols, e_bil);
    std::printf("median bad %d  sobel bad %d  resize bad %d\n", e_med, e_sob, e_rsz);
    const bool ok = e_rows < 1e-5 && e_cols < 1e-5 && e_bil < 1e-4 && !e_med && !e_sob && !e_rsz;

    CU(cudaStreamDestroy(sf));
    CU(cudaStreamDestroy(sb));
    for (void *p : {(void *)i_gray.data, (void *)i_grayf.data, (void *)i_rgba.data, (void *)o_rows.data,
                    (void *)o_cols.data, (void *)o_bil.data, (void *)o_med.data, (void *)o_sob.data, (void *)o_rsz.data})
        CU(cudaFree(p));
    std::puts(ok ? "PASS" : "FAIL");
    return ok ? 0 : 1;
}
