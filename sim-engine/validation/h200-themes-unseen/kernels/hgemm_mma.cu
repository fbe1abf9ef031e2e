// HGEMM with mma.sync.m16n8k16 (PTX), step by step.
//   step 0: one warp, one mma tile
//   step 1: 128x128x16 block tile, 8 warps, padded smem, plain 128-bit copies
//   step 2: + cp.async, double buffered
//   step 3: TN layout (B is N x K), XOR swizzle, N-stage pipeline, fp32 accumulate
//   step 4: + epilogue through shared memory
//   step 5: 256x128x64 tile, fragments double buffered in registers, rasterised CTAs
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

#define LDST128BITS(value) (reinterpret_cast<float4 *>(&(value))[0])
#define CP_ASYNC_CG(dst, src, bytes) \
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], %2;\n" ::"r"(dst), "l"(src), "n"(bytes))
#define CP_ASYNC_COMMIT_GROUP() asm volatile("cp.async.commit_group;\n" ::: "memory")
#define CP_ASYNC_WAIT_GROUP(n) asm volatile("cp.async.wait_group %0;\n" ::"n"(n) : "memory")
#define LDMATRIX_X2_T(R0, R1, addr) \
  asm volatile("ldmatrix.sync.aligned.x2.trans.m8n8.shared.b16 {%0, %1}, [%2];\n" : "=r"(R0), "=r"(R1) : "r"(addr))
#define LDMATRIX_X4(R0, R1, R2, R3, addr) \
  asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0, %1, %2, %3}, [%4];\n" \
               : "=r"(R0), "=r"(R1), "=r"(R2), "=r"(R3) : "r"(addr))
#define LDMATRIX_X4_T(R0, R1, R2, R3, addr) \
  asm volatile("ldmatrix.sync.aligned.x4.trans.m8n8.shared.b16 {%0, %1, %2, %3}, [%4];\n" \
               : "=r"(R0), "=r"(R1), "=r"(R2), "=r"(R3) : "r"(addr))
#define HMMA16816(RD0, RD1, RA0, RA1, RA2, RA3, RB0, RB1, RC0, RC1) \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9};\n" \
               : "=r"(RD0), "=r"(RD1) \
               : "r"(RA0), "r"(RA1), "r"(RA2), "r"(RA3), "r"(RB0), "r"(RB1), "r"(RC0), "r"(RC1))

