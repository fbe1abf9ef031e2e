// Layernorm and RMSnorm forward over (B*T, C): a thread, a warp or a block to each row, with one pass or two.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
namespace cg = cooperative_groups;

__global__ void layernorm_thread_per_row(float* out, float* mean, float* rstd, const float* inp,
                                         const float* weight, const float* bias, int N, int C) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= N) return;
    const float* x = inp + (size_t)row * C;
    float m = 0.0f;
    for (int i = 0; i < C; i++) m += x[i];
    m /= C;
    float v = 0.0f;
    for (int i = 0; i < C; i++) v += (x[i] - m) * (x[i] - m);
    float s = rsqrtf(v / C + 1e-5f);
    float* y = out + (size_t)row * C;
    for (int i = 0; i < C; i++) y[i] = (x[i] - m) * s * weight[i] + bias[i];
    mean[row] = m, rstd[row] = s;
}
__global__ void layernorm_warp_per_row(float* __restrict__ out, float* __restrict__ mean, float* __restrict__ rstd,
                                       const float* __restrict__ inp, const float* __restrict__ weight,
                                       const float* __restrict__ bias, int N, int C) {
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
    int row = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
    if (row >= N) return;
    const float* x = inp + (size_t)row * C;
    float m = 0.0f, v = 0.0f;
    for (int i = warp.thread_rank(); i < C; i += 32) m += x[i];
    m = cg::reduce(warp, m, cg::plus<float>()) / C;
    for (int i = warp.thread_rank(); i < C; i += 32) { float d = x[i] - m; v += d * d; }
    float s = rsqrtf(cg::reduce(warp, v, cg::plus<float>()) / C + 1e-5f);
    if (warp.thread_rank() == 0) { mean[row] = m; __stcs(rstd + row, s); }
    for (int i = warp.thread_rank(); i < C; i += 32)
        __stcs(out + (size_t)row * C + i, (__ldcs(x + i) - m) * s * weight[i] + bias[i]);
}
// the classic tree in shared memory
template <int BLOCK>
__device__ float tree_sum(float v, float* tree) {
    tree[threadIdx.x] = v;
    __syncthreads();
    for (int s = BLOCK / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) tree[threadIdx.x] += tree[threadIdx.x + s];
        __syncthreads();
    }
    v = tree[0];
    __syncthreads();
    return v;
}
template <int BLOCK>
__global__ void layernorm_block_tree(float* out, const float* inp, const float* weight, const float* bias, int C) {
    __shared__ float tree[BLOCK];
    const float* x = inp + (size_t)blockIdx.x * C;
    float sum = 0.0f, sq = 0.0f;
    for (int i = threadIdx.x; i < C; i += BLOCK) sum += x[i];
    float m = tree_sum<BLOCK>(sum, tree) / C;
    for (int i = threadIdx.x; i < C; i += BLOCK) sq += (x[i] - m) * (x[i] - m);
    float r = rsqrtf(tree_sum<BLOCK>(sq, tree) / C + 1e-5f);
    for (int i = threadIdx.x; i < C; i += BLOCK) out[(size_t)blockIdx.x * C + i] = weight[i] * (x[i] - m) * r + bias[i];
}
__device__ float2 block_sum2(float2 v, float2* scratch) {
    for (int o = 16; o; o >>= 1) v.x += __shfl_xor_sync(~0u, v.x, o), v.y += __shfl_xor_sync(~0u, v.y, o);
    if ((threadIdx.x & 31) == 0) scratch[threadIdx.x >> 5] = v;
    __syncthreads();
    float2 t = make_float2(0.0f, 0.0f);
    for (int w = 0; w < blockDim.x >> 5; w++) { t.x += scratch[w].x; t.y += scratch[w].y; }
    return t;
}
// sum and sum of squares in a single pass; each thread keeps its float4 in registers
__global__ void layernorm_one_pass_vec4(float4* out, const float4* inp, const float4* weight, const float4* bias, int C4) {
    __shared__ float2 scratch[32];
    float4 x = inp[(size_t)blockIdx.x * C4 + threadIdx.x];
    float2 s = block_sum2(make_float2(x.x + x.y + x.z + x.w, x.x * x.x + x.y * x.y + x.z * x.z + x.w * x.w), scratch);
    float m = s.x / (4 * C4), r = rsqrtf(s.y / (4 * C4) - m * m + 1e-5f);
    float4 w = weight[threadIdx.x], b = bias[threadIdx.x];
    out[(size_t)blockIdx.x * C4 + threadIdx.x] = make_float4((x.x - m) * r * w.x + b.x, (x.y - m) * r * w.y + b.y,
                                                             (x.z - m) * r * w.z + b.z, (x.w - m) * r * w.w + b.w);
}
__global__ void rmsnorm_rows(float* out, const float* inp, const float* weight, int N, int C) {
    __shared__ float part[8];
    for (int row = blockIdx.x; row < N; row += gridDim.x) {
        float ss = 0.0f;
        for (int i = threadIdx.x; i < C; i += blockDim.x) { float x = inp[(size_t)row * C + i]; ss = fmaf(x, x, ss); }
        for (int o = 16; o; o >>= 1) ss += __shfl_down_sync(0xffffffffu, ss, o);
        if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = ss;
        __syncthreads();
        float all = 0.0f;
        for (int w = 0; w < 8; w++) all += part[w];
        float r = 1.0f / sqrtf(all / C + 1e-6f);
        for (int i = threadIdx.x; i < C; i += blockDim.x) out[(size_t)row * C + i] = inp[(size_t)row * C + i] * r * weight[i];
        __syncthreads();
    }
}
struct alignas(16) Pack { __nv_bfloat162 v[4]; };

