// matmul + bias, bias gradients, gelu, residual and encoder kernels of a GPT block. float and bf16.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>
#include <cuda_bf16.h>

typedef __nv_bfloat16 floatX;
#define CEIL_DIV(M, N) (((M) + (N)-1) / (N))
inline void cudaCheck_(cudaError_t e, const char* f, int l) {
    if (e != cudaSuccess) { printf("[CUDA ERROR] %s:%d %s\n", f, l, cudaGetErrorString(e)); exit(1); }
}
#define cudaCheck(e) cudaCheck_(e, __FILE__, __LINE__)

struct alignas(16) x8 { floatX v[8]; };
__device__ inline x8 ld8(const floatX* p) { x8 r; *(int4*)&r = *(const int4*)p; return r; }
__device__ inline void st8(floatX* p, const x8& r) { *(int4*)p = *(const int4*)&r; }
__device__ inline float4 ld_vec(const float* a) { return *reinterpret_cast<const float4*>(a); }
__device__ inline void st_vec(float* a, float4 v) { *reinterpret_cast<float4*>(a) = v; }

// ---- encoder
__global__ void encoder_forward(float* out, const int* inp, const float* wte, const float* wpe, int B, int T, int C) {
    int idx = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (idx >= B * T * C) return;
    int bt = idx / C, c = idx % C, t = bt % T;
    float4 a = ld_vec(wte + (size_t)inp[bt] * C + c), b = ld_vec(wpe + t * C + c);
    st_vec(out + idx, make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w));
}
__global__ void encoder_backward(float* dwte, float* dwpe, const float* dout, const int* inp, int B, int T, int C) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= B * T * C) return;
    int bt = idx / C, c = idx % C, t = bt % T;
    float d = dout[idx];
    atomicAdd(dwte + (size_t)inp[bt] * C + c, d);
    atomicAdd(dwpe + t * C + c, d);
}

// ---- matmul forward: out (BT,OC) = inp (BT,C) @ weight (OC,C)^T + bias, every thread 8x8
__global__ void __launch_bounds__(256, 2) matmul_forward_kernel4(float* out, const float* inp, const float* weight,
                                                                 const float* bias, int C, int OC) {
    int oc = 8 * (blockIdx.y * blockDim.y + threadIdx.y);
    __shared__ __align__(16) float lhs_s[128][32];
    __shared__ __align__(16) float rhs_s[128][32];
    inp += 128 * blockIdx.x * C;
    weight += 128 * blockIdx.y * C;
    out += 128 * blockIdx.x * OC + 128 * blockIdx.y;

    float vals[8][8] = {};
    if (bias != NULL)
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j += 4) {
                float4 b = ld_vec(bias + oc + j);
                vals[i][j] = b.x; vals[i][j + 1] = b.y; vals[i][j + 2] = b.z; vals[i][j + 3] = b.w;
            }
    int si_start = 4 * (16 * threadIdx.y + threadIdx.x);
    for (int so = 0; so < C; so += 32) {
        __syncthreads();
        int xmod8 = threadIdx.x % 8, xby8 = threadIdx.x / 8, xo = 4 * xmod8;
        for (int y = 2 * threadIdx.y + xby8; y < 128; y += 32) {
            st_vec(&lhs_s[y][xo], ld_vec(inp + y * C + so + xo));
            st_vec(&rhs_s[y][xo], ld_vec(weight + y * C + so + xo));
        }
        __syncthreads();
        for (int si = si_start; si < si_start + 32; si += 4) {
            float4 rhs[8];
            for (int u = 0; u < 8; ++u) rhs[u] = ld_vec(&rhs_s[u + 8 * threadIdx.y][si % 32]);
            for (int ii = 0; ii < 8; ++ii) {
                float4 lhs = ld_vec(&lhs_s[ii + 8 * threadIdx.x][si % 32]);
                for (int ji = 0; ji < 8; ++ji) {
                    vals[ii][ji] += lhs.x * rhs[ji].x;
                    vals[ii][ji] += lhs.y * rhs[ji].y;
                    vals[ii][ji] += lhs.z * rhs[ji].z;
                    vals[ii][ji] += lhs.w * rhs[ji].w;
                }
            }
        }
    }
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; j += 4)
            st_vec(out + (8 * threadIdx.x + i) * OC + 8 * threadIdx.y + j,
                   make_float4(vals[i][j], vals[i][j + 1], vals[i][j + 2], vals[i][j + 3]));
}

