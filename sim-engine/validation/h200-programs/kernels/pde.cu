#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>
#ifndef NX
#define NX 256
#define NY 256
#define NZ 128
#endif
#define IDX(i, j, k) ((i) + NX * ((j) + NY * (k)))
#define BX 32
#define BY 4
#define BZ 2
typedef double real;
#define Q 9
__constant__ int cx[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int cy[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ float wq[Q] = {4.f/9, 1.f/9, 1.f/9, 1.f/9, 1.f/9, 1.f/36, 1.f/36, 1.f/36, 1.f/36};

__global__ void heat3d(const real *u, real *v, real a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  int k = blockIdx.z * blockDim.z + threadIdx.z;
  if (i > 0 && i < NX - 1 && j > 0 && j < NY - 1 && k > 0 && k < NZ - 1)
    v[IDX(i, j, k)] = u[IDX(i, j, k)] + a * (u[IDX(i - 1, j, k)] + u[IDX(i + 1, j, k)] + u[IDX(i, j - 1, k)] +
                      u[IDX(i, j + 1, k)] + u[IDX(i, j, k - 1)] + u[IDX(i, j, k + 1)] - 6 * u[IDX(i, j, k)]);
}

__global__ void heat3dMarch(const float *__restrict__ u, float *__restrict__ v, float a) {
  __shared__ float s[BY * 4 + 2][BX + 2];
  int i = blockIdx.x * BX + threadIdx.x, j = blockIdx.y * (BY * 4) + threadIdx.y;
  int ti = threadIdx.x + 1, tj = threadIdx.y + 1;
  float below = 0.f, cur = u[IDX(i, j, 0)], above = u[IDX(i, j, 1)];
  for (int k = 1; k < NZ - 1; k++) {
    below = cur;
    cur = above;
    above = u[IDX(i, j, k + 1)];
    s[tj][ti] = cur;
    if (threadIdx.x == 0 && i > 0) s[tj][0] = u[IDX(i - 1, j, k)];
    if (threadIdx.x == BX - 1 && i < NX - 1) s[tj][BX + 1] = u[IDX(i + 1, j, k)];
    if (threadIdx.y == 0 && j > 0) s[0][ti] = u[IDX(i, j - 1, k)];
    if (threadIdx.y == BY * 4 - 1 && j < NY - 1) s[BY * 4 + 1][ti] = u[IDX(i, j + 1, k)];
    __syncthreads();
    v[IDX(i, j, k)] = cur + a * (s[tj][ti - 1] + s[tj][ti + 1] + s[tj - 1][ti] + s[tj + 1][ti] + above + below - 6.f * cur);
    __syncthreads();
  }
}

__global__ void lbmCollideAoS(float *f, int nx, int ny, float omega) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= nx) return;
  float *p = f + (size_t)(y * nx + x) * Q;
  float rho = 0, ux = 0, uy = 0;
  for (int q = 0; q < Q; q++) {
    rho += p[q];
    ux += cx[q] * p[q];
    uy += cy[q] * p[q];
  }
  ux /= rho;
  uy /= rho;
  for (int q = 0; q < Q; q++) {
    float cu = 3.f * (cx[q] * ux + cy[q] * uy);
    float eq = wq[q] * rho * (1.f + cu + 0.5f * cu * cu - 1.5f * (ux * ux + uy * uy));
    p[q] += omega * (eq - p[q]);
  }
}

__global__ void lbmStreamSoA(const float *__restrict__ src, float *__restrict__ dst, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int n = nx * ny;
#pragma unroll
  for (int q = 0; q < Q; q++) {
    int xs = (x - cx[q] + nx) % nx, ys = (y - cy[q] + ny) % ny;
    dst[q * n + y * nx + x] = src[q * n + ys * nx + xs];
  }
}

__global__ void tridiagonal(const float *a, const float *b, const float *c, float *d, float *cp, int n, int systems) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= systems) return;
  cp[s] = c[s] / b[s];
  d[s] = d[s] / b[s];
  for (int i = 1; i < n; i++) {
    float m = 1.f / (b[i * systems + s] - a[i * systems + s] * cp[(i - 1) * systems + s]);
    cp[i * systems + s] = c[i * systems + s] * m;
    d[i * systems + s] = (d[i * systems + s] - a[i * systems + s] * d[(i - 1) * systems + s]) * m;
  }
  for (int i = n - 2; i >= 0; i--) d[i * systems + s] -= cp[i * systems + s] * d[(i + 1) * systems + s];
}

__global__ void residual(const double *u, const double *v, double *out, int n) {
  __shared__ double part[256];
  double sum = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 256 * gridDim.x) {
    double diff = u[i] - v[i];
    sum += diff * diff;
  }
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int s = 128; s >= 1; s /= 2) {
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  if (!threadIdx.x) atomicAdd(out, part[0]);
}

int main(int argc, char *argv[]) {
  int systems = argc > 1 ? atoi(argv[1]) : 16384, n = 64;
  size_t cells = (size_t)NX * NY * NZ;
  double *u, *v, *norm;
  cudaMalloc((void **)&u, cells * sizeof(double));
  cudaMalloc((void **)&v, cells * sizeof(double));
  cudaMalloc((void **)&norm, sizeof(double));
  cudaMemset(u, 0, cells * 8);
  cudaMemset(v, 0, cells * 8);
  dim3 threads(BX, BY, BZ), blocks((NX + BX - 1) / BX, (NY + BY - 1) / BY, (NZ + BZ - 1) / BZ);
  for (int step = 0; step < 4; step++) {
    heat3d<<<blocks, threads>>>(u, v, 0.1);
    double *t = u; u = v; v = t;
  }
  dim3 march(BX, BY * 4);
  heat3dMarch<<<dim3(NX / BX, NY / (BY * 4)), march>>>((float *)u, (float *)v, 0.1f);
  int nx = 1000, ny = 512;
  lbmCollideAoS<<<dim3((nx + 127) / 128, ny), 128>>>((float *)u, nx, ny, 1.2f);
  lbmStreamSoA<<<dim3(1024 / 64, 512 / 4), dim3(64, 4)>>>((float *)u, (float *)v, 1024, 512);
  float *base = (float *)u;
  int count = systems * n;
  tridiagonal<<<(systems + 63) / 64, 64>>>(base, base + count, base + 2 * count, (float *)v, (float *)v + count, n, systems);
  residual<<<132 * 8, 256>>>(u, v, norm, (int)cells);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
