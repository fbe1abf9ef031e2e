// Softmax of rows in one pass over the maximum and the sum, a second one that writes: rows of an odd length, several numbers ahead.
#include <cfloat>
template <int ahead> __global__ void softmax(float *out, const float *in, int n) {
  __shared__ float maxima[32], sums[32];
  const float *row = in + (long long)blockIdx.x * n;
  float *to = out + (long long)blockIdx.x * n;
  float most = -FLT_MAX, sum = 0;
  for (int i = threadIdx.x; i < n; i += ahead * blockDim.x) {
    float v[ahead];
#pragma unroll
    for (int u = 0; u < ahead; u++) v[u] = row[min(n - 1, i + u * (int)blockDim.x)];
#pragma unroll
    for (int u = 0; u < ahead; u++)
      if (i + u * blockDim.x < n) {
        float before = most;
        most = fmaxf(most, v[u]);
        sum = sum * expf(before - most) + expf(v[u] - most);
      }
  }
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  for (int d = 16; d > 0; d /= 2) {
    float other = __shfl_down_sync(0xffffffff, most, d), theirs = __shfl_down_sync(0xffffffff, sum, d), m = fmaxf(most, other);
    sum = sum * expf(most - m) + theirs * expf(other - m);
    most = m;
  }
  if (lane == 0) { maxima[warp] = most; sums[warp] = sum; }
  __syncthreads();
  most = -FLT_MAX;
  for (int w = 0; w < warps; w++) most = fmaxf(most, maxima[w]);
  sum = 0;
  for (int w = 0; w < warps; w++) sum += sums[w] * expf(maxima[w] - most);
  for (int i = threadIdx.x; i < n; i += ahead * blockDim.x) {
    float v[ahead];
#pragma unroll
    for (int u = 0; u < ahead; u++) v[u] = row[min(n - 1, i + u * (int)blockDim.x)];
#pragma unroll
    for (int u = 0; u < ahead; u++)
      if (i + u * blockDim.x < n) to[i + u * blockDim.x] = expf(v[u] - most) / sum;
  }
}
int main() {
  const int rows = 2048;
  float *x, *y;
  cudaMalloc(&x, (long long)rows * 50304 * 4);
  cudaMalloc(&y, (long long)rows * 50304 * 4);
  cudaMemset(x, 0, (long long)rows * 50304 * 4);
  softmax<8><<<rows, 256>>>(y, x, 50257);
  softmax<8><<<rows, 256>>>(y, x, 50304);
  softmax<8><<<rows, 512>>>(y, x, 50257);
  softmax<8><<<rows, 512>>>(y, x, 50304);
  softmax<8><<<rows, 1024>>>(y, x, 50257);
  softmax<8><<<rows, 1024>>>(y, x, 50304);
  softmax<1><<<rows, 1024>>>(y, x, 50257);
  softmax<1><<<rows, 1024>>>(y, x, 50304);
  cudaDeviceSynchronize();
  return 0;
}
