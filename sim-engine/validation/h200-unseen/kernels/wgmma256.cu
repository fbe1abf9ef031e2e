// A Hopper product of tiles of 128 × 256 on clusters of two blocks that share the rows of B by multicast, and one without clusters.
// C = A · Bᵀ; A is M × K, B is N × K, both by rows.
#include <cuda.h>
#include <cuda_fp16.h>
#include <cudaTypedefs.h>
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

__device__ __forceinline__ void barrierInit(uint64_t *barrier, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(sharedAddress(barrier)), "r"(count));
}
__device__ __forceinline__ void expectBytes(uint64_t *barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(sharedAddress(barrier)), "r"(bytes) : "memory");
}
__device__ __forceinline__ void arrive(uint64_t *barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(sharedAddress(barrier)) : "memory");
}
__device__ __forceinline__ void waitBarrier(uint64_t *barrier, int parity) {
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "spin:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
      "@p bra done;\n"
      "bra spin;\n"
      "done:\n"
      "}\n" ::"r"(sharedAddress(barrier)), "r"(parity) : "memory");
}

// A box of the matrix that the map describes, to shared memory; its bytes are counted at the barrier.
__device__ __forceinline__ void loadBox(void *to, const CUtensorMap *map, int x, int y, uint64_t *barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(sharedAddress(to)),
      "l"(map), "r"(sharedAddress(barrier)), "r"(x), "r"(y)
      : "memory");
}

// What wgmma reads its operand by: 128-byte swizzle, eight rows 1,024 bytes apart.
__device__ __forceinline__ uint64_t descriptor(const half *p) {
  const uint64_t address = sharedAddress(p);
  return ((address & 0x3FFFF) >> 4) | (1ull << 16) | (64ull << 32) | (1ull << 62);
}
__device__ __forceinline__ void fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int N>
__device__ __forceinline__ void waitGroups() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}

