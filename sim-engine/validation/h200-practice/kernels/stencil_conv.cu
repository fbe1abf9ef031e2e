// stencil_conv.cu -- heat equation steps in two and three dimensions and small convolutions.
// Ported from a research code: grids are structs, weights live in constant memory, images can be textures.
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

#define SAFE(e) safe((e), __LINE__)
static void safe(cudaError_t e, int line) {
    if (e != cudaSuccess) { fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(e)); exit(1); }
}

struct Field2 { float* u; int nx, ny; };                 // row-major, u[y*nx+x]
struct Field3 { float* u; int nx, ny, nz; };             // u[(z*ny+y)*nx+x]
struct HeatCoef { float c, n; };                         // centre and neighbour weights

static const int RMAX = 8;
__constant__ float g_taps[2 * RMAX + 1];                 // separable filter
__constant__ float g_box[5 * 5];                         // full 5x5 filter

__host__ __device__ inline int clampi(int v, int lo, int hi) { return v < lo ? lo : v > hi ? hi : v; }

// ===================================================================== 2D, five points; borders are copied
__global__ void heat2_plain(Field2 in, Field2 out, HeatCoef k) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= in.nx || y >= in.ny) return;
    int i = y * in.nx + x;
    if (x == 0 || y == 0 || x == in.nx - 1 || y == in.ny - 1) { out.u[i] = in.u[i]; return; }
    out.u[i] = k.c * in.u[i] + k.n * (in.u[i - 1] + in.u[i + 1] + in.u[i - in.nx] + in.u[i + in.nx]);
}

// tile with a halo of one in shared memory
template <int BX, int BY>
__global__ void __launch_bounds__(BX * BY) heat2_shared(Field2 in, Field2 out, HeatCoef k) {
    __shared__ float t[BY + 2][BX + 2];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x0 = blockIdx.x * BX - 1, y0 = blockIdx.y * BY - 1;
    for (int q = ty * BX + tx; q < (BX + 2) * (BY + 2); q += BX * BY) {
        int yy = q / (BX + 2), xx = q % (BX + 2);
        t[yy][xx] = in.u[clampi(y0 + yy, 0, in.ny - 1) * in.nx + clampi(x0 + xx, 0, in.nx - 1)];
    }
    __syncthreads();
    const int x = x0 + 1 + tx, y = y0 + 1 + ty;
    if (x >= in.nx || y >= in.ny) return;
    float c = t[ty + 1][tx + 1];
    bool edge = x == 0 || y == 0 || x == in.nx - 1 || y == in.ny - 1;
    out.u[y * in.nx + x] = edge ? c : k.c * c + k.n * (t[ty + 1][tx] + t[ty + 1][tx + 2] + t[ty][tx + 1] + t[ty + 2][tx + 1]);
}

// each thread goes down ROWS rows with float4 columns; left/right neighbours by shuffle, edges of the warp by loads
template <int ROWS>
__global__ void __launch_bounds__(128) heat2_march4(Field2 in, Field2 out, HeatCoef k) {
    const int lane = threadIdx.x & 31, x4 = blockIdx.x * 128 + threadIdx.x, n4 = in.nx / 4;
    const int y0 = blockIdx.y * ROWS;
    const bool live = x4 < n4;
    const int xs = live ? x4 : n4 - 1;
    const float4* u = reinterpret_cast<const float4*>(in.u);
    float4* o = reinterpret_cast<float4*>(out.u);
    float4 up = u[max(y0 - 1, 0) * n4 + xs], cur = u[y0 * n4 + xs];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        const int y = y0 + r;
        float4 dn = u[min(y + 1, in.ny - 1) * n4 + xs];
        float l = __shfl_up_sync(0xffffffffu, cur.w, 1), rr = __shfl_down_sync(0xffffffffu, cur.x, 1);
        if (lane == 0 && xs > 0) l = in.u[y * in.nx + 4 * xs - 1];
        if (lane == 31 && xs < n4 - 1) rr = in.u[y * in.nx + 4 * xs + 4];
        float4 v;
        v.x = k.c * cur.x + k.n * (l + cur.y + up.x + dn.x);
        v.y = k.c * cur.y + k.n * (cur.x + cur.z + up.y + dn.y);
        v.z = k.c * cur.z + k.n * (cur.y + cur.w + up.z + dn.z);
        v.w = k.c * cur.w + k.n * (cur.z + rr + up.w + dn.w);
        if (y == 0 || y == in.ny - 1) v = cur;
        if (xs == 0) v.x = cur.x;
        if (xs == n4 - 1) v.w = cur.w;
        if (live) o[y * n4 + xs] = v;
        up = cur;
        cur = dn;
    }
}

