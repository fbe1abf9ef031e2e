// What a kernel asks of the runtime on the device: printf, malloc and free. Run under Nsight Compute, each launch by its time and
// instructions: by calls one after another, lanes that make them at once, blocks, and arguments.
#include <cuda_runtime.h>
#include <cstdio>

template <int calls, int arguments>
__global__ void print(int lanes) {
  if (threadIdx.x >= lanes) return;
#pragma unroll 1
  for (int k = 0; k < calls; k++) {
    if (arguments == 0) printf("-\n");
    if (arguments == 1) printf("%d\n", k);
    if (arguments == 4) printf("%d %d %d %d\n", k, threadIdx.x, blockIdx.x, lanes);
  }
}

template <int calls>
__global__ void allocate(int lanes, int bytes, void** kept) {
  if (threadIdx.x >= lanes) return;
#pragma unroll 1
  for (int k = 0; k < calls; k++) kept[(blockIdx.x * blockDim.x + threadIdx.x) * calls + k] = malloc(bytes);
}

template <int calls>
__global__ void release(int lanes, void** kept) {
  if (threadIdx.x >= lanes) return;
#pragma unroll 1
  for (int k = 0; k < calls; k++) free(kept[(blockIdx.x * blockDim.x + threadIdx.x) * calls + k]);
}

template <int calls>
void both(int blocks, int threads, int lanes, int bytes, void** kept) {
  allocate<calls><<<blocks, threads>>>(lanes, bytes, kept);
  release<calls><<<blocks, threads>>>(lanes, kept);
}

int main() {
  cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20);
  cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 64 << 20);
  void** kept;
  cudaMalloc(&kept, 1 << 24);
  print<1, 0><<<1, 32>>>(0);
  print<1, 0><<<1, 32>>>(1);
  print<2, 0><<<1, 32>>>(1);
  print<4, 0><<<1, 32>>>(1);
  print<16, 0><<<1, 32>>>(1);
  print<1, 1><<<1, 32>>>(1);
  print<16, 1><<<1, 32>>>(1);
  print<1, 4><<<1, 32>>>(1);
  print<4, 4><<<1, 32>>>(1);
  print<16, 4><<<1, 32>>>(1);
  print<1, 1><<<1, 32>>>(8);
  print<1, 1><<<1, 32>>>(32);
  print<4, 1><<<1, 32>>>(32);
  print<1, 1><<<1, 256>>>(256);
  print<1, 1><<<1, 1024>>>(1024);
  print<1, 1><<<8, 32>>>(1);
  print<1, 1><<<132, 32>>>(1);
  print<1, 1><<<1056, 32>>>(1);
  print<1, 1><<<132, 256>>>(256);
  both<1>(1, 32, 0, 16, kept);
  both<1>(1, 32, 1, 16, kept);
  both<2>(1, 32, 1, 16, kept);
  both<4>(1, 32, 1, 16, kept);
  both<16>(1, 32, 1, 16, kept);
  both<4>(1, 32, 1, 4096, kept);
  both<1>(1, 32, 32, 16, kept);
  both<4>(1, 32, 32, 16, kept);
  both<1>(1, 256, 256, 16, kept);
  both<1>(132, 32, 1, 16, kept);
  both<1>(132, 32, 32, 16, kept);
  both<1>(132, 256, 256, 16, kept);
  cudaDeviceSynchronize();
  return cudaGetLastError() != cudaSuccess;
}
