// Low-bit inference kernels (single header flavour): traits describe the packing, kernels are generic over them.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

namespace lowbit {

#define LB_CUDA(...) ::lowbit::throw_on_error((__VA_ARGS__), #__VA_ARGS__)
inline void throw_on_error(cudaError_t e, const char* expr) {
  if (e != cudaSuccess) throw std::runtime_error(std::string(expr) + ": " + cudaGetErrorString(e));
}

template <class T>
struct DeviceBuffer {
  T* ptr = nullptr;
  size_t count = 0;
  explicit DeviceBuffer(size_t n) : count(n) { LB_CUDA(cudaMalloc(&ptr, n * sizeof(T))); LB_CUDA(cudaMemset(ptr, 0, n * sizeof(T))); }
  explicit DeviceBuffer(const std::vector<T>& h) : DeviceBuffer(h.size()) { LB_CUDA(cudaMemcpy(ptr, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice)); }
  ~DeviceBuffer() { cudaFree(ptr); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  operator T*() const { return ptr; }
};

template <int Width = 32, class T>
__device__ __forceinline__ T lane_sum(T v) {
#pragma unroll
  for (int o = Width / 2; o; o /= 2) v += __shfl_down_sync(0xffffffffu, v, o, Width);
  return v;
}

// ---- activations: per-row absmax quantisation to int8 ------------------------------------------
template <int Threads>
__global__ void quantise_rows_int8(const __half* __restrict__ x, int8_t* __restrict__ q, float* __restrict__ scale, int cols) {
  __shared__ float red[Threads / 32];
  const __half2* row = reinterpret_cast<const __half2*>(x + (size_t)blockIdx.x * cols);
  float amax = 0.f;
  for (int c = threadIdx.x; c < cols / 2; c += Threads) {
    float2 f = __half22float2(row[c]);
    amax = fmaxf(amax, fmaxf(fabsf(f.x), fabsf(f.y)));
  }
#pragma unroll
  for (int o = 16; o; o /= 2) amax = fmaxf(amax, __shfl_xor_sync(~0u, amax, o));
  if (threadIdx.x % 32 == 0) red[threadIdx.x / 32] = amax;
  __syncthreads();
#pragma unroll
  for (int w = 0; w < Threads / 32; ++w) amax = fmaxf(amax, red[w]);
  const float inv = amax > 0.f ? 127.f / amax : 0.f;
  char2* out = reinterpret_cast<char2*>(q + (size_t)blockIdx.x * cols);
  for (int c = threadIdx.x; c < cols / 2; c += Threads) {
    float2 f = __half22float2(row[c]);
    out[c] = make_char2((signed char)__float2int_rn(f.x * inv), (signed char)__float2int_rn(f.y * inv));
  }
  if (threadIdx.x == 0) scale[blockIdx.x] = amax / 127.f;
}

// ---- W8A8 GEMV with dp4a, one warp per output row ------------------------------------------------
template <int WarpsPerBlock>
__global__ void __launch_bounds__(32 * WarpsPerBlock)
gemv_w8a8(const int4* __restrict__ w, const int4* __restrict__ x, const float* __restrict__ wscale, float xscale,
          float* __restrict__ y, int rows, int cols) {
  const int row = blockIdx.x * WarpsPerBlock + threadIdx.x / 32, lane = threadIdx.x % 32, n = cols / 16;
  if (row >= rows) return;
  const int4* wr = w + (size_t)row * n;
  int acc = 0;
#pragma unroll 4
  for (int i = lane; i < n; i += 32) {
    int4 a = wr[i], b = __ldg(x + i);
    acc = __dp4a(a.x, b.x, acc);
    acc = __dp4a(a.y, b.y, acc);
    acc = __dp4a(a.z, b.z, acc);
    acc = __dp4a(a.w, b.w, acc);
  }
  acc = lane_sum(acc);
  if (lane == 0) y[row] = acc * wscale[row] * xscale;
}

// ---- W8A8 GEMM for a small batch: shared tiles of packed ints --------------------------------------
template <int BM, int BN, int BK4>
__global__ void gemm_w8a8_dp4a(const int* __restrict__ a, const int* __restrict__ b, const float* __restrict__ sa,
                               const float* __restrict__ sb, float* __restrict__ c, int M, int N, int K4) {
  __shared__ int As[BM][BK4 + 1], Bs[BN][BK4 + 1];
  constexpr int TX = 16, TY = 16, RM = BM / TY, RN = BN / TX;
  const int tx = threadIdx.x, ty = threadIdx.y, tid = ty * TX + tx;
  int acc[RM][RN] = {};
  for (int k = 0; k < K4; k += BK4) {
    for (int i = tid; i < BM * BK4; i += TX * TY) As[i / BK4][i % BK4] = a[(size_t)(blockIdx.y * BM + i / BK4) * K4 + k + i % BK4];
    for (int i = tid; i < BN * BK4; i += TX * TY) Bs[i / BK4][i % BK4] = b[(size_t)(blockIdx.x * BN + i / BK4) * K4 + k + i % BK4];
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < BK4; ++kk)
#pragma unroll
      for (int i = 0; i < RM; ++i)
#pragma unroll
        for (int j = 0; j < RN; ++j) acc[i][j] = __dp4a(As[ty + i * TY][kk], Bs[tx + j * TX][kk], acc[i][j]);
    __syncthreads();
  }
  for (int i = 0; i < RM; ++i)
    for (int j = 0; j < RN; ++j) {
      int m = blockIdx.y * BM + ty + i * TY, n = blockIdx.x * BN + tx + j * TX;
      if (m < M && n < N) c[(size_t)m * N + n] = acc[i][j] * sa[m] * sb[n];
    }
}

// ---- weight-only formats -----------------------------------------------------------------------------
struct Int4Traits {  // 8 weights per 32-bit word, value = (nibble - zero) * scale, per-group
  static constexpr int kPerWord = 8;
  static __device__ __forceinline__ void unpack(uint32_t w, float (&f)[8], float zero) {
#pragma unroll
    for (int i = 0; i < 8; ++i) f[i] = (float)((w >> (4 * i)) & 0xf) - zero;
  }
};
struct Int4MagicTraits {  // nibble pairs turned into halves with lop3: 0x6400 | n == 1024 + n
  static constexpr int kPerWord = 8;
  static __device__ __forceinline__ void unpack(uint32_t w, float (&f)[8], float zero) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      uint32_t t = ((w >> (4 * i)) & 0x000f000fu) | 0x64006400u;
      float2 p = __half22float2(__hsub2(*reinterpret_cast<__half2*>(&t), __float2half2_rn(1024.f)));
      f[i] = p.x - zero;
      f[i + 4] = p.y - zero;
    }
  }
};
struct Fp8Traits {
  static constexpr int kPerWord = 4;
  static __device__ __forceinline__ void unpack(uint32_t w, float (&f)[4], float) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      __nv_fp8_e4m3 v;
      v.__x = (w >> (8 * i)) & 0xff;
      f[i] = float(v);
    }
  }
};

