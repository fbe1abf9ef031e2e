/*
LayerNorm / RMSNorm ladder.

forward:  1 = thread per row, 2 = block per row (shared tree), 3 = warp per row (cooperative groups),
          4 = block per row with smem caching and float4, 5 = fused residual + layernorm, 6 = rmsnorm bf16
backward: 1 = warp per row, atomics on global dweight/dbias
          2 = shared accumulators then atomics
          3 = two stage: partial sums per block, then a column reduction
*/
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <string.h>
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

#define CUDA_OK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(2); } } while (0)
#define CEIL_DIV(M, N) (((M) + (N) - 1) / (N))
#define EPS 1e-5f

// ----------------------------------------------------------------------------
// forward kernels

__global__ void layernorm_forward_kernel1(float* out, float* mean, float* rstd, const float* inp,
                                          const float* weight, const float* bias, int N, int C) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= N) return;
    const float* x = inp + (size_t)idx * C;
    float m = 0.0f;
    for (int i = 0; i < C; i++) m += x[i];
    m /= C;
    float v = 0.0f;
    for (int i = 0; i < C; i++) { float d = x[i] - m; v += d * d; }
    float s = 1.0f / sqrtf(v / C + EPS);
    float* o = out + (size_t)idx * C;
    for (int i = 0; i < C; i++) o[i] = s * (x[i] - m) * weight[i] + bias[i];
    mean[idx] = m;
    rstd[idx] = s;
}

__global__ void layernorm_forward_kernel2(float* out, float* mean, float* rstd, const float* inp,
                                          const float* weight, const float* bias, int N, int C) {
    extern __shared__ float red[];
    int row = blockIdx.x, tid = threadIdx.x;
    const float* x = inp + (size_t)row * C;
    float sum = 0.0f;
    for (int i = tid; i < C; i += blockDim.x) sum += x[i];
    red[tid] = sum;
    __syncthreads();
    for (int stride = blockDim.x / 2; stride >= 1; stride /= 2) {
        if (tid < stride) red[tid] += red[tid + stride];
        __syncthreads();
    }
    float m = red[0] / C;
    __syncthreads();
    sum = 0.0f;
    for (int i = tid; i < C; i += blockDim.x) { float d = x[i] - m; sum += d * d; }
    red[tid] = sum;
    __syncthreads();
    for (int stride = blockDim.x / 2; stride >= 1; stride /= 2) {
        if (tid < stride) red[tid] += red[tid + stride];
        __syncthreads();
    }
    float s = rsqrtf(red[0] / C + EPS);
    if (tid == 0) { mean[row] = m; rstd[row] = s; }
    float* o = out + (size_t)row * C;
    for (int i = tid; i < C; i += blockDim.x) o[i] = s * (x[i] - m) * weight[i] + bias[i];
}

__global__ void layernorm_forward_kernel3(float* __restrict__ out, float* __restrict__ mean, float* __restrict__ rstd,
                                          const float* __restrict__ inp, const float* __restrict__ weight,
                                          const float* __restrict__ bias, int N, int C) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    int idx = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
    if (idx >= N) return;
    const float* x = inp + (size_t)idx * C;
    float sum = 0.0f;
    for (int i = warp.thread_rank(); i < C; i += warp.size()) sum += x[i];
    float m = cg::reduce(warp, sum, cg::plus<float>{}) / C;
    sum = 0.0f;
    for (int i = warp.thread_rank(); i < C; i += warp.size()) { float d = x[i] - m; sum += d * d; }
    float s = rsqrtf(cg::reduce(warp, sum, cg::plus<float>{}) / C + EPS);
    if (warp.thread_rank() == 0) { __stcs(mean + idx, m); __stcs(rstd + idx, s); }
    float* o = out + (size_t)idx * C;
    for (int c = warp.thread_rank(); c < C; c += warp.size()) {
        float n = s * (__ldcs(x + c) - m);
        __stcs(o + c, n * weight[c] + bias[c]);
    }
}

