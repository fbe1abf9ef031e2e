__global__ void norm(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  auto own = (i < n) ? fabsf(in[i]) + 1 : 0;
  for (int d = 16; d > 0; d /= 2) own += __shfl_down_sync(0xffffffff, own, d);
  if (threadIdx.x % 32 == 0) atomicAdd(out, own);
}
int main() {
  const int n = 1 << 21;
  float *in;
  float *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemset(in, 0, n * sizeof(float));
  cudaMemset(out, 0, n * sizeof(float));
  norm<<<n / 128, 128>>>(out, in, n);
  cudaDeviceSynchronize();
}