__device__ __forceinline__ void loadShared(void *to, const CUtensorMap *map, int x, int y, uint64_t *barrier, uint16_t blocks) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(
          sharedAddress(to)),
      "l"(map), "r"(sharedAddress(barrier)), "r"(x), "r"(y), "h"(blocks)
      : "memory");
}
__device__ __forceinline__ void arriveAt(uint64_t *barrier, uint32_t block) {
  asm volatile(
      "{\n"
      ".reg .b32 there;\n"
      "mapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n"
      "}\n" ::"r"(sharedAddress(barrier)), "r"(block) : "memory");
}
__device__ __forceinline__ void multiply256(float (&d)[16][8], uint64_t a, uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      " %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      " %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      " %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
      " %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
      " %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
      " %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
      " %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
      "%128, %129, %130, 1, 1, 0, 0;"
      :"+f"(d[0][0]), "+f"(d[0][1]), "+f"(d[0][2]), "+f"(d[0][3]), "+f"(d[0][4]), "+f"(d[0][5]), "+f"(d[0][6]), "+f"(d[0][7]),
        "+f"(d[1][0]), "+f"(d[1][1]), "+f"(d[1][2]), "+f"(d[1][3]), "+f"(d[1][4]), "+f"(d[1][5]), "+f"(d[1][6]), "+f"(d[1][7]),
        "+f"(d[2][0]), "+f"(d[2][1]), "+f"(d[2][2]), "+f"(d[2][3]), "+f"(d[2][4]), "+f"(d[2][5]), "+f"(d[2][6]), "+f"(d[2][7]),
        "+f"(d[3][0]), "+f"(d[3][1]), "+f"(d[3][2]), "+f"(d[3][3]), "+f"(d[3][4]), "+f"(d[3][5]), "+f"(d[3][6]), "+f"(d[3][7]),
        "+f"(d[4][0]), "+f"(d[4][1]), "+f"(d[4][2]), "+f"(d[4][3]), "+f"(d[4][4]), "+f"(d[4][5]), "+f"(d[4][6]), "+f"(d[4][7]),
        "+f"(d[5][0]), "+f"(d[5][1]), "+f"(d[5][2]), "+f"(d[5][3]), "+f"(d[5][4]), "+f"(d[5][5]), "+f"(d[5][6]), "+f"(d[5][7]),
        "+f"(d[6][0]), "+f"(d[6][1]), "+f"(d[6][2]), "+f"(d[6][3]), "+f"(d[6][4]), "+f"(d[6][5]), "+f"(d[6][6]), "+f"(d[6][7]),
        "+f"(d[7][0]), "+f"(d[7][1]), "+f"(d[7][2]), "+f"(d[7][3]), "+f"(d[7][4]), "+f"(d[7][5]), "+f"(d[7][6]), "+f"(d[7][7]),
        "+f"(d[8][0]), "+f"(d[8][1]), "+f"(d[8][2]), "+f"(d[8][3]), "+f"(d[8][4]), "+f"(d[8][5]), "+f"(d[8][6]), "+f"(d[8][7]),
        "+f"(d[9][0]), "+f"(d[9][1]), "+f"(d[9][2]), "+f"(d[9][3]), "+f"(d[9][4]), "+f"(d[9][5]), "+f"(d[9][6]), "+f"(d[9][7]),
        "+f"(d[10][0]), "+f"(d[10][1]), "+f"(d[10][2]), "+f"(d[10][3]), "+f"(d[10][4]), "+f"(d[10][5]), "+f"(d[10][6]), "+f"(d[10][7]),
        "+f"(d[11][0]), "+f"(d[11][1]), "+f"(d[11][2]), "+f"(d[11][3]), "+f"(d[11][4]), "+f"(d[11][5]), "+f"(d[11][6]), "+f"(d[11][7]),
        "+f"(d[12][0]), "+f"(d[12][1]), "+f"(d[12][2]), "+f"(d[12][3]), "+f"(d[12][4]), "+f"(d[12][5]), "+f"(d[12][6]), "+f"(d[12][7]),
        "+f"(d[13][0]), "+f"(d[13][1]), "+f"(d[13][2]), "+f"(d[13][3]), "+f"(d[13][4]), "+f"(d[13][5]), "+f"(d[13][6]), "+f"(d[13][7]),
        "+f"(d[14][0]), "+f"(d[14][1]), "+f"(d[14][2]), "+f"(d[14][3]), "+f"(d[14][4]), "+f"(d[14][5]), "+f"(d[14][6]), "+f"(d[14][7]),
        "+f"(d[15][0]), "+f"(d[15][1]), "+f"(d[15][2]), "+f"(d[15][3]), "+f"(d[15][4]), "+f"(d[15][5]), "+f"(d[15][6]), "+f"(d[15][7])
      : "l"(a), "l"(b), "n"(1));
}

constexpr int BM = 128, BN = 256, BK = 64;

