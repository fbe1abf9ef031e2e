/*
Layernorm / rmsnorm forward and backward passes, several versions of each.
forward: 1 thread per row, 2 block per row in shared memory, 3 warp per row (cooperative groups),
         4 one pass E[x^2]-E[x]^2, 5 Packed128 with the row cached in shared memory
backward: 1 naive warp per row with global atomics, 2 partial sums in shared memory, 3 fixed grid + scratch
*/
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <assert.h>
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

typedef __nv_bfloat16 floatX;

static void cuda_check(cudaError_t error, const char *file, int line) {
    if (error != cudaSuccess) {
        printf("[CUDA ERROR] at file %s:%d:\n%s\n", file, line, cudaGetErrorString(error));
        exit(EXIT_FAILURE);
    }
}
#define cudaCheck(err) (cuda_check(err, __FILE__, __LINE__))
static int ceil_div(int a, int b) { return (a + b - 1) / b; }

template<class ElementType>
struct alignas(16) Packed128 {
    Packed128() = default;
    __device__ ElementType& operator[](int index) { return payload[index]; }
    __device__ const ElementType& operator[](int index) const { return payload[index]; }
    static constexpr const int size = sizeof(int4) / sizeof(ElementType);
    ElementType payload[size];
};
typedef Packed128<float> f128;
typedef Packed128<floatX> x128;
template<class T> __device__ Packed128<T> load128(const T* a) { return *reinterpret_cast<const Packed128<T>*>(a); }
template<class T> __device__ Packed128<T> load128cs(const T* a) {
    int4 v = __ldcs(reinterpret_cast<const int4*>(a));
    return *reinterpret_cast<Packed128<T>*>(&v);
}
template<class T> __device__ void store128(T* t, Packed128<T> v) { *reinterpret_cast<Packed128<T>*>(t) = v; }

__device__ float warpReduceSum(float val) {
    for (int offset = 16; offset > 0; offset /= 2) { val += __shfl_xor_sync(0xFFFFFFFF, val, offset); }
    return val;
}

// ----------------------------------------------------------------------------
// forward

__global__ void layernorm_forward_kernel1(float* out, float* mean, float* rstd, const float* inp,
                                          const float* weight, const float* bias, int N, int C) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    float eps = 1e-5f;
    if (idx < N) {
        const float* x = inp + idx * C;
        float m = 0.0f;
        for (int i = 0; i < C; i++) { m += x[i]; }
        m = m / C;
        float v = 0.0f;
        for (int i = 0; i < C; i++) {
            float xshift = x[i] - m;
            v += xshift * xshift;
        }
        v = v / C;
        float s = 1.0f / sqrtf(v + eps);
        float* out_idx = out + idx * C;
        for (int i = 0; i < C; i++) { out_idx[i] = s * (x[i] - m) * weight[i] + bias[i]; }
        mean[idx] = m;
        rstd[idx] = s;
    }
}

__global__ void layernorm_forward_kernel2(float* out, float* mean, float* rstd, const float* inp,
                                          const float* weight, const float* bias, int N, int C, int block_size) {
    extern __shared__ float shared[];
    int idx = blockIdx.x;
    int tid = threadIdx.x;
    const float* x = inp + idx * C;
    float sum = 0.0f;
    for (int i = tid; i < C; i += block_size) { sum += x[i]; }
    shared[tid] = sum;
    __syncthreads();
    for (int stride = block_size / 2; stride >= 1; stride /= 2) {
        if (tid < stride) { shared[tid] += shared[tid + stride]; }
        __syncthreads();
    }
    float m = shared[0] / C;
    __syncthreads();
    float vsum = 0.0f;
    for (int i = tid; i < C; i += block_size) {
        float d = x[i] - m;
        vsum += d * d;
    }
    shared[tid] = vsum;
    __syncthreads();
    for (int stride = block_size / 2; stride >= 1; stride /= 2) {
        if (tid < stride) { shared[tid] += shared[tid + stride]; }
        __syncthreads();
    }
    float s = rsqrtf(shared[0] / C + 1e-5f);
    for (int i = tid; i < C; i += block_size) { out[idx * C + i] = s * (x[i] - m) * weight[i] + bias[i]; }
    if (tid == 0) { mean[idx] = m; rstd[idx] = s; }
}

