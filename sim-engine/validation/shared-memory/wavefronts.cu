// How many wavefronts shared-memory accesses take, by width and pattern: prints each pattern's element indices; counts are read with
// ncu --metrics memory_l1_wavefronts_shared,memory_l1_wavefronts_shared_ideal (less 384 for the stores that fill the array, by 256).
#ifndef REPEAT
#define REPEAT 1
#endif
#include <cstdio>
#include <cstdint>
#include <vector>
#include <string>
#include <functional>
#include <cuda_runtime.h>
template <int BYTES, bool STORE> __global__ void bench(const int *offset, unsigned mask, long long *out) {
  extern __shared__ char raw[];
  int lane = threadIdx.x & 31;
  uint32_t base = (uint32_t)__cvta_generic_to_shared(raw) + offset[lane];
  unsigned a = 0, b = 0, c = 0, d = 0;
  for (int k = threadIdx.x; k < 12288; k += blockDim.x) ((int *)raw)[k] = k;
  __syncthreads();
  long long t0 = clock64();
  if ((mask >> lane) & 1) {
    for (int r = 0; r < 8; ++r) {
#pragma unroll
      for (int k = 0; k < 1; ++k) {
        if (STORE) {
          if (BYTES == 4) asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(base), "r"(lane));
          if (BYTES == 8) asm volatile("st.volatile.shared.v2.u32 [%0], {%1,%2};" ::"r"(base), "r"(lane), "r"(lane));
          if (BYTES == 16) asm volatile("st.volatile.shared.v4.u32 [%0], {%1,%2,%3,%4};" ::"r"(base), "r"(lane), "r"(lane), "r"(lane), "r"(lane));
          if (BYTES == 2) asm volatile("st.volatile.shared.u16 [%0], %1;" ::"r"(base), "h"((short)lane));
        } else {
          unsigned x = 0, y = 0, z = 0, w = 0;
          if (BYTES == 4) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(x) : "r"(base));
          if (BYTES == 8) asm volatile("ld.volatile.shared.v2.u32 {%0,%1}, [%2];" : "=r"(x), "=r"(y) : "r"(base));
          if (BYTES == 16) asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(base));
          if (BYTES == 2) { unsigned short h; asm volatile("ld.volatile.shared.u16 %0, [%1];" : "=h"(h) : "r"(base)); x = h; }
          a ^= x; b ^= y; c ^= z; d ^= w;
        }
      }
    }
  }
  __syncthreads();
  long long t1 = clock64();
  if (threadIdx.x == 0) out[0] = t1 - t0;
  if (a == 0x12345 && b == 77 && c == 99 && d == 5) out[1] = a;
}
template <int B, bool S> double run(const std::vector<int> &o, unsigned mask) {
  int *d; long long *t; cudaMalloc(&d, 128); cudaMalloc(&t, 16);
  cudaMemcpy(d, o.data(), 128, cudaMemcpyHostToDevice);
  long long best = 1LL << 60, h;
  for (int k = 0; k < REPEAT; ++k) { bench<B, S><<<1, 1024, 49152>>>(d, mask, t); cudaMemcpy(&h, t, 8, cudaMemcpyDeviceToHost); if (h < best) best = h; }
  cudaFree(d); cudaFree(t);
  return (double)best / (32 * 512);
}
int main() {
  struct P { std::string name; std::function<int(int)> f; unsigned mask; };
  unsigned seed = 1; auto rnd = [&](int) { seed = seed * 1664525u + 1013904223u; return (int)(seed >> 16) & 63; };
  std::vector<P> ps = {
    {"consecutive", [](int l) { return l; }, ~0u}, {"broadcast", [](int) { return 0; }, ~0u},
    {"pairs l>>1", [](int l) { return l >> 1; }, ~0u}, {"quads l>>2", [](int l) { return l >> 2; }, ~0u}, {"l&15", [](int l) { return l & 15; }, ~0u}, {"l&7", [](int l) { return l & 7; }, ~0u}, {"l&3", [](int l) { return l & 3; }, ~0u},
    {"l&1", [](int l) { return l & 1; }, ~0u}, {"xor2 pairs (l&1)|(l>>2<<1)", [](int l) { return (l & 1) | (l >> 2 << 1); }, ~0u},
    {"l>>4", [](int l) { return l >> 4; }, ~0u}, {"l>>3", [](int l) { return l >> 3; }, ~0u}, {"(l>>4)*16", [](int l) { return (l >> 4) * 16; }, ~0u},
    {"(l>>3)*8", [](int l) { return (l >> 3) * 8; }, ~0u}, {"(l>>4)*32", [](int l) { return (l >> 4) * 32; }, ~0u}, {"(l>>3)*32", [](int l) { return (l >> 3) * 32; }, ~0u},
    {"stride 2", [](int l) { return 2 * l; }, ~0u}, {"stride 4", [](int l) { return 4 * l; }, ~0u}, {"stride 8", [](int l) { return 8 * l; }, ~0u}, {"stride 32", [](int l) { return 32 * l; }, ~0u}, {"stride 33", [](int l) { return 33 * l; }, ~0u},
    {"half active low", [](int l) { return l; }, 0xffffu}, {"half active even", [](int l) { return l; }, 0x55555555u}, {"one lane", [](int l) { return l; }, 1u}, {"two far lanes same bank", [](int l) { return 32 * l; }, 0x80000001u}, {"quarter", [](int l) { return l; }, 0xffu},
    {"lanes 0,8,16,24", [](int l) { return l; }, 0x01010101u}, {"lanes 0,16 bank apart", [](int l) { return l; }, 0x00010001u}, {"low half, stride 2", [](int l) { return 2 * l; }, 0xffffu},
    {"l%3", [](int l) { return l % 3; }, ~0u}, {"(l&15)*2", [](int l) { return (l & 15) * 2; }, ~0u}, {"(l&7)*4", [](int l) { return (l & 7) * 4; }, ~0u}, {"reverse", [](int l) { return 31 - l; }, ~0u},
    {"pairs then 2 rows", [](int l) { return (l >> 1 & 7) + (l >> 4) * 64; }, ~0u}, {"l&7 + (l>>4)*8", [](int l) { return (l & 7) + (l >> 4) * 8; }, ~0u}, {"(l&3)+(l>>4)*4", [](int l) { return (l & 3) + (l >> 4) * 4; }, ~0u},
    {"random64 a", rnd, ~0u}, {"random64 b", rnd, ~0u}, {"random64 c", rnd, ~0u}, {"random64 d", rnd, 0x0f0ff0f3u}, {"(l>>2)*4 + (l&1)", [](int l) { return (l >> 2) * 4 + (l & 1); }, ~0u}, {"l ^ 1", [](int l) { return l ^ 1; }, ~0u}, {"(l&16)?l:0", [](int l) { return (l & 16) ? l : 0; }, ~0u}, {"l<8?0:l", [](int l) { return l < 8 ? 0 : l; }, ~0u}, {"even lanes broadcast", [](int l) { return l & 1 ? l : 0; }, ~0u}, {"l>>1, even active", [](int l) { return l >> 1; }, 0x55555555u}, {"random8", [&](int l) { return rnd(l) & 7; }, ~0u}, {"random16", [&](int l) { return rnd(l) & 15; }, ~0u}, {"random4", [&](int l) { return rnd(l) & 3; }, ~0u}, {"pairs random", [&](int l) { static int v; if (!(l & 1)) v = rnd(l); return v; }, ~0u}, {"halves equal random", [&](int l) { static int v[16]; if (l < 16) v[l] = rnd(l); return v[l & 15]; }, ~0u}, {"quarters equal random", [&](int l) { static int v[8]; if (l < 8) v[l] = rnd(l); return v[l & 7]; }, ~0u}};
  for (auto &p : ps) {
    std::vector<int> e(32); for (int l = 0; l < 32; ++l) e[l] = p.f(l);
    auto at = [&](int bytes) { std::vector<int> o(32); for (int l = 0; l < 32; ++l) o[l] = e[l] * bytes; return o; };
    printf("%s|%08x|", p.name.c_str(), p.mask); for (int l = 0; l < 32; ++l) printf("%d ", e[l]);
    printf("|%.3f|%.3f|%.3f|%.3f|%.3f|%.3f|%.3f\n", run<2, false>(at(2), p.mask), run<4, false>(at(4), p.mask), run<8, false>(at(8), p.mask), run<16, false>(at(16), p.mask), run<4, true>(at(4), p.mask), run<8, true>(at(8), p.mask), run<16, true>(at(16), p.mask));
  }
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
