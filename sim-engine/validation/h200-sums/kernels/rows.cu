// A block reads a row, its threads beside each other: rows of whole sectors and rows that begin anywhere, with few and many warps resident.
template <int ahead> __global__ void sumRows(const float *x, float *sums, int length) {
  const float *row = x + (long long)blockIdx.x * length;
  float s = 0;
  for (int i = threadIdx.x; i < length; i += ahead * blockDim.x) {
    float v[ahead];
#pragma unroll
    for (int u = 0; u < ahead; u++) v[u] = row[min(length - 1, i + u * (int)blockDim.x)];
#pragma unroll
    for (int u = 0; u < ahead; u++)
      if (i + u * blockDim.x < length) s += v[u];
  }
  atomicAdd(&sums[blockIdx.x], s);
}
__global__ void scaleRows(const float *x, float *y, int length) {
  const float *row = x + (long long)blockIdx.x * length;
  float *out = y + (long long)blockIdx.x * length;
  for (int i = threadIdx.x; i < length; i += blockDim.x) out[i] = row[i] * 0.5f;
}
int main() {
  const int rows = 4096;
  float *x, *y, *sums;
  cudaMalloc(&x, (long long)rows * 50400 * 4);
  cudaMalloc(&y, (long long)rows * 50400 * 4);
  cudaMalloc(&sums, rows * 4);
  cudaMemset(x, 0, (long long)rows * 50400 * 4);
  cudaMemset(sums, 0, rows * 4);
  sumRows<1><<<rows, 256>>>(x, sums, 50257);
  sumRows<1><<<rows, 256>>>(x, sums, 50304);
  sumRows<8><<<rows, 256>>>(x, sums, 50257);
  sumRows<8><<<rows, 256>>>(x, sums, 50304);
  sumRows<8><<<rows, 64>>>(x, sums, 50257);
  sumRows<8><<<rows, 64>>>(x, sums, 50304);
  sumRows<8><<<rows, 1024>>>(x, sums, 50257);
  sumRows<8><<<rows, 1024>>>(x, sums, 50304);
  sumRows<1><<<rows, 1024>>>(x, sums, 50257);
  sumRows<1><<<rows, 1024>>>(x, sums, 50304);
  scaleRows<<<rows, 256>>>(x, y, 50257);
  scaleRows<<<rows, 256>>>(x, y, 50304);
  scaleRows<<<rows, 1024>>>(x, y, 50257);
  scaleRows<<<rows, 1024>>>(x, y, 50304);
  scaleRows<<<rows, 256>>>(x, y, 50300);
  scaleRows<<<rows, 1024>>>(x, y, 50300);
  sumRows<4><<<rows, 512>>>(x, sums, 1021);
  sumRows<4><<<rows, 512>>>(x, sums, 1024);
  cudaDeviceSynchronize();
  return 0;
}