__global__ void layernorm_forward_kernel3(float* __restrict__ out, float* __restrict__ mean, float* __restrict__ rstd,
                                          const float* __restrict__ inp, const float* __restrict__ weight,
                                          const float* __restrict__ bias, int N, int C) {
    namespace cg = cooperative_groups;
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    int idx = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
    if (idx >= N) { return; }
    const float* x = inp + idx * C;
    float sum = 0.0f;
    for (int i = warp.thread_rank(); i < C; i += warp.size()) { sum += x[i]; }
    sum = cg::reduce(warp, sum, cg::plus<float>{});
    float m = sum / C;
    if (warp.thread_rank() == 0) { __stcs(mean + idx, m); }
    sum = 0.0f;
    for (int i = warp.thread_rank(); i < C; i += warp.size()) {
        float diff = x[i] - m;
        sum += diff * diff;
    }
    sum = cg::reduce(warp, sum, cg::plus<float>{});
    float s = rsqrtf(sum / C + 1e-5f);
    if (warp.thread_rank() == 0) { __stcs(rstd + idx, s); }
    float* o = out + idx * C;
    for (int c = warp.thread_rank(); c < C; c += warp.size()) {
        float n = s * (__ldcs(x + c) - m);
        __stcs(o + c, n * weight[c] + bias[c]);
    }
}

// single pass, block per row
__global__ void layernorm_forward_kernel4(float* __restrict__ out, float* __restrict__ mean, float* __restrict__ rstd,
                                          const float* __restrict__ inp, const float* __restrict__ weight,
                                          const float* __restrict__ bias, int N, int C) {
    namespace cg = cooperative_groups;
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    __shared__ float shared_sum[32];
    __shared__ float shared_sum2[32];
    int num_warps = blockDim.x / 32, warp_id = threadIdx.x / 32, lane_id = threadIdx.x % 32;
    int idx = blockIdx.x;
    const float* x = inp + idx * C;
    float thread_sum = 0.0f, thread_sum2 = 0.0f;
    for (int i = threadIdx.x; i < C; i += blockDim.x) {
        float xi = x[i];
        thread_sum += xi;
        thread_sum2 += xi * xi;
    }
    shared_sum[warp_id] = cg::reduce(warp, thread_sum, cg::plus<float>{});
    shared_sum2[warp_id] = cg::reduce(warp, thread_sum2, cg::plus<float>{});
    __syncthreads();
    float block_sum = cg::reduce(warp, (lane_id < num_warps) ? shared_sum[lane_id] : 0.0f, cg::plus<float>{});
    float block_sum2 = cg::reduce(warp, (lane_id < num_warps) ? shared_sum2[lane_id] : 0.0f, cg::plus<float>{});
    float m = block_sum / C;
    float var = block_sum2 / C - m * m;
    float s = rsqrtf(var + 1e-5f);
    if (threadIdx.x == 0) { __stcs(mean + idx, m); __stcs(rstd + idx, s); }
    for (int i = threadIdx.x; i < C; i += blockDim.x) {
        __stcs(out + idx * C + i, s * (__ldcs(x + i) - m) * weight[i] + bias[i]);
    }
}

