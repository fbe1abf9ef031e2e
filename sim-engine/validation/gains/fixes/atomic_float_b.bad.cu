__global__ void norm(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, fabsf(in[i]) + 1);
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
