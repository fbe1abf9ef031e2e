// Batched small problems: LU, Cholesky, tridiagonal, FFT, GEMV. Layout is a policy: Interleaved (batch fastest) or Packed.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
namespace batched {

inline void ensure(cudaError_t e, int line) {
  if (e != cudaSuccess) { std::fprintf(stderr, "batched_small_linalg:%d %s\n", line, cudaGetErrorString(e)); std::exit(1); }
}
#define ENSURE(x) ::batched::ensure((x), __LINE__)
struct Interleaved { static __device__ __forceinline__ size_t at(int elem, int b, int /*per*/, int batch) { return (size_t)elem * batch + b; } };
struct Packed { static __device__ __forceinline__ size_t at(int elem, int b, int per, int /*batch*/) { return (size_t)b * per + elem; } };
// LU with partial pivoting, one matrix per thread, matrix in registers
template <typename T, int N, class Layout>
__global__ void __launch_bounds__(128) lu_per_thread(T* __restrict__ a, int* __restrict__ piv, int batch) {
  int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= batch) return;
  T m[N][N];
#pragma unroll
  for (int i = 0; i < N; ++i)
#pragma unroll
    for (int j = 0; j < N; ++j) m[i][j] = a[Layout::at(i * N + j, b, N * N, batch)];
#pragma unroll
  for (int k = 0; k < N; ++k) {
    int p = k;
    T best = fabs(m[k][k]);
#pragma unroll
    for (int i = k + 1; i < N; ++i)
      if (fabs(m[i][k]) > best) { best = fabs(m[i][k]); p = i; }
#pragma unroll
    for (int i = k + 1; i < N; ++i)  // predicated row swap keeps everything in registers
      if (i == p)
#pragma unroll
        for (int j = 0; j < N; ++j) { T t = m[k][j]; m[k][j] = m[i][j]; m[i][j] = t; }
    piv[Layout::at(k, b, N, batch)] = p;
    T inv = T(1) / m[k][k];
#pragma unroll
    for (int i = k + 1; i < N; ++i) {
      m[i][k] *= inv;
#pragma unroll
      for (int j = k + 1; j < N; ++j) m[i][j] -= m[i][k] * m[k][j];
    }
  }
#pragma unroll
  for (int i = 0; i < N; ++i)
#pragma unroll
    for (int j = 0; j < N; ++j) a[Layout::at(i * N + j, b, N * N, batch)] = m[i][j];
}
// Cholesky of a 32x32 matrix per warp: lane owns a row, columns broadcast by shuffle
template <int WARPS>
__global__ void cholesky_warp32(float* __restrict__ a, int batch) {
  int b = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (b >= batch) return;
  float4* row = reinterpret_cast<float4*>(a + (size_t)b * 1024 + lane * 32);
  float r[32];
#pragma unroll
  for (int j = 0; j < 8; ++j) { float4 v = row[j]; r[4 * j] = v.x; r[4 * j + 1] = v.y; r[4 * j + 2] = v.z; r[4 * j + 3] = v.w; }
#pragma unroll
  for (int k = 0; k < 32; ++k) {
    float d = sqrtf(__shfl_sync(~0u, r[k], k));
    r[k] = lane == k ? d : r[k] / d;
#pragma unroll
    for (int j = k + 1; j < 32; ++j) {
      float l = __shfl_sync(~0u, r[k], j);
      if (lane >= j) r[j] -= r[k] * l;
    }
  }
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    float4 v = {4 * j <= lane ? r[4 * j] : 0.f, 4 * j + 1 <= lane ? r[4 * j + 1] : 0.f, 4 * j + 2 <= lane ? r[4 * j + 2] : 0.f, 4 * j + 3 <= lane ? r[4 * j + 3] : 0.f};
    row[j] = v;
  }
}
// Cholesky of an n x n matrix per block, right looking, dynamic shared memory
template <typename T>
__global__ void cholesky_block(T* a, int n) {
  extern __shared__ __align__(16) unsigned char raw[];
  T* s = reinterpret_cast<T*>(raw);
  const int ld = n + 1;
  T* g = a + (size_t)blockIdx.x * n * n;
  for (int i = threadIdx.x; i < n * n; i += blockDim.x) s[(i / n) * ld + i % n] = g[i];
  __syncthreads();
  for (int k = 0; k < n; ++k) {
    if (threadIdx.x == 0) s[k * ld + k] = sqrt(s[k * ld + k]);
    __syncthreads();
    T inv = T(1) / s[k * ld + k];
    for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x) s[i * ld + k] *= inv;
    __syncthreads();
    int w = n - k - 1;
    for (int t = threadIdx.x; t < w * w; t += blockDim.x) {
      int i = k + 1 + t / w, j = k + 1 + t % w;
      if (j <= i) s[i * ld + j] -= s[i * ld + k] * s[j * ld + k];
    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < n * n; i += blockDim.x) g[i] = (i % n <= i / n) ? s[(i / n) * ld + i % n] : T(0);
}
// Thomas algorithm, one system per thread, c' and d' overwritten in global memory
template <class Layout>
__global__ void thomas(const float* __restrict__ lo, const float* __restrict__ di, float* __restrict__ up, float* __restrict__ rhs, int n, int batch) {
  int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= batch) return;
  size_t i0 = Layout::at(0, b, n, batch);
  float c = up[i0] / di[i0], d = rhs[i0] / di[i0];
  up[i0] = c;
  rhs[i0] = d;
  for (int i = 1; i < n; ++i) {
    size_t k = Layout::at(i, b, n, batch);
    float w = 1.f / (di[k] - lo[k] * c);
    d = (rhs[k] - lo[k] * d) * w;
    c = up[k] * w;
    up[k] = c;
    rhs[k] = d;
  }
  for (int i = n - 2; i >= 0; --i) {
    size_t k = Layout::at(i, b, n, batch);
    d = rhs[k] - up[k] * d;
    rhs[k] = d;
  }
}
// Parallel cyclic reduction, block per system, N threads
template <int N>
__global__ void __launch_bounds__(N) pcr(const float* __restrict__ lo, const float* __restrict__ di, const float* __restrict__ up, float* __restrict__ rhs) {
  __shared__ float4 s[N];
  int t = threadIdx.x;
  size_t g = (size_t)blockIdx.x * N + t;
  float4 me = {t ? lo[g] : 0.f, di[g], t < N - 1 ? up[g] : 0.f, rhs[g]};
  s[t] = me;
  for (int off = 1; off < N; off *= 2) {
    __syncthreads();
    float4 p = t >= off ? s[t - off] : make_float4(0, 1, 0, 0), q = t + off < N ? s[t + off] : make_float4(0, 1, 0, 0);
    __syncthreads();
    float al = -me.x / p.y, ga = -me.z / q.y;
    me = make_float4(al * p.x, me.y + al * p.z + ga * q.x, ga * q.z, me.w + al * p.w + ga * q.w);
    s[t] = me;
  }
  rhs[g] = me.w / me.y;
}
// Stockham FFT in shared memory, radix 2 or 4, N/R threads, one transform per block
__device__ __forceinline__ float2 cmul(float2 a, float2 b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }
__device__ __forceinline__ float2 operator+(float2 a, float2 b) { return {a.x + b.x, a.y + b.y}; }
__device__ __forceinline__ float2 operator-(float2 a, float2 b) { return {a.x - b.x, a.y - b.y}; }

