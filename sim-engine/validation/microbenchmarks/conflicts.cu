// Shared memory under bank conflicts: cycles an SM takes for an access, by lanes, words between them, and warps; warps with and without
// conflicts beside each other; how long a load waits beside stores with conflicts; and a scan up and down a tree in shared memory, with and
// without padding, and step by step.
#include <cuda_runtime.h>
#include <cstdio>

constexpr int turns = 64, each = 16;

enum Kind { stores, updates };

__device__ inline float load(unsigned at) {
  float value;
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(value) : "r"(at) : "memory");
  return value;
}
__device__ inline void store(unsigned at, float value) { asm volatile("st.shared.f32 [%0], %1;" ::"r"(at), "f"(value)); }

// An update reads two words, and writes one of them.
template <Kind kind>
__global__ void access(float* out, long long* cycles, int stride, int lanes) {
  extern __shared__ float words[];
  for (int k = threadIdx.x; k < 12288; k += blockDim.x) words[k] = 0;
  const int lane = threadIdx.x % 32;
  const unsigned at = (unsigned)__cvta_generic_to_shared(words) + lane * stride * 4;
  float sum = 0;
  __syncthreads();
  const long long begin = clock64();
  if (lane < lanes) {
#pragma unroll 1
    for (int t = 0; t < turns; t++) {
#pragma unroll
      for (int k = 0; k < each; k++) {
        if (kind == stores) store(at + k * 128, sum);
        if (kind == updates) store(at + k * 128, load(at + k * 128) + load(at + k * 128 + 4096));
      }
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) *cycles = clock64() - begin;
  out[threadIdx.x] = sum;
}

// Stores with 32-way conflicts by the warps of one mask, without by those of the other.
__global__ void mix(float* out, long long* cycles, unsigned heavy, unsigned light, int turns) {
  extern __shared__ float words[];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  bool h = heavy >> warp & 1, l = light >> warp & 1;
  unsigned at = (unsigned)__cvta_generic_to_shared(words) + (h ? lane * 128 : lane * 4);
  __syncthreads();
  long long b = clock64();
  if (h || l) for (int t = 0; t < turns; t++) {
#pragma unroll
    for (int k = 0; k < 16; k++) store(at + k * 128, 1.f);
  }
  long long e = clock64();
  if (lane == 0) cycles[warp] = e - b;
  __syncthreads();
  out[threadIdx.x] = words[threadIdx.x];
}
// Loads that wait for each other, by one warp, beside such stores.
__global__ void probe(float* out, long long* cycles, unsigned heavy, int prober, int turns) {
  extern __shared__ float words[];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int k = threadIdx.x; k < 8192; k += blockDim.x) words[k] = 0;
  unsigned at = (unsigned)__cvta_generic_to_shared(words);
  __syncthreads();
  long long b = clock64();
  if (heavy >> warp & 1) for (int t = 0; t < turns; t++) {
#pragma unroll
    for (int k = 0; k < 16; k++) store(at + lane * 128 + k * 128, 0.f);
  }
  float s = 0;
  if (warp == prober) { unsigned p = at + lane * 4; for (int t = 0; t < 100; t++) { float v = load(p); s += v; p += (unsigned)v; } }
  long long e = clock64();
  if (lane == 0) cycles[warp] = e - b;
  out[threadIdx.x] = s;
}
__global__ void steps(const int* in, int* out, long long* at) {
  __shared__ int a[1024];
  const int t = threadIdx.x, base = blockIdx.x * 1024;
  int n = 0;
  long long* my = at + blockIdx.x * 32;
  if (t == 0) my[n++] = clock64();
  a[2*t] = in[base + 2*t];
  a[2*t+1] = in[base + 2*t+1];
  int offset = 1;
  for (int d = 512; d > 0; d >>= 1) {
    __syncthreads();
    if (t == 0) my[n++] = clock64();
    if (t < d) { int i = offset*(2*t+1)-1, j = offset*(2*t+2)-1; a[j] += a[i]; }
    offset *= 2;
  }
  if (t == 0) a[1023] = 0;
  for (int d = 1; d < 1024; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t == 0) my[n++] = clock64();
    if (t < d) { int i = offset*(2*t+1)-1, j = offset*(2*t+2)-1; int x = a[i]; a[i] = a[j]; a[j] += x; }
  }
  __syncthreads();
  if (t == 0) my[n++] = clock64();
  out[base + 2*t] = a[2*t]; out[base + 2*t+1] = a[2*t+1];
  if (t == 0) my[n++] = clock64();
}

template <bool padded>
__device__ inline int place(int i) { return padded ? i + i / 32 : i; }

