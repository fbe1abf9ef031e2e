/*
 * b3_strings_and_codecs.cu
 *
 * A guided tour of byte-oriented GPU programming.  Each section shows one
 * technique, launches it once and compares with a few lines of host code:
 *
 *   1. Hashing strings            FNV-1a per word, CRC-32 (slicing by four) per chunk
 *   2. Open addressing            insert, look up, insert-or-increment
 *   3. Substring search           shared-memory tile, 32-bit filter
 *   4. Counting words             vector loads and a block reduction
 *   5. Base64                     12 bytes in, 16 characters out per thread
 *   6. Run length encoding        count, scan, emit
 *   7. Varint decoding            count, scan, decode
 *   8. Delta decoding             block scan
 *   9. Bit packing                pack and unpack a fixed width
 */
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#define CHECK(call)                                                               \
    do {                                                                          \
        cudaError_t e_ = (call);                                                  \
        if (e_ != cudaSuccess) {                                                  \
            printf("CUDA error %s at line %d\n", cudaGetErrorString(e_), __LINE__); \
            exit(1);                                                              \
        }                                                                         \
    } while (0)

typedef unsigned char byte;
typedef unsigned long long u64;

template <typename T> T *to_device(const std::vector<T> &h) {
    T *d;
    CHECK(cudaMalloc(&d, h.size() * sizeof(T)));
    CHECK(cudaMemcpy(d, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice));
    return d;
}
template <typename T> T *device_zeros(size_t n) {
    T *d;
    CHECK(cudaMalloc(&d, n * sizeof(T)));
    CHECK(cudaMemset(d, 0, n * sizeof(T)));
    return d;
}
template <typename T> std::vector<T> to_host(const T *d, size_t n) {
    std::vector<T> h(n);
    CHECK(cudaMemcpy(h.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost));
    return h;
}

static void verdict(const char *what, bool ok) { printf("%-34s %s\n", what, ok ? "PASS" : "FAIL"); }

/* ------------------------------------------------------------------------- */
/* Section 1: hashing strings                                                */
/* ------------------------------------------------------------------------- */

// One thread per word.  Words are short, so neighbouring threads read
// neighbouring bytes and the cache does the rest.
__global__ void fnv1a_words(const byte *text, const int *word_start, const int *word_len, int n_words,
                            u64 *hash)
{
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= n_words) return;
    const byte *p = text + word_start[w];
    int len = word_len[w];
    u64 h = 14695981039346656037ull;
    for (int i = 0; i < len; i++) {
        h ^= p[i];
        h *= 1099511628211ull;
    }
    hash[w] = h;
}

// CRC-32 of fixed-size chunks.  The four 256-entry tables are staged in shared
// memory because the look-ups are data dependent (constant memory would
// serialise them).
#define CRC_CHUNK 256
__global__ void crc32_chunks(const uint4 *data, const uint32_t *table, int n_chunks, uint32_t *crc_out)
{
    __shared__ uint32_t tab[4][256];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) tab[i >> 8][i & 255] = table[i];
    __syncthreads();

    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= n_chunks) return;
    const uint4 *p = data + (size_t)c * (CRC_CHUNK / 16);
    uint32_t crc = 0xffffffffu;
    for (int i = 0; i < CRC_CHUNK / 16; i++) {
        uint4 q = p[i];
        uint32_t w[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
        for (int k = 0; k < 4; k++) {
            crc ^= w[k];
            crc = tab[3][crc & 255] ^ tab[2][(crc >> 8) & 255] ^ tab[1][(crc >> 16) & 255] ^ tab[0][crc >> 24];
        }
    }
    crc_out[c] = ~crc;
}

/* ------------------------------------------------------------------------- */
/* Section 2: open addressing                                                */
/* ------------------------------------------------------------------------- */

__host__ __device__ inline u64 mix64(u64 k)
{
    k ^= k >> 33;
    k *= 0xff51afd7ed558ccdull;
    k ^= k >> 33;
    k *= 0xc4ceb9fe1a85ec53ull;
    k ^= k >> 33;
    return k;
}

