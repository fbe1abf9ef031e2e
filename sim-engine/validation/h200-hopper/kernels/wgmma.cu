// Half precision on Hopper: boxes brought by the tensor memory accelerator, products by wgmma, one warp group after the other specialised.
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

__device__ __forceinline__ void initBarrier(uint64_t *barrier, int count) {
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
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
      "@p bra done;\n"
      "bra again;\n"
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
__device__ __forceinline__ void multiply128(float (&d)[8][8], uint64_t a, uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      " %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      " %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      " %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
      "%64, %65, %66, 1, 1, 0, 0;"
      :"+f"(d[0][0]), "+f"(d[0][1]), "+f"(d[0][2]), "+f"(d[0][3]), "+f"(d[0][4]), "+f"(d[0][5]), "+f"(d[0][6]), "+f"(d[0][7]),
        "+f"(d[1][0]), "+f"(d[1][1]), "+f"(d[1][2]), "+f"(d[1][3]), "+f"(d[1][4]), "+f"(d[1][5]), "+f"(d[1][6]), "+f"(d[1][7]),
        "+f"(d[2][0]), "+f"(d[2][1]), "+f"(d[2][2]), "+f"(d[2][3]), "+f"(d[2][4]), "+f"(d[2][5]), "+f"(d[2][6]), "+f"(d[2][7]),
        "+f"(d[3][0]), "+f"(d[3][1]), "+f"(d[3][2]), "+f"(d[3][3]), "+f"(d[3][4]), "+f"(d[3][5]), "+f"(d[3][6]), "+f"(d[3][7]),
        "+f"(d[4][0]), "+f"(d[4][1]), "+f"(d[4][2]), "+f"(d[4][3]), "+f"(d[4][4]), "+f"(d[4][5]), "+f"(d[4][6]), "+f"(d[4][7]),
        "+f"(d[5][0]), "+f"(d[5][1]), "+f"(d[5][2]), "+f"(d[5][3]), "+f"(d[5][4]), "+f"(d[5][5]), "+f"(d[5][6]), "+f"(d[5][7]),
        "+f"(d[6][0]), "+f"(d[6][1]), "+f"(d[6][2]), "+f"(d[6][3]), "+f"(d[6][4]), "+f"(d[6][5]), "+f"(d[6][6]), "+f"(d[6][7]),
        "+f"(d[7][0]), "+f"(d[7][1]), "+f"(d[7][2]), "+f"(d[7][3]), "+f"(d[7][4]), "+f"(d[7][5]), "+f"(d[7][6]), "+f"(d[7][7])
      : "l"(a), "l"(b), "n"(1));
}

// Writes a warp group's 64 × N sums.
template <int N>
__device__ __forceinline__ void store(half *c, const float (&d)[N / 16][8], int ldc) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
  const int row = warp * 16 + lane / 4;
#pragma unroll
  for (int w = 0; w < N / 16; w++) {
    const int col = w * 16 + lane % 4 * 2;
    *reinterpret_cast<half2 *>(&c[row * ldc + col]) = __floats2half2_rn(d[w][0], d[w][1]);
    *reinterpret_cast<half2 *>(&c[(row + 8) * ldc + col]) = __floats2half2_rn(d[w][2], d[w][3]);
    *reinterpret_cast<half2 *>(&c[row * ldc + col + 8]) = __floats2half2_rn(d[w][4], d[w][5]);
    *reinterpret_cast<half2 *>(&c[(row + 8) * ldc + col + 8]) = __floats2half2_rn(d[w][6], d[w][7]);
  }
}

