// Explicit PDE steps on regular grids.
//   heat 2D (5 points), heat 3D (7 points), wave 3D (25 points, order 8),
//   red-black Gauss-Seidel and one lattice-Boltzmann D2Q9 step.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
#define CUCHECK(x)                                                             \
  do {                                                                         \
    cudaError_t rc = (x);                                                      \
    if (rc != cudaSuccess) {                                                   \
      printf("CUDA failure %d (%s) at line %d\n", (int)rc,                     \
             cudaGetErrorString(rc), __LINE__);                                \
      exit(3);                                                                 \
    }                                                                          \
  } while (0)

// ------------------------------------------------------------------ heat 2D
__global__ void heat2d_naive(const double *u, double *v, int nx, int ny, double c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 1 || j < 1 || i >= nx - 1 || j >= ny - 1) return;
  size_t k = (size_t)j * nx + i;
  v[k] = u[k] + c * (u[k - 1] + u[k + 1] + u[k - nx] + u[k + nx] - 4.0 * u[k]);
}
template <int BX, int BY>
__global__ void heat2d_shared(const double *__restrict__ u, double *__restrict__ v, int nx, int ny, double c) {
  __shared__ double s[BY + 2][BX + 2];
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const int i = blockIdx.x * BX + threadIdx.x, j = blockIdx.y * BY + threadIdx.y;
  const bool in = i < nx && j < ny;
  const size_t k = (size_t)j * nx + i;
  if (in) {
    s[ty][tx] = u[k];
    if (threadIdx.x == 0 && i > 0) s[ty][0] = u[k - 1];
    if (threadIdx.x == BX - 1 && i < nx - 1) s[ty][BX + 1] = u[k + 1];
    if (threadIdx.y == 0 && j > 0) s[0][tx] = u[k - nx];
    if (threadIdx.y == BY - 1 && j < ny - 1) s[BY + 1][tx] = u[k + nx];
  }
  __syncthreads();
  if (in && i > 0 && j > 0 && i < nx - 1 && j < ny - 1)
    v[k] = s[ty][tx] + c * (s[ty][tx - 1] + s[ty][tx + 1] + s[ty - 1][tx] + s[ty + 1][tx] - 4.0 * s[ty][tx]);
}

// ------------------------------------------------------------------ heat 3D
struct Dim { int x, y, z; };
__constant__ float heat_c[2];   // centre, neighbours
__global__ void heat3d_naive(const float *in, float *out, Dim d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  int k = blockIdx.z * blockDim.z + threadIdx.z;
  if (i >= 1 && i < d.x - 1 && j >= 1 && j < d.y - 1 && k >= 1 && k < d.z - 1) {
    int c = (k * d.y + j) * d.x + i;
    out[c] = heat_c[0] * in[c] + heat_c[1] * (in[c - 1] + in[c + 1] + in[c - d.x] + in[c + d.x] +
                                              in[c - d.x * d.y] + in[c + d.x * d.y]);
  }
}

