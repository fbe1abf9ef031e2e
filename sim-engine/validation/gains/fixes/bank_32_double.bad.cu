__global__ void turn(double *out, const double *in, int n) {
  __shared__ double tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
int main() {
  const int n = 2048;
  double *in;
  double *out;
  cudaMalloc(&in, n * n * sizeof(double));
  cudaMalloc(&out, n * n * sizeof(double));
  cudaMemset(in, 0, n * n * sizeof(double));
  cudaMemset(out, 0, n * n * sizeof(double));
  turn<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(out, in, n);
  cudaDeviceSynchronize();
}
