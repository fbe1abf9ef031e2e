/*
Forward pass of one transformer block in fp32, kernels kept deliberately plain.
Layout conventions:
  B batch, T time, C channels, NH heads, HS = C / NH head size, OC output channels
  activations are (B, T, C) row-major; weights are (OC, C) row-major
*/
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <assert.h>
#include <cuda_runtime.h>

#define CEIL_DIV(M, N) (((M) + (N)-1) / (N))

void cuda_check(cudaError_t error, const char *file, int line) {
    if (error != cudaSuccess) {
        printf("[CUDA ERROR] at file %s:%d:\n%s\n", file, line, cudaGetErrorString(error));
        exit(EXIT_FAILURE);
    }
}
#define cudaCheck(err) (cuda_check(err, __FILE__, __LINE__))

// ----------------------------------------------------------------------------
// kernels

// out[b,t,:] = wte[token,:] + wpe[t,:]; one thread per four channels
__global__ void embedding_forward(float4 *out, const int *tokens, const float4 *wte, const float4 *wpe,
                                  int B, int T, int C4) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= B * T * C4) return;
    int c = idx % C4, bt = idx / C4, t = bt % T;
    float4 a = wte[(size_t)tokens[bt] * C4 + c];
    float4 p = wpe[t * C4 + c];
    out[idx] = make_float4(a.x + p.x, a.y + p.y, a.z + p.z, a.w + p.w);
}

__device__ float warp_sum(float v) {
    for (int off = 16; off > 0; off /= 2) v += __shfl_xor_sync(0xFFFFFFFF, v, off);
    return v;
}
__device__ float warp_max(float v) {
    for (int off = 16; off > 0; off /= 2) v = fmaxf(v, __shfl_xor_sync(0xFFFFFFFF, v, off));
    return v;
}

// one warp per (b,t) row
__global__ void layernorm_forward(float *out, float *mean, float *rstd, const float *inp,
                                  const float *weight, const float *bias, int N, int C) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= N) return;
    const float *x = inp + (size_t)row * C;
    float s = 0.0f;
    for (int i = lane; i < C; i += 32) s += x[i];
    float m = warp_sum(s) / C;
    float v = 0.0f;
    for (int i = lane; i < C; i += 32) { float d = x[i] - m; v += d * d; }
    float r = rsqrtf(warp_sum(v) / C + 1e-5f);
    if (lane == 0) { mean[row] = m; rstd[row] = r; }
    for (int i = lane; i < C; i += 32)
        out[(size_t)row * C + i] = (x[i] - m) * r * weight[i] + bias[i];
}

// out (N,OC) = inp (N,C) @ weight (OC,C)^T + bias; one thread per output
__global__ void matmul_naive(float *out, const float *inp, const float *weight, const float *bias,
                             int N, int C, int OC) {
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    int oc = blockIdx.y * blockDim.y + threadIdx.y;
    if (n >= N || oc >= OC) return;
    float val = bias ? bias[oc] : 0.0f;
    const float *w = weight + (size_t)oc * C;
    const float *x = inp + (size_t)n * C;
    for (int i = 0; i < C; i++) val += x[i] * w[i];
    out[(size_t)n * OC + oc] = val;
}

// same product with 32x32 tiles, four outputs per thread; sizes divide by 32
#define TS 32
__global__ void matmul_tiled(float *out, const float *inp, const float *weight, const float *bias,
                             int N, int C, int OC) {
    __shared__ float xs[TS][TS + 1];
    __shared__ float ws[TS][TS + 1];
    int n0 = blockIdx.y * TS, o0 = blockIdx.x * TS;
    float acc[4] = {0.f, 0.f, 0.f, 0.f};
    for (int k = 0; k < C; k += TS) {
        for (int j = threadIdx.y; j < TS; j += 8) {
            xs[j][threadIdx.x] = inp[(size_t)(n0 + j) * C + k + threadIdx.x];
            ws[j][threadIdx.x] = weight[(size_t)(o0 + j) * C + k + threadIdx.x];
        }
        __syncthreads();
        for (int i = 0; i < TS; i++) {
            float w = ws[threadIdx.x][i];
            for (int q = 0; q < 4; q++) acc[q] += xs[threadIdx.y + 8 * q][i] * w;
        }
        __syncthreads();
    }
    float b = bias ? bias[o0 + threadIdx.x] : 0.0f;
    for (int q = 0; q < 4; q++)
        out[(size_t)(n0 + threadIdx.y + 8 * q) * OC + o0 + threadIdx.x] = acc[q] + b;
}

// (B,T,3,NH,HS) -> three of (B,NH,T,HS)
__global__ void permute_qkv(float *q, float *k, float *v, const float *inp, int B, int T, int NH, int HS) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= B * NH * T * HS) return;
    int d = idx % HS;
    int t = (idx / HS) % T;
    int h = (idx / (HS * T)) % NH;
    int b = idx / (HS * T * NH);
    int C = NH * HS;
    const float *src = inp + (size_t)(b * T + t) * 3 * C + h * HS + d;
    q[idx] = src[0];
    k[idx] = src[C];
    v[idx] = src[2 * C];
}