// bf16, 2D block (32 x rows), weights and the rows are cached in shared memory
__global__ void layernorm_forward_kernel5(floatX* __restrict__ out, float* __restrict__ mean, float* __restrict__ rstd,
                                          const floatX* __restrict__ inp, const floatX* __restrict__ weight,
                                          const floatX* __restrict__ bias, int N, int C) {
    extern __shared__ char* params[];
    x128* s_weight = reinterpret_cast<x128*>(params);
    x128* s_bias = s_weight + C / x128::size;
    x128* s_in = s_bias + C / x128::size + threadIdx.y * (C / x128::size);
    int sidx = (threadIdx.x + 32 * threadIdx.y) * x128::size;
    for (int i = sidx; i < C; i += blockDim.y * 32 * x128::size) {
        s_weight[i / x128::size] = load128(weight + i);
        s_bias[i / x128::size] = load128(bias + i);
    }
    __syncthreads();
    int idx = blockIdx.x * blockDim.y + threadIdx.y;
    if (idx >= N) { return; }
    inp += idx * C;
    out += idx * C;
    float sum = 0.0f;
    for (int c = threadIdx.x * x128::size; c < C; c += 32 * x128::size) {
        const x128 in_data = load128cs(inp + c);
        for (int k = 0; k < x128::size; ++k) { sum += (float)in_data[k]; }
        s_in[c / x128::size] = in_data;
    }
    sum = warpReduceSum(sum);
    float m = sum / C;
    float v = 0.f;
    for (int c = threadIdx.x * x128::size; c < C; c += 32 * x128::size) {
        const x128 in_data = s_in[c / x128::size];
        for (int k = 0; k < x128::size; ++k) { v += ((float)in_data[k] - m) * ((float)in_data[k] - m); }
    }
    v = warpReduceSum(v) / C;
    float s = rsqrtf(v + 1e-5f);
    for (int c = threadIdx.x * x128::size; c < C; c += 32 * x128::size) {
        const x128 in_data = s_in[c / x128::size], w = s_weight[c / x128::size], b = s_bias[c / x128::size];
        x128 out_data;
        for (int k = 0; k < x128::size; ++k) {
            out_data[k] = (floatX)(s * ((float)in_data[k] - m) * (float)w[k] + (float)b[k]);
        }
        store128(out + c, out_data);
    }
    if (threadIdx.x == 0) { mean[idx] = m; rstd[idx] = s; }
}

// rmsnorm, block per row, float4
__global__ void rmsnorm_forward_kernel(float* out, const float* inp, const float* weight, int C) {
    __shared__ float partial[32];
    const float* x = inp + (size_t)blockIdx.x * C;
    float ss = 0.0f;
    for (int i = threadIdx.x * 4; i < C; i += blockDim.x * 4) {
        f128 v = load128(x + i);
        ss += v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3];
    }
    ss = warpReduceSum(ss);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = ss;
    __syncthreads();
    ss = warpReduceSum(threadIdx.x % 32 < blockDim.x / 32 ? partial[threadIdx.x % 32] : 0.0f);
    float s = rsqrtf(ss / C + 1e-5f);
    for (int i = threadIdx.x * 4; i < C; i += blockDim.x * 4) {
        f128 v = load128(x + i), w = load128(weight + i), o;
        for (int k = 0; k < 4; k++) o[k] = v[k] * s * w[k];
        store128(out + (size_t)blockIdx.x * C + i, o);
    }
}

// ----------------------------------------------------------------------------
// backward

__global__ void layernorm_backward_kernel1(float* dinp, float* dweight, float* dbias, const float* dout, const float* inp,
                                           const float* weight, const float* mean, const float* rstd, int N, int C) {
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= N) return;
    const float* dout_bt = dout + row * C;
    const float* inp_bt = inp + row * C;
    float m = mean[row], s = rstd[row];
    float dnorm_mean = 0.0f, dnorm_norm_mean = 0.0f;
    for (int i = lane; i < C; i += 32) {
        float norm = (inp_bt[i] - m) * s;
        float dnorm = weight[i] * dout_bt[i];
        dnorm_mean += dnorm;
        dnorm_norm_mean += dnorm * norm;
    }
    dnorm_mean = warpReduceSum(dnorm_mean) / C;
    dnorm_norm_mean = warpReduceSum(dnorm_norm_mean) / C;
    for (int i = lane; i < C; i += 32) {
        float norm = (inp_bt[i] - m) * s;
        float dnorm = weight[i] * dout_bt[i];
        atomicAdd(&dbias[i], dout_bt[i]);
        atomicAdd(&dweight[i], norm * dout_bt[i]);
        dinp[row * C + i] += (dnorm - dnorm_mean - norm * dnorm_norm_mean) * s;
    }
}

