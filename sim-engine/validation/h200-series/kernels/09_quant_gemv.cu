// Weight-quantised matrix-vector products as used by LLM decode.
//   activation quantiser, int8 x int8 (dp4a), small-batch int8, Q4_0 blocks x Q8 activations,
//   grouped int4 (GPTQ/AWQ-like) x fp16, and a standalone int4 -> fp16 dequantiser.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_CHECK(stmt)                                                                        \
    do {                                                                                        \
        cudaError_t st_ = (stmt);                                                               \
        if (st_ != cudaSuccess) {                                                               \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(st_));         \
            exit(1);                                                                            \
        }                                                                                       \
    } while (0)

constexpr int K = 4096;        // input features
constexpr int N = 8192;        // output features
constexpr int TOKENS = 2048;   // rows of activations that get quantised
constexpr int QK = 32;         // activation / q4_0 group
constexpr int GROUP = 128;     // grouped int4

struct block_q4_0 {
    half d;
    uint8_t qs[QK / 2];        // low nibbles: elements 0..15, high nibbles: 16..31
};
static_assert(sizeof(block_q4_0) == 18, "unexpected padding");

__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
    for (int m = 16; m > 0; m >>= 1) v += __shfl_xor_sync(0xffffffffu, v, m);
    return v;
}

__device__ __forceinline__ float2 h2f(uint32_t u) {
    return __half22float2(*reinterpret_cast<half2 *>(&u));
}

// ---------------------------------------------------------------- fp16 -> q8 (per group of 32)
__global__ void quantize_q8(const half *__restrict__ x, int8_t *__restrict__ q, float *__restrict__ d, int total4) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;  // four elements
    if (i >= total4) return;                              // total4 is a multiple of 32
    const uint2 u = reinterpret_cast<const uint2 *>(x)[i];
    const float2 a = h2f(u.x), b = h2f(u.y);
    float amax = fmaxf(fmaxf(fabsf(a.x), fabsf(a.y)), fmaxf(fabsf(b.x), fabsf(b.y)));
#pragma unroll
    for (int m = 4; m > 0; m >>= 1) amax = fmaxf(amax, __shfl_xor_sync(0xffffffffu, amax, m, 8));
    const float scale = amax / 127.0f;
    const float inv = amax > 0.f ? 127.0f / amax : 0.f;
    char4 r;
    r.x = (signed char)__float2int_rn(a.x * inv);
    r.y = (signed char)__float2int_rn(a.y * inv);
    r.z = (signed char)__float2int_rn(b.x * inv);
    r.w = (signed char)__float2int_rn(b.y * inv);
    reinterpret_cast<char4 *>(q)[i] = r;
    if ((i & 7) == 0) d[i >> 3] = scale;
}

// ---------------------------------------------------------------- int8 x int8, dp4a
__global__ void __launch_bounds__(128)
    gemv_w8a8_dp4a(const int8_t *__restrict__ w, const float *__restrict__ wscale, const int8_t *__restrict__ xq,
                   const float *__restrict__ xd, float *__restrict__ y) {
    const int lane = threadIdx.x & 31;
    const int row = blockIdx.x * 4 + (threadIdx.x >> 5);
    const int4 *wr = reinterpret_cast<const int4 *>(w + (size_t)row * K);
    const int4 *xr = reinterpret_cast<const int4 *>(xq);
    float acc = 0.f;
#pragma unroll
    for (int it = 0; it < K / 16 / 32; ++it) {
        const int i = it * 32 + lane;
        const int4 a = wr[i], b = xr[i];
        int s = __dp4a(a.x, b.x, 0);
        s = __dp4a(a.y, b.y, s);
        s = __dp4a(a.z, b.z, s);
        s = __dp4a(a.w, b.w, s);
        acc = fmaf(xd[i >> 1], (float)s, acc);
    }
    acc = warp_sum(acc);
    if (lane == 0) y[row] = acc * wscale[row];
}