#define EMPTY_KEY 0ull

// Linear probing.  A slot is claimed with a 64-bit compare-and-swap.
__global__ void table_insert(const u64 *keys, const uint32_t *values, int n, u64 *slot_key,
                             uint32_t *slot_value, uint32_t mask)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u64 key = keys[i];
    uint32_t slot = (uint32_t)mix64(key) & mask;
    for (uint32_t probe = 0; probe <= mask; probe++) {
        u64 old = atomicCAS(&slot_key[slot], EMPTY_KEY, key);
        if (old == EMPTY_KEY || old == key) {
            slot_value[slot] = values[i];
            return;
        }
        slot = (slot + 1) & mask;
    }
}

__global__ void table_lookup(const u64 *queries, int n, const u64 *slot_key, const uint32_t *slot_value,
                             uint32_t mask, uint32_t *result)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u64 key = queries[i];
    uint32_t slot = (uint32_t)mix64(key) & mask;
    uint32_t r = 0xffffffffu;
    for (uint32_t probe = 0; probe <= mask; probe++) {
        u64 k = slot_key[slot];
        if (k == key) {
            r = slot_value[slot];
            break;
        }
        if (k == EMPTY_KEY) break;
        slot = (slot + 1) & mask;
    }
    result[i] = r;
}

// Word frequencies: the same table, but with a counter.  Reading the slot
// before the CAS keeps the hot words from hammering the atomic unit twice.
__global__ void word_frequency(const u64 *hash, int n, u64 *slot_key, uint32_t *slot_count, uint32_t mask)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        u64 key = hash[i];
        uint32_t slot = (uint32_t)mix64(key) & mask;
        while (true) {
            u64 k = slot_key[slot];
            if (k == EMPTY_KEY) k = atomicCAS(&slot_key[slot], EMPTY_KEY, key);
            if (k == EMPTY_KEY || k == key) {
                atomicAdd(&slot_count[slot], 1u);
                break;
            }
            slot = (slot + 1) & mask;
        }
    }
}

/* ------------------------------------------------------------------------- */
/* Section 3: substring search                                               */
/* ------------------------------------------------------------------------- */
#define MAX_PATTERN 32
__constant__ byte c_pattern[MAX_PATTERN];

// Every thread tests one position against a tile in shared memory.  The result
// is a bit map: one 32-bit word per warp, produced by a ballot.
__global__ void search_tile(const byte *text, int n, int pat_len, uint32_t *bitmap)
{
    __shared__ byte tile[256 + MAX_PATTERN];
    int base = blockIdx.x * 256;
    for (int i = threadIdx.x; i < 256 + pat_len - 1; i += 256)
        tile[i] = (base + i < n) ? text[base + i] : 0;
    __syncthreads();

    int pos = base + threadIdx.x;
    bool match = pos + pat_len <= n;
    for (int k = 0; k < pat_len && match; k++) match = tile[threadIdx.x + k] == c_pattern[k];
    uint32_t bits = __ballot_sync(0xffffffffu, match);
    if ((threadIdx.x & 31) == 0) bitmap[pos >> 5] = bits;
}

// Four positions per thread: compare the first four bytes as one integer and
// look closer only if they agree (the pattern has at least four bytes).
__global__ void search_filter(const byte *text, int n, int pat_len, uint32_t first4, int *n_match)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int n_words = n / 4;
    int found = 0;
    if (i < n_words) {
        const uint32_t *w = (const uint32_t *)text;
        uint32_t lo = w[i];
        uint32_t hi = (i + 1 < n_words) ? w[i + 1] : 0;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            if (__funnelshift_r(lo, hi, 8 * k) != first4) continue;
            int pos = 4 * i + k;
            bool match = pos + pat_len <= n;
            for (int j = 4; j < pat_len && match; j++) match = text[pos + j] == c_pattern[j];
            found += match;
        }
    }
    if (found) atomicAdd(n_match, found);
}

