// A table of kernels by function pointer, a lambda that launches, a generic helper that takes any kernel.
#include <functional>
#include <vector>

__global__ void addOne(int *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] += 1; }
__global__ void twice(int *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] *= 2; }
__global__ void square(int *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] *= p[i]; }

typedef void (*Kernel)(int *, int);

template <typename F, typename... Args>
void run(F kernel, int n, Args... args) {
  const int block = 128;
  kernel<<<(n + block - 1) / block, block>>>(args...);
}

int main() {
  const int n = 10000;
  int *p;
  cudaMalloc(&p, n * sizeof(int));
  Kernel table[] = {addOne, twice};
  for (int i = 0; i < 2; i++) table[i]<<<(n + 255) / 256, 256>>>(p, n);
  auto go = [&](int block) { square<<<(n + block - 1) / block, block>>>(p, n); };
  go(512);
  run(twice, n, p, n);
  std::function<void(int)> later = [p](int m) { addOne<<<m, 64>>>(p, m * 64); };
  later(12);
}
//= twice 79 128 | p[40000]+0=? 10000
//= addOne 40 256 | p[40000]+0=? 10000
//= twice 40 256 | p[40000]+0=? 10000
//= square 20 512 | p[40000]+0=? 10000
//= addOne 12 64 | p[40000]+0=? 768
