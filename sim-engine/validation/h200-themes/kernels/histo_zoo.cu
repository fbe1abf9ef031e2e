// A zoo of histograms.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace cg = cooperative_groups;

namespace {
struct CudaFailure {};
void must(cudaError_t e, const char* expr)
{
    if (e == cudaSuccess) return;
    std::fprintf(stderr, "%s -> %s\n", expr, cudaGetErrorName(e));
    throw CudaFailure{};
}
#define MUST(e) must((e), #e)

template <class T>
class DeviceArray {
    T* p_ = nullptr;
    size_t n_ = 0;
public:
    explicit DeviceArray(size_t n) : n_(n) { MUST(cudaMalloc(&p_, n * sizeof(T))); }
    ~DeviceArray() { cudaFree(p_); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;
    T* get() const { return p_; }
    size_t size() const { return n_; }
    void zero() { MUST(cudaMemset(p_, 0, n_ * sizeof(T))); }
    std::vector<T> host() const
    {
        std::vector<T> v(n_);
        MUST(cudaMemcpy(v.data(), p_, n_ * sizeof(T), cudaMemcpyDeviceToHost));
        return v;
    }
};
}  // namespace

constexpr int kBins = 256;
constexpr int kWide = 4096;

__global__ void makeSkewed(uint8_t* bytes, uint16_t* wide, float* weight, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        uint32_t h = (uint32_t)i * 2246822519u + 374761393u;
        h ^= h >> 15; h *= 3266489917u; h ^= h >> 13; h *= 668265263u; h ^= h >> 16;
        uint32_t a = h & 0xff, b = (h >> 8) & 0xff;
        bytes[i] = (uint8_t)((a * b) >> 8);         // products crowd the low bins
        wide[i] = (uint16_t)((h >> 16) & (kWide - 1));
        weight[i] = (float)(h & 7u) * 0.125f;
    }
}

__global__ void histGlobal(const uint8_t* __restrict__ d, unsigned* h, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(h + d[i], 1u);
}

__global__ void histSharedPrivate(const uint32_t* __restrict__ d4, unsigned* h, size_t n4)
{
    __shared__ unsigned sh[kBins];
    for (int b = threadIdx.x; b < kBins; b += blockDim.x) sh[b] = 0;
    __syncthreads();
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n4; i += (size_t)gridDim.x * blockDim.x) {
        uint32_t q = d4[i];
        atomicAdd(&sh[q & 255], 1u);
        atomicAdd(&sh[(q >> 8) & 255], 1u);
        atomicAdd(&sh[(q >> 16) & 255], 1u);
        atomicAdd(&sh[q >> 24], 1u);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < kBins; b += blockDim.x)
        if (unsigned c = sh[b]) atomicAdd(h + b, c);
}

template <int WARPS>
__global__ void histPerWarp(const uint32_t* __restrict__ d4, unsigned* h, size_t n4)
{
    __shared__ unsigned sh[WARPS][kBins + 1];
    unsigned* mine = sh[threadIdx.x / 32];
    for (int b = threadIdx.x % 32; b < kBins; b += 32) mine[b] = 0;
    __syncwarp();
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n4; i += (size_t)gridDim.x * blockDim.x) {
        uint32_t q = d4[i];
#pragma unroll
        for (int k = 0; k < 4; ++k) atomicAdd(&mine[(q >> (8 * k)) & 255], 1u);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < kBins; b += blockDim.x) {
        unsigned s = 0;
#pragma unroll
        for (int w = 0; w < WARPS; ++w) s += sh[w][b];
        atomicAdd(h + b, s);
    }
}

// lanes with the same bin elect a leader
__global__ void histMatchAny(const uint8_t* __restrict__ d, unsigned* h, size_t n)
{
    __shared__ unsigned sh[kBins];
    for (int b = threadIdx.x; b < kBins; b += blockDim.x) sh[b] = 0;
    __syncthreads();
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += step) {
        auto active = cg::coalesced_threads();
        int bin = d[i];
        auto same = cg::labeled_partition(active, bin);
        if (same.thread_rank() == 0) atomicAdd(&sh[bin], (unsigned)same.size());
    }
    __syncthreads();
    for (int b = threadIdx.x; b < kBins; b += blockDim.x) atomicAdd(h + b, sh[b]);
}

