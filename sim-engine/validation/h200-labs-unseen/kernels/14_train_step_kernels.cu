/*
Odds and ends of a GPT training step, single GPU, mixed precision:
  encoder_forward / encoder_backward   token + position embedding (fp32)
  gelu_forward (bf16, 128-bit packets) and swiglu_backward (fp16)
  fused_classifier                     softmax + cross entropy + dlogits in place (bf16)
  matmul_backward_bias                 column reduction of dout (bf16 -> fp32)
  moe_topk_router                      softmax over experts, top-2, load histogram
  adamw_update                         fp32 master weights, bf16 copy
*/
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <math.h>
#include <float.h>
#include <string.h>
#include <vector>
#include <algorithm>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define CEIL_DIV(M, N) (((M) + (N)-1) / (N))
#define cudaCheck(e) do { cudaError_t r__ = (e); if (r__) { fprintf(stderr, "[CUDA ERROR] %s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(r__)); exit(1); } } while (0)

typedef __nv_bfloat16 floatX;

template <class ElementType>
struct alignas(16) Packed128 {
    static constexpr const size_t size = sizeof(int4) / sizeof(ElementType);
    ElementType payload[size];
    __device__ ElementType& operator[](int i) { return payload[i]; }
    __device__ const ElementType& operator[](int i) const { return payload[i]; }
};
using x128 = Packed128<floatX>;
template <class T> __device__ Packed128<T> load128(const T* p) { return *reinterpret_cast<const Packed128<T>*>(p); }
template <class T> __device__ void store128(T* p, Packed128<T> v) { *reinterpret_cast<Packed128<T>*>(p) = v; }

// ------------------------------------------------------------------------ embedding
__global__ void encoder_forward_kernel(float4* out, const int* inp, const float4* wte, const float4* wpe, int B, int T, int C4) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < B * T * C4) {
        int bt = idx / C4;
        int t = bt % T;
        int c4 = idx % C4;
        int ix = inp[bt];
        float4 a = wte[ix * C4 + c4], b = wpe[t * C4 + c4];
        out[idx] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
    }
}

// naive: atomics on both tables
__global__ void encoder_backward_kernel(float* dwte, float* dwpe, const float* dout, const int* inp, int B, int T, int C) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < B * T * C) {
        int bt = idx / C;
        int t = bt % T;
        int c = idx % C;
        int ix = inp[bt];
        float d = dout[idx];
        atomicAdd(dwte + (size_t)ix * C + c, d);
        atomicAdd(dwpe + (size_t)t * C + c, d);
    }
}

// ------------------------------------------------------------------------ activations
#define GELU_SCALING_FACTOR 0.7978845608028654f
__global__ void gelu_forward_kernel2(floatX* out, const floatX* inp, int N) {
    int idx = (blockIdx.x * blockDim.x + threadIdx.x) * x128::size;
    if (idx >= N) return;
    x128 packed_out;
    x128 packed_inp = load128(inp + idx);
    #pragma unroll
    for (int k = 0; k < (int)x128::size; ++k) {
        float xi = (float)packed_inp[k];
        float cube = 0.044715f * xi * xi * xi;
        packed_out[k] = (floatX)(0.5f * xi * (1.0f + tanhf(GELU_SCALING_FACTOR * (xi + cube))));
    }
    store128(out + idx, packed_out);
}

// h = silu(gate) * up, with [gate | up] side by side in a row of 2F
__global__ void swiglu_backward_kernel(half2* dgateup, const half2* dh, const half2* gateup, int rows, int F2) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < (size_t)rows * F2; i += (size_t)gridDim.x * blockDim.x) {
        size_t r = i / F2, c = i % F2;
        float2 g = __half22float2(gateup[r * 2 * F2 + c]);
        float2 u = __half22float2(gateup[r * 2 * F2 + F2 + c]);
        float2 d = __half22float2(dh[i]);
        float sx = 1.0f / (1.0f + __expf(-g.x)), sy = 1.0f / (1.0f + __expf(-g.y));
        float2 dg, du;
        du.x = d.x * g.x * sx;
        du.y = d.y * g.y * sy;
        dg.x = d.x * u.x * sx * (1.0f + g.x * (1.0f - sx));
        dg.y = d.y * u.y * sy * (1.0f + g.y * (1.0f - sy));
        dgateup[r * 2 * F2 + c] = __float22half2_rn(dg);
        dgateup[r * 2 * F2 + F2 + c] = __float22half2_rn(du);
    }
}

