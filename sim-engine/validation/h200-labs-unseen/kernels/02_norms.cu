// Kernels for layernorm and rmsnorm, forward and backward.
// version 1: naive drag and drop from CPU code, one thread per (b,t) row
// version 3: one warp per row with cooperative groups
// version 5: bf16, residual add fused in, row kept in shared memory
//
// compile: nvcc -O3 -std=c++17 -arch=sm_90 norms.cu -o norms
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <assert.h>
#include <vector>
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;
typedef __nv_bfloat16 floatX;

inline void cudaCheck_(cudaError_t error, const char *file, int line) {
    if (error != cudaSuccess) {
        printf("[CUDA ERROR] at file %s:%d:\n%s\n", file, line, cudaGetErrorString(error));
        exit(EXIT_FAILURE);
    }
}
#define cudaCheck(err) (cudaCheck_(err, __FILE__, __LINE__))
static inline int ceil_div(int a, int b) { return (a + b - 1) / b; }

// ----------------------------------------------------------------------------
// CPU code reference

void layernorm_forward_cpu(float* out, float* mean, float* rstd,
                           const float* inp, const float* weight, const float* bias, int N, int C) {
    float eps = 1e-5f;
    for (int i = 0; i < N; i++) {
        const float* x = inp + (size_t)i * C;
        float m = 0.0f;
        for (int c = 0; c < C; c++) m += x[c];
        m /= C;
        float v = 0.0f;
        for (int c = 0; c < C; c++) { float d = x[c] - m; v += d * d; }
        v /= C;
        float s = 1.0f / sqrtf(v + eps);
        for (int c = 0; c < C; c++) out[(size_t)i * C + c] = s * (x[c] - m) * weight[c] + bias[c];
        mean[i] = m;
        rstd[i] = s;
    }
}

void layernorm_backward_cpu(float* dinp, float* dweight, float* dbias, const float* dout,
                            const float* inp, const float* weight, const float* mean, const float* rstd, int N, int C) {
    for (int i = 0; i < N; i++) {
        const float* dy = dout + (size_t)i * C;
        const float* x = inp + (size_t)i * C;
        float a = 0.0f, b = 0.0f;
        for (int c = 0; c < C; c++) {
            float norm = (x[c] - mean[i]) * rstd[i];
            float dn = weight[c] * dy[c];
            a += dn;
            b += dn * norm;
        }
        a /= C; b /= C;
        for (int c = 0; c < C; c++) {
            float norm = (x[c] - mean[i]) * rstd[i];
            float dn = weight[c] * dy[c];
            dbias[c] += dy[c];
            dweight[c] += norm * dy[c];
            dinp[(size_t)i * C + c] = (dn - a - norm * b) * rstd[i];
        }
    }
}

// ----------------------------------------------------------------------------
// GPU kernels

__global__ void layernorm_forward_kernel1(float* out, float* mean, float* rstd,
                                          const float* inp, const float* weight, const float* bias, int N, int C) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    float eps = 1e-5f;
    if (idx < N) {
        const float* x = inp + (size_t)idx * C;
        float m = 0.0f;
        for (int i = 0; i < C; i++) m += x[i];
        m = m / C;
        float v = 0.0f;
        for (int i = 0; i < C; i++) { float xshift = x[i] - m; v += xshift * xshift; }
        v = v / C;
        float s = 1.0f / sqrtf(v + eps);
        float* out_idx = out + (size_t)idx * C;
        for (int i = 0; i < C; i++) {
            float n = (s * (x[i] - m));
            out_idx[i] = n * weight[i] + bias[i];
        }
        mean[idx] = m;
        rstd[idx] = s;
    }
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

    float* o = out + (size_t)idx * C;
    for (int c = warp.thread_rank(); c < C; c += warp.size()) {
        float n = s * (__ldcs(x + c) - m);
        __stcs(o + c, n * weight[c] + bias[c]);
    }
}

