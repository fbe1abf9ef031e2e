// What one request of a warp's atomics costs the slice of the L2 that does it, by how its lanes lie: cycles a request, all warps at the same words.
#include <cstdio>
#include <cuda_runtime.h>

template <typename T> __global__ void adds(T* at, const int* words, int turns, int step, int places) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int word = words[threadIdx.x % 32];
  for (int r = 0; r < turns; r++)
    if (word >= 0) atomicAdd(at + (size_t)((warp + r * 7) % places) * step + word, (T)1);
}

// Each lane to a word of its own choice among so many.
template <typename T> __global__ void anywhere(T* at, int words, int turns) {
  unsigned seed = (blockIdx.x * blockDim.x + threadIdx.x) * 747796405u + 2891336453u;
  for (int r = 0; r < turns; r++) {
    seed = seed * 1664525u + 1013904223u;
    unsigned pick = ((seed >> ((seed >> 28) + 4)) ^ seed) * 277803737u;
    atomicAdd(at + (pick >> 10) % words, (T)1);
  }
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

int main() {
  const int blocks = 1056, threads = 256, turns = 8;
  const double requests = (double)blocks * threads / 32 * turns, clock = 1.98e6;
  void* at;
  int* words;
  cudaMalloc(&at, 64 << 20);
  cudaMalloc(&words, 128);
  cudaMemset(at, 0, 64 << 20);
  cudaEventCreate(&a);
  cudaEventCreate(&b);
  auto one = [&](const char* how, int p, int q, int lanes, auto place) {
    int host[32];
    for (int lane = 0; lane < 32; lane++) host[lane] = lane < lanes ? place(lane) : -1;
    cudaMemcpy(words, host, 128, cudaMemcpyHostToDevice);
    double i = ms([&] { adds<int><<<blocks, threads>>>((int*)at, words, turns, 0, 1); }) * clock / requests;
    double f = ms([&] { adds<float><<<blocks, threads>>>((float*)at, words, turns, 0, 1); }) * clock / requests;
    printf("%s %d %d lanes %d: int %.2f float %.2f cycles a request\n", how, p, q, lanes, i, f);
  };
  // One word in each of so many sectors, so many bytes apart.
  for (int apart : {32, 64, 128, 256, 512, 1024})
    for (int sectors : {1, 2, 4, 8, 16, 32}) one("sectors, bytes apart:", sectors, apart, sectors, [&](int lane) { return lane * apart / 4; });
  // So many words in each of so many sectors beside each other, and the same in every second.
  for (int gap : {1, 2})
    for (int perSector : {1, 2, 4, 8})
      for (int sectors : {1, 2, 3, 4, 8})
        if (sectors * perSector <= 32)
          one(gap == 1 ? "sectors, words of each:" : "every second sector, words of each:", sectors, perSector, sectors * perSector, [&](int lane) { return lane / perSector * 8 * gap + lane % perSector; });
  // The words of each sector are others than those of the one before, or the same.
  for (int sectors : {2, 4}) one("sectors, four words, others in each:", sectors, 4, 4 * sectors, [&](int lane) { return lane / 4 * 8 + lane % 4 + (lane / 4 % 2) * 4; });
  // So many lanes on a word of each of so many sectors beside each other.
  for (int ways : {1, 2, 4, 8})
    for (int sectors : {1, 2, 4})
      one("sectors, lanes on a word of each:", sectors, ways, ways * sectors, [&](int lane) { return lane / ways * 8; });
  // Lanes in another order.
  one("eight words of four sectors, lanes from sector to sector:", 4, 8, 32, [&](int lane) { return lane % 4 * 8 + lane / 4; });
  one("one word of four sectors, eight lanes each, from sector to sector:", 4, 8, 32, [&](int lane) { return lane % 4 * 8; });
  one("every second word of a line, two lanes each:", 4, 4, 32, [&](int lane) { return lane % 16 * 2; });
  one("every fourth word of two lines, two lanes each:", 8, 2, 32, [&](int lane) { return lane % 16 * 4; });
  for (int n : {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096, 16384, 65536, 1 << 20}) {
    double i = ms([&] { anywhere<int><<<blocks, threads>>>((int*)at, n, turns); }) * clock / requests;
    double f = ms([&] { anywhere<float><<<blocks, threads>>>((float*)at, n, turns); }) * clock / requests;
    double d = ms([&] { anywhere<double><<<blocks, threads>>>((double*)at, n, turns); }) * clock / requests;
    printf("at random among %d words: int %.2f float %.2f double %.2f cycles a request\n", n, i, f, d);
  }
  puts(cudaGetErrorString(cudaDeviceSynchronize()));
}
