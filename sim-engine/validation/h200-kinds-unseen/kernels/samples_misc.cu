// First programs: vectors added, streamed, multiplied, summed and scanned.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call)                                                       \
  do {                                                                    \
    cudaError_t e = (call);                                               \
    if (e != cudaSuccess) {                                               \
      fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(e)); \
      exit(1);                                                            \
    }                                                                     \
  } while (0)

__global__ void vectorAdd(const float *a, const float *b, float *c, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

template <typename T>
__global__ void triad(T *__restrict__ a, const T *__restrict__ b, const T *__restrict__ c, T s) {
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = b[i] + s * c[i];
}

__global__ void dotAtomic(const float *x, const float *y, float *result, int n) {
  __shared__ float cache[256];
  float t = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) t += x[i] * y[i];
  cache[threadIdx.x] = t;
  __syncthreads();
  for (int half = blockDim.x / 2; half != 0; half /= 2) {
    if (threadIdx.x < half) cache[threadIdx.x] += cache[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(result, cache[0]);
}

// Many pairs of short vectors, a block for each pair (and for every gridDim-th after it).
__global__ void scalarProducts(const float2 *A, const float2 *B, float *out, int pairs, int half) {
  __shared__ float warpSum[4];
  for (int p = blockIdx.x; p < pairs; p += gridDim.x) {
    const float2 *a = A + (size_t)p * half, *b = B + (size_t)p * half;
    float s = 0.0f;
    for (int i = threadIdx.x; i < half; i += 128) s += a[i].x * b[i].x + a[i].y * b[i].y;
    for (int o = 16; o > 0; o >>= 1) s += __shfl_down_sync(0xffffffffu, s, o);
    if ((threadIdx.x & 31) == 0) warpSum[threadIdx.x >> 5] = s;
    __syncthreads();
    if (threadIdx.x == 0) out[p] = warpSum[0] + warpSum[1] + warpSum[2] + warpSum[3];
    __syncthreads();
  }
}

// Work-efficient scan of 1024 numbers by 512 threads, with a pad every 32 words; exclusive.
__device__ __forceinline__ int padded(int i) { return i + (i >> 5); }

__global__ void scanBlocks(const int *in, int *out, int *sums) {
  __shared__ int s[1024 + 32];
  int t = threadIdx.x, base = blockIdx.x * 1024, d = 1;
  s[padded(t)] = in[base + t], s[padded(t + 512)] = in[base + t + 512];
  for (int active = 512; active > 0; active >>= 1, d *= 2) {
    __syncthreads();
    if (t < active) s[padded(d * (2 * t + 2) - 1)] += s[padded(d * (2 * t + 1) - 1)];
  }
  __syncthreads();
  if (t == 0) {
    sums[blockIdx.x] = s[padded(1023)];
    s[padded(1023)] = 0;
  }
  for (int active = 1; active <= 512; active *= 2) {
    d >>= 1;
    __syncthreads();
    if (t < active) {
      int l = padded(d * (2 * t + 1) - 1), r = padded(d * (2 * t + 2) - 1), v = s[l];
      s[l] = s[r];
      s[r] += v;
    }
  }
  __syncthreads();
  out[base + t] = s[padded(t)], out[base + t + 512] = s[padded(t + 512)];
}

__global__ void addBack(int4 *data, const int *offsets) {
  __shared__ int off;
  if (threadIdx.x == 0) off = offsets[blockIdx.x];
  __syncthreads();
  int4 v = data[blockIdx.x * 256 + threadIdx.x];
  data[blockIdx.x * 256 + threadIdx.x] = make_int4(v.x + off, v.y + off, v.z + off, v.w + off);
}

// The next pair is fetched before this one is used; only every inc-th element takes part.
__global__ void saxpyAhead(int n, float alpha, const float *__restrict__ x, int incx, float *__restrict__ y, int incy) {
  int step = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float cx = x[i * incx], cy = y[i * incy];
  for (; i < n; i += step) {
    float nx = 0.0f, ny = 0.0f;
    if (i + step < n) nx = x[(i + step) * incx], ny = y[(i + step) * incy];
    y[i * incy] = alpha * cx + cy;
    cx = nx, cy = ny;
  }
}

int main() {
  const int n = 1 << 23, blocks = n / 1024, pairs = 2000, len = 4096;
  std::vector<float> h(n);
  std::vector<int> hi(n, 1), part(blocks);
  for (int i = 0; i < n; i++) h[i] = (i % 17) * 0.25f;
  float *a, *b, *c, *r;
  int *scan, *res, *sums;
  CHECK(cudaMalloc(&a, n * 4)); CHECK(cudaMalloc(&b, n * 4)); CHECK(cudaMalloc(&c, n * 4)); CHECK(cudaMalloc(&r, pairs * 4));
  CHECK(cudaMalloc(&scan, n * 4)); CHECK(cudaMalloc(&res, n * 4)); CHECK(cudaMalloc(&sums, blocks * 4));
  for (float *p : {a, b, c}) CHECK(cudaMemcpy(p, h.data(), n * 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(scan, hi.data(), n * 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(r, 0, 4));
  vectorAdd<<<(n + 255) / 256, 256>>>(a, b, c, n);
  triad<double><<<n / 2 / 1024, 1024>>>((double *)a, (double *)b, (double *)c, 0.4);
  dotAtomic<<<320, 256>>>(b, c, r, n);
  scalarProducts<<<256, 128>>>((float2 *)b, (float2 *)c, r, pairs, len / 2);
  scanBlocks<<<blocks, 512>>>(scan, res, sums);
  CHECK(cudaMemcpy(part.data(), sums, blocks * 4, cudaMemcpyDeviceToHost));
  for (int i = 0, run = 0; i < blocks; i++) run += part[i], part[i] = run - part[i];
  CHECK(cudaMemcpy(sums, part.data(), blocks * 4, cudaMemcpyHostToDevice));
  addBack<<<blocks, 256>>>((int4 *)res, sums);
  saxpyAhead<<<264, 192>>>(n / 4 - 5, 1.5f, b, 4, c, 3);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
