// Row-wise normalisation kernels. Loader/Storer policies decouple dtype and layout from the algorithm.
#include <cfloat>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

namespace rowops {

#define ROWOPS_CHECK(expr)                                                              \
  do {                                                                                  \
    cudaError_t status_ = (expr);                                                       \
    if (status_ != cudaSuccess) {                                                       \
      std::fprintf(stderr, "%s failed: %s\n", #expr, cudaGetErrorString(status_));      \
      std::abort();                                                                     \
    }                                                                                   \
  } while (0)

template <typename T, int N>
struct alignas(sizeof(T) * N) Pack { T elem[N]; };

template <typename T> __device__ __forceinline__ float to_float(T v) { return static_cast<float>(v); }
template <typename T> __device__ __forceinline__ T from_float(float v) { return static_cast<T>(v); }

struct SumOp { __device__ float operator()(float a, float b) const { return a + b; } static __device__ float identity() { return 0.f; } };
struct MaxOp { __device__ float operator()(float a, float b) const { return fmaxf(a, b); } static __device__ float identity() { return -FLT_MAX; } };

template <class Op, int Width = 32>
__device__ __forceinline__ float warp_reduce(float v, Op op = Op()) {
#pragma unroll
  for (int mask = Width / 2; mask > 0; mask >>= 1) v = op(v, __shfl_xor_sync(0xffffffffu, v, mask, Width));
  return v;
}
template <class Op, int Threads>
__device__ __forceinline__ float block_reduce(float v, Op op = Op()) {
  __shared__ float partial[Threads / 32];
  __shared__ float result;
  v = warp_reduce<Op>(v);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    float t = threadIdx.x < Threads / 32 ? partial[threadIdx.x] : Op::identity();
    t = warp_reduce<Op>(t);
    if (threadIdx.x == 0) result = t;
  }
  __syncthreads();
  float out = result;
  __syncthreads();
  return out;
}
// Plain global sum: grid stride + one atomic per block
template <typename T, int Threads>
__global__ void sum_grid_stride(const T* __restrict__ x, float* out, int64_t n) {
  float acc = 0.f;
  for (int64_t i = (int64_t)blockIdx.x * Threads + threadIdx.x; i < n; i += (int64_t)gridDim.x * Threads) acc += to_float(x[i]);
  acc = block_reduce<SumOp, Threads>(acc);
  if (threadIdx.x == 0) atomicAdd(out, acc);
}
// Global sum with 16-byte packs and cooperative groups
template <typename T, int N>
__global__ void sum_packed_cg(const Pack<T, N>* __restrict__ x, float* out, int64_t npack) {
  auto grid = cg::this_grid();
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  float acc = 0.f;
  for (int64_t i = grid.thread_rank(); i < npack; i += grid.size()) {
    Pack<T, N> p = x[i];
#pragma unroll
    for (int k = 0; k < N; ++k) acc += to_float(p.elem[k]);
  }
  acc = cg::reduce(tile, acc, cg::plus<float>());
  if (tile.thread_rank() == 0) atomicAdd(out, acc);
}
// LayerNorm, one block per row, two passes over global memory (mean then variance)
template <typename T, int Threads>
__global__ void layernorm_two_pass(const T* x, const float* gamma, const float* beta, T* y, int cols, float eps) {
  const T* row = x + (int64_t)blockIdx.x * cols;
  float s = 0.f;
  for (int c = threadIdx.x; c < cols; c += Threads) s += to_float(row[c]);
  float mean = block_reduce<SumOp, Threads>(s) / cols;
  float q = 0.f;
  for (int c = threadIdx.x; c < cols; c += Threads) { float d = to_float(row[c]) - mean; q += d * d; }
  float rstd = rsqrtf(block_reduce<SumOp, Threads>(q) / cols + eps);
  for (int c = threadIdx.x; c < cols; c += Threads)
    y[(int64_t)blockIdx.x * cols + c] = from_float<T>((to_float(row[c]) - mean) * rstd * gamma[c] + beta[c]);
}
struct WelfordState { float mean, m2, n; };
__device__ __forceinline__ WelfordState welford_combine(WelfordState a, WelfordState b) {
  float n = a.n + b.n;
  if (n == 0.f) return a;
  float delta = b.mean - a.mean, w = b.n / n;
  return {a.mean + delta * w, a.m2 + b.m2 + delta * delta * a.n * w, n};
}
// LayerNorm, one warp per row, row held in registers, Welford merge across lanes
template <typename T, int N, int PacksPerLane, int WarpsPerBlock>
__global__ void __launch_bounds__(32 * WarpsPerBlock)
layernorm_warp_welford(const T* __restrict__ x, const float* __restrict__ gamma, const float* __restrict__ beta,
                       T* __restrict__ y, int rows, float eps) {
  constexpr int kCols = N * PacksPerLane * 32;
  const int lane = threadIdx.x % 32;
  const int row = blockIdx.x * WarpsPerBlock + threadIdx.x / 32;
  if (row >= rows) return;
  auto in = reinterpret_cast<const Pack<T, N>*>(x + (int64_t)row * kCols);
  auto out = reinterpret_cast<Pack<T, N>*>(y + (int64_t)row * kCols);
  float v[PacksPerLane][N];
  WelfordState st{0.f, 0.f, 0.f};
#pragma unroll
  for (int p = 0; p < PacksPerLane; ++p) {
    Pack<T, N> pk = in[p * 32 + lane];
#pragma unroll
    for (int k = 0; k < N; ++k) {
      v[p][k] = to_float(pk.elem[k]);
      st.n += 1.f;
      float d = v[p][k] - st.mean;
      st.mean += d / st.n;
      st.m2 += d * (v[p][k] - st.mean);
    }
  }
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) {
    WelfordState other{__shfl_xor_sync(~0u, st.mean, o), __shfl_xor_sync(~0u, st.m2, o), __shfl_xor_sync(~0u, st.n, o)};
    st = welford_combine(st, other);
  }
  float rstd = rsqrtf(st.m2 / kCols + eps);
#pragma unroll
  for (int p = 0; p < PacksPerLane; ++p) {
    Pack<T, N> pk;
#pragma unroll
    for (int k = 0; k < N; ++k) {
      int c = (p * 32 + lane) * N + k;
      pk.elem[k] = from_float<T>((v[p][k] - st.mean) * rstd * gamma[c] + beta[c]);
    }
    out[p * 32 + lane] = pk;
  }
}
// RMSNorm with fused residual add; row staged in dynamic shared memory
template <typename T, int N, int Threads>
__global__ void rmsnorm_residual(const T* __restrict__ x, T* __restrict__ residual, const T* __restrict__ weight,
                                 T* __restrict__ y, int cols, float eps) {
  extern __shared__ float staged[];
  const int64_t base = (int64_t)blockIdx.x * (cols / N);
  auto xp = reinterpret_cast<const Pack<T, N>*>(x) + base;
  auto rp = reinterpret_cast<Pack<T, N>*>(residual) + base;
  auto yp = reinterpret_cast<Pack<T, N>*>(y) + base;
  auto wp = reinterpret_cast<const Pack<T, N>*>(weight);
  float ss = 0.f;
  for (int i = threadIdx.x; i < cols / N; i += Threads) {
    Pack<T, N> a = xp[i], b = rp[i];
#pragma unroll
    for (int k = 0; k < N; ++k) {
      float f = to_float(a.elem[k]) + to_float(b.elem[k]);
      b.elem[k] = from_float<T>(f);
      staged[i * N + k] = f;
      ss += f * f;
    }
    rp[i] = b;
  }
  float scale = rsqrtf(block_reduce<SumOp, Threads>(ss) / cols + eps);
  for (int i = threadIdx.x; i < cols / N; i += Threads) {
    Pack<T, N> w = wp[i], o;
#pragma unroll
    for (int k = 0; k < N; ++k) o.elem[k] = from_float<T>(staged[i * N + k] * scale * to_float(w.elem[k]));
    yp[i] = o;
  }
}
// Softmax, a sub-warp of Width lanes per row, for short rows (attention over few keys)
template <typename T, int Width, int PerLane>
__global__ void softmax_subwarp(const T* __restrict__ x, T* __restrict__ y, int rows, int cols) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / Width, lane = threadIdx.x % Width;
  bool live = row < rows;
  float v[PerLane], m = -FLT_MAX, s = 0.f;
