/* SGEMM variants: odd thread tiles, padding, NN/NT/TN operands, bounds checks, split-K (atomic and
   workspace + reduce), strided and pointer-array batches, cp.async pipelines. Row-major everywhere. */
#include <cuda_runtime.h>
#include <cuda_pipeline.h>
#include <cooperative_groups.h>
#include <cuda/pipeline>
#include <cuda/barrier>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

void must(cudaError_t rc, int line) {
  if (rc == cudaSuccess) return;
  fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(rc));
  exit(1);
}
#define MUST(x) must((x), __LINE__)

enum class Op { N, T };
enum class Out { Store, Atomic, Workspace };

struct GemmParams {
  int m, n, k;
  const float* a; int lda;          // op(A) is m x k
  const float* b; int ldb;          // op(B) is k x n
  float* c; int ldc;
  long long stride_a, stride_b, stride_c;     // per blockIdx.z when batched
  int split_len;                              // K range of one blockIdx.z when split
  float alpha;
};

template <int BM_, int BN_, int BK_, int TY_, int TX_, int PAD_>
struct Tile {
  static constexpr int BM = BM_, BN = BN_, BK = BK_, TY = TY_, TX = TX_, PAD = PAD_;
  static constexpr int RM = BM / TY, RN = BN / TX, THREADS = TX * TY;
  static_assert(BM % TY == 0 && BN % TX == 0, "thread grid must divide the tile");
};

// Generic guarded kernel: thread (ty,tx) owns rows ty + i*TY and columns tx + j*TX.
template <class T, Op OA, Op OB, Out MODE>
__global__ void __launch_bounds__(T::THREADS) gemm_guarded(GemmParams p) {
  __shared__ float sa[T::BK][T::BM + T::PAD];
  __shared__ float sb[T::BK][T::BN + T::PAD];
  const int tx = threadIdx.x, ty = threadIdx.y, tid = ty * T::TX + tx;
  const int row0 = blockIdx.y * T::BM, col0 = blockIdx.x * T::BN;
  const float* a = p.a;
  const float* b = p.b;
  float* c = p.c;
  int k_begin = 0, k_end = p.k;
  if (p.split_len > 0) {
    k_begin = blockIdx.z * p.split_len;
    k_end = min(p.k, k_begin + p.split_len);
    if (MODE == Out::Workspace) c += blockIdx.z * (long long)p.m * p.ldc;
  } else {
    a += blockIdx.z * p.stride_a; b += blockIdx.z * p.stride_b; c += blockIdx.z * p.stride_c;
  }
  float acc[T::RM][T::RN] = {};
  for (int k0 = k_begin; k0 < k_end; k0 += T::BK) {
    for (int e = tid; e < T::BM * T::BK; e += T::THREADS) {
      int i, k;
      if (OA == Op::N) { k = e % T::BK; i = e / T::BK; } else { i = e % T::BM; k = e / T::BM; }
      int gi = row0 + i, gk = k0 + k;
      float v = 0.0f;
      if (gi < p.m && gk < k_end) v = OA == Op::N ? a[(size_t)gi * p.lda + gk] : a[(size_t)gk * p.lda + gi];
      sa[k][i] = v;
    }
    for (int e = tid; e < T::BN * T::BK; e += T::THREADS) {
      int j, k;
      if (OB == Op::N) { j = e % T::BN; k = e / T::BN; } else { k = e % T::BK; j = e / T::BK; }
      int gj = col0 + j, gk = k0 + k;
      float v = 0.0f;
      if (gj < p.n && gk < k_end) v = OB == Op::N ? b[(size_t)gk * p.ldb + gj] : b[(size_t)gj * p.ldb + gk];
      sb[k][j] = v;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < T::BK; ++k) {
      float ra[T::RM], rb[T::RN];
#pragma unroll
      for (int i = 0; i < T::RM; ++i) ra[i] = sa[k][ty + i * T::TY];
#pragma unroll
      for (int j = 0; j < T::RN; ++j) rb[j] = sb[k][tx + j * T::TX];
#pragma unroll
      for (int i = 0; i < T::RM; ++i)
#pragma unroll
        for (int j = 0; j < T::RN; ++j) acc[i][j] = fmaf(ra[i], rb[j], acc[i][j]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < T::RM; ++i)
#pragma unroll
    for (int j = 0; j < T::RN; ++j) {
      int gi = row0 + ty + i * T::TY, gj = col0 + tx + j * T::TX;
      if (gi < p.m && gj < p.n) {
        float v = p.alpha * acc[i][j];
        if (MODE == Out::Atomic) atomicAdd(c + (size_t)gi * p.ldc + gj, v);
        else c[(size_t)gi * p.ldc + gj] = v;
      }
    }
}

// Batch given by arrays of pointers
template <class T>
__global__ void __launch_bounds__(T::THREADS, 2) gemm_pointer_batch(int m, int n, int k, const float* const* as, const float* const* bs, float* const* cs) {
  __shared__ float sa[T::BM][T::BK + T::PAD];
  __shared__ float sb[T::BK][T::BN];
  const float *a = as[blockIdx.z] + (size_t)blockIdx.y * T::BM * k, *b = bs[blockIdx.z] + blockIdx.x * T::BN;
  float* c = cs[blockIdx.z] + (size_t)blockIdx.y * T::BM * n + blockIdx.x * T::BN;
  const int tid = threadIdx.x, tx = tid % T::TX, ty = tid / T::TX;
  float acc[T::RM][T::RN] = {};
  for (int k0 = 0; k0 < k; k0 += T::BK) {
    for (int e = tid; e < T::BM * T::BK; e += T::THREADS) sa[e / T::BK][e % T::BK] = a[(size_t)(e / T::BK) * k + k0 + e % T::BK];
    for (int e = tid; e < T::BK * T::BN; e += T::THREADS) sb[e / T::BN][e % T::BN] = b[(size_t)(k0 + e / T::BN) * n + e % T::BN];
    __syncthreads();
#pragma unroll 8
    for (int kk = 0; kk < T::BK; ++kk)
#pragma unroll
      for (int i = 0; i < T::RM; ++i) {
        float x = sa[ty * T::RM + i][kk];
#pragma unroll
        for (int j = 0; j < T::RN; ++j) acc[i][j] += x * sb[kk][tx + j * T::TX];
      }
    __syncthreads();
  }
  for (int i = 0; i < T::RM; ++i)
    for (int j = 0; j < T::RN; ++j) c[(size_t)(ty * T::RM + i) * n + tx + j * T::TX] = acc[i][j];
}

__global__ void reduce_splits(float* c, const float* ws, int splits, long long count) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i >= count) return;
  float s = 0.0f;
  for (int z = 0; z < splits; ++z) s += ws[z * count + i];
  c[i] = s;
}

