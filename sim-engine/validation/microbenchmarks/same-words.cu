// Loads that all SMs make at the same places at the same time: cycles from one to the next.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>
__global__ void chase(const int* __restrict__ p, int n, int step, int shift, long long* cycles, int* out) {
  int at = (int)((long long)blockIdx.x * shift % n);
  // one warp, or more, all lanes at one word; the next place is in what is loaded
  long long t0 = clock64(); int steps = 0;
  for (int k = 0; k < n / step; k++) { int v = __ldcg(p + at); at = v; steps++; }
  long long t1 = clock64();
  if (threadIdx.x == 0) { cycles[blockIdx.x] = (t1 - t0) / steps; out[blockIdx.x] = at; }
}
template <int U> __global__ void stream(const float4* __restrict__ p, int n, long long* cycles, float* out) {
  float s = 0; long long t0 = clock64();
  for (int k = 0; k < n; k += U) {
    float4 v[U];
#pragma unroll
    for (int u = 0; u < U; u++) v[u] = p[k + u];
#pragma unroll
    for (int u = 0; u < U; u++) s = fmaf(v[u].x, s, v[u].y) * v[u].z + v[u].w;
  }
  long long t1 = clock64();
  if (threadIdx.x == 0) { cycles[blockIdx.x] = (t1 - t0) * 100 / n; }
  out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
int main() {
  const int words = 1 << 17; // 512 KB
  int *d; long long* c; int* o; float* f; cudaMalloc(&d, words * 4); cudaMalloc(&c, 8 * 4096); cudaMalloc(&o, 4 * 4096); cudaMalloc(&f, 4 << 20);
  std::vector<int> h(words); std::vector<long long> hc(4096);
  auto show = [&](const char* what, int blocks) { cudaDeviceSynchronize(); cudaMemcpy(hc.data(), c, 8 * blocks, cudaMemcpyDeviceToHost); std::sort(hc.begin(), hc.begin() + blocks); printf("%s\tleast %lld\tmedian %lld\tmost %lld\n", what, hc[0], hc[blocks / 2], hc[blocks - 1]); };
  char name[200];
  for (int step : {8, 32, 64, 256}) {
    for (int i = 0; i < words; i++) h[i] = (i + step) % words;
    cudaMemcpy(d, h.data(), words * 4, cudaMemcpyHostToDevice);
    for (int shift : {0, 4096 * 8 + step})
      for (int blocks : {1, 2, 8, 16, 33, 66, 132, 264})
        for (int rep = 0; rep < 2; rep++) {
          chase<<<blocks, 32>>>(d, words, step, shift / step * step, c, o);
          sprintf(name, "chase\tstep %d B\t%s\tblocks %d", step * 4, shift ? "apart" : "together", blocks);
          if (rep) show(name, blocks);
        }
  }
  for (int n : {words / 4}) for (int threads : {32, 128, 256}) for (int blocks : {1, 8, 33, 66, 132, 264}) {
    stream<1><<<blocks, threads>>>((float4*)d, n, c, f); stream<1><<<blocks, threads>>>((float4*)d, n, c, f); sprintf(name, "stream 1 (x100)\tthreads %d\tblocks %d", threads, blocks); show(name, blocks);
    stream<4><<<blocks, threads>>>((float4*)d, n, c, f); sprintf(name, "stream 4 (x100)\tthreads %d\tblocks %d", threads, blocks); show(name, blocks);
    stream<8><<<blocks, threads>>>((float4*)d, n, c, f); sprintf(name, "stream 8 (x100)\tthreads %d\tblocks %d", threads, blocks); show(name, blocks);
  }
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
