// Work on integers: sequences of Collatz, primes, distances of words, a hash table, checksums, bits.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void collatz(int *steps, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long x = i + 1;
  int k = 0;
  while (x != 1) {
    x = x & 1 ? 3 * x + 1 : x / 2;
    k++;
  }
  steps[i] = k;
}

__global__ void countPrimes(int *count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, c = 2 * i + 3;
  bool prime = c < n;
  for (int d = 3; d * d <= c; d += 2)
    if (c % d == 0) {
      prime = false;
      break;
    }
  unsigned votes = __ballot_sync(~0u, prime);
  if ((threadIdx.x & 31) == 0) atomicAdd(count, __popc(votes));
}

// A row of the table of distances at a time; a block a pair of words.
__global__ void distances(const char *a, const char *b, int *out, int len) {
  __shared__ int row[2][257];
  __shared__ char word[256];
  int t = threadIdx.x, base = blockIdx.x * len;
  word[t] = b[base + t];
  row[0][t + 1] = t + 1;
  if (t == 0) row[0][0] = 0;
  __syncthreads();
  int w = 0;
  for (int i = 0; i < len; i++) {
    char c = a[base + i];
    if (t == 0) row[1 - w][0] = i + 1;
    int v = min(row[w][t + 1] + 1, row[w][t] + (c != word[t]));
    row[1 - w][t + 1] = v;
    __syncthreads();
    w = 1 - w;
  }
  if (t == len - 1) out[blockIdx.x] = row[w][len];
}

__global__ void insert(const unsigned *keys, unsigned *table, unsigned mask, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned key = keys[i], slot = (key * 2654435761u) & mask;
  while (true) {
    unsigned old = atomicCAS(&table[slot], 0u, key);
    if (old == 0u || old == key) break;
    slot = (slot + 1) & mask;
  }
}

__global__ void checksums(const unsigned *data, unsigned *sums, int words) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned c = ~0u;
  for (int k = 0; k < words; k++) {
    c ^= data[i * words + k];
    for (int b = 0; b < 8; b++) c = c & 1 ? (c >> 1) ^ 0xedb88320u : c >> 1;
  }
  sums[i] = ~c;
}

int main() {
  const int n = 1 << 20;
  int *a, *b;
  unsigned *keys, *table, *h = (unsigned *)malloc(n * sizeof(unsigned));
  for (int i = 0; i < n; i++) h[i] = rand() + 1u;
  char *text;
  cudaMalloc(&a, n * sizeof(int));
  cudaMalloc(&b, n * sizeof(int));
  cudaMalloc(&keys, n * sizeof(unsigned));
  cudaMalloc(&table, 2 * n * sizeof(unsigned));
  cudaMalloc(&text, 2 * 1024 * 256);
  cudaMemcpy(keys, h, n * sizeof(unsigned), cudaMemcpyHostToDevice);
  cudaMemcpy(text, h, 2 * 1024 * 256, cudaMemcpyHostToDevice);
  cudaMemset(table, 0, 2 * n * sizeof(unsigned));
  cudaMemset(b, 0, sizeof(int));
  collatz<<<n / 256, 256>>>(a, n);
  countPrimes<<<n / 256, 256>>>(b, 2 * n);
  distances<<<1024, 256>>>(text, text + 1024 * 256, a, 256);
  insert<<<n / 256, 256>>>(keys, table, 2 * n - 1, n);
  checksums<<<n / 16 / 128, 128>>>(keys, (unsigned *)a, 16);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
