// hashbench.cu - checksums, hashes and a stream cipher on lots of small records
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

#define HD __host__ __device__ __forceinline__
#define cudaCheck(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line) {
  if (code != cudaSuccess) { fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line); exit(code); }
}

// ------------------------------------------------------------- CRC-32 ladder
constexpr int REC = 256;           // bytes per record
__constant__ uint32_t c_crc[256];

HD uint32_t crc_bits(uint32_t c, uint8_t b) {
  c ^= b;
  for (int k = 0; k < 8; k++) c = (c >> 1) ^ (0xEDB88320u & (0u - (c & 1)));
  return c;
}

__global__ void crc32_bitwise(const uint8_t *data, uint32_t *out, int nrec) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= nrec) return;
  uint32_t c = ~0u;
  for (int i = 0; i < REC; i++) c = crc_bits(c, data[(size_t)r * REC + i]);
  out[r] = ~c;
}

__global__ void crc32_const(const uint8_t *data, uint32_t *out, int nrec) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= nrec) return;
  uint32_t c = ~0u;
  for (int i = 0; i < REC; i++) c = (c >> 8) ^ c_crc[(c ^ data[(size_t)r * REC + i]) & 255];
  out[r] = ~c;
}

__global__ void crc32_smem(const uint32_t *data, uint32_t *out, int nrec) {
  __shared__ uint32_t tab[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) tab[i] = c_crc[i];
  __syncthreads();
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= nrec) return;
  uint32_t c = ~0u;
  for (int i = 0; i < REC / 4; i++) {
    c ^= data[(size_t)r * (REC / 4) + i];
#pragma unroll
    for (int k = 0; k < 4; k++) c = (c >> 8) ^ tab[c & 255];
  }
  out[r] = ~c;
}

// slicing by four, 16 byte loads
__global__ void __launch_bounds__(128) crc32_slice4(const uint4 *data, const uint32_t *tables, uint32_t *out, int nrec) {
  __shared__ uint32_t t[4][256];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) t[i >> 8][i & 255] = tables[i];
  __syncthreads();
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= nrec) return;
  uint32_t c = ~0u;
  auto step = [&](uint32_t w) { c ^= w; c = t[3][c & 255] ^ t[2][(c >> 8) & 255] ^ t[1][(c >> 16) & 255] ^ t[0][c >> 24]; };
  for (int i = 0; i < REC / 16; i++) {
    uint4 q = data[(size_t)r * (REC / 16) + i];
    step(q.x); step(q.y); step(q.z); step(q.w);
  }
  out[r] = ~c;
}

// ------------------------------------------------------------- FNV-1a / murmur
HD uint64_t fnv1a(const uint8_t *p, int n) {
  uint64_t h = 14695981039346656037ull;
  for (int i = 0; i < n; i++) h = (h ^ p[i]) * 1099511628211ull;
  return h;
}
__global__ void fnv_records(const uint8_t *data, uint64_t *out, int nrec) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < nrec) out[r] = fnv1a(data + (size_t)r * REC, 64);
}
HD uint64_t fmix64(uint64_t k) {
  k ^= k >> 33; k *= 0xff51afd7ed558ccdull; k ^= k >> 33; k *= 0xc4ceb9fe1a85ec53ull; k ^= k >> 33;
  return k;
}
__global__ void murmur_mix(const ulonglong2 *in, ulonglong2 *out, size_t n) {
  size_t stride = (size_t)gridDim.x * blockDim.x;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += stride) {
    ulonglong2 v = in[i];
    v.x = fmix64(v.x); v.y = fmix64(v.y ^ v.x);
    out[i] = v;
  }
}