// two time steps in one pass: halo of two, the intermediate level stays in shared memory
__global__ void __launch_bounds__(256) heat2_twice(Field2 in, Field2 out, HeatCoef k) {
    const int T = 32;
    __shared__ float a[T + 4][T + 4 + 1], b[T + 2][T + 2 + 1];
    const int tid = threadIdx.y * 32 + threadIdx.x;
    const int x0 = blockIdx.x * T, y0 = blockIdx.y * T;
    for (int q = tid; q < (T + 4) * (T + 4); q += 256) {
        int yy = q / (T + 4), xx = q % (T + 4);
        a[yy][xx] = in.u[clampi(y0 + yy - 2, 0, in.ny - 1) * in.nx + clampi(x0 + xx - 2, 0, in.nx - 1)];
    }
    __syncthreads();
    for (int q = tid; q < (T + 2) * (T + 2); q += 256) {
        int yy = q / (T + 2), xx = q % (T + 2), gx = x0 + xx - 1, gy = y0 + yy - 1;
        float c = a[yy + 1][xx + 1];
        bool edge = gx <= 0 || gy <= 0 || gx >= in.nx - 1 || gy >= in.ny - 1;
        b[yy][xx] = edge ? c : k.c * c + k.n * (a[yy + 1][xx] + a[yy + 1][xx + 2] + a[yy][xx + 1] + a[yy + 2][xx + 1]);
    }
    __syncthreads();
    for (int r = threadIdx.y; r < T; r += 8) {
        int gx = x0 + threadIdx.x, gy = y0 + r, xx = threadIdx.x + 1, yy = r + 1;
        if (gx >= in.nx || gy >= in.ny) continue;
        float c = b[yy][xx];
        bool edge = gx == 0 || gy == 0 || gx == in.nx - 1 || gy == in.ny - 1;
        out.u[gy * in.nx + gx] = edge ? c : k.c * c + k.n * (b[yy][xx - 1] + b[yy][xx + 1] + b[yy - 1][xx] + b[yy + 1][xx]);
    }
}

// ===================================================================== 3D, seven points
__global__ void heat3_plain(Field3 in, Field3 out, HeatCoef k) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= in.nx - 1 || y >= in.ny - 1 || z >= in.nz - 1) return;
    size_t p = (size_t)in.nx * in.ny, i = z * p + (size_t)y * in.nx + x;
    out.u[i] = k.c * in.u[i] + k.n * (in.u[i - 1] + in.u[i + 1] + in.u[i - in.nx] + in.u[i + in.nx] + in.u[i - p] + in.u[i + p]);
}

// a column per thread, three planes in a register queue, neighbours in the plane straight from the caches
__global__ void __launch_bounds__(256) heat3_queue(Field3 in, Field3 out, HeatCoef k) {
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < 1 || y < 1 || x >= in.nx - 1 || y >= in.ny - 1) return;
    const size_t p = (size_t)in.nx * in.ny;
    const float* __restrict__ u = in.u + (size_t)y * in.nx + x;
    float* __restrict__ o = out.u + (size_t)y * in.nx + x;
    float below = u[0], here = u[p];
    for (int z = 1; z < in.nz - 1; ++z) {
        float above = u[(z + 1) * p];
        const float* r = u + z * p;
        o[z * p] = k.c * here + k.n * (r[-1] + r[1] + r[-in.nx] + r[in.nx] + below + above);
        below = here;
        here = above;
    }
}

// the same with the current plane in shared memory, z cut into slabs over blockIdx.z
template <int BX, int BY>
__global__ void __launch_bounds__(BX * BY) heat3_queue_shared(Field3 in, Field3 out, HeatCoef k, int slab) {
    __shared__ float t[BY + 2][BX + 2];
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    const int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y;     // grid is a multiple of the block
    const size_t p = (size_t)in.nx * in.ny, col = (size_t)y * in.nx + x;
    const int z0 = max(1, (int)blockIdx.z * slab), z1 = min(in.nz - 1, ((int)blockIdx.z + 1) * slab);
    const bool inside = x > 0 && y > 0 && x < in.nx - 1 && y < in.ny - 1;
    float below = in.u[(z0 - 1) * p + col], here = in.u[z0 * p + col];
    for (int z = z0; z < z1; ++z) {
        const float above = in.u[(z + 1) * p + col];
        t[ty][tx] = here;
        if (threadIdx.x == 0 && x > 0) t[ty][0] = in.u[z * p + col - 1];
        if (threadIdx.x == BX - 1 && x < in.nx - 1) t[ty][BX + 1] = in.u[z * p + col + 1];
        if (threadIdx.y == 0 && y > 0) t[0][tx] = in.u[z * p + col - in.nx];
        if (threadIdx.y == BY - 1 && y < in.ny - 1) t[BY + 1][tx] = in.u[z * p + col + in.nx];
        __syncthreads();
        if (inside) out.u[z * p + col] = k.c * here + k.n * (t[ty][tx - 1] + t[ty][tx + 1] + t[ty - 1][tx] + t[ty + 1][tx] + below + above);
        __syncthreads();
        below = here;
        here = above;
    }
}