// ------------------------------------------------------------------------ classifier
struct SoftmaxParams { float Scale; float Offset; };

__device__ inline float warpSum(float v) { for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xFFFFFFFF, v, o); return v; }
__device__ inline float warpMax(float v) { for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xFFFFFFFF, v, o)); return v; }

__device__ SoftmaxParams prepare_softmax_blockwide(int64_t idx, const floatX* inp, int V, int P) {
    const floatX* x = inp + idx * P;
    float thread_maxval = -INFINITY, thread_sumval = 0.0f;
    // whole packets first, then the ragged end of the row
    for (int i = threadIdx.x; i < V / (int)x128::size; i += blockDim.x) {
        x128 p = load128(x + i * x128::size);
        for (int k = 0; k < (int)x128::size; k++) {
            float v = (float)p[k];
            float old = thread_maxval;
            thread_maxval = fmaxf(thread_maxval, v);
            thread_sumval *= expf(old - thread_maxval);
            thread_sumval += expf(v - thread_maxval);
        }
    }
    for (int i = V / (int)x128::size * (int)x128::size + threadIdx.x; i < V; i += blockDim.x) {
        float v = (float)x[i];
        float old = thread_maxval;
        thread_maxval = fmaxf(thread_maxval, v);
        thread_sumval *= expf(old - thread_maxval);
        thread_sumval += expf(v - thread_maxval);
    }
    __shared__ float s_max[32], s_sum[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, nw = blockDim.x / 32;
    float m = warpMax(thread_maxval);
    if (lane == 0) s_max[warp] = m;
    __syncthreads();
    m = warpMax(lane < nw ? s_max[lane] : -INFINITY);
    // threads without any element have maxval == -inf and contribute 0
    float s = warpSum(thread_sumval * expf(thread_maxval - m));
    if (lane == 0) s_sum[warp] = s;
    __syncthreads();
    s = warpSum(lane < nw ? s_sum[lane] : 0.0f);
    return SoftmaxParams{1.0f / s, m};
}

__global__ void __launch_bounds__(512) fused_classifier_kernel(floatX* logits, float* losses, float dloss, const int* targets, int V, int P) {
    int64_t idx = gridDim.x - (blockIdx.x + 1);  // reverse order for cache hits
    int ix = targets[idx];
    SoftmaxParams sp = prepare_softmax_blockwide(idx, logits, V, P);
    if (threadIdx.x == 0) {
        float prob = expf((float)logits[idx * P + ix] - sp.Offset) * sp.Scale;
        losses[idx] = -logf(prob);
    }
    __syncthreads();  // the loss must be read before the gradient overwrites the logits
    floatX* row = logits + idx * P;
    for (int i = threadIdx.x; i < V / (int)x128::size; i += blockDim.x) {
        x128 p = load128(row + i * x128::size);
        for (int k = 0; k < (int)x128::size; k++) {
            int element = i * (int)x128::size + k;
            float prob = expf((float)p[k] - sp.Offset) * sp.Scale;
            float indicator = (element == ix) ? 1.0f : 0.0f;
            p[k] = (floatX)((prob - indicator) * dloss);
        }
        store128(row + i * x128::size, p);
    }
    for (int i = V / (int)x128::size * (int)x128::size + threadIdx.x; i < V; i += blockDim.x) {
        float prob = expf((float)row[i] - sp.Offset) * sp.Scale;
        float indicator = (i == ix) ? 1.0f : 0.0f;
        row[i] = (floatX)((prob - indicator) * dloss);
    }
}

// ------------------------------------------------------------------------ bias gradient
// block (4, 8, BZ): 4 packets x 8 rows per warp, so one warp covers 32 columns; blockIdx.y splits the rows
__global__ void matmul_backward_bias_kernel(float* dbias, const floatX* dout, int BT, int OC) {
    constexpr int bdx = 4, bdy = 8;
    int warp_d = threadIdx.x, warp_c = threadIdx.y, block_d = threadIdx.z;
    const int OC_per_warp = bdx * x128::size;
    int local_oc = warp_d * x128::size;
    int global_oc = blockIdx.x * OC_per_warp + local_oc;
    int local_bt = warp_c + block_d * bdy;
    int bt_per_block = bdy * blockDim.z;

    float accumulators[x128::size];
    for (int k = 0; k < (int)x128::size; k++) accumulators[k] = 0.0f;
    if (global_oc < OC) {
        for (int idx = blockIdx.y * bt_per_block + local_bt; idx < BT; idx += gridDim.y * bt_per_block) {
            x128 packed_dout = load128(dout + (size_t)global_oc + (size_t)idx * OC);
            for (int k = 0; k < (int)x128::size; k++) accumulators[k] += (float)packed_dout[k];
        }
    }
    __shared__ float sub_results[x128::size][32][bdx];
    for (int k = 0; k < (int)x128::size; k++) {
        float v = accumulators[k];
        v += __shfl_down_sync(0xffffffff, v, bdx * 4);
        v += __shfl_down_sync(0xffffffff, v, bdx * 2);
        v += __shfl_down_sync(0xffffffff, v, bdx * 1);
        if (warp_c == 0) sub_results[k][block_d][warp_d] = v;
    }
    __syncthreads();
    for (int k = block_d; k < (int)x128::size; k += blockDim.z) {
        if (warp_c == 0 && global_oc < OC) {
            float a = 0.0f;
            for (int r = 0; r < (int)blockDim.z; r++) a += sub_results[k][r][warp_d];
            atomicAdd(dbias + global_oc + k, a);
        }
    }
}

// ------------------------------------------------------------------------ mixture of experts router
// one warp per token; E <= 64
__global__ void moe_topk_router_kernel(int2* experts, float2* gates, int* load, const float* logits, int tokens, int E) {
    int token = blockIdx.x * blockDim.y + threadIdx.y;
    int lane = threadIdx.x;
    if (token >= tokens) return;
    const float* l = logits + (size_t)token * E;
    float v0 = lane < E ? l[lane] : -FLT_MAX;
    float v1 = lane + 32 < E ? l[lane + 32] : -FLT_MAX;
    int pick[2];
    float val[2];
    for (int k = 0; k < 2; k++) {
        float best = v0;
        int arg = lane;
        if (v1 > best) { best = v1; arg = lane + 32; }
        for (int o = 16; o > 0; o >>= 1) {
            float ob = __shfl_xor_sync(0xffffffff, best, o);
            int oa = __shfl_xor_sync(0xffffffff, arg, o);
            if (ob > best || (ob == best && oa < arg)) { best = ob; arg = oa; }
        }
        pick[k] = arg;
        val[k] = best;
        if (arg == lane) v0 = -FLT_MAX;
        if (arg == lane + 32) v1 = -FLT_MAX;
    }
    if (lane == 0) {
        // softmax over the two winners
        float e = __expf(val[1] - val[0]);
        experts[token] = make_int2(pick[0], pick[1]);
        gates[token] = make_float2(1.0f / (1.0f + e), e / (1.0f + e));
    }
    if (lane < 2) atomicAdd(&load[pick[lane]], 1);
}

// ------------------------------------------------------------------------ optimizer
__device__ float lerp(float start, float end, float weight) { return fmaf(weight, end, fmaf(-weight, start, start)); }

__global__ void adamw_update_kernel(floatX* params, float* master, const floatX* grads, float* m_memory, float* v_memory, size_t n,
                                    float lr, float beta1, float beta2, float beta1_correction, float beta2_correction, float eps,
                                    float weight_decay, float grad_scale) {
    size_t idx = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (idx >= n) return;
    float grad = grad_scale * (float)grads[idx];
    float m = m_memory[idx];
    float v = v_memory[idx];
    m = lerp(grad, m, beta1);
    m_memory[idx] = m;
    v = lerp(grad * grad, v, beta2);
    v_memory[idx] = v;
    m /= beta1_correction;
    v /= beta2_correction;
    float old = master[idx];
    float param = old - lr * (m / (sqrtf(v) + eps) + weight_decay * old);
    params[idx] = (floatX)param;
    master[idx] = param;
}

// ------------------------------------------------------------------------ host side
static uint64_t rng_state = 1337;
static unsigned int random_u32() {  // xorshift*
    rng_state ^= rng_state >> 12;
    rng_state ^= rng_state << 25;
    rng_state ^= rng_state >> 27;
    return (unsigned int)((rng_state * 0x2545F4914F6CDD1Dull) >> 32);
}
static float random_f32(float lo, float hi) { return lo + (hi - lo) * ((random_u32() >> 8) / 16777216.0f); }
static std::vector<float> randv(size_t n, float lo = -1.0f, float hi = 1.0f) {
    std::vector<float> v(n);
    for (float& f : v) f = random_f32(lo, hi);
    return v;
}
template <class D> static std::vector<D> cast(const std::vector<float>& v) {
    std::vector<D> o(v.size());
    for (size_t i = 0; i < v.size(); i++) o[i] = (D)v[i];
    return o;
}
template <class D> static D* dev(const std::vector<D>& v) {
    D* p;
    cudaCheck(cudaMalloc(&p, v.size() * sizeof(D)));
    cudaCheck(cudaMemcpy(p, v.data(), v.size() * sizeof(D), cudaMemcpyHostToDevice));
    return p;
}
template <class D> static D* dev_zero(size_t n) {
    D* p;
    cudaCheck(cudaMalloc(&p, n * sizeof(D)));
    cudaCheck(cudaMemset(p, 0, n * sizeof(D)));
    return p;
}
template <class D> static std::vector<D> host(const D* p, size_t n) {
    std::vector<D> v(n);
    cudaCheck(cudaMemcpy(v.data(), p, n * sizeof(D), cudaMemcpyDeviceToHost));
    return v;
}
static int failures = 0;
static void verdict(const char* name, double err, double tol) {
    bool ok = err <= tol;
    printf("%-22s err %.3e (tol %.1e) %s\n", name, err, tol, ok ? "OK" : "NOT OK");
    if (!ok) failures++;
}

int main() {
    const int B = 5, T = 333, C = 768, V = 5003, BT = B * T;

    {   // embedding
        std::vector<float> wte = randv((size_t)V * C), wpe = randv((size_t)T * C), dout = randv((size_t)BT * C);
        std::vector<int> inp(BT);
        for (int& i : inp) i = random_u32() % 4 == 0 ? random_u32() % 10 : random_u32() % V;  // a few frequent tokens
        float *d_wte = dev(wte), *d_wpe = dev(wpe), *d_dout = dev(dout), *d_out = dev_zero<float>((size_t)BT * C);
        float *d_dwte = dev_zero<float>(wte.size()), *d_dwpe = dev_zero<float>(wpe.size());
        int* d_inp = dev(inp);
        encoder_forward_kernel<<<CEIL_DIV(BT * C / 4, 512), 512>>>((float4*)d_out, d_inp, (const float4*)d_wte, (const float4*)d_wpe, B, T, C / 4);
        cudaCheck(cudaGetLastError());
        encoder_backward_kernel<<<CEIL_DIV(BT * C, 256), 256>>>(d_dwte, d_dwpe, d_dout, d_inp, B, T, C);
        cudaCheck(cudaGetLastError());
        std::vector<float> out = host(d_out, (size_t)BT * C), gwte = host(d_dwte, wte.size()), gwpe = host(d_dwpe, wpe.size());
        std::vector<float> rwte(wte.size(), 0.f), rwpe(wpe.size(), 0.f);
        double e0 = 0, e1 = 0;
        for (int bt = 0; bt < BT; bt++)
            for (int c = 0; c < C; c++) {
                size_t i = (size_t)bt * C + c;
                e0 = std::max(e0, (double)fabsf(out[i] - (wte[(size_t)inp[bt] * C + c] + wpe[(size_t)(bt % T) * C + c])));
                rwte[(size_t)inp[bt] * C + c] += dout[i];
                rwpe[(size_t)(bt % T) * C + c] += dout[i];
            }
        for (size_t i = 0; i < rwte.size(); i++) e1 = std::max(e1, (double)fabsf(rwte[i] - gwte[i]));
        for (size_t i = 0; i < rwpe.size(); i++) e1 = std::max(e1, (double)fabsf(rwpe[i] - gwpe[i]));
        verdict("encoder_forward", e0, 0.0);
        verdict("encoder_backward", e1, 1e-3);
        cudaFree(d_wte); cudaFree(d_wpe); cudaFree(d_dout); cudaFree(d_out); cudaFree(d_dwte); cudaFree(d_dwpe); cudaFree(d_inp);
    }
    {   // gelu, bf16
        int N = BT * 4 * 384;
        std::vector<floatX> x = cast<floatX>(randv(N, -4.0f, 4.0f));
        floatX *d_x = dev(x), *d_y = dev_zero<floatX>(N);
        gelu_forward_kernel2<<<CEIL_DIV(N, 128 * (int)x128::size), 128>>>(d_y, d_x, N);
        cudaCheck(cudaGetLastError());
        std::vector<floatX> y = host(d_y, N);
        double e = 0;
        for (int i = 0; i < N; i += 5) {
            float f = (float)x[i];
            float r = 0.5f * f * (1.0f + tanhf(GELU_SCALING_FACTOR * (f + 0.044715f * f * f * f)));
            e = std::max(e, (double)fabsf(r - (float)y[i]) / (1.0 + fabs(r)));
        }
        verdict("gelu_forward", e, 1e-2);
        cudaFree(d_x); cudaFree(d_y);
    }
    {   // swiglu backward, fp16
        const int rows = 700, F = 1364;
        std::vector<half> gu = cast<half>(randv((size_t)rows * 2 * F, -3.0f, 3.0f)), dh = cast<half>(randv((size_t)rows * F));
        half *d_gu = dev(gu), *d_dh = dev(dh), *d_dgu = dev_zero<half>(gu.size());
        swiglu_backward_kernel<<<396, 256>>>((half2*)d_dgu, (const half2*)d_dh, (const half2*)d_gu, rows, F / 2);
        cudaCheck(cudaGetLastError());
        std::vector<half> g = host(d_dgu, gu.size());
        double e = 0;
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < F; c++) {
                double gate = (float)gu[(size_t)r * 2 * F + c], up = (float)gu[(size_t)r * 2 * F + F + c], d = (float)dh[(size_t)r * F + c];
                double s = 1.0 / (1.0 + exp(-gate));
                e = std::max(e, fabs(d * gate * s - (float)g[(size_t)r * 2 * F + F + c]));
                e = std::max(e, fabs(d * up * s * (1.0 + gate * (1.0 - s)) - (float)g[(size_t)r * 2 * F + c]));
            }
        verdict("swiglu_backward", e, 5e-3);
        cudaFree(d_gu); cudaFree(d_dh); cudaFree(d_dgu);
    }
    {   // classifier, padded vocabulary
        const int rows = 640, P = CEIL_DIV(V, 64) * 64;
        std::vector<floatX> lg = cast<floatX>(randv((size_t)rows * P, -5.0f, 5.0f));
        std::vector<int> tg(rows);
        for (int& t : tg) t = random_u32() % V;
        floatX* d_lg = dev(lg);
        int* d_tg = dev(tg);
        float* d_loss = dev_zero<float>(rows);
        const float dloss = 1.0f / 16.0f;
        fused_classifier_kernel<<<rows, 512>>>(d_lg, d_loss, dloss, d_tg, V, P);
        cudaCheck(cudaGetLastError());
        std::vector<floatX> g = host(d_lg, lg.size());
        std::vector<float> loss = host(d_loss, rows);
        double el = 0, eg = 0;
        for (int r = 0; r < rows; r += 3) {
            double mx = -1e30, s = 0;
            for (int i = 0; i < V; i++) mx = std::max(mx, (double)(float)lg[(size_t)r * P + i]);
            for (int i = 0; i < V; i++) s += exp((float)lg[(size_t)r * P + i] - mx);
            el = std::max(el, fabs(loss[r] - (log(s) + mx - (float)lg[(size_t)r * P + tg[r]])));
            for (int i = 0; i < V; i++) {
                double p = exp((float)lg[(size_t)r * P + i] - mx) / s;
                eg = std::max(eg, fabs((p - (i == tg[r])) * dloss - (float)g[(size_t)r * P + i]));
            }
        }
        verdict("classifier loss", el, 1e-3);
        verdict("classifier dlogits", eg, 1e-3);
        cudaFree(d_lg); cudaFree(d_tg); cudaFree(d_loss);
    }
    {   // bias gradient; OC is not a multiple of the 32 columns of a block
        const int OC = 1000;
        std::vector<floatX> d = cast<floatX>(randv((size_t)BT * OC));
        floatX* d_d = dev(d);
        float* d_b = dev_zero<float>(OC);
        matmul_backward_bias_kernel<<<dim3(CEIL_DIV(OC, 32), 12), dim3(4, 8, 6)>>>(d_b, d_d, BT, OC);
        cudaCheck(cudaGetLastError());
        std::vector<float> b = host(d_b, OC);
        std::vector<double> r(OC, 0.0);
        for (int i = 0; i < BT; i++)
            for (int c = 0; c < OC; c++) r[c] += (float)d[(size_t)i * OC + c];
        double e = 0;
        for (int c = 0; c < OC; c++) e = std::max(e, fabs(r[c] - b[c]));
        verdict("matmul_backward_bias", e, 1e-2);
        cudaFree(d_d); cudaFree(d_b);
    }
    {   // router
        const int tokens = 20011, E = 40;
        std::vector<float> lg = randv((size_t)tokens * E, -2.0f, 2.0f);
        float* d_lg = dev(lg);
        int2* d_e = dev_zero<int2>(tokens);
        float2* d_g = dev_zero<float2>(tokens);
        int* d_load = dev_zero<int>(E);
        moe_topk_router_kernel<<<CEIL_DIV(tokens, 5), dim3(32, 5)>>>(d_e, d_g, d_load, d_lg, tokens, E);
        cudaCheck(cudaGetLastError());
        std::vector<int2> ex = host(d_e, tokens);
        std::vector<float2> ga = host(d_g, tokens);
        std::vector<int> load = host(d_load, E), rload(E, 0);
        double e = 0;
        for (int t = 0; t < tokens; t++) {
            const float* l = &lg[(size_t)t * E];
            int a = 0;
            for (int i = 1; i < E; i++) if (l[i] > l[a]) a = i;
            int b = a == 0 ? 1 : 0;
            for (int i = 0; i < E; i++) if (i != a && l[i] > l[b]) b = i;
            if (ex[t].x != a || ex[t].y != b) e = 1.0;
            double w = 1.0 / (1.0 + exp((double)l[b] - l[a]));
            e = std::max(e, fabs(w - ga[t].x));
            rload[a]++; rload[b]++;
        }
        if (load != rload) e = 1.0;
        verdict("moe_topk_router", e, 1e-4);
        cudaFree(d_lg); cudaFree(d_e); cudaFree(d_g); cudaFree(d_load);
    }
    {   // adamw, step 3
        const size_t n = 1500001;
        std::vector<float> w = randv(n), m = randv(n, -0.1f, 0.1f), v = randv(n, 0.0f, 0.01f);
        std::vector<floatX> g = cast<floatX>(randv(n)), p(n);
        float *d_w = dev(w), *d_m = dev(m), *d_v = dev(v);
        floatX *d_g = dev(g), *d_p = dev(p);
        const float lr = 1e-3f, b1 = 0.9f, b2 = 0.95f, eps = 1e-8f, wd = 0.1f, gs = 0.5f;
        const float c1 = 1.0f - powf(b1, 3), c2 = 1.0f - powf(b2, 3);
        adamw_update_kernel<<<(unsigned)CEIL_DIV(n, 512), 512>>>(d_p, d_w, d_g, d_m, d_v, n, lr, b1, b2, c1, c2, eps, wd, gs);
        cudaCheck(cudaGetLastError());
        std::vector<float> nw = host(d_w, n);
        std::vector<floatX> np = host(d_p, n);
        double e = 0;
        for (size_t i = 0; i < n; i++) {
            double gr = gs * (float)g[i];
            double mm = b1 * m[i] + (1.0 - b1) * gr, vv = b2 * v[i] + (1.0 - b2) * gr * gr;
            double r = w[i] - lr * (mm / c1 / (sqrt(vv / c2) + eps) + wd * w[i]);
            e = std::max(e, fabs(r - nw[i]) / (1.0 + fabs(r)));
            if (fabs((float)np[i] - nw[i]) > 0.005 * (1.0 + fabs(nw[i]))) e = 1.0;
        }
        verdict("adamw_update", e, 1e-5);
        cudaFree(d_w); cudaFree(d_m); cudaFree(d_v); cudaFree(d_g); cudaFree(d_p);
    }
    printf("%s\n", failures == 0 ? "ALL OK" : "FAILURES");
    return failures ? 1 : 0;
}
