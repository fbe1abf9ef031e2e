// Quantised kernels: per-row int8 quantise, dp4a GEMM and GEMV, mma int8 m16n8k32 GEMM + dequantise,
// 4-bit group-wise GEMV, 8-bit float (e4m3, table decoded) GEMV, tf32 m16n8k8 GEMM.
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>
#include <cuda_fp16.h>

static void ck(cudaError_t e, int l) { if (e != cudaSuccess) { fprintf(stderr, "cuda error at %d: %s\n", l, cudaGetErrorString(e)); exit(1); } }
#define CK(x) ck(x, __LINE__)
#define DIVUP(a, b) (((a) + (b) - 1) / (b))

__host__ __device__ inline uint32_t rng(uint32_t x) { x += 0x9e3779b9u; x ^= x >> 16; x *= 0x21f0aaadu; x ^= x >> 15; x *= 0x735a2d97u; x ^= x >> 15; return x; }
__host__ __device__ inline float fval(uint32_t i) { return (int)(rng(i) >> 12) * (2.0f / 1048576.0f) - 1.0f; }

__global__ void fill(float* f, uint32_t* bits, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) { f[i] = fval(i); bits[i] = rng(i ^ 0x55555555u); }
}

// block per row: absmax, scale, round to nearest
__global__ void quantize_rows(int8_t* __restrict__ q, float* __restrict__ scale, const float* __restrict__ x, int K) {
    __shared__ float sh[32];
    const float4* row = reinterpret_cast<const float4*>(x + (size_t)blockIdx.x * K);
    float m = 0.f;
    for (int i = threadIdx.x; i < K / 4; i += blockDim.x) {
        float4 v = row[i];
        m = fmaxf(m, fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w))));
    }
    for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
    if (threadIdx.x % 32 == 0) sh[threadIdx.x / 32] = m;
    __syncthreads();
    m = 0.f;
    for (unsigned w = 0; w < blockDim.x / 32; w++) m = fmaxf(m, sh[w]);
    float inv = m > 0.f ? 127.f / m : 0.f;
    if (threadIdx.x == 0) scale[blockIdx.x] = m / 127.f;
    char4* out = reinterpret_cast<char4*>(q + (size_t)blockIdx.x * K);
    for (int i = threadIdx.x; i < K / 4; i += blockDim.x) {
        float4 v = row[i];
        out[i] = make_char4((signed char)__float2int_rn(v.x * inv), (signed char)__float2int_rn(v.y * inv),
                            (signed char)__float2int_rn(v.z * inv), (signed char)__float2int_rn(v.w * inv));
    }
}

