__global__ void product(float *c, const float *a, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  c[y * n + x] = 0;
  auto sum = c[y * n + x];
  for (int k = 0; k < n; ++k) sum += a[y * n + k] * a[k * n + x];
  c[y * n + x] = sum;
}
int main() {
  const int n = 1024;
  float *in;
  float *out;
  cudaMalloc(&in, n * n * sizeof(float));
  cudaMalloc(&out, n * n * sizeof(float));
  cudaMemset(in, 0, n * n * sizeof(float));
  cudaMemset(out, 0, n * n * sizeof(float));
  product<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(out, in, n);
  cudaDeviceSynchronize();
}
