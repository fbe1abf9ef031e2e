// Kernels that the host chooses and sizes as it goes: tried block sizes, passes with a growing step, a table of functions, a template's cases.
#include <cstdio>
#include <cstdlib>
#include <utility>

#define OK(call)                                                                 \
  if (cudaError_t e = (call)) {                                                  \
    fprintf(stderr, "%d: %s\n", __LINE__, cudaGetErrorString(e));                \
    exit(1);                                                                     \
  }

__global__ void saxpy(int n, float a, const float *x, float *y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] += a * x[i];
}

// One step of a bitonic sort: partners lie `distance` apart.
__global__ void exchange(int *values, int run, int distance) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = i ^ distance;
  if (j <= i) return;
  const int a = values[i], b = values[j];
  if ((a > b) == ((i & run) == 0)) {
    values[i] = b;
    values[j] = a;
  }
}

// A fold of an array to a value a block, unrolled by template.
template <unsigned THREADS>
__global__ void fold(const float *x, float *y, unsigned n) {
  __shared__ float s[THREADS];
  float v = 0;
  for (unsigned i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) v += x[i];
  s[threadIdx.x] = v;
  __syncthreads();
#pragma unroll
  for (unsigned d = THREADS / 2; d >= 32; d /= 2) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x < 32) {
    v = s[threadIdx.x];
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
    if (threadIdx.x == 0) y[blockIdx.x] = v;
  }
}

__global__ void stencil(const float *in, float *out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x < width - 1 && y < height - 1)
    out[y * width + x] = 0.25f * (in[y * width + x - 1] + in[y * width + x + 1] + in[(y - 1) * width + x] + in[(y + 1) * width + x]);
}

void foldWith(unsigned threads, unsigned blocks, const float *x, float *y, unsigned n) {
  switch (threads) {
    case 64: fold<64><<<blocks, 64>>>(x, y, n); break;
    case 128: fold<128><<<blocks, 128>>>(x, y, n); break;
    case 256: fold<256><<<blocks, 256>>>(x, y, n); break;
    case 512: fold<512><<<blocks, 512>>>(x, y, n); break;
  }
}

int main() {
  const int n = 1 << 22;
  float *x, *y;
  OK(cudaMalloc(&x, n * sizeof(float)));
  OK(cudaMalloc(&y, n * sizeof(float)));
  OK(cudaMemset(x, 0, n * sizeof(float)));
  OK(cudaMemset(y, 0, n * sizeof(float)));

  const int sizes[] = {32, 128, 512, 1024};
  for (int size : sizes) saxpy<<<(n + size - 1) / size, size>>>(n, 2.0f, x, y);
  for (int blocks = 33; blocks <= 1056; blocks *= 4) saxpy<<<blocks, 256>>>(n, 2.0f, x, y);

  for (int run = 2; run <= 16; run *= 2)
    for (int distance = run / 2; distance > 0; distance /= 2) exchange<<<n / 256, 256>>>((int *)x, run, distance);

  for (unsigned threads = 64; threads <= 512; threads *= 2) foldWith(threads, 528, x, y, n);

  const dim3 shapes[] = {dim3(256, 1), dim3(32, 8), dim3(8, 32)};
  float *from = x, *to = y;
  for (const dim3 &shape : shapes) {
    stencil<<<dim3((2048 + shape.x - 1) / shape.x, (2048 + shape.y - 1) / shape.y), shape>>>(from, to, 2048, 2048);
    std::swap(from, to);
  }
  OK(cudaDeviceSynchronize());
  return 0;
}