// residual += x, then RMSnorm of the sum; rows of 8 * blockDim.x bf16
__global__ void __launch_bounds__(512) add_rmsnorm_bf16(Pack* out, Pack* residual, const Pack* x, const Pack* weight) {
    __shared__ float2 scratch[32];
    size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    Pack a = residual[at], b = x[at], w = weight[threadIdx.x];
    float2 ss = make_float2(0.0f, 0.0f);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        a.v[i] = __hadd2(a.v[i], b.v[i]);
        float2 f = __bfloat1622float2(a.v[i]);
        ss.x += f.x * f.x, ss.y += f.y * f.y;
    }
    residual[at] = a;
    float2 t = block_sum2(ss, scratch);
    __nv_bfloat162 r = __float2bfloat162_rn(rsqrtf((t.x + t.y) / (8 * blockDim.x) + 1e-6f));
#pragma unroll
    for (int i = 0; i < 4; i++) a.v[i] = __hmul2(__hmul2(a.v[i], r), w.v[i]);
    out[at] = a;
}

int main() {
    const int N = 8 * 1024, C = 768, H = 4096;
    size_t n = (size_t)N * C;
    float *h = (float*)malloc(n * 4), *inp, *out, *w, *b, *mean, *rstd;
    Pack *px, *pres, *pw;
    for (size_t i = 0; i < n; i++) h[i] = rand() / (float)RAND_MAX * 2.0f - 1.0f;
    for (float** p : {&inp, &out}) cudaMalloc(p, n * 4);
    for (float** p : {&w, &b, &mean, &rstd}) cudaMalloc(p, N * 4);
    cudaMalloc(&px, (size_t)N * H * 2); cudaMalloc(&pres, (size_t)N * H * 2); cudaMalloc(&pw, H * 2);
    cudaMemcpy(inp, h, n * 4, cudaMemcpyHostToDevice); cudaMemcpy(w, h, C * 4, cudaMemcpyHostToDevice); cudaMemcpy(b, h + C, C * 4, cudaMemcpyHostToDevice);
    cudaMemset(px, 0x3d, (size_t)N * H * 2); cudaMemset(pres, 0x3c, (size_t)N * H * 2); cudaMemset(pw, 0x3f, H * 2);
    layernorm_thread_per_row<<<N / 64, 64>>>(out, mean, rstd, inp, w, b, N, C);
    layernorm_warp_per_row<<<N / 8, 256>>>(out, mean, rstd, inp, w, b, N, C);
    layernorm_block_tree<128><<<N, 128>>>(out, inp, w, b, C);
    layernorm_one_pass_vec4<<<N, C / 4>>>((float4*)out, (float4*)inp, (float4*)w, (float4*)b, C / 4);
    rmsnorm_rows<<<528, 256>>>(out, inp, w, N, C);
    add_rmsnorm_bf16<<<N, H / 8>>>(px, pres, px, pw);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
