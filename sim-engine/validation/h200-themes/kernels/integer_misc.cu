/* integer workloads: hashes, checksums, strings, number theory, automata */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <cuda_runtime.h>

static void ck(cudaError_t e, int line) { if (e) { std::printf("cuda: %s @%d\n", cudaGetErrorString(e), line); std::exit(1); } }
#define CK(e) ck((e), __LINE__)

using u8 = std::uint8_t; using u32 = std::uint32_t; using u64 = unsigned long long;

__constant__ u32 K256[64] = {
    0x428a2f98,0x71374491,0xb5c0fbcf,0xe9b5dba5,0x3956c25b,0x59f111f1,0x923f82a4,0xab1c5ed5,0xd807aa98,0x12835b01,0x243185be,0x550c7dc3,
    0x72be5d74,0x80deb1fe,0x9bdc06a7,0xc19bf174,0xe49b69c1,0xefbe4786,0x0fc19dc6,0x240ca1cc,0x2de92c6f,0x4a7484aa,0x5cb0a9dc,0x76f988da,
    0x983e5152,0xa831c66d,0xb00327c8,0xbf597fc7,0xc6e00bf3,0xd5a79147,0x06ca6351,0x14292967,0x27b70a85,0x2e1b2138,0x4d2c6dfc,0x53380d13,
    0x650a7354,0x766a0abb,0x81c2c92e,0x92722c85,0xa2bfe8a1,0xa81a664b,0xc24b8b70,0xc76c51a3,0xd192e819,0xd6990624,0xf40e3585,0x106aa070,
    0x19a4c116,0x1e376c08,0x2748774c,0x34b0bcb5,0x391c0cb3,0x4ed8aa4a,0x5b9cca4f,0x682e6ff3,0x748f82ee,0x78a5636f,0x84c87814,0x8cc70208,
    0x90befffa,0xa4506ceb,0xbef9a3f7,0xc67178f2};

__device__ __forceinline__ u32 rotr(u32 x, int n) { return __funnelshift_r(x, x, n); }

// every thread hashes the 8-byte little message (prefix, index) padded to a block
__global__ void sha256_counter(u32 prefix, u32* digestWord, u32 n)
{
    u32 id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n) return;
    u32 w[16] = {prefix, id, 0x80000000u, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64};
    u32 a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a, e = 0x510e527f, f = 0x9b05688c, g = 0x1f83d9ab, h = 0x5be0cd19;
#pragma unroll
    for (int t = 0; t < 64; ++t) {
        if (t >= 16) {
            u32 s0 = w[(t + 1) & 15], s1 = w[(t + 14) & 15];
            s0 = rotr(s0, 7) ^ rotr(s0, 18) ^ (s0 >> 3);
            s1 = rotr(s1, 17) ^ rotr(s1, 19) ^ (s1 >> 10);
            w[t & 15] += s0 + s1 + w[(t + 9) & 15];
        }
        u32 t1 = h + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g)) + K256[t] + w[t & 15];
        u32 t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g; g = f; f = e; e = d + t1; d = c; c = b; b = a; a = t1 + t2;
    }
    digestWord[id] = a + 0x6a09e667;
}

// one thread per 256-byte packet, table in shared memory
__global__ void crc32_packets(const u8* data, u32* crc, int packets)
{
    __shared__ u32 tab[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
        u32 c = i;
        for (int k = 0; k < 8; ++k) c = (c & 1) ? 0xEDB88320u ^ (c >> 1) : c >> 1;
        tab[i] = c;
    }
    __syncthreads();
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= packets) return;
    const u8* d = data + (size_t)p * 256;
    u32 c = ~0u;
    for (int i = 0; i < 256; ++i) c = tab[(c ^ d[i]) & 255] ^ (c >> 8);
    crc[p] = ~c;
}

__device__ const char b64alphabet[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

__global__ void base64_encode(const u8* in, char4* out, int triples)
{
    __shared__ char lut[64];
    if (threadIdx.x < 64) lut[threadIdx.x] = b64alphabet[threadIdx.x];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= triples) return;
    u32 v = (in[3 * i] << 16) | (in[3 * i + 1] << 8) | in[3 * i + 2];
    out[i] = make_char4(lut[v >> 18], lut[(v >> 12) & 63], lut[(v >> 6) & 63], lut[v & 63]);
}

struct Needle { char s[16]; int len; };

__global__ void substring_search(const u8* text, int n, Needle nd, u32* hits)
{
    extern __shared__ u8 chunk[];
    int base = blockIdx.x * blockDim.x;
    for (int k = threadIdx.x; k < (int)blockDim.x + nd.len - 1; k += blockDim.x) chunk[k] = base + k < n ? text[base + k] : 0;
    __syncthreads();
    int m = 0;
    bool eq = base + (int)threadIdx.x + nd.len <= n;
    while (eq && m < nd.len) { eq = chunk[threadIdx.x + m] == (u8)nd.s[m]; ++m; }
    u32 vote = __ballot_sync(~0u, eq);
    if ((threadIdx.x & 31) == 0 && vote) atomicAdd(hits, (u32)__popc(vote));
}