// cp.async, STAGES deep, 8x8 per thread as two 4-wide halves; sizes must divide
template <int STAGES>
__global__ void __launch_bounds__(256, 2) gemm_cp_async(GemmParams p) {
  constexpr int BM = 128, BN = 128, BK = 16, LDA = BK + 4;
  extern __shared__ __align__(16) float smem[];
  float* sa = smem;                                  // [STAGES][BM][LDA]
  float* sb = smem + STAGES * BM * LDA;              // [STAGES][BK][BN]
  const int tid = threadIdx.x, tx = tid % 16, ty = tid / 16;
  const float* a = p.a + (size_t)blockIdx.y * BM * p.lda;
  const float* b = p.b + blockIdx.x * BN;
  const int tiles = p.k / BK;
  auto issue = [&](int t) {
    if (t < tiles) {
      float *da = sa + (t % STAGES) * BM * LDA, *db = sb + (t % STAGES) * BK * BN;
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        int e = tid + r * 256;
        __pipeline_memcpy_async(da + (e / 4) * LDA + (e % 4) * 4, a + (size_t)(e / 4) * p.lda + t * BK + (e % 4) * 4, 16);
        __pipeline_memcpy_async(db + (e / 32) * BN + (e % 32) * 4, b + (size_t)(t * BK + e / 32) * p.ldb + (e % 32) * 4, 16);
      }
    }
    __pipeline_commit();                             // an empty group keeps the count simple
  };
  float acc[8][8] = {};
  for (int t = 0; t < STAGES - 1; ++t) issue(t);
  for (int t = 0; t < tiles; ++t) {
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();
    issue(t + STAGES - 1);
    const float *ca = sa + (t % STAGES) * BM * LDA, *cb = sb + (t % STAGES) * BK * BN;
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float ra[8];
#pragma unroll
      for (int i = 0; i < 8; ++i) ra[i] = ca[(ty * 8 + i) * LDA + k];
      float4 b0 = *reinterpret_cast<const float4*>(cb + k * BN + tx * 4), b1 = *reinterpret_cast<const float4*>(cb + k * BN + 64 + tx * 4);
      float rb[8] = {b0.x, b0.y, b0.z, b0.w, b1.x, b1.y, b1.z, b1.w};
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) acc[i][j] = fmaf(ra[i], rb[j], acc[i][j]);
    }
  }
  float* c = p.c + (size_t)(blockIdx.y * BM + ty * 8) * p.ldc + blockIdx.x * BN;
