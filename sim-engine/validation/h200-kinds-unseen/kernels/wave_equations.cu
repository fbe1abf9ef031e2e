// Finite differences: waves and heat in two dimensions, diffusion in three, an eighth-order line.
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>
#include <cuda_runtime.h>

#define IDX(i, j, nx) ((j) * (nx) + (i))

__constant__ float coef[9];

__global__ void wave2d(const float *cur, float *prev, int nx, int ny, float c2) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 1 || j < 1 || i >= nx - 1 || j >= ny - 1) return;
  float u = cur[IDX(i, j, nx)];
  float lap = cur[IDX(i - 1, j, nx)] + cur[IDX(i + 1, j, nx)] + cur[IDX(i, j - 1, nx)] + cur[IDX(i, j + 1, nx)] - 4.0f * u;
  prev[IDX(i, j, nx)] = 2.0f * u - prev[IDX(i, j, nx)] + c2 * lap;
}

template <int BX, int BY>
__global__ void heatTile(const double *__restrict__ in, double *__restrict__ out, int nx, int ny, double k) {
  __shared__ double s[BY + 2][BX + 2];
  int i0 = blockIdx.x * BX, j0 = blockIdx.y * BY;
  for (int e = threadIdx.y * BX + threadIdx.x; e < (BX + 2) * (BY + 2); e += BX * BY) {
    int x = e % (BX + 2), y = e / (BX + 2);
    int gx = min(max(i0 + x - 1, 0), nx - 1), gy = min(max(j0 + y - 1, 0), ny - 1);
    s[y][x] = in[IDX(gx, gy, nx)];
  }
  __syncthreads();
  int i = i0 + threadIdx.x, j = j0 + threadIdx.y, x = threadIdx.x + 1, y = threadIdx.y + 1;
  if (i < nx && j < ny)
    out[IDX(i, j, nx)] = s[y][x] + k * (s[y][x - 1] + s[y][x + 1] + s[y - 1][x] + s[y + 1][x] - 4.0 * s[y][x]);
}

__global__ void jacobi(const float *__restrict__ u, const float *__restrict__ f, float *__restrict__ v, int n) {
  for (int j = 1 + blockIdx.y; j < n - 1; j += gridDim.y)
    for (int i = 1 + blockIdx.x * blockDim.x + threadIdx.x; i < n - 1; i += gridDim.x * blockDim.x)
      v[j * n + i] = 0.25f * (u[j * n + i - 1] + u[j * n + i + 1] + u[(j - 1) * n + i] + u[(j + 1) * n + i] - f[j * n + i]);
}

// Marches along z: the plane in shared memory, its neighbours above and below in registers.
__global__ void __launch_bounds__(256) diffuse3d(const float *__restrict__ in, float *__restrict__ out, int nx, int ny, int nz, float a, float b) {
  __shared__ float plane[8 + 2][32 + 2];
  int tx = threadIdx.x, ty = threadIdx.y;
  int i = blockIdx.x * 32 + tx, j = blockIdx.y * 8 + ty, sz = nx * ny;
  int p = j * nx + i;
  bool inner = i > 0 && i < nx - 1 && j > 0 && j < ny - 1;
  float below = in[p], here = in[p + sz];
  for (int k = 1; k < nz - 1; k++) {
    p += sz;
    float above = in[p + sz];
    __syncthreads();
    plane[ty + 1][tx + 1] = here;
    if (tx == 0 && i > 0) plane[ty + 1][0] = in[p - 1];
    if (tx == 31 && i < nx - 1) plane[ty + 1][33] = in[p + 1];
    if (ty == 0 && j > 0) plane[0][tx + 1] = in[p - nx];
    if (ty == 7 && j < ny - 1) plane[9][tx + 1] = in[p + nx];
    __syncthreads();
    if (inner)
      out[p] = a * here + b * (plane[ty + 1][tx] + plane[ty + 1][tx + 2] + plane[ty][tx + 1] + plane[ty + 2][tx + 1] + below + above);
    below = here;
    here = above;
  }
}

// The same in x and y from cache, with a queue of five values along z (fourth order there).
__global__ void queue3d(const float *in, float *out, int nx, int ny, int nz, int depth) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 1 || j < 1 || i >= nx - 1 || j >= ny - 1) return;
  int sz = nx * ny, k0 = 2 + blockIdx.z * depth, k1 = min(k0 + depth, nz - 2);
  const float *p = in + (size_t)k0 * sz + j * nx + i;
  float q[5] = {0.f, p[-2 * sz], p[-sz], p[0], p[sz]};
  for (int k = k0; k < k1; k++, p += sz) {
#pragma unroll
    for (int e = 0; e < 4; e++) q[e] = q[e + 1];
    q[4] = p[2 * sz];
    float z = (16.f * (q[1] + q[3]) - q[0] - q[4] - 30.f * q[2]) / 12.f;
    out[(size_t)k * sz + j * nx + i] = q[2] + 0.1f * (p[-1] + p[1] + p[-nx] + p[nx] - 4.f * q[2] + z);
  }
}

__global__ void line8(const float *in, float *out, int n) {
  const int R = 8;
  __shared__ float s[320 + 2 * R];
  int g = blockIdx.x * blockDim.x + threadIdx.x, l = threadIdx.x + R;
  s[l] = g < n ? in[g] : 0.f;
  if (threadIdx.x < R) {
    s[l - R] = g >= R ? in[g - R] : 0.f;
    s[l + blockDim.x] = g + blockDim.x < n ? in[g + blockDim.x] : 0.f;
  }
  __syncthreads();
  float r = coef[0] * s[l];
#pragma unroll
  for (int k = 1; k <= R; k++) r += coef[k] * (s[l - k] + s[l + k]);
  if (g < n) out[g] = r;
}

int main() {
  const int n = 4096, d = 256, len = 10000000;
  const size_t cells = (size_t)n * n;
  std::vector<float> h(cells);
  for (size_t i = 0; i < cells; i++) h[i] = sinf(0.001f * (i % n)) * cosf(0.002f * (i / n));
  float *a, *b, *c, w[9] = {-3.0f, 1.8f, -0.3f, 0.08f, -0.02f, 0.005f, -0.001f, 2e-4f, -2e-5f};
  double *u, *v;
  cudaMalloc(&a, cells * 4), cudaMalloc(&b, cells * 4), cudaMalloc(&c, cells * 4);
  cudaMalloc(&u, cells * 2), cudaMalloc(&v, cells * 2);
  for (float *p : {a, b, c}) cudaMemcpy(p, h.data(), cells * 4, cudaMemcpyHostToDevice);
  cudaMemset(u, 0, cells * 2);
  cudaMemcpyToSymbol(coef, w, sizeof w);
  wave2d<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, n, n, 0.25f);
  heatTile<32, 16><<<dim3(2000 / 32 + 1, 2000 / 16), dim3(32, 16)>>>(u, v, 2000, 2000, 0.2);
  for (int it = 0; it < 2; it++, std::swap(a, b)) jacobi<<<dim3(8, 1024), 256>>>(a, c, b, n);
  diffuse3d<<<dim3(d / 32, d / 8), dim3(32, 8)>>>(a, b, d, d, d, 0.4f, 0.1f);
  queue3d<<<dim3(d / 64, d / 3 + 1, 4), dim3(64, 3)>>>(a, b, d, d, d, 63);
  line8<<<(len + 319) / 320, 320>>>(a, c, len);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