template <int N, int R>
__global__ void __launch_bounds__(N / R) fft_stockham(float2* __restrict__ data) {
  __shared__ float2 s[N];
  const int t = threadIdx.x, T = N / R;
  float2* g = data + (size_t)blockIdx.x * N;
  float2 v[R];
#pragma unroll
  for (int r = 0; r < R; ++r) v[r] = g[t + r * T];
  for (int ns = 1; ns < N; ns *= R) {
    int k = t % ns;
#pragma unroll
    for (int r = 1; r < R; ++r) {
      float sn, cs;
      sincospif(-2.f * r * k / (ns * R), &sn, &cs);
      v[r] = cmul(v[r], make_float2(cs, sn));
    }
    if constexpr (R == 2) {
      float2 a = v[0];
      v[0] = a + v[1];
      v[1] = a - v[1];
    } else {
      float2 a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = v[1] - v[3];
      float2 md = {d.y, -d.x};  // -i * d
      v[0] = a + c; v[1] = b + md; v[2] = a - c; v[3] = b - md;
    }
    int base = (t / ns) * ns * R + k;
    __syncthreads();
#pragma unroll
    for (int r = 0; r < R; ++r) s[base + r * ns] = v[r];
    __syncthreads();
#pragma unroll
    for (int r = 0; r < R; ++r) v[r] = s[t + r * T];
  }
#pragma unroll
  for (int r = 0; r < R; ++r) g[t + r * T] = v[r];
}
// y_b = A_b x_b, block per matrix; row major (warp per row) or column major (thread per row)
template <bool ColMajor>
__global__ void gemv_batched(const float* __restrict__ a, const float* __restrict__ x, float* __restrict__ y, int m, int n) {
  extern __shared__ float xs[];
  const float* A = a + (size_t)blockIdx.x * m * n;
  for (int j = threadIdx.x; j < n; j += blockDim.x) xs[j] = x[(size_t)blockIdx.x * n + j];
  __syncthreads();
  if (ColMajor) {
    for (int i = threadIdx.x; i < m; i += blockDim.x) {
      float s = 0.f;
#pragma unroll 4
      for (int j = 0; j < n; ++j) s += A[(size_t)j * m + i] * xs[j];
      y[(size_t)blockIdx.x * m + i] = s;
    }
  } else {
    for (int i = threadIdx.x / 32; i < m; i += blockDim.x / 32) {
      float s = 0.f;
      for (int j = threadIdx.x % 32; j < n; j += 32) s += A[(size_t)i * n + j] * xs[j];
      for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
      if (threadIdx.x % 32 == 0) y[(size_t)blockIdx.x * m + i] = s;
    }
  }
}
}  // namespace batched