#pragma unroll
  for (int k = 0; k < PerLane; ++k) {
    int c = lane + k * Width;
    v[k] = (live && c < cols) ? to_float(x[(int64_t)row * cols + c]) : -FLT_MAX;
    m = fmaxf(m, v[k]);
  }
  m = warp_reduce<MaxOp, Width>(m);
#pragma unroll
  for (int k = 0; k < PerLane; ++k) { v[k] = __expf(v[k] - m); s += (lane + k * Width < cols) ? v[k] : 0.f; }
  s = warp_reduce<SumOp, Width>(s);
#pragma unroll
  for (int k = 0; k < PerLane; ++k)
    if (live && lane + k * Width < cols) y[(int64_t)row * cols + lane + k * Width] = from_float<T>(v[k] / s);
}
// Softmax, block per row, online max/sum then a second read
template <typename T, int Threads>
__global__ void __launch_bounds__(Threads) softmax_online(const T* __restrict__ x, T* __restrict__ y, int cols) {
  const T* row = x + (int64_t)blockIdx.x * cols;
  float m = -FLT_MAX, s = 0.f;
  for (int c = threadIdx.x; c < cols; c += Threads) {
    float v = to_float(row[c]);
    if (v > m) { s *= __expf(m - v); m = v; }
    s += __expf(v - m);
  }
  float gm = block_reduce<MaxOp, Threads>(m);
  float inv = 1.f / block_reduce<SumOp, Threads>(s * __expf(m - gm));
  for (int c = threadIdx.x; c < cols; c += Threads) y[(int64_t)blockIdx.x * cols + c] = from_float<T>(__expf(to_float(row[c]) - gm) * inv);
}
}  // namespace rowops

