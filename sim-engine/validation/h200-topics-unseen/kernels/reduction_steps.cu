// Reductions, step by step: seven sum kernels of increasing quality, then
// argmax and min/max as structured reductions.
#include <cuda_runtime.h>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <iomanip>
#include <vector>

static void gpuAssert(cudaError_t code, const char* file, int line) {
    if (code != cudaSuccess) {
        std::cerr << "CUDA: " << cudaGetErrorString(code) << " at " << file << ":" << line << "\n";
        std::exit(2);
    }
}
#define gpuErrchk(x) gpuAssert((x), __FILE__, __LINE__)

constexpr int BLOCK = 256;

// Step 0: interleaved addressing with a divergent modulo test.
template <typename T>
__global__ void reduce0(const T* in, T* out, unsigned n) {
    __shared__ T s[BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    s[tid] = i < n ? in[i] : T(0);
    __syncthreads();
    for (unsigned d = 1; d < blockDim.x; d *= 2) {
        if (tid % (2 * d) == 0) s[tid] += s[tid + d];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = s[0];
}

// Step 1: interleaved addressing, contiguous threads, bank conflicts.
template <typename T>
__global__ void reduce1(const T* in, T* out, unsigned n) {
    __shared__ T s[BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    s[tid] = i < n ? in[i] : T(0);
    __syncthreads();
    for (unsigned d = 1; d < blockDim.x; d *= 2) {
        unsigned k = 2 * d * tid;
        if (k < blockDim.x) s[k] += s[k + d];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = s[0];
}

// Step 2: sequential addressing.
template <typename T>
__global__ void reduce2(const T* in, T* out, unsigned n) {
    __shared__ T s[BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    s[tid] = i < n ? in[i] : T(0);
    __syncthreads();
    for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
        if (tid < d) s[tid] += s[tid + d];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = s[0];
}

// Step 3: first add during load.
template <typename T>
__global__ void reduce3(const T* in, T* out, unsigned n) {
    __shared__ T s[BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * (blockDim.x * 2) + tid;
    T v = i < n ? in[i] : T(0);
    if (i + blockDim.x < n) v += in[i + blockDim.x];
    s[tid] = v;
    __syncthreads();
    for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
        if (tid < d) s[tid] += s[tid + d];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = s[0];
}

// Step 4: unroll the last warp through shuffles.
template <typename T>
__device__ __forceinline__ T warpSum(T v) {
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    return v;
}

template <typename T>
__global__ void reduce4(const T* in, T* out, unsigned n) {
    __shared__ T s[BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * (blockDim.x * 2) + tid;
    T v = i < n ? in[i] : T(0);
    if (i + blockDim.x < n) v += in[i + blockDim.x];
    s[tid] = v;
    __syncthreads();
    for (unsigned d = blockDim.x / 2; d > 32; d >>= 1) {
        if (tid < d) s[tid] += s[tid + d];
        __syncthreads();
    }
    if (tid < 32) {
        v = s[tid] + s[tid + 32];
        v = warpSum(v);
        if (tid == 0) out[blockIdx.x] = v;
    }
}

// Step 5: complete unroll by template, many elements per thread.
template <typename T, unsigned BS>
__global__ void reduce5(const T* __restrict__ in, T* __restrict__ out, unsigned n) {
    __shared__ T s[BS];
    unsigned tid = threadIdx.x;
    T v = T(0);
    for (unsigned i = blockIdx.x * BS * 2 + tid; i < n; i += gridDim.x * BS * 2) {
        v += in[i];
        if (i + BS < n) v += in[i + BS];
    }
    s[tid] = v;
    __syncthreads();
    if constexpr (BS >= 1024) { if (tid < 512) s[tid] += s[tid + 512]; __syncthreads(); }
    if constexpr (BS >= 512)  { if (tid < 256) s[tid] += s[tid + 256]; __syncthreads(); }
    if constexpr (BS >= 256)  { if (tid < 128) s[tid] += s[tid + 128]; __syncthreads(); }
    if constexpr (BS >= 128)  { if (tid < 64)  s[tid] += s[tid + 64];  __syncthreads(); }
    if (tid < 32) {
        v = warpSum<T>(s[tid] + s[tid + 32]);
        if (tid == 0) out[blockIdx.x] = v;
    }
}

// Step 6: shuffles only, one atomic per block, 128-bit loads.
__global__ void reduce6(const int4* __restrict__ in, int* __restrict__ out, unsigned n4) {
    __shared__ int part[32];
    int v = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
        int4 q = __ldg(in + i);
        v += q.x + q.y + q.z + q.w;
    }
    v = warpSum(v);
    int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    if (lane == 0) part[w] = v;
    __syncthreads();
    if (w == 0) {
        v = lane < (int)(blockDim.x >> 5) ? part[lane] : 0;
        v = warpSum(v);
        if (lane == 0) atomicAdd(out, v);
    }
}

// Argmax: value and index are packed in one 64-bit key so that one atomicMax
// merges the blocks. Ties go to the smallest index.
__device__ __forceinline__ unsigned long long packKey(float v, unsigned idx) {
    unsigned b = __float_as_uint(v);
    b = (b & 0x80000000u) ? ~b : (b | 0x80000000u);       // order-preserving map
    return ((unsigned long long)b << 32) | (unsigned long long)(~idx);
}

__global__ void argmaxKernel(const float* __restrict__ in, unsigned n, unsigned long long* result) {
    unsigned long long best = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned long long k = packKey(in[i], i);
        best = k > best ? k : best;
    }
    for (int o = 16; o > 0; o >>= 1) {
        unsigned long long other = __shfl_xor_sync(0xffffffffu, best, o);
        best = other > best ? other : best;
    }
    __shared__ unsigned long long sBest;
    if (threadIdx.x == 0) sBest = 0;
    __syncthreads();
    if ((threadIdx.x & 31) == 0) atomicMax(&sBest, best);
    __syncthreads();
    if (threadIdx.x == 0) atomicMax(result, sBest);
}

// min/max of doubles, one pair per block, finished on the host.
struct MinMax { double lo, hi; };

__global__ void minmaxKernel(const double* __restrict__ in, unsigned n, MinMax* out) {
    extern __shared__ MinMax sm[];
    MinMax m{DBL_MAX, -DBL_MAX};
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        double v = in[i];
        m.lo = fmin(m.lo, v);
        m.hi = fmax(m.hi, v);
    }
    sm[threadIdx.x] = m;
    __syncthreads();
    for (unsigned d = blockDim.x / 2; d > 0; d /= 2) {
        if (threadIdx.x < d) {
            MinMax o = sm[threadIdx.x + d];
            sm[threadIdx.x].lo = fmin(sm[threadIdx.x].lo, o.lo);
            sm[threadIdx.x].hi = fmax(sm[threadIdx.x].hi, o.hi);
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = sm[0];
}

int main() {
    const unsigned n = 12'345'676;                // divisible by 4, not by 256
    std::vector<int> h(n);
    uint32_t s = 12345u;
    long long ref = 0;
    for (unsigned i = 0; i < n; ++i) {
        s = s * 1664525u + 1013904223u;
        h[i] = int(s >> 28) - 7;
        ref += h[i];
    }
    int *d_in, *d_part;
    const unsigned maxBlocks = (n + BLOCK - 1) / BLOCK;
    gpuErrchk(cudaMalloc(&d_in, n * sizeof(int)));
    gpuErrchk(cudaMalloc(&d_part, maxBlocks * sizeof(int)));
    gpuErrchk(cudaMemcpy(d_in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    std::vector<int> part(maxBlocks);
    bool pass = true;

    auto finish = [&](const char* name, unsigned blocks) {
        gpuErrchk(cudaGetLastError());
        gpuErrchk(cudaMemcpy(part.data(), d_part, blocks * sizeof(int), cudaMemcpyDeviceToHost));
        long long sum = 0;
        for (unsigned i = 0; i < blocks; ++i) sum += part[i];
        bool ok = sum == ref;
        pass = pass && ok;
        std::cout << std::left << std::setw(28) << name << sum << (ok ? "  ok" : "  WRONG") << "\n";
    };

    const unsigned half = (n + 2 * BLOCK - 1) / (2 * BLOCK);
    reduce0<int><<<maxBlocks, BLOCK>>>(d_in, d_part, n);
    finish("interleaved, divergent", maxBlocks);
    reduce1<int><<<maxBlocks, BLOCK>>>(d_in, d_part, n);
    finish("interleaved, conflicts", maxBlocks);
    reduce2<int><<<maxBlocks, BLOCK>>>(d_in, d_part, n);
    finish("sequential", maxBlocks);
    reduce3<int><<<half, BLOCK>>>(d_in, d_part, n);
    finish("first add on load", half);
    reduce4<int><<<half, BLOCK>>>(d_in, d_part, n);
    finish("last warp unrolled", half);
    reduce5<int, 512><<<264, 512>>>(d_in, d_part, n);
    finish("unrolled, multi-element", 264);
    gpuErrchk(cudaMemset(d_part, 0, sizeof(int)));
    reduce6<<<528, 256>>>(reinterpret_cast<const int4*>(d_in), d_part, n / 4);
    finish("shuffle + atomic, int4", 1);

    // floats: argmax
    {
        const unsigned m = 5'000'001;
        std::vector<float> f(m);
        unsigned refIdx = 0;
        for (unsigned i = 0; i < m; ++i) {
            s = s * 1664525u + 1013904223u;
            f[i] = float(s >> 8) * (1.0f / 16777216.0f) - 0.5f;
            if (f[i] > f[refIdx]) refIdx = i;
        }
        float* d_f;
        unsigned long long *d_r, r = 0;
        gpuErrchk(cudaMalloc(&d_f, m * sizeof(float)));
        gpuErrchk(cudaMalloc(&d_r, sizeof(r)));
        gpuErrchk(cudaMemset(d_r, 0, sizeof(r)));
        gpuErrchk(cudaMemcpy(d_f, f.data(), m * sizeof(float), cudaMemcpyHostToDevice));
        argmaxKernel<<<396, 384>>>(d_f, m, d_r);
        gpuErrchk(cudaGetLastError());
        gpuErrchk(cudaMemcpy(&r, d_r, sizeof(r), cudaMemcpyDeviceToHost));
        unsigned idx = ~unsigned(r & 0xffffffffull);
        bool ok = idx == refIdx;
        pass = pass && ok;
        std::cout << "argmax at " << idx << " expected " << refIdx << (ok ? "  ok" : "  WRONG") << "\n";
        cudaFree(d_f); cudaFree(d_r);
    }

    // doubles: sum with step 5 and min/max
    {
        const unsigned m = 3'333'333;
        std::vector<double> v(m);
        double sum = 0, lo = DBL_MAX, hi = -DBL_MAX;
        for (unsigned i = 0; i < m; ++i) {
            s = s * 1664525u + 1013904223u;
            v[i] = double(s) / 4294967296.0 * 10.0 - 3.0;
            sum += v[i];
            lo = std::min(lo, v[i]);
            hi = std::max(hi, v[i]);
        }
        double* d_v; double* d_s; MinMax* d_m;
        const int blocks = 264;
        gpuErrchk(cudaMalloc(&d_v, m * sizeof(double)));
        gpuErrchk(cudaMalloc(&d_s, blocks * sizeof(double)));
        gpuErrchk(cudaMalloc(&d_m, blocks * sizeof(MinMax)));
        gpuErrchk(cudaMemcpy(d_v, v.data(), m * sizeof(double), cudaMemcpyHostToDevice));
        reduce5<double, 256><<<blocks, 256>>>(d_v, d_s, m);
        gpuErrchk(cudaGetLastError());
        minmaxKernel<<<blocks, 256, 256 * sizeof(MinMax)>>>(d_v, m, d_m);
        gpuErrchk(cudaGetLastError());
        std::vector<double> hs(blocks);
        std::vector<MinMax> hm(blocks);
        gpuErrchk(cudaMemcpy(hs.data(), d_s, blocks * sizeof(double), cudaMemcpyDeviceToHost));
        gpuErrchk(cudaMemcpy(hm.data(), d_m, blocks * sizeof(MinMax), cudaMemcpyDeviceToHost));
        double gs = 0, glo = DBL_MAX, ghi = -DBL_MAX;
        for (int b = 0; b < blocks; ++b) {
            gs += hs[b];
            glo = std::min(glo, hm[b].lo);
            ghi = std::max(ghi, hm[b].hi);
        }
        bool ok = std::fabs(gs - sum) <= 1e-9 * std::fabs(sum) && glo == lo && ghi == hi;
        pass = pass && ok;
        std::cout << "double sum " << gs << " min " << glo << " max " << ghi << (ok ? "  ok" : "  WRONG") << "\n";
        cudaFree(d_v); cudaFree(d_s); cudaFree(d_m);
    }
    cudaFree(d_in); cudaFree(d_part);
    std::cout << (pass ? "PASS" : "FAIL") << std::endl;
    return pass ? 0 : 1;
}
