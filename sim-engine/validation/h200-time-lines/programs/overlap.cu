// A long kernel in one stream while the other copies both ways and a third runs short kernels.
__global__ void work(float *x, int turns) { int i = blockIdx.x * blockDim.x + threadIdx.x; float v = x[i]; for (int k = 0; k < turns; k++) v = v * 0.999f + 0.25f; x[i] = v; }
int main() {
  const int n = 1 << 23;
  float *in, *out, *a, *b, *c;
  cudaStream_t compute, upload, download;
  cudaMallocHost(&in, n * sizeof(float));
  cudaMallocHost(&out, n * sizeof(float));
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMalloc(&c, n * sizeof(float));
  cudaStreamCreate(&compute);
  cudaStreamCreate(&upload);
  cudaStreamCreate(&download);
  for (int turn = 0; turn < 4; turn++) {
    work<<<n / 256, 256, 0, compute>>>(a, 500);
    cudaMemcpyAsync(b, in, n * sizeof(float), cudaMemcpyHostToDevice, upload);
    cudaMemcpyAsync(out, c, n * sizeof(float), cudaMemcpyDeviceToHost, download);
    cudaDeviceSynchronize();
  }
  return 0;
}