int main() {
  using namespace rowops;
  using bf16 = __nv_bfloat16;
  constexpr int64_t kElems = int64_t(4096) * 2048;  // 8M
  std::vector<float> hf(kElems);
  std::vector<bf16> hb(kElems);
  uint64_t state = 0x9E3779B97F4A7C15ull;
  for (int64_t i = 0; i < kElems; ++i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    hf[i] = (float)(state >> 40) / 8388608.f - 1.f;
    hb[i] = __float2bfloat16(hf[i]);
  }
  float *xf, *yf, *gamma, *beta, *scalar;
  bf16 *xb, *yb, *rb;
  ROWOPS_CHECK(cudaMalloc(&xf, kElems * 4)); ROWOPS_CHECK(cudaMalloc(&yf, kElems * 4));
  ROWOPS_CHECK(cudaMalloc(&xb, kElems * 2)); ROWOPS_CHECK(cudaMalloc(&yb, kElems * 2)); ROWOPS_CHECK(cudaMalloc(&rb, kElems * 2));
  ROWOPS_CHECK(cudaMalloc(&gamma, 8192 * 4)); ROWOPS_CHECK(cudaMalloc(&beta, 8192 * 4)); ROWOPS_CHECK(cudaMalloc(&scalar, 4));
  ROWOPS_CHECK(cudaMemcpy(xf, hf.data(), kElems * 4, cudaMemcpyHostToDevice));
  ROWOPS_CHECK(cudaMemcpy(xb, hb.data(), kElems * 2, cudaMemcpyHostToDevice));
  ROWOPS_CHECK(cudaMemcpy(rb, hb.data(), kElems * 2, cudaMemcpyHostToDevice));
  ROWOPS_CHECK(cudaMemcpy(gamma, hf.data() + 100, 8192 * 4, cudaMemcpyHostToDevice));
  ROWOPS_CHECK(cudaMemcpy(beta, hf.data() + 9000, 8192 * 4, cudaMemcpyHostToDevice));
  ROWOPS_CHECK(cudaMemset(scalar, 0, 4));

  sum_grid_stride<float, 256><<<132 * 8, 256>>>(xf, scalar, kElems);
  sum_grid_stride<bf16, 512><<<264, 512>>>(xb, scalar, kElems - 13);
  sum_packed_cg<bf16, 8><<<132 * 4, 256>>>(reinterpret_cast<const Pack<bf16, 8>*>(xb), scalar, kElems / 8);
  layernorm_two_pass<float, 256><<<4096, 256>>>(xf, gamma, beta, yf, 2048, 1e-5f);
  layernorm_two_pass<bf16, 128><<<8192, 128>>>(xb, gamma, beta, yb, 1000, 1e-5f);
  layernorm_warp_welford<bf16, 8, 4, 4><<<8192 / 4, 128>>>(xb, gamma, beta, yb, 8192, 1e-5f);   // 1024 cols
  layernorm_warp_welford<float, 4, 6, 8><<<8000 / 8, 256>>>(xf, gamma, beta, yf, 8000, 1e-6f);   // 768 cols
  ROWOPS_CHECK(cudaDeviceSynchronize());
  rmsnorm_residual<bf16, 8, 256><<<2048, 256, 4096 * 4>>>(xb, rb, xb, yb, 4096, 1e-6f);
  rmsnorm_residual<bf16, 4, 512><<<1024, 512, 8192 * 4>>>(xb, rb, xb, yb, 8192, 1e-6f);
  softmax_subwarp<float, 8, 4><<<262144 * 8 / 256, 256>>>(xf, yf, 262144, 32);
  softmax_subwarp<bf16, 32, 16><<<16000 * 32 / 128, 128>>>(xb, yb, 16000, 500);
  softmax_online<float, 1024><<<256, 1024>>>(xf, yf, 32000);
  softmax_online<bf16, 256><<<4096, 256>>>(xb, yb, 2048);
  ROWOPS_CHECK(cudaGetLastError());
  ROWOPS_CHECK(cudaDeviceSynchronize());

  std::vector<bf16> row(2048);
  ROWOPS_CHECK(cudaMemcpy(row.data(), yb, 2048 * 2, cudaMemcpyDeviceToHost));
  double total = 0;
  for (auto v : row) total += __bfloat162float(v);
  std::printf("softmax row sums to %.4f\n", total);
  return 0;
}