// One warp group, 64 × 128, a tile of 64 at a time.
__global__ void __launch_bounds__(128) oneGroup(const __grid_constant__ CUtensorMap mapA, const __grid_constant__ CUtensorMap mapB, half *c,
                                                int n, int k) {
  __shared__ __align__(1024) half as[64 * 64];
  __shared__ __align__(1024) half bs[128 * 64];
  __shared__ __align__(8) uint64_t full;
  if (threadIdx.x == 0) initBarrier(&full, 1);
  __syncthreads();
  const int row = blockIdx.y * 64, col = blockIdx.x * 128;
  float d[8][8] = {};
  int parity = 0;
  for (int k0 = 0; k0 < k; k0 += 64) {
    if (threadIdx.x == 0) {
      expectBytes(&full, sizeof(as) + sizeof(bs));
      loadBox(as, &mapA, k0, row, &full);
      loadBox(bs, &mapB, k0, col, &full);
    }
    waitBarrier(&full, parity);
    parity ^= 1;
    fence();
#pragma unroll
    for (int s = 0; s < 4; s++) multiply128(d, descriptor(as + s * 16), descriptor(bs + s * 16));
    commit();
    waitGroups<0>();
    __syncthreads();
  }
  store<128>(c + static_cast<size_t>(row) * n + col, d, n);
}

// Two warp groups, 128 × 128, STAGES tiles on their way; thread 0 brings them in between.
template <int STAGES>
__global__ void __launch_bounds__(256) staged(const __grid_constant__ CUtensorMap mapA, const __grid_constant__ CUtensorMap mapB, half *c,
                                              int n, int k) {
  extern __shared__ __align__(1024) unsigned char memory[];
  half *as = reinterpret_cast<half *>(memory), *bs = as + STAGES * 128 * 64;
  __shared__ __align__(8) uint64_t full[STAGES];
  if (threadIdx.x == 0)
    for (int s = 0; s < STAGES; s++) initBarrier(&full[s], 1);
  __syncthreads();
  const int row = blockIdx.y * 128, col = blockIdx.x * 128, group = threadIdx.x / 128;
  const int steps = k / 64;
  auto bring = [&](int step) {
    const int s = step % STAGES;
    expectBytes(&full[s], 2 * 128 * 64 * sizeof(half));
    loadBox(as + s * 128 * 64, &mapA, step * 64, row, &full[s]);
    loadBox(bs + s * 128 * 64, &mapB, step * 64, col, &full[s]);
  };
  if (threadIdx.x == 0)
    for (int s = 0; s < STAGES - 1; s++) bring(s);
  float d[8][8] = {};
  for (int step = 0; step < steps; step++) {
    const int s = step % STAGES;
    if (threadIdx.x == 0 && step + STAGES - 1 < steps) bring(step + STAGES - 1);
    waitBarrier(&full[s], step / STAGES & 1);
    fence();
#pragma unroll
    for (int i = 0; i < 4; i++)
      multiply128(d, descriptor(as + s * 128 * 64 + group * 64 * 64 + i * 16), descriptor(bs + s * 128 * 64 + i * 16));
    commit();
    waitGroups<0>();
    __syncthreads();
  }
  store<128>(c + static_cast<size_t>(row + group * 64) * n + col, d, n);
}

