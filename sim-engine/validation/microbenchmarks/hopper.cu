// Cycles of Hopper's asynchronous work, by clock64: wgmma by width and source of A, bulk copies by size, barriers and reads of a cluster.
// Build: nvcc -O3 -std=c++17 -gencode arch=compute_90a,code=sm_90a hopper.cu -o hopper -lcuda ; prints tab-separated rows.
#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
namespace cg = cooperative_groups;

#define CHECK(call)                                                                  \
  do {                                                                               \
    cudaError_t error = (call);                                                      \
    if (error != cudaSuccess) {                                                      \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
      exit(1);                                                                       \
    }                                                                                \
  } while (0)

__device__ __forceinline__ uint32_t sharedAddress(const void *p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }
__device__ __forceinline__ uint64_t descriptor(uint32_t address) {
  return ((address & 0x3FFFF) >> 4) | (1ull << 16) | (64ull << 32) | (1ull << 62);
}


// both from shared memory; INNER products a group, then a wait.
template <int INNER>
__global__ void __launch_bounds__(256) wgmma8s(long long *cycles, float *out, int rounds) {
  extern __shared__ __align__(1024) unsigned char memory[];
  const uint32_t base = (sharedAddress(memory) + 1023) & ~1023u;
  const uint64_t a = descriptor(base + threadIdx.x / 128 * 8192), b = descriptor(base + 16384);
  const uint32_t r = threadIdx.x; (void)r; (void)a;
  float d[4] = {};
  __syncthreads();
  const long long from = clock64();
  for (int i = 0; i < rounds; i++) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int j = 0; j < INNER; j++) asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  }
  __syncthreads();
  const long long to = clock64();
  float sum = 0;
  for (int i = 0; i < 4; i++) sum += d[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  if (threadIdx.x == 0) cycles[blockIdx.x] = to - from;
}

// A from registers; INNER products a group, then a wait.
template <int INNER>
__global__ void __launch_bounds__(256) wgmma8r(long long *cycles, float *out, int rounds) {
  extern __shared__ __align__(1024) unsigned char memory[];
  const uint32_t base = (sharedAddress(memory) + 1023) & ~1023u;
  const uint64_t a = descriptor(base + threadIdx.x / 128 * 8192), b = descriptor(base + 16384);
  const uint32_t r = threadIdx.x; (void)r; (void)a;
  float d[4] = {};
  __syncthreads();
  const long long from = clock64();
  for (int i = 0; i < rounds; i++) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int j = 0; j < INNER; j++) asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, 1, 1, 1, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(r), "r"(r), "r"(r), "r"(r), "l"(b));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  }
  __syncthreads();
  const long long to = clock64();
  float sum = 0;
  for (int i = 0; i < 4; i++) sum += d[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  if (threadIdx.x == 0) cycles[blockIdx.x] = to - from;
}

// both from shared memory; INNER products a group, then a wait.
template <int INNER>
__global__ void __launch_bounds__(256) wgmma64s(long long *cycles, float *out, int rounds) {
  extern __shared__ __align__(1024) unsigned char memory[];
  const uint32_t base = (sharedAddress(memory) + 1023) & ~1023u;
  const uint64_t a = descriptor(base + threadIdx.x / 128 * 8192), b = descriptor(base + 16384);
  const uint32_t r = threadIdx.x; (void)r; (void)a;
  float d[32] = {};
  __syncthreads();
  const long long from = clock64();
  for (int i = 0; i < rounds; i++) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int j = 0; j < INNER; j++) asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]) : "l"(a), "l"(b));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  }
  __syncthreads();
  const long long to = clock64();
  float sum = 0;
  for (int i = 0; i < 32; i++) sum += d[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  if (threadIdx.x == 0) cycles[blockIdx.x] = to - from;
}

