/* FFTs, hashing, checksums, small matrices, string search, bit counting and integer arithmetic. */
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK_CUDA(call)                                                            \
    do {                                                                            \
        cudaError_t status_ = call;                                                 \
        if (status_ != cudaSuccess) {                                               \
            fprintf(stderr, "CUDA error at %s:%d : %s\n", __FILE__, __LINE__,       \
                    cudaGetErrorString(status_));                                   \
            exit(EXIT_FAILURE);                                                     \
        }                                                                           \
    } while (0)

typedef uint32_t u32;
typedef uint64_t u64;
typedef unsigned char u8;

// ------------------------------------------------------------------ FFT
__device__ __forceinline__ float2 cadd(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ __forceinline__ float2 csub(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
__device__ __forceinline__ float2 cmul(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

// One transform of N points per block with N/2 threads; bit-reversed load, in place in shared memory.
template <int LOGN>
__global__ void fft_radix2_shared(const float2 *__restrict__ in, float2 *__restrict__ out)
{
    constexpr int N = 1 << LOGN;
    __shared__ float2 s[N];
    const int t = threadIdx.x;
    const float2 *src = in + (size_t)blockIdx.x * N;
    s[__brev(t) >> (32 - LOGN)] = src[t];
    s[__brev(t + N / 2) >> (32 - LOGN)] = src[t + N / 2];
    __syncthreads();
    for (int half = 1; half < N; half <<= 1) {
        int k = t & (half - 1);
        int i = ((t - k) << 1) + k;
        float sn, cs;
        __sincosf(-3.14159265358979f * k / half, &sn, &cs);
        float2 a = s[i], b = cmul(s[i + half], make_float2(cs, sn));
        s[i] = cadd(a, b);
        s[i + half] = csub(a, b);
        __syncthreads();
    }
    float2 *dst = out + (size_t)blockIdx.x * N;
    dst[t] = s[t];
    dst[t + N / 2] = s[t + N / 2];
}

__device__ __forceinline__ void fft4(float2 v[4])
{
    float2 a = cadd(v[0], v[2]), b = csub(v[0], v[2]);
    float2 c = cadd(v[1], v[3]), d = csub(v[1], v[3]);
    float2 jd = make_float2(d.y, -d.x);    // -i*d
    v[0] = cadd(a, c);
    v[1] = cadd(b, jd);
    v[2] = csub(a, c);
    v[3] = csub(b, jd);
}

// Stockham, 256 points by 64 threads with four values each in registers; four transforms per block.
__global__ void __launch_bounds__(256) fft256_radix4_regs(const float2 *__restrict__ in, float2 *__restrict__ out, int batch)
{
    __shared__ float2 buf[4][256];
    const int j = threadIdx.x;
    const int fft = blockIdx.x * 4 + threadIdx.y;
    float2 v[4];
    float2 *s = buf[threadIdx.y];
    const bool ok = fft < batch;
    const size_t base = (size_t)fft * 256;
#pragma unroll
    for (int r = 0; r < 4; r++) v[r] = ok ? in[base + j + r * 64] : make_float2(0.f, 0.f);
#pragma unroll
    for (int Ns = 1; Ns < 256; Ns *= 4) {
        const int k = j % Ns;
        if (Ns > 1) {
            float ang = -6.28318530717959f * k / (Ns * 4);
            float sn, cs;
            sincosf(ang, &sn, &cs);
            float2 w1 = make_float2(cs, sn);
            float2 w2 = cmul(w1, w1);
            v[1] = cmul(v[1], w1);
            v[2] = cmul(v[2], w2);
            v[3] = cmul(v[3], cmul(w2, w1));
        }
        fft4(v);
        const int d = (j / Ns) * Ns * 4 + k;
        if (Ns < 64) {
#pragma unroll
            for (int r = 0; r < 4; r++) s[d + r * Ns] = v[r];
            __syncthreads();
#pragma unroll
            for (int r = 0; r < 4; r++) v[r] = s[j + r * 64];
            __syncthreads();
        } else if (ok) {
#pragma unroll
            for (int r = 0; r < 4; r++) out[base + d + r * Ns] = v[r];
        }
    }
}

// ------------------------------------------------------------------ SHA-256 style compression
__constant__ u32 K256[64];
#define ROTR(x, n) __funnelshift_r((x), (x), (n))
#define CH(x, y, z) (((x) & (y)) ^ (~(x) & (z)))
#define MAJ(x, y, z) (((x) & (y)) ^ ((x) & (z)) ^ ((y) & (z)))
#define BSIG0(x) (ROTR(x, 2) ^ ROTR(x, 13) ^ ROTR(x, 22))
#define BSIG1(x) (ROTR(x, 6) ^ ROTR(x, 11) ^ ROTR(x, 25))
#define SSIG0(x) (ROTR(x, 7) ^ ROTR(x, 18) ^ ((x) >> 3))
#define SSIG1(x) (ROTR(x, 17) ^ ROTR(x, 19) ^ ((x) >> 10))

__global__ void sha_search(const u32 *__restrict__ header, u32 nonce0, u32 *digest_xor, u32 *best)
{
    u32 nonce = nonce0 + blockIdx.x * blockDim.x + threadIdx.x;
    u32 w[16];
#pragma unroll
    for (int i = 0; i < 16; i++) w[i] = header[i];
    w[3] = nonce;
    u32 a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a;
    u32 e = 0x510e527f, f = 0x9b05688c, g = 0x1f83d9ab, h = 0x5be0cd19;
#pragma unroll
    for (int r = 0; r < 64; r++) {
        if (r >= 16)
            w[r & 15] += SSIG1(w[(r + 14) & 15]) + w[(r + 9) & 15] + SSIG0(w[(r + 1) & 15]);
        u32 t1 = h + BSIG1(e) + CH(e, f, g) + K256[r] + w[r & 15];
        u32 t2 = BSIG0(a) + MAJ(a, b, c);
        h = g; g = f; f = e; e = d + t1;
        d = c; c = b; b = a; a = t1 + t2;
    }
    a += 0x6a09e667;
    h += 0x5be0cd19;
    digest_xor[blockIdx.x * blockDim.x + threadIdx.x] = a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
    u32 m = __reduce_min_sync(0xffffffffu, a);
    if ((threadIdx.x & 31) == 0 && m < 0x00010000u) atomicMin(best, m);
}

// ------------------------------------------------------------------ CRC32, one message per thread, words stored interleaved
__global__ void crc32_table(const u32 *__restrict__ msgs, const u32 *__restrict__ table, u32 *__restrict__ crc, int nmsg, int words)
{
    __shared__ u32 tab[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) tab[i] = table[i];
    __syncthreads();
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= nmsg) return;
    u32 c = 0xffffffffu;
    for (int i = 0; i < words; i++) {
        u32 v = msgs[(size_t)i * nmsg + m];
        c = tab[(c ^ v) & 0xff] ^ (c >> 8);
        c = tab[(c ^ (v >> 8)) & 0xff] ^ (c >> 8);
        c = tab[(c ^ (v >> 16)) & 0xff] ^ (c >> 8);
        c = tab[(c ^ (v >> 24)) & 0xff] ^ (c >> 8);
    }
    crc[m] = ~c;
}

// ------------------------------------------------------------------ power of 4x4 double matrices
struct Mat4 { double m[4][4]; };

__device__ Mat4 mul(const Mat4 &a, const Mat4 &b)
{
    Mat4 c;
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            double s = 0.0;
#pragma unroll
            for (int k = 0; k < 4; k++) s += a.m[i][k] * b.m[k][j];
            c.m[i][j] = s;
        }
    return c;
}
__global__ void __launch_bounds__(128) matpow4x4(const Mat4 *in, Mat4 *out, int n, unsigned e)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n) return;
    Mat4 base = in[id], r;
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) r.m[i][j] = i == j ? 1.0 : 0.0;
    while (e) {
        if (e & 1) r = mul(r, base);
        base = mul(base, base);
        e >>= 1;
    }
    out[id] = r;
}

