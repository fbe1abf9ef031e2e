/* token + position embedding, forward and backward, and the head permutes around attention */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <algorithm>
#include <vector>
#include <cuda_runtime.h>

#define cudaCheck(call) { cudaError_t _e = (call); if (_e != cudaSuccess) { printf("Error at %d: %s\n", __LINE__, cudaGetErrorString(_e)); exit(EXIT_FAILURE); } }
#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))

// ---- encoder forward: (token loop) / (element) / (float4)
__global__ void encoder_forward1(float* out, const int* inp, const float* wte, const float* wpe, int B, int T, int C) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < B * T) {
        int t = idx % T;
        float* o = out + (size_t)idx * C;
        const float* wt = wte + (size_t)inp[idx] * C;
        const float* wp = wpe + (size_t)t * C;
        for (int i = 0; i < C; i++) o[i] = wt[i] + wp[i];
    }
}
__global__ void encoder_forward2(float* out, const int* inp, const float* wte, const float* wpe, int B, int T, int C) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < B * T * C) {
        int bt = idx / C, t = bt % T, c = idx % C;
        out[idx] = wte[inp[bt] * C + c] + wpe[t * C + c];
    }
}
__device__ inline float4 add_float4(const float4& a, const float4& b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
__global__ void encoder_forward3(float4* out, const int* inp, const float4* wte, const float4* wpe, int B, int T, int C) {
    int C4 = C / 4;
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < B * T * C4) {
        int bt = idx / C4, t = bt % T, c4 = idx % C4;
        out[bt * C4 + c4] = add_float4(wte[inp[bt] * C4 + c4], wpe[t * C4 + c4]);
    }
}

// ---- encoder backward
__global__ void encoder_backward1(float* dwte, float* dwpe, const float* dout, const int* inp, int B, int T, int C) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < B * T * C) {
        int bt = idx / C, t = bt % T, c = idx % C;
        atomicAdd(dwte + inp[bt] * C + c, dout[idx]);
        atomicAdd(dwpe + t * C + c, dout[idx]);
    }
}
// one thread owns (t, c) of wpe, loops over the batch
__global__ void wpe_backward(float* dwpe, const float* dout, int B, int T, int C) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i >= T * C) return;
    float4 a = make_float4(0.f, 0.f, 0.f, 0.f);
    for (int b = 0; b < B; b++) a = add_float4(a, __ldcs((const float4*)(dout + (size_t)b * T * C + i)));
    float4* d = (float4*)(dwpe + i);
    *d = add_float4(*d, a);
}
// the host sorted the positions by token; block per (distinct token), no atomics at all
__global__ void wte_backward_buckets(float* dwte, const int* bucket_tok, const int* bucket_start, const int* order, const float* dout, int C) {
    int bucket = blockIdx.x, beg = bucket_start[bucket], end = bucket_start[bucket + 1];
    float* dst = dwte + (size_t)bucket_tok[bucket] * C;
    for (int c = threadIdx.x; c < C; c += blockDim.x) {
        float acc = 0.0f;
        for (int i = beg; i < end; i++) acc += dout[(size_t)order[i] * C + c];
        dst[c] += acc;
    }
}

// ---- (B, T, 3, NH, HS) -> q, k, v of (B, NH, T, HS)
__global__ void permute_kernel(float* q, float* k, float* v, const float* inp, int B, int N, int NH, int d) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < B * NH * N * d) {
        int b = idx / (NH * N * d), rest = idx % (NH * N * d);
        int nh_ = rest / (N * d);
        rest = rest % (N * d);
        int n = rest / d, d_ = rest % d;
        int inp_idx = (b * N * 3 * NH * d) + (n * 3 * NH * d) + (0 * NH * d) + (nh_ * d) + d_;
        q[idx] = __ldcs(&inp[inp_idx]);
        k[idx] = __ldcs(&inp[inp_idx + NH * d]);
        v[idx] = __ldcs(&inp[inp_idx + 2 * NH * d]);
    }
}
__global__ void permute_kernel_backward(float* dinp, const float* dq, const float* dk, const float* dv, int B, int N, int NH, int d) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < B * NH * N * d) {
        int d_ = idx % d, n = idx / d % N, nh_ = idx / (d * N) % NH, b = idx / (d * N * NH);
        int o = (b * N + n) * 3 * NH * d + nh_ * d + d_;
        dinp[o] = dq[idx];
        dinp[o + NH * d] = dk[idx];
        dinp[o + 2 * NH * d] = dv[idx];
    }
}
// (B, NH, T, HS) -> (B, T, NH*HS)
__global__ void unpermute_kernel(const float* inp, float* out, int B, int N, int NH, int d) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < B * NH * N * d) {
        int b = idx / (NH * N * d), rest = idx % (NH * N * d);
        int nh_ = rest / (N * d);
        rest = rest % (N * d);
        int n = rest / d, d_ = rest % d;
        out[(b * NH * N * d) + (n * NH * d) + (nh_ * d) + d_] = __ldcs(&inp[idx]);
    }
}
__global__ void unpermute_vec4(const float4* inp, float4* out, int N, int NH, int d4) {
    // grid (N, B), threads walk over one output row
    int n = blockIdx.x, b = blockIdx.y;
    for (int i = threadIdx.x; i < NH * d4; i += blockDim.x) {
        int h = i / d4, c = i % d4;
        out[((size_t)b * N + n) * NH * d4 + i] = inp[(((size_t)b * NH + h) * N + n) * d4 + c];
    }
}