// ===================================================================== convolutions, borders clamped
__global__ void conv_plain(Field2 in, Field2 out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= in.nx || y >= in.ny) return;
    float s = 0.f;
    for (int j = -2; j <= 2; ++j)
        for (int i = -2; i <= 2; ++i)
            s += g_box[(j + 2) * 5 + i + 2] * in.u[clampi(y + j, 0, in.ny - 1) * in.nx + clampi(x + i, 0, in.nx - 1)];
    out.u[y * in.nx + x] = s;
}

__global__ void conv_texture(cudaTextureObject_t tex, Field2 out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= out.nx || y >= out.ny) return;
    float s = 0.f;
#pragma unroll
    for (int j = -2; j <= 2; ++j)
#pragma unroll
        for (int i = -2; i <= 2; ++i) s += g_box[(j + 2) * 5 + i + 2] * tex2D<float>(tex, x + i + 0.5f, y + j + 0.5f);
    out.u[y * out.nx + x] = s;
}

// shared tile, each thread makes four results below each other
__global__ void __launch_bounds__(256) conv_shared(Field2 in, Field2 out) {
    __shared__ float t[36][68];
    const int x0 = blockIdx.x * 64, y0 = blockIdx.y * 32;
    for (int q = threadIdx.x; q < 36 * 68; q += 256) {
        int yy = q / 68, xx = q - yy * 68;
        t[yy][xx] = in.u[clampi(y0 + yy - 2, 0, in.ny - 1) * in.nx + clampi(x0 + xx - 2, 0, in.nx - 1)];
    }
    __syncthreads();
    const int tx = threadIdx.x & 63, tq = threadIdx.x >> 6;     // four groups of eight rows
    for (int h = 0; h < 2; ++h) {
        const int r0 = tq * 8 + h * 4;
        float s[4] = {0.f, 0.f, 0.f, 0.f};
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            float v[5];
#pragma unroll
            for (int i = 0; i < 5; ++i) v[i] = t[r0 + j][tx + i];
#pragma unroll
            for (int m = 0; m < 4; ++m) {
                if (j - m < 0 || j - m > 4) continue;
#pragma unroll
                for (int i = 0; i < 5; ++i) s[m] += g_box[(j - m) * 5 + i] * v[i];
            }
        }
#pragma unroll
        for (int m = 0; m < 4; ++m) out.u[(y0 + r0 + m) * in.nx + x0 + tx] = s[m];   // sizes are multiples of the tile
    }
}

template <int R>
__global__ void __launch_bounds__(128) conv_rows(Field2 in, Field2 out) {
    __shared__ float line[4][128 + 2 * R];
    const int x0 = blockIdx.x * 128, y0 = blockIdx.y * 4;
#pragma unroll
    for (int r = 0; r < 4; ++r)
        for (int q = threadIdx.x; q < 128 + 2 * R; q += 128) line[r][q] = in.u[(y0 + r) * in.nx + clampi(x0 + q - R, 0, in.nx - 1)];
    __syncthreads();
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        float s = 0.f;
#pragma unroll
        for (int i = 0; i <= 2 * R; ++i) s += g_taps[i] * line[r][threadIdx.x + i];
        out.u[(y0 + r) * in.nx + x0 + threadIdx.x] = s;
    }
}

template <int R, int BY>
__global__ void __launch_bounds__(32 * 8) conv_cols(Field2 in, Field2 out) {
    __shared__ float t[BY + 2 * R][32];
    const int x = blockIdx.x * 32 + threadIdx.x, y0 = blockIdx.y * BY;
    for (int r = threadIdx.y; r < BY + 2 * R; r += 8) t[r][threadIdx.x] = in.u[clampi(y0 + r - R, 0, in.ny - 1) * in.nx + x];
    __syncthreads();
    for (int r = threadIdx.y; r < BY; r += 8) {
        float s = 0.f;
#pragma unroll
        for (int i = 0; i <= 2 * R; ++i) s = fmaf(g_taps[i], t[r + i][threadIdx.x], s);
        out.u[(y0 + r) * in.nx + x] = s;
    }
}