// ------------------------------------------------------------------ naive string search with a shared tile
#define MAXPAT 64
__constant__ char c_pat[MAXPAT];
__global__ void string_match(const char *text, int n, int plen, int *hits, unsigned *nhits)
{
    extern __shared__ char tile[];
    const int start = blockIdx.x * blockDim.x * 4;
    const int span = blockDim.x * 4 + plen - 1;
    for (int i = threadIdx.x; i < span; i += blockDim.x) tile[i] = (start + i < n) ? text[start + i] : 0;
    __syncthreads();
    for (int k = 0; k < 4; k++) {
        int p = threadIdx.x + k * blockDim.x;
        if (start + p + plen > n) continue;
        int j = 0;
        while (j < plen && tile[p + j] == c_pat[j]) j++;
        if (j == plen) {
            unsigned slot = atomicAdd(nhits, 1u);
            if (slot < 65536u) hits[slot] = start + p;
        }
    }
}

// ------------------------------------------------------------------ rank directory: prefix count of ones inside each block
__global__ void __launch_bounds__(256) popc_prefix(const uint4 *__restrict__ bits, u32 *__restrict__ prefix, u32 *__restrict__ block_total, int n)
{
    __shared__ u32 wsum[8];
    const int i = blockIdx.x * 256 + threadIdx.x;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    u32 c = 0;
    if (i < n) {
        uint4 v = bits[i];
        c = __popc(v.x) + __popc(v.y) + __popc(v.z) + __popc(v.w);
    }
    u32 incl = c;
#pragma unroll
    for (int o = 1; o < 32; o <<= 1) {
        u32 t = __shfl_up_sync(0xffffffffu, incl, o);
        if (lane >= o) incl += t;
    }
    if (lane == 31) wsum[warp] = incl;
    __syncthreads();
    if (warp == 0) {
        u32 w = lane < 8 ? wsum[lane] : 0;
#pragma unroll
        for (int o = 1; o < 8; o <<= 1) {
            u32 t = __shfl_up_sync(0xffffffffu, w, o);
            if (lane >= o) w += t;
        }
        if (lane < 8) wsum[lane] = w;
    }
    __syncthreads();
    if (i < n) prefix[i] = incl - c + (warp ? wsum[warp - 1] : 0);
    if (threadIdx.x == 0) block_total[blockIdx.x] = wsum[7];
}

