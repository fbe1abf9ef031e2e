// Quantised inference kernels (decode-style): row / tensor quantisation, int8, int4 and fp8 weights,
// dp4a GEMM, weight-only GEMV in half2 and int8 KV-cache attention.
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_OK(x)                                                                                   \
  do {                                                                                               \
    cudaError_t e = (x);                                                                             \
    if (e != cudaSuccess) {                                                                          \
      printf("CUDA failure %s:%d: '%s'\n", __FILE__, __LINE__, cudaGetErrorString(e));               \
      exit(EXIT_FAILURE);                                                                            \
    }                                                                                                \
  } while (0)

constexpr int HIDDEN = 4096;   // K
constexpr int OUT = 4096;      // N
constexpr int TOKENS = 768;    // rows of the activation matrix
constexpr int GROUP = 128;     // int4 group size
constexpr int HEADS = 32, HEAD_DIM = 128, CTX = 2048, SPLITS = 8, SPLIT_LEN = CTX / SPLITS;
constexpr int WARP = 32;

__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffff, v, o);
  return v;
}
__device__ __forceinline__ int warp_sum(int v) { return __reduce_add_sync(0xffffffff, v); }
__device__ __forceinline__ float warp_max(float v) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, o));
  return v;
}

template <int THREADS>
__device__ __forceinline__ float block_max(float v) {
  __shared__ float buf[THREADS / WARP];
  v = warp_max(v);
  if (threadIdx.x % WARP == 0) buf[threadIdx.x / WARP] = v;
  __syncthreads();
  v = threadIdx.x % WARP < THREADS / WARP ? buf[threadIdx.x % WARP] : 0.f;
  return warp_max(v);
}

__device__ __forceinline__ int pack4(float a, float b, float c, float d) {
  int ia = __float2int_rn(a), ib = __float2int_rn(b), ic = __float2int_rn(c), id = __float2int_rn(d);
  return (ia & 0xff) | ((ib & 0xff) << 8) | ((ic & 0xff) << 16) | (id << 24);
}

// ---------------------------------------------------------------------------------------------
// Quantise / dequantise
// ---------------------------------------------------------------------------------------------
template <int THREADS>
__global__ void quantize_rows_absmax(const float* __restrict__ in, int* __restrict__ out, float* __restrict__ scales, int cols) {
  const float4* row = reinterpret_cast<const float4*>(in + (size_t)blockIdx.x * cols);
  int* orow = out + (size_t)blockIdx.x * cols / 4;
  float m = 0.f;
  for (int i = threadIdx.x; i < cols / 4; i += THREADS) {
    float4 v = row[i];
    m = fmaxf(m, fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w))));
  }
  m = block_max<THREADS>(m);
  float inv = m > 0.f ? 127.f / m : 0.f;
  if (threadIdx.x == 0) scales[blockIdx.x] = m / 127.f;
  for (int i = threadIdx.x; i < cols / 4; i += THREADS) {
    float4 v = row[i];
    orow[i] = pack4(v.x * inv, v.y * inv, v.z * inv, v.w * inv);
  }
}

__global__ void tensor_absmax(const float4* __restrict__ in, int n4, int* max_bits) {
  float m = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
    float4 v = __ldg(in + i);
    m = fmaxf(m, fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w))));
  }
  m = block_max<256>(m);
  if (threadIdx.x == 0) atomicMax(max_bits, __float_as_int(m));  // values are non-negative
}

__global__ void quantize_tensor(const float4* __restrict__ in, int* __restrict__ out, int n4, const int* __restrict__ max_bits) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n4) return;
  float inv = 127.f / __int_as_float(*max_bits);
  float4 v = in[i];
  out[i] = pack4(v.x * inv, v.y * inv, v.z * inv, v.w * inv);
}

__global__ void dequantize_rows_half(const int4* __restrict__ in, const float* __restrict__ scales, uint4* __restrict__ out, int vec_per_row, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= total) return;
  float s = scales[i / vec_per_row];
  int4 q = in[i];
  const int8_t* b = reinterpret_cast<const int8_t*>(&q);
  __align__(16) __half2 h[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) h[k] = __floats2half2_rn(b[2 * k] * s, b[2 * k + 1] * s);
  out[2 * i] = *reinterpret_cast<uint4*>(&h[0]);
  out[2 * i + 1] = *reinterpret_cast<uint4*>(&h[4]);
}