// ---- bias gradient, five times
// v1: block per output channel, tree in shared
__global__ void matmul_backward_bias_kernel1(float* dbias, const float* dout, int BT, int OC) {
    extern __shared__ float shared[];
    int o = blockIdx.x, tid = threadIdx.x;
    double sum = 0.0;
    for (int i = tid; i < BT; i += blockDim.x) sum += dout[i * OC + o];
    shared[tid] = (float)sum;
    __syncthreads();
    for (int stride = blockDim.x / 2; stride >= 1; stride /= 2) {
        if (tid < stride) shared[tid] += shared[tid + stride];
        __syncthreads();
    }
    if (tid == 0) dbias[o] += shared[0];
}
// v2: warp per channel
__global__ void matmul_backward_bias_kernel2(float* dbias, const float* dout, int BT, int OC) {
    int o = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (o >= OC) return;
    float s = 0.f;
    for (int i = lane; i < BT; i += 32) s += dout[i * OC + o];
    for (int k = 16; k; k >>= 1) s += __shfl_down_sync(0xffffffff, s, k);
    if (lane == 0) dbias[o] += s;
}
// v3: 32 columns a block, coalesced rows over warps
__global__ void matmul_backward_bias_kernel3(float* dbias, const float* dout, int BT, int OC) {
    __shared__ float smem[32][32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, nw = blockDim.x / 32;
    int col = blockIdx.x * 32 + lane;
    float s = 0.f;
    if (col < OC) for (int r = warp; r < BT; r += nw) s += dout[r * OC + col];
    smem[warp][lane] = s;
    __syncthreads();
    if (warp == 0 && col < OC) {
        float t = 0.f;
        for (int j = 0; j < nw; j++) t += smem[j][lane];
        dbias[col] += t;
    }
}
// v4: rows cut over blockIdx.y, atomics at the end
__global__ void matmul_backward_bias_kernel4(float* dbias, const float* dout, int BT, int OC) {
    int oc = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (oc >= OC) return;
    float4 s = make_float4(0, 0, 0, 0);
    for (int r = blockIdx.y; r < BT; r += gridDim.y) {
        float4 v = ld_vec(dout + (size_t)r * OC + oc);
        s.x += v.x; s.y += v.y; s.z += v.z; s.w += v.w;
    }
    atomicAdd(dbias + oc, s.x); atomicAdd(dbias + oc + 1, s.y);
    atomicAdd(dbias + oc + 2, s.z); atomicAdd(dbias + oc + 3, s.w);
}
// v5: bf16 input, 8 columns a thread, block (8, 64): 64 columns by 64 row slots
__global__ void matmul_backward_bias_kernel5(float* dbias, const floatX* dout, int BT, int OC) {
    __shared__ float part[64][65];
    int oc = blockIdx.x * 64 + threadIdx.x * 8;
    float acc[8] = {};
    for (int r = threadIdx.y; r < BT; r += 64) {
        x8 p = ld8(dout + (size_t)r * OC + oc);
        for (int k = 0; k < 8; k++) acc[k] += __bfloat162float(p.v[k]);
    }
    for (int k = 0; k < 8; k++) part[threadIdx.y][threadIdx.x * 8 + k] = acc[k];
    __syncthreads();
    int t = threadIdx.y * 8 + threadIdx.x;
    if (t < 64) {
        float s = 0.f;
        for (int j = 0; j < 64; j++) s += part[j][t];
        dbias[blockIdx.x * 64 + t] += s;
    }
}

// ---- gelu, residual
#define GELU_SCALING_FACTOR 0.7978845608028654f
__global__ void gelu_forward_bf16(floatX* out, const floatX* inp, int n) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
    if (i >= n) return;
    x8 in = ld8(inp + i), o;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        float x = __bfloat162float(in.v[k]);
        float cube = 0.044715f * x * x * x;
        o.v[k] = __float2bfloat16(0.5f * x * (1.0f + tanhf(GELU_SCALING_FACTOR * (x + cube))));
    }
    st8(out + i, o);
}
__global__ void gelu_backward_float(float* dinp, const float* inp, const float* dout, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    float x = inp[i];
    float cube = 0.044715f * x * x * x;
    float tanh_out = tanhf(GELU_SCALING_FACTOR * (x + cube));
    float c = coshf(GELU_SCALING_FACTOR * (x + cube));
    float sech_out = 1.0f / (c * c);
    float local = 0.5f * (1.0f + tanh_out) + x * 0.5f * sech_out * GELU_SCALING_FACTOR * (1.0f + 3.0f * 0.044715f * x * x);
    dinp[i] = local * dout[i];
}
__global__ void residual_forward(floatX* out, const floatX* a, const floatX* b, int n) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
    if (i >= n) return;
    x8 p = ld8(a + i), q = ld8(b + i), o;
#pragma unroll
    for (int k = 0; k < 8; k++) o.v[k] = __float2bfloat16(__bfloat162float(p.v[k]) + __bfloat162float(q.v[k]));
    st8(out + i, o);
}

template <class T> T* device(const std::vector<T>& h) {
    T* d;
    cudaCheck(cudaMalloc(&d, h.size() * sizeof(T)));
    cudaCheck(cudaMemcpy(d, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice));
    return d;
}

