// Loss head and optimiser kernels: softmax + crossentropy, fused classifier, AdamW, grad norm and clip.
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <cmath>
#include <cfloat>
#include <cuda_runtime.h>
#include <cuda_bf16.h>

#define cudaCheck(x) checkImpl((x), #x, __FILE__, __LINE__)
static void checkImpl(cudaError_t e, const char *what, const char *f, int l) {
    if (e != cudaSuccess) { fprintf(stderr, "%s failed: %s (%s:%d)\n", what, cudaGetErrorString(e), f, l); exit(1); }
}
template <class T> __host__ __device__ T ceil_div(T a, T b) { return (a + b - 1) / b; }

constexpr int WARP_SIZE = 32;

__device__ inline float warp_sum(float v) {
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
    return v;
}
__device__ inline float warp_max(float v) {
    for (int o = 16; o; o >>= 1) v = fmaxf(v, __shfl_xor_sync(~0u, v, o));
    return v;
}
using reduce_fn = float (*)(float);
template <reduce_fn F>
__device__ inline float block_reduce(float val, bool final_sync = false, float out_of_bounds = 0.0f) {
    __shared__ float shared_val[WARP_SIZE];
    const int lane = threadIdx.x % WARP_SIZE, warp = threadIdx.x / WARP_SIZE, nw = blockDim.x / WARP_SIZE;
    float w = F(val);
    if (lane == 0) shared_val[warp] = w;
    __syncthreads();
    w = (lane < nw) ? shared_val[lane] : out_of_bounds;
    float r = F(w);
    if (final_sync) __syncthreads();
    return r;
}

// simple: probs by block, losses from probs by thread
__global__ void softmax_forward_kernel(float *probs, const float *logits, int N, int V, int P) {
    int row = blockIdx.x;
    const float *x = logits + (size_t)row * P;
    float *y = probs + (size_t)row * P;
    float m = -FLT_MAX;
    for (int i = threadIdx.x; i < V; i += blockDim.x) m = fmaxf(m, x[i]);
    m = block_reduce<warp_max>(m, true, -FLT_MAX);
    float s = 0.0f;
    for (int i = threadIdx.x; i < V; i += blockDim.x) s += expf(x[i] - m);
    s = block_reduce<warp_sum>(s, true);
    for (int i = threadIdx.x; i < P; i += blockDim.x) y[i] = i < V ? expf(x[i] - m) / s : 0.0f;
}

// single block: per-token losses and the mean of them
__global__ void crossentropy_forward_kernel(float *losses, float *mean_loss, const float *probs, const int *targets, int N, int P) {
    float acc = 0.0f;
    for (int i = threadIdx.x; i < N; i += blockDim.x) {
        float l = -logf(probs[(size_t)i * P + targets[i]]);
        losses[i] = l;
        acc += l;
    }
    acc = block_reduce<warp_sum>(acc);
    if (threadIdx.x == 0) *mean_loss = acc / N;
}

__global__ void crossentropy_softmax_backward_kernel(float *dlogits, const float *dlosses, const float *probs,
                                                     const int *targets, int N, int V, int P) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < (size_t)N * V) {
        int row = i / V, v = i % V;
        float indicator = v == targets[row] ? 1.0f : 0.0f;
        dlogits[(size_t)row * P + v] = (probs[(size_t)row * P + v] - indicator) * dlosses[row];
    }
}

// everything in one go, gradient overwrites the logits
__global__ void __launch_bounds__(1024) fused_classifier_kernel(float *logits, float *losses, float dloss,
                                                               const int *targets, int N, int V, int P) {
    int row = gridDim.x - (blockIdx.x + 1);
    int ix = targets[row];
    float *x = logits + (size_t)row * P;
    const float4 *x4 = reinterpret_cast<const float4 *>(x);
    float tmax = -FLT_MAX, tsum = 0.0f;
    for (int i = threadIdx.x; i < V / 4; i += blockDim.x) {
        float4 v = x4[i];
        float old = tmax;
        tmax = fmaxf(tmax, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
        tsum = tsum * __expf(old - tmax) + __expf(v.x - tmax) + __expf(v.y - tmax) + __expf(v.z - tmax) + __expf(v.w - tmax);
    }
    for (int i = V / 4 * 4 + threadIdx.x; i < V; i += blockDim.x) {
        float v = x[i], old = tmax;
        tmax = fmaxf(tmax, v);
        tsum = tsum * __expf(old - tmax) + __expf(v - tmax);
    }
    float m = block_reduce<warp_max>(tmax, true, -FLT_MAX);
    float s = block_reduce<warp_sum>(tsum * __expf(tmax - m), true);
    float scale = 1.0f / s;
    if (threadIdx.x == 0) losses[row] = -logf(__expf(x[ix] - m) * scale);
    __syncthreads();
    for (int i = threadIdx.x; i < V; i += blockDim.x) {
        float prob = __expf(__ldcs(x + i) - m) * scale;
        __stcs(x + i, (prob - (i == ix ? 1.0f : 0.0f)) * dloss);
    }
}

// adamw, one thread per param (fp32)
__global__ void adamw_kernel1(float *params, const float *grads, float *m_memory, float *v_memory, long n,
                              float lr, float beta1, float beta2, float c1, float c2, float eps, float wd) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i >= n) return;
    m_memory[i] = beta1 * m_memory[i] + (1.0f - beta1) * grads[i];
    v_memory[i] = beta2 * v_memory[i] + (1.0f - beta2) * grads[i] * grads[i];
    float m_hat = m_memory[i] / c1;
    float v_hat = v_memory[i] / c2;
    params[i] -= lr * (m_hat / (sqrtf(v_hat) + eps) + wd * params[i]);
}

