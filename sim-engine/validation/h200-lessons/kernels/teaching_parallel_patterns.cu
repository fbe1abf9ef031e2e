// Patterns collected for a parallel-programming course.
#include <cuda_runtime.h>
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

static void throwOnError(cudaError_t status, const char* file, int line) {
    if (status != cudaSuccess)
        throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + " " + cudaGetErrorString(status));
}
#define TRY(expr) throwOnError((expr), __FILE__, __LINE__)

// RAII buffer
template <typename T>
class DeviceArray {
public:
    explicit DeviceArray(size_t n) : n_(n) { TRY(cudaMalloc(&p_, n * sizeof(T))); TRY(cudaMemset(p_, 0, n * sizeof(T))); }
    explicit DeviceArray(const std::vector<T>& v) : DeviceArray(v.size()) { TRY(cudaMemcpy(p_, v.data(), n_ * sizeof(T), cudaMemcpyHostToDevice)); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;
    ~DeviceArray() { cudaFree(p_); }
    T* get() { return p_; }
    std::vector<T> host() const {
        std::vector<T> v(n_);
        TRY(cudaMemcpy(v.data(), p_, n_ * sizeof(T), cudaMemcpyDeviceToHost));
        return v;
    }
private:
    T* p_ = nullptr;
    size_t n_;
};

constexpr unsigned kBins = 256;

__global__ void histogramGlobal(const uint8_t* data, size_t n, unsigned* bins) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[data[i]], 1u);
}

__global__ void histogramShared(const uint8_t* data, size_t n, unsigned* bins) {
    __shared__ unsigned local[kBins];
    for (unsigned b = threadIdx.x; b < kBins; b += blockDim.x) local[b] = 0;
    __syncthreads();
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        atomicAdd(&local[data[i]], 1u);
    __syncthreads();
    for (unsigned b = threadIdx.x; b < kBins; b += blockDim.x)
        if (local[b]) atomicAdd(&bins[b], local[b]);
}

// each warp owns a histogram; four pixels per load
__global__ void histogramPrivatised(const uint32_t* data4, size_t n4, unsigned* bins) {
    constexpr unsigned kWarps = 8;
    __shared__ unsigned local[kWarps][kBins + 1];
    for (unsigned b = threadIdx.x; b < kWarps * (kBins + 1); b += blockDim.x) (&local[0][0])[b] = 0;
    __syncthreads();
    unsigned* mine = local[threadIdx.x / 32];
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n4; i += (size_t)gridDim.x * blockDim.x) {
        uint32_t v = data4[i];
        atomicAdd(&mine[v & 255], 1u);
        atomicAdd(&mine[(v >> 8) & 255], 1u);
        atomicAdd(&mine[(v >> 16) & 255], 1u);
        atomicAdd(&mine[v >> 24], 1u);
    }
    __syncthreads();
    for (unsigned b = threadIdx.x; b < kBins; b += blockDim.x) {
        unsigned s = 0;
        for (unsigned w = 0; w < kWarps; ++w) s += local[w][b];
        atomicAdd(&bins[b], s);
    }
}

__global__ void stencil2d(const double* __restrict__ u, double* __restrict__ v, int nx, int ny) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) return;
    int c = y * nx + x;
    v[c] = 0.25 * (u[c - 1] + u[c + 1] + u[c - nx] + u[c + nx]);
}

// 7 points in 3D: xy-tile in shared memory, z neighbours in registers, marching along z
template <int TX, int TY>
__global__ void stencil3d(const float* __restrict__ u, float* __restrict__ v, int nx, int ny, int nz) {
    __shared__ float plane[TY + 2][TX + 2];
    int x = blockIdx.x * TX + threadIdx.x, y = blockIdx.y * TY + threadIdx.y;
    bool in = x < nx && y < ny;
    size_t stride = (size_t)nx * ny, idx = (size_t)y * nx + x;
    int z0 = blockIdx.z * 32, z1 = min(z0 + 32, nz);
    auto at = [&](int xx, int yy, int zz) { return xx >= 0 && yy >= 0 && zz >= 0 && xx < nx && yy < ny && zz < nz ? u[zz * stride + (size_t)yy * nx + xx] : 0.f; };
    float below = at(x, y, z0 - 1), here = at(x, y, z0);
    for (int z = z0; z < z1; ++z) {
        float above = at(x, y, z + 1);
        int sx = threadIdx.x + 1, sy = threadIdx.y + 1;
        __syncthreads();
        plane[sy][sx] = here;
        if (threadIdx.x == 0) plane[sy][0] = at(x - 1, y, z);
        if (threadIdx.x == TX - 1) plane[sy][TX + 1] = at(x + 1, y, z);
        if (threadIdx.y == 0) plane[0][sx] = at(x, y - 1, z);
        if (threadIdx.y == TY - 1) plane[TY + 1][sx] = at(x, y + 1, z);
        __syncthreads();
        if (in)
            v[z * stride + idx] = 0.4f * here + 0.1f * (plane[sy][sx - 1] + plane[sy][sx + 1] + plane[sy - 1][sx] + plane[sy + 1][sx] + below + above);
        below = here;
        here = above;
    }
}

