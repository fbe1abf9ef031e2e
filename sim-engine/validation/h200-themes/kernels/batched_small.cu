// Batched dense kernels for tiny matrices (16 .. 32): LU, solve, Cholesky, QR, inverse, gemv, Gram.
// Mostly one warp per matrix; row-major, batch index outermost.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <algorithm>

using real = float;
static constexpr unsigned FULL = 0xffffffffu;

inline void ok(cudaError_t e, int line) {
  if (e == cudaSuccess) return;
  std::printf("line %d: %s\n", line, cudaGetErrorString(e));
  std::exit(1);
}
#define OK(x) ok((x), __LINE__)

__device__ __forceinline__ real wsum(real v) {
#pragma unroll
  for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(FULL, v, o);
  return v;
}

// ---- LU, partial pivoting, lane r keeps row r in registers; rows never move, perm[k] = row chosen at step k
template <int N>
__global__ void lu_warp_registers(const real* __restrict__ A, real* __restrict__ LU, int* __restrict__ perm, int batch) {
  const int mat = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
  if (mat >= batch) return;
  const real* a = A + (size_t)mat * N * N;
  real row[N];
#pragma unroll
  for (int j = 0; j < N; ++j) row[j] = lane < N ? a[lane * N + j] : 0.f;
  bool done = lane >= N;
  int place = -1;
#pragma unroll
  for (int k = 0; k < N; ++k) {
    real best = done ? -1.f : fabsf(row[k]);
    int who = lane;
#pragma unroll
    for (int o = 16; o; o >>= 1) {
      real b2 = __shfl_xor_sync(FULL, best, o);
      int w2 = __shfl_xor_sync(FULL, who, o);
      if (b2 > best || (b2 == best && w2 < who)) { best = b2; who = w2; }
    }
    if (lane == who) { done = true; place = k; }
    const real piv = __shfl_sync(FULL, row[k], who);
    const real f = done ? 0.f : row[k] / piv;
    if (!done) row[k] = f;
#pragma unroll
    for (int j = k + 1; j < N; ++j) row[j] -= f * __shfl_sync(FULL, row[j], who);
  }
  if (lane < N) {
    perm[(size_t)mat * N + place] = lane;
    real* o = LU + (size_t)mat * N * N + place * N;
#pragma unroll
    for (int j = 0; j < N; ++j) o[j] = row[j];
  }
}

// ---- solve with the factors above; lane i owns x_i
template <int N>
__global__ void lu_solve_warp(const real* LU, const int* perm, const real* b, real* x, int batch) {
  const int mat = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
  __shared__ real s[8][N][N + 1];
  if (mat >= batch) return;
  for (int i = lane; i < N * N; i += 32) s[threadIdx.y][i / N][i % N] = LU[(size_t)mat * N * N + i];
  __syncwarp();
  const int r = min(lane, N - 1);
  real y = b[(size_t)mat * N + perm[(size_t)mat * N + r]];
  for (int k = 0; k < N - 1; ++k) {
    const real yk = __shfl_sync(FULL, y, k);
    if (lane > k && lane < N) y -= s[threadIdx.y][r][k] * yk;
  }
  for (int k = N - 1; k >= 0; --k) {
    if (lane == k) y /= s[threadIdx.y][k][k];
    const real yk = __shfl_sync(FULL, y, k);
    if (lane < k) y -= s[threadIdx.y][r][k] * yk;
  }
  if (lane < N) x[(size_t)mat * N + lane] = y;
}

// ---- Gram matrix G = X^T X + eps I, X is (ROWS, 32); block of 256 per batch entry, 2x2 outputs a thread
template <int ROWS>
__global__ void __launch_bounds__(256) gram32(const real* __restrict__ X, real* __restrict__ G, real eps) {
  __shared__ real t[64][33];
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  const real* x = X + (size_t)blockIdx.x * ROWS * 32;
  real a00 = 0, a01 = 0, a10 = 0, a11 = 0;
  for (int r0 = 0; r0 < ROWS; r0 += 64) {
    for (int i = threadIdx.x; i < 64 * 32; i += 256) t[i / 32][i % 32] = x[r0 * 32 + i];
    __syncthreads();
#pragma unroll 8
    for (int r = 0; r < 64; ++r) {
      const real u0 = t[r][ty], u1 = t[r][ty + 16], v0 = t[r][tx], v1 = t[r][tx + 16];
      a00 += u0 * v0; a01 += u0 * v1; a10 += u1 * v0; a11 += u1 * v1;
    }
    __syncthreads();
  }
  real* g = G + (size_t)blockIdx.x * 1024;
  g[ty * 32 + tx] = a00 + (tx == ty ? eps : 0.f);
  g[ty * 32 + tx + 16] = a01;
  g[(ty + 16) * 32 + tx] = a10;
  g[(ty + 16) * 32 + tx + 16] = a11 + (tx == ty ? eps : 0.f);
}

