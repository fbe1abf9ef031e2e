// Stencil collection: 1D, 2D, 3D, temporal blocking, red-black.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CU(x)                                                           \
  if (cudaError_t _e = (x)) {                                           \
    fprintf(stderr, "%s failed: %s\n", #x, cudaGetErrorString(_e));     \
    exit(1);                                                            \
  }

constexpr int R1 = 4;                       // radius of the 1D stencil
__constant__ float coef[2 * R1 + 1];

// 1D, periodic, shared halo
__global__ void stencil1d_periodic(const float* __restrict__ u, float* __restrict__ v, int n) {
  extern __shared__ float s[];
  int g = blockIdx.x * blockDim.x + threadIdx.x;
  int l = threadIdx.x + R1;
  if (g < n + R1) s[l] = u[g < n ? g : g - n];
  if (threadIdx.x < R1) {
    int left = g - R1;
    if (left < 0) left += n;
    if (left < n) s[l - R1] = u[left];
    int right = g + (int)blockDim.x;
    s[l + blockDim.x] = u[right % n];
  }
  __syncthreads();
  if (g < n) {
    float a = 0.f;
#pragma unroll
    for (int k = -R1; k <= R1; ++k) a += coef[k + R1] * s[l + k];
    v[g] = a;
  }
}

// 2D five-point heat, straight from global memory
__global__ void heat2d_global(const float* __restrict__ u, float* __restrict__ v, int nx, int ny, float r) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nx || j >= ny) return;
  int c = j * nx + i;
  if (i == 0 || j == 0 || i == nx - 1 || j == ny - 1) { v[c] = u[c]; return; }
  v[c] = u[c] + r * (u[c - 1] + u[c + 1] + u[c - nx] + u[c + nx] - 4.f * u[c]);
}

// 2D five-point with a shared tile and halo loaded by edge threads
template <int BX, int BY>
__global__ void heat2d_shared(const float* __restrict__ u, float* __restrict__ v, int nx, int ny, float r) {
  __shared__ float t[BY + 2][BX + 2];
  int i = blockIdx.x * BX + threadIdx.x, j = blockIdx.y * BY + threadIdx.y;
  int ic = min(i, nx - 1), jc = min(j, ny - 1);
  int lx = threadIdx.x + 1, ly = threadIdx.y + 1;
  t[ly][lx] = u[jc * nx + ic];
  if (threadIdx.x == 0) t[ly][0] = u[jc * nx + max(ic - 1, 0)];
  if (threadIdx.x == BX - 1) t[ly][BX + 1] = u[jc * nx + min(i + 1, nx - 1)];
  if (threadIdx.y == 0) t[0][lx] = u[max(jc - 1, 0) * nx + ic];
  if (threadIdx.y == BY - 1) t[BY + 1][lx] = u[min(j + 1, ny - 1) * nx + ic];
  __syncthreads();
  if (i < nx && j < ny) {
    float c = t[ly][lx];
    bool edge = i == 0 || j == 0 || i == nx - 1 || j == ny - 1;
    v[j * nx + i] = edge ? c : c + r * (t[ly][lx - 1] + t[ly][lx + 1] + t[ly - 1][lx] + t[ly + 1][lx] - 4.f * c);
  }
}

// Temporal blocking: STEPS time steps on a tile, halo shrinks by one each step (overlapped tiling)
template <int T, int STEPS>
__global__ void heat2d_temporal(const float* __restrict__ u, float* __restrict__ v, int nx, int ny, float r) {
  __shared__ float a[2][T][T];
  const int inner = T - 2 * STEPS;
  int x = threadIdx.x, y = threadIdx.y;
  int i = blockIdx.x * inner + x - STEPS;
  int j = blockIdx.y * inner + y - STEPS;
  bool in = i >= 0 && i < nx && j >= 0 && j < ny;
  bool fixed = !in || i == 0 || j == 0 || i == nx - 1 || j == ny - 1;
  a[0][y][x] = in ? u[j * nx + i] : 0.f;
  __syncthreads();
  int cur = 0;
  for (int s = 1; s <= STEPS; ++s) {
    float c = a[cur][y][x];
    float w = c;
    if (!fixed && x >= s && x < T - s && y >= s && y < T - s)
      w = c + r * (a[cur][y][x - 1] + a[cur][y][x + 1] + a[cur][y - 1][x] + a[cur][y + 1][x] - 4.f * c);
    a[cur ^ 1][y][x] = w;
    cur ^= 1;
    __syncthreads();
  }
  if (in && x >= STEPS && x < T - STEPS && y >= STEPS && y < T - STEPS) v[j * nx + i] = a[cur][y][x];
}

