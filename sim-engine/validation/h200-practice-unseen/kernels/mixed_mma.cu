// mixed_mma.cu : integer, tf32 and bf16 matrix products side by side.
//   - dp4a on the ordinary cores as the base line for int8
//   - mma.m16n8k32 s8 straight from global memory, through shared memory, with ldmatrix + cp.async + dequantising epilogue
//   - mma.m16n8k8 tf32, plain and split in three (close to fp32)
//   - mma.m16n8k16 bf16 from bf16 operands, and from fp32 operands converted while they are staged
// Benchmark style: one table, one measured launch per entry (a single warm-up for the first one).
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CU(x)                                                                                            \
    do {                                                                                                 \
        cudaError_t err = x;                                                                             \
        if (err != cudaSuccess) { printf("line %d: %s\n", __LINE__, cudaGetErrorString(err)); exit(1); } \
    } while (0)

typedef __nv_bfloat16 bf16;
typedef unsigned u32;

// ============================================================================ mma wrappers
__device__ __forceinline__ void mma_s8(int* c, const u32* a, u32 b0, u32 b1) {
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};\n"
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ __forceinline__ void mma_tf32(float* c, const u32* a, const u32* b) {
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};\n"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ void mma_bf16(float* c, const u32* a, u32 b0, u32 b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};\n"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ __forceinline__ u32 to_tf32(float x) { u32 r; asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(x)); return r; }
__device__ __forceinline__ u32 saddr(const void* p) { return (u32)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void ldm4(u32* r, u32 p) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];\n" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(p) : "memory");
}
__device__ __forceinline__ void ldm2(u32* r, u32 p) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1},[%2];\n" : "=r"(r[0]), "=r"(r[1]) : "r"(p) : "memory");
}
__device__ __forceinline__ void cpa(u32 dst, const void* src) { asm volatile("cp.async.ca.shared.global [%0],[%1],16;\n" ::"r"(dst), "l"(src) : "memory"); }

// ============================================================================ int8, A [M][K], B [N][K]
__global__ void __launch_bounds__(256) i8_dp4a(const int8_t* A, const int8_t* B, int* C, int M, int N, int K) {
    __shared__ int sa[64][17], sb[64][17];          // 64 rows x 64 bytes
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    const int* a = (const int*)A + (size_t)blockIdx.y * 64 * (K / 4);
    const int* b = (const int*)B + (size_t)blockIdx.x * 64 * (K / 4);
    int acc[4][4] = {};
    for (int k0 = 0; k0 < K / 4; k0 += 16) {
        for (int r = ty; r < 64; r += 16) {
            sa[r][tx] = a[(size_t)r * (K / 4) + k0 + tx];
            sb[r][tx] = b[(size_t)r * (K / 4) + k0 + tx];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) {
            int x[4], y[4];
#pragma unroll
            for (int i = 0; i < 4; i++) { x[i] = sa[ty + 16 * i][k]; y[i] = sb[tx + 16 * i][k]; }
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) acc[i][j] = __dp4a(x[i], y[j], acc[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) C[(size_t)(blockIdx.y * 64 + ty + 16 * i) * N + blockIdx.x * 64 + tx + 16 * j] = acc[i][j];
}

// one warp = 32 x 32, words read from global memory
__global__ void __launch_bounds__(128) i8_direct(const int8_t* __restrict__ A, const int8_t* __restrict__ B, int* __restrict__ C, int M, int N, int K) {
    const int lane = threadIdx.x % 32, w = threadIdx.x / 32, g = lane / 4, t = lane % 4;
    const int r0 = blockIdx.y * 64 + (w / 2) * 32, c0 = blockIdx.x * 64 + (w % 2) * 32;
    int acc[2][4][4] = {};
    for (int k = 0; k < K; k += 32) {
        u32 a[2][4];
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int q = 0; q < 4; q++)
                a[i][q] = *(const u32*)(A + (size_t)(r0 + 16 * i + g + (q & 1) * 8) * K + k + (q >> 1) * 16 + 4 * t);
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const int8_t* p = B + (size_t)(c0 + 8 * j + g) * K + k + 4 * t;
            u32 b0 = *(const u32*)p, b1 = *(const u32*)(p + 16);
            mma_s8(acc[0][j], a[0], b0, b1);
            mma_s8(acc[1][j], a[1], b0, b1);
        }
    }
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            int* c = C + (size_t)(r0 + 16 * i + g) * N + c0 + 8 * j + 2 * t;
            *(int2*)c = make_int2(acc[i][j][0], acc[i][j][1]);
            *(int2*)(c + (size_t)8 * N) = make_int2(acc[i][j][2], acc[i][j][3]);
        }
}

