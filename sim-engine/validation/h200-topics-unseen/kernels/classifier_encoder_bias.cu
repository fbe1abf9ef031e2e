// Fused classifier (softmax + cross entropy + dlogits), encoder forward/backward, and the
// matmul-backward-bias column-sum ladder.
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <assert.h>
#include <float.h>
#include <cuda_runtime.h>
#include <cuda_bf16.h>

typedef __nv_bfloat16 floatX;
#define WARP_SIZE 32
#define CEIL_DIV(M, N) (((M) + (N)-1) / (N))
inline void cudaCheck_(cudaError_t error, const char *file, int line) {
    if (error != cudaSuccess) { printf("[CUDA ERROR] at file %s:%d:\n%s\n", file, line, cudaGetErrorString(error)); exit(EXIT_FAILURE); }
}
#define cudaCheck(err) (cudaCheck_(err, __FILE__, __LINE__))

__host__ __device__ static inline unsigned mix(unsigned x) {
    x ^= x >> 16; x *= 0x85ebca6bu; x ^= x >> 13; x *= 0xc2b2ae35u; x ^= x >> 16; return x;
}
// on a 2^-6 grid so that bf16 stores it exactly for |v| < 4
__host__ __device__ static inline float val(unsigned i, unsigned seed) { return (int)(mix(i + seed * 0x9e3779b9u) & 255) / 64.0f - 2.0f; }

__global__ void init_kernel(float *f, floatX *h, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        f[i] = val(i, 1);
        h[i] = __float2bfloat16(val(i, 1));
    }
}

// ------------------------------------------------------------------ reductions
__device__ float warpReduceSum(float v) { for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(0xFFFFFFFF, v, o); return v; }
__device__ float warpReduceMax(float v) { for (int o = 16; o > 0; o /= 2) v = fmaxf(v, __shfl_xor_sync(0xFFFFFFFF, v, o)); return v; }
using reduce_fn = float (*)(float);
template <reduce_fn F> __device__ float blockReduce(float v, float oob) {
    __shared__ float sh[WARP_SIZE];
    int lane = threadIdx.x % WARP_SIZE, warp = threadIdx.x / WARP_SIZE, nw = blockDim.x / WARP_SIZE;
    float w = F(v);
    if (lane == 0) sh[warp] = w;
    __syncthreads();
    w = lane < nw ? sh[lane] : oob;
    w = F(w);
    __syncthreads();
    return w;
}

// ------------------------------------------------------------------ classifier
// fp32 logits, thread block per token, in place; each of the three passes is scalar
__global__ void fused_classifier_kernel1(float *dlogits, float *losses, const float *logits, const int *targets,
                                         float dloss, int V, int P) {
    const float *x = logits + (size_t)blockIdx.x * P;
    float mx = -FLT_MAX;
    for (int i = threadIdx.x; i < V; i += blockDim.x) mx = fmaxf(mx, x[i]);
    mx = blockReduce<warpReduceMax>(mx, -FLT_MAX);
    float s = 0.f;
    for (int i = threadIdx.x; i < V; i += blockDim.x) s += expf(x[i] - mx);
    s = blockReduce<warpReduceSum>(s, 0.f);
    int ix = targets[blockIdx.x];
    if (threadIdx.x == 0) losses[blockIdx.x] = logf(s) + mx - x[ix];
    float inv = 1.f / s;
    for (int i = threadIdx.x; i < P; i += blockDim.x)
        dlogits[(size_t)blockIdx.x * P + i] = i < V ? (expf(x[i] - mx) * inv - (i == ix ? 1.f : 0.f)) * dloss : 0.f;
}