// 8 bf16 in one 128-bit register group
struct alignas(16) Packed128 {
    floatX payload[8];
};

// residual = inp1 + inp2; normed = layernorm(residual). One warp (blockDim.x==32) per row, blockDim.y rows per block
__global__ void fused_residual_forward_kernel5(floatX* residual, floatX* normed, float* mean, float* rstd,
                                               const floatX* inp1, const floatX* inp2,
                                               const floatX* weight, const floatX* bias, int N, int C) {
    constexpr int WARP_SIZE = 32;
    extern __shared__ char params[];
    Packed128* s_weight = reinterpret_cast<Packed128*>(params);
    Packed128* s_bias = reinterpret_cast<Packed128*>(params) + C / 8;
    Packed128* s_res = reinterpret_cast<Packed128*>(params) + (2 + threadIdx.y) * (C / 8);

    int sidx = (threadIdx.x + WARP_SIZE * threadIdx.y) * 8;
    for (int i = sidx; i < C; i += blockDim.y * WARP_SIZE * 8) {
        s_weight[i / 8] = *reinterpret_cast<const Packed128*>(weight + i);
        s_bias[i / 8] = *reinterpret_cast<const Packed128*>(bias + i);
    }
    __syncthreads();

    int idx = blockIdx.x * blockDim.y + threadIdx.y;
    if (idx >= N) return;
    residual += (size_t)C * idx; normed += (size_t)C * idx;
    inp1 += (size_t)C * idx; inp2 += (size_t)C * idx;

    const float eps = 1e-5f;
    float sum = 0.0f;
    for (int c = threadIdx.x * 8; c < C; c += WARP_SIZE * 8) {
        const Packed128 in1 = *reinterpret_cast<const Packed128*>(inp1 + c);
        const Packed128 in2 = *reinterpret_cast<const Packed128*>(inp2 + c);
        Packed128 out;
        #pragma unroll
        for (int k = 0; k < 8; ++k) {
            out.payload[k] = __float2bfloat16((float)in1.payload[k] + (float)in2.payload[k]);
            sum += (float)out.payload[k];
        }
        *reinterpret_cast<Packed128*>(residual + c) = out;
        s_res[c / 8] = out;
    }
    #pragma unroll
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    float m = sum / C;
    float v = 0.0f;
    for (int c = threadIdx.x * 8; c < C; c += WARP_SIZE * 8) {
        const Packed128 res = s_res[c / 8];
        #pragma unroll
        for (int k = 0; k < 8; ++k) { float d = (float)res.payload[k] - m; v += d * d; }
    }
    #pragma unroll
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    v /= C;
    float s = rsqrtf(v + eps);
    for (int c = threadIdx.x * 8; c < C; c += WARP_SIZE * 8) {
        const Packed128 res = s_res[c / 8];
        const Packed128 w = s_weight[c / 8];
        const Packed128 b = s_bias[c / 8];
        Packed128 out;
        #pragma unroll
        for (int k = 0; k < 8; ++k) {
            float n = s * ((float)res.payload[k] - m);
            out.payload[k] = __float2bfloat16(n * (float)w.payload[k] + (float)b.payload[k]);
        }
        *reinterpret_cast<Packed128*>(normed + c) = out;
    }
    if (threadIdx.x == 0) { mean[idx] = m; rstd[idx] = s; }
}

