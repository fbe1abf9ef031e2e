// Double buffers by swap and by parity, a pyramid of images, a host table in constant memory.
#include <utility>

__constant__ float weights[5];
__device__ int counter;

__global__ void heat(const float *from, float *to, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x > 1 && x < width - 2) to[y * width + x] = from[y * width + x] * weights[2];
}
__global__ void shrink(const float *from, float *to, int width) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < width) to[i] = from[2 * i]; }
__global__ void parity(float *a, float *b, int n) { if (threadIdx.x < n) a[threadIdx.x] = b[threadIdx.x]; }

int main() {
  const int width = 1 << 11, height = width / 2, iterations = 100;
  float *current, *next;
  size_t bytes = sizeof(float) * width * height;
  cudaMalloc(&current, bytes);
  cudaMalloc(&next, bytes);
  cudaMemset(current, 0, bytes);
  const float host[5] = {0.05f, 0.25f, 0.4f, 0.25f, 0.05f};
  cudaMemcpyToSymbol(weights, host, sizeof(host));
  int zero = 0;
  cudaMemcpyToSymbol(counter, &zero, sizeof(int));
  for (int t = 0; t < iterations; ++t) {
    heat<<<dim3(width / 128, height), 128>>>(current, next, width, height);
    std::swap(current, next);
  }
  float *level[6];
  int w = width;
  for (int l = 0; l < 6; ++l, w >>= 1) cudaMalloc(&level[l], w * sizeof(float));
  w = width;
  for (int l = 1; l < 6; ++l) {
    w /= 2;
    shrink<<<(w + 63) / 64, 64>>>(level[l - 1], level[l], w);
  }
  float *pair[2] = {current, next};
  for (int t = 0; t < 10; ++t) parity<<<1, 32>>>(pair[(t + 1) & 1], pair[t & 1], 32);
}
//= heat 16x1024 128 | current[8388608]+0=zero next[8388608]+0=? 2048 1024
//= shrink 16 64 | level[8192]+0=? level[4096]+0=? 1024
//= shrink 8 64 | level[4096]+0=? level[2048]+0=? 512
//= shrink 4 64 | level[2048]+0=? level[1024]+0=? 256
//= shrink 2 64 | level[1024]+0=? level[512]+0=? 128
//= shrink 1 64 | level[512]+0=? level[256]+0=? 64
//= parity 1 32 | next[8388608]+0=? current[8388608]+0=? 32
