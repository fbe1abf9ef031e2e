// Rows that begin anywhere: cross entropy's gradient, a scaled sum of two, and a maximum that is taken away, by blocks of a few sizes.
#include <cmath>
__global__ void gradient(const float *probabilities, const int *targets, float *gradients, int classes, float scale) {
  long long row = blockIdx.x;
  int target = targets[row];
  for (int c = threadIdx.x; c < classes; c += blockDim.x) {
    float p = probabilities[row * classes + c];
    gradients[row * classes + c] = (p - (c == target ? 1.0f : 0.0f)) * scale;
  }
}
__global__ void blend(const float *a, const float *b, float *c, int length, float t) {
  long long row = blockIdx.x;
  for (int i = threadIdx.x; i < length; i += blockDim.x) c[row * length + i] = a[row * length + i] * t + b[row * length + i] * (1 - t);
}
__global__ void lessMaximum(const float *x, float *y, int length) {
  __shared__ float parts[32];
  const float *row = x + (long long)blockIdx.x * length;
  float *out = y + (long long)blockIdx.x * length;
  float most = -INFINITY;
  for (int i = threadIdx.x; i < length; i += blockDim.x) most = fmaxf(most, row[i]);
  for (int step = 16; step > 0; step /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, step));
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = most;
  __syncthreads();
  for (int w = 0; w < blockDim.x / 32; w++) most = fmaxf(most, parts[w]);
  for (int i = threadIdx.x; i < length; i += blockDim.x) out[i] = row[i] - most;
}
int main() {
  float *x, *y, *z;
  int *targets;
  const long long words = 150000000;
  cudaMalloc(&x, words * 4);
  cudaMalloc(&y, words * 4);
  cudaMalloc(&z, words * 4);
  cudaMalloc(&targets, 100000 * 4);
  cudaMemset(x, 0, words * 4);
  cudaMemset(y, 0, words * 4);
  cudaMemset(targets, 0, 100000 * 4);
  gradient<<<4096, 128>>>(x, targets, z, 32003, 0.5f);
  gradient<<<4096, 512>>>(x, targets, z, 32003, 0.5f);
  gradient<<<60000, 128>>>(x, targets, z, 2047, 0.5f);
  blend<<<1000, 256>>>(x, y, z, 100001, 0.25f);
  blend<<<1000, 1024>>>(x, y, z, 100001, 0.25f);
  lessMaximum<<<3000, 256>>>(x, z, 44441);
  lessMaximum<<<3000, 64>>>(x, z, 44441);
  lessMaximum<<<30000, 256>>>(x, z, 4441);
  cudaDeviceSynchronize();
  return 0;
}