// ------------------------------------------------------------- SHA-256
#define K256 0x428a2f98,0x71374491,0xb5c0fbcf,0xe9b5dba5,0x3956c25b,0x59f111f1,0x923f82a4,0xab1c5ed5, \
 0xd807aa98,0x12835b01,0x243185be,0x550c7dc3,0x72be5d74,0x80deb1fe,0x9bdc06a7,0xc19bf174, \
 0xe49b69c1,0xefbe4786,0x0fc19dc6,0x240ca1cc,0x2de92c6f,0x4a7484aa,0x5cb0a9dc,0x76f988da, \
 0x983e5152,0xa831c66d,0xb00327c8,0xbf597fc7,0xc6e00bf3,0xd5a79147,0x06ca6351,0x14292967, \
 0x27b70a85,0x2e1b2138,0x4d2c6dfc,0x53380d13,0x650a7354,0x766a0abb,0x81c2c92e,0x92722c85, \
 0xa2bfe8a1,0xa81a664b,0xc24b8b70,0xc76c51a3,0xd192e819,0xd6990624,0xf40e3585,0x106aa070, \
 0x19a4c116,0x1e376c08,0x2748774c,0x34b0bcb5,0x391c0cb3,0x4ed8aa4a,0x5b9cca4f,0x682e6ff3, \
 0x748f82ee,0x78a5636f,0x84c87814,0x8cc70208,0x90befffa,0xa4506ceb,0xbef9a3f7,0xc67178f2
__constant__ uint32_t d_K[64] = {K256};
static const uint32_t h_K[64] = {K256};
HD uint32_t rotr(uint32_t x, int n) { return (x >> n) | (x << (32 - n)); }

template <bool UNROLL>
HD void sha256_block(uint32_t *st, uint32_t *w) {
#ifdef __CUDA_ARCH__
  const uint32_t *K = d_K;
#else
  const uint32_t *K = h_K;
#endif
  uint32_t a = st[0], b = st[1], c = st[2], d = st[3], e = st[4], f = st[5], g = st[6], h = st[7];
  constexpr int U = UNROLL ? 64 : 1;
#pragma unroll U
  for (int i = 0; i < 64; i++) {
    if (i >= 16) {
      uint32_t x = w[(i + 1) & 15], y = w[(i + 14) & 15];
      w[i & 15] += (rotr(x, 7) ^ rotr(x, 18) ^ (x >> 3)) + w[(i + 9) & 15] + (rotr(y, 17) ^ rotr(y, 19) ^ (y >> 10));
    }
    uint32_t t1 = h + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g)) + K[i] + w[i & 15];
    uint32_t t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g; g = f; f = e; e = d + t1; d = c; c = b; b = a; a = t1 + t2;
  }
  st[0] += a; st[1] += b; st[2] += c; st[3] += d; st[4] += e; st[5] += f; st[6] += g; st[7] += h;
}
HD void sha_init(uint32_t *s) {
  s[0] = 0x6a09e667; s[1] = 0xbb67ae85; s[2] = 0x3c6ef372; s[3] = 0xa54ff53a; s[4] = 0x510e527f; s[5] = 0x9b05688c; s[6] = 0x1f83d9ab; s[7] = 0x5be0cd19;
}
template <bool UNROLL>
HD uint32_t sha_nonce(uint32_t nonce) {      // hash of one 64-bit message, first word
  uint32_t s[8], w[16];
  sha_init(s);
#pragma unroll
  for (int i = 0; i < 16; i++) w[i] = 0;
  w[0] = 0x626c6f63; w[1] = nonce; w[2] = 0x80000000u; w[15] = 64;
  sha256_block<UNROLL>(s, w);
  return s[0];
}
template <bool UNROLL>
__global__ void mine(uint32_t base, uint32_t count, uint32_t target, uint32_t *found, uint32_t *nfound) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  if (sha_nonce<UNROLL>(base + i) < target) {
    uint32_t slot = atomicAdd(nfound, 1);
    if (slot < 4096) found[slot] = base + i;
  }
}
// one level of a merkle tree (parent = sha of two 32-byte children, without padding block)
__global__ void merkle_level(const uint32_t *child, uint32_t *parent, int nparent) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nparent) return;
  uint32_t s[8], w[16];
  sha_init(s);
  for (int k = 0; k < 16; k++) w[k] = child[(size_t)i * 16 + k];
  sha256_block<true>(s, w);
  for (int k = 0; k < 8; k++) parent[(size_t)i * 8 + k] = s[k];
}