// block per RowsPerBlock rows; activations cached in shared memory as float
template <class Traits, int Threads, int Group>
__global__ void gemv_weight_only(const uint32_t* __restrict__ w, const __half* __restrict__ scales, const uint8_t* __restrict__ zeros,
                                 const __half* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  extern __shared__ float xs[];
  for (int c = threadIdx.x; c < cols; c += Threads) xs[c] = __half2float(x[c]);
  __syncthreads();
  constexpr int P = Traits::kPerWord;
  const int lane = threadIdx.x % 32, words = cols / P, groups = cols / Group;
  for (int row = blockIdx.x * (Threads / 32) + threadIdx.x / 32; row < rows; row += gridDim.x * (Threads / 32)) {
    float acc = 0.f;
    for (int i = lane; i < words; i += 32) {
      float f[P], part = 0.f;
      int g = i * P / Group;
      Traits::unpack(w[(size_t)row * words + i], f, (float)zeros[(size_t)row * groups + g]);
#pragma unroll
      for (int k = 0; k < P; ++k) part = fmaf(f[k], xs[i * P + k], part);
      acc = fmaf(part, __half2float(scales[(size_t)row * groups + g]), acc);
    }
    acc = lane_sum(acc);
    if (lane == 0) y[row] = acc;
  }
}

// ---- conversions -------------------------------------------------------------------------------------
template <class Fp8, int Vec>
__global__ void convert_half_to_fp8(const __half* __restrict__ in, Fp8* __restrict__ out, float scale, size_t n) {
  size_t i = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * Vec;
  if (i + Vec <= n) {
#pragma unroll
    for (int k = 0; k < Vec; ++k) out[i + k] = Fp8(__half2float(in[i + k]) * scale);
  }
}
__global__ void dequant_int4_to_half(const uint32_t* __restrict__ w, const __half* __restrict__ scales, __half* __restrict__ out, size_t words, int group) {
  size_t stride = (size_t)gridDim.x * blockDim.x;
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < words; i += stride) {
    float f[8];
    Int4MagicTraits::unpack(w[i], f, 8.f);
    float s = __half2float(scales[i * 8 / group]);
    alignas(16) __half h[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) h[k] = __float2half(f[k] * s);
    *reinterpret_cast<uint4*>(out + i * 8) = *reinterpret_cast<uint4*>(h);
  }
}

}  // namespace lowbit