// ===================================================================== launch wrappers and checks
static int g_failed = 0;
static void report(const char* what, double worst) {
    bool ok = worst < 1e-4;
    printf("%-24s %.2e %s\n", what, worst, ok ? "PASS" : "FAIL");
    if (!ok) g_failed++;
}
static double diff(const float* d, const std::vector<float>& want) {
    SAFE(cudaGetLastError());
    std::vector<float> got(want.size());
    SAFE(cudaMemcpy(got.data(), d, got.size() * 4, cudaMemcpyDeviceToHost));
    double w = 0;
    for (size_t i = 0; i < got.size(); ++i) { double e = fabs((double)got[i] - want[i]); if (!(e <= w)) w = e; }
    return w;
}
static void host_heat2(const std::vector<float>& a, std::vector<float>& b, int nx, int ny, HeatCoef k) {
    b = a;
    for (int y = 1; y < ny - 1; ++y)
        for (int x = 1; x < nx - 1; ++x) {
            size_t i = (size_t)y * nx + x;
            b[i] = k.c * a[i] + k.n * (a[i - 1] + a[i + 1] + a[i - nx] + a[i + nx]);
        }
}

static void run_2d() {
    const int nx = 2048, ny = 1536;
    const size_t n = (size_t)nx * ny;
    const HeatCoef k = {0.4f, 0.15f};
    std::vector<float> h(n), w1, w2;
    for (size_t i = 0; i < n; ++i) h[i] = (float)((i * 2654435761u >> 7) & 1023) / 1024.f;
    host_heat2(h, w1, nx, ny, k);
    host_heat2(w1, w2, nx, ny, k);
    Field2 a = {0, nx, ny}, b = a;
    SAFE(cudaMalloc(&a.u, n * 4));
    SAFE(cudaMalloc(&b.u, n * 4));
    SAFE(cudaMemcpy(a.u, h.data(), n * 4, cudaMemcpyHostToDevice));

    heat2_plain<<<dim3(nx / 32, ny / 8), dim3(32, 8)>>>(a, b, k);
    report("heat 2d plain", diff(b.u, w1));
    SAFE(cudaMemset(b.u, 0, n * 4));
    heat2_shared<32, 16><<<dim3(nx / 32, ny / 16), dim3(32, 16)>>>(a, b, k);
    report("heat 2d shared", diff(b.u, w1));
    SAFE(cudaMemset(b.u, 0, n * 4));
    heat2_march4<16><<<dim3((nx / 4 + 127) / 128, ny / 16), 128>>>(a, b, k);
    report("heat 2d march float4", diff(b.u, w1));
    SAFE(cudaMemset(b.u, 0, n * 4));
    heat2_twice<<<dim3(nx / 32, ny / 32), dim3(32, 8)>>>(a, b, k);
    report("heat 2d two steps", diff(b.u, w2));

    // convolutions on the same picture
    float box[25], taps[2 * RMAX + 1], sum = 0;
    for (int j = 0; j < 5; ++j) for (int i = 0; i < 5; ++i) box[j * 5 + i] = 0.01f * (1 + ((i * 3 + j * 5) % 7));
    for (int i = 0; i <= 2 * RMAX; ++i) sum += taps[i] = expf(-0.5f * (i - RMAX) * (i - RMAX) / 9.f);
    for (float& t : taps) t /= sum;
    SAFE(cudaMemcpyToSymbol(g_box, box, sizeof box));
    SAFE(cudaMemcpyToSymbol(g_taps, taps, sizeof taps));
    std::vector<float> wc(n), wr(n), wcol(n);
    auto at = [&](const std::vector<float>& v, int y, int x) { return v[(size_t)clampi(y, 0, ny - 1) * nx + clampi(x, 0, nx - 1)]; };
    for (int y = 0; y < ny; ++y)
        for (int x = 0; x < nx; ++x) {
            float s = 0, r = 0;
            for (int j = -2; j <= 2; ++j) for (int i = -2; i <= 2; ++i) s += box[(j + 2) * 5 + i + 2] * at(h, y + j, x + i);
            for (int i = -RMAX; i <= RMAX; ++i) r += taps[i + RMAX] * at(h, y, x + i);
            wc[(size_t)y * nx + x] = s;
            wr[(size_t)y * nx + x] = r;
        }
    for (int y = 0; y < ny; ++y)
        for (int x = 0; x < nx; ++x) {
            float s = 0;
            for (int i = -RMAX; i <= RMAX; ++i) s += taps[i + RMAX] * at(wr, y + i, x);
            wcol[(size_t)y * nx + x] = s;
        }
    conv_plain<<<dim3(nx / 32, ny / 8), dim3(32, 8)>>>(a, b);
    report("conv 5x5 plain", diff(b.u, wc));

    SAFE(cudaMemset(b.u, 0, n * 4));
    conv_shared<<<dim3(nx / 64, ny / 32), 256>>>(a, b);
    report("conv 5x5 shared", diff(b.u, wc));

    cudaArray_t arr;
    cudaChannelFormatDesc fmt = cudaCreateChannelDesc<float>();
    SAFE(cudaMallocArray(&arr, &fmt, nx, ny));
    SAFE(cudaMemcpy2DToArray(arr, 0, 0, h.data(), nx * 4, nx * 4, ny, cudaMemcpyHostToDevice));
    cudaResourceDesc res = {};
    res.resType = cudaResourceTypeArray;
    res.res.array.array = arr;
    cudaTextureDesc td = {};
    td.addressMode[0] = td.addressMode[1] = cudaAddressModeClamp;
    td.filterMode = cudaFilterModePoint;
    td.readMode = cudaReadModeElementType;
    cudaTextureObject_t tex;
    SAFE(cudaCreateTextureObject(&tex, &res, &td, 0));
    SAFE(cudaMemset(b.u, 0, n * 4));
    conv_texture<<<dim3(nx / 16, ny / 16), dim3(16, 16)>>>(tex, b);
    report("conv 5x5 texture", diff(b.u, wc));
    SAFE(cudaDestroyTextureObject(tex));
    SAFE(cudaFreeArray(arr));

    Field2 c = {0, nx, ny};
    SAFE(cudaMalloc(&c.u, n * 4));
    conv_rows<RMAX><<<dim3(nx / 128, ny / 4), 128>>>(a, c);
    report("separable rows", diff(c.u, wr));
    conv_cols<RMAX, 64><<<dim3(nx / 32, ny / 64), dim3(32, 8)>>>(c, b);
    report("separable columns", diff(b.u, wcol));
    SAFE(cudaFree(a.u)); SAFE(cudaFree(b.u)); SAFE(cudaFree(c.u));
}

