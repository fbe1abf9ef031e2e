// Fractals: the set of Mandelbrot in floats and doubles, a Julia set, roots by Newton's method.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void mandel(int *out, int w, int h, int most) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float cx = -2.2f + 3.f * x / w, cy = -1.5f + 3.f * y / h, zx = 0.f, zy = 0.f;
  int k = 0;
  while (k < most && zx * zx + zy * zy < 4.f) {
    float t = zx * zx - zy * zy + cx;
    zy = 2.f * zx * zy + cy;
    zx = t;
    k++;
  }
  out[y * w + x] = k;
}

__global__ void mandelDouble(unsigned char *out, int w, double x0, double y0, double step, int most) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double cx = x0 + (i % w) * step, cy = y0 + (i / w) * step, zx = 0, zy = 0;
  int k = 0;
  for (; k < most; k++) {
    double xx = zx * zx, yy = zy * zy;
    if (xx + yy > 4.0) break;
    zy = 2.0 * zx * zy + cy;
    zx = xx - yy + cx;
  }
  out[i] = k;
}

struct Complex {
  float r, i;
  __device__ Complex(float a, float b) : r(a), i(b) {}
  __device__ float norm() const { return r * r + i * i; }
  __device__ Complex operator*(const Complex &o) const { return Complex(r * o.r - i * o.i, i * o.r + r * o.i); }
  __device__ Complex operator+(const Complex &o) const { return Complex(r + o.r, i + o.i); }
};

__device__ int inJulia(int x, int y, int dim) {
  float jx = 1.5f * (dim / 2 - x) / (dim / 2), jy = 1.5f * (dim / 2 - y) / (dim / 2);
  Complex c(-0.8f, 0.156f), a(jx, jy);
  for (int i = 0; i < 200; i++) {
    a = a * a + c;
    if (a.norm() > 1000.f) return 0;
  }
  return 1;
}

__global__ void julia(uchar4 *out, int dim) {
  int x = blockIdx.x, y = blockIdx.y;
  out[y * dim + x] = make_uchar4(255 * inJulia(x, y, dim), 0, 0, 255);
}

__global__ void juliaThreads(uchar4 *out, int dim) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  out[y * dim + x] = make_uchar4(255 * inJulia(x, y, dim), 0, 0, 255);
}

__global__ void newton(float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float a = -2.f + 4.f * x / w, b = -2.f + 4.f * y / h;
  int k = 0;
  for (; k < 64; k++) {
    float a2 = a * a - b * b, b2 = 2.f * a * b, d = 3.f * (a2 * a2 + b2 * b2);
    float a3 = a2 * a - b2 * b - 1.f, b3 = a2 * b + b2 * a;
    float da = (a3 * a2 + b3 * b2) / d, db = (b3 * a2 - a3 * b2) / d;
    a -= da;
    b -= db;
    if (da * da + db * db < 1e-10f) break;
  }
  out[y * w + x] = k;
}

int main() {
  const int w = 2048;
  int *a;
  unsigned char *b;
  uchar4 *c;
  cudaMalloc(&a, w * w * sizeof(int));
  cudaMalloc(&b, w * w);
  cudaMalloc(&c, w * w * sizeof(uchar4));
  mandel<<<dim3(w / 16, w / 16), dim3(16, 16)>>>(a, w, w, 256);
  mandelDouble<<<1024 * 1024 / 256, 256>>>(b, 1024, -0.75, 0.1, 1e-5, 500);
  julia<<<dim3(512, 512), 1>>>(c, 512);
  juliaThreads<<<dim3(w / 16, w / 16), dim3(16, 16)>>>(c, w);
  newton<<<dim3(w / 32, w / 8), dim3(32, 8)>>>((float *)a, w, w);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