#pragma unroll
  for (int i = 0; i < 8; ++i)
#pragma unroll
    for (int h = 0; h < 2; ++h)
      *reinterpret_cast<float4*>(c + (size_t)i * p.ldc + h * 64 + tx * 4) =
          make_float4(p.alpha * acc[i][h * 4], p.alpha * acc[i][h * 4 + 1], p.alpha * acc[i][h * 4 + 2], p.alpha * acc[i][h * 4 + 3]);
}

// cuda::pipeline with thread scope, 64x64 tile, 4x4 a thread
__global__ void __launch_bounds__(256) gemm_cuda_pipeline(GemmParams p) {
  constexpr int BM = 64, BN = 64, BK = 32, STAGES = 2;
  __shared__ __align__(16) float sa[STAGES][BM][BK + 4];
  __shared__ __align__(16) float sb[STAGES][BK][BN];
  auto pipe = cuda::make_pipeline();
  const auto shape = cuda::aligned_size_t<16>(16);
  const int tid = threadIdx.x, tx = tid % 16, ty = tid / 16;
  const float* a = p.a + (size_t)blockIdx.y * BM * p.lda;
  const float* b = p.b + blockIdx.x * BN;
  auto load = [&](int t) {
    int s = t % STAGES;
    pipe.producer_acquire();
    for (int e = tid; e < BM * BK / 4; e += 256)
      cuda::memcpy_async(&sa[s][e / 8][(e % 8) * 4], a + (size_t)(e / 8) * p.lda + t * BK + (e % 8) * 4, shape, pipe);
    for (int e = tid; e < BK * BN / 4; e += 256)
      cuda::memcpy_async(&sb[s][e / 16][(e % 16) * 4], b + (size_t)(t * BK + e / 16) * p.ldb + (e % 16) * 4, shape, pipe);
    pipe.producer_commit();
  };
  float acc[4][4] = {};
  const int tiles = p.k / BK;
  load(0);
  for (int t = 0; t < tiles; ++t) {
    if (t + 1 < tiles) {
      load(t + 1);
      cuda::pipeline_consumer_wait_prior<1>(pipe);
    } else {
      cuda::pipeline_consumer_wait_prior<0>(pipe);
    }
    __syncthreads();
    const int s = t % STAGES;
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float4 rb = *reinterpret_cast<const float4*>(&sb[s][k][tx * 4]);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        float x = sa[s][ty + 16 * i][k];
        acc[i][0] += x * rb.x; acc[i][1] += x * rb.y; acc[i][2] += x * rb.z; acc[i][3] += x * rb.w;
      }
    }
    pipe.consumer_release();
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    *reinterpret_cast<float4*>(p.c + (size_t)(blockIdx.y * BM + ty + 16 * i) * p.ldc + blockIdx.x * BN + tx * 4) =
        make_float4(p.alpha * acc[i][0], p.alpha * acc[i][1], p.alpha * acc[i][2], p.alpha * acc[i][3]);
}

template <class T> dim3 grid_of(const GemmParams& p, int z = 1) { return dim3((p.n + T::BN - 1) / T::BN, (p.m + T::BM - 1) / T::BM, z); }
template <class T> dim3 block_of() { return dim3(T::TX, T::TY); }

