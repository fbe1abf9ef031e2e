__global__ void turn(float *out, const float *in, int n) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
  __syncthreads();
  for (int k = 0; k < 32; k += 8) out[(blockIdx.x * 32 + threadIdx.y + k) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y + k];
}
int main() {
  const int n = 4096;
  float *in;
  float *out;
  cudaMalloc(&in, n * n * sizeof(float));
  cudaMalloc(&out, n * n * sizeof(float));
  cudaMemset(in, 0, n * n * sizeof(float));
  cudaMemset(out, 0, n * n * sizeof(float));
  turn<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(out, in, n);
  cudaDeviceSynchronize();
}