// Laplace, Gauss-Seidel red-black: one colour per launch, in place
__global__ void laplace_redblack(float* u, int nx, int ny, int colour, float omega) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (j >= ny - 1) return;
  int i = 2 * k + 1 + ((j + colour) & 1);
  if (i >= nx - 1) return;
  int c = j * nx + i;
  float gs = 0.25f * (u[c - 1] + u[c + 1] + u[c - nx] + u[c + nx]);
  u[c] += omega * (gs - u[c]);
}

// 3D seven-point Jacobi, one thread per point
__global__ void jacobi3d_naive(const float* __restrict__ u, float* __restrict__ v, int nx, int ny, int nz) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  int j = blockIdx.y * blockDim.y + threadIdx.y + 1;
  int k = blockIdx.z * blockDim.z + threadIdx.z + 1;
  if (i >= nx - 1 || j >= ny - 1 || k >= nz - 1) return;
  size_t p = (size_t)nx * ny, c = k * p + (size_t)j * nx + i;
  v[c] = (u[c - 1] + u[c + 1] + u[c - nx] + u[c + nx] + u[c - p] + u[c + p]) * (1.f / 6.f);
}

// 3D marching in z: below/centre/above in registers, xy plane in shared
template <int BX, int BY>
__global__ void __launch_bounds__(BX * BY) jacobi3d_march(const float* __restrict__ u, float* __restrict__ v, int nx, int ny, int nz,
                                                         int zper) {
  __shared__ float s[BY][BX];
  const int i = blockIdx.x * (BX - 2) + threadIdx.x;
  const int j = blockIdx.y * (BY - 2) + threadIdx.y;
  const bool in = i < nx && j < ny;
  const bool work = in && threadIdx.x > 0 && threadIdx.x < BX - 1 && threadIdx.y > 0 && threadIdx.y < BY - 1 &&
                    i < nx - 1 && j < ny - 1;
  const size_t p = (size_t)nx * ny;
  const size_t xy = in ? (size_t)j * nx + i : 0;
  const int z0 = blockIdx.z * zper + 1, z1 = min(z0 + zper, nz - 1);
  if (z0 >= z1) return;
  float below = u[xy + (z0 - 1) * p], mid = u[xy + z0 * p];
  for (int z = z0; z < z1; ++z) {
    float above = u[xy + (z + 1) * p];
    s[threadIdx.y][threadIdx.x] = mid;
    __syncthreads();
    if (work)
      v[xy + z * p] = (s[threadIdx.y][threadIdx.x - 1] + s[threadIdx.y][threadIdx.x + 1] + s[threadIdx.y - 1][threadIdx.x] +
                       s[threadIdx.y + 1][threadIdx.x] + below + above) * (1.f / 6.f);
    __syncthreads();
    below = mid;
    mid = above;
  }
}