// Levenshtein distance of pairs of 128-char strings: a block a pair, anti-diagonals
constexpr int L = 128;
__global__ void levenshtein(const u8* A, const u8* B, int* dist)
{
    __shared__ int d[3][L + 1];
    __shared__ u8 sa[L], sb[L];
    const int t = threadIdx.x;   // 0 .. L (L + 1 active of 160)
    if (t < L) { sa[t] = A[blockIdx.x * L + t]; sb[t] = B[blockIdx.x * L + t]; }
    __syncthreads();
    for (int k = 0; k <= 2 * L; ++k) {
        int* now = d[k % 3];
        const int* p1 = d[(k + 2) % 3];
        const int* p2 = d[(k + 1) % 3];
        int i = t, j = k - t;                     // cell (i, j) kept at index i
        if (i <= L && j >= 0 && j <= L) {
            int v;
            if (i == 0) v = j;
            else if (j == 0) v = i;
            else v = min(min(p1[i - 1], p1[i]) + 1, p2[i - 1] + (sa[i - 1] != sb[j - 1]));
            now[i] = v;
        }
        __syncthreads();
    }
    if (t == L) dist[blockIdx.x] = d[(2 * L) % 3][L];
}

__global__ void mandelbrot(unsigned short* it, int w, int h, double cx, double cy, double scale, int maxIt)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    double a = cx + (x - w / 2) * scale, b = cy + (y - h / 2) * scale, u = 0, v = 0;
    int k = 0;
    while (k < maxIt && u * u + v * v < 4.0) {
        double q = u * u - v * v + a;
        v = 2 * u * v + b;
        u = q;
        ++k;
    }
    it[y * w + x] = (unsigned short)k;
}

// Conway's life, 32 cells a word, torus; bit-sliced neighbour count
__device__ __forceinline__ void add3(u32 a, u32 b, u32 c, u32& s, u32& cy) { s = a ^ b ^ c; cy = (a & b) | (c & (a ^ b)); }
__global__ void life_bits(const u32* in, u32* out, int words, int rows)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= words) return;
    int xl = x ? x - 1 : words - 1, xr = x + 1 < words ? x + 1 : 0;
    int ys[3] = {y ? y - 1 : rows - 1, y, y + 1 < rows ? y + 1 : 0};
    u32 s[3], c[3], me = 0;
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        u32 m = in[ys[k] * words + x], l = in[ys[k] * words + xl], r = in[ys[k] * words + xr];
        u32 west = (m << 1) | (l >> 31), east = (m >> 1) | (r << 31);
        if (k == 1) { me = m; s[1] = west ^ east; c[1] = west & east; }
        else add3(west, m, east, s[k], c[k]);
    }
    u32 b0, c0, t1, t2, b1, c1;
    add3(s[0], s[1], s[2], b0, c0);              // ones
    add3(c[0], c[1], c[2], t1, t2);              // twos, fours
    b1 = t1 ^ c0; c1 = t1 & c0;
    u32 fourPlus = t2 | c1;
    out[y * words + x] = b1 & ~fourPlus & (b0 | me);
}

// segmented sieve over odd numbers: block owns 64 Ki odds in dynamic shared bytes as bits
constexpr u32 SEG = 65536;
__global__ void sieve_segments(const u32* primes, int np, u64* total)
{
    __shared__ u32 bits[SEG / 32];
    for (u32 k = threadIdx.x; k < SEG / 32; k += blockDim.x) bits[k] = 0;
    __syncthreads();
    u64 lo = 2ull * SEG * blockIdx.x + 1, hi = lo + 2ull * SEG;   // odd numbers lo, lo+2, .. < hi
    for (int q = threadIdx.x; q < np; q += blockDim.x) {
        u64 p = primes[q], m = p * p;
        if (m < lo) { m = (lo + p - 1) / p * p; if (!(m & 1)) m += p; }
        for (; m < hi; m += 2 * p) { u32 b = (u32)((m - lo) >> 1); atomicOr(&bits[b >> 5], 1u << (b & 31)); }
    }
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x == 0) bits[0] |= 1u;       // 1 is no prime
    __syncthreads();
    u32 n = 0;
    for (u32 k = threadIdx.x; k < SEG / 32; k += blockDim.x) n += __popc(~bits[k]);
    n = __reduce_add_sync(~0u, n);
    if ((threadIdx.x & 31) == 0) atomicAdd(total, (u64)n);
}

