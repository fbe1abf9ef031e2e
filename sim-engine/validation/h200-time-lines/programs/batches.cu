// Batches through two buffers and two streams, page-locked: copy in, scale, copy out.
#include <cstdio>
__global__ void scale(float4 *x, int n, float by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { float4 v = x[i]; v.x *= by; v.y *= by; v.z *= by; v.w *= by; x[i] = v; }
}
int main() {
  const int batches = 12, each = 1 << 22;
  float *host;
  float4 *device[2];
  cudaStream_t stream[2];
  cudaHostAlloc(&host, (size_t)batches * each * sizeof(float), cudaHostAllocDefault);
  for (size_t i = 0; i < (size_t)batches * each; i++) host[i] = i & 15;
  for (int k = 0; k < 2; k++) {
    cudaMalloc(&device[k], each * sizeof(float));
    cudaStreamCreate(&stream[k]);
  }
  for (int b = 0; b < batches; b++) {
    float *part = host + (size_t)b * each;
    cudaStream_t s = stream[b % 2];
    cudaMemcpyAsync(device[b % 2], part, each * sizeof(float), cudaMemcpyHostToDevice, s);
    scale<<<each / 4 / 256, 256, 0, s>>>(device[b % 2], each / 4, 3.0f);
    cudaMemcpyAsync(part, device[b % 2], each * sizeof(float), cudaMemcpyDeviceToHost, s);
  }
  cudaDeviceSynchronize();
  printf("%g\n", host[5]);
  return 0;
}
