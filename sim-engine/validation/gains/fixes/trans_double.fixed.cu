__global__ void scale(double *out, const double *in, int n) {
  int x = blockIdx.y * blockDim.y + threadIdx.y, y = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < n && y < n) out[x * n + y] = 2 * in[x * n + y];
}
int main() {
  const int n = 2048;
  double *in;
  double *out;
  cudaMalloc(&in, n * n * sizeof(double));
  cudaMalloc(&out, n * n * sizeof(double));
  cudaMemset(in, 0, n * n * sizeof(double));
  cudaMemset(out, 0, n * n * sizeof(double));
  scale<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(out, in, n);
  cudaDeviceSynchronize();
}