#define CUDA_OK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
  fprintf(stderr, "%s:%d %s -> %s\n", __FILE__, __LINE__, #x, cudaGetErrorString(e_)); exit(2); } } while (0)

__host__ __device__ constexpr int div_ceil(int a, int b) { return (a + b - 1) / b; }

__device__ __forceinline__ uint32_t smem_u32(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

__device__ __forceinline__ void mma_f32(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// ------------------------------------------------------------------ step 0
template <const int MMA_M = 16, const int MMA_N = 8, const int MMA_K = 16>
__global__ void hgemm_mma_m16n8k16_naive_kernel(half *A, half *B, half *C, int M, int N, int K) {
  const int bx = blockIdx.x, by = blockIdx.y;
  __shared__ __align__(16) half s_a[MMA_M][MMA_K];
  __shared__ __align__(16) half s_b[MMA_K][MMA_N];
  __shared__ __align__(16) half s_c[MMA_M][MMA_N];

  const int lane = threadIdx.x;
  const int load_a_m = lane / 2, load_a_k = (lane % 2) * 8;
  const int load_b_k = lane;  // only lanes 0..15
  const int gm = by * MMA_M + load_a_m, gn = bx * MMA_N;

  uint32_t RC[2] = {0, 0};
  for (int k = 0; k < K / MMA_K; ++k) {
    LDST128BITS(s_a[load_a_m][load_a_k]) = LDST128BITS(A[gm * K + k * MMA_K + load_a_k]);
    if (lane < MMA_K) LDST128BITS(s_b[load_b_k][0]) = LDST128BITS(B[(k * MMA_K + load_b_k) * N + gn]);
    __syncthreads();
    uint32_t RA[4], RB[2];
    LDMATRIX_X4(RA[0], RA[1], RA[2], RA[3], smem_u32(&s_a[lane % 16][(lane / 16) * 8]));
    LDMATRIX_X2_T(RB[0], RB[1], smem_u32(&s_b[lane % 16][0]));
    HMMA16816(RC[0], RC[1], RA[0], RA[1], RA[2], RA[3], RB[0], RB[1], RC[0], RC[1]);
    __syncthreads();
  }
  reinterpret_cast<uint32_t *>(&s_c[lane / 4][(lane % 4) * 2])[0] = RC[0];
  reinterpret_cast<uint32_t *>(&s_c[lane / 4 + 8][(lane % 4) * 2])[0] = RC[1];
  __syncthreads();
  if (lane < MMA_M) LDST128BITS(C[(by * MMA_M + lane) * N + gn]) = LDST128BITS(s_c[lane][0]);
}

// ------------------------------------------------------------------ step 1
// 8 warps as 2 (m) x 4 (n), every warp 64x32
template <const int WM_TILES = 4, const int WN_TILES = 4, const int A_PAD = 8, const int B_PAD = 8>
__global__ void __launch_bounds__(256)
hgemm_mma_m16n8k16_mma2x4_warp4x4_kernel(half *A, half *B, half *C, int M, int N, int K) {
  constexpr int BM = 2 * 16 * WM_TILES, BN = 4 * 8 * WN_TILES, BK = 16;
  __shared__ __align__(16) half s_a[BM][BK + A_PAD];
  __shared__ __align__(16) half s_b[BK][BN + B_PAD];
  const int tid = threadIdx.x, warp = tid / 32, lane = tid % 32;
  const int warp_m = warp % 2, warp_n = warp / 2;
  const int load_a_m = tid / 2, load_a_k = (tid % 2) * 8;
  const int load_b_k = tid / 16, load_b_n = (tid % 16) * 8;
  const int gm = blockIdx.y * BM + load_a_m, gn = blockIdx.x * BN + load_b_n;

  uint32_t RC[WM_TILES][WN_TILES][2] = {};
#pragma unroll 1
  for (int k = 0; k < K; k += BK) {
    LDST128BITS(s_a[load_a_m][load_a_k]) = LDST128BITS(A[gm * K + k + load_a_k]);
    LDST128BITS(s_b[load_b_k][load_b_n]) = LDST128BITS(B[(k + load_b_k) * N + gn]);
    __syncthreads();
    uint32_t RA[WM_TILES][4], RB[WN_TILES][2];
#pragma unroll
    for (int i = 0; i < WM_TILES; ++i)
      LDMATRIX_X4(RA[i][0], RA[i][1], RA[i][2], RA[i][3],
                  smem_u32(&s_a[warp_m * 16 * WM_TILES + i * 16 + lane % 16][(lane / 16) * 8]));
#pragma unroll
    for (int j = 0; j < WN_TILES; ++j)
      LDMATRIX_X2_T(RB[j][0], RB[j][1], smem_u32(&s_b[lane % 16][warp_n * 8 * WN_TILES + j * 8]));
#pragma unroll
    for (int i = 0; i < WM_TILES; ++i)
#pragma unroll
      for (int j = 0; j < WN_TILES; ++j)
        HMMA16816(RC[i][j][0], RC[i][j][1], RA[i][0], RA[i][1], RA[i][2], RA[i][3], RB[j][0], RB[j][1],
                  RC[i][j][0], RC[i][j][1]);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < WM_TILES; ++i)
#pragma unroll
    for (int j = 0; j < WN_TILES; ++j) {
      int m = blockIdx.y * BM + warp_m * 16 * WM_TILES + i * 16 + lane / 4;
      int n = blockIdx.x * BN + warp_n * 8 * WN_TILES + j * 8 + (lane % 4) * 2;
      *reinterpret_cast<uint32_t *>(&C[m * N + n]) = RC[i][j][0];
      *reinterpret_cast<uint32_t *>(&C[(m + 8) * N + n]) = RC[i][j][1];
    }
}

// ------------------------------------------------------------------ step 2
template <const int A_PAD = 8, const int B_PAD = 8>
__global__ void __launch_bounds__(256)
hgemm_mma_m16n8k16_dbuf_async_kernel(half *A, half *B, half *C, int M, int N, int K) {
  constexpr int BM = 128, BN = 128, BK = 32;
  __shared__ __align__(16) half s_a[2][BM][BK + A_PAD];
  __shared__ __align__(16) half s_b[2][BK][BN + B_PAD];
  const int tid = threadIdx.x, warp = tid / 32, lane = tid % 32;
  const int warp_m = warp % 2, warp_n = warp / 2;

  auto fetch = [&](int buf, int k) {
#pragma unroll
    for (int p = 0; p < 2; ++p) {
      int id = tid + p * 256;                     // 512 chunks each
      int am = id / 4, ak = (id % 4) * 8;
      CP_ASYNC_CG(smem_u32(&s_a[buf][am][ak]), &A[(blockIdx.y * BM + am) * K + k + ak], 16);
      int bk = id / 16, bn = (id % 16) * 8;
      CP_ASYNC_CG(smem_u32(&s_b[buf][bk][bn]), &B[(k + bk) * N + blockIdx.x * BN + bn], 16);
    }
    CP_ASYNC_COMMIT_GROUP();
  };

  float acc[4][4][4] = {};
  fetch(0, 0);
  CP_ASYNC_WAIT_GROUP(0);
  __syncthreads();

  const int T = K / BK;
#pragma unroll 1
  for (int t = 0; t < T; ++t) {
    const int cur = t & 1;
    if (t + 1 < T) fetch(cur ^ 1, (t + 1) * BK);
#pragma unroll
    for (int kk = 0; kk < BK; kk += 16) {
      uint32_t RA[4][4], RB[2][4];
#pragma unroll
      for (int i = 0; i < 4; ++i)
        LDMATRIX_X4(RA[i][0], RA[i][1], RA[i][2], RA[i][3],
                    smem_u32(&s_a[cur][warp_m * 64 + i * 16 + lane % 16][kk + (lane / 16) * 8]));
#pragma unroll
      for (int j = 0; j < 2; ++j)
        LDMATRIX_X4_T(RB[j][0], RB[j][1], RB[j][2], RB[j][3],
                      smem_u32(&s_b[cur][kk + lane % 16][warp_n * 32 + j * 16 + (lane / 16) * 8]));
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) mma_f32(acc[i][j], RA[i], RB[j / 2][(j % 2) * 2], RB[j / 2][(j % 2) * 2 + 1]);
    }
    CP_ASYNC_WAIT_GROUP(0);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      int m = blockIdx.y * BM + warp_m * 64 + i * 16 + lane / 4;
      int n = blockIdx.x * BN + warp_n * 32 + j * 8 + (lane % 4) * 2;
      *reinterpret_cast<half2 *>(&C[m * N + n]) = __floats2half2_rn(acc[i][j][0], acc[i][j][1]);
      *reinterpret_cast<half2 *>(&C[(m + 8) * N + n]) = __floats2half2_rn(acc[i][j][2], acc[i][j][3]);
    }
}

// ------------------------------------------------------------------ steps 3 and 4
// 64-byte smem rows: 4 chunks of 16B, chunk index xor'ed with (row / 2) % 4.
__device__ __forceinline__ int swz32(int row, int chunk) { return row * 32 + ((chunk ^ ((row >> 1) & 3)) << 3); }

template <int STAGES, bool SMEM_EPILOGUE>
__global__ void __launch_bounds__(256)
hgemm_tn_stages_kernel(const half *__restrict__ A, const half *__restrict__ Bt, half *__restrict__ C, int M, int N, int K) {
  constexpr int BM = 128, BN = 128, BK = 32;
  extern __shared__ __align__(128) half smem[];
  half *sa = smem;                        // [STAGES][BM*BK]
  half *sb = smem + STAGES * BM * BK;     // [STAGES][BN*BK]
  const int tid = threadIdx.x, warp = tid >> 5, lane = tid & 31;
  const int wm = (warp & 1) * 64, wn = (warp >> 1) * 32;
  const half *Ab = A + (size_t)blockIdx.y * BM * K;
  const half *Bb = Bt + (size_t)blockIdx.x * BN * K;
  const int T = K / BK;

  auto issue = [&](int t) {
    if (t < T) {
      const int s = t % STAGES;
#pragma unroll
      for (int p = 0; p < 2; ++p) {
        int id = tid + p * 256, r = id >> 2, c = id & 3;
        CP_ASYNC_CG(smem_u32(sa + s * BM * BK + swz32(r, c)), Ab + (size_t)r * K + t * BK + c * 8, 16);
        CP_ASYNC_CG(smem_u32(sb + s * BN * BK + swz32(r, c)), Bb + (size_t)r * K + t * BK + c * 8, 16);
      }
    }
    CP_ASYNC_COMMIT_GROUP();  // possibly empty, keeps the count right
  };

#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) issue(s);

  float acc[4][4][4] = {};
#pragma unroll 1
  for (int t = 0; t < T; ++t) {
    CP_ASYNC_WAIT_GROUP(STAGES - 2);
    __syncthreads();
    issue(t + STAGES - 1);
    const half *a = sa + (t % STAGES) * BM * BK;
    const half *b = sb + (t % STAGES) * BN * BK;
#pragma unroll
    for (int kk = 0; kk < 2; ++kk) {
      uint32_t fa[4][4], fb[2][4];
#pragma unroll
      for (int i = 0; i < 4; ++i)
        LDMATRIX_X4(fa[i][0], fa[i][1], fa[i][2], fa[i][3],
                    smem_u32(a + swz32(wm + i * 16 + (lane & 15), kk * 2 + (lane >> 4))));
#pragma unroll
      for (int j = 0; j < 2; ++j)
        LDMATRIX_X4(fb[j][0], fb[j][1], fb[j][2], fb[j][3],
                    smem_u32(b + swz32(wn + j * 16 + (lane & 7) + ((lane >> 4) << 3), kk * 2 + ((lane >> 3) & 1))));
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) mma_f32(acc[i][j], fa[i], fb[j >> 1][(j & 1) * 2], fb[j >> 1][(j & 1) * 2 + 1]);
    }
  }

  if constexpr (!SMEM_EPILOGUE) {
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        int m = blockIdx.y * BM + wm + i * 16 + (lane >> 2), n = blockIdx.x * BN + wn + j * 8 + (lane & 3) * 2;
        *reinterpret_cast<half2 *>(C + (size_t)m * N + n) = __floats2half2_rn(acc[i][j][0], acc[i][j][1]);
        *reinterpret_cast<half2 *>(C + (size_t)(m + 8) * N + n) = __floats2half2_rn(acc[i][j][2], acc[i][j][3]);
      }
  } else {
    CP_ASYNC_WAIT_GROUP(0);
    __syncthreads();
    constexpr int LDC = BN + 8;            // 128*136*2 = 34816 B, fits in the pipeline buffers
    static_assert(BM * LDC <= STAGES * (BM + BN) * BK, "epilogue tile");
    half *sc = smem;
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        int m = wm + i * 16 + (lane >> 2), n = wn + j * 8 + (lane & 3) * 2;
        *reinterpret_cast<half2 *>(sc + m * LDC + n) = __floats2half2_rn(acc[i][j][0], acc[i][j][1]);
        *reinterpret_cast<half2 *>(sc + (m + 8) * LDC + n) = __floats2half2_rn(acc[i][j][2], acc[i][j][3]);
      }
    __syncthreads();
#pragma unroll
    for (int p = 0; p < BM * BN / 8 / 256; ++p) {
      int id = tid + p * 256, r = id >> 4, c = (id & 15) * 8;
      LDST128BITS(C[(size_t)(blockIdx.y * BM + r) * N + blockIdx.x * BN + c]) = LDST128BITS(sc[r * LDC + c]);
    }
  }
}