// ---- Cholesky, right looking, warp per 32x32 matrix in shared memory
__global__ void cholesky_warp_shared(const real* A, real* L, int batch) {
  __shared__ real s[4][32][33];
  const int w = threadIdx.x >> 5, lane = threadIdx.x & 31, mat = blockIdx.x * 4 + w;
  if (mat >= batch) return;
  for (int r = 0; r < 32; ++r) s[w][r][lane] = A[(size_t)mat * 1024 + r * 32 + lane];
  __syncwarp();
  for (int k = 0; k < 32; ++k) {
    const real d = sqrtf(s[w][k][k]);
    __syncwarp();
    if (lane == k) s[w][k][k] = d;
    if (lane > k) s[w][lane][k] /= d;
    __syncwarp();
    if (lane > k) {
      const real f = s[w][lane][k];
      for (int j = k + 1; j <= lane; ++j) s[w][lane][j] -= f * s[w][j][k];
    }
    __syncwarp();
  }
  for (int r = 0; r < 32; ++r) L[(size_t)mat * 1024 + r * 32 + lane] = lane <= r ? s[w][r][lane] : 0.f;
}

// ---- thin QR of a 32 x N matrix by modified Gram-Schmidt, lane = row, columns in registers
template <int N>
__global__ void qr_mgs_warp(const real* A, real* Q, real* R, int batch) {
  const int mat = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
  if (mat >= batch) return;
  real v[N];
#pragma unroll
  for (int j = 0; j < N; ++j) v[j] = A[((size_t)mat * 32 + lane) * N + j];
  real* r = R + (size_t)mat * N * N;
#pragma unroll
  for (int k = 0; k < N; ++k) {
    const real nrm = sqrtf(wsum(v[k] * v[k]));
    v[k] /= nrm;
    if (lane == 0) r[k * N + k] = nrm;
#pragma unroll
    for (int j = 0; j < N; ++j) {
      if (j > k) {
        const real d = wsum(v[k] * v[j]);
        v[j] -= d * v[k];
        if (lane == 0) r[k * N + j] = d;
      } else if (j < k && lane == 0) r[k * N + j] = 0.f;
    }
  }
#pragma unroll
  for (int j = 0; j < N; ++j) Q[((size_t)mat * 32 + lane) * N + j] = v[j];
}

// ---- Gauss-Jordan inverse of a diagonally dominant 16x16, one 16x16 block each, in place in shared memory
__global__ void inverse16_gauss_jordan(const real* A, real* Ainv) {
  __shared__ real m[16][17];
  const int c = threadIdx.x, r = threadIdx.y;
  m[r][c] = A[(size_t)blockIdx.x * 256 + r * 16 + c];
  __syncthreads();
  for (int k = 0; k < 16; ++k) {
    const real ip = 1.f / m[k][k], col = m[r][k], rowk = m[k][c], me = m[r][c];
    __syncthreads();
    real v;
    if (r == k) v = c == k ? ip : rowk * ip;
    else v = c == k ? -col * ip : me - col * rowk * ip;
    m[r][c] = v;
    __syncthreads();
  }
  Ainv[(size_t)blockIdx.x * 256 + r * 16 + c] = m[r][c];
}

// ---- batched gemv, N = 32: warp per matrix, eight lanes on a row with float4
__global__ void gemv32_batched(const real* A, const real* x, real* y, int batch) {
  const int mat = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (mat >= batch) return;
  const float4 xv = reinterpret_cast<const float4*>(x + (size_t)mat * 32)[lane % 8];
  const float4* a = reinterpret_cast<const float4*>(A + (size_t)mat * 1024);
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const float4 v = a[i * 32 + lane];
    real s = v.x * xv.x + v.y * xv.y + v.z * xv.z + v.w * xv.w;
    s += __shfl_xor_sync(FULL, s, 1);
    s += __shfl_xor_sync(FULL, s, 2);
    s += __shfl_xor_sync(FULL, s, 4);
    if (lane % 8 == 0) y[(size_t)mat * 32 + i * 4 + lane / 8] = s;
  }
}

struct Buf {
  real* p = nullptr;
  explicit Buf(size_t n) { OK(cudaMalloc(&p, n * sizeof(real))); }
  ~Buf() { cudaFree(p); }
  Buf(const Buf&) = delete;
  void put(const std::vector<real>& h) { OK(cudaMemcpy(p, h.data(), h.size() * sizeof(real), cudaMemcpyHostToDevice)); }
  std::vector<real> get(size_t n) const {
    std::vector<real> h(n);
    OK(cudaMemcpy(h.data(), p, n * sizeof(real), cudaMemcpyDeviceToHost));
    return h;
  }
};

