// How many memory instructions a scheduler's warps may issue before the first is served: cycles in which one warp issues so many, all
// independent, where each takes the data path long.
#include <cstdio>

enum Kind { sharedLoad, sharedStore, globalLoad, keptLoad, asyncCopy };

template <Kind kind, int N>
__global__ void issue(const char* source, int way, unsigned* out) {
  extern __shared__ char shared[];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  unsigned at = (unsigned)__cvta_generic_to_shared(shared) + lane * 4 * way + warp * 128;
  unsigned own = (unsigned)__cvta_generic_to_shared(shared) + warp * N * 512 + lane * 16;
  const char* from = source + (blockIdx.x * 32 + warp) * 65536 + lane * 16;
  unsigned sum = 0;
  for (int round = 0; round < 3; round++) {
    __syncthreads();
    unsigned got[N];
    unsigned begin, end;
    asm volatile("mov.u32 %0, %clock;" : "=r"(begin));
#pragma unroll
    for (int k = 0; k < N; k++) {
      if constexpr (kind == sharedLoad) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(got[k]) : "r"(at));
      if constexpr (kind == sharedStore) asm volatile("st.volatile.shared.u32 [%0], %0;" ::"r"(at));
      if constexpr (kind == globalLoad) asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(got[k]) : "l"(from + k * 512));
      // In the L1 since the first round; the words of a line one after the other.
      if constexpr (kind == keptLoad) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(got[k]) : "l"(source + lane * 4 * way + 4 * k) : "memory");
      if constexpr (kind == asyncCopy) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(own + k * 512), "l"(from + k * 512));
    }
    asm volatile("mov.u32 %0, %clock;" : "=r"(end));
    if constexpr (kind == sharedLoad || kind == globalLoad || kind == keptLoad)
#pragma unroll
      for (int k = 0; k < N; k++) sum += got[k];
    if constexpr (kind == asyncCopy) asm volatile("cp.async.wait_all;");
    if (round == 2 && lane == 0) out[warp] = end - begin;
  }
  if (sum == 12345) out[0] = sum;
}

template <Kind kind, int N>
void measure(const char* name, int way, int warps, char* source, unsigned* out) {
  cudaFuncSetAttribute(issue<kind, N>, cudaFuncAttributeMaxDynamicSharedMemorySize, 131072);
  unsigned got[32];
  issue<kind, N><<<1, warps * 32, 131072>>>(source, way, out);
  cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
  unsigned most = 0;
  for (int w = 0; w < warps; w++) most = got[w] > most ? got[w] : most;
  printf(" %d: %u", N, most);
}

template <Kind kind>
void all(const char* name, int way, char* source, unsigned* out) {
  for (int warps : {1, 4, 8}) {
    printf("%s, %2d words apart, %d warps: cycles to issue", name, way, warps);
    measure<kind, 1>(name, way, warps, source, out);
    measure<kind, 2>(name, way, warps, source, out);
    measure<kind, 3>(name, way, warps, source, out);
    measure<kind, 4>(name, way, warps, source, out);
    measure<kind, 6>(name, way, warps, source, out);
    measure<kind, 8>(name, way, warps, source, out);
    measure<kind, 10>(name, way, warps, source, out);
    measure<kind, 12>(name, way, warps, source, out);
    measure<kind, 16>(name, way, warps, source, out);
    measure<kind, 24>(name, way, warps, source, out);
    measure<kind, 32>(name, way, warps, source, out);
    printf("\n");
  }
}

int main() {
  char* source;
  unsigned* out;
  cudaMalloc(&source, 1 << 24);
  cudaMalloc(&out, 256);
  cudaMemset(source, 0, 1 << 24);
  for (int way : {1, 4, 32}) all<sharedLoad>("loads from shared memory", way, source, out);
  for (int way : {1, 32}) all<sharedStore>("stores to shared memory", way, source, out);
  all<globalLoad>("loads from global memory", 1, source, out);
  for (int way : {1, 4, 16, 32}) all<keptLoad>("loads that hit in the L1", way, source, out);
  all<asyncCopy>("copies past the L1", 4, source, out);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