// C[M,N] int32 = A[M,K] * B[N,K]^T with dp4a; 64x64 tile, 32 bytes of K, 4x4 a thread
__global__ void __launch_bounds__(256) gemm_dp4a(int* __restrict__ C, const int8_t* __restrict__ A, const int8_t* __restrict__ B, int M, int N, int K) {
    __shared__ int As[8][64 + 1], Bs[8][64 + 1];
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    const int *a = reinterpret_cast<const int*>(A) + (size_t)blockIdx.y * 64 * (K / 4), *b = reinterpret_cast<const int*>(B) + (size_t)blockIdx.x * 64 * (K / 4);
    int acc[4][4] = {};
    for (int k0 = 0; k0 < K / 4; k0 += 8) {
        for (int e = threadIdx.x; e < 512; e += 256) {
            As[e % 8][e / 8] = a[(size_t)(e / 8) * (K / 4) + k0 + e % 8];
            Bs[e % 8][e / 8] = b[(size_t)(e / 8) * (K / 4) + k0 + e % 8];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; k++) {
            int ra[4], rb[4];
#pragma unroll
            for (int i = 0; i < 4; i++) { ra[i] = As[k][ty * 4 + i]; rb[i] = Bs[k][tx + 16 * i]; }
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) acc[i][j] = __dp4a(ra[i], rb[j], acc[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) C[(size_t)(blockIdx.y * 64 + ty * 4 + i) * N + blockIdx.x * 64 + tx + 16 * j] = acc[i][j];
}

// same product on tensor cores: 128x128 tile, 64 bytes of K, 8 warps of 64x32
__global__ void __launch_bounds__(256) gemm_mma_s8(int* __restrict__ C, const int8_t* __restrict__ A, const int8_t* __restrict__ B, int M, int N, int K) {
    constexpr int LD = 20;                            // words a row: 16 + 4 of padding
    __shared__ __align__(16) uint32_t As[128 * LD], Bs[128 * LD];
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, wm = warp / 4 * 64, wn = warp % 4 * 32, g = lane / 4, t = lane % 4;
    const int8_t *a = A + (size_t)blockIdx.y * 128 * K, *b = B + (size_t)blockIdx.x * 128 * K;
    int acc[4][4][4] = {};
    for (int k0 = 0; k0 < K; k0 += 64) {
        for (int e = tid; e < 512; e += 256) {
            int r = e / 4, c = e % 4;
            *reinterpret_cast<uint4*>(&As[r * LD + c * 4]) = *reinterpret_cast<const uint4*>(a + (size_t)r * K + k0 + c * 16);
            *reinterpret_cast<uint4*>(&Bs[r * LD + c * 4]) = *reinterpret_cast<const uint4*>(b + (size_t)r * K + k0 + c * 16);
        }
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < 16; kk += 8) {
            uint32_t fa[4][4], fb[4][2];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const uint32_t* p = As + (wm + i * 16 + g) * LD + kk + t;
                fa[i][0] = p[0]; fa[i][1] = p[8 * LD]; fa[i][2] = p[4]; fa[i][3] = p[8 * LD + 4];
            }
#pragma unroll
            for (int j = 0; j < 4; j++) {
                const uint32_t* p = Bs + (wn + j * 8 + g) * LD + kk + t;
                fb[j][0] = p[0]; fb[j][1] = p[4];
            }
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
                                 : "+r"(acc[i][j][0]), "+r"(acc[i][j][1]), "+r"(acc[i][j][2]), "+r"(acc[i][j][3])
                                 : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]), "r"(fb[j][0]), "r"(fb[j][1]));
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            int* c = C + (size_t)(blockIdx.y * 128 + wm + i * 16 + g) * N + blockIdx.x * 128 + wn + j * 8 + t * 2;
            *reinterpret_cast<int2*>(c) = make_int2(acc[i][j][0], acc[i][j][1]);
            *reinterpret_cast<int2*>(c + (size_t)8 * N) = make_int2(acc[i][j][2], acc[i][j][3]);
        }
}

__global__ void dequantize(half2* __restrict__ out, const int2* __restrict__ acc, const float* __restrict__ sa, const float* __restrict__ sb, int M, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= M * N / 2) return;
    int r = i / (N / 2), c = i % (N / 2) * 2;
    int2 v = __ldcs(acc + i);
    float s = sa[r];
    out[i] = __floats2half2_rn(v.x * s * sb[c], v.y * s * sb[c + 1]);
}

// y[n] = scale_w[n] * scale_x * sum W[n,k] x[k], warp per row, 16 bytes a lane
__global__ void gemv_s8(float* __restrict__ y, const int8_t* __restrict__ W, const float* __restrict__ sw, const int8_t* __restrict__ x, const float* __restrict__ sx, int N, int K) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= N) return;
    const int4 *w = reinterpret_cast<const int4*>(W + (size_t)row * K), *v = reinterpret_cast<const int4*>(x);
    int acc = 0;
    for (int i = lane; i < K / 16; i += 32) {
        int4 a = __ldcs(w + i), b = __ldg(v + i);
        acc = __dp4a(a.x, b.x, acc); acc = __dp4a(a.y, b.y, acc);
        acc = __dp4a(a.z, b.z, acc); acc = __dp4a(a.w, b.w, acc);
    }
    acc = __reduce_add_sync(~0u, acc);
    if (lane == 0) y[row] = acc * sw[row] * sx[0];
}

