// Elementwise transformer ops, forward and backward, fp32 and bf16 with 128-bit packs:
// GELU, residual add, bias add, SwiGLU and rotary position embedding.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cstring>
#include <vector>
#include <functional>
#include <cuda_runtime.h>
#include <cuda_bf16.h>

typedef __nv_bfloat16 bf16;

#define cudaCheck(err) (cuda_check((err), __FILE__, __LINE__))
static void cuda_check(cudaError_t e, const char* file, int line) {
    if (e != cudaSuccess) {
        printf("[CUDA ERROR] at %s:%d: %s\n", file, line, cudaGetErrorString(e));
        exit(EXIT_FAILURE);
    }
}
template <class T> static __host__ __device__ T ceil_div(T a, T b) { return (a + b - 1) / b; }

// ---------------------------------------------------------------------------
// 128-bit pack
template <class T>
struct alignas(16) Packed128 {
    static constexpr int size = sizeof(int4) / sizeof(T);
    T payload[size];
    Packed128() = default;
    __device__ explicit Packed128(int4 bits) { memcpy(&payload, &bits, sizeof(bits)); }
    __device__ T& operator[](int i) { return payload[i]; }
    __device__ const T& operator[](int i) const { return payload[i]; }
    __device__ int4 bits() const { int4 b; memcpy(&b, &payload, sizeof(b)); return b; }
};
template <class T> __device__ Packed128<T> load128(const T* p) { return Packed128<T>{*reinterpret_cast<const int4*>(p)}; }
template <class T> __device__ Packed128<T> load128cs(const T* p) { return Packed128<T>{__ldcs(reinterpret_cast<const int4*>(p))}; }
template <class T> __device__ void store128(T* p, const Packed128<T>& v) { *reinterpret_cast<int4*>(p) = v.bits(); }
template <class T> __device__ void store128cs(T* p, const Packed128<T>& v) { __stcs(reinterpret_cast<int4*>(p), v.bits()); }

// deterministic values both sides can compute
__host__ __device__ inline float value_at(unsigned i, unsigned salt) {
    unsigned h = i * 2654435761u + salt * 40503u + 12345u;
    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13; h *= 3266489917u; h ^= h >> 16;
    return (float)(h & 0xffff) / 16384.0f - 2.0f;   // multiples of 2^-14 in [-2, 2)
}
static float bf_round(float x) { return __bfloat162float(__float2bfloat16(x)); }

__global__ void fill_kernel(float* f, bf16* h, size_t n) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        f[i] = value_at((unsigned)i, 1);
        h[i] = __float2bfloat16(value_at((unsigned)i, 2));
    }
}

// ---------------------------------------------------------------------------
#define GELU_SCALING_FACTOR 0.7978845608028654f
__host__ __device__ inline float gelu(float x) {
    float cube = 0.044715f * x * x * x;
    return 0.5f * x * (1.0f + tanhf(GELU_SCALING_FACTOR * (x + cube)));
}
__host__ __device__ inline float gelu_grad(float x) {
    float cube = 0.044715f * x * x * x;
    float t = tanhf(GELU_SCALING_FACTOR * (x + cube));
    float sech2 = 1.0f - t * t;
    return 0.5f * (1.0f + t) + x * 0.5f * sech2 * GELU_SCALING_FACTOR * (1.0f + 3.0f * 0.044715f * x * x);
}
__host__ __device__ inline float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }

// kernel 1: naive, one element per thread
__global__ void gelu_forward_kernel1(float* out, const float* inp, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) out[i] = gelu(inp[i]);
}
// kernel 2: 128-bit packs
template <class T>
__global__ void gelu_forward_kernel2(T* out, const T* inp, int N) {
    using P = Packed128<T>;
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * P::size;
    if (i < N) {
        P in = load128cs(inp + i), o;
        #pragma unroll
        for (int k = 0; k < P::size; k++) o[k] = (T)gelu((float)in[k]);
        store128(out + i, o);
    }
}
template <class T>
__global__ void gelu_backward_kernel2(T* dinp, const T* inp, const T* dout, int N) {
    using P = Packed128<T>;
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * P::size;
    if (i < N) {
        P in = load128cs(inp + i), d = load128cs(dout + i), o;
        #pragma unroll
        for (int k = 0; k < P::size; k++) o[k] = (T)(gelu_grad((float)in[k]) * (float)d[k]);
        store128(dinp + i, o);
    }
}
template <class T>
__global__ void residual_forward_kernel2(T* out, const T* a, const T* b, int N) {
    using P = Packed128<T>;
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * P::size;
    if (i < N) {
        P x = load128cs(a + i), y = load128cs(b + i), o;
        #pragma unroll
        for (int k = 0; k < P::size; k++) o[k] = (T)((float)x[k] + (float)y[k]);
        store128(out + i, o);
    }
}
// bias add, in place, grid-stride
template <class T>
__global__ void add_bias(T* out, const T* bias, int B, int T_, int OC) {
    using P = Packed128<T>;
    int total = B * T_ * OC, stride = gridDim.x * blockDim.x * P::size;
    for (int i = (blockIdx.x * blockDim.x + threadIdx.x) * P::size; i < total; i += stride) {
        P o = load128(out + i), b = load128(bias + i % OC);
        #pragma unroll
        for (int k = 0; k < P::size; k++) o[k] = (T)((float)o[k] + (float)b[k]);
        store128(out + i, o);
    }
}
// SwiGLU: input rows are [gate(C) | up(C)]
template <class T>
__global__ void swiglu_forward_kernel(T* out, const T* inp, int BT, int C) {
    using P = Packed128<T>;
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * P::size;
    if (i >= BT * C) return;
    int row = i / C, c = i % C;
    const T* base = inp + (size_t)row * 2 * C + c;
    P g = load128cs(base), u = load128cs(base + C), o;
    #pragma unroll
    for (int k = 0; k < P::size; k++) { float x = (float)g[k]; o[k] = (T)(x * sigmoid(x) * (float)u[k]); }
    store128(out + i, o);
}
template <class T>
__global__ void swiglu_backward_kernel(T* dinp, const T* inp, const T* dout, int BT, int C) {
    using P = Packed128<T>;
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * P::size;
    if (i >= BT * C) return;
    int row = i / C, c = i % C;
    size_t base = (size_t)row * 2 * C + c;
    P g = load128cs(inp + base), u = load128cs(inp + base + C), d = load128cs(dout + i), dg, du;
    #pragma unroll
    for (int k = 0; k < P::size; k++) {
        float x = (float)g[k], s = sigmoid(x), dd = (float)d[k];
        dg[k] = (T)(dd * (float)u[k] * s * (1.0f + x * (1.0f - s)));
        du[k] = (T)(dd * x * s);
    }
    store128cs(dinp + base, dg);
    store128cs(dinp + base + C, du);
}
// RoPE, (B,T,NH,HD), interleaved pairs; cos/sin recomputed per thread
__global__ void rope_forward_kernel1(float2* out, const float2* inp, int B, int T, int NH, int HD2) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= B * T * NH * HD2) return;
    int d = i % HD2, t = (i / (HD2 * NH)) % T;
    float freq = 1.0f / powf(10000.0f, (float)d / HD2);
    float s, c;
    sincosf(t * freq, &s, &c);
    float2 v = inp[i];
    out[i] = make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
}
__global__ void rope_table_kernel(float2* table, int T, int HD2) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= T * HD2) return;
    int d = i % HD2, t = i / HD2;
    float s, c;
    sincosf(t * (1.0f / powf(10000.0f, (float)d / HD2)), &s, &c);
    table[i] = make_float2(c, s);
}
// packs + table; SIGN=+1 forward, -1 backward (inverse rotation)
template <class T, int SIGN>
__global__ void rope_kernel2(T* out, const T* inp, const float2* __restrict__ table, int B, int T_, int NH, int HD) {
    using P = Packed128<T>;
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * P::size;
    if (i >= B * T_ * NH * HD) return;
    int d = i % HD, t = (i / (HD * NH)) % T_;
    P x = load128cs(inp + i), o;
    const float2* tb = table + t * (HD / 2) + d / 2;
    #pragma unroll
    for (int k = 0; k < P::size; k += 2) {
        float2 cs = __ldg(tb + k / 2);
        float s = SIGN * cs.y, a = (float)x[k], b = (float)x[k + 1];
        o[k] = (T)(a * cs.x - b * s);
        o[k + 1] = (T)(a * s + b * cs.x);
    }
    store128(out + i, o);
}