// ------------------------------------------------------------------ modular arithmetic
// Montgomery product modulo an odd 64-bit number below 2^63
__device__ __forceinline__ u64 mont_mul(u64 a, u64 b, u64 p, u64 ninv)
{
    u64 lo = a * b, hi = __umul64hi(a, b);
    u64 q = lo * ninv;                       // ninv = -p^-1 mod 2^64
    u64 h2 = __umul64hi(q, p);
    u64 r = hi + h2 + (lo != 0 ? 1 : 0);
    return r >= p ? r - p : r;
}
__global__ void modmul_chain(const u64 *__restrict__ base, u64 *__restrict__ out, int n, u64 p, u64 ninv, u64 one, u64 exponent)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u64 b = base[i] % p, r = one;
    for (u64 e = exponent; e; e >>= 1) {
        if (e & 1) r = mont_mul(r, b, p, ninv);
        b = mont_mul(b, b, p, ninv);
    }
    out[i] = r;
}

// ------------------------------------------------------------------ 5D permute, dims known only at run time
struct Dims { int d[5]; int perm[5]; };
__global__ void permute5d(const float *__restrict__ in, float *__restrict__ out, Dims q, int total)
{
    int stride_in[5];
    stride_in[4] = 1;
    for (int k = 3; k >= 0; k--) stride_in[k] = stride_in[k + 1] * q.d[k + 1];
    for (int o = blockIdx.x * blockDim.x + threadIdx.x; o < total; o += gridDim.x * blockDim.x) {
        int rem = o, src = 0;
#pragma unroll
        for (int k = 4; k >= 0; k--) {
            int dim = q.d[q.perm[k]];
            int c = rem % dim;
            rem /= dim;
            src += c * stride_in[q.perm[k]];
        }
        out[o] = in[src];
    }
}