// ---------------------------------------------------------------- int8, a handful of tokens at once
template <int B, int ROWS>  // each warp produces ROWS x B outputs
__global__ void __launch_bounds__(128)
    gemm_w8a8_small_batch(const int8_t *__restrict__ w, const float *__restrict__ wscale,
                          const int8_t *__restrict__ xq, const float *__restrict__ xd, float *__restrict__ y) {
    const int lane = threadIdx.x & 31;
    const int row0 = (blockIdx.x * 4 + (threadIdx.x >> 5)) * ROWS;
    float acc[ROWS][B] = {};
    for (int i = lane; i < K / 16; i += 32) {
        int4 a[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; ++r) a[r] = *reinterpret_cast<const int4 *>(w + (size_t)(row0 + r) * K + i * 16);
#pragma unroll
        for (int b = 0; b < B; ++b) {
            const int4 v = *reinterpret_cast<const int4 *>(xq + (size_t)b * K + i * 16);
            const float d = xd[b * (K / QK) + (i >> 1)];
#pragma unroll
            for (int r = 0; r < ROWS; ++r) {
                int s = __dp4a(a[r].x, v.x, 0);
                s = __dp4a(a[r].y, v.y, s);
                s = __dp4a(a[r].z, v.z, s);
                s = __dp4a(a[r].w, v.w, s);
                acc[r][b] += d * (float)s;
            }
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r)
#pragma unroll
        for (int b = 0; b < B; ++b) {
            const float s = warp_sum(acc[r][b]);
            if (lane == 0) y[(size_t)b * N + row0 + r] = s * wscale[row0 + r];
        }
}

// ---------------------------------------------------------------- Q4_0 weights, Q8 activations
__device__ __forceinline__ int load_int_b2(const uint8_t *p) {  // only 2-byte alignment available
    const uint16_t *h = reinterpret_cast<const uint16_t *>(p);
    return (int)h[0] | ((int)h[1] << 16);
}

__global__ void __launch_bounds__(256)
    gemv_q4_0_q8(const block_q4_0 *__restrict__ w, const int8_t *__restrict__ xq, const float *__restrict__ xd,
                 float *__restrict__ y) {
    const int lane = threadIdx.x & 31;
    const int row = blockIdx.x * 8 + (threadIdx.x >> 5);
    const block_q4_0 *wr = w + (size_t)row * (K / QK);
    const int half_id = lane & 1;
    float acc = 0.f;
    for (int b = lane >> 1; b < K / QK; b += 16) {
        const block_q4_0 *blk = wr + b;
        const int *xi = reinterpret_cast<const int *>(xq + b * QK);
        int dot = 0, xsum = 0;
#pragma unroll
        for (int j = 0; j < 2; ++j) {
            const int v = load_int_b2(blk->qs + half_id * 8 + j * 4);
            const int lo = v & 0x0f0f0f0f, hi = (v >> 4) & 0x0f0f0f0f;
            const int xl = xi[half_id * 2 + j], xh = xi[4 + half_id * 2 + j];
            dot = __dp4a(lo, xl, dot);
            dot = __dp4a(hi, xh, dot);
            xsum = __dp4a(0x01010101, xl, xsum);
            xsum = __dp4a(0x01010101, xh, xsum);
        }
        acc += __half2float(blk->d) * xd[b] * (float)(dot - 8 * xsum);
    }
    acc = warp_sum(acc);
    if (lane == 0) y[row] = acc;
}

// ---------------------------------------------------------------- grouped int4 x fp16
struct W4View {
    const uint32_t *q;     // [N][K/8], nibble i of a word is element i
    const half *scale;     // [N][K/GROUP]
    const uint8_t *zero;   // [N][K/GROUP]
};

__device__ __forceinline__ half2 nibble_pair(uint32_t v) {  // nibbles 0 and 4 -> half2
    const uint32_t m = (v & 0x000f000fu) | 0x64006400u;
    const uint32_t bias = 0x64006400u;
    return __hsub2(*reinterpret_cast<const half2 *>(&m), *reinterpret_cast<const half2 *>(&bias));
}

__global__ void __launch_bounds__(256) gemv_w4a16_grouped(W4View w, const half *__restrict__ x, float *__restrict__ y) {
    // x in shared memory, permuted so that elements (i, i+4) of each octet are adjacent
    __shared__ __align__(16) half2 sx[K / 2];
    for (int o = threadIdx.x; o < K / 8; o += 256) {
        const uint4 u = reinterpret_cast<const uint4 *>(x)[o];
        const half2 e01 = *reinterpret_cast<const half2 *>(&u.x), e23 = *reinterpret_cast<const half2 *>(&u.y);
        const half2 e45 = *reinterpret_cast<const half2 *>(&u.z), e67 = *reinterpret_cast<const half2 *>(&u.w);
        sx[o * 4 + 0] = __lows2half2(e01, e45);
        sx[o * 4 + 1] = __highs2half2(e01, e45);
        sx[o * 4 + 2] = __lows2half2(e23, e67);
        sx[o * 4 + 3] = __highs2half2(e23, e67);
    }
    __syncthreads();

    const int lane = threadIdx.x & 31;
    const int row = blockIdx.x * 8 + (threadIdx.x >> 5);
    const uint4 *q = reinterpret_cast<const uint4 *>(w.q + (size_t)row * (K / 8));
    float acc = 0.f;
#pragma unroll 2
    for (int i = lane; i < K / 32; i += 32) {
        const uint4 packed = __ldg(q + i);
        const uint32_t words[4] = {packed.x, packed.y, packed.z, packed.w};
        const int g = row * (K / GROUP) + i / (GROUP / 32);
        const float s = __half2float(w.scale[g]);
        const float z = (float)w.zero[g];
        float dot = 0.f, xs = 0.f;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const uint4 xv = *reinterpret_cast<const uint4 *>(&sx[(i * 4 + j) * 4]);
            const uint32_t xw[4] = {xv.x, xv.y, xv.z, xv.w};
#pragma unroll
            for (int t = 0; t < 4; ++t) {
                const float2 wq = __half22float2(nibble_pair(words[j] >> (4 * t)));
                const float2 xf = h2f(xw[t]);
                dot = fmaf(wq.x, xf.x, fmaf(wq.y, xf.y, dot));
                xs += xf.x + xf.y;
            }
        }
        acc = fmaf(s, dot - z * xs, acc);
    }
    acc = warp_sum(acc);
    if (lane == 0) y[row] = acc;
}

