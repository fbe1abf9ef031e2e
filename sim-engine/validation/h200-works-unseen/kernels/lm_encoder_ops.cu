// Encoder kernels for a GPT style model: token + position embedding lookup (fwd/bwd),
// residual add and bias add. All in one file so it's easy to benchmark and compare.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cstdint>
#include <cuda_runtime.h>
#include <cuda_bf16.h>

#define cudaCheck(err) (cuda_check(err, __FILE__, __LINE__))
static void cuda_check(cudaError_t error, const char *file, int line) {
    if (error != cudaSuccess) {
        printf("[CUDA ERROR] at file %s:%d:\n%s\n", file, line, cudaGetErrorString(error));
        exit(EXIT_FAILURE);
    }
}
#define CEIL_DIV(M, N) (((M) + (N) - 1) / (N))

typedef __nv_bfloat16 floatX;

// 128-bit pack of elements
template <class ElementType>
struct alignas(16) Pack128 {
    static constexpr int size = sizeof(int4) / sizeof(ElementType);
    ElementType payload[size];
    Pack128() = default;
    __device__ explicit Pack128(int4 bits) { memcpy(&payload, &bits, sizeof(bits)); }
    __device__ ElementType &operator[](int i) { return payload[i]; }
    __device__ const ElementType &operator[](int i) const { return payload[i]; }
    __device__ int4 bits() const { int4 b; memcpy(&b, &payload, sizeof(b)); return b; }
};
typedef Pack128<float> f128;
typedef Pack128<floatX> x128;

template <class T> __device__ Pack128<T> ld128(const T *p) { return Pack128<T>{*reinterpret_cast<const int4 *>(p)}; }
template <class T> __device__ Pack128<T> ld128cs(const T *p) { return Pack128<T>{__ldcs(reinterpret_cast<const int4 *>(p))}; }
template <class T> __device__ void st128(T *p, Pack128<T> v) { *reinterpret_cast<int4 *>(p) = v.bits(); }

// one thread handles a (b,t) pair and loops over C: bad memory access
__global__ void encoder_forward_kernel1(floatX *out, const int *inp, const floatX *wte, const floatX *wpe,
                                        int B, int T, int C) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < B * T) {
        int t = idx % T;
        floatX *out_bt = out + (size_t)idx * C;
        const floatX *wte_ix = wte + (size_t)inp[idx] * C;
        const floatX *wpe_t = wpe + (size_t)t * C;
        for (int i = 0; i < C; i++) {
            out_bt[i] = (floatX)((float)wte_ix[i] + (float)wpe_t[i]);
        }
    }
}

// one thread per output element
__global__ void encoder_forward_kernel2(floatX *out, const int *inp, const floatX *wte, const floatX *wpe,
                                        int B, int T, int C) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= B * T * C) return;
    int bt = idx / C;
    int b = bt / T;
    int t = bt % T;
    int c = idx % C;
    int ix = inp[b * T + t];
    out[idx] = (floatX)((float)wte[(size_t)ix * C + c] + (float)wpe[t * C + c]);
}

// vectorised
__global__ void encoder_forward_kernel3(floatX *__restrict__ out, const int *__restrict__ inp,
                                        const floatX *__restrict__ wte, const floatX *__restrict__ wpe,
                                        int B, int T, int C) {
    int idx = (blockIdx.x * blockDim.x + threadIdx.x) * x128::size;
    int N = B * T * C;
    if (idx < N) {
        int bt = idx / C;
        int t = bt % T;
        int c = idx % C;
        int ix = inp[bt];
        x128 packed_out;
        x128 wte128 = ld128cs(wte + (size_t)ix * C + c);
        x128 wpe128 = ld128cs(wpe + (size_t)t * C + c);
        #pragma unroll
        for (int k = 0; k < x128::size; k++) {
            packed_out[k] = (floatX)((float)wte128[k] + (float)wpe128[k]);
        }
        st128(out + idx, packed_out);
    }
}

// naive backward with float atomics
__global__ void encoder_backward_kernel(float *dwte, float *dwpe, const floatX *dout, const int *inp,
                                        int B, int T, int C) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < B * T * C) {
        int bt = idx / C;
        int t = bt % T;
        int c = idx % C;
        int ix = inp[bt];
        float d = (float)dout[idx];
        atomicAdd(dwte + (size_t)ix * C + c, d);
        atomicAdd(dwpe + (size_t)t * C + c, d);
    }
}

// deterministic position embedding gradient: one thread owns 8 channels of one t and loops over B
__global__ void wpe_backward_kernel(float *__restrict__ dwpe, const floatX *__restrict__ dout, int B, int T, int C) {
    int idx = (blockIdx.x * blockDim.x + threadIdx.x) * x128::size;
    if (idx >= T * C) return;
    float accum[x128::size] = {0.0f};
    for (int b = 0; b < B; b++) {
        x128 d = ld128cs(dout + (size_t)b * T * C + idx);
        for (int k = 0; k < x128::size; k++) accum[k] += (float)d[k];
    }
    #pragma unroll
    for (int v = 0; v < x128::size; v += f128::size) {
        f128 old = ld128(dwpe + idx + v);
        for (int k = 0; k < f128::size; k++) old[k] += accum[v + k];
        st128(dwpe + idx + v, old);
    }
}

__global__ void residual_forward_kernel(floatX *out, const floatX *inp1, const floatX *inp2, int N) {
    int idx = (blockIdx.x * blockDim.x + threadIdx.x) * x128::size;
    if (idx < N) {
        x128 o, a = ld128cs(inp1 + idx), b = ld128cs(inp2 + idx);
        for (int k = 0; k < x128::size; k++) o[k] = (floatX)((float)a[k] + (float)b[k]);
        st128(out + idx, o);
    }
}

