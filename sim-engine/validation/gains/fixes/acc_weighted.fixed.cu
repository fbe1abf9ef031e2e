__global__ void sums(float *out, const float *in, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  out[x] = 0;
  auto sum = out[x];
  for (int k = 0; k < 512; ++k) sum += in[k * n + x] * in[k];
  out[x] = sum;
}
int main() {
  const int n = 1 << 16;
  float *in;
  float *out;
  cudaMalloc(&in, 512 * n * sizeof(float));
  cudaMalloc(&out, 512 * n * sizeof(float));
  cudaMemset(in, 0, 512 * n * sizeof(float));
  cudaMemset(out, 0, 512 * n * sizeof(float));
  sums<<<n / 256, 256>>>(out, in, n);
  cudaDeviceSynchronize();
}