// 3D shared tile, 8x8x8 threads load, 6x6x6 write
#define IN_T 8
#define OUT_T 6
__global__ void heat3d_tile(const float *in, float *out, Dim d) {
  __shared__ float s[IN_T][IN_T][IN_T];
  int i = blockIdx.x * OUT_T + threadIdx.x;      // shifted by the halo of one
  int j = blockIdx.y * OUT_T + threadIdx.y;
  int k = blockIdx.z * OUT_T + threadIdx.z;
  bool inside = i < d.x && j < d.y && k < d.z;
  int c = (k * d.y + j) * d.x + i;
  if (inside) s[threadIdx.z][threadIdx.y][threadIdx.x] = in[c];
  __syncthreads();
  if (i >= 1 && i < d.x - 1 && j >= 1 && j < d.y - 1 && k >= 1 && k < d.z - 1 &&
      threadIdx.x >= 1 && threadIdx.x <= OUT_T && threadIdx.y >= 1 && threadIdx.y <= OUT_T &&
      threadIdx.z >= 1 && threadIdx.z <= OUT_T) {
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    out[c] = heat_c[0] * s[z][y][x] + heat_c[1] * (s[z][y][x - 1] + s[z][y][x + 1] + s[z][y - 1][x] +
                                                   s[z][y + 1][x] + s[z - 1][y][x] + s[z + 1][y][x]);
  }
}
// thread coarsening along z with register tiling: planes above and below stay
// in registers, only the current one is in shared memory
#define CT 32
__global__ __launch_bounds__(CT *CT) void heat3d_registers(const float *__restrict__ in, float *__restrict__ out,
                                                           Dim d, int chunk) {
  __shared__ float s[CT][CT];
  const int i = blockIdx.x * (CT - 2) + threadIdx.x, j = blockIdx.y * (CT - 2) + threadIdx.y;
  const int k0 = blockIdx.z * chunk + 1, plane = d.x * d.y;
  const bool col = i < d.x && j < d.y;
  const bool writes = i >= 1 && i < d.x - 1 && j >= 1 && j < d.y - 1 && threadIdx.x >= 1 && threadIdx.x < CT - 1 &&
                      threadIdx.y >= 1 && threadIdx.y < CT - 1;
  int c = (k0 * d.y + j) * d.x + i;
  float below = col && k0 - 1 < d.z ? in[c - plane] : 0.f;
  float here = col && k0 < d.z ? in[c] : 0.f;
  for (int k = k0; k < min(k0 + chunk, d.z - 1); ++k, c += plane) {
    float above = col ? in[c + plane] : 0.f;
    s[threadIdx.y][threadIdx.x] = here;
    __syncthreads();
    if (writes)
      out[c] = heat_c[0] * here + heat_c[1] * (s[threadIdx.y][threadIdx.x - 1] + s[threadIdx.y][threadIdx.x + 1] +
                                               s[threadIdx.y - 1][threadIdx.x] + s[threadIdx.y + 1][threadIdx.x] +
                                               below + above);
    __syncthreads();
    below = here;
    here = above;
  }
}

// ------------------------------------------------------------------ wave, 25 points
#define RAD 4
__constant__ float wave_c[RAD + 1];
__global__ void wave_naive(const float *p, const float *vel, float *prev, Dim d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + RAD;
  int j = blockIdx.y * blockDim.y + threadIdx.y + RAD;
  int k = blockIdx.z + RAD;
  if (i >= d.x - RAD || j >= d.y - RAD) return;
  const int sy = d.x, sz = d.x * d.y, c = k * sz + j * sy + i;
  float lap = 3.0f * wave_c[0] * p[c];
  for (int r = 1; r <= RAD; ++r)
    lap += wave_c[r] * (p[c - r] + p[c + r] + p[c - r * sy] + p[c + r * sy] + p[c - r * sz] + p[c + r * sz]);
  prev[c] = 2.0f * p[c] - prev[c] + vel[c] * lap;
}

