/*
Layernorm forward and backward, several versions.
forward 1: one thread per row
forward 2: mean / rstd / normalise split into block reductions
forward 3: one warp per row with cooperative groups
forward 4: block per row, row kept in shared memory, fused residual add
backward 1: one thread per row, atomics on dweight and dbias
backward 2: one warp per row, shared memory accumulators, atomics once per block
backward 3: column owner partial sums, no atomics for dweight
*/
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <assert.h>
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

#define CUDA_CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

inline int ceil_div(int a, int b) { return (a + b - 1) / b; }

__global__ void layernorm_forward_kernel1(float* out, float* mean, float* rstd,
                                          const float* inp, const float* weight, const float* bias,
                                          int N, int C) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    float eps = 1e-5f;
    if (idx < N) {
        const float* x = inp + idx * C;
        float m = 0.0f;
        for (int i = 0; i < C; i++) m += x[i];
        m = m / C;
        float v = 0.0f;
        for (int i = 0; i < C; i++) {
            float xshift = x[i] - m;
            v += xshift * xshift;
        }
        v = v / C;
        float s = 1.0f / sqrtf(v + eps);
        float* out_idx = out + idx * C;
        for (int i = 0; i < C; i++) {
            float n = (s * (x[i] - m));
            out_idx[i] = n * weight[i] + bias[i];
        }
        mean[idx] = m;
        rstd[idx] = s;
    }
}

__global__ void mean_rstd_kernel(float* mean, float* rstd, const float* inp, int N, int C, int block_size) {
    extern __shared__ float shared[];
    int idx = blockIdx.x;
    int tid = threadIdx.x;
    const float* x = inp + idx * C;
    float sum = 0.0f, sq = 0.0f;
    for (int i = tid; i < C; i += block_size) {
        sum += x[i];
        sq += x[i] * x[i];
    }
    shared[tid] = sum;
    shared[block_size + tid] = sq;
    __syncthreads();
    for (int stride = block_size / 2; stride >= 1; stride /= 2) {
        if (tid < stride) {
            shared[tid] += shared[tid + stride];
            shared[block_size + tid] += shared[block_size + tid + stride];
        }
        __syncthreads();
    }
    if (tid == 0) {
        float m = shared[0] / C;
        mean[idx] = m;
        rstd[idx] = rsqrtf(shared[block_size] / C - m * m + 1e-5f);
    }
}

__global__ void normalization_kernel(float* out, const float* inp, const float* mean, const float* rstd,
                                     const float* weight, const float* bias, int N, int C) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= N * C) return;
    int row = idx / C;
    int c = idx % C;
    out[idx] = rstd[row] * (inp[idx] - mean[row]) * weight[c] + bias[c];
}

__global__ void layernorm_forward_kernel3(float* __restrict__ out, float* __restrict__ mean, float* __restrict__ rstd,
                                          const float* __restrict__ inp, const float* __restrict__ weight,
                                          const float* __restrict__ bias, int N, int C) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    int idx = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
    if (idx >= N) return;
    const float* x = inp + idx * C;
    float sum = 0.0f;
    for (int i = warp.thread_rank(); i < C; i += warp.size()) sum += x[i];
    sum = cg::reduce(warp, sum, cg::plus<float>{});
    float m = sum / C;
    if (warp.thread_rank() == 0) __stcs(mean + idx, m);
    sum = 0.0f;
    for (int i = warp.thread_rank(); i < C; i += warp.size()) {
        float diff = x[i] - m;
        sum += diff * diff;
    }
    sum = cg::reduce(warp, sum, cg::plus<float>{});
    float s = rsqrtf(sum / C + 1e-5f);
    if (warp.thread_rank() == 0) __stcs(rstd + idx, s);
    float* o = out + idx * C;
    for (int c = warp.thread_rank(); c < C; c += warp.size()) {
        float n = s * (__ldcs(x + c) - m);
        __stcs(o + c, n * weight[c] + bias[c]);
    }
}

__device__ float block_sum(float v, float* scratch) {
    int lane = threadIdx.x & 31, w = threadIdx.x >> 5, nw = blockDim.x >> 5;
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    __syncthreads();
    if (lane == 0) scratch[w] = v;
    __syncthreads();
    v = lane < nw ? scratch[lane] : 0.0f;
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}