// A from registers; INNER products a group, then a wait.
template <int INNER>
__global__ void __launch_bounds__(256) wgmma64r(long long *cycles, float *out, int rounds) {
  extern __shared__ __align__(1024) unsigned char memory[];
  const uint32_t base = (sharedAddress(memory) + 1023) & ~1023u;
  const uint64_t a = descriptor(base + threadIdx.x / 128 * 8192), b = descriptor(base + 16384);
  const uint32_t r = threadIdx.x; (void)r; (void)a;
  float d[32] = {};
  __syncthreads();
  const long long from = clock64();
  for (int i = 0; i < rounds; i++) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int j = 0; j < INNER; j++) asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, {%32, %33, %34, %35}, %36, 1, 1, 1, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]) : "r"(r), "r"(r), "r"(r), "r"(r), "l"(b));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  }
  __syncthreads();
  const long long to = clock64();
  float sum = 0;
  for (int i = 0; i < 32; i++) sum += d[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  if (threadIdx.x == 0) cycles[blockIdx.x] = to - from;
}

// both from shared memory; INNER products a group, then a wait.
template <int INNER>
__global__ void __launch_bounds__(256) wgmma128s(long long *cycles, float *out, int rounds) {
  extern __shared__ __align__(1024) unsigned char memory[];
  const uint32_t base = (sharedAddress(memory) + 1023) & ~1023u;
  const uint64_t a = descriptor(base + threadIdx.x / 128 * 8192), b = descriptor(base + 16384);
  const uint32_t r = threadIdx.x; (void)r; (void)a;
  float d[64] = {};
  __syncthreads();
  const long long from = clock64();
  for (int i = 0; i < rounds; i++) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int j = 0; j < INNER; j++) asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, %64, %65, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]) : "l"(a), "l"(b));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  }
  __syncthreads();
  const long long to = clock64();
  float sum = 0;
  for (int i = 0; i < 64; i++) sum += d[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  if (threadIdx.x == 0) cycles[blockIdx.x] = to - from;
}

// A from registers; INNER products a group, then a wait.
template <int INNER>
__global__ void __launch_bounds__(256) wgmma128r(long long *cycles, float *out, int rounds) {
  extern __shared__ __align__(1024) unsigned char memory[];
  const uint32_t base = (sharedAddress(memory) + 1023) & ~1023u;
  const uint64_t a = descriptor(base + threadIdx.x / 128 * 8192), b = descriptor(base + 16384);
  const uint32_t r = threadIdx.x; (void)r; (void)a;
  float d[64] = {};
  __syncthreads();
  const long long from = clock64();
  for (int i = 0; i < rounds; i++) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int j = 0; j < INNER; j++) asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, {%64, %65, %66, %67}, %68, 1, 1, 1, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]) : "r"(r), "r"(r), "r"(r), "r"(r), "l"(b));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  }
  __syncthreads();
  const long long to = clock64();
  float sum = 0;
  for (int i = 0; i < 64; i++) sum += d[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  if (threadIdx.x == 0) cycles[blockIdx.x] = to - from;
}

