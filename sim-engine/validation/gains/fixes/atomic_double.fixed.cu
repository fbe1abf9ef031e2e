__global__ void total(double *out, const double *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  auto own = (i < n) ? in[i] : 0;
  for (int d = 16; d > 0; d /= 2) own += __shfl_down_sync(0xffffffff, own, d);
  if (threadIdx.x % 32 == 0) atomicAdd(out, own);
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
