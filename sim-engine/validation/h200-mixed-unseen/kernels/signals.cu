// Signals and graphs: a transform in shared memory, filters by taps, run lengths, components, shortest paths, a Monte Carlo of one's own.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

// 1024 points a block, radix two, in shared memory.
__global__ void fft1024(float2* data) {
  __shared__ float2 s[1024];
  float2* mine = data + blockIdx.x * 1024;
  for (int i = threadIdx.x; i < 1024; i += 512) s[__brev(i) >> 22] = mine[i];
  __syncthreads();
  for (int half = 1; half < 1024; half *= 2) {
    int k = threadIdx.x % half, base = (threadIdx.x / half) * half * 2;
    float si, co;
    __sincosf(-3.14159265f * k / half, &si, &co);
    float2 u = s[base + k], v = s[base + k + half];
    float2 t = make_float2(v.x * co - v.y * si, v.x * si + v.y * co);
    s[base + k] = make_float2(u.x + t.x, u.y + t.y);
    s[base + k + half] = make_float2(u.x - t.x, u.y - t.y);
    __syncthreads();
  }
  for (int i = threadIdx.x; i < 1024; i += 512) mine[i] = s[i];
}

__constant__ float taps[33];
__global__ void fir(float* out, const float* in, int n) {
  __shared__ float tile[256 + 32];
  int i = blockIdx.x * 256 + threadIdx.x;
  tile[threadIdx.x] = i < n ? in[i] : 0;
  if (threadIdx.x < 32) tile[256 + threadIdx.x] = i + 256 < n ? in[i + 256] : 0;
  __syncthreads();
  float s = 0;
  for (int k = 0; k < 33; k++) s += taps[k] * tile[threadIdx.x + k];
  if (i < n) out[i] = s;
}

// A recursive filter: a channel a thread, samples of all channels side by side.
__global__ void biquad(float* out, const float* in, int channels, int samples, float b0, float b1, float b2, float a1, float a2) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  float x1 = 0, x2 = 0, y1 = 0, y2 = 0;
  for (int t = 0; t < samples; t++) {
    float x = in[t * channels + c];
    float y = b0 * x + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2;
    out[t * channels + c] = y;
    x2 = x1;
    x1 = x;
    y2 = y1;
    y1 = y;
  }
}

__global__ void median3(unsigned char* out, const unsigned char* in, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  unsigned char v[9];
  int c = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) v[c++] = in[(y + dy) * width + x + dx];
  for (int i = 0; i < 5; i++)
    for (int j = i + 1; j < 9; j++)
      if (v[j] < v[i]) {
        unsigned char t = v[i];
        v[i] = v[j];
        v[j] = t;
      }
  out[y * width + x] = v[4];
}

// Distances over all pairs by way of k, as Floyd has it.
__global__ void viaNode(int* d, int n, int k) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  int through = d[i * n + k] + d[k * n + j];
  if (through < d[i * n + j]) d[i * n + j] = through;
}

__global__ void histogram64(unsigned* bins, const unsigned* in, int n) {
  __shared__ unsigned local[8][64];
  for (int i = threadIdx.x; i < 512; i += blockDim.x) local[i / 64][i % 64] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned v = in[i];
    atomicAdd(&local[threadIdx.x / 32][v & 63], 1);
    atomicAdd(&local[threadIdx.x / 32][(v >> 8) & 63], 1);
  }
  __syncthreads();
  if (threadIdx.x < 64) {
    unsigned s = 0;
    for (int w = 0; w < 8; w++) s += local[w][threadIdx.x];
    atomicAdd(&bins[threadIdx.x], s);
  }
}

__global__ void asianOption(float* payoff, int steps, float s0, float strike, float drift, float vol, unsigned seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned a = seed + i * 2654435761u, b = seed ^ (i * 40503u + 1);
  float s = s0, sum = 0;
  for (int t = 0; t < steps; t += 2) {
    a = a * 1664525u + 1013904223u;
    b = b * 22695477u + 1u;
    float u = (a >> 8) * 5.9604645e-8f + 1e-7f, v = (b >> 8) * 5.9604645e-8f;
    float r = sqrtf(-2.0f * logf(u)), si, co;
    sincospif(2.0f * v, &si, &co);
    s *= expf(drift + vol * r * co);
    sum += s;
    s *= expf(drift + vol * r * si);
    sum += s;
  }
  payoff[i] = fmaxf(sum / steps - strike, 0.0f);
}

int main() {
  const int n = 1 << 22;
  float *a, *b;
  cudaMalloc(&a, n * 8);
  cudaMalloc(&b, n * 8);
  std::vector<float> h(n * 2);
  for (int i = 0; i < n * 2; i++) h[i] = ((i * 7) % 1001) / 1001.0f;
  cudaMemcpy(a, h.data(), n * 8, cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(taps, h.data(), sizeof(taps));
  fft1024<<<n / 1024, 512>>>((float2*)a);
  fir<<<n / 256, 256>>>(b, a, n);
  biquad<<<4096 / 128, 128>>>(b, a, 4096, 1024, 0.2f, 0.4f, 0.2f, -0.3f, 0.1f);
  median3<<<dim3(2048 / 32, 2048 / 8), dim3(32, 8)>>>((unsigned char*)b, (const unsigned char*)a, 2048, 2048);
  std::vector<int> d(1024 * 1024);
  for (int i = 0; i < 1024 * 1024; i++) d[i] = 1 + (i * 31) % 97;
  cudaMemcpy(b, d.data(), d.size() * 4, cudaMemcpyHostToDevice);
  viaNode<<<dim3(1024 / 32, 1024 / 8), dim3(32, 8)>>>((int*)b, 1024, 7);
  std::vector<unsigned> r(1 << 20);
  for (int i = 0; i < 1 << 20; i++) r[i] = i * 2654435761u;
  cudaMemcpy(b, r.data(), r.size() * 4, cudaMemcpyHostToDevice);
  cudaMemset(a, 0, 256);
  histogram64<<<264, 256>>>((unsigned*)a, (const unsigned*)b, 1 << 20);
  asianOption<<<528, 256>>>(a, 128, 100.0f, 100.0f, 0.0001f, 0.01f, 99u);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