int main() {
  const int batch = 8192, small = 16384, gb = 2048;
  std::vector<real> A((size_t)batch * 1024), b((size_t)batch * 32), D((size_t)small * 256), X((size_t)gb * 256 * 32);
  unsigned s = 17;
  auto rnd = [&s] { s = s * 1103515245u + 12345u; return (real)((s >> 12) & 0xffff) / 32768.f - 1.f; };
  for (auto& v : A) v = rnd();
  for (auto& v : b) v = rnd();
  for (auto& v : X) v = rnd();
  for (size_t i = 0; i < D.size(); ++i) D[i] = rnd() + (i % 256 % 17 == 0 ? 20.f : 0.f);

  Buf dA(A.size()), dLU(A.size()), db(b.size()), dx(b.size()), dy(b.size()), dX(X.size()), dG((size_t)gb * 1024), dL((size_t)gb * 1024),
      dQ((size_t)batch * 512), dR((size_t)batch * 256), dD(D.size()), dI(D.size());
  int* perm;
  OK(cudaMalloc(&perm, (size_t)batch * 32 * sizeof(int)));
  dA.put(A); db.put(b); dX.put(X); dD.put(D);

  lu_warp_registers<32><<<(batch + 3) / 4, dim3(32, 4)>>>(dA.p, dLU.p, perm, batch);
  lu_solve_warp<32><<<(batch + 7) / 8, dim3(32, 8)>>>(dLU.p, perm, db.p, dx.p, batch);
  gemv32_batched<<<(batch * 32 + 255) / 256, 256>>>(dA.p, dx.p, dy.p, batch);       // should give b back
  gram32<256><<<gb, 256>>>(dX.p, dG.p, 1e-3f);
  cholesky_warp_shared<<<(gb + 3) / 4, 128>>>(dG.p, dL.p, gb);
  qr_mgs_warp<16><<<(batch + 3) / 4, dim3(32, 4)>>>(dA.p, dQ.p, dR.p, batch);        // first half of A as (batch, 32, 16)
  inverse16_gauss_jordan<<<small, dim3(16, 16)>>>(dD.p, dI.p);
  OK(cudaGetLastError());
  OK(cudaDeviceSynchronize());

  auto y = dy.get(b.size());
  std::vector<real> res(batch);
  for (int m = 0; m < batch; ++m)
    for (int i = 0; i < 32; ++i) res[m] = std::max(res[m], std::fabs(y[m * 32 + i] - b[m * 32 + i]));
  std::sort(res.begin(), res.end());
  std::printf("LU + solve + gemv: residual median %.2e, 99%% %.2e\n", res[batch / 2], res[batch * 99 / 100]);

  auto G = dG.get((size_t)gb * 1024), L = dL.get((size_t)gb * 1024);
  double e = 0;
  for (int m = 0; m < gb; m += 64)
    for (int i = 0; i < 32; ++i)
      for (int j = 0; j < 32; ++j) {
        double t = 0;
        for (int k = 0; k < 32; ++k) t += (double)L[m * 1024 + i * 32 + k] * L[m * 1024 + j * 32 + k];
        e = std::max(e, std::fabs(t - G[m * 1024 + i * 32 + j]));
      }
  std::printf("Gram, Cholesky: |LL' - G| %.2e (G[0][0] = %.3f)\n", e, G[0]);

  auto Q = dQ.get((size_t)batch * 512), R = dR.get((size_t)batch * 256);
  e = 0;
  for (int m = 0; m < batch; m += 128)
    for (int i = 0; i < 32; ++i)
      for (int j = 0; j < 16; ++j) {
        double t = 0;
        for (int k = 0; k < 16; ++k) t += (double)Q[m * 512 + i * 16 + k] * R[m * 256 + k * 16 + j];
        e = std::max(e, std::fabs(t - A[(size_t)m * 512 + i * 16 + j]));
      }
  std::printf("QR: |QR - A| %.2e\n", e);

  auto I = dI.get(D.size());
  e = 0;
  for (int m = 0; m < small; m += 256)
    for (int i = 0; i < 16; ++i)
      for (int j = 0; j < 16; ++j) {
        double t = 0;
        for (int k = 0; k < 16; ++k) t += (double)D[m * 256 + i * 16 + k] * I[m * 256 + k * 16 + j];
        e = std::max(e, std::fabs(t - (i == j)));
      }
  std::printf("inverse: |D inv(D) - I| %.2e\n", e);
  cudaFree(perm);
  return 0;
}