/* ------------------------------------------------------------------------- */
/* Section 4: counting words and lines                                       */
/* ------------------------------------------------------------------------- */
__device__ inline bool is_space(uint32_t c) { return c == ' ' || c == '\n' || c == '\t'; }

// 16 bytes per thread and iteration.  A word starts where a non-space follows a space.
__global__ void count_words(const byte *text, int n_vec, int *n_words, int *n_lines)
{
    int words = 0, lines = 0;
    const uint4 *v = (const uint4 *)text;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n_vec; i += gridDim.x * blockDim.x) {
        uint4 q = v[i];
        bool prev_space = (i == 0) ? true : is_space(text[16 * i - 1]);
        uint32_t w[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
        for (int k = 0; k < 16; k++) {
            uint32_t c = (w[k / 4] >> (8 * (k % 4))) & 255u;
            bool sp = is_space(c);
            words += (!sp && prev_space);
            lines += (c == '\n');
            prev_space = sp;
        }
    }
    for (int o = 16; o > 0; o >>= 1) {
        words += __shfl_down_sync(0xffffffffu, words, o);
        lines += __shfl_down_sync(0xffffffffu, lines, o);
    }
    __shared__ int s_words, s_lines;
    if (threadIdx.x == 0) s_words = s_lines = 0;
    __syncthreads();
    if ((threadIdx.x & 31) == 0) {
        atomicAdd(&s_words, words);
        atomicAdd(&s_lines, lines);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(n_words, s_words);
        atomicAdd(n_lines, s_lines);
    }
}

/* ------------------------------------------------------------------------- */
/* Section 5: base64                                                         */
/* ------------------------------------------------------------------------- */
__constant__ char c_base64[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

__global__ void base64_encode(const uint32_t *in, int n_groups, uint4 *out)
{
    __shared__ byte alphabet[64];
    if (threadIdx.x < 64) alphabet[threadIdx.x] = c_base64[threadIdx.x];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n_groups) return;
    // Big-endian view of the twelve bytes.
    uint32_t a = __byte_perm(in[3 * i + 0], 0, 0x0123);
    uint32_t b = __byte_perm(in[3 * i + 1], 0, 0x0123);
    uint32_t c = __byte_perm(in[3 * i + 2], 0, 0x0123);
    uint32_t t[4];
    t[0] = a >> 8;
    t[1] = ((a & 0xffu) << 16) | (b >> 16);
    t[2] = ((b & 0xffffu) << 8) | (c >> 24);
    t[3] = c & 0xffffffu;
    uint32_t r[4];
#pragma unroll
    for (int k = 0; k < 4; k++)
        r[k] = (uint32_t)alphabet[(t[k] >> 18) & 63] | ((uint32_t)alphabet[(t[k] >> 12) & 63] << 8) |
               ((uint32_t)alphabet[(t[k] >> 6) & 63] << 16) | ((uint32_t)alphabet[t[k] & 63] << 24);
    out[i] = make_uint4(r[0], r[1], r[2], r[3]);
}

/* ------------------------------------------------------------------------- */
/* The block scan that sections 6 to 8 build upon                            */
/* ------------------------------------------------------------------------- */
#define SCAN_THREADS 256

// Exclusive scan over a block of 256 threads; also returns the total.
__device__ int block_exclusive_scan(int v, int *total)
{
    __shared__ int warp_sum[SCAN_THREADS / 32];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int inc = v;
#pragma unroll
    for (int o = 1; o < 32; o <<= 1) {
        int t = __shfl_up_sync(0xffffffffu, inc, o);
        if (lane >= o) inc += t;
    }
    if (lane == 31) warp_sum[warp] = inc;
    __syncthreads();
    int before = 0, sum = 0;
#pragma unroll
    for (int w = 0; w < SCAN_THREADS / 32; w++) {
        if (w == warp) before = sum;
        sum += warp_sum[w];
    }
    __syncthreads();
    *total = sum;
    return before + inc - v;
}

