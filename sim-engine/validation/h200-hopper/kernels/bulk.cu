// The bulk copy engine without a tensor map: rows of memory to shared memory and back, waited for at an mbarrier.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                  \
  do {                                                                               \
    cudaError_t error = (call);                                                      \
    if (error != cudaSuccess) {                                                      \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
      exit(1);                                                                       \
    }                                                                                \
  } while (0)

__device__ __forceinline__ uint32_t sharedAddress(const void *p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

__device__ __forceinline__ void initBarrier(uint64_t *barrier, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(sharedAddress(barrier)), "r"(count));
}

__device__ __forceinline__ void expectBytes(uint64_t *barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(sharedAddress(barrier)), "r"(bytes) : "memory");
}

__device__ __forceinline__ void waitBarrier(uint64_t *barrier, int parity) {
  asm volatile(
      "{\n"
      ".reg .pred P1;\n"
      "LAB_WAIT:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n"
      "@P1 bra.uni DONE;\n"
      "bra.uni LAB_WAIT;\n"
      "DONE:\n"
      "}\n" ::"r"(sharedAddress(barrier)), "r"(parity) : "memory");
}

__device__ __forceinline__ void bulkLoad(void *to, const void *from, uint32_t bytes, uint64_t *barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(sharedAddress(to)), "l"(from),
               "r"(bytes), "r"(sharedAddress(barrier))
               : "memory");
}

__device__ __forceinline__ void bulkStore(void *to, const void *from, uint32_t bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(sharedAddress(from)), "r"(bytes) : "memory");
}

// Each block scales one tile: it comes by one bulk copy and goes by another.
template <int TILE>
__global__ void scaleTile(const float *in, float *out, float factor) {
  __shared__ __align__(128) float tile[TILE];
  __shared__ __align__(8) uint64_t barrier;
  if (threadIdx.x == 0) initBarrier(&barrier, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    expectBytes(&barrier, TILE * sizeof(float));
    bulkLoad(tile, in + static_cast<size_t>(blockIdx.x) * TILE, TILE * sizeof(float), &barrier);
  }
  waitBarrier(&barrier, 0);
  for (int i = threadIdx.x; i < TILE; i += blockDim.x) tile[i] *= factor;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    bulkStore(out + static_cast<size_t>(blockIdx.x) * TILE, tile, TILE * sizeof(float));
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

// Sums of rows: persistent blocks, STAGES rows on their way.
template <int STAGES, int WIDTH>
__global__ void __launch_bounds__(128) rowSums(const float *in, float *sums, int rows) {
  extern __shared__ __align__(128) float buffer[];
  __shared__ __align__(8) uint64_t full[STAGES];
  __shared__ float part[4];
  if (threadIdx.x == 0)
    for (int s = 0; s < STAGES; s++) initBarrier(&full[s], 1);
  __syncthreads();
  int next = blockIdx.x;
  if (threadIdx.x == 0)
    for (int s = 0; s < STAGES && next + s * gridDim.x < rows; s++) {
      expectBytes(&full[s], WIDTH * sizeof(float));
      bulkLoad(buffer + s * WIDTH, in + static_cast<size_t>(next + s * gridDim.x) * WIDTH, WIDTH * sizeof(float), &full[s]);
    }
  int stage = 0, parity = 0;
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    waitBarrier(&full[stage], parity);
    float sum = 0;
    for (int i = threadIdx.x; i < WIDTH; i += 128) sum += buffer[stage * WIDTH + i];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
      sums[row] = part[0] + part[1] + part[2] + part[3];
      const int later = row + STAGES * gridDim.x;
      if (later < rows) {
        expectBytes(&full[stage], WIDTH * sizeof(float));
        bulkLoad(buffer + stage * WIDTH, in + static_cast<size_t>(later) * WIDTH, WIDTH * sizeof(float), &full[stage]);
      }
    }
    __syncthreads();
    if (++stage == STAGES) {
      stage = 0;
      parity ^= 1;
    }
  }
}

int main() {
  const size_t n = 1 << 25;
  float *in, *out;
  CHECK(cudaMalloc(&in, n * sizeof(float)));
  CHECK(cudaMalloc(&out, n * sizeof(float)));
  CHECK(cudaMemset(in, 0, n * sizeof(float)));
  scaleTile<1024><<<n / 1024, 128>>>(in, out, 2.0f);
  scaleTile<8192><<<n / 8192, 256>>>(in, out, 2.0f);
  const int rows = n / 4096;
  const int bytes = 4 * 4096 * sizeof(float);
  CHECK(cudaFuncSetAttribute(rowSums<4, 4096>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  rowSums<4, 4096><<<264, 128, bytes>>>(in, out, rows);
  rowSums<1, 4096><<<264, 128, bytes / 4>>>(in, out, rows);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  return 0;
}