// 128 x 128 x 64 bytes, three stages, rows of 64 bytes swizzled, output scaled to float
template <int STAGES>
__global__ void __launch_bounds__(256) i8_pipelined(const int8_t* __restrict__ A, const int8_t* __restrict__ B, const float* __restrict__ row_scale,
                                                    const float* __restrict__ col_scale, float* __restrict__ C, int M, int N, int K) {
    extern __shared__ __align__(128) int8_t sm[];
    const int tid = threadIdx.x, lane = tid % 32, w = tid / 32;
    const int wr = (w / 4) * 64, wc = (w % 4) * 32;
    const u32 base = saddr(sm);
    const int8_t* ga = A + (size_t)blockIdx.y * 128 * K;
    const int8_t* gb = B + (size_t)blockIdx.x * 128 * K;
#define SWZ(r, c) ((r) * 64 + (((c) ^ (((r) >> 1) & 3)) << 4))
    auto stage = [&](int s, int k0) {
        u32 p = base + s * 16384;
#pragma unroll
        for (int q = tid; q < 512; q += 256) {
            cpa(p + SWZ(q >> 2, q & 3), ga + (size_t)(q >> 2) * K + k0 + (q & 3) * 16);
            cpa(p + 8192 + SWZ(q >> 2, q & 3), gb + (size_t)(q >> 2) * K + k0 + (q & 3) * 16);
        }
        asm volatile("cp.async.commit_group;\n" ::);
    };
    int acc[4][4][4] = {};
    const int nk = K / 64;
    for (int s = 0; s < STAGES - 1; s++) stage(s, s * 64);
    for (int t = 0; t < nk; t++) {
        asm volatile("cp.async.wait_group %0;\n" ::"n"(STAGES - 2) : "memory");
        __syncthreads();
        if (t + STAGES - 1 < nk) stage((t + STAGES - 1) % STAGES, (t + STAGES - 1) * 64);
        else asm volatile("cp.async.commit_group;\n" ::);
        const u32 pa = base + (t % STAGES) * 16384, pb = pa + 8192;
#pragma unroll
        for (int kk = 0; kk < 2; kk++) {
            u32 a[4][4], b[4][2];
#pragma unroll
            for (int i = 0; i < 4; i++) { int r = wr + 16 * i + (lane & 15); ldm4(a[i], pa + SWZ(r, kk * 2 + (lane >> 4))); }
#pragma unroll
            for (int j = 0; j < 4; j++) { int r = wc + 8 * j + (lane & 7); ldm2(b[j], pb + SWZ(r, kk * 2 + ((lane >> 3) & 1))); }
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) mma_s8(acc[i][j], a[i], b[j][0], b[j][1]);
        }
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            int r = blockIdx.y * 128 + wr + 16 * i + lane / 4, c = blockIdx.x * 128 + wc + 8 * j + lane % 4 * 2;
            float2 cs = *(const float2*)(col_scale + c);
            float s0 = row_scale[r], s1 = row_scale[r + 8];
            *(float2*)(C + (size_t)r * N + c) = make_float2(acc[i][j][0] * s0 * cs.x, acc[i][j][1] * s0 * cs.y);
            *(float2*)(C + (size_t)(r + 8) * N + c) = make_float2(acc[i][j][2] * s1 * cs.x, acc[i][j][3] * s1 * cs.y);
        }
}

