// One wave of blocks; when each block begins and ends, and where. Cases: what the blocks do.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>
#include <cmath>
__device__ unsigned long long gt() { unsigned long long t; asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t)); return t; }
__device__ unsigned smid() { unsigned s; asm volatile("mov.u32 %0, %smid;" : "=r"(s)); return s; }
struct Seen { unsigned long long begin, end; unsigned sm; long long cycles; };

template <int MODE>
__global__ void work(float* out, const float* in, int perWarp, Seen* seen) {
  unsigned long long b = gt(); long long c = clock64();
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  const float* x = in + (size_t)warp * perWarp;
  float* y = out + (size_t)warp * perWarp;
  float s = 0;
  if (MODE == 0) { for (int r = 0; r < 8; r++) for (int i = lane; i < perWarp; i += 32) s += __ldcg(x + i); }          // L2 reads (small) 
  if (MODE == 1) { for (int i = lane; i < perWarp; i += 32) s += x[i]; }                                             // DRAM reads
  if (MODE == 2) { for (int i = lane; i < perWarp; i += 32) y[i] = x[i]; }                                           // copy
  if (MODE == 3) { for (int i = lane; i < perWarp; i += 32) s += x[i];
    for (int m = 16; m; m >>= 1) s += __shfl_xor_sync(~0u, s, m);
    s /= perWarp;
    for (int i = lane; i < perWarp; i += 32) y[i] = x[i] - s; }                                                      // rows twice
  if (MODE == 4) { for (int i = 0; i < perWarp * 4; i++) s = s * 1.0001f + i; }                                      // arithmetic
  if (MODE == 5) { for (int r = 0; r < 4; r++) for (int i = lane; i < perWarp; i += 32) y[i] = i + r; }               // L2 writes
  if (MODE == 6) { for (int i = lane; i < perWarp; i += 32) s += x[i];
    for (int m = 16; m; m >>= 1) s += __shfl_xor_sync(~0u, s, m);
    float t = 0; for (int i = lane; i < perWarp; i += 32) t += x[i] * s; s = t; }                                     // read twice
  if (MODE == 7) { for (int i = lane; i < perWarp; i += 32) s += x[i];
    for (int m = 16; m; m >>= 1) s += __shfl_xor_sync(~0u, s, m);
    for (int i = lane; i < perWarp; i += 32) y[i] = s; }                                                             // read, then write
  const size_t all = (size_t)gridDim.x * blockDim.x / 32 * perWarp, id = blockIdx.x * (size_t)blockDim.x + threadIdx.x, step = (size_t)gridDim.x * blockDim.x;
  if (MODE == 8) { for (size_t i = id; i < all; i += step) out[i] = in[i]; }                                          // grid stride
  if (MODE == 9) { for (int i = lane; i < perWarp; i += 32) y[i] = i; }                                               // writes by row
  if (MODE == 10) { for (size_t i = id; i < all; i += step) out[i] = i; }                                             // writes by grid stride
  if (MODE == 11) { for (int i = lane * 4; i < perWarp; i += 128) *(float4*)(y + i) = *(const float4*)(x + i); }      // rows by float4
  if (MODE == 12) { _Pragma("unroll 1") for (int i = lane; i < perWarp; i += 32) y[i] = x[i]; }                       // not unrolled
  if (MODE == 13) { float *z = const_cast<float*>(x); for (int i = lane; i < perWarp; i += 32) z[i] = z[i] + 1; }     // in place
  if (MODE == 14) { for (int r = 0; r < 2; r++) for (int i = lane; i < perWarp; i += 32) y[i] = __ldcg(x + i); }      // twice over
  if (MODE == 15) { size_t b = (size_t)blockIdx.x * (blockDim.x / 32) * perWarp; for (int i = threadIdx.x; i < perWarp * (blockDim.x / 32); i += blockDim.x) out[b + i] = in[b + i]; } // by block
  if (s == 123.456f) out[0] = s;
  __syncthreads();
  if (threadIdx.x == 0) { Seen v; v.begin = b; v.end = gt(); v.sm = smid(); v.cycles = clock64() - c; seen[blockIdx.x] = v; }
}