// bias add, in place, grid stride over packs
__global__ void add_bias_kernel(floatX *out, const float *bias, int N, int OC) {
    int stride = gridDim.x * blockDim.x * x128::size;
    for (int i = (blockIdx.x * blockDim.x + threadIdx.x) * x128::size; i < N; i += stride) {
        int col = i % OC;
        x128 o = ld128(out + i);
        f128 b0 = ld128(bias + col), b1 = ld128(bias + col + f128::size);
        for (int k = 0; k < f128::size; k++) {
            o[k] = (floatX)((float)o[k] + b0[k]);
            o[k + f128::size] = (floatX)((float)o[k + f128::size] + b1[k]);
        }
        st128(out + i, o);
    }
}

__global__ void init_bf16(floatX *p, size_t n, uint32_t seed, float scale) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint32_t x = (uint32_t)i * 747796405u + seed;
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    p[i] = __float2bfloat16(scale * ((x >> 8) * (2.0f / 16777216.0f) - 1.0f));
}

int main() {
    const int B = 8, T = 1024, C = 768, V = 50257;
    const int N = B * T * C;
    srand(1337);
    int *h_inp = (int *)malloc(B * T * sizeof(int));
    for (int i = 0; i < B * T; i++) h_inp[i] = rand() % V;
    float *h_bias = (float *)malloc(C * sizeof(float));
    for (int i = 0; i < C; i++) h_bias[i] = rand() / (float)RAND_MAX - 0.5f;

    int *d_inp;
    floatX *wte, *wpe, *out, *out2, *dout;
    float *dwte, *dwpe, *bias;
    cudaCheck(cudaMalloc(&d_inp, B * T * sizeof(int)));
    cudaCheck(cudaMalloc(&wte, (size_t)V * C * sizeof(floatX)));
    cudaCheck(cudaMalloc(&wpe, T * C * sizeof(floatX)));
    cudaCheck(cudaMalloc(&out, N * sizeof(floatX)));
    cudaCheck(cudaMalloc(&out2, N * sizeof(floatX)));
    cudaCheck(cudaMalloc(&dout, N * sizeof(floatX)));
    cudaCheck(cudaMalloc(&dwte, (size_t)V * C * sizeof(float)));
    cudaCheck(cudaMalloc(&dwpe, T * C * sizeof(float)));
    cudaCheck(cudaMalloc(&bias, C * sizeof(float)));
    cudaCheck(cudaMemcpy(d_inp, h_inp, B * T * sizeof(int), cudaMemcpyHostToDevice));
    cudaCheck(cudaMemcpy(bias, h_bias, C * sizeof(float), cudaMemcpyHostToDevice));
    cudaCheck(cudaMemset(dwte, 0, (size_t)V * C * sizeof(float)));
    cudaCheck(cudaMemset(dwpe, 0, T * C * sizeof(float)));
    init_bf16<<<CEIL_DIV(V * C, 256), 256>>>(wte, (size_t)V * C, 1u, 0.2f);
    init_bf16<<<CEIL_DIV(T * C, 256), 256>>>(wpe, (size_t)T * C, 2u, 0.2f);
    init_bf16<<<CEIL_DIV(N, 256), 256>>>(dout, (size_t)N, 3u, 1.0f);
    cudaCheck(cudaGetLastError());

    encoder_forward_kernel1<<<CEIL_DIV(B * T, 128), 128>>>(out, d_inp, wte, wpe, B, T, C);
    encoder_forward_kernel2<<<CEIL_DIV(N, 512), 512>>>(out2, d_inp, wte, wpe, B, T, C);
    encoder_forward_kernel3<<<CEIL_DIV(N / x128::size, 256), 256>>>(out, d_inp, wte, wpe, B, T, C);
    encoder_backward_kernel<<<CEIL_DIV(N, 256), 256>>>(dwte, dwpe, dout, d_inp, B, T, C);
    wpe_backward_kernel<<<CEIL_DIV(T * C / x128::size, 256), 256>>>(dwpe, dout, B, T, C);
    residual_forward_kernel<<<CEIL_DIV(N / x128::size, 256), 256>>>(out2, out, dout, N);
    add_bias_kernel<<<264, 512>>>(out2, bias, N, C);
    cudaCheck(cudaGetLastError());
    cudaCheck(cudaDeviceSynchronize());

    floatX *h_out = (floatX *)malloc(N * sizeof(floatX));
    float *h_dwpe = (float *)malloc(T * C * sizeof(float));
    cudaCheck(cudaMemcpy(h_out, out2, N * sizeof(floatX), cudaMemcpyDeviceToHost));
    cudaCheck(cudaMemcpy(h_dwpe, dwpe, T * C * sizeof(float), cudaMemcpyDeviceToHost));
    double s = 0, s2 = 0;
    for (int i = 0; i < N; i++) s += fabs((double)__bfloat162float(h_out[i]));
    for (int i = 0; i < T * C; i++) s2 += fabs(h_dwpe[i]);
    printf("checksum out %.4f dwpe %.4f\n", s, s2);
    free(h_out); free(h_dwpe); free(h_inp); free(h_bias);
    cudaFree(d_inp); cudaFree(wte); cudaFree(wpe); cudaFree(out); cudaFree(out2);
    cudaFree(dout); cudaFree(dwte); cudaFree(dwpe); cudaFree(bias);
    return 0;
}