// CLUSTER blocks, one above the other, take the same columns: each brings its part of B for all of them.
template <int STAGES, int CLUSTER>
__global__ void __launch_bounds__(384, 1) product(const __grid_constant__ CUtensorMap mapA, const __grid_constant__ CUtensorMap mapB, half *c,
                                                  int n, int k) {
  extern __shared__ __align__(1024) unsigned char pool[];
  half *as = reinterpret_cast<half *>(pool), *bs = as + STAGES * BM * BK;
  __shared__ __align__(8) uint64_t full[STAGES], empty[STAGES];
  uint32_t rank = 0;
  if (CLUSTER > 1) asm volatile("mov.u32 %0, %cluster_ctarank;" : "=r"(rank));
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; s++) {
      barrierInit(&full[s], 1);
      barrierInit(&empty[s], 2 * CLUSTER);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  if (CLUSTER > 1) {
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  } else {
    __syncthreads();
  }
  const int group = threadIdx.x / 128, steps = k / BK;
  const int row = blockIdx.x * BM, col = blockIdx.y * BN;
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
    if (threadIdx.x == 0)
      for (int step = 0; step < steps; step++) {
        const int s = step % STAGES;
        waitBarrier(&empty[s], step / STAGES & 1 ^ 1);
        expectBytes(&full[s], (BM + BN) * BK * sizeof(half));
        loadBox(as + s * BM * BK, &mapA, step * BK, row, &full[s]);
        if (CLUSTER == 1) {
          loadBox(bs + s * BN * BK, &mapB, step * BK, col, &full[s]);
          loadBox(bs + s * BN * BK + 128 * BK, &mapB, step * BK, col + 128, &full[s]);
        } else {
          loadShared(bs + s * BN * BK + rank * 128 * BK, &mapB, step * BK, col + rank * 128, &full[s], 3);
        }
      }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
    float d[16][8] = {};
    for (int step = 0; step < steps; step++) {
      const int s = step % STAGES;
      waitBarrier(&full[s], step / STAGES & 1);
      fence();
#pragma unroll
      for (int i = 0; i < BK / 16; i++)
        multiply256(d, descriptor(as + s * BM * BK + (group - 1) * 64 * BK + i * 16), descriptor(bs + s * BN * BK + i * 16));
      commit();
      waitGroups<0>();
      if (CLUSTER == 1) {
        if (threadIdx.x % 128 == 0) arrive(&empty[s]);
      } else if (threadIdx.x % 128 < CLUSTER) {
        arriveAt(&empty[s], threadIdx.x % 128);
      }
    }
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
    half *to = c + static_cast<size_t>(row + (group - 1) * 64 + warp * 16 + lane / 4) * n + col + lane % 4 * 2;
#pragma unroll
    for (int w = 0; w < BN / 16; w++) {
      *reinterpret_cast<half2 *>(to + w * 16) = __floats2half2_rn(d[w][0], d[w][1]);
      *reinterpret_cast<half2 *>(to + w * 16 + 8 * n) = __floats2half2_rn(d[w][2], d[w][3]);
      *reinterpret_cast<half2 *>(to + w * 16 + 8) = __floats2half2_rn(d[w][4], d[w][5]);
      *reinterpret_cast<half2 *>(to + w * 16 + 8 * n + 8) = __floats2half2_rn(d[w][6], d[w][7]);
    }
  }
  if (CLUSTER > 1) {
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  }
}

// A map of a row-major matrix, in boxes of `boxRows` × 64 values.
CUtensorMap mapOf(const half *data, int rows, int columns, int boxRows) {
  CUtensorMap map;
  cuuint64_t size[2] = {static_cast<cuuint64_t>(columns), static_cast<cuuint64_t>(rows)};
  cuuint64_t stride[1] = {columns * sizeof(half)};
  cuuint32_t box[2] = {64, static_cast<cuuint32_t>(boxRows)};
  cuuint32_t step[2] = {1, 1};
  const CUresult result = cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, const_cast<half *>(data), size, stride, box, step,
                                                 CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                                 CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) {
    fprintf(stderr, "cuTensorMapEncodeTiled: %d\n", result);
    exit(1);
  }
  return map;
}

int main() {
  const int m = 2048, n = 4096, k = 2048;
  half *a, *b, *c;
  CHECK(cudaMalloc(&a, static_cast<size_t>(m) * k * sizeof(half)));
  CHECK(cudaMalloc(&b, static_cast<size_t>(n) * k * sizeof(half)));
  CHECK(cudaMalloc(&c, static_cast<size_t>(m) * n * sizeof(half)));
  CHECK(cudaMemset(a, 0, static_cast<size_t>(m) * k * sizeof(half)));
  CHECK(cudaMemset(b, 0, static_cast<size_t>(n) * k * sizeof(half)));
  const CUtensorMap mapA = mapOf(a, m, k, BM), mapB = mapOf(b, n, k, 128);
  const int bytes = 3 * (BM + BN) * BK * sizeof(half);
  CHECK(cudaFuncSetAttribute(product<3, 1>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  product<3, 1><<<dim3(m / BM, n / BN), 384, bytes>>>(mapA, mapB, c, n, k);

  CHECK(cudaFuncSetAttribute(product<3, 2>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(m / BM, n / BN);
  config.blockDim = dim3(384);
  config.dynamicSmemBytes = bytes;
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 2;
  attribute.val.clusterDim.y = 1;
  attribute.val.clusterDim.z = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, product<3, 2>, mapA, mapB, c, n, k));
  CHECK(cudaDeviceSynchronize());
  return 0;
}
