__global__ void turn(int *out, const int *in, int n) {
  __shared__ int tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
int main() {
  const int n = 4096;
  int *in;
  int *out;
  cudaMalloc(&in, n * n * sizeof(int));
  cudaMalloc(&out, n * n * sizeof(int));
  cudaMemset(in, 0, n * n * sizeof(int));
  cudaMemset(out, 0, n * n * sizeof(int));
  turn<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(out, in, n);
  cudaDeviceSynchronize();
}
