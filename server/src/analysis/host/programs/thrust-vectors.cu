// Thrust: device vectors, sequences, sorting, raw pointers; zero-copy memory.
#include <thrust/device_vector.h>
#include <thrust/fill.h>
#include <thrust/host_vector.h>
#include <thrust/sequence.h>

__global__ void use(const int *index, float *data, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) data[i] = data[index[i]]; }
__global__ void mapped(const float *host, float *out, int n) { int i = threadIdx.x; if (i < n) out[i] = host[i]; }

int main() {
  const size_t n = 1 << 14;
  thrust::device_vector<int> index(n);
  thrust::sequence(index.begin(), index.end());
  thrust::device_vector<float> data(n, 2.5f);
  use<<<n / 256, 256>>>(thrust::raw_pointer_cast(index.data()), thrust::raw_pointer_cast(&data[0]), static_cast<int>(n));
  thrust::host_vector<int> reversed(n);
  for (size_t i = 0; i < n; ++i) reversed[i] = (int)(n - i - 1);
  index = reversed;
  thrust::fill(data.begin(), data.end(), 0.0f);
  use<<<n / 512, 512>>>(index.data().get(), raw_pointer_cast(data.data()), n);
  float *pinned, *view;
  cudaHostAlloc((void **)&pinned, 4096, cudaHostAllocMapped);
  for (int i = 0; i < 1024; i++) pinned[i] = 1.0f;
  cudaHostGetDevicePointer((void **)&view, pinned, 0);
  mapped<<<1, 1024>>>(view, raw_pointer_cast(data.data()), 1024);
}
//= use 64 256 | index[65536]+0=linear(0,1) data[65536]+0=constant(2.5) 16384
//= use 32 512 | index[65536]+0=linear(16383,-1) data[65536]+0=zero 16384
//= mapped 1 1024 | pinned[4096]+0=constant(1) data[65536]+0=? 1024