// queue of nine values along z in registers, xy-plane with halo in shared memory
template <int BX, int BY>
__global__ __launch_bounds__(BX *BY) void wave_queue(const float *__restrict__ p, const float *__restrict__ vel,
                                                     float *__restrict__ prev, Dim d, int chunk) {
  __shared__ float s[BY + 2 * RAD][BX + 2 * RAD];
  const int x0 = blockIdx.x * BX, y0 = blockIdx.y * BY, sy = d.x, sz = d.x * d.y;
  const int i = x0 + threadIdx.x + RAD, j = y0 + threadIdx.y + RAD;
  const bool active = i < d.x - RAD && j < d.y - RAD;
  const int kBegin = RAD + blockIdx.z * chunk, kEnd = min(kBegin + chunk, d.z - RAD);
  if (kBegin >= kEnd) return;
  const int tid = threadIdx.y * BX + threadIdx.x;
  float q[2 * RAD + 1];
  int c = kBegin * sz + j * sy + i;
#pragma unroll
  for (int r = 0; r < 2 * RAD; ++r) q[r + 1] = active ? p[c + (r - RAD) * sz] : 0.f;
  for (int k = kBegin; k < kEnd; ++k, c += sz) {
#pragma unroll
    for (int r = 0; r < 2 * RAD; ++r) q[r] = q[r + 1];
    q[2 * RAD] = active ? p[c + RAD * sz] : 0.f;
    __syncthreads();
    for (int t = tid; t < (BX + 2 * RAD) * (BY + 2 * RAD); t += BX * BY) {
      int ly = t / (BX + 2 * RAD), lx = t - ly * (BX + 2 * RAD);
      int gx = x0 + lx, gy = y0 + ly;
      s[ly][lx] = gx < d.x && gy < d.y ? p[k * sz + gy * sy + gx] : 0.f;
    }
    __syncthreads();
    if (active) {
      const int lx = threadIdx.x + RAD, ly = threadIdx.y + RAD;
      float lap = 3.0f * wave_c[0] * q[RAD];
#pragma unroll
      for (int r = 1; r <= RAD; ++r)
        lap += wave_c[r] * (s[ly][lx - r] + s[ly][lx + r] + s[ly - r][lx] + s[ly + r][lx] + q[RAD - r] + q[RAD + r]);
      prev[c] = 2.0f * q[RAD] - prev[c] + vel[c] * lap;
    }
  }
}
// ------------------------------------------------------------------ red-black
__global__ void redblack(float *u, const float *__restrict__ f, int nx, int ny, int colour) {
  int j = blockIdx.y * blockDim.y + threadIdx.y + 1;
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1 + ((j + colour) & 1);
  if (i >= nx - 1 || j >= ny - 1) return;
  int c = j * nx + i;
  u[c] = 0.25f * (u[c - 1] + u[c + 1] + u[c - nx] + u[c + nx] - f[c]);
}

// ------------------------------------------------------------------ LBM
__host__ __device__ inline void lbm_site(const float *f, float *g, int x, int y, int nx, int ny, float omega) {
  const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  const float w[9] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
  const int n = nx * ny;
  float v[9], rho = 0, ux = 0, uy = 0;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (int q = 0; q < 9; ++q) {
    int sx = x - cx[q], sy = y - cy[q];
    sx = sx < 0 ? nx - 1 : sx == nx ? 0 : sx;
    sy = sy < 0 ? ny - 1 : sy == ny ? 0 : sy;
    v[q] = f[q * n + sy * nx + sx];
    rho += v[q];
    ux += cx[q] * v[q];
    uy += cy[q] * v[q];
  }
  ux /= rho;
  uy /= rho;
  const float usq = 1.5f * (ux * ux + uy * uy);
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (int q = 0; q < 9; ++q) {
    float cu = 3.0f * (cx[q] * ux + cy[q] * uy);
    float eq = w[q] * rho * (1.0f + cu + 0.5f * cu * cu - usq);
    g[q * n + y * nx + x] = v[q] + omega * (eq - v[q]);
  }
}
__global__ void lbm_step(const float *__restrict__ f, float *__restrict__ g, int nx, int ny, float omega) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < nx) lbm_site(f, g, x, y, nx, ny, omega);
}
// ------------------------------------------------------------------ host
template <typename T> T *toDevice(const std::vector<T> &h) {
  T *p;
  CUCHECK(cudaMalloc(&p, h.size() * sizeof(T)));
  CUCHECK(cudaMemcpy(p, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice));
  return p;
}
template <typename T> void toHost(std::vector<T> &h, const T *p) {
  CUCHECK(cudaGetLastError());
  CUCHECK(cudaMemcpy(h.data(), p, h.size() * sizeof(T), cudaMemcpyDeviceToHost));
}
static int up(int a, int b) { return (a + b - 1) / b; }
static int failed = 0;
static void verdict(const char *name, double err, double tol) {
  bool good = err <= tol;                    // false for NaN as well
  printf("%-18s error %.3e %s\n", name, err, good ? "ok" : "BAD");
  if (!good) failed = 1;
}

