// Sums of floats in memory by all warps, alone and between loads and stores of their own: a row of words each warp goes along, or one that all do.
#include <cstdio>
template <int SUMS, int LOADS, int STORES>
__global__ void sums(float* sum, const float* in, float* out, int C) {
  int lane = threadIdx.x % 32;
  long long row = (blockIdx.x * (long long)blockDim.x + threadIdx.x) / 32;
  const float* x = in + row * C;
  float* y = out + row * C;
  for (int i = lane; i < C; i += 32) {
    float v = 1.f;
    if (LOADS > 0) v = x[i];
    if (SUMS > 0) atomicAdd(&sum[i], v);
    if (SUMS > 1) atomicAdd(&sum[C + i], v);
    if (STORES > 0) y[i] = v + 1;
  }
}
static float *a, *b, *s;
template <int SUMS, int LOADS, int STORES>
void run(const char* name, int rows, int C, int warps) {
  float ms = 0;
  cudaEvent_t from, to;
  cudaEventCreate(&from);
  cudaEventCreate(&to);
  for (int warm = 0; warm < 3; warm++) {
    cudaEventRecord(from);
    sums<SUMS, LOADS, STORES><<<rows / warps, warps * 32>>>(s, a, b, C);
    cudaEventRecord(to);
    cudaDeviceSynchronize();
    cudaEventElapsedTime(&ms, from, to);
  }
  printf("%s rows %d columns %d warps %d us %.1f ns/row %.3f\n", name, rows, C, warps, ms * 1000, ms * 1e6 / rows);
}
int main() {
  cudaMalloc(&a, 256 << 20);
  cudaMalloc(&b, 256 << 20);
  cudaMalloc(&s, 1 << 20);
  cudaMemset(a, 0, 256 << 20);
  cudaMemset(s, 0, 1 << 20);
  for (int C : {64, 256, 768, 1024, 4096})
    for (int warps : {8, 16}) {
      int rows = C > 1024 ? 4096 : 8192;
      run<1, 0, 0>("sum", rows, C, warps);
      run<2, 0, 0>("two sums", rows, C, warps);
      run<0, 1, 1>("load store", rows, C, warps);
      run<1, 1, 0>("load sum", rows, C, warps);
      run<1, 0, 1>("sum store", rows, C, warps);
      run<1, 1, 1>("load sum store", rows, C, warps);
      run<2, 1, 1>("load two sums store", rows, C, warps);
    }
  puts(cudaGetErrorString(cudaGetLastError()));
}
