__global__ void total(double *out, const double *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, in[i]);
}
int main() {
  const int n = 1 << 22;
  double *in;
  double *out;
  cudaMalloc(&in, n * sizeof(double));
  cudaMalloc(&out, n * sizeof(double));
  cudaMemset(in, 0, n * sizeof(double));
  cudaMemset(out, 0, n * sizeof(double));
  total<<<n / 256, 256>>>(out, in, n);
  cudaDeviceSynchronize();
}
