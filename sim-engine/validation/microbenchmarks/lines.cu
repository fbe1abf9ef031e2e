// Each resident thread owns `own` sectors, `pitch` bytes apart from those of its neighbours, and goes round them: what does the L2 hold, lines or sectors?
#include <cstdio>
#include <cuda_runtime.h>
template <int WRITES>
__global__ void rounds(float *a, float *out, int pitch, int own, int times) {
  size_t t = blockIdx.x * (size_t)blockDim.x + threadIdx.x, all = gridDim.x * (size_t)blockDim.x;
  float s = 0;
  for (int k = 0; k < times; k++)
    for (int j = 0; j < own; j++) {
      float *at = a + (j * all + t) * pitch / 4 + k % 8;
      if (WRITES) __stcg(at, s + k); else s += __ldcg(at);
    }
  if (s == 12345.f) out[t] = s;
}
// the beginner's way: a piece for each thread
__global__ void pieces(const float *a, const float *b, float *c, int n, int chunk) {
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * chunk, last = min(n, first + chunk);
  for (int i = first; i < last; i++) c[i] = a[i] + b[i];
}
__global__ void readPieces(const float *a, float *out, int n, int chunk) {
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * chunk, last = min(n, first + chunk);
  float s = 0;
  for (int i = first; i < last; i++) s += a[i];
  if (s == 12345.f) out[first] = s;
}
int main() {
  size_t bytes = (size_t)3 << 30; float *a, *out;
  cudaMalloc(&a, bytes); cudaMalloc(&out, 1 << 24); cudaMemset(a, 0, bytes);
  int blocks = 132 * 8;
  for (int writes = 0; writes < 2; writes++)
    for (int pitch = 32; pitch <= 256; pitch *= 2)
      for (int own = 1; own <= 8; own *= 2) {
        if (writes) rounds<1><<<blocks, 256>>>(a, out, pitch, own, 8); else rounds<0><<<blocks, 256>>>(a, out, pitch, own, 8);
      }
  int n = 1 << 24;
  float *b = a + n, *c = b + n;
  for (int chunk = 8; chunk <= 128; chunk *= 2) {
    int threads = n / chunk;
    readPieces<<<threads / 256, 256>>>(a, out, n, chunk);
    pieces<<<threads / 256, 256>>>(a, b, c, n, chunk);
  }
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