// dweight/dbias accumulated in shared memory, one atomicAdd per column and block at the end
__global__ void layernorm_backward_kernel2(float* dinp, float* dweight, float* dbias,
                                           const float* dout, const float* inp, const float* weight,
                                           const float* mean, const float* rstd, int N, int C) {
    extern __shared__ float shared[];
    float* dbias_shared = shared;
    float* dweight_shared = shared + C;
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);

    for (int i = threadIdx.x; i < C; i += blockDim.x) { dbias_shared[i] = 0.0f; dweight_shared[i] = 0.0f; }
    __syncthreads();

    int warps_in_grid = gridDim.x * warp.meta_group_size();
    for (int idx = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank(); idx < N; idx += warps_in_grid) {
        const float* dout_bt = dout + (size_t)idx * C;
        const float* inp_bt = inp + (size_t)idx * C;
        float* dinp_bt = dinp + (size_t)idx * C;
        const float mean_bt = mean[idx];
        const float rstd_bt = rstd[idx];
        float dnorm_mean = 0.0f, dnorm_norm_mean = 0.0f;
        for (int i = warp.thread_rank(); i < C; i += warp.size()) {
            float norm = (inp_bt[i] - mean_bt) * rstd_bt;
            float dnorm = weight[i] * dout_bt[i];
            dnorm_mean += dnorm;
            dnorm_norm_mean += dnorm * norm;
        }
        dnorm_mean = cg::reduce(warp, dnorm_mean, cg::plus<float>{}) / C;
        dnorm_norm_mean = cg::reduce(warp, dnorm_norm_mean, cg::plus<float>{}) / C;
        for (int i = warp.thread_rank(); i < C; i += warp.size()) {
            float norm = (inp_bt[i] - mean_bt) * rstd_bt;
            float dnorm = weight[i] * dout_bt[i];
            atomicAdd(&dbias_shared[i], dout_bt[i]);
            atomicAdd(&dweight_shared[i], norm * dout_bt[i]);
            float dval = dnorm - dnorm_mean - norm * dnorm_norm_mean;
            dinp_bt[i] += dval * rstd_bt;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < C; i += blockDim.x) {
        atomicAdd(&dbias[i], dbias_shared[i]);
        atomicAdd(&dweight[i], dweight_shared[i]);
    }
}

__device__ float blockReduceSum(float val) {
    __shared__ float shared_val[32];
    const int lane_id = threadIdx.x % 32;
    const int warp_id = threadIdx.x / 32;
    const int num_warps = (blockDim.x + 31) / 32;
    for (int o = 16; o > 0; o >>= 1) val += __shfl_xor_sync(0xffffffffu, val, o);
    if (lane_id == 0) shared_val[warp_id] = val;
    __syncthreads();
    val = (lane_id < num_warps) ? shared_val[lane_id] : 0.0f;
    for (int o = 16; o > 0; o >>= 1) val += __shfl_xor_sync(0xffffffffu, val, o);
    __syncthreads();
    return val;
}

// fp16 rmsnorm, one block per row
__global__ void rmsnorm_forward_half2_kernel(half2* out, float* rrms, const half2* inp, const half2* weight, int C2) {
    const half2* x = inp + (size_t)blockIdx.x * C2;
    float ss = 0.0f;
    for (int i = threadIdx.x; i < C2; i += blockDim.x) {
        float2 f = __half22float2(x[i]);
        ss += f.x * f.x + f.y * f.y;
    }
    ss = blockReduceSum(ss);
    float s = rsqrtf(ss / (2 * C2) + 1e-6f);
    if (threadIdx.x == 0) rrms[blockIdx.x] = s;
    half2* o = out + (size_t)blockIdx.x * C2;
    for (int i = threadIdx.x; i < C2; i += blockDim.x) {
        float2 f = __half22float2(x[i]);
        float2 w = __half22float2(weight[i]);
        o[i] = __floats2half2_rn(f.x * s * w.x, f.y * s * w.y);
    }
}