__global__ void readAll(float* out, const float* in, size_t n) { float s = 0; for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) s += __ldcg(in + i); if (s == 123.456f) *out = s; }
int main() {
  const size_t n = 1u << 26;
  float *in, *out; Seen *seen, *h;
  cudaMalloc(&in, n * 4); cudaMalloc(&out, n * 4); cudaMemset(in, 0, n * 4);
  cudaMalloc(&seen, 300000 * sizeof(Seen)); h = (Seen*)malloc(300000 * sizeof(Seen));
  char* flush; cudaMalloc(&flush, 256 << 20); cudaMemset(flush, 0, 256 << 20);
  struct Case { const char* name; int mode, blocks, threads, perWarp; } cases[] = {
    {"dram reads", 1, 2112, 128, 4096}, {"dram reads small", 1, 2112, 128, 1024}, {"copy", 2, 2112, 128, 4096}, {"copy small", 2, 2112, 128, 1024}, {"copy smaller", 2, 2112, 128, 512}, {"rows twice", 3, 2112, 128, 1024}, {"rows twice, small", 3, 2112, 128, 512}, {"rows twice, long", 3, 2112, 128, 4096}, {"read twice", 6, 2112, 128, 1024}, {"read twice, long", 6, 2112, 128, 4096}, {"read twice, few", 6, 528, 128, 4096}, {"read, then write", 7, 2112, 128, 1024}, {"read, then write, long", 7, 2112, 128, 4096}, {"read, then write, few", 7, 528, 128, 1024}, {"rows twice, few", 3, 528, 128, 1024},
    {"copy rows 512", 2, 2112, 128, 512}, {"copy rows 1024", 2, 2112, 128, 1024}, {"copy rows 2048", 2, 2112, 128, 2048}, {"copy rows 4096", 2, 2112, 128, 4096}, {"copy grid stride 512", 8, 2112, 128, 512}, {"copy grid stride 1024", 8, 2112, 128, 1024}, {"copy grid stride 2048", 8, 2112, 128, 2048}, {"copy grid stride 4096", 8, 2112, 128, 4096}, {"write rows 512", 9, 2112, 128, 512}, {"write rows 1024", 9, 2112, 128, 1024}, {"write rows 2048", 9, 2112, 128, 2048}, {"write rows 4096", 9, 2112, 128, 4096}, {"write grid stride 512", 10, 2112, 128, 512}, {"write grid stride 1024", 10, 2112, 128, 1024}, {"write grid stride 2048", 10, 2112, 128, 2048}, {"write grid stride 4096", 10, 2112, 128, 4096}, {"copy rows float4 512", 11, 2112, 128, 512}, {"copy rows float4 1024", 11, 2112, 128, 1024}, {"copy rows float4 2048", 11, 2112, 128, 2048}, {"copy rows float4 4096", 11, 2112, 128, 4096}, {"copy rows not unrolled 512", 12, 2112, 128, 512}, {"copy rows not unrolled 1024", 12, 2112, 128, 1024}, {"copy rows not unrolled 2048", 12, 2112, 128, 2048}, {"copy rows not unrolled 4096", 12, 2112, 128, 4096}, {"in place rows 512", 13, 2112, 128, 512}, {"in place rows 1024", 13, 2112, 128, 1024}, {"in place rows 2048", 13, 2112, 128, 2048}, {"in place rows 4096", 13, 2112, 128, 4096}, {"copy rows twice 512", 14, 2112, 128, 512}, {"copy rows twice 1024", 14, 2112, 128, 1024}, {"copy rows twice 2048", 14, 2112, 128, 2048}, {"copy rows twice 4096", 14, 2112, 128, 4096}, {"copy by block 512", 15, 2112, 128, 512}, {"copy by block 1024", 15, 2112, 128, 1024}, {"copy by block 2048", 15, 2112, 128, 2048}, {"copy by block 4096", 15, 2112, 128, 4096}, {"flat copy 32 of 67584 blocks", 8, 67584, 128, 32}, {"flat copy 32 of 270336 blocks", 8, 270336, 128, 32}, {"copy rows 8448 blocks", 2, 8448, 128, 1024}, {"copy rows 33792 blocks", 2, 33792, 128, 1024}, {"rows twice 8448 blocks", 3, 8448, 128, 1024}, {"grid stride few", 8, 528, 128, 1024}, {"copy rows few", 2, 528, 128, 1024}, {"copy rows few", 2, 528, 128, 4096}};
  int runs = getenv("RUNS") ? atoi(getenv("RUNS")) : 6;
  for (auto& c : cases) {
    std::vector<std::vector<double>> ends(132);
    double total = 0;
    for (int run = 0; run < runs; run++) {
      readAll<<<1056, 512>>>(out, (float*)flush, 64 << 20);
      if (c.mode == 0 || c.mode == 5) { /* warm */
        if (c.mode == 0) work<0><<<c.blocks, c.threads>>>(out, in, c.perWarp, seen); else work<5><<<c.blocks, c.threads>>>(out, in, c.perWarp, seen); }
      cudaEvent_t e0, e1; cudaEventCreate(&e0); cudaEventCreate(&e1); cudaDeviceSynchronize();
      switch (c.mode) {
        case 0: work<0><<<c.blocks, c.threads>>>(out, in, c.perWarp, seen); break;
        case 1: work<1><<<c.blocks, c.threads>>>(out, in, c.perWarp, seen); break;
        case 2: work<2><<<c.blocks, c.threads>>>(out, in, c.perWarp, seen); break;
        case 3: work<3><<<c.blocks, c.threads>>>(out, in, c.perWarp, seen); break;
        case 4: work<4><<<c.blocks, c.threads>>>(out, in, c.perWarp, seen); break;
        case 5: work<5><<<c.blocks, c.threads>>>(out, in, c.perWarp, seen); break;
        case 8: work<8><<<c.blocks, c.threads>>>(out, in, c.perWarp, seen); break;
        case 9: work<9><<<c.blocks, c.threads>>>(out, in, c.perWarp, seen); break;
        case 10: work<10><<<c.blocks, c.threads>>>(out, in, c.perWarp, seen); break;
        case 11: work<11><<<c.blocks, c.threads>>>(out, in, c.perWarp, seen); break;
        case 12: work<12><<<c.blocks, c.threads>>>(out, in, c.perWarp, seen); break;
        case 13: work<13><<<c.blocks, c.threads>>>(out, in, c.perWarp, seen); break;
        case 14: work<14><<<c.blocks, c.threads>>>(out, in, c.perWarp, seen); break;
        case 15: work<15><<<c.blocks, c.threads>>>(out, in, c.perWarp, seen); break;
        case 6: work<6><<<c.blocks, c.threads>>>(out, in, c.perWarp, seen); break;
        case 7: work<7><<<c.blocks, c.threads>>>(out, in, c.perWarp, seen); break; }
      cudaMemcpy(h, seen, c.blocks * sizeof(Seen), cudaMemcpyDeviceToHost);
      if (run == 0) continue;
      unsigned long long b = ~0ull, e = 0; for (int k = 0; k < c.blocks; k++) b = std::min(b, h[k].begin), e = std::max(e, h[k].end);
      std::vector<double> last(132, 0), mean(132, 0); std::vector<int> count(132, 0);
      for (int k = 0; k < c.blocks; k++) { last[h[k].sm] = std::max(last[h[k].sm], (double)(h[k].end - b)); mean[h[k].sm] += h[k].end - b; count[h[k].sm]++; }
      total += e - b;
      for (int s = 0; s < 132; s++) ends[s].push_back(last[s] / (e - b)), ends[s].push_back(mean[s] / std::max(1, count[s]) / (e - b));
    }
    printf("%-28s %8.1f us;", c.name, total / 5 / 1000);
    std::vector<double> l(132), m(132);
    for (int s = 0; s < 132; s++) { for (int r = 0; r < 5; r++) l[s] += ends[s][2 * r] / 5, m[s] += ends[s][2 * r + 1] / 5; }
    std::vector<double> t = l, u = m; std::sort(t.begin(), t.end()); std::sort(u.begin(), u.end());
    double ml = 0, mm = 0; for (int s = 0; s < 132; s++) ml += l[s] / 132, mm += m[s] / 132;
    printf(" SM ends: first %.2f q25 %.2f median %.2f q75 %.2f last %.2f mean %.2f; blocks' mean %.2f (SMs %.2f to %.2f)\n", t[0], t[33], t[66], t[99], t[131], ml, mm, u[0], u[131]);
    
  }
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
