// Loads of a line, one after the other, that the L2 serves, beside stores of lines that nobody waits for: what a turn takes of a warp.
#include <cstdio>
template <int LOADS, int STORES>
__global__ void turns(const unsigned* in, unsigned* out, unsigned lines, int count, unsigned* sink, long long* cycles) {
  const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  unsigned line = warp * 2654435761u % lines, v = 0;
  long long begin = clock64();
  for (int i = 0; i < count; i++) {
#pragma unroll
    for (int k = 0; k < LOADS; k++) v += __ldcg(in + (size_t)((line + k * 4099u) & (lines - 1)) * 32 + lane);
#pragma unroll
    for (int k = 0; k < STORES; k++) __stcg(out + (size_t)((line + k * 4099u) & (lines - 1)) * 32 + lane, v);
    line = (line + 40503u + v) & (lines - 1);
  }
  if (v == 12345u) *sink = v;
  __syncthreads();
  if (threadIdx.x == 0) atomicMax((unsigned long long*)cycles, (unsigned long long)(clock64() - begin));
}
template <int LOADS, int STORES>
static void run(const unsigned* in, unsigned* out, size_t bytes, int warpsPerSm, unsigned* sink, long long* cycles) {
  const int count = 400;
  for (int warm = 0; warm < 2; warm++) {
    cudaMemset(cycles, 0, 8);
    turns<LOADS, STORES><<<132 * (warpsPerSm < 4 ? 1 : warpsPerSm / 4), warpsPerSm < 4 ? 32 * warpsPerSm : 128>>>(in, out, (unsigned)(bytes / 128), count, sink, cycles);
    cudaDeviceSynchronize();
  }
  long long c;
  cudaMemcpy(&c, cycles, 8, cudaMemcpyDeviceToHost);
  printf("beside loads %d stores %d mb %zu warps %d cycles/turn %.0f lines/cycle/SM %.3f\n", LOADS, STORES, bytes >> 20, warpsPerSm, (double)c / count,
         (double)(LOADS + STORES) * warpsPerSm * count / c);
}
int main() {
  const size_t most = 16 << 20;
  unsigned *in, *out, *sink;
  long long* cycles;
  cudaMalloc(&in, most);
  cudaMalloc(&out, most);
  cudaMalloc(&sink, 4);
  cudaMalloc(&cycles, 8);
  cudaMemset(in, 0, most);
  cudaMemset(out, 0, most);
  for (size_t bytes : {(size_t)4 << 20, most})
    for (int warps : {1, 4, 8, 16, 32, 48, 64}) {
      run<1, 0>(in, out, bytes, warps, sink, cycles);
      run<1, 1>(in, out, bytes, warps, sink, cycles);
      run<1, 2>(in, out, bytes, warps, sink, cycles);
      run<2, 1>(in, out, bytes, warps, sink, cycles);
      run<4, 0>(in, out, bytes, warps, sink, cycles);
      run<4, 1>(in, out, bytes, warps, sink, cycles);
      run<4, 4>(in, out, bytes, warps, sink, cycles);
      run<0, 1>(in, out, bytes, warps, sink, cycles);
    }
  puts(cudaGetErrorString(cudaGetLastError()));
}