// dx_i = r * (w_i dy_i - xhat_i * mean(w dy xhat)); dweight partials go to a [gridDim.x][C] scratch buffer
__global__ void rmsnorm_backward_kernel(float* dinp, float* dweight_partial, const half* dout, const half* inp,
                                        const half* weight, const float* rrms, int N, int C) {
    extern __shared__ float dw_acc[];
    for (int i = threadIdx.x; i < C; i += blockDim.x) dw_acc[i] = 0.0f;  // each thread owns its own columns
    for (int row = blockIdx.x; row < N; row += gridDim.x) {
        const half* x = inp + (size_t)row * C;
        const half* dy = dout + (size_t)row * C;
        const float r = rrms[row];
        float dot = 0.0f;
        for (int i = threadIdx.x; i < C; i += blockDim.x)
            dot += __half2float(weight[i]) * __half2float(dy[i]) * __half2float(x[i]) * r;
        dot = blockReduceSum(dot) / C;
        for (int i = threadIdx.x; i < C; i += blockDim.x) {
            float xhat = __half2float(x[i]) * r;
            float g = __half2float(dy[i]);
            dinp[(size_t)row * C + i] = r * (__half2float(weight[i]) * g - xhat * dot);
            dw_acc[i] += g * xhat;
        }
    }
    for (int i = threadIdx.x; i < C; i += blockDim.x) dweight_partial[(size_t)blockIdx.x * C + i] = dw_acc[i];
}

__global__ void column_sum_kernel(float* out, const float* partial, int rows, int C) {
    // block (32, 8): 32 columns, 8 row groups
    __shared__ float acc[8][33];
    int col = blockIdx.x * 32 + threadIdx.x;
    float s = 0.0f;
    if (col < C)
        for (int r = threadIdx.y; r < rows; r += 8) s += partial[(size_t)r * C + col];
    acc[threadIdx.y][threadIdx.x] = s;
    __syncthreads();
    if (threadIdx.y == 0 && col < C) {
        for (int k = 1; k < 8; k++) s += acc[k][threadIdx.x];
        out[col] = s;
    }
}

// ----------------------------------------------------------------------------

float* make_random_float(size_t N) {
    float* arr = (float*)malloc(N * sizeof(float));
    for (size_t i = 0; i < N; i++) arr[i] = ((float)rand() / RAND_MAX) * 2.0f - 1.0f;
    return arr;
}

int n_faults = 0;
void validate_result(const float* got, const float* expected, const char* name, size_t n, float tol) {
    float maxdiff = 0.0f;
    for (size_t i = 0; i < n; i++) {
        float d = fabsf(got[i] - expected[i]);
        if (d > tol * (1.0f + fabsf(expected[i])) || isnan(got[i])) {
            printf("Mismatch of %s at %zu: CPU_ref: %f GPU: %f\n", name, i, expected[i], got[i]);
            n_faults++;
            return;
        }
        if (d > maxdiff) maxdiff = d;
    }
    printf("%-28s OK (max diff %.3e)\n", name, maxdiff);
}
template <class T> std::vector<T> to_host(const T* d, size_t n) {
    std::vector<T> h(n);
    cudaCheck(cudaMemcpy(h.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost));
    return h;
}
template <class T> T* to_device(const T* h, size_t n) {
    T* d;
    cudaCheck(cudaMalloc(&d, n * sizeof(T)));
    cudaCheck(cudaMemcpy(d, h, n * sizeof(T), cudaMemcpyHostToDevice));
    return d;
}

