__global__ void each(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = sqrtf(in[i]);
}
int main() {
  const int n = 1 << 23;
  float *in;
  float *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemset(in, 0, n * sizeof(float));
  cudaMemset(out, 0, n * sizeof(float));
  each<<<n / 64, 64>>>(out, in, n);
  cudaDeviceSynchronize();
}