int main() {
  { // heat 2D
    const int nx = 2051, ny = 1499;
    std::vector<double> u((size_t)nx * ny), v(u.size());
    for (size_t k = 0; k < u.size(); ++k) u[k] = (double)(k * 2654435761u % 1000u) * 0.1;
    double *du = toDevice(u), *dv = toDevice(u);
    for (int pass = 0; pass < 2; ++pass) {
      CUCHECK(cudaMemcpy(dv, du, u.size() * sizeof(double), cudaMemcpyDeviceToDevice));
      if (pass == 0) heat2d_naive<<<dim3(up(nx, 16), up(ny, 16)), dim3(16, 16)>>>(du, dv, nx, ny, 0.2);
      else heat2d_shared<64, 8><<<dim3(up(nx, 64), up(ny, 8)), dim3(64, 8)>>>(du, dv, nx, ny, 0.2);
      toHost(v, dv);
      double err = 0;
      for (int j = 0; j < ny; ++j)
        for (int i = 0; i < nx; ++i) {
          size_t k = (size_t)j * nx + i;
          bool edge = i == 0 || j == 0 || i == nx - 1 || j == ny - 1;
          double r = edge ? u[k] : u[k] + 0.2 * (u[k - 1] + u[k + 1] + u[k - nx] + u[k + nx] - 4 * u[k]);
          err = fmax(err, fabs(r - v[k]));
        }
      verdict(pass ? "heat2d shared" : "heat2d naive", err, 1e-9);
    }
    cudaFree(du); cudaFree(dv);
  }
  { // heat 3D
    const Dim d{231, 190, 158};
    const int sy = d.x, sz = d.x * d.y;
    std::vector<float> u((size_t)sz * d.z), v(u.size());
    for (size_t k = 0; k < u.size(); ++k) u[k] = (float)(k * 40503u % 4096u) / 4096.f;
    const float hc[2] = {0.4f, 0.1f};
    CUCHECK(cudaMemcpyToSymbol(heat_c, hc, sizeof(hc)));
    float *du = toDevice(u), *dv = toDevice(u);
    const char *names[3] = {"heat3d naive", "heat3d tile", "heat3d registers"};
    for (int pass = 0; pass < 3; ++pass) {
      CUCHECK(cudaMemcpy(dv, du, u.size() * sizeof(float), cudaMemcpyDeviceToDevice));
      if (pass == 0) heat3d_naive<<<dim3(up(d.x, 32), up(d.y, 4), up(d.z, 2)), dim3(32, 4, 2)>>>(du, dv, d);
      if (pass == 1) heat3d_tile<<<dim3(up(d.x, OUT_T), up(d.y, OUT_T), up(d.z, OUT_T)), dim3(IN_T, IN_T, IN_T)>>>(du, dv, d);
      if (pass == 2) heat3d_registers<<<dim3(up(d.x, CT - 2), up(d.y, CT - 2), up(d.z - 2, 26)), dim3(CT, CT)>>>(du, dv, d, 26);
      toHost(v, dv);
      double err = 0;
      for (int k = 0; k < d.z; k += 3)
        for (int j = 0; j < d.y; ++j)
          for (int i = 0; i < d.x; ++i) {
            int c = k * sz + j * sy + i;
            bool edge = i == 0 || j == 0 || k == 0 || i == d.x - 1 || j == d.y - 1 || k == d.z - 1;
            float r = edge ? u[c] : 0.4f * u[c] + 0.1f * (u[c - 1] + u[c + 1] + u[c - sy] + u[c + sy] + u[c - sz] + u[c + sz]);
            err = fmax(err, fabs((double)r - v[c]));
          }
      verdict(names[pass], err, 1e-5);
    }
    cudaFree(du); cudaFree(dv);
  }
  { // wave
    const Dim d{248, 216, 121};
    const int sy = d.x, sz = d.x * d.y;
    std::vector<float> p((size_t)sz * d.z), vel(p.size()), prev(p.size()), out(p.size());
    for (size_t k = 0; k < p.size(); ++k) {
      p[k] = sinf(0.001f * (float)(k % 6283)) ;
      vel[k] = 0.05f + 0.01f * (float)(k % 5);
      prev[k] = 0.9f * p[k];
    }
    const float wc[RAD + 1] = {-205.f / 72, 8.f / 5, -1.f / 5, 8.f / 315, -1.f / 560};
    CUCHECK(cudaMemcpyToSymbol(wave_c, wc, sizeof(wc)));
    float *dp = toDevice(p), *dvel = toDevice(vel), *dprev = toDevice(prev);
    for (int pass = 0; pass < 2; ++pass) {
      CUCHECK(cudaMemcpy(dprev, prev.data(), prev.size() * sizeof(float), cudaMemcpyHostToDevice));
      const int ix = d.x - 2 * RAD, iy = d.y - 2 * RAD, iz = d.z - 2 * RAD;
      if (pass == 0) wave_naive<<<dim3(up(ix, 32), up(iy, 8), iz), dim3(32, 8)>>>(dp, dvel, dprev, d);
      else wave_queue<32, 16><<<dim3(up(ix, 32), up(iy, 16), up(iz, 29)), dim3(32, 16)>>>(dp, dvel, dprev, d, 29);
      toHost(out, dprev);
      double err = 0;
      for (int k = 0; k < d.z; k += 2)
        for (int j = k % 3; j < d.y; j += 3)
          for (int i = 0; i < d.x; ++i) {
            int c = k * sz + j * sy + i;
            float r = prev[c];
            if (i >= RAD && j >= RAD && k >= RAD && i < d.x - RAD && j < d.y - RAD && k < d.z - RAD) {
              float lap = 3 * wc[0] * p[c];
              for (int q = 1; q <= RAD; ++q)
                lap += wc[q] * (p[c - q] + p[c + q] + p[c - q * sy] + p[c + q * sy] + p[c - q * sz] + p[c + q * sz]);
              r = 2 * p[c] - prev[c] + vel[c] * lap;
            }
            err = fmax(err, fabs((double)r - out[c]));
          }
      verdict(pass ? "wave queue" : "wave naive", err, 1e-4);
    }
    cudaFree(dp); cudaFree(dvel); cudaFree(dprev);
  }
  { // red-black
    const int nx = 1801, ny = 1203;
    std::vector<float> u((size_t)nx * ny), f(u.size()), g(u.size());
    for (size_t k = 0; k < u.size(); ++k) { u[k] = (float)(k % 311) * 0.01f; f[k] = (float)(k % 17) * 0.001f; }
    float *du = toDevice(u), *df = toDevice(f);
    for (int colour = 0; colour < 2; ++colour) {
      redblack<<<dim3(up(up(nx, 2), 64), up(ny - 2, 4)), dim3(64, 4)>>>(du, df, nx, ny, colour);
      CUCHECK(cudaGetLastError());
      for (int j = 1; j < ny - 1; ++j)
        for (int i = 1 + ((j + colour) & 1); i < nx - 1; i += 2) {
          int c = j * nx + i;
          u[c] = 0.25f * (u[c - 1] + u[c + 1] + u[c - nx] + u[c + nx] - f[c]);
        }
    }
    toHost(g, du);
    double err = 0;
    for (size_t k = 0; k < u.size(); ++k) err = fmax(err, fabs((double)u[k] - g[k]));
    verdict("red-black", err, 1e-5);
    cudaFree(du); cudaFree(df);
  }
  { // LBM
    const int nx = 1100, ny = 701, n = nx * ny;
    std::vector<float> f((size_t)9 * n), g(f.size()), r(f.size());
    for (int q = 0; q < 9; ++q)
      for (int c = 0; c < n; ++c) f[(size_t)q * n + c] = (q == 0 ? 0.44f : q < 5 ? 0.11f : 0.028f) * (1.0f + 0.01f * (float)((c + 3 * q) % 13));
    float *df = toDevice(f), *dg = toDevice(f);
    lbm_step<<<dim3(up(nx, 128), ny), 128>>>(df, dg, nx, ny, 1.2f);
    toHost(g, dg);
    double err = 0;
    for (int y = 0; y < ny; y += (y % 7 ? 1 : 5))
      for (int x = 0; x < nx; x += 1 + (x > 3 && x < nx - 9) * 4) {
        lbm_site(f.data(), r.data(), x, y, nx, ny, 1.2f);
        for (int q = 0; q < 9; ++q) err = fmax(err, fabs((double)r[(size_t)q * n + y * nx + x] - g[(size_t)q * n + y * nx + x]));
      }
    verdict("LBM D2Q9", err, 1e-5);
    cudaFree(df); cudaFree(dg);
  }
  printf("%s\n", failed ? "FAIL" : "PASS");
  return failed;
}