template <bool padded, int steps>
__global__ void scan(const int* in, int* out) {
  __shared__ int a[1024 + 32];
  const int t = threadIdx.x, base = blockIdx.x * 1024;
  a[place<padded>(t)] = in[base + t];
  a[place<padded>(t + 512)] = in[base + t + 512];
  int offset = 1;
  for (int d = 512; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) a[place<padded>(offset * (2 * t + 2) - 1)] += a[place<padded>(offset * (2 * t + 1) - 1)];
    offset *= 2;
  }
  if (steps == 2) {
    if (t == 0) a[place<padded>(1023)] = 0;
    for (int d = 1; d < 1024; d *= 2) {
      offset >>= 1;
      __syncthreads();
      if (t < d) {
        const int i = place<padded>(offset * (2 * t + 1) - 1), j = place<padded>(offset * (2 * t + 2) - 1);
        const int x = a[i];
        a[i] = a[j];
        a[j] += x;
      }
    }
  }
  __syncthreads();
  out[base + t] = a[place<padded>(t)];
  out[base + t + 512] = a[place<padded>(t + 512)];
}

template <typename Run>
float microseconds(Run run) {
  cudaEvent_t from, to;
  cudaEventCreate(&from);
  cudaEventCreate(&to);
  float best = 1e9f;
  for (int k = 0; k < 5; k++) {
    float ms;
    cudaEventRecord(from);
    for (int n = 0; n < 10; n++) run();
    cudaEventRecord(to);
    cudaEventSynchronize(to);
    cudaEventElapsedTime(&ms, from, to);
    if (ms * 100 < best) best = ms * 100;
  }
  return best;
}

template <Kind kind>
void measure(const char* what, float* out, long long* cycles) {
  const int patterns[][2] = {{1, 32}, {2, 32}, {4, 32}, {8, 32}, {16, 32}, {32, 32}, {32, 16}, {32, 8}, {32, 4}, {32, 2}, {32, 1}, {8, 16}, {4, 8}, {2, 16}};
  for (const auto& [stride, lanes] : patterns)
    for (int warps : {1, 4, 8, 16, 32}) {
      access<kind><<<1, warps * 32, 49152>>>(out, cycles, stride, lanes);
      cudaDeviceSynchronize();
      const int accesses = turns * each * warps * (kind == updates ? 3 : 1);
      printf("%-8s %2d lanes %2d words apart %2d warps %6.2f cycles an access of the SM\n", what, lanes, stride, warps, double(*cycles) / accesses);
    }
}

int main() {
  float* out;
  long long* cycles;
  int *in, *to;
  cudaMalloc(&out, 4096 * sizeof(float));
  cudaMallocManaged(&cycles, 32 * sizeof(long long));
  long long* at;
  cudaMallocManaged(&at, 4096 * 32 * sizeof(long long));
  cudaMalloc(&in, 4 << 22);
  cudaMalloc(&to, 4 << 22);
  measure<stores>("stores", out, cycles);
  measure<updates>("updates", out, cycles);
  printf("up, 4,096 blocks of 512: %.1f us, padded %.1f us\n", microseconds([=] { scan<false, 1><<<4096, 512>>>(in, to); }),
         microseconds([=] { scan<true, 1><<<4096, 512>>>(in, to); }));
  printf("up and down: %.1f us, padded %.1f us\n", microseconds([=] { scan<false, 2><<<4096, 512>>>(in, to); }),
         microseconds([=] { scan<true, 2><<<4096, 512>>>(in, to); }));
  printf("one block: up and down %.2f us, padded %.2f us\n", microseconds([=] { scan<false, 2><<<1, 512>>>(in, to); }),
         microseconds([=] { scan<true, 2><<<1, 512>>>(in, to); }));
  auto m = [&](const char* w, unsigned h, unsigned l) { for (int r = 0; r < 2; r++) { mix<<<1, 512, 40960>>>(out, cycles, h, l, 64); cudaDeviceSynchronize(); } printf("%s heavy %04x light %04x:", w, h, l); for (int k = 0; k < 16; k++) if ((h|l)>>k&1) printf(" w%d %.2f", k, cycles[k]/1024.0); printf("\n"); };
  m("one", 1, 0); m("light alone", 0, 2); m("other scheduler", 1, 2); m("same scheduler", 1, 0x10); m("two heavy same", 0x11, 0); m("four heavy same", 0x1111, 0); m("four heavy same + light other", 0x1111, 2); m("four heavy same, 4 light others", 0x1111, 0x2e); m("two heavy other scheds", 3, 0); m("2 heavy, light third", 3, 4); m("all four heavy, light", 15, 0x10);
  auto p = [&](unsigned h, int w) { for (int r = 0; r < 2; r++) { probe<<<1, 512, 40960>>>(out, cycles, h, w, 64); cudaDeviceSynchronize(); } printf("probe heavy %04x, warp %d: %.1f cycles a load; heavy", h, w, cycles[w]/100.0); for (int k = 0; k < 16; k++) if (h>>k&1) printf(" %.2f", cycles[k]/1024.0); printf("\n"); };
  p(0, 1); p(1, 1); p(1, 4); p(0x11, 1); p(0x1111, 1); p(0x1111, 12+1); p(15, 4); p(3, 2);
  for (int blocks : {1, 132, 264, 528, 4096}) { for (int r = 0; r < 2; r++) { steps<<<blocks, 512>>>(in, to, at); cudaDeviceSynchronize(); } int b = blocks > 4000 ? 2000 : 0; printf("steps, %d blocks:", blocks); for (int k = 1; k < 23; k++) printf(" %lld", at[b*32+k]-at[b*32+k-1]); printf("\n"); }
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
