// Launches that ask the occupancy calculator: the answers rest on an estimate of registers far from any limit.
__global__ void saxpy(const float *x, float *y, float a, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] += a * x[i];
}
template <int BLOCK>
__global__ void staged(const float *x, float *y, int n) {
  __shared__ float s[BLOCK * 12];
  int i = blockIdx.x * BLOCK + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  if (i < n) y[i] = s[BLOCK - 1 - threadIdx.x];
}

int main() {
  const int n = 1 << 22;
  float *x, *y;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  int least, block;
  cudaOccupancyMaxPotentialBlockSize(&least, &block, saxpy, 0, 0);
  saxpy<<<(n + block - 1) / block, block>>>(x, y, 2.0f, n);
  int device, sms, perSm;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perSm, saxpy, 256, 0);
  saxpy<<<sms * perSm, 256>>>(x, y, 3.0f, n);
  // 24 KB static, 100 KB dynamic: one block fits.
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perSm, staged<512>, 512, 100 * 1024);
  staged<512><<<sms * perSm, 512, 100 * 1024>>>(x, y, n);
}
//= saxpy 4096 1024 | x[16777216]+0=? y[16777216]+0=? 2 4194304
//= saxpy 1056 256 | x[16777216]+0=? y[16777216]+0=? 3 4194304
//= staged<512> 132 512 102400 | x[16777216]+0=? y[16777216]+0=? 4194304
