/**
 * Which operands send a division of floats the slow way, and what that takes.
 *
 *   nvcc -arch=sm_90 slow-paths.cu -o slow-paths && ./slow-paths
 *
 * One thread a block divides numbers of each pair of exponents and reads the clock before and after; what takes far longer than 1 / 1.5
 * went the slow way. `pairs`: by exponent of the divisor (0 to 255 as it is stored), the exponents of the dividend that go the fast way,
 * as ranges; the same for each of four pairs of mantissas, or told apart. `takes`: cycles of one operation, for operands of each kind.
 */
#include <cstdio>
#include <cstdint>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

__global__ void divide(uint32_t mantissaA, uint32_t mantissaB, uint32_t *cycles, float *results) {
  uint32_t ea = blockIdx.x & 255, eb = blockIdx.x >> 8;
  volatile uint32_t va = ea << 23 | mantissaA, vb = eb << 23 | mantissaB;
  float a = __uint_as_float(va), b = __uint_as_float(vb);
  uint32_t least = ~0u;
  float sum = 0;
  for (int turn = 0; turn < 4; turn++) {
    uint32_t begin, end;
    float q;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(begin) :: "memory");
    asm volatile("div.rn.f32 %0, %1, %2;" : "=f"(q) : "f"(a), "f"(b));
    // The clock is read once the quotient is there.
    asm volatile("{ .reg .pred p; setp.eq.b32 p, %1, 0f7FABCDEF; @p trap; mov.u32 %0, %%clock; }" : "=r"(end) : "f"(q) : "memory");
    least = min(least, end - begin);
    sum += q;
  }
  cycles[blockIdx.x] = least;
  results[blockIdx.x] = sum;
}

#define TIMED(NAME, TYPE, TEXT, CONSTRAINT, NEVER)                                                                     \
  __global__ void NAME(TYPE a, TYPE b, uint32_t *cycles, TYPE *results) {                                              \
    uint32_t least = ~0u;                                                                                              \
    TYPE sum = 0;                                                                                                      \
    for (int turn = 0; turn < 4; turn++) {                                                                             \
      uint32_t begin, end;                                                                                             \
      TYPE q;                                                                                                          \
      asm volatile("mov.u32 %0, %%clock;" : "=r"(begin)::"memory");                                                   \
      asm volatile(TEXT : "=" CONSTRAINT(q) : CONSTRAINT(a), CONSTRAINT(b));                                           \
      asm volatile("{ .reg .pred p; " NEVER " @p trap; mov.u32 %0, %%clock; }" : "=r"(end) : CONSTRAINT(q) : "memory"); \
      least = min(least, end - begin);                                                                                 \
      sum += q;                                                                                                        \
    }                                                                                                                  \
    *cycles = least;                                                                                                   \
    *results = sum;                                                                                                    \
  }
#define NEVER32 "setp.eq.b32 p, %1, 0f7FABCDEF;"
#define NEVER64 "setp.eq.b64 p, %1, 0d7FFABCDEFABCDEF0;"
TIMED(div32, float, "div.rn.f32 %0, %1, %2;", "f", NEVER32)
TIMED(rcp32, float, "{ .reg .f32 t; mov.f32 t, %2; rcp.rn.f32 %0, %1; }", "f", NEVER32)
TIMED(sqrt32, float, "{ .reg .f32 t; mov.f32 t, %2; sqrt.rn.f32 %0, %1; }", "f", NEVER32)
TIMED(div64, double, "div.rn.f64 %0, %1, %2;", "d", NEVER64)
TIMED(rcp64, double, "{ .reg .f64 t; mov.f64 t, %2; rcp.rn.f64 %0, %1; }", "d", NEVER64)
TIMED(sqrt64, double, "{ .reg .f64 t; mov.f64 t, %2; sqrt.rn.f64 %0, %1; }", "d", NEVER64)