int main() {
    const int B = 4, T = 1024, C = 768, OC = 3072, V = 8192, BT = B * T;
    srand(42);
    auto rnd = [](size_t n, float s) {
        std::vector<float> v(n);
        for (auto& x : v) x = s * (2.f * rand() / RAND_MAX - 1.f);
        return v;
    };
    std::vector<float> wte = rnd((size_t)V * C, .5f), wpe = rnd((size_t)T * C, .1f), w = rnd((size_t)OC * C, .05f), b = rnd(OC, .1f);
    std::vector<float> dout = rnd((size_t)BT * OC, 1.f);
    std::vector<floatX> doutx(dout.size());
    for (size_t i = 0; i < dout.size(); i++) doutx[i] = __float2bfloat16(dout[i]);
    std::vector<int> tok(BT);
    for (auto& t : tok) t = rand() % V;
    float *d_wte = device(wte), *d_wpe = device(wpe), *d_w = device(w), *d_b = device(b), *d_dout = device(dout);
    floatX* d_doutx = device(doutx);
    int* d_tok = device(tok);
    float *x, *y, *dwte, *dwpe, *dbias, *dy;
    floatX *gx, *rx;
    cudaCheck(cudaMalloc(&x, (size_t)BT * C * 4));
    cudaCheck(cudaMalloc(&y, (size_t)BT * OC * 4));
    cudaCheck(cudaMalloc(&dy, (size_t)BT * OC * 4));
    cudaCheck(cudaMalloc(&gx, (size_t)BT * OC * 2));
    cudaCheck(cudaMalloc(&rx, (size_t)BT * OC * 2));
    cudaCheck(cudaMalloc(&dwte, wte.size() * 4)); cudaCheck(cudaMemset(dwte, 0, wte.size() * 4));
    cudaCheck(cudaMalloc(&dwpe, wpe.size() * 4)); cudaCheck(cudaMemset(dwpe, 0, wpe.size() * 4));
    cudaCheck(cudaMalloc(&dbias, 5 * OC * 4)); cudaCheck(cudaMemset(dbias, 0, 5 * OC * 4));

    encoder_forward<<<CEIL_DIV(BT * C / 4, 256), 256>>>(x, d_tok, d_wte, d_wpe, B, T, C);
    matmul_forward_kernel4<<<dim3(BT / 128, OC / 128), dim3(16, 16)>>>(y, x, d_w, d_b, C, OC);
    gelu_forward_bf16<<<CEIL_DIV(BT * OC / 8, 256), 256>>>(gx, d_doutx, BT * OC);
    residual_forward<<<CEIL_DIV(BT * OC / 8, 256), 256>>>(rx, gx, d_doutx, BT * OC);
    gelu_backward_float<<<CEIL_DIV(BT * OC, 256), 256>>>(dy, y, d_dout, BT * OC);
    matmul_backward_bias_kernel1<<<OC, 256, 256 * sizeof(float)>>>(dbias, d_dout, BT, OC);
    matmul_backward_bias_kernel2<<<CEIL_DIV(OC * 32, 128), 128>>>(dbias + OC, d_dout, BT, OC);
    matmul_backward_bias_kernel3<<<CEIL_DIV(OC, 32), 1024>>>(dbias + 2 * OC, d_dout, BT, OC);
    matmul_backward_bias_kernel4<<<dim3(CEIL_DIV(OC / 4, 128), 128), 128>>>(dbias + 3 * OC, d_dout, BT, OC);
    matmul_backward_bias_kernel5<<<OC / 64, dim3(8, 64)>>>(dbias + 4 * OC, d_doutx, BT, OC);
    encoder_backward<<<CEIL_DIV(BT * C, 256), 256>>>(dwte, dwpe, x, d_tok, B, T, C);
    cudaCheck(cudaGetLastError());
    cudaCheck(cudaDeviceSynchronize());

    std::vector<float> db(5 * OC), hy((size_t)BT * OC);
    cudaCheck(cudaMemcpy(db.data(), dbias, db.size() * 4, cudaMemcpyDeviceToHost));
    cudaCheck(cudaMemcpy(hy.data(), y, hy.size() * 4, cudaMemcpyDeviceToHost));
    for (int k = 0; k < 5; k++) {
        double e = 0;
        for (int o = 0; o < OC; o += 101) {
            double r = 0;
            for (int i = 0; i < BT; i++) r += dout[(size_t)i * OC + o];
            e = fmax(e, fabs(r - db[k * OC + o]));
        }
        printf("bias grad v%d: max err %g\n", k + 1, e);
    }
    double e = 0;
    for (int s = 0; s < 200; s++) {
        int r = (s * 173) % BT, o = (s * 977) % OC;
        double ref = b[o];
        for (int c = 0; c < C; c++) ref += (double)(wte[(size_t)tok[r] * C + c] + wpe[(size_t)(r % T) * C + c]) * w[(size_t)o * C + c];
        e = fmax(e, fabs(ref - hy[(size_t)r * OC + o]));
    }
    printf("matmul forward: max err %g\n", e);
    return 0;
}
