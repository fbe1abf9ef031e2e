__global__ void total(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  auto own = (i < n) ? in[i] : 0;
  for (int d = 16; d > 0; d /= 2) own += __shfl_down_sync(0xffffffff, own, d);
  if (threadIdx.x % 32 == 0) atomicAdd(out, own);
}
int main() {
  const int n = 1 << 22;
  float *in;
  float *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemset(in, 0, n * sizeof(float));
  cudaMemset(out, 0, n * sizeof(float));
  total<<<n / 256, 256>>>(out, in, n);
  cudaDeviceSynchronize();
}