// warp per row; row, weight and bias kept in shared memory; float4 accesses. blockDim = (32, rows)
__global__ void layernorm_forward_kernel4(float* out, float* mean, float* rstd, const float* inp,
                                          const float* weight, const float* bias, int N, int C) {
    extern __shared__ float4 sm4[];
    const int C4 = C / 4;
    float4 *sw = sm4, *sb = sm4 + C4, *sx = sm4 + (2 + threadIdx.y) * C4;
    for (int i = threadIdx.x + 32 * threadIdx.y; i < C4; i += 32 * blockDim.y) {
        sw[i] = ((const float4*)weight)[i];
        sb[i] = ((const float4*)bias)[i];
    }
    __syncthreads();
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= N) return;
    const float4* x = (const float4*)(inp + (size_t)row * C);
    float sum = 0.0f;
    for (int i = threadIdx.x; i < C4; i += 32) {
        float4 v = __ldcs(x + i);
        sx[i] = v;
        sum += v.x + v.y + v.z + v.w;
    }
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    float m = sum / C, var = 0.0f;
    for (int i = threadIdx.x; i < C4; i += 32) {
        float4 v = sx[i];
        var += (v.x - m) * (v.x - m) + (v.y - m) * (v.y - m) + (v.z - m) * (v.z - m) + (v.w - m) * (v.w - m);
    }
    for (int o = 16; o > 0; o >>= 1) var += __shfl_xor_sync(0xffffffffu, var, o);
    float s = rsqrtf(var / C + EPS);
    float4* y = (float4*)(out + (size_t)row * C);
    for (int i = threadIdx.x; i < C4; i += 32) {
        float4 v = sx[i], w = sw[i], b = sb[i], r;
        r.x = s * (v.x - m) * w.x + b.x;
        r.y = s * (v.y - m) * w.y + b.y;
        r.z = s * (v.z - m) * w.z + b.z;
        r.w = s * (v.w - m) * w.w + b.w;
        __stcs(y + i, r);
    }
    if (threadIdx.x == 0) { mean[row] = m; rstd[row] = s; }
}

// residual = inp1 + inp2, then layernorm of the residual. Row kept in registers; C == 4 * 32 * PER_LANE
template <int PER_LANE>
__global__ void __launch_bounds__(256) fused_residual_forward_kernel5(
        float4* residual, float4* normed, float* mean, float* rstd, const float4* inp1, const float4* inp2,
        const float4* weight, const float4* bias, int N) {
    const int C4 = 32 * PER_LANE, lane = threadIdx.x & 31;
    int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (row >= N) return;
    float4 v[PER_LANE];
    float sum = 0.0f, sq = 0.0f;
    #pragma unroll
    for (int k = 0; k < PER_LANE; k++) {
        size_t at = (size_t)row * C4 + lane + 32 * k;
        float4 a = __ldcs(inp1 + at), b = __ldcs(inp2 + at);
        v[k] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
        residual[at] = v[k];
        sum += v[k].x + v[k].y + v[k].z + v[k].w;
        sq += v[k].x * v[k].x + v[k].y * v[k].y + v[k].z * v[k].z + v[k].w * v[k].w;
    }
    for (int o = 16; o > 0; o >>= 1) {
        sum += __shfl_xor_sync(0xffffffffu, sum, o);
        sq += __shfl_xor_sync(0xffffffffu, sq, o);
    }
    float m = sum / (4 * C4), s = rsqrtf(sq / (4 * C4) - m * m + EPS);
    #pragma unroll
    for (int k = 0; k < PER_LANE; k++) {
        float4 w = __ldg(weight + lane + 32 * k), b = __ldg(bias + lane + 32 * k), r;
        r.x = s * (v[k].x - m) * w.x + b.x;
        r.y = s * (v[k].y - m) * w.y + b.y;
        r.z = s * (v[k].z - m) * w.z + b.z;
        r.w = s * (v[k].w - m) * w.w + b.w;
        normed[(size_t)row * C4 + lane + 32 * k] = r;
    }
    if (lane == 0) { mean[row] = m; rstd[row] = s; }
}

// rmsnorm, fp32 in, bf16 out, block per row
__global__ void rmsnorm_forward_kernel6(__nv_bfloat162* out, const float2* inp, const float2* weight, int C2) {
    __shared__ float part[32];
    const float2* x = inp + (size_t)blockIdx.x * C2;
    float sq = 0.0f;
    for (int i = threadIdx.x; i < C2; i += blockDim.x) { float2 v = x[i]; sq += v.x * v.x + v.y * v.y; }
    for (int o = 16; o > 0; o >>= 1) sq += __shfl_xor_sync(0xffffffffu, sq, o);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = sq;
    __syncthreads();
    float t = (threadIdx.x & 31) < blockDim.x / 32 ? part[threadIdx.x & 31] : 0.0f;
    for (int o = 16; o > 0; o >>= 1) t += __shfl_xor_sync(0xffffffffu, t, o);
    float s = rsqrtf(t / (2 * C2) + EPS);
    for (int i = threadIdx.x; i < C2; i += blockDim.x) {
        float2 v = x[i], w = weight[i];
        out[(size_t)blockIdx.x * C2 + i] = __floats2bfloat162_rn(v.x * s * w.x, v.y * s * w.y);
    }
}