// residual = inp1 + inp2; normed = layernorm(residual)
__global__ void fused_residual_forward_kernel(float* residual, float* normed, float* mean, float* rstd,
                                              const float* inp1, const float* inp2,
                                              const float* weight, const float* bias, int N, int C) {
    extern __shared__ float4 row4[];
    __shared__ float scratch[32];
    int row = blockIdx.x;
    int C4 = C / 4;
    const float4* a = (const float4*)(inp1 + (size_t)row * C);
    const float4* b = (const float4*)(inp2 + (size_t)row * C);
    float4* r = (float4*)(residual + (size_t)row * C);
    float4* o = (float4*)(normed + (size_t)row * C);
    float sum = 0.0f;
    for (int i = threadIdx.x; i < C4; i += blockDim.x) {
        float4 x = a[i], y = b[i];
        x.x += y.x; x.y += y.y; x.z += y.z; x.w += y.w;
        row4[i] = x;
        r[i] = x;
        sum += x.x + x.y + x.z + x.w;
    }
    float m = block_sum(sum, scratch) / C;
    float v = 0.0f;
    for (int i = threadIdx.x; i < C4; i += blockDim.x) {
        float4 x = row4[i];
        v += (x.x - m) * (x.x - m) + (x.y - m) * (x.y - m) + (x.z - m) * (x.z - m) + (x.w - m) * (x.w - m);
    }
    float s = rsqrtf(block_sum(v, scratch) / C + 1e-5f);
    for (int i = threadIdx.x; i < C4; i += blockDim.x) {
        float4 x = row4[i];
        float4 w = ((const float4*)weight)[i], bb = ((const float4*)bias)[i];
        o[i] = make_float4(s * (x.x - m) * w.x + bb.x, s * (x.y - m) * w.y + bb.y,
                           s * (x.z - m) * w.z + bb.z, s * (x.w - m) * w.w + bb.w);
    }
    if (threadIdx.x == 0) { mean[row] = m; rstd[row] = s; }
}

__global__ void layernorm_backward_kernel1(float* dinp, float* dweight, float* dbias,
                                           const float* dout, const float* inp, const float* weight,
                                           const float* mean, const float* rstd, int N, int C) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= N) return;
    const float* dout_bt = dout + idx * C;
    const float* inp_bt = inp + idx * C;
    float* dinp_bt = dinp + idx * C;
    float mean_bt = mean[idx];
    float rstd_bt = rstd[idx];
    float dnorm_mean = 0.0f, dnorm_norm_mean = 0.0f;
    for (int i = 0; i < C; i++) {
        float norm = (inp_bt[i] - mean_bt) * rstd_bt;
        float dnorm = weight[i] * dout_bt[i];
        dnorm_mean += dnorm;
        dnorm_norm_mean += dnorm * norm;
    }
    dnorm_mean /= C;
    dnorm_norm_mean /= C;
    for (int i = 0; i < C; i++) {
        float norm = (inp_bt[i] - mean_bt) * rstd_bt;
        float dnorm = weight[i] * dout_bt[i];
        atomicAdd(&dbias[i], dout_bt[i]);
        atomicAdd(&dweight[i], norm * dout_bt[i]);
        dinp_bt[i] += (dnorm - dnorm_mean - norm * dnorm_norm_mean) * rstd_bt;
    }
}