// ------------------------------------------------------------- ChaCha20 keystream xor
HD uint32_t rotl(uint32_t x, int n) { return (x << n) | (x >> (32 - n)); }
#define QR(a, b, c, d) a += b; d = rotl(d ^ a, 16); c += d; b = rotl(b ^ c, 12); a += b; d = rotl(d ^ a, 8); c += d; b = rotl(b ^ c, 7);
HD void chacha_block(uint32_t ctr, uint32_t *x) {
  uint32_t in[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, 1, 2, 3, 4, 5, 6, 7, 8, ctr, 0, 0x4a, 0};
#pragma unroll
  for (int i = 0; i < 16; i++) x[i] = in[i];
#pragma unroll 1
  for (int r = 0; r < 10; r++) {
    QR(x[0], x[4], x[8], x[12]) QR(x[1], x[5], x[9], x[13]) QR(x[2], x[6], x[10], x[14]) QR(x[3], x[7], x[11], x[15])
    QR(x[0], x[5], x[10], x[15]) QR(x[1], x[6], x[11], x[12]) QR(x[2], x[7], x[8], x[13]) QR(x[3], x[4], x[9], x[14])
  }
#pragma unroll
  for (int i = 0; i < 16; i++) x[i] += in[i];
}
__global__ void chacha_words(const uint32_t *in, uint32_t *out, uint32_t nblk) {
  uint32_t b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= nblk) return;
  uint32_t x[16];
  chacha_block(b, x);
#pragma unroll
  for (int i = 0; i < 16; i++) out[(size_t)b * 16 + i] = in[(size_t)b * 16 + i] ^ x[i];
}
__global__ void chacha_vec(const uint4 *in, uint4 *out, uint32_t nblk) {
  uint32_t b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= nblk) return;
  uint32_t x[16];
  chacha_block(b, x);
#pragma unroll
  for (int i = 0; i < 4; i++) {
    uint4 v = in[(size_t)b * 4 + i];
    v.x ^= x[4 * i]; v.y ^= x[4 * i + 1]; v.z ^= x[4 * i + 2]; v.w ^= x[4 * i + 3];
    out[(size_t)b * 4 + i] = v;
  }
}