__global__ void collatz_longest(u32 n, u64* best)
{
    u64 mine = 0;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x + 1; i <= n; i += gridDim.x * blockDim.x) {
        u64 v = i;
        u32 len = 0;
        while (v != 1) { v = (v & 1) ? 3 * v + 1 : v >> 1; ++len; }
        u64 key = ((u64)len << 32) | (0xffffffffu - i);
        mine = mine > key ? mine : key;
    }
    for (int o = 16; o; o >>= 1) { u64 q = __shfl_xor_sync(~0u, mine, o); mine = q > mine ? q : mine; }
    if ((threadIdx.x & 31) == 0) atomicMax(best, mine);
}

int main()
{
    const int N = 24 << 20;
    std::vector<u8> text(N);
    const char* words[] = {"lorem ", "ipsum ", "dolor ", "sit ", "amet ", "consetetur ", "sadipscing ", "elitr "};
    u32 s = 5;
    for (int i = 0; i < N;) {
        s = s * 1664525u + 1013904223u;
        for (const char* w = words[s >> 29]; *w && i < N; ++w) text[i++] = (u8)*w;
    }
    u8* dText; u8* dOut; u64* dCnt; u32* dPrimes;
    CK(cudaMalloc(&dText, N)); CK(cudaMalloc(&dOut, (size_t)N * 2)); CK(cudaMalloc(&dCnt, 64));
    CK(cudaMemcpy(dText, text.data(), N, cudaMemcpyHostToDevice));
    CK(cudaMemset(dCnt, 0, 64));

    const u32 nHash = 1 << 21;
    sha256_counter<<<nHash / 128, 128>>>(0x61626364u, (u32*)dOut, nHash);
    CK(cudaGetLastError());
    u32 w0; CK(cudaMemcpy(&w0, dOut, 4, cudaMemcpyDeviceToHost));
    std::printf("sha256 word %08x\n", w0);

    crc32_packets<<<(N / 256 + 127) / 128, 128>>>(dText, (u32*)dOut, N / 256);
    CK(cudaMemcpy(&w0, dOut, 4, cudaMemcpyDeviceToHost));
    u32 ref = ~0u;
    for (int i = 0; i < 256; ++i) { ref ^= text[i]; for (int k = 0; k < 8; ++k) ref = (ref & 1) ? 0xEDB88320u ^ (ref >> 1) : ref >> 1; }
    std::printf("crc %08x expected %08x\n", w0, ~ref);

    base64_encode<<<(N / 3 + 255) / 256, 256>>>(dText, (char4*)dOut, N / 3);
    char enc[13] = {0}; CK(cudaMemcpy(enc, dOut, 12, cudaMemcpyDeviceToHost));
    std::printf("base64 %s\n", enc);

    Needle nd{}; std::strcpy(nd.s, "amet sit "); nd.len = 9;
    substring_search<<<N / 256, 256, 256 + 15>>>(dText, N, nd, (u32*)dCnt);
    u32 hits; CK(cudaMemcpy(&hits, dCnt, 4, cudaMemcpyDeviceToHost));
    std::printf("'%s' found %u times\n", nd.s, hits);

    const int pairs = 8192;
    levenshtein<<<pairs, 160>>>(dText, dText + pairs * L, (int*)dOut);
    int lev[3]; CK(cudaMemcpy(lev, dOut, 12, cudaMemcpyDeviceToHost));
    std::printf("levenshtein %d %d %d\n", lev[0], lev[1], lev[2]);

    mandelbrot<<<dim3(1024 / 16, 1024 / 16), dim3(16, 16)>>>((unsigned short*)dOut, 1024, 1024, -0.7436, 0.1318, 2e-5, 500);
    CK(cudaGetLastError());

    life_bits<<<dim3(256 / 128, 8192), 128>>>((const u32*)dText, (u32*)dOut, 256, 8192);
    CK(cudaGetLastError());

    std::vector<u32> primes;
    for (u32 p = 3; p < 16384; p += 2) {
        bool is = true;
        for (u32 q : primes) { if (q * q > p) break; if (p % q == 0) { is = false; break; } }
        if (is) primes.push_back(p);
    }
    CK(cudaMalloc(&dPrimes, primes.size() * 4));
    CK(cudaMemcpy(dPrimes, primes.data(), primes.size() * 4, cudaMemcpyHostToDevice));
    sieve_segments<<<1024, 256>>>(dPrimes, (int)primes.size(), dCnt + 1);   // below 2^27
    collatz_longest<<<528, 256>>>(3000000, dCnt + 2);
    CK(cudaGetLastError());
    u64 res[2]; CK(cudaMemcpy(res, dCnt + 1, 16, cudaMemcpyDeviceToHost));
    std::printf("odd primes below 2^27: %llu, longest collatz start %u (%llu steps)\n", res[0], 0xffffffffu - (u32)res[1], res[1] >> 32);
    cudaFree(dText); cudaFree(dOut); cudaFree(dCnt); cudaFree(dPrimes);
    return 0;
}