__global__ void transposeNaive(const float* in, float* out, unsigned w, unsigned h) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[x * h + y] = in[y * w + x];
}

// PAD=0 shows the bank conflicts, PAD=1 removes them
template <int PAD>
__global__ void transposeTile(const float* in, float* out, unsigned w, unsigned h) {
    __shared__ float tile[32][32 + PAD];
    unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (x < w && y + j < h) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (x < h && y + j < w) out[(y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j];
}

// every thread finds its co-rank by bisection and merges ITEMS outputs
template <int ITEMS>
__global__ void mergePath(const int* a, int na, const int* b, int nb, int* out) {
    int diag = (blockIdx.x * blockDim.x + threadIdx.x) * ITEMS;
    if (diag >= na + nb) return;
    int lo = max(0, diag - nb), hi = min(diag, na);
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (a[mid] <= b[diag - 1 - mid]) lo = mid + 1; else hi = mid;
    }
    int i = lo, j = diag - lo;
    for (int k = 0; k < ITEMS && diag + k < na + nb; ++k) {
        bool takeA = j >= nb || (i < na && a[i] <= b[j]);
        out[diag + k] = takeA ? a[i++] : b[j++];
    }
}

constexpr int kClusters = 16;

__global__ void kmeansAssign(const float4* pts, const float4* centres, int* label, int n) {
    __shared__ float4 c[kClusters];
    if (threadIdx.x < kClusters) c[threadIdx.x] = centres[threadIdx.x];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 p = pts[i];
    float best = FLT_MAX;
    int arg = 0;
    for (int k = 0; k < kClusters; ++k) {
        float dx = p.x - c[k].x, dy = p.y - c[k].y, dz = p.z - c[k].z, dw = p.w - c[k].w;
        float d = dx * dx + dy * dy + dz * dz + dw * dw;
        if (d < best) { best = d; arg = k; }
    }
    label[i] = arg;
}

__global__ void kmeansAccumulate(const float4* pts, const int* label, float* sums, int* counts, int n) {
    __shared__ float s[kClusters * 4];
    __shared__ int cnt[kClusters];
    if (threadIdx.x < kClusters * 4) s[threadIdx.x] = 0.f;
    if (threadIdx.x < kClusters) cnt[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float4 p = pts[i];
        int l = label[i];
        atomicAdd(&s[4 * l], p.x); atomicAdd(&s[4 * l + 1], p.y);
        atomicAdd(&s[4 * l + 2], p.z); atomicAdd(&s[4 * l + 3], p.w);
        atomicAdd(&cnt[l], 1);
    }
    __syncthreads();
    if (threadIdx.x < kClusters * 4) atomicAdd(&sums[threadIdx.x], s[threadIdx.x]);
    if (threadIdx.x < kClusters) atomicAdd(&counts[threadIdx.x], cnt[threadIdx.x]);
}