// both from shared memory; INNER products a group, then a wait.
template <int INNER>
__global__ void __launch_bounds__(256) wgmma256s(long long *cycles, float *out, int rounds) {
  extern __shared__ __align__(1024) unsigned char memory[];
  const uint32_t base = (sharedAddress(memory) + 1023) & ~1023u;
  const uint64_t a = descriptor(base + threadIdx.x / 128 * 8192), b = descriptor(base + 16384);
  const uint32_t r = threadIdx.x; (void)r; (void)a;
  float d[128] = {};
  __syncthreads();
  const long long from = clock64();
  for (int i = 0; i < rounds; i++) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int j = 0; j < INNER; j++) asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, %128, %129, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]), "+f"(d[64]), "+f"(d[65]), "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71]), "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]), "+f"(d[77]), "+f"(d[78]), "+f"(d[79]), "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]), "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87]), "+f"(d[88]), "+f"(d[89]), "+f"(d[90]), "+f"(d[91]), "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95]), "+f"(d[96]), "+f"(d[97]), "+f"(d[98]), "+f"(d[99]), "+f"(d[100]), "+f"(d[101]), "+f"(d[102]), "+f"(d[103]), "+f"(d[104]), "+f"(d[105]), "+f"(d[106]), "+f"(d[107]), "+f"(d[108]), "+f"(d[109]), "+f"(d[110]), "+f"(d[111]), "+f"(d[112]), "+f"(d[113]), "+f"(d[114]), "+f"(d[115]), "+f"(d[116]), "+f"(d[117]), "+f"(d[118]), "+f"(d[119]), "+f"(d[120]), "+f"(d[121]), "+f"(d[122]), "+f"(d[123]), "+f"(d[124]), "+f"(d[125]), "+f"(d[126]), "+f"(d[127]) : "l"(a), "l"(b));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  }
  __syncthreads();
  const long long to = clock64();
  float sum = 0;
  for (int i = 0; i < 128; i++) sum += d[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  if (threadIdx.x == 0) cycles[blockIdx.x] = to - from;
}

// A from registers; INNER products a group, then a wait.
template <int INNER>
__global__ void __launch_bounds__(256) wgmma256r(long long *cycles, float *out, int rounds) {
  extern __shared__ __align__(1024) unsigned char memory[];
  const uint32_t base = (sharedAddress(memory) + 1023) & ~1023u;
  const uint64_t a = descriptor(base + threadIdx.x / 128 * 8192), b = descriptor(base + 16384);
  const uint32_t r = threadIdx.x; (void)r; (void)a;
  float d[128] = {};
  __syncthreads();
  const long long from = clock64();
  for (int i = 0; i < rounds; i++) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int j = 0; j < INNER; j++) asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, {%128, %129, %130, %131}, %132, 1, 1, 1, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]), "+f"(d[64]), "+f"(d[65]), "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71]), "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]), "+f"(d[77]), "+f"(d[78]), "+f"(d[79]), "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]), "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87]), "+f"(d[88]), "+f"(d[89]), "+f"(d[90]), "+f"(d[91]), "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95]), "+f"(d[96]), "+f"(d[97]), "+f"(d[98]), "+f"(d[99]), "+f"(d[100]), "+f"(d[101]), "+f"(d[102]), "+f"(d[103]), "+f"(d[104]), "+f"(d[105]), "+f"(d[106]), "+f"(d[107]), "+f"(d[108]), "+f"(d[109]), "+f"(d[110]), "+f"(d[111]), "+f"(d[112]), "+f"(d[113]), "+f"(d[114]), "+f"(d[115]), "+f"(d[116]), "+f"(d[117]), "+f"(d[118]), "+f"(d[119]), "+f"(d[120]), "+f"(d[121]), "+f"(d[122]), "+f"(d[123]), "+f"(d[124]), "+f"(d[125]), "+f"(d[126]), "+f"(d[127]) : "r"(r), "r"(r), "r"(r), "r"(r), "l"(b));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  }
  __syncthreads();
  const long long to = clock64();
  float sum = 0;
  for (int i = 0; i < 128; i++) sum += d[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  if (threadIdx.x == 0) cycles[blockIdx.x] = to - from;
}

__device__ __forceinline__ void waitParity(uint32_t barrier, int parity) {
  uint32_t done = 0;
  while (!done)
    asm volatile("{ .reg .pred q; mbarrier.try_wait.parity.shared::cta.b64 q, [%1], %2; selp.u32 %0, 1, 0, q; }"
                 : "=r"(done) : "r"(barrier), "r"(parity) : "memory");
}

