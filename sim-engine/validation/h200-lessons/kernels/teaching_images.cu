// Image processing exercises: point operations, neighbourhood operations, and
// the classic "same convolution, three memory spaces" comparison.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <algorithm>

typedef unsigned char u8;

static void check(cudaError_t e, const char* what, int line) {
    if (e != cudaSuccess) {
        std::printf("line %d: %s failed: %s\n", line, what, cudaGetErrorString(e));
        std::exit(1);
    }
}
#define CK(x) check((x), #x, __LINE__)

constexpr int R = 3;              // radius of the convolution mask
constexpr int D = 2 * R + 1;
constexpr int TILE = 16;

__constant__ float c_mask[D * D];
__constant__ float c_gauss[D];

__device__ __forceinline__ int clampi(int v, int lo, int hi) { return v < lo ? lo : (v > hi ? hi : v); }
__device__ __forceinline__ u8 to_u8(float v) { return (u8)fminf(fmaxf(v + 0.5f, 0.0f), 255.0f); }

// interleaved 3-channel input, 1-channel output
__global__ void rgb_to_gray(const u8* __restrict__ rgb, u8* __restrict__ gray, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int p = y * w + x;
    float r = rgb[3 * p], g = rgb[3 * p + 1], b = rgb[3 * p + 2];
    gray[p] = to_u8(0.299f * r + 0.587f * g + 0.114f * b);
}

__global__ void sepia_rgb(const u8* in, u8* out, int w, int h) {
    int col = threadIdx.x + blockIdx.x * blockDim.x;
    int row = threadIdx.y + blockIdx.y * blockDim.y;
    if (col < w && row < h) {
        int idx = (row * w + col) * 3;
        float r = in[idx], g = in[idx + 1], b = in[idx + 2];
        out[idx]     = to_u8(0.393f * r + 0.769f * g + 0.189f * b);
        out[idx + 1] = to_u8(0.349f * r + 0.686f * g + 0.168f * b);
        out[idx + 2] = to_u8(0.272f * r + 0.534f * g + 0.131f * b);
    }
}

// mean over a window, with the window cut off at the borders
__global__ void box_blur(const u8* in, u8* out, int w, int h, int radius) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (col >= w || row >= h) return;
    int total = 0, count = 0;
    for (int dy = -radius; dy <= radius; ++dy) {
        for (int dx = -radius; dx <= radius; ++dx) {
            int yy = row + dy, xx = col + dx;
            if (yy >= 0 && yy < h && xx >= 0 && xx < w) {
                total += in[yy * w + xx];
                ++count;
            }
        }
    }
    out[row * w + col] = (u8)(total / count);
}

__global__ void sobel(const u8* __restrict__ img, u8* __restrict__ mag, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    if (x == 0 || y == 0 || x == w - 1 || y == h - 1) { mag[y * w + x] = 0; return; }
    const u8* c = img + y * w + x;
    int gx = c[-w + 1] + 2 * c[1] + c[w + 1] - c[-w - 1] - 2 * c[-1] - c[w - 1];
    int gy = c[w - 1] + 2 * c[w] + c[w + 1] - c[-w - 1] - 2 * c[-w] - c[-w + 1];
    mag[y * w + x] = to_u8(sqrtf((float)(gx * gx + gy * gy)));
}

// mask in ordinary global memory
__global__ void conv_global(const float* in, const float* mask, float* out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float acc = 0.f;
    for (int j = 0; j < D; ++j)
        for (int i = 0; i < D; ++i) {
            int xx = x + i - R, yy = y + j - R;
            if (xx >= 0 && yy >= 0 && xx < w && yy < h)
                acc += in[yy * w + xx] * mask[j * D + i];
        }
    out[y * w + x] = acc;
}

// mask in constant memory
__global__ void conv_constant(const float* __restrict__ in, float* __restrict__ out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float acc = 0.f;
#pragma unroll
    for (int j = 0; j < D; ++j)
#pragma unroll
        for (int i = 0; i < D; ++i) {
            int xx = x + i - R, yy = y + j - R;
            if (xx >= 0 && yy >= 0 && xx < w && yy < h)
                acc += in[yy * w + xx] * c_mask[j * D + i];
        }
    out[y * w + x] = acc;
}

// mask in constant memory, input tile with its halo in shared memory
__global__ void conv_tiled(const float* __restrict__ in, float* __restrict__ out, int w, int h) {
    __shared__ float tile[TILE + 2 * R][TILE + 2 * R];
    int x0 = blockIdx.x * TILE - R, y0 = blockIdx.y * TILE - R;
    for (int ty = threadIdx.y; ty < TILE + 2 * R; ty += TILE)
        for (int tx = threadIdx.x; tx < TILE + 2 * R; tx += TILE) {
            int xx = x0 + tx, yy = y0 + ty;
            bool inside = xx >= 0 && yy >= 0 && xx < w && yy < h;
            tile[ty][tx] = inside ? in[yy * w + xx] : 0.f;
        }
    __syncthreads();
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x >= w || y >= h) return;
    float acc = 0.f;
#pragma unroll
    for (int j = 0; j < D; ++j)
#pragma unroll
        for (int i = 0; i < D; ++i)
            acc += tile[threadIdx.y + j][threadIdx.x + i] * c_mask[j * D + i];
    out[y * w + x] = acc;
}

// one pass of a separable Gaussian; DX,DY pick the direction
template <int DX, int DY>
__global__ void gauss_pass(const float* __restrict__ in, float* __restrict__ out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float acc = 0.f;
#pragma unroll
    for (int k = -R; k <= R; ++k) {
        int xx = clampi(x + k * DX, 0, w - 1), yy = clampi(y + k * DY, 0, h - 1);
        acc = fmaf(c_gauss[k + R], in[yy * w + xx], acc);
    }
    out[y * w + x] = acc;
}