int main() try {
    int bad = 0;
    uint32_t s = 99u;
    auto rnd = [&] { s = s * 1664525u + 1013904223u; return s >> 8; };
    {
        const size_t n = size_t(1) << 23;
        std::vector<uint8_t> img(n);
        std::vector<unsigned> want(kBins);
        for (auto& v : img) { v = uint8_t((rnd() & 127) + (rnd() & 127)); ++want[v]; }
        DeviceArray<uint8_t> d(img);
        DeviceArray<unsigned> h0(kBins), h1(kBins), h2(kBins);
        histogramGlobal<<<unsigned((n + 255) / 256), 256>>>(d.get(), n, h0.get());
        histogramShared<<<1056, 256>>>(d.get(), n, h1.get());
        histogramPrivatised<<<528, 256>>>(reinterpret_cast<uint32_t*>(d.get()), n / 4, h2.get());
        TRY(cudaGetLastError());
        bad += h0.host() != want; bad += h1.host() != want; bad += h2.host() != want;
    }
    {
        const int nx = 4096, ny = 2048;
        std::vector<double> u(size_t(nx) * ny);
        for (size_t i = 0; i < u.size(); ++i) u[i] = double(i % 1013);
        DeviceArray<double> du(u), dv(u.size());
        stencil2d<<<dim3(nx / 32, ny / 4), dim3(32, 4)>>>(du.get(), dv.get(), nx, ny);
        TRY(cudaGetLastError());
        size_t c = size_t(777) * nx + 333;
        bad += std::fabs(dv.host()[c] - 0.25 * (u[c - 1] + u[c + 1] + u[c - nx] + u[c + nx])) > 1e-9;
        const int m = 256;
        std::vector<float> ones(size_t(m) * m * m, 1.f);
        DeviceArray<float> a(ones), b(ones.size());
        stencil3d<32, 8><<<dim3(m / 32, m / 8, m / 32), dim3(32, 8)>>>(a.get(), b.get(), m, m, m);
        TRY(cudaGetLastError());
        auto r = b.host();
        bad += std::fabs(r[(size_t(100) * m + 100) * m + 100] - 1.0f) > 1e-5f || std::fabs(r[0] - 0.7f) > 1e-5f;
    }
    {
        const unsigned w = 4096, h = 3072;
        std::vector<float> m(size_t(w) * h);
        for (size_t i = 0; i < m.size(); ++i) m[i] = float(i & 0xfffff);
        DeviceArray<float> d(m), t0(m.size()), t1(m.size()), t2(m.size());
        transposeNaive<<<dim3(w / 16, h / 16), dim3(16, 16)>>>(d.get(), t0.get(), w, h);
        transposeTile<0><<<dim3(w / 32, h / 32), dim3(32, 8)>>>(d.get(), t1.get(), w, h);
        transposeTile<1><<<dim3(w / 32, h / 32), dim3(32, 8)>>>(d.get(), t2.get(), w, h);
        TRY(cudaGetLastError());
        auto r0 = t0.host();
        bad += r0 != t1.host(); bad += r0 != t2.host(); bad += r0[5 * h + 9] != m[9 * w + 5];
    }
    {
        const int na = 1 << 21, nb = (1 << 21) + 777;
        std::vector<int> a(na), b(nb), want(na + nb);
        int v = 0; for (auto& e : a) e = v += rnd() & 7;
        v = 3; for (auto& e : b) e = v += rnd() & 7;
        DeviceArray<int> da(a), db(b), dc(want.size());
        mergePath<8><<<((na + nb + 7) / 8 + 127) / 128, 128>>>(da.get(), na, db.get(), nb, dc.get());
        TRY(cudaGetLastError());
        std::merge(a.begin(), a.end(), b.begin(), b.end(), want.begin());
        bad += dc.host() != want;
    }
    {
        const int n = 1 << 20;
        std::vector<float4> p(n), c(kClusters);
        for (auto& q : p) q = make_float4((rnd() & 255) / 256.f, (rnd() & 255) / 256.f, (rnd() & 255) / 256.f, (rnd() & 255) / 256.f);
        std::copy_n(p.begin(), kClusters, c.begin());
        DeviceArray<float4> dp(p), dc(c);
        DeviceArray<int> lab(n), cnt(kClusters);
        DeviceArray<float> sum(kClusters * 4);
        kmeansAssign<<<n / 256, 256>>>(dp.get(), dc.get(), lab.get(), n);
        kmeansAccumulate<<<264, 256>>>(dp.get(), lab.get(), sum.get(), cnt.get(), n);
        TRY(cudaGetLastError());
        TRY(cudaDeviceSynchronize());
        int total = 0; for (int k : cnt.host()) total += k;
        bad += total != n;
    }
    std::cout << (bad ? "FAIL " : "PASS ") << bad << "\n";
    return bad != 0;
} catch (const std::exception& e) {
    std::cerr << "error: " << e.what() << "\n";
    return 2;
}
