// Copies that the hardware makes on Hopper, in programs of their own: a softmax over rows in shared memory, a sum over a cluster, boxes.
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
namespace cg = cooperative_groups;

#define OK(call)                                                                 \
  if (cudaError_t e = (call)) {                                                  \
    fprintf(stderr, "%d: %s\n", __LINE__, cudaGetErrorString(e));                \
    exit(1);                                                                     \
  }

// A row a block: brought whole by one bulk copy, read three times from shared memory.
__global__ void softmaxRow(const float *x, float *y, int width) {
  extern __shared__ __align__(16) float row[];
  __shared__ __align__(8) uint64_t ready;
  __shared__ float part[8];
  const uint32_t bar = static_cast<uint32_t>(__cvta_generic_to_shared(&ready)), to = static_cast<uint32_t>(__cvta_generic_to_shared(row));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar));
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar), "r"(width * 4));
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(x + static_cast<size_t>(blockIdx.x) * width), "r"(width * 4), "r"(bar)
                 : "memory");
  }
  __syncthreads();
  uint32_t done = 0;
  while (!done)
    asm volatile(
        "{ .reg .pred q; mbarrier.try_wait.parity.shared.b64 q, [%1], 0; selp.u32 %0, 1, 0, q; }" : "=r"(done) : "r"(bar) : "memory");
  float top = -1e30f, sum = 0;
  for (int i = threadIdx.x; i < width; i += 256) top = fmaxf(top, row[i]);
  for (int o = 16; o; o >>= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, o));
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = top;
  __syncthreads();
  for (int i = 0; i < 8; i++) top = fmaxf(top, part[i]);
  __syncthreads();
  for (int i = threadIdx.x; i < width; i += 256) sum += row[i] = __expf(row[i] - top);
  for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
  for (int i = 0; i < 8; i++) sum += part[i];
  for (int i = threadIdx.x; i < width; i += 256) y[static_cast<size_t>(blockIdx.x) * width + i] = row[i] / sum;
}

// The same tile scheme by the library: cuda::barrier and cuda::device::memcpy_async_tx.
__global__ void addOne(const int *x, int *y) {
  __shared__ alignas(16) int tile[2048];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  cuda::barrier<cuda::thread_scope_block>::arrival_token token;
  if (threadIdx.x == 0) {
    cuda::device::memcpy_async_tx(tile, x + static_cast<size_t>(blockIdx.x) * 2048, cuda::aligned_size_t<16>(sizeof(tile)), bar);
    token = cuda::device::barrier_arrive_tx(bar, 1, sizeof(tile));
  } else {
    token = bar.arrive();
  }
  bar.wait(std::move(token));
  for (int i = threadIdx.x; i < 2048; i += blockDim.x) y[static_cast<size_t>(blockIdx.x) * 2048 + i] = tile[i] + 1;
}

// A column's sum over a cluster of four blocks, each writes its part into the first one's shared memory.
__global__ void __cluster_dims__(1, 4, 1) columnSums(const float *x, float *sums, int rows, int width) {
  __shared__ float parts[4][128];
  cg::cluster_group cluster = cg::this_cluster();
  const int column = blockIdx.x * 128 + threadIdx.x, rank = cluster.block_rank();
  float s = 0;
  for (int r = blockIdx.y; r < rows; r += gridDim.y) s += x[static_cast<size_t>(r) * width + column];
  float *first = cluster.map_shared_rank(&parts[0][0], 0);
  first[rank * 128 + threadIdx.x] = s;
  cluster.sync();
  if (rank == 0) atomicAdd(&sums[column], parts[0][threadIdx.x] + parts[1][threadIdx.x] + parts[2][threadIdx.x] + parts[3][threadIdx.x]);
}

int main() {
  const int rows = 8192, width = 4096;
  float *x, *y;
  OK(cudaMalloc(&x, static_cast<size_t>(rows) * width * sizeof(float)));
  OK(cudaMalloc(&y, static_cast<size_t>(rows) * width * sizeof(float)));
  OK(cudaMemset(x, 0, static_cast<size_t>(rows) * width * sizeof(float)));
  OK(cudaMemset(y, 0, static_cast<size_t>(rows) * width * sizeof(float)));
  softmaxRow<<<rows, 256, width * sizeof(float)>>>(x, y, width);
  addOne<<<rows * width / 2048, 256>>>((const int *)x, (int *)y);
  columnSums<<<dim3(width / 128, 16), 128>>>(x, y, rows, width);
  OK(cudaDeviceSynchronize());
  return 0;
}