// A single block scans the per-block counts.
__global__ void scan_counts(int *counts, int n, int *total_out)
{
    int carry = 0;
    for (int base = 0; base < n; base += SCAN_THREADS) {
        int i = base + threadIdx.x;
        int v = (i < n) ? counts[i] : 0;
        int total;
        int ex = block_exclusive_scan(v, &total);
        if (i < n) counts[i] = carry + ex;
        carry += total;
    }
    if (threadIdx.x == 0) *total_out = carry;
}

#define TILE_BYTES (SCAN_THREADS * 8)

/* ------------------------------------------------------------------------- */
/* Section 6: run length encoding                                            */
/* ------------------------------------------------------------------------- */

// Bit k is set if byte k of the thread's eight bytes starts a run.
__device__ inline uint32_t head_bits(const byte *in, int first)
{
    uint2 q = *(const uint2 *)(in + first);
    u64 cur = ((u64)q.y << 32) | q.x;
    uint32_t prev_byte = (first == 0) ? (uint32_t)(~q.x & 255u) : (uint32_t)in[first - 1];
    u64 diff = cur ^ ((cur << 8) | prev_byte);
    uint32_t bits = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) bits |= (((diff >> (8 * k)) & 255) != 0) << k;
    return bits;
}

__global__ void rle_count(const byte *in, int *block_count)
{
    int first = blockIdx.x * TILE_BYTES + threadIdx.x * 8;
    int total;
    block_exclusive_scan(__popc(head_bits(in, first)), &total);
    if (threadIdx.x == 0) block_count[blockIdx.x] = total;
}

__global__ void rle_emit(const byte *in, const int *block_offset, byte *symbol, int *run_start)
{
    int first = blockIdx.x * TILE_BYTES + threadIdx.x * 8;
    uint32_t bits = head_bits(in, first);
    int total;
    int pos = block_offset[blockIdx.x] + block_exclusive_scan(__popc(bits), &total);
    while (bits) {
        int k = __ffs(bits) - 1;
        symbol[pos] = in[first + k];
        run_start[pos] = first + k;
        pos++;
        bits &= bits - 1;
    }
}

/* ------------------------------------------------------------------------- */
/* Section 7: varint (LEB128) decoding                                       */
/* ------------------------------------------------------------------------- */

// A value ends at every byte whose top bit is clear.
__global__ void varint_count(const byte *in, int *block_count)
{
    uint2 q = *(const uint2 *)(in + blockIdx.x * TILE_BYTES + threadIdx.x * 8);
    int n = __popc(~q.x & 0x80808080u) + __popc(~q.y & 0x80808080u);
    int total;
    block_exclusive_scan(n, &total);
    if (threadIdx.x == 0) block_count[blockIdx.x] = total;
}

__global__ void varint_decode(const byte *in, const int *block_offset, uint32_t *out)
{
    // Eight bytes of history, because a value may begin in the previous tile.
    __shared__ uint2 s_vec[SCAN_THREADS + 1];
    const uint2 *src = (const uint2 *)(in + (size_t)blockIdx.x * TILE_BYTES);
    uint2 q = src[threadIdx.x];
    s_vec[threadIdx.x + 1] = q;
    if (threadIdx.x == 0) s_vec[0] = (blockIdx.x == 0) ? make_uint2(0, 0) : src[-1];
    int n = __popc(~q.x & 0x80808080u) + __popc(~q.y & 0x80808080u);
    int total;
    int pos = block_offset[blockIdx.x] + block_exclusive_scan(n, &total);  // synchronises s_vec, too
    const byte *s = (const byte *)s_vec;

    for (int k = 0; k < 8; k++) {
        int i = 8 + threadIdx.x * 8 + k;
        uint32_t last = s[i];
        if (last & 0x80u) continue;
        // Walk back over the continuation bytes, most significant group first.
        uint32_t v = last;
        for (int back = 1; back < 5 && (s[i - back] & 0x80u); back++) v = (v << 7) | (s[i - back] & 0x7fu);
        out[pos++] = v;
    }
}