// One warp per group of 128 weights; each lane packs four nibbles into a 16-bit word.
__global__ void quantize_int4_groups(const float4* __restrict__ in, uint16_t* __restrict__ out, __half2* __restrict__ scale_zero, int groups) {
  int g = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
  int lane = threadIdx.x % WARP;
  if (g >= groups) return;
  float4 v = in[(size_t)g * WARP + lane];
  float hi = fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
  float lo = -fminf(fminf(v.x, v.y), fminf(v.z, v.w));
  hi = warp_max(hi);
  lo = -warp_max(lo);
  float scale = fmaxf(hi - lo, 1e-8f) / 15.f;
  float zero = rintf(-lo / scale);
  auto q = [&](float x) { return (unsigned)fminf(fmaxf(rintf(x / scale) + zero, 0.f), 15.f); };
  out[(size_t)g * WARP + lane] = (uint16_t)(q(v.x) | q(v.y) << 4 | q(v.z) << 8 | q(v.w) << 12);
  if (lane == 0) scale_zero[g] = __floats2half2_rn(scale, zero);
}

// ---------------------------------------------------------------------------------------------
// GEMV kernels
// ---------------------------------------------------------------------------------------------
// W8A8: warp per output, 16 int8 per load, dp4a.
__global__ void gemv_w8a8(const int4* __restrict__ W, const int4* __restrict__ x, const float* __restrict__ wscale, float xscale, float* __restrict__ y, int n, int k) {
  int row = blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP;
  int lane = threadIdx.x % WARP;
  if (row >= n) return;
  const int4* w = W + (size_t)row * (k / 16);
  int acc = 0;
#pragma unroll 4
  for (int i = lane; i < k / 16; i += WARP) {
    int4 a = __ldg(w + i), b = __ldg(x + i);
    acc = __dp4a(a.x, b.x, acc);
    acc = __dp4a(a.y, b.y, acc);
    acc = __dp4a(a.z, b.z, acc);
    acc = __dp4a(a.w, b.w, acc);
  }
  acc = warp_sum(acc);
  if (lane == 0) y[row] = (float)acc * wscale[row] * xscale;
}

// W8A32: a block per output row, char4 loads.
__global__ __launch_bounds__(128) void gemv_w8_block(const char4* __restrict__ W, const float4* __restrict__ x, const float* __restrict__ wscale, float* __restrict__ y, int k) {
  __shared__ float part[4];
  const char4* w = W + (size_t)blockIdx.x * (k / 4);
  float acc = 0.f;
  for (int i = threadIdx.x; i < k / 4; i += blockDim.x) {
    char4 q = w[i];
    float4 v = x[i];
    acc += q.x * v.x + q.y * v.y + q.z * v.z + q.w * v.w;
  }
  acc = warp_sum(acc);
  if (threadIdx.x % WARP == 0) part[threadIdx.x / WARP] = acc;
  __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = (part[0] + part[1] + part[2] + part[3]) * wscale[blockIdx.x];
}

// W8A16 in half2: two rows per warp, int8 pairs converted to half2, float flush every chunk.
__global__ void gemv_w8a16_half2(const uint4* __restrict__ W, const __half2* __restrict__ x, const float* __restrict__ wscale, float* __restrict__ y, int n, int k) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
  int lane = threadIdx.x % WARP;
  int row = warp * 2;
  if (row >= n) return;
  const uint4* w0 = W + (size_t)row * (k / 16);
  const uint4* w1 = w0 + k / 16;
  float acc0 = 0.f, acc1 = 0.f;
  for (int i = lane; i < k / 16; i += WARP) {
    uint4 a = w0[i], b = w1[i];
    const char2* pa = reinterpret_cast<const char2*>(&a);
    const char2* pb = reinterpret_cast<const char2*>(&b);
    __half2 s0 = __float2half2_rn(0.f), s1 = s0;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      __half2 xv = x[i * 8 + j];
      s0 = __hfma2(__halves2half2(__int2half_rn(pa[j].x), __int2half_rn(pa[j].y)), xv, s0);
      s1 = __hfma2(__halves2half2(__int2half_rn(pb[j].x), __int2half_rn(pb[j].y)), xv, s1);
    }
    float2 f0 = __half22float2(s0), f1 = __half22float2(s1);
    acc0 += f0.x + f0.y;
    acc1 += f1.x + f1.y;
  }
  acc0 = warp_sum(acc0);
  acc1 = warp_sum(acc1);
  if (lane == 0) {
    y[row] = acc0 * wscale[row];
    y[row + 1] = acc1 * wscale[row + 1];
  }
}

