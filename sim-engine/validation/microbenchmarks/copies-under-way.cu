// Copies of 34 and 138 MB by one wave of blocks, or by as many blocks as there is work: what is under way of a warp, and how wide it is.
#include <cstdio>
#include <cstdlib>
#include <algorithm>
template <class T, int U> __global__ void strides(T* __restrict__ out, const T* __restrict__ in, size_t n) {
  size_t step = (size_t)gridDim.x * blockDim.x;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += U * step) {
    T v[U];
#pragma unroll
    for (int u = 0; u < U; u++) v[u] = in[i + u * step];
#pragma unroll
    for (int u = 0; u < U; u++) out[i + u * step] = v[u];
  }
}
template <class T, int U> __global__ void rows(T* __restrict__ out, const T* __restrict__ in, size_t perWarp) {
  size_t warp = (blockIdx.x * (size_t)blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const T* x = in + warp * perWarp; T* y = out + warp * perWarp;
  for (size_t i = lane; i < perWarp; i += 32 * U) {
    T v[U];
#pragma unroll
    for (int u = 0; u < U; u++) v[u] = x[i + u * 32];
#pragma unroll
    for (int u = 0; u < U; u++) y[i + u * 32] = v[u];
  }
}
template <class T> __global__ void flat(T* __restrict__ out, const T* __restrict__ in, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}
template <class T> __global__ void flatTwo(T* __restrict__ out, const T* __restrict__ in, const T* __restrict__ more, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) { T a = in[i], b = more[i]; out[i] = a; if (((const int*)&b)[0] == 77) out[i] = b; }
}
__global__ void readAll(float* out, const float* in, size_t n) { float s = 0; for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) s += __ldcg(in + i); if (s == 123.456f) *out = s; }
float *in, *out, *flush, *more;
template <class F> void timed(const char* name, size_t bytes, F f) {
  float best = 1e9, sum = 0; cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b);
  for (int r = 0; r < 7; r++) {
    readAll<<<1056, 512>>>(out, flush, 64 << 20);
    cudaDeviceSynchronize(); cudaEventRecord(a); f(); cudaEventRecord(b); cudaEventSynchronize(b);
    float ms; cudaEventElapsedTime(&ms, a, b); if (r > 0) best = std::min(best, ms), sum += ms / 6;
  }
  printf("%-36s %7.1f us (best %.1f)  %.2f TB/s\n", name, sum * 1e3, best * 1e3, bytes / (sum * 1e-3) / 1e12);
}
template <class T, int U> void one(size_t words, int blocks, int threads) {
  size_t n = words * 4 / sizeof(T); char name[99]; size_t warps = (size_t)blocks * threads / 32;
  sprintf(name, "strides %zu words %d x%d, %d of %d", words, (int)sizeof(T), U, blocks, threads); timed(name, words * 8, [&] { strides<T, U><<<blocks, threads>>>((T*)out, (T*)in, n); });
  sprintf(name, "rows %zu words %d x%d, %d of %d", words, (int)sizeof(T), U, blocks, threads); timed(name, words * 8, [&] { rows<T, U><<<blocks, threads>>>((T*)out, (T*)in, n / warps); });
}
template <class T> void flats(size_t words, int threads) {
  size_t n = words * 4 / sizeof(T); char name[99];
  sprintf(name, "flat %zu words %d, blocks of %d", words, (int)sizeof(T), threads); timed(name, words * 8, [&] { flat<T><<<n / threads, threads>>>((T*)out, (T*)in, n); });
  sprintf(name, "flat two %zu words %d, blocks of %d", words, (int)sizeof(T), threads); timed(name, words * 12, [&] { flatTwo<T><<<n / threads, threads>>>((T*)out, (T*)in, (T*)more, n); });
}
int main() {
  cudaMalloc(&in, 256 << 20); cudaMalloc(&out, 256 << 20); cudaMalloc(&flush, 256 << 20); cudaMalloc(&more, 256 << 20);
  cudaMemset(in, 0, 256 << 20); cudaMemset(flush, 0, 256 << 20); cudaMemset(more, 0, 256 << 20);
  printf("an empty launch: "); timed("empty", 0, [&] { flat<float><<<1, 32>>>(out, in, 0); });
  for (size_t words : {(size_t)8448 * 512, (size_t)8448 * 1024, (size_t)8448 * 4096, (size_t)8448 * 7168}) {
    one<float, 1>(words, 1056, 256); one<float, 2>(words, 1056, 256); one<float, 4>(words, 1056, 256);
    one<float2, 1>(words, 1056, 256); one<float4, 1>(words, 1056, 256); one<float4, 4>(words, 1056, 256);
    one<float, 1>(words, 528, 256); one<float, 4>(words, 528, 256); one<float, 1>(words, 264, 256); one<float, 4>(words, 264, 256);
    flats<float>(words, 256); flats<float>(words, 1024); flats<float2>(words, 256); flats<float4>(words, 256);
  }
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
