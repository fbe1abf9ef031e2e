// Stencils in one, two and three dimensions.
#include <cstdio>
#include <cuda_runtime.h>
#define R 4
__constant__ float coef[2 * R + 1];

__global__ void stencilLine(const float *in, float *out, int n) {
  __shared__ float s[256 + 2 * R];
  int g = blockIdx.x * blockDim.x + threadIdx.x, l = threadIdx.x + R;
  s[l] = in[g];
  if (threadIdx.x < R) {
    s[l - R] = g >= R ? in[g - R] : 0.f;
    s[l + 256] = g + 256 < n ? in[g + 256] : 0.f;
  }
  __syncthreads();
  float v = 0.f;
  for (int k = -R; k <= R; k++) v += coef[k + R] * s[l + k];
  out[g] = v;
}

__global__ void fivePoint(const float *u, float *v, int nx, int ny, float a) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1) {
    int i = y * nx + x;
    v[i] = u[i] + a * (u[i - 1] + u[i + 1] + u[i - nx] + u[i + nx] - 4.f * u[i]);
  }
}

__global__ void fivePointTile(const float *u, float *v, int nx, int ny, float a) {
  __shared__ float t[18][34];
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, i = y * nx + x;
  if (x < nx && y < ny) {
    t[ty][tx] = u[i];
    if (threadIdx.x == 0 && x > 0) t[ty][0] = u[i - 1];
    if (threadIdx.x == 31 && x < nx - 1) t[ty][33] = u[i + 1];
    if (threadIdx.y == 0 && y > 0) t[0][tx] = u[i - nx];
    if (threadIdx.y == 15 && y < ny - 1) t[17][tx] = u[i + nx];
  }
  __syncthreads();
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1)
    v[i] = t[ty][tx] + a * (t[ty][tx - 1] + t[ty][tx + 1] + t[ty - 1][tx] + t[ty + 1][tx] - 4.f * t[ty][tx]);
}

__global__ void sevenPoint(const double *u, double *v, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1) return;
  int i = (z * n + y) * n + x;
  v[i] = 0.4 * u[i] + 0.1 * (u[i - 1] + u[i + 1] + u[i - n] + u[i + n] + u[i - n * n] + u[i + n * n]);
}

// Goes up the third dimension with the planes in registers.
__global__ void sevenPointUp(const float *__restrict__ u, float *__restrict__ v, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  int plane = n * n, i = y * n + x + plane;
  float below = u[i - plane], here = u[i];
  for (int z = 1; z < n - 1; z++, i += plane) {
    float above = u[i + plane];
    v[i] = 0.4f * here + 0.1f * (u[i - 1] + u[i + 1] + u[i - n] + u[i + n] + below + above);
    below = here;
    here = above;
  }
}

int main() {
  const int n = 256, m = 4096;
  float *a, *b, c[2 * R + 1];
  for (int i = 0; i < 2 * R + 1; i++) c[i] = 1.f / (1 + i);
  cudaMemcpyToSymbol(coef, c, sizeof(c));
  cudaMalloc(&a, m * m * sizeof(double));
  cudaMalloc(&b, m * m * sizeof(double));
  cudaMemset(a, 0, m * m * sizeof(double));
  stencilLine<<<m * m / 256, 256>>>(a, b, m * m);
  fivePoint<<<dim3(m / 32, m / 8), dim3(32, 8)>>>(a, b, m, m, 0.2f);
  fivePointTile<<<dim3(m / 32, m / 16), dim3(32, 16)>>>(a, b, m, m, 0.2f);
  sevenPoint<<<dim3(n / 32, n / 4, n), dim3(32, 4)>>>((double *)a, (double *)b, n);
  sevenPointUp<<<dim3(n / 32, n / 4), dim3(32, 4)>>>(a, b, n);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
