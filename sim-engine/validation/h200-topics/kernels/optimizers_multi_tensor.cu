// Optimizer step kernels: AdamW (plain, float4, bf16 params + fp32 master weights with a multi-tensor
// chunk table), SGD momentum, Lion, EMA, global gradient norm (two variants), loss-scale unscale + overflow check.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>
#include <cuda_bf16.h>

#define CU(call)                                                                          \
    do {                                                                                  \
        cudaError_t status = (call);                                                      \
        if (status != cudaSuccess) {                                                      \
            std::fprintf(stderr, "%s failed at line %d: %s\n", #call, __LINE__, cudaGetErrorString(status)); \
            std::exit(3);                                                                 \
        }                                                                                 \
    } while (0)

namespace opt {

struct AdamParams { float lr, beta1, beta2, eps, wd, c1, c2, grad_scale; };   // c1,c2: bias corrections
struct LionParams { float lr, beta1, beta2, wd; };

__host__ __device__ inline uint32_t hash32(uint32_t a) {
    a = (a ^ 61) ^ (a >> 16); a *= 9; a ^= a >> 4; a *= 0x27d4eb2d; a ^= a >> 15; return a;
}
__host__ __device__ inline float uniform(uint32_t i, uint32_t stream) {
    return (hash32(i * 4u + stream) >> 8) * (1.0f / 8388608.0f) - 1.0f;       // [-1, 1)
}

__global__ void init_state(float* p, float* g, float* m, float* v, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        p[i] = uniform(i, 0);
        g[i] = 0.01f * uniform(i, 1);
        m[i] = 0.001f * uniform(i, 2);
        v[i] = 0.0001f * (1.0f + uniform(i, 3));
    }
}

__host__ __device__ inline float lerp_(float a, float b, float w) { return fmaf(w, b, fmaf(-w, a, a)); }

__host__ __device__ inline void adamw_one(float& p, float g, float& m, float& v, const AdamParams& a) {
    g *= a.grad_scale;
    m = lerp_(g, m, a.beta1);
    v = lerp_(g * g, v, a.beta2);
    p -= a.lr * ((m / a.c1) / (sqrtf(v / a.c2) + a.eps) + a.wd * p);
}

// --- AdamW 1: one thread per parameter
__global__ void adamw_kernel1(float* params, const float* grads, float* m, float* v, int n, AdamParams a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    adamw_one(params[i], grads[i], m[i], v[i], a);
}

// --- AdamW 2: float4, grid stride
__global__ void __launch_bounds__(256, 4)
adamw_kernel2(float4* __restrict__ params, const float4* __restrict__ grads, float4* __restrict__ m,
              float4* __restrict__ v, int n4, AdamParams a) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += blockDim.x * gridDim.x) {
        float4 p = params[i], g = __ldcs(grads + i), mm = m[i], vv = v[i];
        adamw_one(p.x, g.x, mm.x, vv.x, a);
        adamw_one(p.y, g.y, mm.y, vv.y, a);
        adamw_one(p.z, g.z, mm.z, vv.z, a);
        adamw_one(p.w, g.w, mm.w, vv.w, a);
        params[i] = p; m[i] = mm; v[i] = vv;
    }
}

// --- AdamW 3: multi tensor apply. bf16 params + gradient, fp32 master; a table of (tensor, chunk) per block
constexpr int MAX_TENSORS = 24;
constexpr int MAX_BLOCKS = 640;
constexpr int CHUNK = 65536;
struct TensorTable {
    __nv_bfloat16* param[MAX_TENSORS];
    const float* grad[MAX_TENSORS];
    float* master[MAX_TENSORS];
    float* m[MAX_TENSORS];
    float* v[MAX_TENSORS];
    int size[MAX_TENSORS];
    uint8_t block_tensor[MAX_BLOCKS];
    uint16_t block_chunk[MAX_BLOCKS];
};
static_assert(sizeof(TensorTable) < 4000, "must fit into kernel parameters");

