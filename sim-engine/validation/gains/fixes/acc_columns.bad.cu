__global__ void sums(float *out, const float *in, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  out[x] = 0;
  for (int k = 0; k < 128; ++k) out[x] += in[k * n + x];
}
int main() {
  const int n = 1 << 16;
  float *in;
  float *out;
  cudaMalloc(&in, 128 * n * sizeof(float));
  cudaMalloc(&out, 128 * n * sizeof(float));
  cudaMemset(in, 0, 128 * n * sizeof(float));
  cudaMemset(out, 0, 128 * n * sizeof(float));
  sums<<<n / 128, 128>>>(out, in, n);
  cudaDeviceSynchronize();
}
