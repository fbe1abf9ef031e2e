// The game of life, waves on a grid, a one-dimensional stencil.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void life(const unsigned char *in, unsigned char *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  int alive = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      if (dx != 0 || dy != 0) alive += in[((y + dy + h) % h) * w + (x + dx + w) % w];
  unsigned char self = in[y * w + x];
  out[y * w + x] = alive == 3 || (self && alive == 2);
}

#define RADIUS 4
#define THREADS 256
__global__ void stencilLine(const int *in, int *out, int n) {
  __shared__ int temp[THREADS + 2 * RADIUS];
  int g = threadIdx.x + blockIdx.x * blockDim.x + RADIUS, l = threadIdx.x + RADIUS;
  temp[l] = in[g];
  if (threadIdx.x < RADIUS) {
    temp[l - RADIUS] = in[g - RADIUS];
    temp[l + THREADS] = in[g + THREADS];
  }
  __syncthreads();
  int result = 0;
  for (int o = -RADIUS; o <= RADIUS; o++) result += temp[l + o];
  out[g] = result;
}

__constant__ float c[RADIUS + 1];
// Eighth order in space, marching along z with values in registers.
__global__ void waves(float *next, const float *now, const float *before, int nx, int ny, int nz) {
  __shared__ float s[16 + 2 * RADIUS][32 + 2 * RADIUS];
  int ix = blockIdx.x * 32 + threadIdx.x + RADIUS, iy = blockIdx.y * 16 + threadIdx.y + RADIUS;
  int tx = threadIdx.x + RADIUS, ty = threadIdx.y + RADIUS;
  int stride = nx * ny, at = iy * nx + ix;
  float behind[RADIUS], front[RADIUS], current;
  for (int i = 0; i < RADIUS; i++) behind[RADIUS - 1 - i] = now[at + i * stride];
  at += RADIUS * stride;
  current = now[at];
  for (int i = 0; i < RADIUS; i++) front[i] = now[at + (i + 1) * stride];
  for (int k = RADIUS; k < nz - RADIUS; k++) {
    __syncthreads();
    s[ty][tx] = current;
    if (threadIdx.y < RADIUS) {
      s[threadIdx.y][tx] = now[at - RADIUS * nx];
      s[threadIdx.y + 16 + RADIUS][tx] = now[at + 16 * nx];
    }
    if (threadIdx.x < RADIUS) {
      s[ty][threadIdx.x] = now[at - RADIUS];
      s[ty][threadIdx.x + 32 + RADIUS] = now[at + 32];
    }
    __syncthreads();
    float sum = c[0] * current;
#pragma unroll
    for (int d = 1; d <= RADIUS; d++) sum += c[d] * (front[d - 1] + behind[d - 1] + s[ty - d][tx] + s[ty + d][tx] + s[ty][tx - d] + s[ty][tx + d]);
    next[at] = 2.0f * current - before[at] + sum;
#pragma unroll
    for (int i = RADIUS - 1; i > 0; i--) behind[i] = behind[i - 1];
    behind[0] = current;
    current = front[0];
#pragma unroll
    for (int i = 0; i < RADIUS - 1; i++) front[i] = front[i + 1];
    at += stride;
    if (k + RADIUS + 1 < nz) front[RADIUS - 1] = now[at + RADIUS * stride];
  }
}

int main() {
  const int w = 4096, h = 4096;
  unsigned char *host = (unsigned char *)malloc(w * h), *a, *b;
  for (int i = 0; i < w * h; i++) host[i] = rand() % 2;
  cudaMalloc(&a, w * h);
  cudaMalloc(&b, w * h);
  cudaMemcpy(a, host, w * h, cudaMemcpyHostToDevice);
  life<<<dim3(w / 32, h / 8), dim3(32, 8)>>>(a, b, w, h);
  const int n = 1 << 23;
  int *in, *out;
  cudaMalloc(&in, (n + 2 * RADIUS) * sizeof(int));
  cudaMalloc(&out, (n + 2 * RADIUS) * sizeof(int));
  cudaMemset(in, 0, (n + 2 * RADIUS) * sizeof(int));
  stencilLine<<<n / THREADS, THREADS>>>(in, out, n);
  const int nx = 256 + 2 * RADIUS, ny = 256 + 2 * RADIUS, nz = 128;
  float *u, *v, *q, weights[RADIUS + 1] = {-2.5f, 1.3f, -0.2f, 0.02f, -0.001f};
  cudaMalloc(&u, (size_t)nx * ny * nz * 4);
  cudaMalloc(&v, (size_t)nx * ny * nz * 4);
  cudaMalloc(&q, (size_t)nx * ny * nz * 4);
  cudaMemset(u, 0, (size_t)nx * ny * nz * 4);
  cudaMemset(v, 0, (size_t)nx * ny * nz * 4);
  cudaMemset(q, 0, (size_t)nx * ny * nz * 4);
  cudaMemcpyToSymbol(c, weights, sizeof(weights));
  waves<<<dim3(256 / 32, 256 / 16), dim3(32, 16)>>>(u, v, q, nx, ny, nz);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