// dweight and dbias go to shared memory first
__global__ void layernorm_backward_kernel2(float* dinp, float* dweight, float* dbias, const float* dout, const float* inp,
                                           const float* weight, const float* mean, const float* rstd, int N, int C) {
    extern __shared__ float sm[];
    float* db_s = sm;
    float* dw_s = sm + C;
    for (int i = threadIdx.x; i < 2 * C; i += blockDim.x) { sm[i] = 0.0f; }
    __syncthreads();
    int warps = blockDim.x / 32, lane = threadIdx.x % 32;
    for (int row = blockIdx.x * warps + threadIdx.x / 32; row < N; row += gridDim.x * warps) {
        const float* dout_bt = dout + row * C;
        const float* inp_bt = inp + row * C;
        float m = mean[row], s = rstd[row], a = 0.0f, b = 0.0f;
        for (int i = lane; i < C; i += 32) {
            float dnorm = weight[i] * dout_bt[i];
            a += dnorm;
            b += dnorm * (inp_bt[i] - m) * s;
        }
        a = warpReduceSum(a) / C;
        b = warpReduceSum(b) / C;
        for (int i = lane; i < C; i += 32) {
            float dy = dout_bt[i], norm = (inp_bt[i] - m) * s;
            atomicAdd(&db_s[i], dy);
            atomicAdd(&dw_s[i], norm * dy);
            dinp[row * C + i] += (weight[i] * dy - a - norm * b) * s;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < C; i += blockDim.x) {
        atomicAdd(&dbias[i], db_s[i]);
        atomicAdd(&dweight[i], dw_s[i]);
    }
}

// every block writes its partial sums to scratch, the last block to arrive adds them all up
__global__ void __launch_bounds__(512, 2)
layernorm_backward_kernel3(float* dinp, float* dweight, float* dbias, float* scratch, unsigned int* flag, const float* dout,
                           const float* inp, const float* weight, const float* mean, const float* rstd, int N, int C) {
    extern __shared__ float sm[];
    float* db_s = sm;
    float* dw_s = sm + C;
    __shared__ unsigned int ticket;
    for (int i = threadIdx.x; i < 2 * C; i += blockDim.x) { sm[i] = 0.0f; }
    __syncthreads();
    int warps = blockDim.x / 32, lane = threadIdx.x % 32;
    for (int row = blockIdx.x * warps + threadIdx.x / 32; row < N; row += gridDim.x * warps) {
        float m = mean[row], s = rstd[row], a = 0.0f, b = 0.0f;
        for (int i = lane * 4; i < C; i += 128) {
            f128 dy = load128(dout + row * C + i), x = load128(inp + row * C + i), w = load128(weight + i);
            for (int k = 0; k < 4; k++) { float dn = w[k] * dy[k]; a += dn; b += dn * (x[k] - m) * s; }
        }
        a = warpReduceSum(a) / C;
        b = warpReduceSum(b) / C;
        for (int i = lane * 4; i < C; i += 128) {
            f128 dy = load128cs(dout + row * C + i), x = load128cs(inp + row * C + i), w = load128(weight + i);
            f128 dx = load128(dinp + row * C + i);
            for (int k = 0; k < 4; k++) {
                float norm = (x[k] - m) * s;
                atomicAdd(&db_s[i + k], dy[k]);
                atomicAdd(&dw_s[i + k], norm * dy[k]);
                dx[k] += (w[k] * dy[k] - a - norm * b) * s;
            }
            store128(dinp + row * C + i, dx);
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 2 * C; i += blockDim.x) { scratch[(size_t)blockIdx.x * 2 * C + i] = sm[i]; }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) { ticket = atomicAdd(flag, 1); }
    __syncthreads();
    if (ticket == gridDim.x - 1) {
        for (int i = threadIdx.x; i < 2 * C; i += blockDim.x) {
            float t = 0.0f;
            for (int b = 0; b < gridDim.x; b++) { t += __ldcg(&scratch[(size_t)b * 2 * C + i]); }
            if (i < C) { dbias[i] += t; } else { dweight[i - C] += t; }
        }
    }
}

// ----------------------------------------------------------------------------
float* make_random(size_t n, float scale, float shift) {
    float* p = (float*)malloc(n * sizeof(float));
    for (size_t i = 0; i < n; i++) { p[i] = ((float)rand() / RAND_MAX * 2.0f - 1.0f) * scale + shift; }
    return p;
}
float* upload(const float* h, size_t n) {
    float* d;
    cudaCheck(cudaMalloc(&d, n * sizeof(float)));
    cudaCheck(cudaMemcpy(d, h, n * sizeof(float), cudaMemcpyHostToDevice));
    return d;
}
int failures = 0;
void expect(const char* name, const float* got, const float* want, int n, float tol) {
    for (int i = 0; i < n; i++) {
        if (!(fabsf(got[i] - want[i]) <= tol + 1e-3f * fabsf(want[i]))) {
            printf("%s: mismatch at %d: %f vs %f\n", name, i, got[i], want[i]);
            failures++;
            return;
        }
    }
    printf("%s: OK\n", name);
}

int main(int argc, char **argv) {
    srand(0);
    int B = 8, T = 1024, C = 768, N = B * T;
    float *x = make_random((size_t)N * C, 1.0f, 0.3f), *w = make_random(C, 1.0f, 0.5f), *b = make_random(C, 1.0f, 0.0f), *dy = make_random((size_t)N * C, 1.0f, 0.0f);
    float *ref = (float*)malloc((size_t)N * C * 4), *mean = (float*)malloc(N * 4), *rstd = (float*)malloc(N * 4);
    float *dw = (float*)calloc(C, 4), *db = (float*)calloc(C, 4), *dx = (float*)malloc((size_t)N * C * 4), *h = (float*)malloc((size_t)N * C * 4);
    for (int r = 0; r < N; r++) {
        const float* p = x + (size_t)r * C;
        const float* g = dy + (size_t)r * C;
        float m = 0, v = 0, a = 0, c = 0;
        for (int i = 0; i < C; i++) m += p[i];
        m /= C;
        for (int i = 0; i < C; i++) v += (p[i] - m) * (p[i] - m);
        float s = 1.0f / sqrtf(v / C + 1e-5f);
        mean[r] = m; rstd[r] = s;
        for (int i = 0; i < C; i++) {
            float n = (p[i] - m) * s;
            ref[(size_t)r * C + i] = n * w[i] + b[i];
            dw[i] += n * g[i]; db[i] += g[i];
            a += w[i] * g[i]; c += w[i] * g[i] * n;
        }
        a /= C; c /= C;
        for (int i = 0; i < C; i++) dx[(size_t)r * C + i] = (w[i] * g[i] - a - (p[i] - m) * s * c) * s;
    }
    float *d_x = upload(x, (size_t)N * C), *d_w = upload(w, C), *d_b = upload(b, C), *d_dy = upload(dy, (size_t)N * C);
    float *d_out = upload(x, (size_t)N * C), *d_mean = upload(mean, N), *d_rstd = upload(rstd, N), *d_dw = upload(dw, C), *d_db = upload(db, C);
    auto back = [&](const char* name) {
        cudaCheck(cudaGetLastError());
        cudaCheck(cudaMemcpy(h, d_out, (size_t)N * C * 4, cudaMemcpyDeviceToHost));
        expect(name, h, ref, N * C, 1e-3f);
        cudaCheck(cudaMemset(d_out, 0, (size_t)N * C * 4));
    };
    layernorm_forward_kernel1<<<ceil_div(N, 64), 64>>>(d_out, d_mean, d_rstd, d_x, d_w, d_b, N, C); back("forward 1");
    layernorm_forward_kernel2<<<N, 128, 128 * 4>>>(d_out, d_mean, d_rstd, d_x, d_w, d_b, N, C, 128); back("forward 2");
    int block_sizes[] = {128, 512};
    for (int bs : block_sizes) { layernorm_forward_kernel3<<<ceil_div(N * 32, bs), bs>>>(d_out, d_mean, d_rstd, d_x, d_w, d_b, N, C); back("forward 3"); }
    layernorm_forward_kernel4<<<N, 256>>>(d_out, d_mean, d_rstd, d_x, d_w, d_b, N, C); back("forward 4");

    { // bf16
        floatX *hx = (floatX*)malloc((size_t)N * C * 2), *hw = (floatX*)malloc(C * 4), *d_xb, *d_ob, *d_wb;
        for (size_t i = 0; i < (size_t)N * C; i++) hx[i] = (floatX)x[i];
        for (int i = 0; i < C; i++) { hw[i] = (floatX)w[i]; hw[C + i] = (floatX)b[i]; }
        cudaCheck(cudaMalloc(&d_xb, (size_t)N * C * 2)); cudaCheck(cudaMalloc(&d_ob, (size_t)N * C * 2)); cudaCheck(cudaMalloc(&d_wb, C * 4));
        cudaCheck(cudaMemcpy(d_xb, hx, (size_t)N * C * 2, cudaMemcpyHostToDevice)); cudaCheck(cudaMemcpy(d_wb, hw, C * 4, cudaMemcpyHostToDevice));
        int block_y = 4;
        size_t smem = (2 + block_y) * C * sizeof(floatX);
        layernorm_forward_kernel5<<<ceil_div(N, block_y), dim3(32, block_y), smem>>>(d_ob, d_mean, d_rstd, d_xb, d_wb, d_wb + C, N, C);
        cudaCheck(cudaGetLastError());
        cudaCheck(cudaMemcpy(hx, d_ob, (size_t)N * C * 2, cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < (size_t)N * C; i++) h[i] = (float)hx[i];
        expect("forward 5 (bf16)", h, ref, N * C, 6e-2f);
        cudaFree(d_xb); cudaFree(d_ob); cudaFree(d_wb); free(hx); free(hw);
    }
    rmsnorm_forward_kernel<<<N, 192>>>(d_out, d_x, d_w, C);
    cudaCheck(cudaGetLastError());
    cudaCheck(cudaMemcpy(h, d_out, (size_t)N * C * 4, cudaMemcpyDeviceToHost));
    for (int r = 0; r < N; r += 501) {
        float ss = 0;
        for (int i = 0; i < C; i++) ss += x[(size_t)r * C + i] * x[(size_t)r * C + i];
        for (int i = 0; i < C; i++) if (fabsf(h[(size_t)r * C + i] - x[(size_t)r * C + i] / sqrtf(ss / C + 1e-5f) * w[i]) > 1e-3f) { failures++; break; }
    }

    cudaCheck(cudaMemcpy(d_mean, mean, N * 4, cudaMemcpyHostToDevice)); cudaCheck(cudaMemcpy(d_rstd, rstd, N * 4, cudaMemcpyHostToDevice));
    int nblocks = 132 * 2;
    float* d_scratch; unsigned int* d_flag;
    cudaCheck(cudaMalloc(&d_scratch, (size_t)nblocks * 2 * C * 4)); cudaCheck(cudaMalloc(&d_flag, 4)); cudaCheck(cudaMemset(d_flag, 0, 4));
    for (int version = 1; version <= 3; version++) {
        cudaCheck(cudaMemset(d_out, 0, (size_t)N * C * 4)); cudaCheck(cudaMemset(d_dw, 0, C * 4)); cudaCheck(cudaMemset(d_db, 0, C * 4));
        switch (version) {
            case 1: layernorm_backward_kernel1<<<ceil_div(N, 8), 256>>>(d_out, d_dw, d_db, d_dy, d_x, d_w, d_mean, d_rstd, N, C); break;
            case 2: layernorm_backward_kernel2<<<nblocks, 512, 2 * C * 4>>>(d_out, d_dw, d_db, d_dy, d_x, d_w, d_mean, d_rstd, N, C); break;
            case 3: layernorm_backward_kernel3<<<nblocks, 512, 2 * C * 4>>>(d_out, d_dw, d_db, d_scratch, d_flag, d_dy, d_x, d_w, d_mean, d_rstd, N, C); break;
        }
        cudaCheck(cudaGetLastError());
        cudaCheck(cudaMemcpy(h, d_out, (size_t)N * C * 4, cudaMemcpyDeviceToHost)); expect("backward dinp", h, dx, N * C, 1e-3f);
        cudaCheck(cudaMemcpy(h, d_dw, C * 4, cudaMemcpyDeviceToHost)); expect("backward dweight", h, dw, C, 5e-2f);
        cudaCheck(cudaMemcpy(h, d_db, C * 4, cudaMemcpyDeviceToHost)); expect("backward dbias", h, db, C, 5e-2f);
    }
    printf(failures ? "FAIL\n" : "PASS\n");
    return failures != 0;
}