__global__ void bilateral(const float* __restrict__ in, float* __restrict__ out, int w, int h,
                          int radius, float inv2ss, float inv2sr) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float centre = in[y * w + x], num = 0.f, den = 0.f;
    for (int dy = -radius; dy <= radius; ++dy)
        for (int dx = -radius; dx <= radius; ++dx) {
            float v = in[clampi(y + dy, 0, h - 1) * w + clampi(x + dx, 0, w - 1)];
            float diff = v - centre;
            float wt = __expf(-(dx * dx + dy * dy) * inv2ss - diff * diff * inv2sr);
            num += wt * v;
            den += wt;
        }
    out[y * w + x] = num / den;
}

int main() {
    const int w = 3840, h = 2160, px = w * h;
    std::vector<u8> rgb(3 * px), gray(px), edge(px);
    unsigned s = 7u;
    for (int i = 0; i < px; ++i) {
        s = s * 1103515245u + 12345u;
        int base = ((i % w) / 16 + (i / w) / 16) & 127;
        rgb[3 * i] = (u8)(base + ((s >> 16) & 63));
        rgb[3 * i + 1] = (u8)(base + ((s >> 20) & 63));
        rgb[3 * i + 2] = (u8)(base + ((s >> 24) & 63));
    }
    std::vector<float> f(px), o1(px), o2(px), o3(px);
    for (int i = 0; i < px; ++i) f[i] = rgb[3 * i] / 255.f;
    float mask[D * D], g[D], gs = 0.f;
    for (int i = 0; i < D; ++i) { g[i] = std::exp(-0.5f * (i - R) * (i - R) / 2.0f); gs += g[i]; }
    for (int i = 0; i < D; ++i) g[i] /= gs;
    for (int j = 0; j < D; ++j) for (int i = 0; i < D; ++i) mask[j * D + i] = g[i] * g[j] - (i == j ? 0.01f : 0.f);

    u8 *d_rgb, *d_gray, *d_tmp, *d_sepia; float *d_f, *d_o1, *d_o2, *d_o3, *d_mask;
    CK(cudaMalloc(&d_rgb, 3 * px)); CK(cudaMalloc(&d_sepia, 3 * px));
    CK(cudaMalloc(&d_gray, px));    CK(cudaMalloc(&d_tmp, px));
    CK(cudaMalloc(&d_f, px * sizeof(float)));  CK(cudaMalloc(&d_o1, px * sizeof(float)));
    CK(cudaMalloc(&d_o2, px * sizeof(float))); CK(cudaMalloc(&d_o3, px * sizeof(float)));
    CK(cudaMalloc(&d_mask, sizeof(mask)));
    CK(cudaMemcpy(d_rgb, rgb.data(), 3 * px, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(d_f, f.data(), px * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(d_mask, mask, sizeof(mask), cudaMemcpyHostToDevice));
    CK(cudaMemcpyToSymbol(c_mask, mask, sizeof(mask)));
    CK(cudaMemcpyToSymbol(c_gauss, g, sizeof(g)));

    dim3 blk(16, 16), grd((w + 15) / 16, (h + 15) / 16);
    dim3 wide(32, 8), grdw((w + 31) / 32, (h + 7) / 8);
    rgb_to_gray<<<grdw, wide>>>(d_rgb, d_gray, w, h);
    sepia_rgb<<<grd, blk>>>(d_rgb, d_sepia, w, h);
    box_blur<<<grd, blk>>>(d_gray, d_tmp, w, h, 2);
    sobel<<<grdw, wide>>>(d_gray, d_tmp, w, h);
    conv_global<<<grd, blk>>>(d_f, d_mask, d_o1, w, h);
    conv_constant<<<grd, blk>>>(d_f, d_o2, w, h);
    conv_tiled<<<grd, blk>>>(d_f, d_o3, w, h);
    CK(cudaGetLastError());
    CK(cudaMemcpy(o1.data(), d_o1, px * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(o2.data(), d_o2, px * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(o3.data(), d_o3, px * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(gray.data(), d_gray, px, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(edge.data(), d_tmp, px, cudaMemcpyDeviceToHost));
    gauss_pass<1, 0><<<grdw, wide>>>(d_f, d_o1, w, h);
    gauss_pass<0, 1><<<grdw, wide>>>(d_o1, d_o2, w, h);
    bilateral<<<grd, blk>>>(d_f, d_o3, w, h, 3, 1.f / 18.f, 1.f / 0.02f);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    int bad = 0;
    for (int i = 0; i < px; i += 101) {
        bad += std::fabs(o1[i] - o2[i]) > 1e-4f || std::fabs(o1[i] - o3[i]) > 1e-4f;
        float want = 0.299f * rgb[3 * i] + 0.587f * rgb[3 * i + 1] + 0.114f * rgb[3 * i + 2];
        bad += std::fabs(want - gray[i]) > 1.01f;
    }
    std::vector<float> bl(px);
    CK(cudaMemcpy(bl.data(), d_o3, px * sizeof(float), cudaMemcpyDeviceToHost));
    double sum = 0; for (float v : bl) sum += v;
    std::printf("%s bad=%d bilateral mean=%f edge[%d]=%d\n", bad ? "FAIL" : "PASS", bad, sum / px, px / 2 + 5, (int)edge[px / 2 + 5]);
    for (void* p : {(void*)d_rgb, (void*)d_sepia, (void*)d_gray, (void*)d_tmp, (void*)d_f, (void*)d_o1, (void*)d_o2, (void*)d_o3, (void*)d_mask}) cudaFree(p);
    return bad ? 1 : 0;
}
