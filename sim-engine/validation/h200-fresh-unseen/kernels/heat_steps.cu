// Heat that spreads in two and three dimensions, several steps each.
#include <cstdio>
#include <utility>
#include <vector>
#include <cuda_runtime.h>

__global__ void heat2d(const float *__restrict__ u, float *__restrict__ next, int nx, int ny, float r) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i > 0 && i < nx - 1 && j > 0 && j < ny - 1) {
    int c = j * nx + i;
    next[c] = u[c] + r * (u[c - 1] + u[c + 1] + u[c - nx] + u[c + nx] - 4.0f * u[c]);
  }
}

#define TX 32
#define TY 16
__global__ void heat2dShared(const float *u, float *next, int nx, int ny, float r) {
  __shared__ float s[TY + 2][TX + 2];
  int i = blockIdx.x * TX + threadIdx.x, j = blockIdx.y * TY + threadIdx.y;
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  if (i >= nx || j >= ny) return;
  s[ty][tx] = u[j * nx + i];
  if (threadIdx.x == 0 && i > 0) s[ty][0] = u[j * nx + i - 1];
  if (threadIdx.x == TX - 1 && i < nx - 1) s[ty][TX + 1] = u[j * nx + i + 1];
  if (threadIdx.y == 0 && j > 0) s[0][tx] = u[(j - 1) * nx + i];
  if (threadIdx.y == TY - 1 && j < ny - 1) s[TY + 1][tx] = u[(j + 1) * nx + i];
  __syncthreads();
  if (i > 0 && i < nx - 1 && j > 0 && j < ny - 1)
    next[j * nx + i] = s[ty][tx] + r * (s[ty][tx - 1] + s[ty][tx + 1] + s[ty - 1][tx] + s[ty + 1][tx] - 4.0f * s[ty][tx]);
}

__global__ void heat3d(const double *u, double *next, int nx, int ny, int nz, double r) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  int k = blockIdx.z * blockDim.z + threadIdx.z;
  if (i < 1 || j < 1 || k < 1 || i >= nx - 1 || j >= ny - 1 || k >= nz - 1) return;
  int c = (k * ny + j) * nx + i;
  double sum = u[c - 1] + u[c + 1] + u[c - nx] + u[c + nx] + u[c - nx * ny] + u[c + nx * ny];
  next[c] = u[c] + r * (sum - 6.0 * u[c]);
}

int main() {
  const int nx = 2048, ny = 2048;
  std::vector<float> start(nx * ny, 0.0f);
  for (int j = 900; j < 1100; j++)
    for (int i = 900; i < 1100; i++) start[j * nx + i] = 100.0f;
  float *u, *next;
  cudaMalloc(&u, nx * ny * sizeof(float));
  cudaMalloc(&next, nx * ny * sizeof(float));
  cudaMemcpy(u, start.data(), nx * ny * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(next, start.data(), nx * ny * sizeof(float), cudaMemcpyHostToDevice);
  dim3 block(16, 16), grid((nx + 15) / 16, (ny + 15) / 16);
  for (int step = 0; step < 2; step++) {
    heat2d<<<grid, block>>>(u, next, nx, ny, 0.1f);
    std::swap(u, next);
  }
  heat2dShared<<<dim3(nx / TX, ny / TY), dim3(TX, TY)>>>(u, next, nx, ny, 0.1f);
  double *v, *w;
  const int m = 200;
  cudaMalloc(&v, m * m * m * sizeof(double));
  cudaMalloc(&w, m * m * m * sizeof(double));
  cudaMemset(v, 0, m * m * m * sizeof(double));
  dim3 block3(8, 8, 8), grid3((m + 7) / 8, (m + 7) / 8, (m + 7) / 8);
  heat3d<<<grid3, block3>>>(v, w, m, m, m, 0.05);
  heat3d<<<dim3((m + 31) / 32, (m + 3) / 4, (m + 1) / 2), dim3(32, 4, 2)>>>(w, v, m, m, m, 0.05);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