// ------------------------------------------------------------------ step 5
__device__ __forceinline__ int swz64(int row, int chunk) { return row * 64 + ((chunk ^ (row & 7)) << 3); }

template <int STAGES>
__global__ void __launch_bounds__(256, 1)
hgemm_tn_256x128_kernel(const half *__restrict__ A, const half *__restrict__ Bt, half *__restrict__ C, int M, int N, int K,
                        int group_m) {
  constexpr int BM = 256, BN = 128, BK = 64;
  extern __shared__ __align__(128) half smem[];
  half *sa = smem, *sb = smem + STAGES * BM * BK;
  const int tid = threadIdx.x, warp = tid >> 5, lane = tid & 31;
  const int wm = (warp & 3) * 64, wn = (warp >> 2) * 64;

  // grouped ordering of the tiles for L2 reuse
  const int tiles_m = M / BM, tiles_n = N / BN;
  const int per_group = group_m * tiles_n;
  const int g = blockIdx.x / per_group;
  const int gsz = min(group_m, tiles_m - g * group_m);
  const int tile_m = g * group_m + (blockIdx.x % per_group) % gsz;
  const int tile_n = (blockIdx.x % per_group) / gsz;

  const half *Ab = A + (size_t)tile_m * BM * K;
  const half *Bb = Bt + (size_t)tile_n * BN * K;
  const int T = K / BK;

  auto issue = [&](int t) {
    if (t < T) {
      const int s = t % STAGES;
#pragma unroll
      for (int p = 0; p < BM * 8 / 256; ++p) {
        int id = tid + p * 256, r = id >> 3, c = id & 7;
        CP_ASYNC_CG(smem_u32(sa + s * BM * BK + swz64(r, c)), Ab + (size_t)r * K + t * BK + c * 8, 16);
      }
#pragma unroll
      for (int p = 0; p < BN * 8 / 256; ++p) {
        int id = tid + p * 256, r = id >> 3, c = id & 7;
        CP_ASYNC_CG(smem_u32(sb + s * BN * BK + swz64(r, c)), Bb + (size_t)r * K + t * BK + c * 8, 16);
      }
    }
    CP_ASYNC_COMMIT_GROUP();
  };

  uint32_t fa[2][4][4], fb[2][4][4];
  auto frags = [&](int buf, int slot, int kk) {
    const half *a = sa + slot * BM * BK;
    const half *b = sb + slot * BN * BK;
#pragma unroll
    for (int i = 0; i < 4; ++i)
      LDMATRIX_X4(fa[buf][i][0], fa[buf][i][1], fa[buf][i][2], fa[buf][i][3],
                  smem_u32(a + swz64(wm + i * 16 + (lane & 15), kk * 2 + (lane >> 4))));
#pragma unroll
    for (int j = 0; j < 4; ++j)
      LDMATRIX_X4(fb[buf][j][0], fb[buf][j][1], fb[buf][j][2], fb[buf][j][3],
                  smem_u32(b + swz64(wn + j * 16 + (lane & 7) + ((lane >> 4) << 3), kk * 2 + ((lane >> 3) & 1))));
  };

#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) issue(s);
  float acc[4][8][4] = {};
#pragma unroll 1
  for (int t = 0; t < T; ++t) {
    CP_ASYNC_WAIT_GROUP(STAGES - 2);
    __syncthreads();
    const int slot = t % STAGES;
    frags(0, slot, 0);
    issue(t + STAGES - 1);
#pragma unroll
    for (int kk = 0; kk < BK / 16; ++kk) {
      if (kk + 1 < BK / 16) frags((kk + 1) & 1, slot, kk + 1);
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j)
          mma_f32(acc[i][j], fa[kk & 1][i], fb[kk & 1][j >> 1][(j & 1) * 2], fb[kk & 1][j >> 1][(j & 1) * 2 + 1]);
    }
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      int m = tile_m * BM + wm + i * 16 + (lane >> 2), n = tile_n * BN + wn + j * 8 + (lane & 3) * 2;
      *reinterpret_cast<half2 *>(C + (size_t)m * N + n) = __floats2half2_rn(acc[i][j][0], acc[i][j][1]);
      *reinterpret_cast<half2 *>(C + (size_t)(m + 8) * N + n) = __floats2half2_rn(acc[i][j][2], acc[i][j][3]);
    }
}