// 4-bit weights, groups of 64 share a half scale; zero point 8. Block of 4 warps per row.
__global__ void __launch_bounds__(128) gemv_w4(float* __restrict__ y, const uint32_t* __restrict__ W, const half* __restrict__ scales, const float* __restrict__ x, int K) {
    __shared__ float part[4];
    int row = blockIdx.x;
    const uint32_t* w = W + (size_t)row * (K / 8);
    const half* s = scales + (size_t)row * (K / 64);
    float acc = 0.f;
    for (int i = threadIdx.x; i < K / 8; i += 128) {
        uint32_t u = __ldcs(w + i);
        const float4 *xv = reinterpret_cast<const float4*>(x) + 2 * i;
        float4 p = xv[0], q = xv[1];
        float d = ((int)(u & 15) - 8) * p.x + ((int)(u >> 4 & 15) - 8) * p.y + ((int)(u >> 8 & 15) - 8) * p.z + ((int)(u >> 12 & 15) - 8) * p.w +
                  ((int)(u >> 16 & 15) - 8) * q.x + ((int)(u >> 20 & 15) - 8) * q.y + ((int)(u >> 24 & 15) - 8) * q.z + ((int)(u >> 28) - 8) * q.w;
        acc += d * __half2float(s[i / 8]);
    }
    for (int o = 16; o; o >>= 1) acc += __shfl_down_sync(~0u, acc, o);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = acc;
    __syncthreads();
    if (threadIdx.x == 0) y[row] = part[0] + part[1] + part[2] + part[3];
}

__host__ __device__ inline float decode_e4m3(unsigned b) {
    unsigned e = b >> 3 & 15, m = b & 7;
    float v = e ? (1.0f + m / 8.0f) * exp2f((float)e - 7.0f) : m / 8.0f * exp2f(-6.0f);
    return b & 128 ? -v : v;                          // 0x7f / 0xff are treated as 480 here
}
// e4m3 weights decoded by a table in shared memory, warp per row
__global__ void gemv_e4m3(float* __restrict__ y, const uint8_t* __restrict__ W, const float* __restrict__ x, int N, int K) {
    __shared__ float lut[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) lut[i] = decode_e4m3(i);
    __syncthreads();
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= N) return;
    const uint32_t* w = reinterpret_cast<const uint32_t*>(W + (size_t)row * K);
    const float4* xv = reinterpret_cast<const float4*>(x);
    float acc = 0.f;
#pragma unroll 4
    for (int i = lane; i < K / 4; i += 32) {
        uint32_t u = __ldcs(w + i);
        float4 v = xv[i];
        acc += lut[u & 255] * v.x + lut[u >> 8 & 255] * v.y + lut[u >> 16 & 255] * v.z + lut[u >> 24] * v.w;
    }
    for (int o = 16; o; o >>= 1) acc += __shfl_xor_sync(~0u, acc, o);
    if (lane == 0) y[row] = acc;
}

__device__ inline uint32_t to_tf32(float x) { uint32_t r; asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(x)); return r; }
// C[M,N] = A[M,K] * B[K,N], 128x128x16 tile, 8 warps of 64x32
__global__ void __launch_bounds__(256) gemm_tf32(float* __restrict__ C, const float* __restrict__ A, const float* __restrict__ B, int M, int N, int K) {
    constexpr int LA = 20, LB = 136;
    __shared__ uint32_t As[128 * LA], Bs[16 * LB];
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, wm = warp / 4 * 64, wn = warp % 4 * 32, g = lane / 4, t = lane % 4;
    A += (size_t)blockIdx.y * 128 * K;
    B += blockIdx.x * 128;
    float acc[4][4][4] = {};
    for (int k0 = 0; k0 < K; k0 += 16) {
        for (int e = tid; e < 512; e += 256) {
            float4 v = *reinterpret_cast<const float4*>(A + (size_t)(e / 4) * K + k0 + e % 4 * 4);
            uint32_t* d = As + e / 4 * LA + e % 4 * 4;
            d[0] = to_tf32(v.x); d[1] = to_tf32(v.y); d[2] = to_tf32(v.z); d[3] = to_tf32(v.w);
            v = *reinterpret_cast<const float4*>(B + (size_t)(k0 + e / 32) * N + e % 32 * 4);
            d = Bs + e / 32 * LB + e % 32 * 4;
            d[0] = to_tf32(v.x); d[1] = to_tf32(v.y); d[2] = to_tf32(v.z); d[3] = to_tf32(v.w);
        }
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < 16; kk += 8) {
            uint32_t fa[4][4], fb[4][2];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const uint32_t* p = As + (wm + i * 16 + g) * LA + kk + t;
                fa[i][0] = p[0]; fa[i][1] = p[8 * LA]; fa[i][2] = p[4]; fa[i][3] = p[8 * LA + 4];
            }
#pragma unroll
            for (int j = 0; j < 4; j++) { fb[j][0] = Bs[(kk + t) * LB + wn + j * 8 + g]; fb[j][1] = Bs[(kk + t + 4) * LB + wn + j * 8 + g]; }
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
                                 : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]), "+f"(acc[i][j][3])
                                 : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]), "r"(fb[j][0]), "r"(fb[j][1]));
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            float* c = C + (size_t)(blockIdx.y * 128 + wm + i * 16 + g) * N + blockIdx.x * 128 + wn + j * 8 + t * 2;
            *reinterpret_cast<float2*>(c) = make_float2(acc[i][j][0], acc[i][j][1]);
            *reinterpret_cast<float2*>(c + (size_t)8 * N) = make_float2(acc[i][j][2], acc[i][j][3]);
        }
}