// bf16 logits, online pass with 8-wide packs, gradient written over the logits.
__global__ void __launch_bounds__(1024) fused_classifier_kernel5(floatX *logits, float *losses, const int *targets,
                                                                 float dloss, int V, int P) {
    int idx = gridDim.x - (blockIdx.x + 1);
    floatX *row = logits + (size_t)idx * P;
    int ix = targets[idx];
    float mx = -FLT_MAX, s = 0.f;
    for (int k = threadIdx.x; k < P / 8; k += blockDim.x) {
        int4 raw = *reinterpret_cast<const int4 *>(row + 8 * k);
        const floatX *e = reinterpret_cast<const floatX *>(&raw);
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            if (8 * k + j >= V) break;
            float v = __bfloat162float(e[j]), old = mx;
            mx = fmaxf(mx, v);
            s = s * __expf(old - mx) + __expf(v - mx);
        }
    }
    float bm = blockReduce<warpReduceMax>(mx, -FLT_MAX);
    s = blockReduce<warpReduceSum>(s * __expf(mx - bm), 0.f);
    if (threadIdx.x == 0) losses[idx] = logf(s) + bm - __bfloat162float(row[ix]);
    __syncthreads();                     // the target logit is read before anyone overwrites it
    float inv = 1.f / s;
    for (int k = threadIdx.x; k < P / 8; k += blockDim.x) {
        int4 raw = __ldcs(reinterpret_cast<const int4 *>(row + 8 * k)), res;
        const floatX *e = reinterpret_cast<const floatX *>(&raw);
        floatX *r = reinterpret_cast<floatX *>(&res);
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            int i = 8 * k + j;
            float p = __expf(__bfloat162float(e[j]) - bm) * inv;
            r[j] = __float2bfloat16(i < V ? (p - (i == ix ? 1.f : 0.f)) * dloss : 0.f);
        }
        __stcs(reinterpret_cast<int4 *>(row + 8 * k), res);
    }
}

// ------------------------------------------------------------------ encoder
__global__ void encoder_forward_kernel2(float *out, const int *inp, const float *wte, const float *wpe, int BT, int T, int C) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= BT * C) return;
    int bt = i / C, c = i % C;
    out[i] = wte[(size_t)inp[bt] * C + c] + wpe[(size_t)(bt % T) * C + c];
}
__global__ void encoder_forward_kernel3(float4 *out, const int *inp, const float4 *wte, const float4 *wpe, int BT, int T, int C4) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= BT * C4) return;
    int bt = i / C4, c = i % C4;
    float4 a = __ldcs(wte + (size_t)inp[bt] * C4 + c), b = __ldg(wpe + (size_t)(bt % T) * C4 + c);
    out[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
__global__ void encoder_backward_kernel(float *dwte, float *dwpe, const float *dout, const int *inp, int BT, int T, int C) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= BT * C) return;
    int bt = i / C, c = i % C;
    float g = dout[i];
    atomicAdd(dwte + (size_t)inp[bt] * C + c, g);
    atomicAdd(dwpe + (size_t)(bt % T) * C + c, g);
}

// ------------------------------------------------------------------ column sums
// 1: a block per column, strided reads
__global__ void matmul_backward_bias_kernel1(float *db, const float *dout, int BT, int OC) {
    float s = 0.f;
    for (int r = threadIdx.x; r < BT; r += blockDim.x) s += dout[(size_t)r * OC + blockIdx.x];
    s = blockReduce<warpReduceSum>(s, 0.f);
    if (threadIdx.x == 0) db[blockIdx.x] = s;
}
// 4: 32 columns a block, coalesced, partial sums in shared memory
__global__ void matmul_backward_bias_kernel4(float *db, const float *dout, int BT, int OC) {
    extern __shared__ float smem[];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, vstep = blockDim.x / 32;
    const float *d = dout + blockIdx.x * 32 + lane;
    float s = 0.f;
    for (int r = warp; r < BT; r += vstep) s += d[(size_t)r * OC];
    smem[threadIdx.x] = s;
    __syncthreads();
    if (warp == 0) {
        for (int j = 1; j < vstep; j++) s += smem[lane + j * 32];
        db[blockIdx.x * 32 + lane] += s;
    }
}
// 5: a thread per column of a row slab, atomics across slabs
__global__ void matmul_backward_bias_kernel5(float *db, const float *dout, int BT, int OC) {
    int oc = blockIdx.x * blockDim.x + threadIdx.x;
    if (oc >= OC) return;
    float s = 0.f;
    for (int r = blockIdx.y; r < BT; r += gridDim.y) s += dout[(size_t)r * OC + oc];
    atomicAdd(db + oc, s);
}
// 7: bf16x8 packs, warps stacked over rows, one atomic per column and block
template <int WARPS>
__global__ void matmul_backward_bias_kernel7(float *db, const floatX *dout, int BT, int OC) {
    __shared__ float part[WARPS][257];
    int lane = threadIdx.x, warp = threadIdx.y, col = blockIdx.x * 256 + lane * 8;
    float acc[8] = {0.f};
    for (int r = blockIdx.y * WARPS + warp; r < BT; r += gridDim.y * WARPS) {
        int4 raw = __ldcs(reinterpret_cast<const int4 *>(dout + (size_t)r * OC + col));
        const floatX *e = reinterpret_cast<const floatX *>(&raw);
        #pragma unroll
        for (int j = 0; j < 8; j++) acc[j] += __bfloat162float(e[j]);
    }
    #pragma unroll
    for (int j = 0; j < 8; j++) part[warp][lane * 8 + j] = acc[j];
    __syncthreads();
    for (int c = warp * 32 + lane; c < 256; c += WARPS * 32) {
        float s = 0.f;
        for (int w = 0; w < WARPS; w++) s += part[w][c];
        atomicAdd(db + blockIdx.x * 256 + c, s);
    }
}