// One bulk copy after another, each waited for: latency by size, of what is in the L2 after the first round.
__global__ void bulkLatency(const float *in, long long *cycles, int bytes, int rounds) {
  extern __shared__ __align__(1024) unsigned char memory[];
  __shared__ __align__(8) uint64_t barrier;
  const uint32_t bar = sharedAddress(&barrier), to = sharedAddress(memory);
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar));
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  long long total = 0;
  for (int i = 0; i < rounds; i++) {
    const long long from = clock64();
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(in), "r"(bytes), "r"(bar) : "memory");
    waitParity(bar, i & 1);
    if (i > 1) total += clock64() - from;
  }
  cycles[0] = total / (rounds - 2);
}

// DEPTH copies of `bytes` always on their way in every block: throughput of the copy engine from the L2 (each block over its own window).
template <int DEPTH>
__global__ void bulkThroughput(const unsigned char *in, long long *cycles, int bytes, int rounds, size_t window) {
  extern __shared__ __align__(1024) unsigned char memory[];
  __shared__ __align__(8) uint64_t barriers[DEPTH];
  if (threadIdx.x == 0) {
    for (int s = 0; s < DEPTH; s++) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(sharedAddress(&barriers[s])));
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    const unsigned char *mine = in + blockIdx.x * window;
    auto bring = [&](int i) {
      const uint32_t bar = sharedAddress(&barriers[i % DEPTH]);
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                       sharedAddress(memory) + i % DEPTH * bytes), "l"(mine + (size_t)i * bytes % window), "r"(bytes), "r"(bar) : "memory");
    };
    const long long from = clock64();
    for (int i = 0; i < DEPTH; i++) bring(i);
    for (int i = 0; i < rounds; i++) {
      waitParity(sharedAddress(&barriers[i % DEPTH]), i / DEPTH & 1);
      if (i + DEPTH < rounds) bring(i + DEPTH);
    }
    cycles[blockIdx.x] = clock64() - from;
  }
}

// mbarriers that are there: cost of a try_wait that succeeds, of an arrive.
__global__ void barrierCosts(long long *cycles, int rounds) {
  __shared__ __align__(8) uint64_t barrier;
  const uint32_t bar = sharedAddress(&barrier);
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar));
  long long from = clock64();
  for (int i = 0; i < rounds; i++) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory");
    waitParity(bar, i & 1);
  }
  cycles[0] = (clock64() - from) / rounds;
  from = clock64();
  for (int i = 0; i < rounds; i++) waitParity(bar, (rounds - 1) & 1);
  cycles[1] = (clock64() - from) / rounds;
}

__global__ void clusterCosts(long long *cycles, unsigned *out, int rounds) {
  __shared__ unsigned chain[1024];
  cg::cluster_group cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) chain[i] = (i * 33 + 32) % 1024;
  cluster.sync();
  long long from = clock64();
  for (int i = 0; i < rounds; i++) cluster.sync();
  const long long sync = (clock64() - from) / rounds;
  const unsigned *there = cluster.map_shared_rank(chain, (cluster.block_rank() + 1) % cluster.num_blocks());
  unsigned at = threadIdx.x;
  from = clock64();
  for (int i = 0; i < rounds; i++) at = there[at];
  const long long latency = (clock64() - from) / rounds;
  cluster.sync();
  // many loads at once: throughput
  unsigned sum = 0;
  const volatile unsigned *v = there;
  from = clock64();
#pragma unroll 1
  for (int i = 0; i < rounds; i += 8) {
#pragma unroll
    for (int j = 0; j < 8; j++) sum += v[(threadIdx.x + (i + j) * 32) % 1024];
  }
  cluster.sync();
  const long long stream = (clock64() - from) / rounds;
  // atomics to the neighbour's shared memory, distinct addresses
  unsigned *to = cluster.map_shared_rank(chain, (cluster.block_rank() + 1) % cluster.num_blocks());
  from = clock64();
  for (int i = 0; i < rounds; i++) atomicAdd(&to[threadIdx.x % 1024], 1u);
  cluster.sync();
  const long long atomics = (clock64() - from) / rounds;
  out[blockIdx.x * blockDim.x + threadIdx.x] = at + sum;
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    cycles[0] = sync;
    cycles[1] = latency;
    cycles[2] = stream;
    cycles[3] = atomics;
  }
}

