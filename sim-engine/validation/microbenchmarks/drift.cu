// How far the warps of a block that nothing holds together drift apart, and what that costs where sectors are written in part by two of
// them: a block goes along a row, its threads side by side, by threads, turns, values under way, resident blocks and where rows begin.
#include <cstdio>
#include <cstring>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>
enum Mode { copied, written, inPlace, twice, held };
constexpr int checks = 8;
// Every block notes when each of its warps has done an eighth of the row, if `clocks` is there.
template <int AHEAD, Mode MODE>
__global__ void drift(const float* in, float* out, int length, long long* clocks) {
  const float* row = in + (long long)blockIdx.x * length;
  float* to = (MODE == inPlace ? (float*)in : out) + (long long)blockIdx.x * length;
  int turn = AHEAD * blockDim.x, next = length / checks, check = 0;
  if (MODE == twice) {
    float s = 0;
    for (int i = threadIdx.x; i < length; i += blockDim.x) s += row[i];
    if (s == 1.2345f) to[0] = s;
  }
#pragma unroll 1
  for (int i = threadIdx.x; i < length; i += turn) {
    float v[AHEAD];
#pragma unroll
    for (int u = 0; u < AHEAD; u++)
      if (i + u * (int)blockDim.x < length) v[u] = MODE == written ? (float)i : row[i + u * blockDim.x];
#pragma unroll
    for (int u = 0; u < AHEAD; u++)
      if (i + u * (int)blockDim.x < length) to[i + u * blockDim.x] = v[u] * 0.5f;
    if (MODE == held) __syncthreads();
    if (clocks && i >= next && check < checks) {
      if (threadIdx.x % 32 == 0) clocks[((long long)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * checks + check] = clock64();
      check++; next += length / checks;
    }
  }
}
static float *in, *out; static long long* clocks; static bool profiling;
template <int AHEAD, Mode MODE>
void run(const char* what, int threads, int length, int perSm = 0) {
  int rows = 205000000 / length;
  if (MODE == held) length = length / (AHEAD * threads) * (AHEAD * threads);
  auto kernel = drift<AHEAD, MODE>;
  int bytes = perSm ? 220 * 1024 / perSm : 0;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  if (profiling) { kernel<<<rows, threads, bytes>>>(in, out, length, nullptr); return; }
  int warps = threads / 32; size_t n = (size_t)rows * warps * checks;
  if (n * 8 > (size_t)1 << 30) return;
  cudaMemset(clocks, 0, n * 8);
  kernel<<<rows, threads, bytes>>>(in, out, length, clocks);
  std::vector<long long> c(n); cudaMemcpy(c.data(), clocks, n * 8, cudaMemcpyDeviceToHost);
  printf("%s ahead %d threads %d length %d per SM %d turns %.0f: turns between neighbours, by eighth:", what, AHEAD, threads, length, perSm, (double)length / threads / AHEAD);
  for (int k = 0; k + 1 < checks; k++) {
    double apart = 0, whole = 0; long long pairs = 0;
    for (int b = rows / 4; b < rows * 3 / 4; b++) {
      for (int w = 0; w + 1 < warps; w++) {
        long long x = c[((size_t)b * warps + w) * checks + k], y = c[((size_t)b * warps + w + 1) * checks + k];
        long long x0 = c[((size_t)b * warps + w) * checks], x6 = c[((size_t)b * warps + w) * checks + 6];
        if (!x || !y || !x0 || !x6) continue;
        apart += std::fabs((double)(x - y)); whole += (x6 - x0) / 6.0; pairs++;
      }
    }
    printf(" %.2f", pairs ? apart / whole * length / threads / AHEAD / checks : 0);
  }
  printf("\n");
}
int main(int argc, char** argv) {
  profiling = argc > 1 && !strcmp(argv[1], "profile");
  cudaMalloc(&in, 900ll << 20); cudaMalloc(&out, 900ll << 20); cudaMalloc(&clocks, 1ll << 30); cudaMemset(in, 0, 900ll << 20); cudaMemset(out, 0, 900ll << 20);
  for (int threads : {64, 128, 256, 512, 1024}) { run<1, copied>("copied", threads, 50257); run<4, copied>("copied", threads, 50257); }
  run<1, copied>("copied", 256, 50304); run<1, copied>("copied", 256, 50264); run<4, copied>("copied", 256, 50304);
  for (int length : {4093, 16381, 200003, 1600003}) run<1, copied>("copied", 256, length);
  for (int perSm : {1, 2, 4, 6}) run<1, copied>("copied", 256, 50257, perSm);
  for (int perSm : {1, 2, 4}) run<1, copied>("copied", 256, 1600003, perSm);
  run<1, copied>("copied", 64, 50257, 8); run<1, copied>("copied", 64, 50257, 16); run<4, copied>("copied", 64, 50257, 16);
  run<8, copied>("copied", 64, 50257); run<8, copied>("copied", 128, 50257); run<8, copied>("copied", 256, 50257);
  run<1, written>("written", 256, 50257); run<1, inPlace>("in place", 256, 50257); run<1, twice>("twice", 256, 50257); run<4, twice>("twice", 128, 50257);
  run<1, held>("held", 256, 50257); run<1, copied>("copied", 1024, 1600003);
  puts(cudaGetErrorString(cudaDeviceSynchronize()));
}