// ---------------------------------------------------------------------------
static int failures = 0;
template <class T>
void validate(const char* name, const T* dev, size_t n, float tol, const std::function<float(size_t)>& ref) {
    const size_t chunk = 4096;
    std::vector<T> h(chunk);
    size_t starts[3] = {0, (n / 2) & ~(size_t)7, n - chunk};
    int bad = 0; float maxd = 0;
    for (size_t s : starts) {
        cudaCheck(cudaMemcpy(h.data(), dev + s, chunk * sizeof(T), cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < chunk; i++) {
            float r = ref(s + i), d = fabsf((float)h[i] - r);
            maxd = fmaxf(maxd, d);
            if (!(d <= tol * (1.0f + fabsf(r)))) bad++;
        }
    }
    printf("%-24s max diff %.5f  %s\n", name, maxd, bad ? "MISMATCH" : "ok");
    if (bad) failures++;
}

int main() {
    const int B = 8, T = 1024, C = 768, OC = 4 * C, NH = 12, HD = 64;
    const size_t N = (size_t)B * T * OC;         // 25.2M
    float *fin, *fout; bf16 *hin, *hout; float2* table;
    cudaCheck(cudaMalloc(&fin, N * sizeof(float)));
    cudaCheck(cudaMalloc(&fout, N * sizeof(float)));
    cudaCheck(cudaMalloc(&hin, N * sizeof(bf16)));
    cudaCheck(cudaMalloc(&hout, N * sizeof(bf16)));
    cudaCheck(cudaMalloc(&table, T * (HD / 2) * sizeof(float2)));
    fill_kernel<<<132 * 8, 256>>>(fin, hin, N);
    cudaCheck(cudaGetLastError());
    auto F = [](size_t i) { return value_at((unsigned)i, 1); };
    auto H = [](size_t i) { return bf_round(value_at((unsigned)i, 2)); };

    gelu_forward_kernel1<<<ceil_div((int)N, 512), 512>>>(fout, fin, (int)N);
    cudaCheck(cudaGetLastError());
    validate<float>("gelu_forward1 fp32", fout, N, 1e-4f, [&](size_t i) { return gelu(F(i)); });

    gelu_forward_kernel2<bf16><<<ceil_div((int)N, 256 * 8), 256>>>(hout, hin, (int)N);
    cudaCheck(cudaGetLastError());
    validate<bf16>("gelu_forward2 bf16", hout, N, 2e-2f, [&](size_t i) { return gelu(H(i)); });

    // half the array is the input and half the incoming gradient
    const size_t N2 = N / 2;
    gelu_backward_kernel2<bf16><<<ceil_div((int)N2, 128 * 8), 128>>>(hout, hin, hin + N2, (int)N2);
    cudaCheck(cudaGetLastError());
    validate<bf16>("gelu_backward2 bf16", hout, N2, 2e-2f, [&](size_t i) { return gelu_grad(H(i)) * H(N2 + i); });

    const size_t NR = (size_t)B * T * C;
    residual_forward_kernel2<float><<<ceil_div((int)NR, 256 * 4), 256>>>(fout, fin, fin + NR, (int)NR);
    cudaCheck(cudaGetLastError());
    validate<float>("residual_forward2 fp32", fout, NR, 1e-5f, [&](size_t i) { return F(i) + F(NR + i); });

    // bias is added in place onto a copy of the first rows
    cudaCheck(cudaMemcpy(hout, hin, N * sizeof(bf16), cudaMemcpyDeviceToDevice));
    add_bias<bf16><<<132 * 4, 512>>>(hout, hin + OC, B, T, OC);
    cudaCheck(cudaGetLastError());
    validate<bf16>("add_bias bf16", hout, N, 2e-2f, [&](size_t i) { return H(i) + H(OC + i % OC); });

    const int CS = 1536;                        // rows of 2*CS = OC
    const int BT = B * T;
    swiglu_forward_kernel<bf16><<<ceil_div(BT * CS, 256 * 8), 256>>>(hout, hin, BT, CS);
    cudaCheck(cudaGetLastError());
    validate<bf16>("swiglu_forward bf16", hout, (size_t)BT * CS, 3e-2f, [&](size_t i) {
        size_t r = i / CS, c = i % CS; float g = H(r * 2 * CS + c);
        return g * sigmoid(g) * H(r * 2 * CS + CS + c); });

    // dout is taken from the start of the same buffer (read only)
    swiglu_backward_kernel<float><<<ceil_div(BT * CS, 256 * 4), 256>>>(fout, fin, fin, BT, CS);
    cudaCheck(cudaGetLastError());
    validate<float>("swiglu_backward fp32", fout, (size_t)BT * 2 * CS, 1e-4f, [&](size_t j) {
        size_t r = j / (2 * CS), c = j % (2 * CS), cc = c % CS;
        float x = F(r * 2 * CS + cc), u = F(r * 2 * CS + CS + cc), s = sigmoid(x), d = F(r * CS + cc);
        return c < (size_t)CS ? d * u * s * (1.0f + x * (1.0f - s)) : d * x * s; });

    auto rope_ref = [&](auto src, size_t i, float sign) {
        int d = (int)(i % HD) / 2, t = (int)((i / C) % T);
        double ang = t * pow(10000.0, -(double)d / (HD / 2));
        float c = (float)cos(ang), s = sign * (float)sin(ang), a = src(i & ~(size_t)1), b = src(i | 1);
        return (i & 1) ? a * s + b * c : a * c - b * s;
    };
    rope_forward_kernel1<<<ceil_div((int)NR / 2, 256), 256>>>((float2*)fout, (const float2*)fin, B, T, NH, HD / 2);
    cudaCheck(cudaGetLastError());
    validate<float>("rope_forward1 fp32", fout, NR, 2e-3f, [&](size_t i) { return rope_ref(F, i, 1.0f); });

    rope_table_kernel<<<ceil_div(T * HD / 2, 256), 256>>>(table, T, HD / 2);
    rope_kernel2<bf16, 1><<<ceil_div((int)NR, 256 * 8), 256>>>(hout, hin, table, B, T, NH, HD);
    cudaCheck(cudaGetLastError());
    validate<bf16>("rope_forward2 bf16", hout, NR, 2e-2f, [&](size_t i) { return rope_ref(H, i, 1.0f); });

    rope_kernel2<float, -1><<<ceil_div((int)NR, 128 * 4), 128>>>(fout, fin, table, B, T, NH, HD);
    cudaCheck(cudaGetLastError());
    validate<float>("rope_backward2 fp32", fout, NR, 2e-3f, [&](size_t i) { return rope_ref(F, i, -1.0f); });

    cudaFree(fin); cudaFree(fout); cudaFree(hin); cudaFree(hout); cudaFree(table);
    printf(failures ? "FAIL\n" : "PASS\n");
    return failures ? 1 : 0;
}