long long *cycles;
float *out;

template <typename Kernel>
void product(const char *name, Kernel kernel, int inner, int threads, int blocksPerSm) {
  const int bytes = 16384 + 32768 + 1024;
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  kernel<<<132 * blocksPerSm, threads, bytes>>>(cycles, out, 1000);
  CHECK(cudaDeviceSynchronize());
  printf("%s\tinner %d\tthreads %d\tblocks %d\t%.2f cycles a product of a warp group\n", name, inner, threads, blocksPerSm, (double)cycles[0] / 1000 / inner);
}

int main() {
  float *in;
  CHECK(cudaMalloc(&in, 1 << 28));
  CHECK(cudaMemset(in, 0, 1 << 28));
  CHECK(cudaMallocManaged(&cycles, 4096 * sizeof(long long)));
  CHECK(cudaMalloc(&out, 1 << 22));
  product("m64n8k16 A shared", wgmma8s<1>, 1, 128, 1);
  product("m64n8k16 A shared", wgmma8s<1>, 1, 256, 1);
  product("m64n8k16 A shared", wgmma8s<4>, 4, 128, 1);
  product("m64n8k16 A shared", wgmma8s<4>, 4, 256, 1);
  product("m64n8k16 A shared", wgmma8s<16>, 16, 128, 1);
  product("m64n8k16 A shared", wgmma8s<16>, 16, 256, 1);
  product("m64n8k16 A registers", wgmma8r<1>, 1, 128, 1);
  product("m64n8k16 A registers", wgmma8r<1>, 1, 256, 1);
  product("m64n8k16 A registers", wgmma8r<4>, 4, 128, 1);
  product("m64n8k16 A registers", wgmma8r<4>, 4, 256, 1);
  product("m64n8k16 A registers", wgmma8r<16>, 16, 128, 1);
  product("m64n8k16 A registers", wgmma8r<16>, 16, 256, 1);
  product("m64n64k16 A shared", wgmma64s<1>, 1, 128, 1);
  product("m64n64k16 A shared", wgmma64s<1>, 1, 256, 1);
  product("m64n64k16 A shared", wgmma64s<4>, 4, 128, 1);
  product("m64n64k16 A shared", wgmma64s<4>, 4, 256, 1);
  product("m64n64k16 A shared", wgmma64s<16>, 16, 128, 1);
  product("m64n64k16 A shared", wgmma64s<16>, 16, 256, 1);
  product("m64n64k16 A registers", wgmma64r<1>, 1, 128, 1);
  product("m64n64k16 A registers", wgmma64r<1>, 1, 256, 1);
  product("m64n64k16 A registers", wgmma64r<4>, 4, 128, 1);
  product("m64n64k16 A registers", wgmma64r<4>, 4, 256, 1);
  product("m64n64k16 A registers", wgmma64r<16>, 16, 128, 1);
  product("m64n64k16 A registers", wgmma64r<16>, 16, 256, 1);
  product("m64n128k16 A shared", wgmma128s<1>, 1, 128, 1);
  product("m64n128k16 A shared", wgmma128s<1>, 1, 256, 1);
  product("m64n128k16 A shared", wgmma128s<4>, 4, 128, 1);
  product("m64n128k16 A shared", wgmma128s<4>, 4, 256, 1);
  product("m64n128k16 A shared", wgmma128s<16>, 16, 128, 1);
  product("m64n128k16 A shared", wgmma128s<16>, 16, 256, 1);
  product("m64n128k16 A registers", wgmma128r<1>, 1, 128, 1);
  product("m64n128k16 A registers", wgmma128r<1>, 1, 256, 1);
  product("m64n128k16 A registers", wgmma128r<4>, 4, 128, 1);
  product("m64n128k16 A registers", wgmma128r<4>, 4, 256, 1);
  product("m64n128k16 A registers", wgmma128r<16>, 16, 128, 1);
  product("m64n128k16 A registers", wgmma128r<16>, 16, 256, 1);
  product("m64n256k16 A shared", wgmma256s<1>, 1, 128, 1);
  product("m64n256k16 A shared", wgmma256s<1>, 1, 256, 1);
  product("m64n256k16 A shared", wgmma256s<4>, 4, 128, 1);
  product("m64n256k16 A shared", wgmma256s<4>, 4, 256, 1);
  product("m64n256k16 A shared", wgmma256s<16>, 16, 128, 1);
  product("m64n256k16 A shared", wgmma256s<16>, 16, 256, 1);
  product("m64n256k16 A registers", wgmma256r<1>, 1, 128, 1);
  product("m64n256k16 A registers", wgmma256r<1>, 1, 256, 1);
  product("m64n256k16 A registers", wgmma256r<4>, 4, 128, 1);
  product("m64n256k16 A registers", wgmma256r<4>, 4, 256, 1);
  product("m64n256k16 A registers", wgmma256r<16>, 16, 128, 1);
  product("m64n256k16 A registers", wgmma256r<16>, 16, 256, 1);

  for (int bytes : {16, 512, 2048, 8192, 32768, 65536}) {
    CHECK(cudaFuncSetAttribute(bulkLatency, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
    bulkLatency<<<1, 1, 65536>>>(in, cycles, bytes, 200);
    CHECK(cudaDeviceSynchronize());
    printf("bulk latency\t%d bytes\t%lld cycles\n", bytes, cycles[0]);
  }
  for (int bytes : {512, 2048, 8192, 32768}) {
    CHECK(cudaFuncSetAttribute(bulkThroughput<4>, cudaFuncAttributeMaxDynamicSharedMemorySize, 4 * 32768));
    for (size_t window : {131072, 1 << 20}) {
      for (int again = 0; again < 2; again++) {
        bulkThroughput<4><<<132, 32, 4 * 32768>>>((const unsigned char *)in, cycles, bytes, 512, window);
        CHECK(cudaDeviceSynchronize());
      }
      printf("bulk throughput, 132 blocks, 4 on their way\t%d bytes\twindow %zu\t%.2f bytes a cycle an SM\n", bytes, window, 512.0 * bytes / cycles[0]);
    }
    bulkThroughput<4><<<1, 32, 4 * 32768>>>((const unsigned char *)in, cycles, bytes, 512, 131072);
    CHECK(cudaDeviceSynchronize());
    printf("bulk throughput, one block, 4 on their way\t%d bytes\t%.2f bytes a cycle\n", bytes, 512.0 * bytes / cycles[0]);
  }
  barrierCosts<<<1, 1>>>(cycles, 1000);
  CHECK(cudaDeviceSynchronize());
  printf("mbarrier\tarrive and wait %lld\twait that need not %lld\n", cycles[0], cycles[1]);
  for (int size : {2, 4, 8}) {
    for (int threads : {32, 1024}) {
      cudaLaunchConfig_t config = {};
      config.gridDim = size * 8;
      config.blockDim = threads;
      cudaLaunchAttribute attribute;
      attribute.id = cudaLaunchAttributeClusterDimension;
      attribute.val.clusterDim.x = size;
      attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
      config.attrs = &attribute;
      config.numAttrs = 1;
      CHECK(cudaLaunchKernelEx(&config, clusterCosts, cycles, (unsigned *)out, 256));
      CHECK(cudaDeviceSynchronize());
      printf("cluster of %d\t%d threads\tsync %lld\tload latency %lld\tload stream %lld\tatomics %lld\n", size, threads, cycles[0], cycles[1], cycles[2], cycles[3]);
    }
  }
  return 0;
}