// ----------------------------------------------------------------------------
// backward kernels
// MODE 1: global atomics. MODE 2: shared accumulators, then atomics. MODE 3: per-block partials into scratch
template <int MODE>
__global__ void layernorm_backward_kernel(float* dinp, float* dweight, float* dbias, float* scratch, const float* dout,
                                          const float* inp, const float* weight, const float* mean, const float* rstd,
                                          int N, int C) {
    extern __shared__ float acc[];
    if (MODE != 1) {
        for (int i = threadIdx.x; i < 2 * C; i += blockDim.x) acc[i] = 0.0f;
        __syncthreads();
    }
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
    int stride = gridDim.x * warp.meta_group_size();
    for (int row = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank(); row < N; row += stride) {
        const float *x = inp + (size_t)row * C, *dy = dout + (size_t)row * C;
        float m = mean[row], s = rstd[row], dn = 0.0f, dnn = 0.0f;
        for (int i = warp.thread_rank(); i < C; i += 32) {
            float n = (x[i] - m) * s, d = weight[i] * dy[i];
            dn += d;
            dnn += d * n;
        }
        dn = cg::reduce(warp, dn, cg::plus<float>{}) / C;
        dnn = cg::reduce(warp, dnn, cg::plus<float>{}) / C;
        for (int i = warp.thread_rank(); i < C; i += 32) {
            float n = (x[i] - m) * s, g = dy[i];
            if (MODE == 1) { atomicAdd(dbias + i, g); atomicAdd(dweight + i, n * g); }
            else { atomicAdd(acc + i, g); atomicAdd(acc + C + i, n * g); }
            dinp[(size_t)row * C + i] = (weight[i] * g - dn - n * dnn) * s;
        }
    }
    if (MODE != 1) {
        __syncthreads();
        for (int i = threadIdx.x; i < 2 * C; i += blockDim.x) {
            if (MODE == 3) scratch[(size_t)blockIdx.x * 2 * C + i] = acc[i];
            else if (i < C) atomicAdd(dbias + i, acc[i]);
            else atomicAdd(dweight + i - C, acc[i]);
        }
    }
}
__global__ void layernorm_backward_stage2(float* dweight, float* dbias, const float* scratch, int parts, int C) {
    __shared__ float tile[8][33];
    int col = blockIdx.x * 32 + threadIdx.x;       // blockDim (32, 8)
    float s = 0.0f;
    for (int p = threadIdx.y; p < parts; p += 8) s += scratch[(size_t)p * 2 * C + col];
    tile[threadIdx.y][threadIdx.x] = s;
    __syncthreads();
    if (threadIdx.y == 0) {
        for (int k = 1; k < 8; k++) s += tile[k][threadIdx.x];
        if (col < C) dbias[col] = s; else dweight[col - C] = s;
    }
}

// ----------------------------------------------------------------------------
static int g_bad = 0;
static void report(const char* what, double err, double tol) {
    int ok = err <= tol;
    printf("%-28s err %.3e %s\n", what, err, ok ? "ok" : "BAD");
    if (!ok) g_bad++;
}
static double row_err(const float* dev, const float* ref, const int* rows, int nrows, int C) {
    float* h = (float*)malloc(C * sizeof(float));
    double e = 0;
    for (int r = 0; r < nrows; r++) {
        CUDA_OK(cudaMemcpy(h, dev + (size_t)rows[r] * C, C * sizeof(float), cudaMemcpyDeviceToHost));
        for (int i = 0; i < C; i++) { double d = fabs(h[i] - ref[r * C + i]); if (!(d <= e)) e = d; }
    }
    free(h);
    return e;
}

