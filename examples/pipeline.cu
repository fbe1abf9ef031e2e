// Four streams: while one part is computed the next is copied in and the last one out. Open "Whole program" in the panel.
#include <cuda_runtime.h>

__global__ void relax(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) out[i] = 0.25f * in[i - 1] + 0.5f * in[i] + 0.25f * in[i + 1];
}

int main() {
  const int parts = 4;
  const int n = 1 << 24;
  const int each = n / parts;
  const size_t bytes = each * sizeof(float);
  float *host, *in, *out;
  cudaMallocHost(&host, n * sizeof(float));
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));

  cudaStream_t streams[parts];
  for (int k = 0; k < parts; k++) cudaStreamCreate(&streams[k]);
  for (int k = 0; k < parts; k++) {
    const int first = k * each;
    cudaMemcpyAsync(in + first, host + first, bytes, cudaMemcpyHostToDevice, streams[k]);
    for (int turn = 0; turn < 10; turn++) {
      relax<<<each / 256, 256, 0, streams[k]>>>(in + first, out + first, each);
      relax<<<each / 256, 256, 0, streams[k]>>>(out + first, in + first, each);
    }
    cudaMemcpyAsync(host + first, in + first, bytes, cudaMemcpyDeviceToHost, streams[k]);
  }
  return cudaDeviceSynchronize() != cudaSuccess;
}
