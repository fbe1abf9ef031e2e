// Atomic sums by words and how far apart they are: lanes a cycle. A warp's lanes are on one word, or beside each other.
#include <cstdio>
template <typename T> __global__ void onOne(T *p, int words, int stride, int turns) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  for (int r = 0; r < turns; r++) atomicAdd(p + (size_t)((warp + r * 7) % words) * stride, (T)1);
}
template <typename T> __global__ void onOneReturned(T *p, int words, int stride, int turns, T *out) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  T s = 0;
  for (int r = 0; r < turns; r++) s += atomicAdd(p + (size_t)((warp + r * 7) % words) * stride, (T)1);
  if (s == (T)-1) *out = s;
}
// Every warp adds to 32 words beside each other, of one of so many lines.
template <typename T> __global__ void beside(T *p, int lines, int turns) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  for (int r = 0; r < turns; r++) atomicAdd(p + (size_t)((warp + r * 7) % lines) * 32 + threadIdx.x % 32, (T)1);
}
// A warp's lanes on `ways` words of one line.
template <typename T> __global__ void some(T *p, int lines, int ways, int turns) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  for (int r = 0; r < turns; r++) atomicAdd(p + (size_t)((warp + r * 7) % lines) * 32 + threadIdx.x % ways, (T)1);
}
cudaEvent_t a, b;
template <typename F> float ms(F f) {
  f();
  cudaEventRecord(a);
  f();
  cudaEventRecord(b);
  cudaEventSynchronize(b);
  float t;
  cudaEventElapsedTime(&t, a, b);
  return t;
}
template <typename T> void all(const char *name, T *p) {
  const int blocks = 1056, threads = 256, turns = 8;
  const double lanes = (double)blocks * threads * turns, clock = 1.98e6;
  for (int stride : {1, 2, 8, 32, 128, 1024})
    for (int words : {1, 2, 4, 8, 16, 32, 64, 128, 256, 1024, 4096}) {
      if ((size_t)stride * words > (64u << 20)) continue;
      printf("%s onOne stride %d words %d lanes/cycle %.3f\n", name, stride * (int)sizeof(T), words, lanes / (ms([&] { onOne<<<blocks, threads>>>(p, words, stride, turns); }) * clock));
    }
  for (int words : {1, 8, 64, 256, 4096}) printf("%s onOneReturned stride 4 words %d lanes/cycle %.3f\n", name, words, lanes / (ms([&] { onOneReturned<<<blocks, threads>>>(p, words, 1, turns, p); }) * clock));
  for (int lines : {1, 2, 4, 8, 32, 256, 4096}) printf("%s beside lines %d lanes/cycle %.3f\n", name, lines, lanes / (ms([&] { beside<<<blocks, threads>>>(p, lines, turns); }) * clock));
  for (int ways : {1, 2, 4, 8, 16, 32})
    for (int lines : {1, 4, 64, 4096}) printf("%s some ways %d lines %d lanes/cycle %.3f\n", name, ways, lines, lanes / (ms([&] { some<<<blocks, threads>>>(p, lines, ways, turns); }) * clock));
}
int main() {
  void *p;
  cudaMalloc(&p, 512 << 20);
  cudaMemset(p, 0, 512 << 20);
  cudaEventCreate(&a);
  cudaEventCreate(&b);
  all<int>("int", (int *)p);
  all<float>("float", (float *)p);
  all<double>("double", (double *)p);
  all<unsigned long long>("u64", (unsigned long long *)p);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