int main() {
  const int nrec = 50000;
  const size_t bytes = (size_t)nrec * REC;
  std::vector<uint8_t> data(bytes);
  uint64_t s = 88172645463325252ull;
  for (size_t i = 0; i + 8 <= bytes; i += 8) { s ^= s << 13; s ^= s >> 7; s ^= s << 17; memcpy(&data[i], &s, 8); }
  uint32_t tabs[1024];
  for (int i = 0; i < 256; i++) { tabs[i] = crc_bits(0, (uint8_t)i); }
  for (int k = 1; k < 4; k++) for (int i = 0; i < 256; i++) { uint32_t p = tabs[(k - 1) * 256 + i]; tabs[k * 256 + i] = (p >> 8) ^ tabs[p & 255]; }

  uint8_t *d; uint8_t *o; uint32_t *dt;
  cudaCheck(cudaMalloc(&d, bytes)); cudaCheck(cudaMalloc(&o, bytes)); cudaCheck(cudaMalloc(&dt, sizeof tabs));
  cudaCheck(cudaMemcpy(d, data.data(), bytes, cudaMemcpyHostToDevice));
  cudaCheck(cudaMemcpy(dt, tabs, sizeof tabs, cudaMemcpyHostToDevice));
  cudaCheck(cudaMemcpyToSymbol(c_crc, tabs, 1024));
  std::vector<uint8_t> res(bytes);
  bool all = true;
  auto pull = [&](size_t n) { cudaCheck(cudaPeekAtLastError()); cudaCheck(cudaMemcpy(res.data(), o, n, cudaMemcpyDeviceToHost)); };
  auto tell = [&](const char *n, bool ok) { printf("%-16s %s\n", n, ok ? "OK" : "FAILED"); all &= ok; };

  const char *names[] = {"crc bitwise", "crc const", "crc smem", "crc slice4"};
  for (int v = 0; v < 4; v++) {
    cudaCheck(cudaMemset(o, 0, bytes));
    int tb = v == 0 ? 256 : 128, nb = (nrec + tb - 1) / tb;
    switch (v) {
      case 0: crc32_bitwise<<<nb, tb>>>(d, (uint32_t *)o, nrec); break;
      case 1: crc32_const<<<nb, tb>>>(d, (uint32_t *)o, nrec); break;
      case 2: crc32_smem<<<nb, tb>>>((uint32_t *)d, (uint32_t *)o, nrec); break;
      case 3: crc32_slice4<<<nb, tb>>>((uint4 *)d, dt, (uint32_t *)o, nrec); break;
    }
    pull(nrec * 4);
    bool ok = true;
    for (int r = 0; r < nrec; r += 331) {
      uint32_t c = ~0u;
      for (int i = 0; i < REC; i++) c = crc_bits(c, data[(size_t)r * REC + i]);
      ok &= ((uint32_t *)res.data())[r] == ~c;
    }
    tell(names[v], ok);
  }
  fnv_records<<<(nrec + 255) / 256, 256>>>(d, (uint64_t *)o, nrec);
  pull(nrec * 8);
  bool ok = true;
  for (int r = 0; r < nrec; r += 77) ok &= ((uint64_t *)res.data())[r] == fnv1a(&data[(size_t)r * REC], 64);
  tell("fnv1a", ok);

  murmur_mix<<<528, 256>>>((ulonglong2 *)d, (ulonglong2 *)o, bytes / 16);
  pull(bytes);
  ok = true;
  for (size_t i = 0; i < bytes / 16; i += 501) {
    const uint64_t *a = (const uint64_t *)&data[i * 16], *b = (const uint64_t *)&res[i * 16];
    ok &= b[0] == fmix64(a[0]) && b[1] == fmix64(a[1] ^ b[0]);
  }
  tell("murmur mix", ok);

  const uint32_t count = 1000000, target = 1u << 22;   // about 1 in 1024
  uint32_t ref = 0;
  for (uint32_t i = 0; i < 20000; i++) ref += sha_nonce<false>(7u + i) < target;
  for (int v = 0; v < 3; v++) {
    cudaCheck(cudaMemset(o, 0, 4 * 5000));
    uint32_t *f = (uint32_t *)o, *nf = f + 4096;
    if (v == 0) mine<false><<<(count + 255) / 256, 256>>>(7, count, target, f, nf);
    if (v == 1) mine<true><<<(count + 255) / 256, 256>>>(7, count, target, f, nf);
    if (v == 2) mine<true><<<(count + 63) / 64, 64>>>(7, count, target, f, nf);
    pull(4 * 5000);
    const uint32_t *h = (const uint32_t *)res.data();
    uint32_t nfound = h[4096], low = 0;
    ok = nfound > 500 && nfound < 2000;
    for (uint32_t i = 0; i < nfound && i < 4096; i++) { low += h[i] < 20007u; ok &= sha_nonce<true>(h[i]) < target; }
    tell(v == 0 ? "mine loop" : v == 1 ? "mine unrolled" : "mine tb=64", ok && low == ref);
  }

  const int nparent = (int)(bytes / 64);
  merkle_level<<<(nparent + 127) / 128, 128>>>((uint32_t *)d, (uint32_t *)o, nparent);
  pull((size_t)nparent * 32);
  ok = true;
  for (int i = 0; i < nparent; i += 997) {
    uint32_t st[8], w[16];
    sha_init(st); memcpy(w, &data[(size_t)i * 64], 64); sha256_block<false>(st, w);
    ok &= !memcmp(st, &res[(size_t)i * 32], 32);
  }
  tell("merkle level", ok);

  for (int v = 0; v < 2; v++) {
    cudaCheck(cudaMemset(o, 0, bytes));
    uint32_t nblk = (uint32_t)(bytes / 64);
    if (v == 0) chacha_words<<<(nblk + 255) / 256, 256>>>((uint32_t *)d, (uint32_t *)o, nblk);
    else chacha_vec<<<(nblk + 191) / 192, 192>>>((uint4 *)d, (uint4 *)o, nblk);
    pull(bytes);
    ok = true;
    for (uint32_t b = 0; b < nblk; b += 643) {
      uint32_t x[16]; chacha_block(b, x);
      for (int i = 0; i < 16; i++) ok &= ((uint32_t *)res.data())[b * 16 + i] == (((uint32_t *)data.data())[b * 16 + i] ^ x[i]);
    }
    tell(v ? "chacha uint4" : "chacha words", ok);
  }
  cudaFree(d); cudaFree(o); cudaFree(dt);
  puts(all ? "PASS" : "FAIL");
  return all ? 0 : 1;
}