// ============================================================================ tf32, A [M][K], B [K][N], fp32 in memory
template <bool THREE>
__global__ void __launch_bounds__(128) tf32_gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
    constexpr int BM = 64, BN = 64, BK = 32, LA = BK + 4, LB = BN + 8;      // conflict-free fragment reads
    __shared__ __align__(16) float sa[2][BM * LA], sb[2][BK * LB];
    const int tid = threadIdx.x, lane = tid & 31, w = tid >> 5, g = lane >> 2, t = lane & 3;
    const int wr = (w >> 1) * 32, wc = (w & 1) * 32;
    const float* ga = A + (size_t)blockIdx.y * BM * K;
    const float* gb = B + blockIdx.x * BN;
    auto stage = [&](int s, int k0) {
#pragma unroll
        for (int q = tid; q < BM * BK / 4; q += 128) cpa(saddr(&sa[s][(q >> 3) * LA + (q & 7) * 4]), ga + (size_t)(q >> 3) * K + k0 + (q & 7) * 4);
#pragma unroll
        for (int q = tid; q < BK * BN / 4; q += 128) cpa(saddr(&sb[s][(q >> 4) * LB + (q & 15) * 4]), gb + (size_t)(k0 + (q >> 4)) * N + (q & 15) * 4);
        asm volatile("cp.async.commit_group;\n" ::);
    };
    float acc[2][4][4] = {};
    stage(0, 0);
    const int nk = K / BK;
    for (int kt = 0; kt < nk; kt++) {
        if (kt + 1 < nk) {
            stage((kt + 1) & 1, (kt + 1) * BK);
            asm volatile("cp.async.wait_group 1;\n" ::: "memory");
        } else
            asm volatile("cp.async.wait_group 0;\n" ::: "memory");
        __syncthreads();
        const float *pa = sa[kt & 1], *pb = sb[kt & 1];
#pragma unroll
        for (int kk = 0; kk < BK; kk += 8) {
            float fa[2][4], fb[4][2];
#pragma unroll
            for (int i = 0; i < 2; i++)
#pragma unroll
                for (int q = 0; q < 4; q++) fa[i][q] = pa[(wr + 16 * i + g + (q & 1) * 8) * LA + kk + t + (q >> 1) * 4];
#pragma unroll
            for (int j = 0; j < 4; j++)
#pragma unroll
                for (int q = 0; q < 2; q++) fb[j][q] = pb[(kk + t + q * 4) * LB + wc + 8 * j + g];
            u32 ah[2][4], bh[4][2];
#pragma unroll
            for (int i = 0; i < 8; i++) ah[i >> 2][i & 3] = to_tf32(fa[i >> 2][i & 3]);
#pragma unroll
            for (int j = 0; j < 8; j++) bh[j >> 1][j & 1] = to_tf32(fb[j >> 1][j & 1]);
            if (THREE) {
                u32 al[2][4], bl[4][2];
#pragma unroll
                for (int i = 0; i < 8; i++) al[i >> 2][i & 3] = to_tf32(fa[i >> 2][i & 3] - __uint_as_float(ah[i >> 2][i & 3]));
#pragma unroll
                for (int j = 0; j < 8; j++) bl[j >> 1][j & 1] = to_tf32(fb[j >> 1][j & 1] - __uint_as_float(bh[j >> 1][j & 1]));
#pragma unroll
                for (int i = 0; i < 2; i++)
#pragma unroll
                    for (int j = 0; j < 4; j++) { mma_tf32(acc[i][j], al[i], bh[j]); mma_tf32(acc[i][j], ah[i], bl[j]); }
            }
#pragma unroll
            for (int i = 0; i < 2; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) mma_tf32(acc[i][j], ah[i], bh[j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            float* c = C + (size_t)(blockIdx.y * BM + wr + 16 * i + g) * N + blockIdx.x * BN + wc + 8 * j + 2 * t;
            *(float2*)c = make_float2(acc[i][j][0], acc[i][j][1]);
            *(float2*)(c + (size_t)8 * N) = make_float2(acc[i][j][2], acc[i][j][3]);
        }
}

// ============================================================================ bf16, A [M][K], B [N][K]
// T = bf16: copied as is; T = float: rounded to bf16 on the way into shared memory
template <typename T, int BM, int BN>
__global__ void __launch_bounds__(256) bf16_gemm(const T* __restrict__ A, const T* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
    constexpr int BK = 32, LD = BK + 8;
    constexpr int WM = BM / 2, WN = BN / 4, MT = WM / 16, NT = WN / 8;
    __shared__ __align__(16) bf16 sa[BM * LD], sb[BN * LD];
    const int tid = threadIdx.x, lane = tid & 31, w = tid >> 5;
    const int wr = (w & 1) * WM, wc = (w >> 1) * WN;
    auto copy = [&](bf16* dst, const T* src, int rows, int k0) {
        for (int q = tid; q < rows * 4; q += 256) {
            int r = q >> 2, c = (q & 3) * 8;
            const T* p = src + (size_t)r * K + k0 + c;
            if constexpr (sizeof(T) == 2) {
                *(uint4*)(dst + r * LD + c) = *(const uint4*)p;
            } else {
                float4 x = *(const float4*)p, y = *(const float4*)(p + 4);
                __nv_bfloat162 h[4] = {__floats2bfloat162_rn(x.x, x.y), __floats2bfloat162_rn(x.z, x.w), __floats2bfloat162_rn(y.x, y.y),
                                       __floats2bfloat162_rn(y.z, y.w)};
                *(uint4*)(dst + r * LD + c) = *(uint4*)h;
            }
        }
    };
    float acc[MT][NT][4] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
        copy(sa, A + (size_t)blockIdx.y * BM * K, BM, k0);
        copy(sb, B + (size_t)blockIdx.x * BN * K, BN, k0);
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < BK; kk += 16) {
            u32 a[MT][4], b[NT][2];
#pragma unroll
            for (int i = 0; i < MT; i++) ldm4(a[i], saddr(&sa[(wr + 16 * i + (lane & 15)) * LD + kk + (lane >> 4) * 8]));
#pragma unroll
            for (int j = 0; j < NT; j++) ldm2(b[j], saddr(&sb[(wc + 8 * j + (lane & 7)) * LD + kk + ((lane >> 3) & 1) * 8]));
#pragma unroll
            for (int i = 0; i < MT; i++)
#pragma unroll
                for (int j = 0; j < NT; j++) mma_bf16(acc[i][j], a[i], b[j][0], b[j][1]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < MT; i++)
#pragma unroll
        for (int j = 0; j < NT; j++) {
            float* c = C + (size_t)(blockIdx.y * BM + wr + 16 * i + lane / 4) * N + blockIdx.x * BN + wc + 8 * j + lane % 4 * 2;
            *(float2*)c = make_float2(acc[i][j][0], acc[i][j][1]);
            *(float2*)(c + (size_t)8 * N) = make_float2(acc[i][j][2], acc[i][j][3]);
        }
}

// ============================================================================ host
int M = 1024, N = 1024, K = 1024;
std::vector<int8_t> ha8, hb8;
std::vector<float> haf, hbf, hbft, hrs, hcs;
std::vector<bf16> hab, hbb;
int8_t *a8, *b8;
float *af, *bfn, *bft, *rs, *cs, *cf;
bf16 *ab, *bb;
int* ci;

enum What { I32, SCALED, TF32, TF32X3, BF16, BF16CVT };
struct Entry { const char* name; What what; double tol; void (*go)(); };

static const Entry TABLE[] = {
    {"int8 dp4a", I32, 0, [] { i8_dp4a<<<dim3(N / 64, M / 64), 256>>>(a8, b8, ci, M, N, K); }},
    {"int8 mma direct", I32, 0, [] { i8_direct<<<dim3(N / 64, M / 64), 128>>>(a8, b8, ci, M, N, K); }},
    {"int8 mma 3 stages, scaled", SCALED, 1e-5, [] { i8_pipelined<3><<<dim3(N / 128, M / 128), 256, 3 * 16384>>>(a8, b8, rs, cs, cf, M, N, K); }},
    {"int8 mma 2 stages, scaled", SCALED, 1e-5, [] { i8_pipelined<2><<<dim3(N / 128, M / 128), 256, 2 * 16384>>>(a8, b8, rs, cs, cf, M, N, K); }},
    {"tf32", TF32, 5e-2, [] { tf32_gemm<false><<<dim3(N / 64, M / 64), 128>>>(af, bfn, cf, M, N, K); }},
    {"tf32 x3", TF32X3, 3e-3, [] { tf32_gemm<true><<<dim3(N / 64, M / 64), 128>>>(af, bfn, cf, M, N, K); }},
    {"bf16 128x128", BF16, 3e-3, [] { bf16_gemm<bf16, 128, 128><<<dim3(N / 128, M / 128), 256>>>(ab, bb, cf, M, N, K); }},
    {"bf16 64x64", BF16, 3e-3, [] { bf16_gemm<bf16, 64, 64><<<dim3(N / 64, M / 64), 256>>>(ab, bb, cf, M, N, K); }},
    {"bf16 from fp32, 64x128", BF16CVT, 3e-3, [] { bf16_gemm<float, 64, 128><<<dim3(N / 128, M / 64), 256>>>(af, bft, cf, M, N, K); }},
};

static double reference(What w, int i, int j) {
    double s = 0;
    for (int k = 0; k < K; k++) {
        size_t p = (size_t)i * K + k, q = (size_t)j * K + k;
        switch (w) {
            case I32: case SCALED: s += (int)ha8[p] * (int)hb8[q]; break;
            case TF32: case TF32X3: s += (double)haf[p] * hbft[q]; break;
            case BF16: case BF16CVT: s += (double)__bfloat162float(hab[p]) * __bfloat162float(hbb[q]); break;
        }
    }
    return w == SCALED ? s * hrs[i] * hcs[j] : s;
}

template <class T> static T* push(const std::vector<T>& h) {
    T* d;
    CU(cudaMalloc(&d, h.size() * sizeof(T)));
    CU(cudaMemcpy(d, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice));
    return d;
}

int main() {
    u32 s = 90125;
    auto r = [&] { s = s * 1664525u + 1013904223u; return s >> 8; };
    const size_t na = (size_t)M * K, nb = (size_t)N * K;
    ha8.resize(na); hb8.resize(nb); haf.resize(na); hbf.resize(nb); hbft.resize(nb); hrs.resize(M); hcs.resize(N); hab.resize(na); hbb.resize(nb);
    for (auto& x : ha8) x = (int8_t)(r() % 255 - 127);
    for (auto& x : hb8) x = (int8_t)(r() % 255 - 127);
    for (auto& x : haf) x = r() / 8388608.f - 1.f;
    for (auto& x : hbft) x = r() / 8388608.f - 1.f;
    for (auto& x : hrs) x = 0.001f + r() / 16777216.f * 0.01f;
    for (auto& x : hcs) x = 0.001f + r() / 16777216.f * 0.01f;
    for (int n = 0; n < N; n++) for (int k = 0; k < K; k++) hbf[(size_t)k * N + n] = hbft[(size_t)n * K + k];
    for (size_t i = 0; i < na; i++) hab[i] = __float2bfloat16(haf[i]);
    for (size_t i = 0; i < nb; i++) hbb[i] = __float2bfloat16(hbft[i]);
    a8 = push(ha8); b8 = push(hb8); af = push(haf); bfn = push(hbf); bft = push(hbft); rs = push(hrs); cs = push(hcs); ab = push(hab); bb = push(hbb);
    CU(cudaMalloc(&cf, (size_t)M * N * 4));
    CU(cudaMalloc(&ci, (size_t)M * N * 4));
    CU(cudaFuncSetAttribute(i8_pipelined<3>, cudaFuncAttributeMaxDynamicSharedMemorySize, 3 * 16384));

    cudaEvent_t t0, t1;
    CU(cudaEventCreate(&t0));
    CU(cudaEventCreate(&t1));
    std::vector<float> gf((size_t)M * N);
    std::vector<int> gi((size_t)M * N);
    int bad = 0;
    TABLE[0].go();                                   // the only warm-up
    for (const Entry& e : TABLE) {
        CU(cudaMemset(cf, 0xff, (size_t)M * N * 4));
        CU(cudaMemset(ci, 0xff, (size_t)M * N * 4));
        CU(cudaEventRecord(t0));
        e.go();
        CU(cudaEventRecord(t1));
        CU(cudaGetLastError());
        CU(cudaEventSynchronize(t1));
        float ms = 0;
        CU(cudaEventElapsedTime(&ms, t0, t1));
        CU(cudaMemcpy(gf.data(), cf, gf.size() * 4, cudaMemcpyDeviceToHost));
        CU(cudaMemcpy(gi.data(), ci, gi.size() * 4, cudaMemcpyDeviceToHost));
        double worst = 0;
        for (int q = 0; q < 3000; q++) {
            int i = r() % M, j = r() % N;
            double want = reference(e.what, i, j), got = e.what == I32 ? (double)gi[(size_t)i * N + j] : (double)gf[(size_t)i * N + j];
            double d = fabs(want - got) / (e.what == SCALED ? 1.0 + fabs(want) : 1.0);
            if (!(d <= worst)) worst = d;
        }
        bool ok = worst <= e.tol;
        bad += !ok;
        printf("%-28s %8.1f us %8.2f Top/s  err %.2e  %s\n", e.name, ms * 1e3, 2.0 * M * N * K / ms * 1e-9, worst, ok ? "PASS" : "FAIL");
    }
    CU(cudaEventDestroy(t0));
    CU(cudaEventDestroy(t1));
    void* all[] = {a8, b8, af, bfn, bft, rs, cs, cf, ab, bb, ci};
    for (void* p : all) CU(cudaFree(p));
    return bad;
}