__device__ inline float lerp(float start, float end, float w) { return fma(w, end, fma(-w, start, start)); }

__device__ constexpr unsigned int squirrel_noise5(unsigned int pos, unsigned int seed) {
    unsigned int b = pos;
    b *= 0xd2a80a3fu; b += seed; b ^= (b >> 9);
    b += 0xa884f197u; b ^= (b >> 11);
    b *= 0x6C736F4Bu; b ^= (b >> 13);
    b += 0xB79F3ABBu; b ^= (b >> 15);
    b += 0x1b56c4f5u; b ^= (b >> 17);
    return b;
}
__device__ inline __nv_bfloat16 stochastic_round(float in, unsigned int seed) {
    unsigned int random = squirrel_noise5(blockIdx.x * blockDim.x + threadIdx.x, seed);
    unsigned int threshold = random & 0xFFFF;
    unsigned int bits = __float_as_uint(in);
    unsigned int rounded = bits & 0x0000FFFF;
    bits = (rounded > threshold) ? (bits | 0xFFFF) : (bits & ~0xFFFFu);
    return __float2bfloat16_rn(__uint_as_float(bits));
}

// bf16 params/grads with master weights and stochastic rounding
template <typename Tp, typename Tg>
__global__ void adamw_master_kernel(Tp *params, float *master, const Tg *grads, float *m_memory, float *v_memory,
                                    size_t n, float lr, float beta1, float beta2, float c1, float c2,
                                    float eps, float wd, unsigned int seed) {
    size_t idx = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (idx >= n) return;
    float grad = (float)grads[idx];
    float m = lerp(grad, m_memory[idx], beta1);
    m_memory[idx] = m;
    float v = lerp(grad * grad, v_memory[idx], beta2);
    v_memory[idx] = v;
    m /= c1;
    v /= c2;
    float old = master[idx];
    float param = old - lr * (m / (sqrtf(v) + eps) + wd * old);
    params[idx] = stochastic_round(param, seed);
    master[idx] = param;
}

template <class T>
__global__ void global_norm_squared_kernel(float *out, const T *data, size_t count) {
    size_t index = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    size_t width = (size_t)blockDim.x * gridDim.x;
    float acc = 0.0f;
    for (size_t i = index; i < count; i += width) acc += (float)data[i] * (float)data[i];
    float block = block_reduce<warp_sum>(acc);
    if (threadIdx.x == 0) atomicAdd(out, block);
}

// scale gradients in place if the global norm is above max_norm
__global__ void grad_clip_kernel(__nv_bfloat162 *grads, const float *norm2, float max_norm, size_t n2) {
    float nrm = sqrtf(*norm2);
    if (nrm <= max_norm) return;
    float f = max_norm / (nrm + 1e-6f);
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n2; i += stride) {
        float2 g = __bfloat1622float2(grads[i]);
        grads[i] = __floats2bfloat162_rn(g.x * f, g.y * f);
    }
}

__global__ void init_uniform(float *p, __nv_bfloat16 *q, size_t n, unsigned seed, float amp) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = amp * (squirrel_noise5((unsigned)i, seed) * (2.0f / 4294967296.0f) - 1.0f);
    if (p) p[i] = v;
    if (q) q[i] = __float2bfloat16(v);
}