// Small batch: eight activation rows share each weight load.
template <int BATCH>
__global__ void gemm_w8a16_smallbatch(const uint2* __restrict__ W, const __half* __restrict__ X, const float* __restrict__ wscale, float* __restrict__ Y, int n, int k) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
  int lane = threadIdx.x % WARP;
  if (row >= n) return;
  float acc[BATCH] = {};
  for (int i = lane; i < k / 8; i += WARP) {
    uint2 q = W[(size_t)row * (k / 8) + i];
    const int8_t* b8 = reinterpret_cast<const int8_t*>(&q);
    float w[8];
#pragma unroll
    for (int j = 0; j < 8; ++j) w[j] = (float)b8[j];
#pragma unroll
    for (int b = 0; b < BATCH; ++b) {
      uint4 xv = __ldg(reinterpret_cast<const uint4*>(X + (size_t)b * k) + i);
      const __half2* xh = reinterpret_cast<const __half2*>(&xv);
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        float2 f = __half22float2(xh[j]);
        acc[b] = fmaf(w[2 * j], f.x, acc[b]);
        acc[b] = fmaf(w[2 * j + 1], f.y, acc[b]);
      }
    }
  }
#pragma unroll
  for (int b = 0; b < BATCH; ++b) {
    float s = warp_sum(acc[b]);
    if (lane == b) Y[(size_t)b * n + row] = s * wscale[row];
  }
}

// int4, straightforward: activations in shared memory, nibbles unpacked to float.
__global__ void gemv_w4_group(const uint32_t* __restrict__ W, const __half2* __restrict__ scale_zero, const float* __restrict__ x, float* __restrict__ y, int n, int k) {
  extern __shared__ float xs[];
  for (int i = threadIdx.x; i < k; i += blockDim.x) xs[i] = x[i];
  __syncthreads();
  int lane = threadIdx.x % WARP;
  int row = blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP;
  if (row >= n) return;
  const uint32_t* w = W + (size_t)row * (k / 8);
  const __half2* sz = scale_zero + (size_t)row * (k / GROUP);
  float acc = 0.f;
  for (int i = lane; i < k / 8; i += WARP) {
    uint32_t q = w[i];
    float2 s = __half22float2(sz[i * 8 / GROUP]);
    float part = 0.f;
#pragma unroll
    for (int j = 0; j < 8; ++j) part += ((float)((q >> (4 * j)) & 0xf) - s.y) * xs[i * 8 + j];
    acc += part * s.x;
  }
  acc = warp_sum(acc);
  if (lane == 0) y[row] = acc;
}

// int4 with the 0x6400 trick: nibbles become half2 without conversions, 128-bit weight loads.
__global__ void gemv_w4_magic(const uint4* __restrict__ W, const __half2* __restrict__ scale_zero, const float* __restrict__ x, float* __restrict__ y, int n, int k) {
  extern __shared__ __half2 xp[];  // per 8 values: pairs (0,4) (1,5) (2,6) (3,7)
  for (int i = threadIdx.x; i < k / 2; i += blockDim.x) {
    int base = (i / 4) * 8, j = i % 4;
    xp[i] = __floats2half2_rn(x[base + j], x[base + j + 4]);
  }
  __syncthreads();
  int lane = threadIdx.x % WARP;
  int row = blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP;
  if (row >= n) return;
  const uint4* w = W + (size_t)row * (k / 32);
  const __half2* sz = scale_zero + (size_t)row * (k / GROUP);
  const __half2 bias = __float2half2_rn(1024.f);
  float acc = 0.f;
#pragma unroll 2
  for (int i = lane; i < k / 32; i += WARP) {
    uint4 q4 = w[i];
    __half2 szv = sz[i * 32 / GROUP];
    __half2 zero = __hadd2(bias, __high2half2(szv));
    const uint32_t* qs = reinterpret_cast<const uint32_t*>(&q4);
    float part = 0.f;
#pragma unroll
    for (int t = 0; t < 4; ++t) {
      __half2 s = __float2half2_rn(0.f);
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        uint32_t bits = ((qs[t] >> (4 * j)) & 0x000f000fu) | 0x64006400u;
        __half2 h = __hsub2(*reinterpret_cast<__half2*>(&bits), zero);
        s = __hfma2(h, xp[(i * 4 + t) * 4 + j], s);
      }
      float2 f = __half22float2(s);
      part += f.x + f.y;
    }
    acc = fmaf(part, __low2float(szv), acc);
  }
  acc = warp_sum(acc);
  if (lane == 0) y[row] = acc;
}