// persistent-ish: fixed grid, every warp loops over rows
__global__ void layernorm_backward_kernel2(float* dinp, float* dweight, float* dbias,
                                           const float* dout, const float* inp, const float* weight,
                                           const float* mean, const float* rstd, int N, int C) {
    extern __shared__ float sh[];
    float* dbias_shared = sh;
    float* dweight_shared = sh + C;
    for (int i = threadIdx.x; i < C; i += blockDim.x) {
        dbias_shared[i] = 0.0f;
        dweight_shared[i] = 0.0f;
    }
    __syncthreads();
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    int warps_in_grid = gridDim.x * warp.meta_group_size();
    for (int idx = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank(); idx < N; idx += warps_in_grid) {
        const float* dout_bt = dout + idx * C;
        const float* inp_bt = inp + idx * C;
        float* dinp_bt = dinp + idx * C;
        const float m = mean[idx], r = rstd[idx];
        float dnorm_mean = 0.0f, dnorm_norm_mean = 0.0f;
        for (int i = warp.thread_rank(); i < C; i += 32) {
            float norm = (inp_bt[i] - m) * r;
            float dnorm = weight[i] * dout_bt[i];
            dnorm_mean += dnorm;
            dnorm_norm_mean += dnorm * norm;
        }
        dnorm_mean = cg::reduce(warp, dnorm_mean, cg::plus<float>{}) / C;
        dnorm_norm_mean = cg::reduce(warp, dnorm_norm_mean, cg::plus<float>{}) / C;
        for (int i = warp.thread_rank(); i < C; i += 32) {
            float d = dout_bt[i];
            float norm = (inp_bt[i] - m) * r;
            atomicAdd(&dbias_shared[i], d);
            atomicAdd(&dweight_shared[i], norm * d);
            dinp_bt[i] += (weight[i] * d - dnorm_mean - norm * dnorm_norm_mean) * r;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < C; i += blockDim.x) {
        atomicAdd(&dbias[i], dbias_shared[i]);
        atomicAdd(&dweight[i], dweight_shared[i]);
    }
}

// block (32, 8): 32 columns, 8 row lanes; each block covers a slab of rows
__global__ void layernorm_dparam_kernel(float* dweight, float* dbias, const float* dout, const float* inp,
                                        const float* mean, const float* rstd, int N, int C, int rows_per_block) {
    __shared__ float sw[8][33], sb[8][33];
    int c = blockIdx.x * 32 + threadIdx.x;
    int r0 = blockIdx.y * rows_per_block;
    int r1 = min(N, r0 + rows_per_block);
    float dw = 0.0f, db = 0.0f;
    if (c < C) {
        for (int r = r0 + threadIdx.y; r < r1; r += 8) {
            float d = dout[r * C + c];
            db += d;
            dw += d * (inp[r * C + c] - mean[r]) * rstd[r];
        }
    }
    sw[threadIdx.y][threadIdx.x] = dw;
    sb[threadIdx.y][threadIdx.x] = db;
    __syncthreads();
    if (threadIdx.y == 0 && c < C) {
        for (int k = 1; k < 8; k++) { dw += sw[k][threadIdx.x]; db += sb[k][threadIdx.x]; }
        atomicAdd(dweight + c, dw);
        atomicAdd(dbias + c, db);
    }
}

float* make_random(size_t n) {
    float* h = (float*)malloc(n * sizeof(float));
    for (size_t i = 0; i < n; i++) h[i] = ((float)rand() / RAND_MAX) * 2.0f - 1.0f;
    float* d;
    CUDA_CHECK(cudaMalloc(&d, n * sizeof(float)));
    CUDA_CHECK(cudaMemcpy(d, h, n * sizeof(float), cudaMemcpyHostToDevice));
    free(h);
    return d;
}
float* make_zeros(size_t n) {
    float* d;
    CUDA_CHECK(cudaMalloc(&d, n * sizeof(float)));
    CUDA_CHECK(cudaMemset(d, 0, n * sizeof(float)));
    return d;
}

int main(void) {
    srand(0);
    const int B = 8, T = 1024, C = 768;
    const int N = B * T;
    float* inp = make_random((size_t)N * C);
    float* inp2 = make_random((size_t)N * C);
    float* dout = make_random((size_t)N * C);
    float* weight = make_random(C);
    float* bias = make_random(C);
    float* out = make_zeros((size_t)N * C);
    float* residual = make_zeros((size_t)N * C);
    float* dinp = make_zeros((size_t)N * C);
    float* mean = make_zeros(N);
    float* rstd = make_zeros(N);
    float* dweight = make_zeros(C);
    float* dbias = make_zeros(C);

    layernorm_forward_kernel1<<<ceil_div(N, 64), 64>>>(out, mean, rstd, inp, weight, bias, N, C);
    fused_residual_forward_kernel<<<N, 192, C * sizeof(float)>>>(residual, out, mean, rstd, inp, inp2, weight, bias, N, C);
    mean_rstd_kernel<<<N, 128, 2 * 128 * sizeof(float)>>>(mean, rstd, inp, N, C, 128);
    normalization_kernel<<<ceil_div(N * C, 256), 256>>>(out, inp, mean, rstd, weight, bias, N, C);
    layernorm_forward_kernel3<<<ceil_div(N * 32, 256), 256>>>(out, mean, rstd, inp, weight, bias, N, C);
    // only half a sequence for the naive one, it's slow
    layernorm_backward_kernel1<<<ceil_div(T / 2, 64), 64>>>(dinp, dweight, dbias, dout, inp, weight, mean, rstd, T / 2, C);
    layernorm_backward_kernel2<<<132, 512, 2 * C * sizeof(float)>>>(dinp, dweight, dbias, dout, inp, weight, mean, rstd, N, C);
    layernorm_dparam_kernel<<<dim3(ceil_div(C, 32), 32), dim3(32, 8)>>>(dweight, dbias, dout, inp, mean, rstd, N, C, ceil_div(N, 32));
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());

    float* h = (float*)malloc((size_t)N * C * sizeof(float));
    double s = 0;
    CUDA_CHECK(cudaMemcpy(h, out, (size_t)N * C * sizeof(float), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < (size_t)N * C; i++) s += fabs(h[i]);
    CUDA_CHECK(cudaMemcpy(h, dinp, (size_t)N * C * sizeof(float), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < (size_t)N * C; i++) s += fabs(h[i]);
    CUDA_CHECK(cudaMemcpy(h, dweight, C * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < C; i++) s += fabs(h[i]);
    printf("checksum = %f\n", s);
    CUDA_CHECK(cudaDeviceSynchronize());
    return 0;
}
