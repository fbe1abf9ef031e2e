// Latency of atomics in global memory that return, one thread an SM, each on words of its own: a chain, over SMs and places.
#include <cstdio>
#include <cuda_runtime.h>
enum Kind { load, swapMade, add64, swap64Made, swap64NotMade, addDouble };
const char* names[] = {"load past the L1", "cas that stores", "add 64", "cas 64 that stores", "cas 64 that does not", "double add"};
template <int K> __global__ void chain(unsigned long long* at, int stride, int times, long long* cycles, int sms) {
  if (threadIdx.x != 0) return;
  unsigned long long* word = at + (long long)blockIdx.x * stride;
  unsigned long long sum = 0;
  for (int round = 0; round < 2; round++) {
    long long begin = clock64();
    for (int k = 0; k < times; k++) {
      unsigned long long* p = word + (sum & (1ull << 62) ? 1 : 0);
      unsigned long long got;
      if constexpr (K == load) got = __ldcg(p);
      else if constexpr (K == swapMade) got = atomicCAS((unsigned*)p, (unsigned)sum, (unsigned)sum + 1);
      else if constexpr (K == add64) got = atomicAdd(p, 1ull);
      else if constexpr (K == swap64Made) got = atomicCAS(p, sum, sum + 1);
      else if constexpr (K == swap64NotMade) got = atomicCAS(p, ~0ull, 5ull);
      else got = (unsigned long long)(long long)atomicAdd((double*)p, 1.0);
      sum = got + (K == swapMade || K == swap64Made ? 1 : 0);
    }
    long long end = clock64();
    if (round == 1) cycles[blockIdx.x] = end - begin + (sum == 12345678901ull);
  }
}
int main() {
  unsigned long long* at; long long* cycles; static long long host[132];
  cudaMalloc(&at, 64 << 20); cudaMalloc(&cycles, sizeof host);
  auto one = [&](auto kernel, int kind, int blocks, int stride) {
    cudaMemset(at, 0, 64 << 20);
    kernel<<<blocks, 32>>>(at, stride, 256, cycles, blocks);
    cudaMemcpy(host, cycles, sizeof host, cudaMemcpyDeviceToHost);
    double sum = 0, least = 1e9, most = 0;
    for (int b = 0; b < blocks; b++) { double c = host[b] / 256.0; sum += c; if (c < least) least = c; if (c > most) most = c; }
    printf("%s, %d SMs, words %d bytes apart: mean %.1f, least %.1f, most %.1f cycles\n", names[kind], blocks, stride * 8, sum / blocks, least, most);
  };
  for (int blocks : {1, 132}) for (int stride : {4, 512, 8192}) {
    one(chain<load>, load, blocks, stride);
    one(chain<swapMade>, swapMade, blocks, stride); one(chain<add64>, add64, blocks, stride);
    one(chain<swap64Made>, swap64Made, blocks, stride); one(chain<swap64NotMade>, swap64NotMade, blocks, stride); one(chain<addDouble>, addDouble, blocks, stride);
  }
  puts(cudaGetErrorString(cudaDeviceSynchronize()));
}