static int nfail = 0;
static void say(const char* n, double worst, double tol) { bool ok = worst <= tol; printf("%-26s worst %.3e (tol %.0e) %s\n", n, worst, tol, ok ? "ok" : "BAD"); nfail += !ok; }
template <class T> static std::vector<T> get(const T* d, size_t n) { std::vector<T> h(n); CK(cudaMemcpy(h.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost)); return h; }

int main() {
    const int R = 4096, K = 4096, M = 1024, N = 2048, KG = 2048, n = R * K;
    float *f, *y, *sa; uint32_t* bits; int8_t* q; int* c32; half *out, *gs;
    CK(cudaMalloc(&f, (size_t)n * 4)); CK(cudaMalloc(&bits, (size_t)n * 4)); CK(cudaMalloc(&q, n)); CK(cudaMalloc(&c32, (size_t)M * N * 4));
    CK(cudaMalloc(&out, (size_t)M * N * 2)); CK(cudaMalloc(&gs, (size_t)R * (K / 64) * 2)); CK(cudaMalloc(&y, R * 4)); CK(cudaMalloc(&sa, R * 2 * 4));
    std::vector<half> hgs((size_t)R * (K / 64));
    for (size_t i = 0; i < hgs.size(); i++) hgs[i] = __float2half(0.01f + (i % 17) * 0.002f);
    CK(cudaMemcpy(gs, hgs.data(), hgs.size() * 2, cudaMemcpyHostToDevice));
    fill<<<1056, 256>>>(f, bits, n);
    CK(cudaGetLastError());

    // --- R x K quantised by rows, then a GEMV with row 5 (as activations) ---
    quantize_rows<<<R, 256>>>(q, sa, f, K);
    CK(cudaGetLastError());
    std::vector<int8_t> hq = get(q, n);
    std::vector<float> hs = get(sa, R);
    double w = 0;
    for (int r = 0; r < R; r += 511) {
        float m = 0;
        for (int k = 0; k < K; k++) m = fmaxf(m, fabsf(fval(r * K + k)));
        w = fmax(w, fabs(hs[r] * 127 / m - 1));
        for (int k = 0; k < K; k++) w = fmax(w, fabs(fval(r * K + k) - hq[(size_t)r * K + k] * hs[r]) / hs[r] - 0.5);
    }
    say("quantize_rows", w, 1e-3);
    gemv_s8<<<DIVUP(R * 32, 256), 256>>>(y, q, sa, q + 5 * (size_t)K, sa + 5, R, K);
    CK(cudaGetLastError());
    std::vector<float> hy = get(y, R);
    w = 0;
    for (int r = 0; r < R; r += 37) {
        long long d = 0;
        for (int k = 0; k < K; k++) d += hq[(size_t)r * K + k] * hq[5 * (size_t)K + k];
        w = fmax(w, fabs(hy[r] - (double)d * hs[r] * hs[5]) / (1.0 + fabs(hy[r])));
    }
    say("gemv_s8 4096x4096", w, 1e-5);

    // --- int8 GEMM, A = first M*KG bytes, B = the N*KG bytes after it ---
    const int8_t *A8 = q, *B8 = q + (size_t)M * KG;
    for (int v = 0; v < 2; v++) {
        CK(cudaMemset(c32, 0xff, (size_t)M * N * 4));
        if (v == 0) gemm_dp4a<<<dim3(N / 64, M / 64), 256>>>(c32, A8, B8, M, N, KG);
        else gemm_mma_s8<<<dim3(N / 128, M / 128), 256>>>(c32, A8, B8, M, N, KG);
        CK(cudaGetLastError());
        std::vector<int> hc = get(c32, (size_t)M * N);
        w = 0;
        for (int s = 0; s < 1500; s++) {
            int i = s * 613 % M, j = (s * 1301 + 7) % N, d = 0;
            for (int k = 0; k < KG; k++) d += hq[(size_t)i * KG + k] * hq[((size_t)M + j) * KG + k];
            w = fmax(w, fabs((double)d - hc[(size_t)i * N + j]));
        }
        say(v ? "gemm mma s8 m16n8k32" : "gemm dp4a", w, 0);
    }
    dequantize<<<DIVUP(M * N / 2, 256), 256>>>((half2*)out, (const int2*)c32, sa, sa + M, M, N);
    CK(cudaGetLastError());
    {
        std::vector<int> hc = get(c32, (size_t)M * N);
        std::vector<half> ho = get(out, (size_t)M * N);
        w = 0;
        for (size_t i = 0; i < (size_t)M * N; i += 97) {
            double r = (double)hc[i] * hs[i / N] * hs[M + i % N];
            w = fmax(w, fabs(r - __half2float(ho[i])) / (0.1 + fabs(r)));
        }
        say("dequantize", w, 1e-3);
    }

    // --- 4 bit and e4m3 GEMV on the random bits ---
    gemv_w4<<<R, 128>>>(y, bits, gs, f, K);
    CK(cudaGetLastError());
    hy = get(y, R);
    w = 0;
    for (int r = 0; r < R; r += 61) {
        double d = 0;
        for (int k = 0; k < K; k++) {
            uint32_t u = rng((uint32_t)(r * (K / 8) + k / 8) ^ 0x55555555u);
            d += ((int)(u >> (k % 8 * 4) & 15) - 8) * (double)fval(k) * __half2float(hgs[(size_t)r * (K / 64) + k / 64]);
        }
        w = fmax(w, fabs(d - hy[r]));
    }
    say("gemv_w4 4096x4096", w, 2e-3);
    gemv_e4m3<<<R / 8, 256>>>(y, (const uint8_t*)bits, f, R, K);
    CK(cudaGetLastError());
    hy = get(y, R);
    w = 0;
    for (int r = 0; r < R; r += 61) {
        double d = 0, mag = 0;
        for (int k = 0; k < K; k++) {
            uint32_t u = rng((uint32_t)(r * (K / 4) + k / 4) ^ 0x55555555u);
            double p = (double)decode_e4m3(u >> (k % 4 * 8) & 255) * fval(k);
            d += p; mag += fabs(p);
        }
        w = fmax(w, fabs(d - hy[r]) / mag);
    }
    say("gemv_e4m3 4096x4096", w, 1e-5);

    // --- tf32, two sizes ---
    for (int v = 0; v < 2; v++) {
        const int m = v ? 512 : 1024, nn = v ? 768 : 2048, k = v ? 3072 : 1024;
        const size_t boff = (size_t)m * k;
        float* C = reinterpret_cast<float*>(c32);
        gemm_tf32<<<dim3(nn / 128, m / 128), 256>>>(C, f, f + boff, m, nn, k);
        CK(cudaGetLastError());
        std::vector<float> hc = get(C, (size_t)m * nn);
        w = 0;
        for (int s = 0; s < 800; s++) {
            int i = s * 331 % m, j = (s * 757 + 11) % nn;
            double d = 0;
            for (int kk = 0; kk < k; kk++) d += (double)fval(i * k + kk) * fval((uint32_t)(boff + (size_t)kk * nn + j));
            w = fmax(w, fabs(d - hc[(size_t)i * nn + j]));
        }
        say(v ? "gemm tf32 512x768x3072" : "gemm tf32 1024x2048x1024", w, 5e-2);
    }
    CK(cudaDeviceSynchronize());
    cudaFree(f); cudaFree(bits); cudaFree(q); cudaFree(c32); cudaFree(out); cudaFree(gs); cudaFree(y); cudaFree(sa);
    puts(nfail ? "FAIL" : "PASS");
    return nfail ? 1 : 0;
}