// fp8-like (e4m3) through a 256-entry table
__constant__ float c_fp8_table[256];

__global__ void dequant_fp8_table(const uint4* __restrict__ in, uint4* __restrict__ out, int n16, float scale) {
  __shared__ __half lut[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) lut[i] = __float2half(c_fp8_table[i] * scale);
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n16; i += gridDim.x * blockDim.x) {
    uint4 q = in[i];
    const uint8_t* b = reinterpret_cast<const uint8_t*>(&q);
    __align__(16) __half h[16];
#pragma unroll
    for (int j = 0; j < 16; ++j) h[j] = lut[b[j]];
    out[2 * i] = reinterpret_cast<uint4*>(h)[0];
    out[2 * i + 1] = reinterpret_cast<uint4*>(h)[1];
  }
}

__global__ __launch_bounds__(256) void gemv_fp8_table(const uint2* __restrict__ W, const float4* __restrict__ x, float* __restrict__ y, int n, int k, float scale) {
  __shared__ float lut[256];
  lut[threadIdx.x] = c_fp8_table[threadIdx.x];
  __syncthreads();
  int lane = threadIdx.x % WARP;
  int row = blockIdx.x * 8 + threadIdx.x / WARP;
  if (row >= n) return;
  float acc = 0.f;
  for (int i = lane; i < k / 8; i += WARP) {
    uint2 q = W[(size_t)row * (k / 8) + i];
    float4 a = x[2 * i], b = x[2 * i + 1];
    acc += lut[q.x & 255] * a.x + lut[(q.x >> 8) & 255] * a.y + lut[(q.x >> 16) & 255] * a.z + lut[q.x >> 24] * a.w;
    acc += lut[q.y & 255] * b.x + lut[(q.y >> 8) & 255] * b.y + lut[(q.y >> 16) & 255] * b.z + lut[q.y >> 24] * b.w;
  }
  acc = warp_sum(acc);
  if (lane == 0) y[row] = acc * scale;
}

// ---------------------------------------------------------------------------------------------
// int8 GEMM: C[M,N] = A[M,K] * B[N,K]^T, both K-major
// ---------------------------------------------------------------------------------------------
__global__ void gemm_dp4a_naive(const int* __restrict__ A, const int* __restrict__ B, int* __restrict__ C, int M, int N, int K4) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N) return;
  int acc = 0;
  for (int k = 0; k < K4; ++k) acc = __dp4a(A[(size_t)row * K4 + k], B[(size_t)col * K4 + k], acc);
  C[(size_t)row * N + col] = acc;
}

