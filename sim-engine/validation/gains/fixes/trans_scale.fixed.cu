__global__ void scale(float *out, const float *in, int n) {
  int x = blockIdx.y * blockDim.y + threadIdx.y, y = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < n && y < n) out[x * n + y] = 2 * in[x * n + y];
}
int main() {
  const int n = 4096;
  float *in;
  float *out;
  cudaMalloc(&in, n * n * sizeof(float));
  cudaMalloc(&out, n * n * sizeof(float));
  cudaMemset(in, 0, n * n * sizeof(float));
  cudaMemset(out, 0, n * n * sizeof(float));
  scale<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(out, in, n);
  cudaDeviceSynchronize();
}