std::vector<float> ha, hb;
float *da, *db, *dc, *ws;
int errors = 0;

void verify(const std::string& what, const GemmParams& p, Op oa, Op ob, int batch = 1) {
  MUST(cudaGetLastError());
  std::vector<float> hc((size_t)p.m * p.ldc);
  double worst = 0;
  for (int z = 0; z < batch; z += (batch > 1 ? batch - 1 : 1)) {
    MUST(cudaMemcpy(hc.data(), p.c + z * p.stride_c, hc.size() * 4, cudaMemcpyDeviceToHost));
    for (int s = 0; s < 400; ++s) {
      int i = s ? (s * 6151 + 13) % p.m : p.m - 1, j = s ? (s * 3571 + 5) % p.n : p.n - 1;
      double ref = 0;
      for (int k = 0; k < p.k; ++k) {
        double x = ha[z * p.stride_a + (oa == Op::N ? (size_t)i * p.lda + k : (size_t)k * p.lda + i)];
        double y = hb[z * p.stride_b + (ob == Op::N ? (size_t)k * p.ldb + j : (size_t)j * p.ldb + k)];
        ref += x * y;
      }
      double e = std::fabs(p.alpha * ref - hc[(size_t)i * p.ldc + j]);
      if (!(e <= worst)) worst = e;
    }
  }
  bool ok = worst < 5e-3;
  if (!ok) ++errors;
  printf("%-34s %5d x %5d x %5d  %.2e %s\n", what.c_str(), p.m, p.n, p.k, worst, ok ? "ok" : "WRONG");
}

GemmParams problem(int m, int n, int k, Op oa, Op ob) {
  GemmParams p{};
  p.m = m; p.n = n; p.k = k; p.alpha = 1.0f;
  p.a = da; p.lda = oa == Op::N ? k : m;
  p.b = db; p.ldb = ob == Op::N ? n : k;
  p.c = dc; p.ldc = n;
  return p;
}

}  // namespace