static void run_3d() {
    const int nx = 256, ny = 192, nz = 128;
    const size_t n = (size_t)nx * ny * nz, p = (size_t)nx * ny;
    const HeatCoef k = {0.4f, 0.1f};
    std::vector<float> h(n), w;
    for (size_t i = 0; i < n; ++i) h[i] = (float)((i * 2246822519u >> 9) & 255) / 256.f;
    w = h;
    for (int z = 1; z < nz - 1; ++z)
        for (int y = 1; y < ny - 1; ++y)
            for (int x = 1; x < nx - 1; ++x) {
                size_t i = z * p + (size_t)y * nx + x;
                w[i] = k.c * h[i] + k.n * (h[i - 1] + h[i + 1] + h[i - nx] + h[i + nx] + h[i - p] + h[i + p]);
            }
    Field3 a = {0, nx, ny, nz}, b = a;
    SAFE(cudaMalloc(&a.u, n * 4));
    SAFE(cudaMalloc(&b.u, n * 4));
    SAFE(cudaMemcpy(a.u, h.data(), n * 4, cudaMemcpyHostToDevice));
    // the kernels leave the outer faces alone, so they are put there first
    for (int v = 0; v < 4; ++v) {
        SAFE(cudaMemcpy(b.u, a.u, n * 4, cudaMemcpyDeviceToDevice));
        if (v == 0) heat3_plain<<<dim3(nx / 32, ny / 4, nz / 2), dim3(32, 4, 2)>>>(a, b, k);
        if (v == 1) heat3_queue<<<dim3(nx / 32, ny / 8), dim3(32, 8)>>>(a, b, k);
        if (v == 2) heat3_queue_shared<32, 16><<<dim3(nx / 32, ny / 16, 4), dim3(32, 16)>>>(a, b, k, nz / 4);
        if (v == 3) heat3_queue_shared<64, 4><<<dim3(nx / 64, ny / 4, 2), dim3(64, 4)>>>(a, b, k, nz / 2);
        const char* name[] = {"heat 3d plain", "heat 3d queue", "heat 3d queue, 32x16", "heat 3d queue, 64x4"};
        report(name[v], diff(b.u, w));
    }
    SAFE(cudaFree(a.u)); SAFE(cudaFree(b.u));
}

int main() {
    run_2d();
    run_3d();
    printf("%s\n", g_failed ? "problems" : "no problems");
    return g_failed;
}