// Collatz-like walk with a 64-bit division in the loop
__global__ void digit_sums(const u64 *in, u32 *out, int n, u32 radix)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        u64 v = in[i];
        u32 s = 0;
        while (v) {
            s += (u32)(v % radix);
            v /= radix;
        }
        out[i] = s;
    }
}

static u64 rng_state = 0x9E3779B97F4A7C15ull;
static u64 rnd()
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return rng_state;
}
template <typename T> static std::vector<T> fetch(const T *d, size_t n)
{
    std::vector<T> h(n);
    CHECK_CUDA(cudaMemcpy(h.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost));
    return h;
}

int main()
{
    double cs = 0;
    const size_t BYTES = 64u << 20;
    void *bufA, *bufB;
    CHECK_CUDA(cudaMalloc(&bufA, BYTES));
    CHECK_CUDA(cudaMalloc(&bufB, BYTES));

    // FFT inputs: 4M complex numbers
    {
        const int cnt = 4 << 20;
        std::vector<float2> h(cnt);
        for (auto &c : h) { c.x = (rnd() & 1023) / 1024.f; c.y = (rnd() & 1023) / 1024.f; }
        CHECK_CUDA(cudaMemcpy(bufA, h.data(), cnt * sizeof(float2), cudaMemcpyHostToDevice));
        fft_radix2_shared<10><<<cnt / 1024, 512>>>((const float2 *)bufA, (float2 *)bufB);
        CHECK_CUDA(cudaGetLastError());
        for (auto &c : fetch((float2 *)bufB, cnt)) cs += c.x * 1e-3;
        fft256_radix4_regs<<<cnt / 256 / 4, dim3(64, 4)>>>((const float2 *)bufA, (float2 *)bufB, cnt / 256);
        CHECK_CUDA(cudaGetLastError());
        for (auto &c : fetch((float2 *)bufB, cnt)) cs += c.x * 1e-3;
    }
    // SHA rounds
    {
        u32 k[64];
        for (int i = 0; i < 64; i++) k[i] = (u32)(rnd() >> 16);
        CHECK_CUDA(cudaMemcpyToSymbol(K256, k, sizeof(k)));
        u32 hdr[17];
        for (int i = 0; i < 16; i++) hdr[i] = (u32)rnd();
        hdr[16] = 0xffffffffu;
        u32 *d = (u32 *)bufA;
        CHECK_CUDA(cudaMemcpy(d, hdr, sizeof(hdr), cudaMemcpyHostToDevice));
        const int n = 1 << 20;
        sha_search<<<n / 256, 256>>>(d, 1000u, (u32 *)bufB, d + 16);
        CHECK_CUDA(cudaGetLastError());
        for (u32 v : fetch((u32 *)bufB, n)) cs += v & 15;
        cs += fetch(d + 16, 1)[0] & 255;
    }
    // CRC of 65536 messages of 256 bytes
    {
        u32 tab[256];
        for (u32 i = 0; i < 256; i++) {
            u32 c = i;
            for (int j = 0; j < 8; j++) c = (c & 1) ? 0xEDB88320u ^ (c >> 1) : c >> 1;
            tab[i] = c;
        }
        const int nmsg = 100000, words = 64;
        std::vector<u32> h((size_t)nmsg * words);
        for (auto &x : h) x = (u32)rnd();
        u32 *dt;
        CHECK_CUDA(cudaMalloc(&dt, sizeof(tab)));
        CHECK_CUDA(cudaMemcpy(dt, tab, sizeof(tab), cudaMemcpyHostToDevice));
        CHECK_CUDA(cudaMemcpy(bufA, h.data(), h.size() * 4, cudaMemcpyHostToDevice));
        crc32_table<<<(nmsg + 127) / 128, 128>>>((const u32 *)bufA, dt, (u32 *)bufB, nmsg, words);
        CHECK_CUDA(cudaGetLastError());
        for (u32 v : fetch((u32 *)bufB, nmsg)) cs += v & 0xff;
        cudaFree(dt);
    }
    // matrix powers
    {
        const int n = 100000;
        std::vector<Mat4> h(n);
        for (auto &a : h)
            for (int i = 0; i < 16; i++) a.m[i / 4][i % 4] = (rnd() & 255) / 1024.0;
        CHECK_CUDA(cudaMemcpy(bufA, h.data(), n * sizeof(Mat4), cudaMemcpyHostToDevice));
        matpow4x4<<<(n + 127) / 128, 128>>>((const Mat4 *)bufA, (Mat4 *)bufB, n, 0x35u);
        CHECK_CUDA(cudaGetLastError());
        for (auto &a : fetch((Mat4 *)bufB, n)) cs += a.m[0][0] + a.m[3][3];
    }
    // text search
    {
        const int n = 16 << 20;
        std::vector<char> t(n);
        for (int i = 0; i < n; i++) t[i] = "ab"[(rnd() >> 20) & 1];
        const char *pat = "abbabaabbaab";
        CHECK_CUDA(cudaMemcpyToSymbol(c_pat, pat, strlen(pat)));
        CHECK_CUDA(cudaMemcpy(bufA, t.data(), n, cudaMemcpyHostToDevice));
        CHECK_CUDA(cudaMemset(bufB, 0, 256));
        unsigned *cnt = (unsigned *)bufB;
        int *hits = (int *)bufB + 64;
        const int plen = (int)strlen(pat);
        string_match<<<(n + 1023) / 1024, 256, 1024 + plen>>>((const char *)bufA, n, plen, hits, cnt);
        CHECK_CUDA(cudaGetLastError());
        cs += fetch(cnt, 1)[0];
    }
    // popcount prefix
    {
        const int n = 2 << 20;
        std::vector<u64> h((size_t)n * 2);
        for (auto &x : h) x = rnd();
        CHECK_CUDA(cudaMemcpy(bufA, h.data(), h.size() * 8, cudaMemcpyHostToDevice));
        u32 *pre = (u32 *)bufB, *tot = pre + n;
        popc_prefix<<<n / 256, 256>>>((const uint4 *)bufA, pre, tot, n);
        CHECK_CUDA(cudaGetLastError());
        for (u32 v : fetch(pre, (size_t)n + n / 256)) cs += v * 1e-3;
    }
    // modular powers and digit sums on the same random words
    {
        const u64 p = 0x1FFFFFFFFFFFFFFFull;     // 2^61 - 1
        u64 inv = 1;
        for (int i = 0; i < 6; i++) inv *= 2 - p * inv;
        const u64 one = (u64)((((unsigned __int128)1) << 64) % p);
        const int n = 500000;
        modmul_chain<<<(n + 191) / 192, 192>>>((const u64 *)bufA, (u64 *)bufB, n, p, 0 - inv, one, 0xC0FFEE123457ull);
        CHECK_CUDA(cudaGetLastError());
        for (u64 v : fetch((u64 *)bufB, n)) cs += (double)(v & 1023);
        digit_sums<<<(n + 255) / 256, 256>>>((const u64 *)bufA, (u32 *)bufB, n, 10u);
        CHECK_CUDA(cudaGetLastError());
        for (u32 v : fetch((u32 *)bufB, n)) cs += v;
    }
    // permute
    {
        Dims q = {{12, 33, 40, 17, 28}, {3, 0, 4, 2, 1}};
        const int total = 12 * 33 * 40 * 17 * 28;
        std::vector<float> h(total);
        for (int i = 0; i < total; i++) h[i] = (float)(i % 1009);
        CHECK_CUDA(cudaMemcpy(bufA, h.data(), total * 4, cudaMemcpyHostToDevice));
        permute5d<<<132 * 16, 256>>>((const float *)bufA, (float *)bufB, q, total);
        CHECK_CUDA(cudaGetLastError());
        CHECK_CUDA(cudaDeviceSynchronize());
        auto r = fetch((float *)bufB, total);
        for (int i = 0; i < total; i++) cs += r[i] * (i & 3);
    }
    printf("fft_crypto_misc checksum: %.3f\n", cs);
    cudaFree(bufA);
    cudaFree(bufB);
    return 0;
}