int main() try {
  using namespace lowbit;
  const int rows = 4096, cols = 4096;
  const size_t n = (size_t)rows * cols;
  std::vector<__half> act(n / 2);
  std::vector<uint32_t> w4(n / 8), w8(n / 4);
  std::vector<__half> sc(n / 64);
  std::vector<uint8_t> zp(n / 64);
  std::vector<float> ws(rows, 0.01f);
  uint32_t r = 1;
  auto next = [&r] { r ^= r << 13; r ^= r >> 17; r ^= r << 5; return r; };
  for (auto& v : act) v = __float2half((int)(next() % 2001) * 0.001f - 1.f);
  for (auto& v : w4) v = next();
  for (auto& v : w8) v = next() & 0xbfbfbfbfu;  // keeps e4m3 finite (no 0x7f / 0xff)
  for (auto& v : sc) v = __float2half(0.01f + (next() % 100) * 1e-4f);
  for (auto& v : zp) v = 7 + next() % 3;
  DeviceBuffer<__half> dact(act), dsc(sc), dh(n);
  DeviceBuffer<uint32_t> d4(w4), d8(w8);
  DeviceBuffer<uint8_t> dz(zp);
  DeviceBuffer<float> dws(ws), y(rows), c((size_t)512 * 4096), rowscale(rows);
  DeviceBuffer<int8_t> q(n / 2);
  DeviceBuffer<__nv_fp8_e4m3> f8(n / 2);
  DeviceBuffer<__nv_fp8_e5m2> f8b(n / 2);

  quantise_rows_int8<256><<<2048, 256>>>(dact, q, rowscale, cols);
  quantise_rows_int8<128><<<8192, 128>>>(dact, q, c, 1024);
  gemv_w8a8<4><<<rows / 4, 128>>>((const int4*)d8.ptr, (const int4*)q.ptr, dws, 0.005f, y, rows, cols);
  gemv_w8a8<8><<<(4001 + 7) / 8, 256>>>((const int4*)d8.ptr, (const int4*)q.ptr, dws, 0.005f, c, 4001, 3072);
  gemm_w8a8_dp4a<64, 64, 16><<<dim3(4096 / 64, 512 / 64), dim3(16, 16)>>>((const int*)q.ptr, (const int*)d8.ptr, rowscale, dws, c, 512, 4096, 1024);
  gemm_w8a8_dp4a<32, 64, 8><<<dim3(2048 / 64, 64 / 32), dim3(16, 16)>>>((const int*)q.ptr, (const int*)d8.ptr, rowscale, dws, c, 64, 2048, 1024);
  LB_CUDA(cudaDeviceSynchronize());
  gemv_weight_only<Int4Traits, 128, 128><<<rows / 4, 128, cols * 4>>>(d4, dsc, dz, dact, y, rows, cols);
  gemv_weight_only<Int4MagicTraits, 256, 64><<<264, 256, cols * 4>>>(d4, dsc, dz, dact, y, rows, cols);
  gemv_weight_only<Int4MagicTraits, 128, 128><<<528, 128, 8192 * 4>>>(d4, dsc, dz, dact, y, 2048, 8192);
  gemv_weight_only<Fp8Traits, 256, 128><<<rows / 8, 256, cols * 4>>>(d8, dsc, dz, dact, y, rows, cols);
  convert_half_to_fp8<__nv_fp8_e4m3, 4><<<(unsigned)(n / 2 / 4 / 256), 256>>>(dact, f8, 8.f, n / 2);
  convert_half_to_fp8<__nv_fp8_e5m2, 1><<<(unsigned)(n / 4 / 512), 512>>>(dact, f8b, 8.f, n / 4);
  dequant_int4_to_half<<<132 * 8, 256>>>(d4, dsc, dh, n / 8, 64);
  LB_CUDA(cudaGetLastError());
  LB_CUDA(cudaDeviceSynchronize());

  std::vector<float> hy(rows);
  LB_CUDA(cudaMemcpy(hy.data(), y, rows * 4, cudaMemcpyDeviceToHost));
  std::printf("y[0]=%f y[%d]=%f\n", hy[0], rows - 1, hy[rows - 1]);
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
