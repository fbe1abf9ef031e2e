// Work shared among devices and streams: arrays of structs with buffers, chunks with a remainder, inline checks.
#include <algorithm>
#include <cstdio>
#include <vector>

inline void check(cudaError_t status, const char *what, int line) {
  if (status != cudaSuccess) {
    printf("%s at %d: %s\n", what, line, cudaGetErrorString(status));
    abort();
  }
}
#define CHECK(call) check((call), #call, __LINE__)

struct Slot {
  int begin, end;
  float *values;
  cudaStream_t stream;
  int size() const { return end - begin; }
};

__global__ void scale(float *v, int n, float by) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) v[i] *= by; }

int main() {
  const int total = 1000003, chunk = 1 << 18;
  int devices = 0;
  CHECK(cudaGetDeviceCount(&devices));
  std::vector<Slot> slots;
  for (int begin = 0; begin < total; begin += chunk) {
    Slot slot;
    slot.begin = begin;
    slot.end = std::min(begin + chunk, total);
    CHECK(cudaSetDevice(begin / chunk % devices));
    CHECK(cudaMalloc(&slot.values, slot.size() * sizeof(float)));
    CHECK(cudaStreamCreate(&slot.stream));
    slots.push_back(slot);
  }
  for (Slot &slot : slots) {
    const unsigned threads = 512;
    const unsigned blocks = (slot.size() + threads - 1) / threads;
    scale<<<blocks, threads, 0, slot.stream>>>(slot.values, slot.size(), 0.5f);
  }
  Slot &last = slots.back();
  scale<<<(last.size() + 127) / 128, 128, 0, last.stream>>>(last.values, last.size(), 2.0f);
}
//= scale 512 512 | values[1048576]+0=? 262144 0.5
//= scale 418 512 | values[854284]+0=? 213571 0.5
//= scale 1669 128 | values[854284]+0=? 213571 2