int main(void) {
    const int B = 8, T = 1024, C = 768, N = B * T;
    const size_t n = (size_t)N * C;
    float *h_inp = (float*)malloc(n * 4), *h_dout = (float*)malloc(n * 4), h_w[768], h_b[768];
    unsigned st = 1337u;
    for (size_t i = 0; i < n; i++) {
        st = st * 1664525u + 1013904223u; h_inp[i] = (st >> 8) * (2.0f / 16777216.0f) - 1.0f;
        st = st * 1664525u + 1013904223u; h_dout[i] = (st >> 8) * (2.0f / 16777216.0f) - 1.0f;
    }
    for (int i = 0; i < C; i++) { h_w[i] = 0.5f + 0.001f * i; h_b[i] = 0.3f - 0.0007f * i; }
    float *inp, *dout, *out, *res, *mean, *rstd, *w, *b, *dw, *db, *scratch;
    const int PARTS = 132;
    CUDA_OK(cudaMalloc(&inp, n * 4)); CUDA_OK(cudaMalloc(&dout, n * 4));
    CUDA_OK(cudaMalloc(&out, n * 4)); CUDA_OK(cudaMalloc(&res, n * 4));
    CUDA_OK(cudaMalloc(&mean, N * 4)); CUDA_OK(cudaMalloc(&rstd, N * 4));
    CUDA_OK(cudaMalloc(&w, C * 4)); CUDA_OK(cudaMalloc(&b, C * 4));
    CUDA_OK(cudaMalloc(&dw, C * 4)); CUDA_OK(cudaMalloc(&db, C * 4));
    CUDA_OK(cudaMalloc(&scratch, (size_t)PARTS * 2 * C * 4));
    CUDA_OK(cudaMemcpy(inp, h_inp, n * 4, cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemcpy(dout, h_dout, n * 4, cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemcpy(w, h_w, C * 4, cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemcpy(b, h_b, C * 4, cudaMemcpyHostToDevice));

    // reference on sampled rows: plain layernorm, residual layernorm, rmsnorm, dinp
    enum { NS = 5 };
    int rows[NS] = {0, 1, 4097, N - 2, N - 1};
    static float r_ln[NS * 768], r_res[NS * 768], r_rms[NS * 768], r_dinp[NS * 768];
    double* bm = (double*)malloc(N * 8), *bs = (double*)malloc(N * 8);
    for (int r = 0; r < N; r++) {
        const float* x = h_inp + (size_t)r * C;
        double m = 0, v = 0;
        for (int i = 0; i < C; i++) { m += x[i]; v += (double)x[i] * x[i]; }
        m /= C; v = v / C - m * m;
        bm[r] = m; bs[r] = 1.0 / sqrt(v + EPS);
    }
    for (int k = 0; k < NS; k++) {
        const float *x = h_inp + (size_t)rows[k] * C, *y = h_dout + (size_t)rows[k] * C;
        double m = bm[rows[k]], s = bs[rows[k]], m2 = 0, v2 = 0, q = 0, dn = 0, dnn = 0;
        for (int i = 0; i < C; i++) { m2 += x[i] + y[i]; q += (double)x[i] * x[i]; }
        m2 /= C;
        for (int i = 0; i < C; i++) {
            double d = x[i] + y[i] - m2; v2 += d * d;
            dn += h_w[i] * y[i]; dnn += h_w[i] * y[i] * (x[i] - m) * s;
        }
        dn /= C; dnn /= C;
        double s2 = 1.0 / sqrt(v2 / C + EPS), sr = 1.0 / sqrt(q / C + EPS);
        for (int i = 0; i < C; i++) {
            r_ln[k * C + i] = (float)((x[i] - m) * s * h_w[i] + h_b[i]);
            r_res[k * C + i] = (float)((x[i] + y[i] - m2) * s2 * h_w[i] + h_b[i]);
            r_rms[k * C + i] = (float)(x[i] * sr * h_w[i]);
            r_dinp[k * C + i] = (float)((h_w[i] * y[i] - dn - (x[i] - m) * s * dnn) * s);
        }
    }
    static double r_dw[768], r_db[768];
    for (int r = 0; r < N; r++)
        for (int i = 0; i < C; i++) {
            double g = h_dout[(size_t)r * C + i];
            r_db[i] += g;
            r_dw[i] += g * (h_inp[(size_t)r * C + i] - bm[r]) * bs[r];
        }

    for (int kernel_num = 1; kernel_num <= 6; kernel_num++) {
        CUDA_OK(cudaMemset(out, 0, n * 4));
        switch (kernel_num) {
            case 1: layernorm_forward_kernel1<<<CEIL_DIV(N, 64), 64>>>(out, mean, rstd, inp, w, b, N, C); break;
            case 2: layernorm_forward_kernel2<<<N, 256, 256 * 4>>>(out, mean, rstd, inp, w, b, N, C); break;
            case 3: layernorm_forward_kernel3<<<CEIL_DIV(N * 32, 512), 512>>>(out, mean, rstd, inp, w, b, N, C); break;
            case 4: layernorm_forward_kernel4<<<CEIL_DIV(N, 8), dim3(32, 8), (2 + 8) * C * 4>>>(out, mean, rstd, inp, w, b, N, C); break;
            case 5: fused_residual_forward_kernel5<6><<<CEIL_DIV(N * 32, 256), 256>>>((float4*)res, (float4*)out, mean, rstd,
                        (const float4*)inp, (const float4*)dout, (const float4*)w, (const float4*)b, N); break;
            case 6: rmsnorm_forward_kernel6<<<N, 128>>>((__nv_bfloat162*)res, (const float2*)inp, (const float2*)w, C / 2); break;
        }
        CUDA_OK(cudaGetLastError());
        char name[64];
        snprintf(name, sizeof name, "forward kernel %d", kernel_num);
        if (kernel_num <= 4) report(name, row_err(out, r_ln, rows, NS, C), 1e-4);
        else if (kernel_num == 5) report(name, row_err(out, r_res, rows, NS, C), 2e-4);
        else {
            static __nv_bfloat16 hb[768];
            double e = 0;
            for (int k = 0; k < NS; k++) {
                CUDA_OK(cudaMemcpy(hb, (__nv_bfloat16*)res + (size_t)rows[k] * C, sizeof hb, cudaMemcpyDeviceToHost));
                for (int i = 0; i < C; i++) { double d = fabs(__bfloat162float(hb[i]) - r_rms[k * C + i]); if (!(d <= e)) e = d; }
            }
            report(name, e, 2e-2);
        }
    }

    // statistics of the plain layernorm for the backward pass (kernel 5 overwrote them)
    layernorm_forward_kernel3<<<CEIL_DIV(N * 32, 256), 256>>>(out, mean, rstd, inp, w, b, N, C);
    CUDA_OK(cudaGetLastError());
    for (int mode = 1; mode <= 3; mode++) {
        CUDA_OK(cudaMemset(dw, 0, C * 4)); CUDA_OK(cudaMemset(db, 0, C * 4)); CUDA_OK(cudaMemset(res, 0, n * 4));
        size_t smem = 2 * C * sizeof(float);
        if (mode == 1) layernorm_backward_kernel<1><<<CEIL_DIV(N, 8), 256>>>(res, dw, db, scratch, dout, inp, w, mean, rstd, N, C);
        if (mode == 2) layernorm_backward_kernel<2><<<PARTS * 2, 512, smem>>>(res, dw, db, scratch, dout, inp, w, mean, rstd, N, C);
        if (mode == 3) {
            layernorm_backward_kernel<3><<<PARTS, 1024, smem>>>(res, dw, db, scratch, dout, inp, w, mean, rstd, N, C);
            layernorm_backward_stage2<<<2 * C / 32, dim3(32, 8)>>>(dw, db, scratch, PARTS, C);
        }
        CUDA_OK(cudaGetLastError());
        float hdw[768], hdb[768];
        CUDA_OK(cudaMemcpy(hdw, dw, C * 4, cudaMemcpyDeviceToHost));
        CUDA_OK(cudaMemcpy(hdb, db, C * 4, cudaMemcpyDeviceToHost));
        double e = 0;
        for (int i = 0; i < C; i++) e = fmax(e, fmax(fabs(hdw[i] - r_dw[i]), fabs(hdb[i] - r_db[i])));
        char name[64];
        snprintf(name, sizeof name, "backward kernel %d dw/db", mode);
        report(name, e, 2e-2);
        snprintf(name, sizeof name, "backward kernel %d dinp", mode);
        report(name, row_err(res, r_dinp, rows, NS, C), 1e-4);
    }
    CUDA_OK(cudaDeviceSynchronize());
    puts(g_bad ? "FAIL" : "PASS");
    return g_bad ? 1 : 0;
}