int main() {
  // --- 1D
  const int n1 = 1 << 23;
  std::vector<float> h(n1);
  for (int i = 0; i < n1; ++i) h[i] = sinf(2.f * 3.14159265f * (i % 4096) / 4096.f);
  float hc[2 * R1 + 1] = {-1.f / 560, 8.f / 315, -0.2f, 1.6f, -205.f / 72, 1.6f, -0.2f, 8.f / 315, -1.f / 560};
  CU(cudaMemcpyToSymbol(coef, hc, sizeof hc));
  const int NX = 4096, NY = 4096, N3 = 320;
  size_t cells = (size_t)N3 * N3 * N3;
  float *a, *b, *c;
  CU(cudaMalloc(&a, cells * 4));
  CU(cudaMalloc(&b, cells * 4));
  CU(cudaMalloc(&c, cells * 4));
  CU(cudaMemcpy(a, h.data(), n1 * 4, cudaMemcpyHostToDevice));
  stencil1d_periodic<<<n1 / 256, 256, (256 + 2 * R1) * 4>>>(a, b, n1);
  CU(cudaGetLastError());
  float first[2];
  CU(cudaMemcpy(first, b, 8, cudaMemcpyDeviceToHost));
  printf("1d second derivative near 0: %g %g\n", first[0], first[1]);

  // --- 2D: hot top edge
  std::vector<float> g((size_t)NX * NY, 0.f);
  for (int i = 0; i < NX; ++i) g[i] = 100.f;
  for (int k = 0; k < 2000; ++k) g[(size_t)(k * 7919ull % ((size_t)NX * NY))] = 50.f;
  CU(cudaMemcpy(a, g.data(), g.size() * 4, cudaMemcpyHostToDevice));
  dim3 bl(32, 8), gr(NX / 32, NY / 8);
  heat2d_global<<<gr, bl>>>(a, b, NX, NY, 0.2f);
  heat2d_shared<32, 8><<<gr, bl>>>(b, c, NX, NY, 0.2f);                  // c: after two steps
  const int inner = 32 - 4;
  heat2d_temporal<32, 2><<<dim3((NX + inner - 1) / inner, (NY + inner - 1) / inner), dim3(32, 32)>>>(a, b, NX, NY, 0.2f);
  CU(cudaGetLastError());
  std::vector<float> hb((size_t)NX * NY), hcx((size_t)NX * NY);
  CU(cudaMemcpy(hb.data(), b, hb.size() * 4, cudaMemcpyDeviceToHost));
  CU(cudaMemcpy(hcx.data(), c, hcx.size() * 4, cudaMemcpyDeviceToHost));
  float worst = 0;
  for (size_t k = 0; k < hb.size(); ++k) worst = fmaxf(worst, fabsf(hb[k] - hcx[k]));
  printf("two steps, plain against temporal blocking: max diff %g\n", worst);

  dim3 rb(32, 8), rg((NX / 2 + 31) / 32, (NY - 2 + 7) / 8);
  laplace_redblack<<<rg, rb>>>(a, NX, NY, 0, 1.6f);
  laplace_redblack<<<rg, rb>>>(a, NX, NY, 1, 1.6f);
  CU(cudaGetLastError());

  // --- 3D
  std::vector<float> vol(cells);
  for (size_t k = 0; k < cells; ++k) vol[k] = (float)((k * 31) % 101) * 0.01f;
  CU(cudaMemcpy(a, vol.data(), cells * 4, cudaMemcpyHostToDevice));
  CU(cudaMemset(b, 0, cells * 4));
  CU(cudaMemset(c, 0, cells * 4));
  jacobi3d_naive<<<dim3(10, 40, 80), dim3(32, 8, 4)>>>(a, b, N3, N3, N3);
  jacobi3d_march<32, 16><<<dim3((N3 - 2 + 29) / 30, (N3 - 2 + 13) / 14, 5), dim3(32, 16)>>>(a, c, N3, N3, N3, (N3 - 2 + 4) / 5);
  CU(cudaGetLastError());
  std::vector<float> v1(N3 * N3), v2(N3 * N3);
  size_t off = (size_t)(N3 / 2) * N3 * N3;
  CU(cudaMemcpy(v1.data(), b + off, v1.size() * 4, cudaMemcpyDeviceToHost));
  CU(cudaMemcpy(v2.data(), c + off, v2.size() * 4, cudaMemcpyDeviceToHost));
  float w3 = 0;
  for (size_t k = 0; k < v1.size(); ++k) w3 = fmaxf(w3, fabsf(v1[k] - v2[k]));
  printf("3d middle plane max diff %g\n", w3);
  cudaFree(a); cudaFree(b); cudaFree(c);
  return w3 < 1e-4f ? 0 : 1;
}
