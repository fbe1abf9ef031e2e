// Sums in shared memory that are loops of compare-and-swap (floats, doubles, words of 64 bits): lanes at words so many apart, lanes that share a
// word, and words at random; a word for each warp's lane, or the same words for all warps of the block. To be run under ncu, which counts turns.
#include <cstdio>
typedef unsigned long long u64;
enum Place { apart, alike, anywhere };
template <typename T>
__global__ void sums(Place place, int by, int own, int turns, T* out, long long* cycles) {
  extern __shared__ char room[];
  T* words = (T*)room;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, reach = 32 * 32;
  for (int i = threadIdx.x; i < (own ? reach * (blockDim.x / 32) : reach); i += blockDim.x) words[i] = 0;
  __syncthreads();
  int at = place == apart ? lane * by % reach + lane * by / reach : lane / by;
  unsigned state = threadIdx.x * 747796405u + 2891336453u;
  T* mine = words + (own ? warp * reach : 0);
  long long from = clock64();
#pragma unroll 1
  for (int k = 0; k < turns; k++) {
    if (place == anywhere) {
      state = state * 1664525u + 1013904223u;
      at = (state >> 8) % by;
    }
    atomicAdd(&mine[at], (T)1);
    __syncwarp();
  }
  long long to = clock64();
  __syncthreads();
  if (threadIdx.x == 0) cycles[blockIdx.x] = to - from;
  for (int i = threadIdx.x; i < reach; i += blockDim.x) out[i] = words[i];
}
static void* out;
static long long* cycles;
template <typename T>
void run(const char* type, const char* name, Place place, int by, int own, int warps) {
  const int turns = 512;
  int bytes = sizeof(T) * 1024 * (own ? warps : 1);
  if (bytes > 200 << 10) return;
  cudaFuncSetAttribute(sums<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  sums<T><<<1, warps * 32, bytes>>>(place, by, own, turns, (T*)out, cycles);
  cudaDeviceSynchronize();
  printf("%s %s %d %s warps %d cycles/sum %.1f\n", type, name, by, own ? "own" : "common", warps, (double)cycles[0] / turns);
}
template <typename T>
void all(const char* type) {
  for (int own = 1; own >= 0; own--)
    for (int warps : {1, 4, 16}) {
      for (int by : {1, 2, 4, 8, 16, 32}) run<T>(type, "apart", apart, by, own, warps);
      for (int by : {2, 4, 8, 32}) run<T>(type, "alike", alike, by, own, warps);
      for (int by : {32, 256, 1000}) run<T>(type, "anywhere", anywhere, by, own, warps);
    }
}
int main() {
  cudaMalloc(&out, 1 << 20);
  cudaMallocManaged(&cycles, 1 << 12);
  all<float>("float");
  all<u64>("u64");
  all<double>("double");
  puts(cudaGetErrorString(cudaGetLastError()));
}