__global__ void hist4096Shared(const uint16_t* __restrict__ d, unsigned* h, size_t n)
{
    __shared__ unsigned sh[kWide];
    for (int b = threadIdx.x; b < kWide; b += blockDim.x) sh[b] = 0;
    __syncthreads();
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        atomicAdd(&sh[d[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < kWide; b += blockDim.x)
        if (sh[b]) atomicAdd(h + b, sh[b]);
}

__global__ void histWeighted(const uint16_t* __restrict__ d, const float* __restrict__ w, float* h, size_t n)
{
    __shared__ float sh[kWide];
    for (int b = threadIdx.x; b < kWide; b += blockDim.x) sh[b] = 0.f;
    __syncthreads();
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        atomicAdd(&sh[d[i]], w[i]);
    __syncthreads();
    for (int b = threadIdx.x; b < kWide; b += blockDim.x) atomicAdd(h + b, sh[b]);
}

// keys already sorted: binary search for the upper bound of each bin
__global__ void boundsFromSorted(const uint8_t* __restrict__ sorted, unsigned* upper, unsigned n)
{
    int bin = blockIdx.x * blockDim.x + threadIdx.x;
    if (bin >= kBins) return;
    unsigned lo = 0, hi = n;
    while (lo < hi) {
        unsigned mid = lo + (hi - lo) / 2;
        if (sorted[mid] <= bin) lo = mid + 1; else hi = mid;
    }
    upper[bin] = lo;
}

// sorted keys: run heads subtract, run tails add
__global__ void edgesFromSorted(const uint8_t* __restrict__ sorted, unsigned* h, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint8_t k = sorted[i];
    if (i + 1 == n || sorted[i + 1] != k) atomicAdd(h + k, i + 1);
    if (i == 0 || sorted[i - 1] != k) atomicSub(h + k, i);
}

int main()
try {
    const size_t n = size_t(1) << 24;
    DeviceArray<uint8_t> bytes(n);
    DeviceArray<uint16_t> wide(n);
    DeviceArray<float> weight(n), hw(kWide);
    DeviceArray<unsigned> h(kBins), h2(kWide);

    makeSkewed<<<1056, 256>>>(bytes.get(), wide.get(), weight.get(), n);
    MUST(cudaGetLastError());
    auto hostBytes = bytes.host();
    std::vector<unsigned> ref(kBins, 0);
    for (auto b : hostBytes) ++ref[b];

    auto verify = [&](const char* what) {
        MUST(cudaGetLastError());
        std::printf("%-18s %s\n", what, h.host() == ref ? "match" : "DIFFERENT");
        h.zero();
    };
    h.zero();
    auto d4 = reinterpret_cast<const uint32_t*>(bytes.get());
    histGlobal<<<n / 256, 256>>>(bytes.get(), h.get(), n);                verify("global atomics");
    histSharedPrivate<<<528, 512>>>(d4, h.get(), n / 4);                  verify("shared private");
    histPerWarp<8><<<528, 256>>>(d4, h.get(), n / 4);                     verify("per warp");
    histMatchAny<<<1056, 256>>>(bytes.get(), h.get(), n);                 verify("labeled partition");

    h2.zero(); hw.zero();
    hist4096Shared<<<396, 512>>>(wide.get(), h2.get(), n);
    histWeighted<<<396, 512>>>(wide.get(), weight.get(), hw.get(), n);
    MUST(cudaGetLastError());
    size_t total = 0; double wsum = 0;
    for (auto v : h2.host()) total += v;
    for (auto v : hw.host()) wsum += v;
    std::printf("4096 bins: total %zu, weight %.3f\n", total, wsum);

    // counting sort on the host gives the sorted keys
    size_t pos = 0;
    for (int b = 0; b < kBins; ++b) { std::memset(hostBytes.data() + pos, b, ref[b]); pos += ref[b]; }
    MUST(cudaMemcpy(bytes.get(), hostBytes.data(), n, cudaMemcpyHostToDevice));
    edgesFromSorted<<<n / 256, 256>>>(bytes.get(), h.get(), (unsigned)n); verify("sorted edges");
    boundsFromSorted<<<kBins / 64, 64>>>(bytes.get(), h.get(), (unsigned)n);
    MUST(cudaGetLastError());
    auto up = h.host();
    unsigned run = 0; bool good = true;
    for (int b = 0; b < kBins; ++b) { run += ref[b]; good &= up[b] == run; }
    std::printf("%-18s %s\n", "sorted bounds", good ? "match" : "DIFFERENT");
    return good ? 0 : 1;
} catch (const CudaFailure&) {
    return 2;
}