template <int ILP>
__global__ void multi_tensor_adamw(const __grid_constant__ TensorTable t, AdamParams a) {
    int k = t.block_tensor[blockIdx.x];
    int begin = t.block_chunk[blockIdx.x] * CHUNK;
    int end = min(begin + CHUNK, t.size[k]);
    const float* grad = t.grad[k];
    float *master = t.master[k], *m = t.m[k], *v = t.v[k];
    __nv_bfloat16* param = t.param[k];
    for (int base = begin; base < end; base += blockDim.x * ILP) {
        float rp[ILP], rg[ILP], rm[ILP], rv[ILP];
#pragma unroll
        for (int j = 0; j < ILP; j++) {
            int i = base + threadIdx.x + j * blockDim.x;
            bool in = i < end;
            rp[j] = in ? master[i] : 0.0f;
            rg[j] = in ? grad[i] : 0.0f;
            rm[j] = in ? m[i] : 0.0f;
            rv[j] = in ? v[i] : 0.0f;
        }
#pragma unroll
        for (int j = 0; j < ILP; j++) adamw_one(rp[j], rg[j], rm[j], rv[j], a);
#pragma unroll
        for (int j = 0; j < ILP; j++) {
            int i = base + threadIdx.x + j * blockDim.x;
            if (i < end) {
                master[i] = rp[j];
                m[i] = rm[j];
                v[i] = rv[j];
                param[i] = __float2bfloat16(rp[j]);
            }
        }
    }
}

template <bool NESTEROV>
__global__ void sgd_momentum(float* p, const float* g, float* buf, int n, float lr, float mu, float wd) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float d = g[i] + wd * p[i];
    float b = mu * buf[i] + d;
    buf[i] = b;
    p[i] -= lr * (NESTEROV ? d + mu * b : b);
}

__global__ void lion(float* p, const float* g, float* m, int n, LionParams o) {
    int stride = gridDim.x * blockDim.x;
#pragma unroll 4
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        float gi = g[i], mi = m[i];
        float c = o.beta1 * mi + (1.0f - o.beta1) * gi;
        float s = c > 0.0f ? 1.0f : (c < 0.0f ? -1.0f : 0.0f);
        p[i] = p[i] * (1.0f - o.lr * o.wd) - o.lr * s;
        m[i] = o.beta2 * mi + (1.0f - o.beta2) * gi;
    }
}

__global__ void ema_update(float2* ema, const float2* p, int n2, float decay) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n2) {
        float2 e = ema[i], q = __ldcs(p + i);
        ema[i] = make_float2(q.x + decay * (e.x - q.x), q.y + decay * (e.y - q.y));
    }
}

__device__ inline float block_sum(float v) {
    __shared__ float s[32];
    for (int o = 16; o; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);
    if ((threadIdx.x & 31) == 0) s[threadIdx.x >> 5] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = threadIdx.x < blockDim.x / 32 ? s[threadIdx.x] : 0.0f;
        for (int o = 16; o; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);
    }
    return v;      // valid in thread 0
}
// norm 1: grid stride and one atomic per block
__global__ void global_norm_atomic(float* out, const float* g, size_t n) {
    float acc = 0.0f;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) acc += g[i] * g[i];
    acc = block_sum(acc);
    if (threadIdx.x == 0) atomicAdd(out, acc);
}
// norm 2: deterministic; last block to finish sums the partials (threadfence reduction)
__global__ void global_norm_lastblock(float* out, float* partial, unsigned* counter, const float4* g, size_t n4) {
    __shared__ bool last;
    float acc = 0.0f;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n4; i += (size_t)gridDim.x * blockDim.x) {
        float4 x = g[i];
        acc += x.x * x.x + x.y * x.y + x.z * x.z + x.w * x.w;
    }
    acc = block_sum(acc);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = acc;
        __threadfence();
        last = atomicAdd(counter, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        __threadfence();
        acc = 0.0f;
        for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) acc += __ldcg(partial + i);
        acc = block_sum(acc);
        if (threadIdx.x == 0) { *out = acc; *counter = 0; }
    }
}
// unscale in place by the inverse loss scale and clip by the norm; counts non-finite values
__global__ void unscale_and_clip(float* g, size_t n, float inv_scale, float max_norm, const float* norm_sq, int* bad) {
    float norm = sqrtf(*norm_sq) * inv_scale;
    float f = inv_scale * (norm > max_norm ? max_norm / norm : 1.0f);
    int seen = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        float x = g[i];
        if (!isfinite(x)) seen = 1;
        g[i] = x * f;
    }
    if (__any_sync(__activemask(), seen) && seen) atomicOr(bad, 1);
}
}  // namespace opt