/* ------------------------------------------------------------------------- */
/* Section 8: delta decoding                                                 */
/* ------------------------------------------------------------------------- */
// Blocks of 1024 values: a 32-bit base and 16-bit gaps, the first gap being 0.
__global__ void delta_decode(const ushort4 *gaps, const int *base, int4 *out)
{
    size_t i = (size_t)blockIdx.x * SCAN_THREADS + threadIdx.x;
    ushort4 g = gaps[i];
    int a = g.x, b = a + g.y, c = b + g.z, d = c + g.w;
    int total;
    int before = base[blockIdx.x] + block_exclusive_scan(d, &total);
    out[i] = make_int4(before + a, before + b, before + c, before + d);
}

/* ------------------------------------------------------------------------- */
/* Section 9: bit packing                                                    */
/* ------------------------------------------------------------------------- */
// A thread builds one 32-bit output word from all values that overlap it.
template <int BITS> __global__ void bit_pack(const uint32_t *values, int n_out, uint32_t *out)
{
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= n_out) return;
    int first_bit = w * 32;
    uint32_t word = 0;
    for (int v = first_bit / BITS; v * BITS < first_bit + 32; v++) {
        int shift = v * BITS - first_bit;
        uint32_t x = values[v];
        word |= shift >= 0 ? x << shift : x >> -shift;
    }
    out[w] = word;
}

template <int BITS> __global__ void bit_unpack(const uint32_t *in, int n, uint32_t *values)
{
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x) {
        int bit = v * BITS;
        int w = bit >> 5, s = bit & 31;
        uint32_t lo = in[w];
        uint32_t hi = (s + BITS > 32) ? in[w + 1] : 0;
        values[v] = __funnelshift_r(lo, hi, s) & ((1u << BITS) - 1u);
    }
}