// ---- k -> k^T per head, (BH, T, HS) -> (BH, HS, T)
__global__ void transpose_naive(float* out, const float* in, int R, int Cc) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    size_t off = (size_t)blockIdx.z * R * Cc;
    if (r < R && c < Cc) out[off + (size_t)c * R + r] = in[off + (size_t)r * Cc + c];
}
template <int TILE, int ROWS>
__global__ void transpose_tile(float* out, const float* in, int R, int Cc) {
    __shared__ float tile[TILE][TILE + 1];
    size_t off = (size_t)blockIdx.z * R * Cc;
    int c = blockIdx.x * TILE + threadIdx.x, r = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (r + j < R && c < Cc) tile[threadIdx.y + j][threadIdx.x] = in[off + (size_t)(r + j) * Cc + c];
    __syncthreads();
    c = blockIdx.y * TILE + threadIdx.x;
    r = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (r + j < Cc && c < R) out[off + (size_t)(r + j) * R + c] = tile[threadIdx.x][threadIdx.y + j];
}

static float* rand_floats(size_t n) {
    float* p = (float*)malloc(n * sizeof(float));
    unsigned s = 12345u + (unsigned)n;
    for (size_t i = 0; i < n; i++) { s = s * 1664525u + 1013904223u; p[i] = (s >> 8) / 8388608.0f - 1.0f; }
    return p;
}
static float* dev(const float* h, size_t n) {
    float* d;
    cudaCheck(cudaMalloc(&d, n * sizeof(float)));
    if (h) { cudaCheck(cudaMemcpy(d, h, n * sizeof(float), cudaMemcpyHostToDevice)); } else { cudaCheck(cudaMemset(d, 0, n * sizeof(float))); }
    return d;
}
static int nfail = 0;
static void validate(const char* name, const float* d, const float* ref, size_t n, float tol) {
    cudaCheck(cudaGetLastError());
    std::vector<float> h(n);
    cudaCheck(cudaMemcpy(h.data(), d, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++)
        if (!(fabsf(h[i] - ref[i]) <= tol)) { printf("%s: mismatch at %zu, %f != %f\n", name, i, h[i], ref[i]); nfail++; return; }
    printf("%s: ok\n", name);
}

int main(int argc, char** argv) {
    int B = 4, T = 1024, C = 768, V = 10007, NH = 12, HS = C / NH;
    if (argc > 1) B = atoi(argv[1]);
    size_t n = (size_t)B * T * C;
    float *wte = rand_floats((size_t)V * C), *wpe = rand_floats((size_t)T * C), *dout = rand_floats(n), *qkv = rand_floats(3 * n);
    std::vector<int> tok(B * T), order(B * T), btok, bstart;
    for (int i = 0; i < B * T; i++) { unsigned r = (i * 2654435761u) >> 16; tok[i] = (r % 5 == 0) ? r % 17 : r % V; order[i] = i; }  // a few very frequent tokens
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return tok[a] < tok[b]; });
    for (int i = 0; i < B * T; i++) if (i == 0 || tok[order[i]] != tok[order[i - 1]]) { btok.push_back(tok[order[i]]); bstart.push_back(i); }
    bstart.push_back(B * T);

    std::vector<float> ref(n), rwte((size_t)V * C, 0.f), rwpe((size_t)T * C, 0.f), rq(n), rk(n), rv(n), rkt(n);
    for (int bt = 0; bt < B * T; bt++) for (int c = 0; c < C; c++) {
        int t = bt % T; float d = dout[(size_t)bt * C + c];
        ref[(size_t)bt * C + c] = wte[(size_t)tok[bt] * C + c] + wpe[(size_t)t * C + c];
        rwte[(size_t)tok[bt] * C + c] += d; rwpe[(size_t)t * C + c] += d;
        int b = bt / T, h = c / HS, e = c % HS; size_t dst = (((size_t)b * NH + h) * T + t) * HS + e, src = (size_t)bt * 3 * C + c;
        rq[dst] = qkv[src]; rk[dst] = qkv[src + C]; rv[dst] = qkv[src + 2 * C];
        rkt[(((size_t)b * NH + h) * HS + e) * T + t] = qkv[src + C];
    }

    float *d_wte = dev(wte, (size_t)V * C), *d_wpe = dev(wpe, (size_t)T * C), *d_dout = dev(dout, n), *d_qkv = dev(qkv, 3 * n), *d_out = dev(NULL, n);
    float *d_dwte = dev(NULL, (size_t)V * C), *d_dwpe = dev(NULL, (size_t)T * C), *d_q = dev(NULL, n), *d_k = dev(NULL, n), *d_v = dev(NULL, n), *d_back = dev(NULL, 3 * n);
    int *d_tok, *d_order, *d_btok, *d_bstart, nb = (int)btok.size();
    cudaCheck(cudaMalloc(&d_tok, B * T * 4)); cudaCheck(cudaMalloc(&d_order, B * T * 4)); cudaCheck(cudaMalloc(&d_btok, nb * 4)); cudaCheck(cudaMalloc(&d_bstart, (nb + 1) * 4));
    cudaCheck(cudaMemcpy(d_tok, tok.data(), B * T * 4, cudaMemcpyHostToDevice)); cudaCheck(cudaMemcpy(d_order, order.data(), B * T * 4, cudaMemcpyHostToDevice));
    cudaCheck(cudaMemcpy(d_btok, btok.data(), nb * 4, cudaMemcpyHostToDevice)); cudaCheck(cudaMemcpy(d_bstart, bstart.data(), (nb + 1) * 4, cudaMemcpyHostToDevice));

    for (int kernel_num = 1; kernel_num <= 3; kernel_num++) {
        cudaCheck(cudaMemset(d_out, 0, n * 4));
        switch (kernel_num) {
            case 1: encoder_forward1<<<CEIL_DIV(B * T, 64), 64>>>(d_out, d_tok, d_wte, d_wpe, B, T, C); break;
            case 2: encoder_forward2<<<CEIL_DIV(B * T * C, 512), 512>>>(d_out, d_tok, d_wte, d_wpe, B, T, C); break;
            case 3: encoder_forward3<<<CEIL_DIV(B * T * C / 4, 128), 128>>>((float4*)d_out, d_tok, (float4*)d_wte, (float4*)d_wpe, B, T, C); break;
        }
        validate("encoder_forward", d_out, ref.data(), n, 1e-6f);
    }
    encoder_backward1<<<CEIL_DIV(B * T * C, 256), 256>>>(d_dwte, d_dwpe, d_dout, d_tok, B, T, C);
    validate("dwte atomics", d_dwte, rwte.data(), rwte.size(), 1e-3f);
    validate("dwpe atomics", d_dwpe, rwpe.data(), rwpe.size(), 1e-3f);
    cudaCheck(cudaMemset(d_dwte, 0, rwte.size() * 4)); cudaCheck(cudaMemset(d_dwpe, 0, rwpe.size() * 4));
    wte_backward_buckets<<<nb, 256>>>(d_dwte, d_btok, d_bstart, d_order, d_dout, C);
    validate("dwte buckets", d_dwte, rwte.data(), rwte.size(), 1e-3f);
    wpe_backward<<<CEIL_DIV(T * C / 4, 128), 128>>>(d_dwpe, d_dout, B, T, C);
    validate("dwpe", d_dwpe, rwpe.data(), rwpe.size(), 1e-3f);

    permute_kernel<<<CEIL_DIV(B * T * C, 256), 256>>>(d_q, d_k, d_v, d_qkv, B, T, NH, HS);
    validate("permute q", d_q, rq.data(), n, 0); validate("permute k", d_k, rk.data(), n, 0); validate("permute v", d_v, rv.data(), n, 0);
    permute_kernel_backward<<<CEIL_DIV(B * T * C, 1024), 1024>>>(d_back, d_q, d_k, d_v, B, T, NH, HS);
    validate("permute backward", d_back, qkv, 3 * n, 0);
    for (size_t bt = 0; bt < (size_t)B * T; bt++) memcpy(&ref[bt * C], qkv + bt * 3 * C, C * 4);
    unpermute_kernel<<<CEIL_DIV(B * T * C, 256), 256>>>(d_q, d_out, B, T, NH, HS);
    validate("unpermute", d_out, ref.data(), n, 0);
    cudaCheck(cudaMemset(d_out, 0, n * 4));
    unpermute_vec4<<<dim3(T, B), 96>>>((float4*)d_q, (float4*)d_out, T, NH, HS / 4);
    validate("unpermute vec4", d_out, ref.data(), n, 0);
    transpose_naive<<<dim3(CEIL_DIV(HS, 32), CEIL_DIV(T, 8), B * NH), dim3(32, 8)>>>(d_out, d_k, T, HS);
    validate("transpose naive", d_out, rkt.data(), n, 0);
    cudaCheck(cudaMemset(d_out, 0, n * 4));
    transpose_tile<32, 8><<<dim3(CEIL_DIV(HS, 32), CEIL_DIV(T, 32), B * NH), dim3(32, 8)>>>(d_out, d_k, T, HS);
    validate("transpose tile", d_out, rkt.data(), n, 0);
    puts(nfail ? "FAIL" : "PASS");
    return nfail != 0;
}