__global__ void transpose_half(const half *in, half *out, int rows, int cols) {  // out[c][r] = in[r][c]
  __shared__ half tile[32][34];
  int c = blockIdx.x * 32 + threadIdx.x;
  for (int i = threadIdx.y; i < 32; i += 8) tile[i][threadIdx.x] = in[(size_t)(blockIdx.y * 32 + i) * cols + c];
  __syncthreads();
  int r = blockIdx.y * 32 + threadIdx.x;
  for (int i = threadIdx.y; i < 32; i += 8) out[(size_t)(blockIdx.x * 32 + i) * rows + r] = tile[threadIdx.x][i];
}

int main() {
  const int M = 2048, N = 2048, K = 2048;
  std::vector<half> a((size_t)M * K), b((size_t)K * N), c((size_t)M * N);
  uint32_t rng = 2463534242u;
  auto next = [&] { rng ^= rng << 13; rng ^= rng >> 17; rng ^= rng << 5; return (float)(rng & 0xffff) / 65536.f - 0.5f; };
  for (auto &v : a) v = __float2half(next());
  for (auto &v : b) v = __float2half(next());

  half *A, *B, *Bt, *C;
  CUDA_OK(cudaMalloc(&A, a.size() * 2));
  CUDA_OK(cudaMalloc(&B, b.size() * 2));
  CUDA_OK(cudaMalloc(&Bt, b.size() * 2));
  CUDA_OK(cudaMalloc(&C, c.size() * 2));
  CUDA_OK(cudaMemcpy(A, a.data(), a.size() * 2, cudaMemcpyHostToDevice));
  CUDA_OK(cudaMemcpy(B, b.data(), b.size() * 2, cudaMemcpyHostToDevice));

  auto check = [&](const char *tag) {
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaMemcpy(c.data(), C, c.size() * 2, cudaMemcpyDeviceToHost));
    CUDA_OK(cudaMemset(C, 0xff, c.size() * 2));
    double worst = 0;
    for (int s = 0; s < 128; ++s) {
      int m = (s * 613 + 5) % M, n = (s * 1361 + 77) % N;
      double r = 0;
      for (int k = 0; k < K; ++k) r += (double)__half2float(a[(size_t)m * K + k]) * __half2float(b[(size_t)k * N + n]);
      worst = std::max(worst, std::fabs(r - (double)__half2float(c[(size_t)m * N + n])));
    }
    printf("%-34s max|err| = %.5f  %s\n", tag, worst, worst < 0.15 ? "PASS" : "FAIL");
  };

  transpose_half<<<dim3(N / 32, K / 32), dim3(32, 8)>>>(B, Bt, K, N);

  hgemm_mma_m16n8k16_naive_kernel<><<<dim3(N / 8, M / 16), 32>>>(A, B, C, M, N, K);
  check("mma naive (f16 acc)");
  hgemm_mma_m16n8k16_mma2x4_warp4x4_kernel<><<<dim3(N / 128, M / 128), 256>>>(A, B, C, M, N, K);
  check("mma2x4 warp4x4 (f16 acc)");
  hgemm_mma_m16n8k16_dbuf_async_kernel<><<<dim3(N / 128, M / 128), 256>>>(A, B, C, M, N, K);
  check("cp.async double buffer");
  {
    constexpr int S = 3, bytes = S * (128 + 128) * 32 * 2;
    auto *k = hgemm_tn_stages_kernel<S, false>;
    CUDA_OK(cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    k<<<dim3(N / 128, M / 128), 256, bytes>>>(A, Bt, C, M, N, K);
    check("TN swizzle, 3 stages");
  }
  {
    constexpr int S = 4, bytes = S * (128 + 128) * 32 * 2;
    auto *k = hgemm_tn_stages_kernel<S, true>;
    CUDA_OK(cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    k<<<dim3(N / 128, M / 128), 256, bytes>>>(A, Bt, C, M, N, K);
    check("TN swizzle, 4 stages, smem epilogue");
  }
  {
    constexpr int S = 3, bytes = S * (256 + 128) * 64 * 2;
    auto *k = hgemm_tn_256x128_kernel<S>;
    CUDA_OK(cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    k<<<(M / 256) * (N / 128), 256, bytes>>>(A, Bt, C, M, N, K, 4);
    check("TN 256x128x64, 3 stages");
  }
  CUDA_OK(cudaDeviceSynchronize());
  cudaFree(A); cudaFree(B); cudaFree(Bt); cudaFree(C);
  return 0;
}