int main() {
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  printf("# %s\n", properties.name);
  uint32_t *cycles, took;
  void *results;
  cudaMalloc(&cycles, 65536 * 4);
  cudaMalloc(&results, 65536 * 8);
  const uint32_t mantissas[4][2] = {{0, 0}, {0x7fffff, 0}, {0, 0x7fffff}, {0x2aaaaa, 0x555555}};
  std::vector<std::vector<uint32_t>> all;
  for (auto &m : mantissas) {
    divide<<<65536, 1>>>(m[0], m[1], cycles, (float *)results);
    all.emplace_back(65536);
    cudaMemcpy(all.back().data(), cycles, 65536 * 4, cudaMemcpyDefault);
  }
  uint32_t usual = all[0][127 << 8 | 127];
  printf("pairs\tusual %u cycles; slow from %u\n", usual, usual + 40);
  for (size_t k = 0; k < all.size(); k++) {
    printf("mantissas %06x / %06x\n", mantissas[k][0], mantissas[k][1]);
    for (int eb = 0; eb <= 256; eb++) {
      char text[4096] = "";
      if (eb < 256)
        for (int ea = 0, from = -1; ea <= 256; ea++) {
          bool fast = ea < 256 && all[k][eb << 8 | ea] < usual + 40;
          if (fast && from < 0) from = ea;
          if (!fast && from >= 0) { sprintf(text + strlen(text), " %d-%d", from, ea - 1); from = -1; }
        }
      printf("%d\t%s\n", eb, text);
    }
  }
  const float inf = INFINITY, big = 3e38f, tiny = 1e-40f;
  struct { const char *name; float a, b; } floats[] = {{"1 / 1.5", 1, 1.5f}, {"0 / 1.5", 0, 1.5f}, {"1 / 0", 1, 0}, {"0 / 0", 0, 0},
    {"inf / 1.5", inf, 1.5f}, {"1.5 / inf", 1.5f, inf}, {"nan / 1", NAN, 1}, {"1e-40 / 1.5", tiny, 1.5f}, {"1 / 1e-40", 1, tiny},
    {"3e38 / 1e-3", big, 1e-3f}, {"1e-37 / 1e3", 1e-37f, 1e3f}, {"3e38 / 1.5", big, 1.5f}};
  for (auto &[name, a, b] : floats) { div32<<<1, 1>>>(a, b, cycles, (float *)results); cudaMemcpy(&took, cycles, 4, cudaMemcpyDefault); printf("takes f32 div %s\t%u\n", name, took); }
  for (auto &[name, a, b] : floats) { rcp32<<<1, 1>>>(a, b, cycles, (float *)results); cudaMemcpy(&took, cycles, 4, cudaMemcpyDefault); printf("takes f32 rcp of %g\t%u\n", a, took); }
  for (auto &[name, a, b] : floats) { sqrt32<<<1, 1>>>(a, b, cycles, (float *)results); cudaMemcpy(&took, cycles, 4, cudaMemcpyDefault); printf("takes f32 sqrt of %g\t%u\n", a, took); }
  struct { double a, b; } doubles[] = {{1, 1.5}, {0, 1.5}, {1, 0}, {INFINITY, 1.5}, {1, INFINITY}, {NAN, 1}, {1e-310, 1.5}, {1, 1e-310}, {1e-300, 1e20}, {1e300, 1e-20}};
  for (auto &[a, b] : doubles) { div64<<<1, 1>>>(a, b, cycles, (double *)results); cudaMemcpy(&took, cycles, 4, cudaMemcpyDefault); printf("takes f64 div %g / %g\t%u\n", a, b, took); }
  for (auto &[a, b] : doubles) { rcp64<<<1, 1>>>(a, b, cycles, (double *)results); cudaMemcpy(&took, cycles, 4, cudaMemcpyDefault); printf("takes f64 rcp of %g\t%u\n", a, took); }
  for (auto &[a, b] : doubles) { sqrt64<<<1, 1>>>(a, b, cycles, (double *)results); cudaMemcpy(&took, cycles, 4, cudaMemcpyDefault); printf("takes f64 sqrt of %g\t%u\n", a, took); }
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
