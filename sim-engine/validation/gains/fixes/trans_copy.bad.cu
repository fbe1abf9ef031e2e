__global__ void scale(float *out, const float *in, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n) out[x * n + y] = in[x * n + y];
}
int main() {
  const int n = 4096;
  float *in;
  float *out;
  cudaMalloc(&in, n * n * sizeof(float));
  cudaMalloc(&out, n * n * sizeof(float));
  cudaMemset(in, 0, n * n * sizeof(float));
  cudaMemset(out, 0, n * n * sizeof(float));
  scale<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(out, in, n);
  cudaDeviceSynchronize();
}