// A warp group brings tiles, two multiply; a full and an empty barrier a stage; persistent blocks where PERSISTENT.
template <int STAGES, bool PERSISTENT>
__global__ void __launch_bounds__(384, 1) specialised(const __grid_constant__ CUtensorMap mapA, const __grid_constant__ CUtensorMap mapB,
                                                      half *c, int m, int n, int k) {
  extern __shared__ __align__(1024) unsigned char memory[];
  half *as = reinterpret_cast<half *>(memory), *bs = as + STAGES * 128 * 64;
  __shared__ __align__(8) uint64_t full[STAGES], empty[STAGES];
  if (threadIdx.x == 0)
    for (int s = 0; s < STAGES; s++) {
      initBarrier(&full[s], 1);
      initBarrier(&empty[s], 2);
    }
  __syncthreads();
  const int group = threadIdx.x / 128, steps = k / 64;
  const int tilesAcross = n / 128, tiles = tilesAcross * (m / 128);
  const int first = PERSISTENT ? blockIdx.x : blockIdx.y * tilesAcross + blockIdx.x;
  const int between = PERSISTENT ? gridDim.x : tiles;
  int s = 0, parity = 0;
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 0) {
      for (int tile = first; tile < tiles; tile += between) {
        const int row = tile / tilesAcross * 128, col = tile % tilesAcross * 128;
        for (int step = 0; step < steps; step++) {
          waitBarrier(&empty[s], parity ^ 1);
          expectBytes(&full[s], 2 * 128 * 64 * sizeof(half));
          loadBox(as + s * 128 * 64, &mapA, step * 64, row, &full[s]);
          loadBox(bs + s * 128 * 64, &mapB, step * 64, col, &full[s]);
          if (++s == STAGES) {
            s = 0;
            parity ^= 1;
          }
        }
      }
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    for (int tile = first; tile < tiles; tile += between) {
      const int row = tile / tilesAcross * 128, col = tile % tilesAcross * 128;
      float d[8][8] = {};
      for (int step = 0; step < steps; step++) {
        waitBarrier(&full[s], parity);
        fence();
#pragma unroll
        for (int i = 0; i < 4; i++)
          multiply128(d, descriptor(as + s * 128 * 64 + (group - 1) * 64 * 64 + i * 16), descriptor(bs + s * 128 * 64 + i * 16));
        commit();
        waitGroups<0>();
        if (threadIdx.x % 128 == 0) arrive(&empty[s]);
        if (++s == STAGES) {
          s = 0;
          parity ^= 1;
        }
      }
      store<128>(c + static_cast<size_t>(row + (group - 1) * 64) * n + col, d, n);
    }
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
  const int m = 4096, n = 4096, k = 4096;
  half *a, *b, *c;
  CHECK(cudaMalloc(&a, static_cast<size_t>(m) * k * sizeof(half)));
  CHECK(cudaMalloc(&b, static_cast<size_t>(n) * k * sizeof(half)));
  CHECK(cudaMalloc(&c, static_cast<size_t>(m) * n * sizeof(half)));
  CHECK(cudaMemset(a, 0, static_cast<size_t>(m) * k * sizeof(half)));
  CHECK(cudaMemset(b, 0, static_cast<size_t>(n) * k * sizeof(half)));
  const CUtensorMap mapA64 = mapOf(a, m, k, 64), mapA = mapOf(a, m, k, 128), mapB = mapOf(b, n, k, 128);
  oneGroup<<<dim3(n / 128, m / 64), 128>>>(mapA64, mapB, c, n, k);
  const int stageBytes = 2 * 128 * 64 * sizeof(half);
  CHECK(cudaFuncSetAttribute(staged<2>, cudaFuncAttributeMaxDynamicSharedMemorySize, 2 * stageBytes));
  staged<2><<<dim3(n / 128, m / 128), 256, 2 * stageBytes>>>(mapA, mapB, c, n, k);
  CHECK(cudaFuncSetAttribute(staged<4>, cudaFuncAttributeMaxDynamicSharedMemorySize, 4 * stageBytes));
  staged<4><<<dim3(n / 128, m / 128), 256, 4 * stageBytes>>>(mapA, mapB, c, n, k);
  CHECK(cudaFuncSetAttribute(specialised<5, false>, cudaFuncAttributeMaxDynamicSharedMemorySize, 5 * stageBytes));
  specialised<5, false><<<dim3(n / 128, m / 128), 384, 5 * stageBytes>>>(mapA, mapB, c, m, n, k);
  CHECK(cudaFuncSetAttribute(specialised<5, true>, cudaFuncAttributeMaxDynamicSharedMemorySize, 5 * stageBytes));
  specialised<5, true><<<132, 384, 5 * stageBytes>>>(mapA, mapB, c, m, n, k);
  CHECK(cudaDeviceSynchronize());
  return 0;
}