int main(int argc, char** argv) {
    srand(0);
    int B = 6, T = 700, C = 768;
    int N = B * T;
    size_t NC = (size_t)N * C;

    float* inp = make_random_float(NC);
    float* inp2 = make_random_float(NC);
    float* dout = make_random_float(NC);
    float* weight = make_random_float(C);
    float* bias = make_random_float(C);
    std::vector<float> out(NC), mean(N), rstd(N), dinp(NC), dweight(C, 0.f), dbias(C, 0.f);
    layernorm_forward_cpu(out.data(), mean.data(), rstd.data(), inp, weight, bias, N, C);
    layernorm_backward_cpu(dinp.data(), dweight.data(), dbias.data(), dout, inp, weight, mean.data(), rstd.data(), N, C);

    float* d_inp = to_device(inp, NC);
    float* d_dout = to_device(dout, NC);
    float* d_weight = to_device(weight, C);
    float* d_bias = to_device(bias, C);
    float *d_out, *d_mean, *d_rstd, *d_dinp, *d_dweight, *d_dbias;
    cudaCheck(cudaMalloc(&d_out, NC * sizeof(float)));
    cudaCheck(cudaMalloc(&d_mean, N * sizeof(float)));
    cudaCheck(cudaMalloc(&d_rstd, N * sizeof(float)));
    cudaCheck(cudaMalloc(&d_dinp, NC * sizeof(float)));
    cudaCheck(cudaMalloc(&d_dweight, C * sizeof(float)));
    cudaCheck(cudaMalloc(&d_dbias, C * sizeof(float)));

    // forward 1
    layernorm_forward_kernel1<<<ceil_div(N, 64), 64>>>(d_out, d_mean, d_rstd, d_inp, d_weight, d_bias, N, C);
    cudaCheck(cudaGetLastError());
    validate_result(to_host(d_out, NC).data(), out.data(), "layernorm_forward 1", NC, 1e-4f);
    // forward 3
    cudaCheck(cudaMemset(d_out, 0, NC * sizeof(float)));
    layernorm_forward_kernel3<<<ceil_div(N * 32, 128), 128>>>(d_out, d_mean, d_rstd, d_inp, d_weight, d_bias, N, C);
    cudaCheck(cudaGetLastError());
    validate_result(to_host(d_out, NC).data(), out.data(), "layernorm_forward 3", NC, 1e-4f);
    // backward 2
    cudaCheck(cudaMemset(d_dinp, 0, NC * sizeof(float)));
    cudaCheck(cudaMemset(d_dweight, 0, C * sizeof(float)));
    cudaCheck(cudaMemset(d_dbias, 0, C * sizeof(float)));
    layernorm_backward_kernel2<<<96, 512, 2 * C * sizeof(float)>>>(d_dinp, d_dweight, d_dbias, d_dout, d_inp, d_weight,
                                                                   d_mean, d_rstd, N, C);
    cudaCheck(cudaGetLastError());
    validate_result(to_host(d_dinp, NC).data(), dinp.data(), "layernorm_backward dinp", NC, 1e-3f);
    validate_result(to_host(d_dweight, C).data(), dweight.data(), "layernorm_backward dweight", C, 1e-2f);
    validate_result(to_host(d_dbias, C).data(), dbias.data(), "layernorm_backward dbias", C, 1e-2f);

    // bf16 fused residual
    {
        std::vector<floatX> a(NC), b(NC), w(C), bi(C);
        for (size_t i = 0; i < NC; i++) { a[i] = __float2bfloat16(inp[i]); b[i] = __float2bfloat16(inp2[i]); }
        for (int i = 0; i < C; i++) { w[i] = __float2bfloat16(weight[i]); bi[i] = __float2bfloat16(bias[i]); }
        floatX *d_a = to_device(a.data(), NC), *d_b = to_device(b.data(), NC), *d_w = to_device(w.data(), C), *d_bi = to_device(bi.data(), C);
        floatX *d_res, *d_norm;
        cudaCheck(cudaMalloc(&d_res, NC * sizeof(floatX)));
        cudaCheck(cudaMalloc(&d_norm, NC * sizeof(floatX)));
        int block_y = 8;
        size_t smem = (2 + block_y) * C * sizeof(floatX);
        fused_residual_forward_kernel5<<<ceil_div(N, block_y), dim3(32, block_y), smem>>>(d_res, d_norm, d_mean, d_rstd, d_a, d_b, d_w, d_bi, N, C);
        cudaCheck(cudaGetLastError());
        std::vector<float> r(NC), wr(C), br(C), refn(NC), m(N), s(N), got(NC);
        for (size_t i = 0; i < NC; i++) r[i] = (float)__float2bfloat16((float)a[i] + (float)b[i]);
        for (int i = 0; i < C; i++) { wr[i] = (float)w[i]; br[i] = (float)bi[i]; }
        layernorm_forward_cpu(refn.data(), m.data(), s.data(), r.data(), wr.data(), br.data(), N, C);
        auto h = to_host(d_norm, NC);
        for (size_t i = 0; i < NC; i++) got[i] = (float)h[i];
        validate_result(got.data(), refn.data(), "fused_residual_forward 5", NC, 1e-2f);
        cudaFree(d_a); cudaFree(d_b); cudaFree(d_w); cudaFree(d_bi); cudaFree(d_res); cudaFree(d_norm);
    }

    // fp16 rmsnorm forward + backward
    {
        std::vector<half> x(NC), dy(NC), w(C);
        for (size_t i = 0; i < NC; i++) { x[i] = __float2half(inp[i]); dy[i] = __float2half(dout[i]); }
        for (int i = 0; i < C; i++) w[i] = __float2half(1.0f + 0.5f * weight[i]);
        half *d_x = to_device(x.data(), NC), *d_dy = to_device(dy.data(), NC), *d_w = to_device(w.data(), C), *d_o;
        cudaCheck(cudaMalloc(&d_o, NC * sizeof(half)));
        rmsnorm_forward_half2_kernel<<<N, 192>>>((half2*)d_o, d_rstd, (const half2*)d_x, (const half2*)d_w, C / 2);
        cudaCheck(cudaGetLastError());
        const int nblk = 264;
        float* d_part;
        cudaCheck(cudaMalloc(&d_part, (size_t)nblk * C * sizeof(float)));
        rmsnorm_backward_kernel<<<nblk, 256, C * sizeof(float)>>>(d_dinp, d_part, d_dy, d_x, d_w, d_rstd, N, C);
        cudaCheck(cudaGetLastError());
        column_sum_kernel<<<ceil_div(C, 32), dim3(32, 8)>>>(d_dweight, d_part, nblk, C);
        cudaCheck(cudaGetLastError());

        std::vector<float> ro(NC), rdx(NC), rdw(C, 0.f), got(NC);
        for (int i = 0; i < N; i++) {
            double ss = 0;
            for (int c = 0; c < C; c++) { float f = (float)x[(size_t)i * C + c]; ss += f * f; }
            float r = (float)(1.0 / sqrt(ss / C + 1e-6));
            double dot = 0;
            for (int c = 0; c < C; c++) {
                size_t k = (size_t)i * C + c;
                ro[k] = (float)x[k] * r * (float)w[c];
                dot += (float)w[c] * (float)dy[k] * (float)x[k] * r;
            }
            dot /= C;
            for (int c = 0; c < C; c++) {
                size_t k = (size_t)i * C + c;
                float xhat = (float)x[k] * r;
                rdx[k] = r * ((float)w[c] * (float)dy[k] - xhat * (float)dot);
                rdw[c] += (float)dy[k] * xhat;
            }
        }
        auto h = to_host(d_o, NC);
        for (size_t i = 0; i < NC; i++) got[i] = (float)h[i];
        validate_result(got.data(), ro.data(), "rmsnorm_forward half2", NC, 2e-3f);
        validate_result(to_host(d_dinp, NC).data(), rdx.data(), "rmsnorm_backward dinp", NC, 1e-3f);
        validate_result(to_host(d_dweight, C).data(), rdw.data(), "rmsnorm_backward dweight", C, 1e-2f);
        cudaFree(d_x); cudaFree(d_dy); cudaFree(d_w); cudaFree(d_o); cudaFree(d_part);
    }

    cudaFree(d_inp); cudaFree(d_dout); cudaFree(d_weight); cudaFree(d_bias); cudaFree(d_out);
    cudaFree(d_mean); cudaFree(d_rstd); cudaFree(d_dinp); cudaFree(d_dweight); cudaFree(d_dbias);
    free(inp); free(inp2); free(dout); free(weight); free(bias);
    return n_faults ? EXIT_FAILURE : 0;
}
