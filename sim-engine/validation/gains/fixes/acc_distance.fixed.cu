__global__ void far(float *out, const float *in, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  out[x] = 0;
  auto sum = out[x];
  for (int k = 0; k < 256; ++k) { float d = in[x] - in[k]; sum += d * d; }
  out[x] = sum;
}
int main() {
  const int n = 1 << 20;
  float *in;
  float *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemset(in, 0, n * sizeof(float));
  cudaMemset(out, 0, n * sizeof(float));
  far<<<n / 256, 256>>>(out, in, n);
  cudaDeviceSynchronize();
}