using namespace opt;
static int failed = 0;
// compares both ends of a device array with a reference given index by index
template <class Ref>
static void compare(const char* what, const float* dev, int n, float tol, Ref ref) {
    const int K = std::min(n, 20000);
    std::vector<float> h(K);
    float worst = 0.0f;
    for (int part = 0; part < 2; part++) {
        int at = part ? n - K : 0;
        CU(cudaMemcpy(h.data(), dev + at, K * sizeof(float), cudaMemcpyDeviceToHost));
        for (int i = 0; i < K; i++) {
            float d = std::fabs(h[i] - ref((uint32_t)(at + i)));
            if (!(d <= worst)) worst = d;
        }
    }
    bool ok = worst <= tol;
    std::printf("  %-26s %.2e %s\n", what, worst, ok ? "ok" : "mismatch");
    failed += !ok;
}

int main() {
    const int n = 32 * 1024 * 1024;
    float *p, *g, *m, *v, *scalars, *partial; __nv_bfloat16* pb; unsigned* counter; int* bad;
    for (float** q : {&p, &g, &m, &v}) CU(cudaMalloc(q, (size_t)n * sizeof(float)));
    CU(cudaMalloc(&pb, (size_t)n * sizeof(__nv_bfloat16)));
    CU(cudaMalloc(&scalars, 16 * sizeof(float)));
    CU(cudaMalloc(&partial, 4096 * sizeof(float)));
    CU(cudaMalloc(&counter, sizeof(unsigned)));
    CU(cudaMalloc(&bad, sizeof(int)));
    CU(cudaMemset(scalars, 0, 16 * sizeof(float)));
    CU(cudaMemset(counter, 0, sizeof(unsigned)));
    CU(cudaMemset(bad, 0, sizeof(int)));
    auto blocks = [](long long work, int bs) { return (int)((work + bs - 1) / bs); };

    init_state<<<132 * 16, 256>>>(p, g, m, v, n);
    CU(cudaGetLastError());

    // three AdamW steps, each by another kernel
    AdamParams a{1e-3f, 0.9f, 0.95f, 1e-8f, 0.1f, 1.0f - 0.9f, 1.0f - 0.95f, 1.0f};
    adamw_kernel1<<<blocks(n, 512), 512>>>(p, g, m, v, n, a);
    CU(cudaGetLastError());
    adamw_kernel2<<<132 * 8, 256>>>((float4*)p, (const float4*)g, (float4*)m, (float4*)v, n / 4, a);
    CU(cudaGetLastError());
    {
        // GPT-2-like shapes: qkv, proj, fc, fcproj, biases, ... laid one after another
        TensorTable t{};
        const int shapes[] = {768 * 2304, 2304, 768 * 768, 768, 768 * 3072, 3072, 3072 * 768, 768, 50257 * 256, 1024 * 768, 1000003};
        size_t off = 0;
        int nb = 0, k = 0;
        for (int s : shapes) {
            t.param[k] = pb + off; t.grad[k] = g + off; t.master[k] = p + off; t.m[k] = m + off; t.v[k] = v + off; t.size[k] = s;
            for (int c = 0; c * CHUNK < s; c++, nb++) {
                if (nb >= MAX_BLOCKS) { std::puts("table too small"); return 1; }
                t.block_tensor[nb] = (uint8_t)k; t.block_chunk[nb] = (uint16_t)c;
            }
            off += s; k++;
        }
        multi_tensor_adamw<4><<<nb, 512>>>(t, a);
        CU(cudaGetLastError());
        auto after = [&](int steps) {
            return [=](uint32_t i) {
                float pp = uniform(i, 0), gg = 0.01f * uniform(i, 1), mm = 0.001f * uniform(i, 2), vv = 0.0001f * (1.0f + uniform(i, 3));
                for (int s = 0; s < steps; s++) adamw_one(pp, gg, mm, vv, a);
                return pp;
            };
        };
        compare("adamw x3 (multi tensor)", p, (int)off, 1e-5f, after(3));
        compare("adamw x2 (outside table)", p + off, n - (int)off, 1e-5f, [&](uint32_t i) { return after(2)((uint32_t)off + i); });
        std::vector<__nv_bfloat16> hb(1000); std::vector<float> hm(1000);
        CU(cudaMemcpy(hb.data(), pb + off - 1000, 2000, cudaMemcpyDeviceToHost));
        CU(cudaMemcpy(hm.data(), p + off - 1000, 4000, cudaMemcpyDeviceToHost));
        for (int i = 0; i < 1000; i++) if (__bfloat162float(hb[i]) != __bfloat162float(__float2bfloat16(hm[i]))) { failed++; break; }
    }

    // gradient norm, then unscale + clip
    global_norm_atomic<<<132 * 2, 512>>>(scalars, g, n);
    CU(cudaGetLastError());
    global_norm_lastblock<<<132 * 4, 512>>>(scalars + 1, partial, counter, (const float4*)g, n / 4);
    CU(cudaGetLastError());
    float hs[2];
    CU(cudaMemcpy(hs, scalars, sizeof hs, cudaMemcpyDeviceToHost));
    double expect = 0;                                   // sampled estimate of sum g^2, every 64th
    for (int i = 0; i < n; i += 64) { double x = 0.01 * uniform(i, 1); expect += x * x * 64; }
    bool normok = std::fabs(hs[0] / hs[1] - 1.0) < 1e-3 && std::fabs(hs[1] / expect - 1.0) < 2e-2;
    std::printf("  norms^2 %.4f %.4f, estimate %.4f %s\n", hs[0], hs[1], expect, normok ? "ok" : "mismatch");
    failed += !normok;

    const float inv_scale = 1.0f / 1024.0f, max_norm = 0.01f;
    unscale_and_clip<<<132 * 8, 256>>>(g, n, inv_scale, max_norm, scalars + 1, bad);
    CU(cudaGetLastError());
    float nrm = std::sqrt(hs[1]) * inv_scale, f = inv_scale * (nrm > max_norm ? max_norm / nrm : 1.0f);
    compare("unscale + clip", g, n, 1e-8f, [&](uint32_t i) { return 0.01f * uniform(i, 1) * f; });
    int hbad;
    CU(cudaMemcpy(&hbad, bad, sizeof hbad, cudaMemcpyDeviceToHost));
    failed += hbad != 0;

    // fresh state for the others
    init_state<<<132 * 8, 512>>>(p, g, m, v, n);
    CU(cudaGetLastError());
    ema_update<<<blocks(n / 2, 256), 256>>>((float2*)v, (const float2*)p, n / 2, 0.999f);
    CU(cudaGetLastError());
    compare("ema", v, n, 1e-6f, [](uint32_t i) { float e = 0.0001f * (1.0f + uniform(i, 3)), q = uniform(i, 0); return q + 0.999f * (e - q); });
    const int half = n / 2;
    sgd_momentum<true><<<blocks(half, 256), 256>>>(p, g, m, half, 0.1f, 0.9f, 0.01f);
    CU(cudaGetLastError());
    compare("sgd nesterov", p, half, 1e-6f, [](uint32_t i) {
        float q = uniform(i, 0), d = 0.01f * uniform(i, 1) + 0.01f * q, b = 0.9f * (0.001f * uniform(i, 2)) + d;
        return q - 0.1f * (d + 0.9f * b); });
    LionParams lp{1e-4f, 0.9f, 0.99f, 0.1f};
    lion<<<132 * 4, 1024 / 2>>>(p + half, g + half, m + half, half, lp);
    CU(cudaGetLastError());
    compare("lion momentum", m + half, half, 1e-7f, [&](uint32_t i) {
        i += half; return 0.99f * (0.001f * uniform(i, 2)) + (1.0f - 0.99f) * (0.01f * uniform(i, 1)); });
    compare("lion params", p + half, half, 3e-4f, [&](uint32_t i) {      // tolerance admits a flipped sign near zero
        i += half; float c = 0.9f * (0.001f * uniform(i, 2)) + (1.0f - 0.9f) * (0.01f * uniform(i, 1));
        return uniform(i, 0) * (1.0f - 1e-5f) - 1e-4f * (c > 0 ? 1.0f : -1.0f); });
    CU(cudaDeviceSynchronize());
    std::puts(failed ? "FAIL" : "PASS");
    return failed ? 1 : 0;
}
