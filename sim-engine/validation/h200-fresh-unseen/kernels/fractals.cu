// Fractals: pixels that take as long as they do.
#include <cstdio>
#include <cuda_runtime.h>

struct Complex {
  float r, i;
  __device__ Complex(float a, float b) : r(a), i(b) {}
  __device__ float magnitude2() { return r * r + i * i; }
  __device__ Complex operator*(const Complex &a) { return Complex(r * a.r - i * a.i, i * a.r + r * a.i); }
  __device__ Complex operator+(const Complex &a) { return Complex(r + a.r, i + a.i); }
};

#define DIM 1024
__device__ int julia(int x, int y) {
  const float scale = 1.5;
  float jx = scale * (float)(DIM / 2 - x) / (DIM / 2);
  float jy = scale * (float)(DIM / 2 - y) / (DIM / 2);
  Complex c(-0.8, 0.156);
  Complex a(jx, jy);
  for (int i = 0; i < 200; i++) {
    a = a * a + c;
    if (a.magnitude2() > 1000) return 0;
  }
  return 1;
}

__global__ void juliaKernel(unsigned char *ptr) {
  int x = blockIdx.x, y = blockIdx.y;
  int offset = x + y * gridDim.x;
  ptr[offset * 4 + 0] = 255 * julia(x, y);
  ptr[offset * 4 + 1] = 0;
  ptr[offset * 4 + 2] = 0;
  ptr[offset * 4 + 3] = 255;
}

__global__ void mandelbrotKernel(uchar4 *out, int w, int h, float x0, float y0, float step, int limit) {
  int ix = blockIdx.x * blockDim.x + threadIdx.x, iy = blockIdx.y * blockDim.y + threadIdx.y;
  if (ix >= w || iy >= h) return;
  float cx = x0 + ix * step, cy = y0 + iy * step, x = 0, y = 0;
  int n = 0;
  while (n < limit && x * x + y * y < 4.0f) {
    float t = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = t;
    n++;
  }
  out[iy * w + ix] = make_uchar4(n & 255, n >> 2 & 255, n * 7 & 255, 255);
}

int main() {
  unsigned char *bitmap;
  cudaMalloc(&bitmap, DIM * DIM * 4 * 4);
  juliaKernel<<<dim3(DIM, DIM), 1>>>(bitmap);
  mandelbrotKernel<<<dim3(2048 / 32, 2048 / 8), dim3(32, 8)>>>((uchar4 *)bitmap, 2048, 2048, -2.0f, -1.5f, 3.0f / 2048, 512);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