/* ------------------------------------------------------------------------- */
int main()
{
    // ---- the text: 4 MiB of words drawn from a vocabulary of 5000 -----------
    const int n_text = 4 << 20;
    uint32_t seed = 2463534242u;
    auto rnd = [&]() {
        seed = seed * 1103515245u + 12345u;
        return (seed >> 9) & 0x3fffff;
    };
    std::vector<std::string> vocabulary(5000);
    for (auto &w : vocabulary) {
        int len = 2 + rnd() % 11;
        for (int i = 0; i < len; i++) w.push_back((char)('a' + rnd() % 26));
    }
    vocabulary[41] = "parallelism";
    const std::string pattern = "parallelism";
    std::vector<byte> text;
    text.reserve(n_text + 64);
    std::vector<int> word_start, word_len;
    while ((int)text.size() < n_text - 16) {
        uint32_t r = rnd() % 5000u;
        uint32_t idx = (uint32_t)((u64)r * r / 5000u);  // low indices are more frequent
        const std::string &w = vocabulary[idx];
        word_start.push_back((int)text.size());
        word_len.push_back((int)w.size());
        text.insert(text.end(), w.begin(), w.end());
        text.push_back(word_start.size() % 12 == 0 ? '\n' : ' ');
    }
    text.resize(n_text, ' ');
    const int n_words = (int)word_start.size();
    printf("text: %d bytes, %d words\n", n_text, n_words);

    byte *d_text = to_device(text);
    int *d_start = to_device(word_start), *d_len = to_device(word_len);

    // ---- Section 1 -----------------------------------------------------------
    u64 *d_hash = device_zeros<u64>(n_words);
    fnv1a_words<<<(n_words + 255) / 256, 256>>>(d_text, d_start, d_len, n_words, d_hash);
    CHECK(cudaGetLastError());
    std::vector<u64> hash = to_host(d_hash, n_words);
    auto fnv_host = [&](int w) {
        u64 h = 14695981039346656037ull;
        for (int i = 0; i < word_len[w]; i++) h = (h ^ text[word_start[w] + i]) * 1099511628211ull;
        return h;
    };
    bool ok = true;
    for (int w = 0; w < n_words; w += 3) ok &= hash[w] == fnv_host(w);
    verdict("1a FNV-1a", ok);

    std::vector<uint32_t> crc_table(1024);
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++) c = (c & 1) ? (c >> 1) ^ 0xedb88320u : c >> 1;
        crc_table[i] = c;
    }
    for (int i = 0; i < 256; i++)
        for (int t = 1; t < 4; t++)
            crc_table[t * 256 + i] = (crc_table[(t - 1) * 256 + i] >> 8) ^ crc_table[crc_table[(t - 1) * 256 + i] & 255];
    uint32_t *d_table = to_device(crc_table);
    const int n_chunks = n_text / CRC_CHUNK;
    uint32_t *d_crc = device_zeros<uint32_t>(n_chunks);
    crc32_chunks<<<(n_chunks + 63) / 64, 64>>>((const uint4 *)d_text, d_table, n_chunks, d_crc);
    CHECK(cudaGetLastError());
    std::vector<uint32_t> crc = to_host(d_crc, n_chunks);
    ok = true;
    for (int c = 0; c < n_chunks; c += 17) {
        uint32_t r = 0xffffffffu;
        for (int i = 0; i < CRC_CHUNK; i++) r = (r >> 8) ^ crc_table[(r ^ text[c * CRC_CHUNK + i]) & 255];
        ok &= crc[c] == ~r;
    }
    verdict("1b CRC-32", ok);

    // ---- Section 2 -----------------------------------------------------------
    const int n_keys = 1000000;
    const uint32_t capacity = 1u << 21;
    std::vector<u64> keys(n_keys), queries(n_keys);
    std::vector<uint32_t> values(n_keys);
    for (int i = 0; i < n_keys; i++) {
        keys[i] = (u64)(2 * i + 1) * 0x9E3779B97F4A7C15ull;  // odd multiples: distinct, never zero
        values[i] = (uint32_t)i * 3u + 1u;
        int j = (int)(((u64)i * 7919u) % (u64)n_keys);
        queries[i] = (u64)(i & 1 ? 2 * j + 1 : 2 * j + 2) * 0x9E3779B97F4A7C15ull;  // even ones are absent
    }
    u64 *d_keys = to_device(keys), *d_queries = to_device(queries);
    uint32_t *d_values = to_device(values);
    u64 *d_slot_key = device_zeros<u64>(capacity);
    uint32_t *d_slot_val = device_zeros<uint32_t>(capacity), *d_result = device_zeros<uint32_t>(n_keys);
    table_insert<<<(n_keys + 255) / 256, 256>>>(d_keys, d_values, n_keys, d_slot_key, d_slot_val, capacity - 1);
    CHECK(cudaGetLastError());
    table_lookup<<<(n_keys + 255) / 256, 256>>>(d_queries, n_keys, d_slot_key, d_slot_val, capacity - 1, d_result);
    CHECK(cudaGetLastError());
    std::vector<uint32_t> result = to_host(d_result, n_keys);
    ok = true;
    for (int i = 0; i < n_keys; i++) {
        uint32_t want = (i & 1) ? (uint32_t)(((u64)i * 7919u) % (u64)n_keys) * 3u + 1u : 0xffffffffu;
        ok &= result[i] == want;
    }
    verdict("2a hash table insert + look-up", ok);

    const uint32_t freq_cap = 1u << 14;
    u64 *d_fkey = device_zeros<u64>(freq_cap);
    uint32_t *d_fcount = device_zeros<uint32_t>(freq_cap);
    word_frequency<<<264, 256>>>(d_hash, n_words, d_fkey, d_fcount, freq_cap - 1);
    CHECK(cudaGetLastError());
    std::vector<uint32_t> fcount = to_host(d_fcount, freq_cap);
    std::vector<u64> fkey = to_host(d_fkey, freq_cap);
    u64 sum = 0;
    uint32_t count_par = 0;
    u64 par_hash = 14695981039346656037ull;
    for (char ch : pattern) par_hash = (par_hash ^ (byte)ch) * 1099511628211ull;
    for (uint32_t s = 0; s < freq_cap; s++) {
        sum += fcount[s];
        if (fkey[s] == par_hash) count_par = fcount[s];
    }
    uint32_t want_par = 0;
    for (int w = 0; w < n_words; w++)
        want_par += word_len[w] == (int)pattern.size() && !memcmp(&text[word_start[w]], pattern.data(), pattern.size());
    verdict("2b word frequency", sum == (u64)n_words && count_par == want_par);

    // ---- Section 3 -----------------------------------------------------------
    CHECK(cudaMemcpyToSymbol(c_pattern, pattern.data(), pattern.size()));
    uint32_t *d_bitmap = device_zeros<uint32_t>(n_text / 32);
    search_tile<<<n_text / 256, 256>>>(d_text, n_text, (int)pattern.size(), d_bitmap);
    CHECK(cudaGetLastError());
    std::vector<uint32_t> bitmap = to_host(d_bitmap, n_text / 32);
    uint32_t hits = 0;
    for (uint32_t b : bitmap) hits += __builtin_popcount(b);
    verdict("3a substring search (tile)", hits == want_par);

    int *d_nmatch = device_zeros<int>(1);
    uint32_t first4;
    memcpy(&first4, pattern.data(), 4);
    search_filter<<<(n_text / 4 + 255) / 256, 256>>>(d_text, n_text, (int)pattern.size(), first4, d_nmatch);
    CHECK(cudaGetLastError());
    verdict("3b substring search (filter)", to_host(d_nmatch, 1)[0] == (int)want_par);

    // ---- Section 4 -----------------------------------------------------------
    int *d_counts = device_zeros<int>(2);
    count_words<<<132 * 4, 256>>>(d_text, n_text / 16, d_counts, d_counts + 1);
    CHECK(cudaGetLastError());
    std::vector<int> counts = to_host(d_counts, 2);
    verdict("4  word count", counts[0] == n_words && counts[1] == n_words / 12);

    // ---- Section 5 -----------------------------------------------------------
    const int n_groups = 1 << 18;  // 3 MiB of the text
    uint4 *d_b64 = device_zeros<uint4>(n_groups);
    base64_encode<<<n_groups / 256, 256>>>((const uint32_t *)d_text, n_groups, d_b64);
    CHECK(cudaGetLastError());
    std::vector<uint4> b64 = to_host(d_b64, n_groups);
    const byte *chars = (const byte *)b64.data();
    const char *abc = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    ok = true;
    for (int t = 0; t < n_groups * 4; t += 7) {
        uint32_t v = ((uint32_t)text[3 * t] << 16) | ((uint32_t)text[3 * t + 1] << 8) | text[3 * t + 2];
        for (int k = 0; k < 4; k++) ok &= chars[4 * t + k] == (byte)abc[(v >> (18 - 6 * k)) & 63];
    }
    verdict("5  base64", ok);

    // ---- Section 6 -----------------------------------------------------------
    const int n_rle = 1 << 21;
    std::vector<byte> runs;
    runs.reserve(n_rle + 64);
    while ((int)runs.size() < n_rle) runs.insert(runs.end(), 1 + rnd() % 11, (byte)(rnd() % 7));
    runs.resize(n_rle);
    byte *d_runs = to_device(runs), *d_symbol = device_zeros<byte>(n_rle);
    int *d_run_start = device_zeros<int>(n_rle), *d_total = device_zeros<int>(1);
    const int rle_blocks = n_rle / TILE_BYTES;
    int *d_rle_counts = device_zeros<int>(rle_blocks);
    rle_count<<<rle_blocks, SCAN_THREADS>>>(d_runs, d_rle_counts);
    scan_counts<<<1, SCAN_THREADS>>>(d_rle_counts, rle_blocks, d_total);
    rle_emit<<<rle_blocks, SCAN_THREADS>>>(d_runs, d_rle_counts, d_symbol, d_run_start);
    CHECK(cudaGetLastError());
    const int n_runs = to_host(d_total, 1)[0];
    std::vector<byte> symbol = to_host(d_symbol, n_rle);
    std::vector<int> run_start = to_host(d_run_start, n_rle);
    ok = true;
    int seen = 0;
    for (int i = 0; i < n_rle; i++)
        if (i == 0 || runs[i] != runs[i - 1]) {
            ok &= seen < n_runs && symbol[seen] == runs[i] && run_start[seen] == i;
            seen++;
        }
    verdict("6  run length encoding", ok && seen == n_runs);

    // ---- Section 7 -----------------------------------------------------------
    const int n_var = 900000;
    std::vector<uint32_t> plain(n_var);
    std::vector<byte> stream;
    for (int i = 0; i < n_var; i++) {
        uint32_t v = (rnd() << 10) ^ rnd();
        v >>= rnd() % 28;
        plain[i] = v;
        while (v >= 0x80u) {
            stream.push_back((byte)(v | 0x80u));
            v >>= 7;
        }
        stream.push_back((byte)v);
    }
    while (stream.size() % TILE_BYTES) stream.push_back(0x80);  // padding never ends a value
    byte *d_stream = to_device(stream);
    const int var_blocks = (int)(stream.size() / TILE_BYTES);
    int *d_var_counts = device_zeros<int>(var_blocks);
    uint32_t *d_plain = device_zeros<uint32_t>(n_var);
    varint_count<<<var_blocks, SCAN_THREADS>>>(d_stream, d_var_counts);
    scan_counts<<<1, SCAN_THREADS>>>(d_var_counts, var_blocks, d_total);
    varint_decode<<<var_blocks, SCAN_THREADS>>>(d_stream, d_var_counts, d_plain);
    CHECK(cudaGetLastError());
    verdict("7  varint decoding", to_host(d_total, 1)[0] == n_var && to_host(d_plain, n_var) == plain);

    // ---- Section 8 -----------------------------------------------------------
    const int n_lists = 2000;
    std::vector<uint16_t> gaps(n_lists * 1024);
    std::vector<int> base(n_lists), decoded(n_lists * 1024);
    for (int l = 0; l < n_lists; l++) {
        int v = base[l] = l * 17;
        for (int i = 0; i < 1024; i++) {
            uint16_t g = (i == 0) ? 0 : (uint16_t)(1 + rnd() % 900);
            gaps[l * 1024 + i] = g;
            decoded[l * 1024 + i] = (v += g);
        }
    }
    uint16_t *d_gaps = to_device(gaps);
    int *d_base = to_device(base), *d_decoded = device_zeros<int>(decoded.size());
    delta_decode<<<n_lists, SCAN_THREADS>>>((const ushort4 *)d_gaps, d_base, (int4 *)d_decoded);
    CHECK(cudaGetLastError());
    verdict("8  delta decoding", to_host(d_decoded, decoded.size()) == decoded);

    // ---- Section 9 -----------------------------------------------------------
    constexpr int BITS = 13;
    const int n_pack = 2 << 20, n_packed = n_pack / 32 * BITS;
    std::vector<uint32_t> raw(n_pack);
    for (int i = 0; i < n_pack; i++) raw[i] = ((uint32_t)i * 2654435761u) >> (32 - BITS);
    uint32_t *d_raw = to_device(raw), *d_packed = device_zeros<uint32_t>(n_packed),
             *d_back = device_zeros<uint32_t>(n_pack);
    bit_pack<BITS><<<(n_packed + 255) / 256, 256>>>(d_raw, n_packed, d_packed);
    bit_unpack<BITS><<<1056, 256>>>(d_packed, n_pack, d_back);
    CHECK(cudaGetLastError());
    verdict("9  bit packing round trip", to_host(d_back, n_pack) == raw);

    CHECK(cudaDeviceSynchronize());
    cudaDeviceReset();
    return 0;
}