// (B,NH,T,HS) -> (B,T,NH,HS)
__global__ void unpermute(float *out, const float *inp, int B, int T, int NH, int HS) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= B * NH * T * HS) return;
    int d = idx % HS, h = (idx / HS) % NH, t = (idx / (HS * NH)) % T, b = idx / (HS * NH * T);
    out[idx] = inp[((size_t)(b * NH + h) * T + t) * HS + d];
}

// scores for the lower triangle only: grid (T/16, T/16, B*NH), block (16,16)
__global__ void attention_query_key(float *preatt, const float *q, const float *k, int T, int HS, float scale) {
    int t2 = blockIdx.x * blockDim.x + threadIdx.x;
    int t = blockIdx.y * blockDim.y + threadIdx.y;
    int bh = blockIdx.z;
    if (t >= T || t2 > t) return;
    const float *qp = q + ((size_t)bh * T + t) * HS;
    const float *kp = k + ((size_t)bh * T + t2) * HS;
    float dot = 0.0f;
    for (int i = 0; i < HS; i++) dot += qp[i] * kp[i];
    preatt[((size_t)bh * T + t) * T + t2] = dot * scale;
}

// causal softmax, one warp per row, with the running maximum and sum of the online method
__global__ void attention_softmax(float *att, const float *preatt, int rows, int T) {
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    int lane = threadIdx.x & 31;
    if (row >= rows) return;
    int t = row % T;
    const float *x = preatt + (size_t)row * T;
    float mx = -INFINITY, sum = 0.0f;
    for (int i = lane; i <= t; i += 32) {
        float v = x[i], old = mx;
        mx = fmaxf(mx, v);
        sum = sum * expf(old - mx) + expf(v - mx);
    }
    float gmax = warp_max(mx);
    sum = warp_sum(mx == -INFINITY ? 0.0f : sum * expf(mx - gmax));
    float inv = 1.0f / sum;
    for (int i = lane; i < T; i += 32)
        att[(size_t)row * T + i] = i <= t ? expf(x[i] - gmax) * inv : 0.0f;
}

// vaccum[bh,t,:] = sum_t2 att[bh,t,t2] * v[bh,t2,:]; one block of HS threads per row
__global__ void attention_value(float *out, const float *att, const float *v, int T, int HS) {
    extern __shared__ float arow[];
    int t = blockIdx.x, bh = blockIdx.y, d = threadIdx.x;
    const float *a = att + ((size_t)bh * T + t) * T;
    for (int i = threadIdx.x; i <= t; i += blockDim.x) arow[i] = a[i];
    __syncthreads();
    float s = 0.0f;
    for (int t2 = 0; t2 <= t; t2++) s += arow[t2] * v[((size_t)bh * T + t2) * HS + d];
    out[((size_t)bh * T + t) * HS + d] = s;
}

__global__ void residual_forward(float *out, const float *a, const float *b, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) out[i] = __ldcs(&a[i]) + __ldcs(&b[i]);
}

#define GELU_SCALE 0.7978845608f
__global__ void gelu_forward(float *out, const float *inp, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        float x = inp[i];
        float cube = 0.044715f * x * x * x;
        out[i] = 0.5f * x * (1.0f + tanhf(GELU_SCALE * (x + cube)));
    }
}

// ----------------------------------------------------------------------------
static unsigned long long rng_state = 1337;
static float rand_f(void) {
    rng_state = rng_state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (float)((rng_state >> 40) & 0xFFFF) / 65536.0f - 0.5f;
}
static float *make_dev(size_t n, float scale, float **host) {
    float *h = (float *)malloc(n * sizeof(float)), *d;
    for (size_t i = 0; i < n; i++) h[i] = rand_f() * scale;
    cudaCheck(cudaMalloc(&d, n * sizeof(float)));
    cudaCheck(cudaMemcpy(d, h, n * sizeof(float), cudaMemcpyHostToDevice));
    if (host) *host = h; else free(h);
    return d;
}
static float *empty_dev(size_t n) {
    float *d;
    cudaCheck(cudaMalloc(&d, n * sizeof(float)));
    return d;
}