// ---------------------------------------------------------------- int4 -> fp16
__global__ void dequant_w4_f16(W4View w, half *__restrict__ out, int nwords) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < nwords; i += gridDim.x * blockDim.x) {
        const uint32_t v = w.q[i];
        const int g = i / (GROUP / 8);
        const half2 s = __half2half2(w.scale[g]);
        const half2 z = __half2half2(__ushort2half_rn(w.zero[g]));
        half2 p[4];
#pragma unroll
        for (int t = 0; t < 4; ++t) p[t] = __hmul2(__hsub2(nibble_pair(v >> (4 * t)), z), s);
        half2 o[4] = {__lows2half2(p[0], p[1]), __lows2half2(p[2], p[3]), __highs2half2(p[0], p[1]),
                      __highs2half2(p[2], p[3])};
        reinterpret_cast<uint4 *>(out)[i] = *reinterpret_cast<uint4 *>(o);
    }
}

// ---------------------------------------------------------------- host
struct Rng {
    uint64_t s = 0x853c49e6748fea9bull;
    uint64_t next() {
        s ^= s << 13; s ^= s >> 7; s ^= s << 17;
        return s;
    }
};

template <typename T>
struct DevArray {
    T *p = nullptr;
    size_t n;
    explicit DevArray(size_t n_) : n(n_) { CUDA_CHECK(cudaMalloc(&p, n * sizeof(T))); }
    explicit DevArray(const std::vector<T> &h) : DevArray(h.size()) {
        CUDA_CHECK(cudaMemcpy(p, h.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    }
    ~DevArray() { cudaFree(p); }
    std::vector<T> host() const {
        std::vector<T> h(n);
        CUDA_CHECK(cudaMemcpy(h.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
        return h;
    }
};

static bool g_pass = true;
static void sync_check() {
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
}
template <class F>
static void compare(const char *name, const std::vector<float> &y, F ref, double tol) {
    sync_check();
    double worst = 0;
    for (int s = 0; s < 200; ++s) {
        const int r = (s * 2731 + 7) % N;
        const double want = ref(r), e = std::fabs(want - y[r]) / (1.0 + std::fabs(want));
        if (!(e <= worst)) worst = e;
    }
    const bool ok = worst <= tol;
    printf("%-24s rel err %.3e %s\n", name, worst, ok ? "ok" : "BAD");
    g_pass &= ok;
}

int main() {
    Rng rng;
    std::vector<half> lut(256);
    std::vector<float> lutf(256);
    for (int i = 0; i < 256; ++i) {
        lutf[i] = (i - 127.5f) / 256.0f;
        lut[i] = __float2half(lutf[i]);
        lutf[i] = __half2float(lut[i]);
    }
    // activations
    std::vector<half> hx((size_t)TOKENS * K);
    for (size_t i = 0; i < hx.size(); i += 8) {
        const uint64_t r = rng.next();
        for (int b = 0; b < 8; ++b) hx[i + b] = lut[(r >> (8 * b)) & 255];
    }
    std::vector<float> xf(K);
    for (int i = 0; i < K; ++i) xf[i] = __half2float(hx[i]);

    DevArray<half> dx(hx);
    DevArray<float> dy(N), dy8((size_t)N * 8);

    // ---- activation quantisation
    DevArray<int8_t> dq((size_t)TOKENS * K);
    DevArray<float> dd((size_t)TOKENS * K / QK);
    quantize_q8<<<TOKENS * K / 4 / 256, 256>>>(dx.p, dq.p, dd.p, TOKENS * K / 4);
    sync_check();
    const std::vector<int8_t> hq = dq.host();
    const std::vector<float> hd = dd.host();
    {
        int bad = 0;
        for (int s = 0; s < 4000; ++s) {
            const size_t g = (size_t)s * 7919 % hd.size();
            float amax = 0;
            for (int i = 0; i < QK; ++i) amax = std::fmax(amax, std::fabs(__half2float(hx[g * QK + i])));
            if (std::fabs(hd[g] - amax / 127.0f) > 1e-7f) ++bad;
            for (int i = 0; i < QK; ++i)
                if (std::fabs(hq[g * QK + i] - __half2float(hx[g * QK + i]) * 127.0f / amax) > 0.501f) ++bad;
        }
        printf("%-24s %d bad\n", "quantize_q8", bad);
        g_pass &= bad == 0;
    }

    // ---- int8 weights
    {
        std::vector<int8_t> hw((size_t)N * K);
        for (size_t i = 0; i < hw.size(); i += 8) {
            const uint64_t r = rng.next();
            for (int b = 0; b < 8; ++b) hw[i + b] = (int8_t)(r >> (8 * b));
        }
        std::vector<float> hs(N);
        for (int i = 0; i < N; ++i) hs[i] = (1 + i % 17) * 1e-3f;
        DevArray<int8_t> dw(hw);
        DevArray<float> ds(hs);
        auto ref = [&](int r, int tok) {
            double s = 0;
            for (int k = 0; k < K; ++k)
                s += (double)hw[(size_t)r * K + k] * hq[(size_t)tok * K + k] * hd[((size_t)tok * K + k) / QK];
            return s * hs[r];
        };
        gemv_w8a8_dp4a<<<N / 4, 128>>>(dw.p, ds.p, dq.p, dd.p, dy.p);
        sync_check();
        compare("gemv_w8a8_dp4a", dy.host(), [&](int r) { return ref(r, 0); }, 1e-4);

        gemm_w8a8_small_batch<8, 2><<<N / 8, 128>>>(dw.p, ds.p, dq.p, dd.p, dy8.p);
        sync_check();
        const auto y8 = dy8.host();
        for (int tok : {0, 3, 7}) {
            std::vector<float> y(y8.begin() + (size_t)tok * N, y8.begin() + (size_t)(tok + 1) * N);
            compare("gemm_w8a8_small_batch", y, [&](int r) { return ref(r, tok); }, 1e-4);
        }
    }

    // ---- Q4_0
    {
        std::vector<block_q4_0> hw((size_t)N * K / QK);
        for (auto &b : hw) {
            const uint64_t r0 = rng.next(), r1 = rng.next();
            b.d = lut[128 + ((r0 ^ r1) & 127)];
            for (int i = 0; i < 8; ++i) {
                b.qs[i] = (uint8_t)(r0 >> (8 * i));
                b.qs[8 + i] = (uint8_t)(r1 >> (8 * i));
            }
        }
        DevArray<block_q4_0> dw(hw);
        gemv_q4_0_q8<<<N / 8, 256>>>(dw.p, dq.p, dd.p, dy.p);
        sync_check();
        compare("gemv_q4_0_q8", dy.host(), [&](int r) {
            double s = 0;
            for (int b = 0; b < K / QK; ++b) {
                const block_q4_0 &blk = hw[(size_t)r * (K / QK) + b];
                int isum = 0;
                for (int i = 0; i < QK / 2; ++i)
                    isum += ((blk.qs[i] & 15) - 8) * hq[b * QK + i] + ((blk.qs[i] >> 4) - 8) * hq[b * QK + 16 + i];
                s += (double)__half2float(blk.d) * hd[b] * isum;
            }
            return s;
        }, 1e-4);
    }

    // ---- grouped int4
    {
        std::vector<uint32_t> hw((size_t)N * K / 8);
        for (size_t i = 0; i < hw.size(); ++i) hw[i] = (uint32_t)(rng.next() >> 32);
        std::vector<half> hs((size_t)N * K / GROUP);
        std::vector<uint8_t> hz(hs.size());
        for (size_t i = 0; i < hs.size(); ++i) {
            const uint64_t r = rng.next();
            hs[i] = lut[130 + (r % 120)];
            hz[i] = 4 + (r >> 32) % 8;
        }
        DevArray<uint32_t> dw(hw);
        DevArray<half> ds(hs);
        DevArray<uint8_t> dz(hz);
        DevArray<half> dout((size_t)N * K);
        const W4View view{dw.p, ds.p, dz.p};
        auto weight = [&](size_t i) {
            const int q = (hw[i / 8] >> (4 * (i % 8))) & 15;
            return (double)__half2float(hs[i / GROUP]) * (q - (int)hz[i / GROUP]);
        };
        gemv_w4a16_grouped<<<N / 8, 256>>>(view, dx.p, dy.p);
        sync_check();
        compare("gemv_w4a16_grouped", dy.host(), [&](int r) {
            double s = 0;
            for (int k = 0; k < K; ++k) s += weight((size_t)r * K + k) * xf[k];
            return s;
        }, 1e-3);

        dequant_w4_f16<<<132 * 8, 256>>>(view, dout.p, N * K / 8);
        sync_check();
        const auto o = dout.host();
        int bad = 0;
        for (size_t s = 0; s < 200000; ++s) {
            const size_t i = s * 104729 % o.size();
            const double w = weight(i);
            if (!(std::fabs(w - __half2float(o[i])) <= 1e-3 * (1 + std::fabs(w)))) ++bad;
        }
        printf("%-24s %d bad\n", "dequant_w4_f16", bad);
        g_pass &= bad == 0;
    }
    printf("%s\n", g_pass ? "PASS" : "FAIL");
    return g_pass ? 0 : 1;
}
