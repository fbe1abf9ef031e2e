// Bulk copies of 16 bytes that lanes of a warp make each for itself: cycles of an instruction, by lanes that take part.
#include <cstdint>
#include <cstdio>
__device__ uint32_t sharedAddress(const void *p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }
__device__ void waitParity(uint32_t barrier, int parity) {
  uint32_t done = 0;
  while (!done)
    asm volatile("{ .reg .pred q; mbarrier.try_wait.parity.shared::cta.b64 q, [%1], %2; selp.u32 %0, 1, 0, q; }" : "=r"(done) : "r"(barrier), "r"(parity) : "memory");
}
__global__ void lanes(const unsigned char *in, long long *cycles, int lanesThat, int bytes, int rounds) {
  extern __shared__ __align__(1024) unsigned char memory[];
  __shared__ __align__(8) uint64_t barrier;
  const uint32_t bar = sharedAddress(&barrier);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar));
  __syncthreads();
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const long long from = clock64();
  for (int i = 0; i < rounds; i++) {
    if (threadIdx.x == 0) asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(4 * lanesThat * bytes * warps) : "memory");
    if (lane < lanesThat)
#pragma unroll
      for (int u = 0; u < 4; u++) {
        const int at = ((warp * 4 + u) * lanesThat + lane) * bytes;
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(sharedAddress(memory) + at), "l"(in + blockIdx.x * 65536 + at), "r"(bytes), "r"(bar) : "memory");
      }
    waitParity(bar, i & 1);
    __syncthreads();
  }
  if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - from;
}
int main() {
  unsigned char *in; long long *cycles;
  cudaMalloc(&in, 132 << 16); cudaMallocManaged(&cycles, 132 * 8);
  cudaFuncSetAttribute(lanes, cudaFuncAttributeMaxDynamicSharedMemorySize, 131072);
  for (int blocks : {1, 132}) for (int warps : {1, 4, 8}) for (int n : {1, 2, 8, 32}) for (int bytes : {16, 64, 128}) {
    if (warps * 4 * n * bytes > 65536) continue;
    for (int k = 0; k < 2; k++) { lanes<<<blocks, 32 * warps, 131072>>>(in, cycles, n, bytes, 200); cudaDeviceSynchronize(); }
    printf("%d blocks\t%d warps\t%d lanes\t%d bytes\t%.1f cycles a round of 4 copies a lane\t%s\n", blocks, warps, n, bytes, cycles[0] / 200.0, cudaGetErrorString(cudaGetLastError()));
  }
}
