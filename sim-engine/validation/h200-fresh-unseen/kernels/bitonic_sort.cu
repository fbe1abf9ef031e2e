// Bitonic sort: what fits into shared memory at once, the rest step by step.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define SHARED 1024

__device__ inline void order(unsigned &a, unsigned &b, bool up) {
  if ((a > b) == up) {
    unsigned t = a;
    a = b;
    b = t;
  }
}

__global__ void sortShared(unsigned *data) {
  __shared__ unsigned s[SHARED];
  unsigned *part = data + blockIdx.x * SHARED;
  s[threadIdx.x] = part[threadIdx.x];
  s[threadIdx.x + SHARED / 2] = part[threadIdx.x + SHARED / 2];
  for (unsigned size = 2; size < SHARED; size <<= 1) {
    bool up = (threadIdx.x & (size / 2)) == 0;
    for (unsigned stride = size / 2; stride > 0; stride >>= 1) {
      __syncthreads();
      unsigned pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
      order(s[pos], s[pos + stride], up);
    }
  }
  bool up = blockIdx.x % 2 == 0;
  for (unsigned stride = SHARED / 2; stride > 0; stride >>= 1) {
    __syncthreads();
    unsigned pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
    order(s[pos], s[pos + stride], up);
  }
  __syncthreads();
  part[threadIdx.x] = s[threadIdx.x];
  part[threadIdx.x + SHARED / 2] = s[threadIdx.x + SHARED / 2];
}

__global__ void mergeStep(unsigned *data, int j, int k) {
  unsigned i = threadIdx.x + blockDim.x * blockIdx.x;
  unsigned other = i ^ j;
  if (other > i) {
    if ((i & k) == 0) {
      if (data[i] > data[other]) {
        unsigned t = data[i];
        data[i] = data[other];
        data[other] = t;
      }
    } else if (data[i] < data[other]) {
      unsigned t = data[i];
      data[i] = data[other];
      data[other] = t;
    }
  }
}

int main() {
  const int n = 1 << 20;
  unsigned *host = (unsigned *)malloc(n * sizeof(unsigned)), *data;
  for (int i = 0; i < n; i++) host[i] = rand();
  cudaMalloc(&data, n * sizeof(unsigned));
  cudaMemcpy(data, host, n * sizeof(unsigned), cudaMemcpyHostToDevice);
  sortShared<<<n / SHARED, SHARED / 2>>>(data);
  mergeStep<<<n / 512, 512>>>(data, 1024, 2048);
  mergeStep<<<n / 512, 512>>>(data, 16, 2048);
  cudaMemcpy(host, data, n * sizeof(unsigned), cudaMemcpyDeviceToHost);
  printf("%u\n", host[0]);
  return 0;
}
