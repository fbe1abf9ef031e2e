#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned char byte;
#define ROTR(x, n) (((x) >> (n)) | ((x) << (32 - (n))))

__constant__ uint32_t crcTable[256];
__constant__ uint32_t k256[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__global__ void sha256Blocks(const uint32_t *messages, uint32_t *digests, int count) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= count) return;
  uint32_t w[64];
#pragma unroll
  for (int i = 0; i < 16; i++) w[i] = messages[i * count + id];
#pragma unroll
  for (int i = 16; i < 64; i++) {
    uint32_t s0 = ROTR(w[i - 15], 7) ^ ROTR(w[i - 15], 18) ^ (w[i - 15] >> 3);
    uint32_t s1 = ROTR(w[i - 2], 17) ^ ROTR(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  uint32_t a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a, e = 0x510e527f, f = 0x9b05688c, g = 0x1f83d9ab, h = 0x5be0cd19;
#pragma unroll
  for (int i = 0; i < 64; i++) {
    uint32_t t1 = h + (ROTR(e, 6) ^ ROTR(e, 11) ^ ROTR(e, 25)) + ((e & f) ^ (~e & g)) + k256[i] + w[i];
    uint32_t t2 = (ROTR(a, 2) ^ ROTR(a, 13) ^ ROTR(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g; g = f; f = e; e = d + t1; d = c; c = b; b = a; a = t1 + t2;
  }
  digests[id * 8 + 0] = a + 0x6a09e667;
  digests[id * 8 + 1] = b + 0xbb67ae85;
  digests[id * 8 + 2] = c + 0x3c6ef372;
  digests[id * 8 + 3] = d + 0xa54ff53a;
  digests[id * 8 + 4] = e + 0x510e527f;
  digests[id * 8 + 5] = f + 0x9b05688c;
  digests[id * 8 + 6] = g + 0x1f83d9ab;
  digests[id * 8 + 7] = h + 0x5be0cd19;
}

__global__ void crcLines(const byte *text, uint32_t *crcs, int lineLength, int lines) {
  int line = blockIdx.x * blockDim.x + threadIdx.x;
  if (line >= lines) return;
  uint32_t crc = 0xffffffffu;
  for (int i = 0; i < lineLength; i++) crc = crcTable[(crc ^ text[line * lineLength + i]) & 0xff] ^ (crc >> 8);
  crcs[line] = ~crc;
}

__global__ void countSubstring(const char *text, int n, const char *pattern, int m, int *count) {
  __shared__ int found;
  if (threadIdx.x == 0) found = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + m <= n) {
    int k = 0;
    while (k < m && text[i + k] == pattern[k]) k++;
    if (k == m) atomicAdd(&found, 1);
  }
  __syncthreads();
  if (threadIdx.x == 0 && found) atomicAdd(count, found);
}

__global__ void toUpper(char *text, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    char c = text[i];
    if (c >= 'a' && c <= 'z') text[i] = c - 32;
  }
}

__global__ void toUpperVec(uint4 *text, int n16) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n16) return;
  uint4 v = text[i];
  unsigned *p = &v.x;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    unsigned word = p[k], mask = __vcmpgeu4(word, 0x61616161u) & __vcmpleu4(word, 0x7a7a7a7au);
    p[k] = word - (mask & 0x20202020u);
  }
  text[i] = v;
}

__global__ void editDistanceDiagonal(const char *a, const char *b, int *cur, const int *prev, const int *prev2, int diag, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > diag || i >= n) return;
  int j = diag - i;
  if (j >= n) return;
  int del = i > 0 ? prev[i - 1] + 1 : j + 1, ins = prev[i] + 1;
  int sub = (i > 0 && j > 0 ? prev2[i - 1] : max(i, j)) + (a[i] != b[j]);
  cur[i] = min(min(del, ins), sub);
}

int main(void) {
  const int n = 1 << 24, count = 1 << 16, lineLength = 80;
  uint32_t table[256];
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t c = i;
    for (int k = 0; k < 8; k++) c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
    table[i] = c;
  }
  cudaMemcpyToSymbol(crcTable, table, sizeof table);
  char *host = (char *)malloc(n);
  for (int i = 0; i < n; i++) host[i] = 'a' + rand() % 26;
  char *text, *pattern;
  uint32_t *messages, *digests, *crcs;
  int *found, *rows;
  cudaMalloc((void **)&text, n);
  cudaMalloc((void **)&pattern, 16);
  cudaMalloc((void **)&messages, count * 64);
  cudaMalloc((void **)&digests, count * 32);
  cudaMalloc((void **)&crcs, (n / lineLength) * 4);
  cudaMalloc((void **)&found, 4);
  cudaMalloc((void **)&rows, 3 * 8192 * sizeof(int));
  cudaMemcpy(text, host, n, cudaMemcpyHostToDevice);
  cudaMemcpy(pattern, "the", 3, cudaMemcpyHostToDevice);
  cudaMemset(found, 0, 4);
  cudaMemset(messages, 0, count * 64);
  cudaMemset(rows, 0, 3 * 8192 * sizeof(int));
  sha256Blocks<<<count / 128, 128>>>(messages, digests, count);
  int lines = n / lineLength;
  crcLines<<<(lines + 255) / 256, 256>>>((const byte *)text, crcs, lineLength, lines);
  countSubstring<<<(n + 255) / 256, 256>>>(text, n, pattern, 3, found);
  toUpper<<<(n + 255) / 256, 256>>>(text, n);
  toUpperVec<<<(n / 16 + 255) / 256, 256>>>((uint4 *)text, n / 16);
  editDistanceDiagonal<<<(8192 + 127) / 128, 128>>>(text, text + 8192, rows, rows + 8192, rows + 16384, 8000, 8192);
  cudaDeviceSynchronize();
  return 0;
}