int main() {
  using namespace batched;
  const size_t n = size_t(1) << 23;  // 32 MB per float array
  std::vector<float> rnd(n), spd(n), diag(n);
  unsigned s = 271828;
  for (size_t i = 0; i < n; ++i) {
    s = s * 1664525u + 1013904223u;
    rnd[i] = (s >> 8) / 16777216.f + 0.01f;
    size_t e = i % 1024, r = e / 32, c = e % 32;
    spd[i] = r == c ? 40.f : 1.f / (1.f + (r > c ? r - c : c - r));
    diag[i] = 4.f + rnd[i];
  }
  std::vector<double> spd64(1024 * 48 * 48);
  for (size_t i = 0; i < spd64.size(); ++i) { int r = i / 48 % 48, c = i % 48; spd64[i] = r == c ? 60.0 : 1.0 / (1 + abs(r - c)); }
  float *a, *b, *lo, *di; double* d; int* piv;
  ENSURE(cudaMalloc(&a, n * 4)); ENSURE(cudaMalloc(&b, n * 4)); ENSURE(cudaMalloc(&lo, n * 4)); ENSURE(cudaMalloc(&di, n * 4));
  ENSURE(cudaMalloc(&d, spd64.size() * 8)); ENSURE(cudaMalloc(&piv, n));
  ENSURE(cudaMemcpy(lo, rnd.data(), n * 4, cudaMemcpyHostToDevice)); ENSURE(cudaMemcpy(di, diag.data(), n * 4, cudaMemcpyHostToDevice));
  ENSURE(cudaMemcpy(d, spd64.data(), spd64.size() * 8, cudaMemcpyHostToDevice));
  auto refill = [&](float* p, const std::vector<float>& h) { ENSURE(cudaDeviceSynchronize()); ENSURE(cudaMemcpy(p, h.data(), n * 4, cudaMemcpyHostToDevice)); };

  refill(a, rnd);
  lu_per_thread<float, 4, Interleaved><<<200000 / 128 + 1, 128>>>(a, piv, 200000);
  refill(a, rnd);
  lu_per_thread<float, 8, Packed><<<65536 / 64, 64>>>(a, piv, 65536);
  refill(a, spd);
  cholesky_warp32<4><<<8192 / 4, 128>>>(a, 8192);
  refill(a, spd);
  cholesky_block<float><<<4096, 64, 32 * 33 * 4>>>(a, 32);
  cholesky_block<double><<<1024, 128, 48 * 49 * 8>>>(d, 48);
  refill(a, rnd);
  refill(b, rnd);
  thomas<Interleaved><<<65536 / 128, 128>>>(lo, di, a, b, 128, 65536);
  refill(a, rnd);
  thomas<Packed><<<32768 / 64, 64>>>(lo, di, a, b, 64, 32768);
  refill(a, rnd);
  refill(b, rnd);
  pcr<256><<<32768, 256>>>(lo, di, a, b);
  refill(b, rnd);
  fft_stockham<1024, 2><<<4096, 512>>>((float2*)b);
  fft_stockham<4096, 4><<<1024, 1024>>>((float2*)b);
  fft_stockham<256, 4><<<16384, 64>>>((float2*)b);
  refill(a, rnd);
  gemv_batched<false><<<512, 256, 128 * 4>>>(a, lo, b, 128, 128);
  gemv_batched<true><<<2000, 64, 64 * 4>>>(a, lo, b, 64, 64);
  ENSURE(cudaGetLastError());
  ENSURE(cudaDeviceSynchronize());

  std::vector<float> y(64);
  ENSURE(cudaMemcpy(y.data(), b, 64 * 4, cudaMemcpyDeviceToHost));
  double worst = 0;
  for (int i = 0; i < 64; ++i) {
    double ref = 0;
    for (int j = 0; j < 64; ++j) ref += (double)rnd[j * 64 + i] * rnd[j];
    worst = std::fmax(worst, std::fabs(ref - y[i]));
  }
  std::printf("gemv max err %.2e\n", worst);
  return 0;
}
