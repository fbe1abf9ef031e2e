// Loops of compare-and-swap: how long a success takes and how many tries it needs, by how many warps want the same words.
#include <cstdio>
#include <cuda_runtime.h>

// Each thread adds `times` times to the word of its own among `words`: lanes side by side, warps one behind the other.
__global__ void adds(unsigned* at, int words, int times, int gap, unsigned long long* tries, long long* cycles) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned* word = at + (long long)(thread % words) * gap;
  unsigned long long own = 0;
  long long begin = clock64();
  for (int k = 0; k < times; k++) {
    unsigned old = *(volatile unsigned*)word, assumed;
    do {
      assumed = old;
      old = atomicCAS(word, assumed, __float_as_uint(__uint_as_float(assumed) + 1.0f));
      own++;
    } while (old != assumed);
  }
  long long end = clock64();
  atomicAdd(tries, own);
  if (threadIdx.x % 32 == 0) atomicMax(cycles, end - begin);
}

int main() {
  unsigned* at;
  unsigned long long* tries;
  long long* cycles;
  cudaMalloc(&at, 64 << 20);
  cudaMalloc(&tries, 8);
  cudaMalloc(&cycles, 8);
  auto one = [&](int blocks, int threads, int words, int gap, int times) {
    cudaMemset(at, 0, 64 << 20);
    cudaMemset(tries, 0, 8);
    cudaMemset(cycles, 0, 8);
    adds<<<blocks, threads>>>(at, words, times, gap, tries, cycles);
    unsigned long long t;
    long long c;
    cudaMemcpy(&t, tries, 8, cudaMemcpyDeviceToHost);
    cudaMemcpy(&c, cycles, 8, cudaMemcpyDeviceToHost);
    double sum = (double)blocks * threads * times;
    printf("blocks %d threads %d words %d apart %d times %d: cycles %lld, tries per success %.2f, cycles per success of a word %.1f\n", blocks, threads, words, 4 * gap, times, c,
           t / sum, c / (sum / words));
  };
  one(1, 32, 32, 1, 4);
  for (int threads : {1, 2, 4, 8, 16, 32}) one(1, threads, 1, 1, 16);
  for (int words : {1, 2, 4, 8, 16, 32}) one(1, 32, words, 1, 16);
  for (int threads : {64, 256, 1024})
    for (int words : {1, 32}) one(1, threads, words, 1, 16);
  for (int gap : {1, 8})
    for (int words : {1, 32, 256, 2048, 32768, 262144})
      for (int blocks : {2, 4, 16, 66, 132, 528, 2112})
        if (words <= blocks * 32 && (gap == 1 || words == 32 || words == 2048)) one(blocks, 32, words, gap, 8);
  for (int words : {1, 32, 1024, 32768})
    for (int blocks : {132, 264}) one(blocks, 1024, words, 1, 4);
  puts(cudaGetErrorString(cudaGetLastError()));
}