template <int BM, int BN, int TM, int TN>
__global__ __launch_bounds__((BM / TM) * (BN / TN)) void gemm_dp4a_tiled(const int* __restrict__ A, const int* __restrict__ B, int* __restrict__ C, int M, int N, int K4) {
  constexpr int BK = 8;  // 32 int8 values
  constexpr int THREADS = (BM / TM) * (BN / TN);
  __shared__ int As[BK][BM + 4];
  __shared__ int Bs[BK][BN + 4];
  const int tid = threadIdx.x;
  const int tx = tid % (BN / TN), ty = tid / (BN / TN);
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  int acc[TM][TN] = {};
  for (int k0 = 0; k0 < K4; k0 += BK) {
    for (int i = tid; i < BM * BK / 4; i += THREADS) {
      int r = i / (BK / 4), c = (i % (BK / 4)) * 4;
      int4 v = *reinterpret_cast<const int4*>(&A[(size_t)(row0 + r) * K4 + k0 + c]);
      As[c][r] = v.x; As[c + 1][r] = v.y; As[c + 2][r] = v.z; As[c + 3][r] = v.w;
    }
    for (int i = tid; i < BN * BK / 4; i += THREADS) {
      int r = i / (BK / 4), c = (i % (BK / 4)) * 4;
      int4 v = *reinterpret_cast<const int4*>(&B[(size_t)(col0 + r) * K4 + k0 + c]);
      Bs[c][r] = v.x; Bs[c + 1][r] = v.y; Bs[c + 2][r] = v.z; Bs[c + 3][r] = v.w;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      int a[TM], b[TN];
#pragma unroll
      for (int i = 0; i < TM; ++i) a[i] = As[k][ty * TM + i];
#pragma unroll
      for (int j = 0; j < TN; ++j) b[j] = Bs[k][tx * TN + j];
#pragma unroll
      for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) acc[i][j] = __dp4a(a[i], b[j], acc[i][j]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < TM; ++i)
#pragma unroll
    for (int j = 0; j < TN; j += 4)
      *reinterpret_cast<int4*>(&C[(size_t)(row0 + ty * TM + i) * N + col0 + tx * TN + j]) =
          make_int4(acc[i][j], acc[i][j + 1], acc[i][j + 2], acc[i][j + 3]);
}

// ---------------------------------------------------------------------------------------------
// Attention decode over an int8 KV cache, split along the context
// ---------------------------------------------------------------------------------------------
__global__ __launch_bounds__(128) void attn_decode_int8_split(const float* __restrict__ q, const char4* __restrict__ Kc, const float* __restrict__ ks,
                                                              const int8_t* __restrict__ Vc, const float* __restrict__ vs,
                                                              float* __restrict__ part_o, float2* __restrict__ part_ml) {
  __shared__ float prob[SPLIT_LEN];
  __shared__ float red[4];
  const int head = blockIdx.x, split = blockIdx.y;
  const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
  const int t0 = split * SPLIT_LEN;
  const float4 qv = reinterpret_cast<const float4*>(q + head * HEAD_DIM)[lane];
  for (int t = warp; t < SPLIT_LEN; t += 4) {
    size_t tok = (size_t)head * CTX + t0 + t;
    char4 kv = Kc[tok * (HEAD_DIM / 4) + lane];
    float s = qv.x * kv.x + qv.y * kv.y + qv.z * kv.z + qv.w * kv.w;
    s = warp_sum(s);
    if (lane == 0) prob[t] = s * ks[tok] * rsqrtf((float)HEAD_DIM);
  }
  __syncthreads();
  float m = -FLT_MAX;
  for (int t = threadIdx.x; t < SPLIT_LEN; t += 128) m = fmaxf(m, prob[t]);
  m = warp_max(m);
  if (lane == 0) red[warp] = m;
  __syncthreads();
  m = fmaxf(fmaxf(red[0], red[1]), fmaxf(red[2], red[3]));
  __syncthreads();
  float l = 0.f;
  for (int t = threadIdx.x; t < SPLIT_LEN; t += 128) {
    float p = __expf(prob[t] - m);
    l += p;
    prob[t] = p * vs[(size_t)head * CTX + t0 + t];
  }
  l = warp_sum(l);
  if (lane == 0) red[warp] = l;
  __syncthreads();
  l = red[0] + red[1] + red[2] + red[3];
  const int d = threadIdx.x;
  float acc = 0.f;
#pragma unroll 8
  for (int t = 0; t < SPLIT_LEN; ++t) acc = fmaf(prob[t], (float)Vc[((size_t)head * CTX + t0 + t) * HEAD_DIM + d], acc);
  part_o[((size_t)head * SPLITS + split) * HEAD_DIM + d] = acc;
  if (d == 0) part_ml[head * SPLITS + split] = make_float2(m, l);
}

__global__ void attn_combine(const float* __restrict__ part_o, const float2* __restrict__ part_ml, float* __restrict__ out) {
  int head = blockIdx.x, d = threadIdx.x;
  float m = -FLT_MAX;
  for (int s = 0; s < SPLITS; ++s) m = fmaxf(m, part_ml[head * SPLITS + s].x);
  float l = 0.f, acc = 0.f;
  for (int s = 0; s < SPLITS; ++s) {
    float2 ml = part_ml[head * SPLITS + s];
    float w = __expf(ml.x - m);
    l += ml.y * w;
    acc += part_o[((size_t)head * SPLITS + s) * HEAD_DIM + d] * w;
  }
  out[head * HEAD_DIM + d] = acc / l;
}

// ---------------------------------------------------------------------------------------------
static uint32_t lcg = 12345u;
static uint32_t next_u32() { lcg = lcg * 1664525u + 1013904223u; return lcg ^ (lcg >> 15); }
static float next_f() { return (float)(next_u32() >> 8) / 8388608.f - 1.f; }

template <typename T>
T* to_device(const std::vector<T>& h) {
  T* d;
  CUDA_OK(cudaMalloc(&d, h.size() * sizeof(T)));
  CUDA_OK(cudaMemcpy(d, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice));
  return d;
}
template <typename T>
T* device_alloc(size_t n) {
  T* d;
  CUDA_OK(cudaMalloc(&d, n * sizeof(T)));
  return d;
}
template <typename T>
std::vector<T> to_host(const void* d, size_t n) {
  std::vector<T> h(n);
  CUDA_OK(cudaMemcpy(h.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost));
  return h;
}

static int g_fail = 0;
static void verdict(const char* name, double err, double tol) {
  printf("%-24s max err %.3e %s\n", name, err, err <= tol ? "ok" : "FAIL");
  if (!(err <= tol)) g_fail++;
}

int main() {
  const int K = HIDDEN, N = OUT;
  // activations, weights
  std::vector<float> act((size_t)TOKENS * K), x(K), wscale(N);
  for (auto& v : act) v = next_f() * 3.f;
  for (int i = 0; i < K; ++i) x[i] = sinf(0.37f * i) * 0.5f;
  for (int i = 0; i < N; ++i) wscale[i] = 0.001f + 0.0001f * (i % 13);
  std::vector<uint32_t> w8((size_t)N * K / 4), w4((size_t)N * K / 8);
  for (auto& v : w8) v = next_u32();
  for (auto& v : w4) v = next_u32();
  std::vector<__half2> sz((size_t)N * K / GROUP);
  for (size_t i = 0; i < sz.size(); ++i) sz[i] = __floats2half2_rn(0.01f + 0.001f * (i % 7), 8.f - (float)(i % 3));
  std::vector<int> x8(K / 4);
  for (int i = 0; i < K / 4; ++i) {
    uint32_t p = 0;
    for (int j = 0; j < 4; ++j) p |= (uint32_t)((uint8_t)(int8_t)lrintf(x[4 * i + j] * 254.f)) << (8 * j);
    x8[i] = (int)p;
  }
  std::vector<__half> xh((size_t)8 * K);
  for (size_t i = 0; i < xh.size(); ++i) xh[i] = __float2half(i < (size_t)K ? x[i] : 0.25f * next_f());
  float table[256];
  for (int b = 0; b < 256; ++b) {
    int e = (b >> 3) & 15, m = b & 7;
    float v = e ? ldexpf(1.f + m / 8.f, e - 7) : ldexpf(m / 8.f, -6);
    table[b] = (b & 128) ? -v : v;
  }
  CUDA_OK(cudaMemcpyToSymbol(c_fp8_table, table, sizeof(table)));

  float* d_act = to_device(act);
  float* d_x = to_device(x);
  float* d_ws = to_device(wscale);
  uint32_t* d_w8 = to_device(w8);
  uint32_t* d_w4 = to_device(w4);
  __half2* d_sz = to_device(sz);
  int* d_x8 = to_device(x8);
  __half* d_xh = to_device(xh);
  float* d_y = device_alloc<float>((size_t)8 * N);

  // ---- quantise and dequantise
  const int n_act = TOKENS * K;
  int* d_q = device_alloc<int>(n_act / 4);
  float* d_rs = device_alloc<float>(TOKENS);
  uint4* d_half = device_alloc<uint4>((size_t)N * K / 8);
  quantize_rows_absmax<256><<<TOKENS, 256>>>(d_act, d_q, d_rs, K);
  dequantize_rows_half<<<n_act / 16 / 256, 256>>>((const int4*)d_q, d_rs, d_half, K / 16, n_act / 16);
  {
    auto rs = to_host<float>(d_rs, TOKENS);
    auto h = to_host<__half>(d_half, n_act);
    double e = 0;
    for (int i = 0; i < n_act; i += 11) e = fmax(e, fabs(__half2float(h[i]) - act[i]) / rs[i / K]);
    verdict("rows absmax + dequant", e, 0.62);
  }
  int* d_bits = device_alloc<int>(1);
  CUDA_OK(cudaMemset(d_bits, 0, sizeof(int)));
  tensor_absmax<<<132 * 2, 256>>>((const float4*)d_act, n_act / 4, d_bits);
  quantize_tensor<<<n_act / 4 / 256, 256>>>((const float4*)d_act, d_q, n_act / 4, d_bits);
  {
    float m = 0;
    for (float v : act) m = fmaxf(m, fabsf(v));
    auto q = to_host<int8_t>(d_q, n_act);
    double e = 0;
    for (int i = 0; i < n_act; i += 13) e = fmax(e, fabs(q[i] - act[i] * 127.f / m));
    verdict("tensor absmax + quant", e, 0.51);
  }
  const int groups = n_act / GROUP;
  uint16_t* d_p4 = device_alloc<uint16_t>(n_act / 4);
  __half2* d_p4s = device_alloc<__half2>(groups);
  quantize_int4_groups<<<(groups + 7) / 8, 256>>>((const float4*)d_act, d_p4, d_p4s, groups);
  {
    auto p = to_host<uint8_t>(d_p4, n_act / 2);
    auto s = to_host<__half2>(d_p4s, groups);
    double e = 0;
    for (int i = 0; i < n_act; i += 17) {
      int q = (p[i / 2] >> (4 * (i & 1))) & 15;
      float sc = __low2float(s[i / GROUP]), z = __high2float(s[i / GROUP]);
      e = fmax(e, fabs((q - z) * sc - act[i]) / sc);
    }
    verdict("int4 groups", e, 1.1);
  }

  // ---- GEMV family
  const int8_t* w8b = reinterpret_cast<const int8_t*>(w8.data());
  const int8_t* x8b = reinterpret_cast<const int8_t*>(x8.data());
  auto check_y = [&](const char* name, double tol, auto weight, auto input) {
    auto y = to_host<float>(d_y, N);
    double e = 0;
    for (int r = 0; r < N; r += 61) {
      double a = 0;
      for (int k = 0; k < K; ++k) a += (double)weight(r, k) * input(k);
      e = fmax(e, fabs(a - y[r]) / (1.0 + fabs(a)));
    }
    verdict(name, e, tol);
  };
  auto w_int8 = [&](int r, int k) { return w8b[(size_t)r * K + k] * wscale[r]; };
  auto w_int4 = [&](int r, int k) {
    int q = (w4[(size_t)r * (K / 8) + k / 8] >> (4 * (k % 8))) & 15;
    __half2 s = sz[(size_t)r * (K / GROUP) + k / GROUP];
    return (q - __high2float(s)) * __low2float(s);
  };
  auto w_fp8 = [&](int r, int k) { float v = table[(uint8_t)w8b[(size_t)r * K + k]]; return v * 0.02f; };
  auto in_f = [&](int k) { return x[k]; };

  gemv_w8a8<<<N / 4, 128>>>((const int4*)d_w8, (const int4*)d_x8, d_ws, 1.f / 254.f, d_y, N, K);
  check_y("gemv w8a8", 1e-3, w_int8, [&](int k) { return x8b[k] / 254.0; });
  gemv_w8_block<<<N, 128>>>((const char4*)d_w8, (const float4*)d_x, d_ws, d_y, K);
  check_y("gemv w8 block", 1e-3, w_int8, in_f);
  gemv_w8a16_half2<<<N / 2 / 8, 256>>>((const uint4*)d_w8, (const __half2*)d_xh, d_ws, d_y, N, K);
  check_y("gemv w8a16 half2", 3e-2, w_int8, in_f);
  gemv_w4_group<<<N / 8, 256, K * sizeof(float)>>>(d_w4, d_sz, d_x, d_y, N, K);
  check_y("gemv w4 group", 1e-3, w_int4, in_f);
  gemv_w4_magic<<<N / 8, 256, K * sizeof(__half)>>>((const uint4*)d_w4, d_sz, d_x, d_y, N, K);
  check_y("gemv w4 magic", 3e-2, w_int4, in_f);
  gemv_fp8_table<<<N / 8, 256>>>((const uint2*)d_w8, (const float4*)d_x, d_y, N, K, 0.02f);
  check_y("gemv fp8 table", 1e-2, w_fp8, in_f);
  dequant_fp8_table<<<132 * 4, 256>>>((const uint4*)d_w8, d_half, N * K / 16, 0.02f);
  {
    auto h = to_host<__half>(d_half, (size_t)N * K / 8);
    double e = 0;
    for (size_t i = 0; i < h.size(); i += 19) {
      float want = table[(uint8_t)w8b[i]] * 0.02f;
      e = fmax(e, fabs(__half2float(h[i]) - want) / (1e-3 + fabs(want)));
    }
    verdict("dequant fp8 table", e, 1e-2);
  }
  gemm_w8a16_smallbatch<8><<<N / 8, 256>>>((const uint2*)d_w8, d_xh, d_ws, d_y, N, K);
  {
    auto y = to_host<float>(d_y, (size_t)8 * N);
    double e = 0;
    for (int b = 0; b < 8; ++b)
      for (int r = b; r < N; r += 509) {
        double a = 0;
        for (int k = 0; k < K; ++k) a += (double)w_int8(r, k) * __half2float(xh[(size_t)b * K + k]);
        e = fmax(e, fabs(a - y[(size_t)b * N + r]) / (1.0 + fabs(a)));
      }
    verdict("w8a16 batch 8", e, 1e-3);
  }

  // ---- int8 GEMM
  int* d_c = device_alloc<int>((size_t)2048 * 2048);
  const int* A = (const int*)d_w8;
  const int* B = A + 2048 * 2048 / 4;
  auto check_gemm = [&](const char* name, int n, int k) {
    auto c = to_host<int>(d_c, (size_t)n * n);
    const int8_t* hb = w8b + 2048 * 2048;
    long long bad = 0;
    for (int s = 0; s < 400; ++s) {
      int i = (s * 97) % n, j = (s * 389 + 5) % n, a = 0;
      for (int t = 0; t < k; ++t) a += w8b[(size_t)i * k + t] * hb[(size_t)j * k + t];
      bad += a != c[(size_t)i * n + j];
    }
    verdict(name, (double)bad, 0);
  };
  gemm_dp4a_naive<<<dim3(1024 / 32, 1024 / 8), dim3(32, 8)>>>(A, B, d_c, 1024, 1024, 1024 / 4);
  check_gemm("gemm dp4a naive", 1024, 1024);
  gemm_dp4a_tiled<64, 64, 4, 4><<<dim3(16, 16), 256>>>(A, B, d_c, 1024, 1024, 1024 / 4);
  check_gemm("gemm dp4a 64x64", 1024, 1024);
  gemm_dp4a_tiled<128, 128, 8, 8><<<dim3(16, 16), 256>>>(A, B, d_c, 2048, 2048, 2048 / 4);
  check_gemm("gemm dp4a 128x128", 2048, 2048);

  // ---- attention: K and V come from one buffer of random bytes
  std::vector<float> kscale((size_t)HEADS * CTX), q((size_t)HEADS * HEAD_DIM);
  for (size_t i = 0; i < kscale.size(); ++i) kscale[i] = 0.002f + 0.0005f * (i % 5);
  for (size_t i = 0; i < q.size(); ++i) q[i] = cosf(0.1f * i);
  float* d_ks = to_device(kscale);
  float* d_qv = to_device(q);
  float* d_po = device_alloc<float>((size_t)HEADS * SPLITS * HEAD_DIM);
  float2* d_ml = device_alloc<float2>(HEADS * SPLITS);
  float* d_o = device_alloc<float>(HEADS * HEAD_DIM);
  const size_t cache = (size_t)HEADS * CTX * HEAD_DIM;  // 8 MiB each
  attn_decode_int8_split<<<dim3(HEADS, SPLITS), 128>>>(d_qv, (const char4*)d_w8, d_ks, (const int8_t*)d_w8 + cache, d_ks, d_po, d_ml);
  attn_combine<<<HEADS, HEAD_DIM>>>(d_po, d_ml, d_o);
  {
    auto o = to_host<float>(d_o, HEADS * HEAD_DIM);
    double e = 0;
    for (int h = 0; h < HEADS; h += 9) {
      std::vector<double> s(CTX), acc(HEAD_DIM, 0.0);
      double m = -1e30, l = 0;
      for (int t = 0; t < CTX; ++t) {
        double a = 0;
        for (int d = 0; d < HEAD_DIM; ++d) a += (double)q[h * HEAD_DIM + d] * w8b[((size_t)h * CTX + t) * HEAD_DIM + d];
        s[t] = a * kscale[(size_t)h * CTX + t] / sqrt((double)HEAD_DIM);
        m = fmax(m, s[t]);
      }
      for (int t = 0; t < CTX; ++t) {
        double p = exp(s[t] - m);
        l += p;
        for (int d = 0; d < HEAD_DIM; ++d)
          acc[d] += p * kscale[(size_t)h * CTX + t] * w8b[cache + ((size_t)h * CTX + t) * HEAD_DIM + d];
      }
      for (int d = 0; d < HEAD_DIM; ++d) e = fmax(e, fabs(acc[d] / l - o[h * HEAD_DIM + d]));
    }
    verdict("attention int8 kv", e, 1e-3);
  }
  CUDA_OK(cudaDeviceSynchronize());
  printf(g_fail ? "FAILED %d\n" : "PASSED\n", g_fail);
  for (void* p : {(void*)d_act, (void*)d_x, (void*)d_ws, (void*)d_w8, (void*)d_w4, (void*)d_sz, (void*)d_x8, (void*)d_xh, (void*)d_y,
                  (void*)d_q, (void*)d_rs, (void*)d_half, (void*)d_bits, (void*)d_p4, (void*)d_p4s, (void*)d_c, (void*)d_ks, (void*)d_qv,
                  (void*)d_po, (void*)d_ml, (void*)d_o})
    cudaFree(p);
  return 0;
}
