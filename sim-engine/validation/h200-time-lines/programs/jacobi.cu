// Jacobi's iteration: the residual goes to the host after every tenth sweep, through pageable memory.
#include <cstdio>
#include <cstdlib>
__global__ void sweep(const float *in, float *out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
    out[y * n + x] = 0.25f * (in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] + in[(y + 1) * n + x]);
}
__global__ void residual(const float *a, const float *b, float *sum, int n) {
  __shared__ float part[256];
  float s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n * n; i += gridDim.x * blockDim.x) s += (a[i] - b[i]) * (a[i] - b[i]);
  part[threadIdx.x] = s;
  __syncthreads();
  for (int w = 128; w > 0; w /= 2) {
    if (threadIdx.x < w) part[threadIdx.x] += part[threadIdx.x + w];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(sum, part[0]);
}
int main() {
  const int n = 2048;
  size_t bytes = (size_t)n * n * sizeof(float);
  float *host = (float *)malloc(bytes), *a, *b, *sum, norm;
  for (int i = 0; i < n * n; i++) host[i] = i % 7;
  cudaMalloc(&a, bytes);
  cudaMalloc(&b, bytes);
  cudaMalloc(&sum, sizeof(float));
  cudaMemcpy(a, host, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(b, host, bytes, cudaMemcpyHostToDevice);
  dim3 block(32, 8), grid(n / 32, n / 8);
  for (int k = 0; k < 20; k++) {
    for (int s = 0; s < 5; s++) {
      sweep<<<grid, block>>>(a, b, n);
      sweep<<<grid, block>>>(b, a, n);
    }
    cudaMemset(sum, 0, sizeof(float));
    residual<<<264, 256>>>(a, b, sum, n);
    cudaMemcpy(&norm, sum, sizeof(float), cudaMemcpyDeviceToHost);
  }
  cudaMemcpy(host, a, bytes, cudaMemcpyDeviceToHost);
  printf("%g\n", norm);
  return 0;
}