int main() {
    const int N = 1024, V = 32003, P = 32128;  // padded vocab
    const size_t NP = 12 * 1024 * 1024 + 78;
    float *logits, *probs, *dlogits, *losses, *dlosses, *params, *master, *grads, *m, *v, *norm, *mean_loss;
    __nv_bfloat16 *params16, *grads16;
    int *targets;
    cudaCheck(cudaMalloc(&logits, (size_t)N * P * 4));
    cudaCheck(cudaMalloc(&probs, (size_t)N * P * 4));
    cudaCheck(cudaMalloc(&dlogits, (size_t)N * P * 4));
    cudaCheck(cudaMalloc(&losses, N * 4));
    cudaCheck(cudaMalloc(&dlosses, N * 4));
    cudaCheck(cudaMalloc(&targets, N * 4));
    cudaCheck(cudaMalloc(&params, NP * 4));
    cudaCheck(cudaMalloc(&master, NP * 4));
    cudaCheck(cudaMalloc(&grads, NP * 4));
    cudaCheck(cudaMalloc(&m, NP * 4));
    cudaCheck(cudaMalloc(&v, NP * 4));
    cudaCheck(cudaMalloc(&params16, NP * 2));
    cudaCheck(cudaMalloc(&grads16, NP * 2));
    cudaCheck(cudaMalloc(&norm, 4));
    cudaCheck(cudaMalloc(&mean_loss, 4));
    cudaCheck(cudaMemset(m, 0, NP * 4));
    cudaCheck(cudaMemset(v, 0, NP * 4));
    cudaCheck(cudaMemset(norm, 0, 4));
    int h_t[N];
    float h_d[N];
    srand(99);
    for (int i = 0; i < N; i++) { h_t[i] = rand() % V; h_d[i] = 1.0f / N; }
    cudaCheck(cudaMemcpy(targets, h_t, sizeof(h_t), cudaMemcpyHostToDevice));
    cudaCheck(cudaMemcpy(dlosses, h_d, sizeof(h_d), cudaMemcpyHostToDevice));
    const size_t nl = (size_t)N * P;
    init_uniform<<<ceil_div(nl, (size_t)256), 256>>>(logits, nullptr, nl, 11, 4.0f);
    init_uniform<<<ceil_div(NP, (size_t)256), 256>>>(params, nullptr, NP, 12, 0.1f);
    init_uniform<<<ceil_div(NP, (size_t)256), 256>>>(master, params16, NP, 12, 0.1f);
    init_uniform<<<ceil_div(NP, (size_t)256), 256>>>(grads, grads16, NP, 13, 0.01f);

    softmax_forward_kernel<<<N, 512>>>(probs, logits, N, V, P);
    crossentropy_forward_kernel<<<1, 512>>>(losses, mean_loss, probs, targets, N, P);
    crossentropy_softmax_backward_kernel<<<ceil_div((size_t)N * V, (size_t)256), 256>>>(dlogits, dlosses, probs, targets, N, V, P);
    fused_classifier_kernel<<<N, 1024>>>(logits, losses, 1.0f / N, targets, N, V, P);

    const float b1 = 0.9f, b2 = 0.95f;
    global_norm_squared_kernel<<<132 * 2, 512>>>(norm, grads16, NP);
    grad_clip_kernel<<<132 * 8, 256>>>(reinterpret_cast<__nv_bfloat162 *>(grads16), norm, 1.0f, NP / 2);
    adamw_kernel1<<<ceil_div(NP, (size_t)512), 512>>>(params, grads, m, v, (long)NP, 3e-4f, b1, b2, 1 - b1, 1 - b2, 1e-8f, 0.1f);
    adamw_master_kernel<<<ceil_div(NP, (size_t)512), 512>>>(params16, master, grads16, m, v, NP, 3e-4f, b1, b2,
                                                            1 - b1 * b1, 1 - b2 * b2, 1e-8f, 0.1f, 1234u);
    cudaCheck(cudaGetLastError());
    cudaCheck(cudaDeviceSynchronize());

    float h_l[N], h_n, h_s;
    cudaCheck(cudaMemcpy(h_l, losses, sizeof(h_l), cudaMemcpyDeviceToHost));
    cudaCheck(cudaMemcpy(&h_n, norm, 4, cudaMemcpyDeviceToHost));
    cudaCheck(cudaMemcpy(&h_s, mean_loss, 4, cudaMemcpyDeviceToHost));
    float *h_p = (float *)malloc(NP * 4);
    cudaCheck(cudaMemcpy(h_p, master, NP * 4, cudaMemcpyDeviceToHost));
    double loss = 0, ps = 0;
    for (int i = 0; i < N; i++) loss += h_l[i];
    for (size_t i = 0; i < NP; i++) ps += fabs(h_p[i]);
    printf("mean loss %.5f norm %.5f unfused %.5f checksum %.4f\n", loss / N, sqrt(h_n), h_s, ps);
    free(h_p);
    return 0;
}