static int g_fail = 0;
static void verdict(const char *name, double err, double tol) {
    printf("%-32s max err %.3e %s\n", name, err, err <= tol ? "OK" : "NOT OK");
    if (!(err <= tol)) g_fail = 1;
}

int main() {
    const int V = 50257, P = 50304, BT = 1024;           // classifier
    const int B = 8, T = 1024, C = 768, ROWS = B * T, OC = 3072;
    const int n = BT * P;                                // 51.5M
    float *f, *out, *losses, *db; floatX *h; int *tok;
    cudaCheck(cudaMalloc(&f, (size_t)n * 4)); cudaCheck(cudaMalloc(&out, (size_t)n * 4)); cudaCheck(cudaMalloc(&h, (size_t)n * 2));
    cudaCheck(cudaMalloc(&losses, BT * 4)); cudaCheck(cudaMalloc(&db, OC * 4)); cudaCheck(cudaMalloc(&tok, ROWS * 4));
    static int htok[8192];
    for (int i = 0; i < ROWS; i++) htok[i] = mix(i * 7 + 3) % (i % 3 ? V : 200);      // some frequent tokens
    cudaCheck(cudaMemcpy(tok, htok, sizeof(htok), cudaMemcpyHostToDevice));
    init_kernel<<<2112, 256>>>(f, h, n);
    cudaCheck(cudaGetLastError());

    // classifier
    static float hl[1024], hf[50304]; static floatX hx[50304];
    const int rows[4] = {0, 17, 600, BT - 1};
    const float dloss = 1.0f / BT;
    for (int k = 0; k < 2; k++) {
        if (k == 0) fused_classifier_kernel1<<<BT, 512>>>(out, losses, f, tok, dloss, V, P);
        else fused_classifier_kernel5<<<BT, 1024>>>(h, losses, tok, dloss, V, P);
        cudaCheck(cudaGetLastError());
        cudaCheck(cudaMemcpy(hl, losses, sizeof(hl), cudaMemcpyDeviceToHost));
        double e_loss = 0, e_grad = 0;
        for (int r : rows) {
            double s = 0;
            for (int i = 0; i < V; i++) s += exp((double)val(r * P + i, 1));
            e_loss = fmax(e_loss, fabs(log(s) - val(r * P + htok[r], 1) - hl[r]));
            if (k == 0) cudaCheck(cudaMemcpy(hf, out + (size_t)r * P, sizeof(hf), cudaMemcpyDeviceToHost));
            else {
                cudaCheck(cudaMemcpy(hx, h + (size_t)r * P, sizeof(hx), cudaMemcpyDeviceToHost));
                for (int i = 0; i < P; i++) hf[i] = __bfloat162float(hx[i]);
            }
            for (int i = 0; i < P; i++) {
                double g = i < V ? (exp((double)val(r * P + i, 1)) / s - (i == htok[r])) * dloss : 0.0;
                e_grad = fmax(e_grad, fabs(g - hf[i]) * BT);
            }
        }
        verdict(k ? "fused_classifier5 loss" : "fused_classifier1 loss", e_loss, 2e-3);
        verdict(k ? "fused_classifier5 dlogits" : "fused_classifier1 dlogits", e_grad, k ? 5e-3 : 1e-5);
    }

    // encoder: wte = f[0 .. V*C), wpe = the T*C floats after it
    const float *wpe = f + (size_t)V * C;
    static float row[3072];
    for (int k = 2; k <= 3; k++) {
        cudaCheck(cudaMemset(out, 0, (size_t)ROWS * C * 4));
        if (k == 2) encoder_forward_kernel2<<<CEIL_DIV(ROWS * C, 512), 512>>>(out, tok, f, wpe, ROWS, T, C);
        else encoder_forward_kernel3<<<CEIL_DIV(ROWS * C / 4, 256), 256>>>((float4 *)out, tok, (const float4 *)f, (const float4 *)wpe, ROWS, T, C / 4);
        cudaCheck(cudaGetLastError());
        double e = 0;
        for (int r = 5; r < ROWS; r += 1021) {
            cudaCheck(cudaMemcpy(row, out + (size_t)r * C, C * 4, cudaMemcpyDeviceToHost));
            for (int c = 0; c < C; c++)
                e = fmax(e, fabs(row[c] - (val(htok[r] * C + c, 1) + val((unsigned)(V * C + (r % T) * C + c), 1))));
        }
        verdict(k == 2 ? "encoder_forward2" : "encoder_forward3", e, 0.0);
    }
    // encoder backward into out: dwte (V*C) then dwpe (T*C); dout = f
    cudaCheck(cudaMemset(out, 0, (size_t)(V + T) * C * 4));
    encoder_backward_kernel<<<CEIL_DIV(ROWS * C, 256), 256>>>(out, out + (size_t)V * C, f, tok, ROWS, T, C);
    cudaCheck(cudaGetLastError());
    {
        double e = 0;
        const int probe[4] = {htok[0], htok[3], htok[1], htok[4000]};
        for (int p : probe) {
            cudaCheck(cudaMemcpy(row, out + (size_t)p * C, C * 4, cudaMemcpyDeviceToHost));
            static double ref[768];
            for (int c = 0; c < C; c++) ref[c] = 0;
            for (int r = 0; r < ROWS; r++) if (htok[r] == p) for (int c = 0; c < C; c++) ref[c] += val(r * C + c, 1);
            for (int c = 0; c < C; c++) e = fmax(e, fabs(ref[c] - row[c]));
        }
        cudaCheck(cudaMemcpy(row, out + (size_t)(V + 77) * C, C * 4, cudaMemcpyDeviceToHost));
        for (int c = 0; c < C; c++) {
            double s = 0;
            for (int b = 0; b < B; b++) s += val((b * T + 77) * C + c, 1);
            e = fmax(e, fabs(s - row[c]));
        }
        verdict("encoder_backward", e, 1e-4);
    }

    // bias gradient: (ROWS, OC) taken from f; 7 needs a bf16 copy of the same values (h was overwritten)
    static double colsum[3072];
    for (int r = 0; r < ROWS; r++) for (int c = 0; c < OC; c++) colsum[c] += val((unsigned)(r * OC + c), 1);
    init_kernel<<<1056, 512>>>(f, h, ROWS * OC);
    cudaCheck(cudaGetLastError());
    const int ladder[4] = {1, 4, 5, 7};
    for (int k : ladder) {
        cudaCheck(cudaMemset(db, 0, OC * 4));
        switch (k) {
            case 1: matmul_backward_bias_kernel1<<<OC, 256>>>(db, f, ROWS, OC); break;
            case 4: matmul_backward_bias_kernel4<<<OC / 32, 1024, 1024 * 4>>>(db, f, ROWS, OC); break;
            case 5: matmul_backward_bias_kernel5<<<dim3(CEIL_DIV(OC, 256), 64), 256>>>(db, f, ROWS, OC); break;
            case 7: matmul_backward_bias_kernel7<16><<<dim3(OC / 256, 44), dim3(32, 16)>>>(db, h, ROWS, OC); break;
        }
        cudaCheck(cudaGetLastError());
        cudaCheck(cudaMemcpy(row, db, OC * 4, cudaMemcpyDeviceToHost));
        double e = 0;
        for (int c = 0; c < OC; c++) e = fmax(e, fabs(row[c] - colsum[c]));
        char name[64];
        snprintf(name, sizeof(name), "matmul_backward_bias%d", k);
        verdict(name, e, 1e-2);
    }
    cudaFree(f); cudaFree(out); cudaFree(h); cudaFree(losses); cudaFree(db); cudaFree(tok);
    printf("%s\n", g_fail ? "FAIL" : "PASS");
    return g_fail;
}