int main(void) {
    const int B = 4, T = 256, C = 768, NH = 12, HS = C / NH, V = 8192;
    const int N = B * T;
    int *tok = (int *)malloc(N * sizeof(int)), *d_tok;
    for (int i = 0; i < N; i++) tok[i] = (int)((rand_f() + 0.5f) * (V - 1));
    cudaCheck(cudaMalloc(&d_tok, N * sizeof(int)));
    cudaCheck(cudaMemcpy(d_tok, tok, N * sizeof(int), cudaMemcpyHostToDevice));

    float *h_qkvw, *h_qkvb;
    float *wte = make_dev((size_t)V * C, 1.0f, NULL), *wpe = make_dev((size_t)T * C, 0.2f, NULL);
    float *lnw = make_dev(C, 2.0f, NULL), *lnb = make_dev(C, 0.1f, NULL);
    float *qkvw = make_dev((size_t)3 * C * C, 0.1f, &h_qkvw), *qkvb = make_dev(3 * C, 0.1f, &h_qkvb);
    float *projw = make_dev((size_t)C * C, 0.1f, NULL), *fcw = make_dev((size_t)4 * C * C, 0.1f, NULL);
    float *fcb = make_dev(4 * C, 0.1f, NULL);
    float *x = empty_dev((size_t)N * C), *ln = empty_dev((size_t)N * C), *mean = empty_dev(N), *rstd = empty_dev(N);
    float *qkv = empty_dev((size_t)N * 3 * C), *q = empty_dev((size_t)N * C), *k = empty_dev((size_t)N * C), *v = empty_dev((size_t)N * C);
    float *pre = empty_dev((size_t)B * NH * T * T), *att = empty_dev((size_t)B * NH * T * T);
    float *va = empty_dev((size_t)N * C), *atty = empty_dev((size_t)N * C), *proj = empty_dev((size_t)N * C), *res = empty_dev((size_t)N * C);
    float *fch = empty_dev((size_t)N * 4 * C), *act = empty_dev((size_t)N * 4 * C);

    embedding_forward<<<CEIL_DIV(N * C / 4, 256), 256>>>((float4 *)x, d_tok, (float4 *)wte, (float4 *)wpe, B, T, C / 4);
    layernorm_forward<<<CEIL_DIV(N * 32, 128), 128>>>(ln, mean, rstd, x, lnw, lnb, N, C);
    matmul_naive<<<dim3(CEIL_DIV(N, 16), CEIL_DIV(3 * C, 16)), dim3(16, 16)>>>(qkv, ln, qkvw, qkvb, N, C, 3 * C);
    permute_qkv<<<CEIL_DIV(N * C, 256), 256>>>(q, k, v, qkv, B, T, NH, HS);
    attention_query_key<<<dim3(T / 16, T / 16, B * NH), dim3(16, 16)>>>(pre, q, k, T, HS, 1.0f / sqrtf((float)HS));
    attention_softmax<<<CEIL_DIV(B * NH * T, 8), 256>>>(att, pre, B * NH * T, T);
    attention_value<<<dim3(T, B * NH), HS, T * sizeof(float)>>>(va, att, v, T, HS);
    unpermute<<<CEIL_DIV(N * C, 256), 256>>>(atty, va, B, T, NH, HS);
    matmul_tiled<<<dim3(C / TS, N / TS), dim3(TS, 8)>>>(proj, atty, projw, NULL, N, C, C);
    residual_forward<<<CEIL_DIV(N * C, 512), 512>>>(res, x, proj, N * C);
    matmul_tiled<<<dim3(4 * C / TS, N / TS), dim3(TS, 8)>>>(fch, res, fcw, fcb, N, C, 4 * C);
    gelu_forward<<<CEIL_DIV(N * 4 * C, 128), 128>>>(act, fch, N * 4 * C);
    cudaCheck(cudaGetLastError());
    cudaCheck(cudaDeviceSynchronize());

    // spot checks
    int bad = 0;
    float *h_ln = (float *)malloc((size_t)N * C * sizeof(float));
    float *h_qkv = (float *)malloc((size_t)N * 3 * C * sizeof(float));
    float *h_att = (float *)malloc((size_t)B * NH * T * T * sizeof(float));
    float *h_act = (float *)malloc((size_t)N * 4 * C * sizeof(float));
    cudaCheck(cudaMemcpy(h_ln, ln, (size_t)N * C * sizeof(float), cudaMemcpyDeviceToHost));
    cudaCheck(cudaMemcpy(h_qkv, qkv, (size_t)N * 3 * C * sizeof(float), cudaMemcpyDeviceToHost));
    cudaCheck(cudaMemcpy(h_att, att, (size_t)B * NH * T * T * sizeof(float), cudaMemcpyDeviceToHost));
    cudaCheck(cudaMemcpy(h_act, act, (size_t)N * 4 * C * sizeof(float), cudaMemcpyDeviceToHost));
    for (int s = 0; s < 200; s++) {
        int n = (s * 131) % N, oc = (s * 977) % (3 * C);
        double ref = h_qkvb[oc];
        for (int i = 0; i < C; i++) ref += (double)h_ln[(size_t)n * C + i] * h_qkvw[(size_t)oc * C + i];
        bad += !(fabs(ref - h_qkv[(size_t)n * 3 * C + oc]) < 1e-3);
        double rowsum = 0.0;
        size_t row = ((size_t)s * 61) % ((size_t)B * NH * T);
        for (int i = 0; i < T; i++) rowsum += h_att[row * T + i];
        bad += !(fabs(rowsum - 1.0) < 1e-4);
    }
    double sum = 0.0;
    for (size_t i = 0; i < (size_t)N * 4 * C; i++) { sum += h_act[i]; bad += !isfinite(h_act[i]); }
    printf("checksum %.6f, %s\n", sum / ((double)N * 4 * C), bad ? "FAIL" : "PASS");
    return bad != 0;
}