int main() {
  const size_t NA = 4 << 20, NB = 4 << 20, NC = 8 << 20;
  ha.resize(NA); hb.resize(NB);
  uint32_t s = 2463534242u;
  auto next = [&s] { s ^= s << 13; s ^= s >> 17; s ^= s << 5; return (int)(s % 2001) * 0.001f - 1.0f; };
  for (auto& x : ha) x = next();
  for (auto& x : hb) x = next();
  MUST(cudaMalloc(&da, NA * 4)); MUST(cudaMalloc(&db, NB * 4)); MUST(cudaMalloc(&dc, NC * 4)); MUST(cudaMalloc(&ws, NC * 4));
  MUST(cudaMemcpy(da, ha.data(), NA * 4, cudaMemcpyHostToDevice));
  MUST(cudaMemcpy(db, hb.data(), NB * 4, cudaMemcpyHostToDevice));
  auto poison = [] { MUST(cudaMemset(dc, 0xff, ((size_t)8 << 20) * 4)); };

  using T44 = Tile<64, 64, 16, 16, 16, 1>;
  using T84 = Tile<64, 96, 16, 8, 24, 4>;           // 192 threads
  using T88 = Tile<128, 128, 8, 16, 16, 4>;
  using T65 = Tile<60, 100, 12, 10, 20, 1>;         // 200 threads, 6x5 each

  { poison(); auto p = problem(1021, 1003, 769, Op::N, Op::N);
    gemm_guarded<T44, Op::N, Op::N, Out::Store><<<grid_of<T44>(p), block_of<T44>()>>>(p);
    verify("4x4 padded, odd sizes", p, Op::N, Op::N); }
  { poison(); auto p = problem(1024, 2304, 768, Op::N, Op::N);
    gemm_guarded<T84, Op::N, Op::N, Out::Store><<<grid_of<T84>(p), block_of<T84>()>>>(p);
    verify("8x4, 24x8 threads", p, Op::N, Op::N); }
  { poison(); auto p = problem(2048, 2048, 512, Op::N, Op::T);
    gemm_guarded<T88, Op::N, Op::T, Out::Store><<<grid_of<T88>(p), block_of<T88>()>>>(p);
    verify("8x8 NT", p, Op::N, Op::T); }
  { poison(); auto p = problem(768, 3072, 1024, Op::T, Op::N);
    gemm_guarded<T88, Op::T, Op::N, Out::Store><<<grid_of<T88>(p), block_of<T88>()>>>(p);
    verify("8x8 TN", p, Op::T, Op::N); }
  { poison(); auto p = problem(777, 1111, 1500, Op::N, Op::N);
    gemm_guarded<T65, Op::N, Op::N, Out::Store><<<grid_of<T65>(p), block_of<T65>()>>>(p);
    verify("6x5, 20x10 threads, odd sizes", p, Op::N, Op::N); }
  { auto p = problem(256, 768, 4096, Op::N, Op::N);
    MUST(cudaMemset(dc, 0, (size_t)p.m * p.n * 4));
    p.split_len = 512;
    gemm_guarded<T44, Op::N, Op::N, Out::Atomic><<<grid_of<T44>(p, 8), block_of<T44>()>>>(p);
    verify("split-K 8, atomics", p, Op::N, Op::N); }
  { poison(); auto p = problem(384, 640, 5000, Op::N, Op::N);
    p.split_len = 560;
    const int splits = (p.k + p.split_len - 1) / p.split_len;
    p.c = ws;
    gemm_guarded<T84, Op::N, Op::N, Out::Workspace><<<grid_of<T84>(p, splits), block_of<T84>()>>>(p);
    const long long count = (long long)p.m * p.n;
    reduce_splits<<<(unsigned)((count + 255) / 256), 256>>>(dc, ws, splits, count);
    p.c = dc;
    verify("split-K 9, workspace + reduce", p, Op::N, Op::N); }
  { poison(); auto p = problem(512, 512, 64, Op::N, Op::T);          // QK^T of 24 heads
    p.stride_a = 512 * 64; p.stride_b = 512 * 64; p.stride_c = 512 * 512; p.alpha = 0.125f;
    gemm_guarded<T88, Op::N, Op::T, Out::Store><<<grid_of<T88>(p, 24), block_of<T88>()>>>(p);
    verify("strided batch of 24, NT", p, Op::N, Op::T, 24); }
  { poison(); auto p = problem(512, 64, 512, Op::N, Op::N);          // AV of 12 heads by pointers
    p.stride_a = 512 * 512; p.stride_b = 512 * 64; p.stride_c = 512 * 64;
    const int batch = 12;
    std::vector<float*> ptr;
    for (int z = 0; z < batch; ++z) ptr.push_back(da + z * p.stride_a);
    for (int z = 0; z < batch; ++z) ptr.push_back(db + z * p.stride_b);
    for (int z = 0; z < batch; ++z) ptr.push_back(dc + z * p.stride_c);
    float** dp;
    MUST(cudaMalloc(&dp, ptr.size() * sizeof(float*)));
    MUST(cudaMemcpy(dp, ptr.data(), ptr.size() * sizeof(float*), cudaMemcpyHostToDevice));
    using TB = Tile<64, 64, 32, 16, 16, 1>;
    gemm_pointer_batch<TB><<<dim3(1, 8, batch), 256>>>(p.m, p.n, p.k, dp, dp + batch, dp + 2 * batch);
    verify("pointer batch of 12", p, Op::N, Op::N, batch);
    cudaFree(dp); }
  { poison(); auto p = problem(2048, 2048, 1024, Op::N, Op::N);
    const int bytes = 3 * (128 * 20 + 16 * 128) * 4;
    MUST(cudaFuncSetAttribute(gemm_cp_async<3>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    gemm_cp_async<3><<<dim3(p.n / 128, p.m / 128), 256, bytes>>>(p);
    verify("cp.async 3 stages, 128x128", p, Op::N, Op::N); }
  { poison(); auto p = problem(1024, 1024, 1024, Op::N, Op::N);
    gemm_cuda_pipeline<<<dim3(p.n / 64, p.m / 64), 256>>>(p);
    verify("cuda::pipeline, 64x64", p, Op::N, Op::N); }
  cudaFree(da); cudaFree(db); cudaFree(dc); cudaFree(ws);
  puts(errors ? "FAIL" : "PASS");
  return errors ? 1 : 0;
}
