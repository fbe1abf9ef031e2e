// Quantised transformer inference building blocks, llama style.
//   quantize_q80     fp32 activations -> int8 groups of 64 with one scale each
//   matmul_q80       W8A8 with dp4a (prefill, 300 tokens)
//   gemv_w4a16       int4 weights packed 8 per word, group size 128 (decode)
//   dequant_w4       int4 -> fp16 weights (for the tensor core path)
//   rope             rotary embedding, fp16, q and k in place
//   decode_split /   flash-decoding over an fp16 KV cache with grouped queries, then
//   decode_combine     combine of the splits
//   sample_topp      temperature + nucleus sampling
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <cmath>
#include <vector>
#include <algorithm>
#include <random>
#include <cuda_runtime.h>
#include <cuda_fp16.h>

#define CUCHK(err) do { cudaError_t err_ = (err); if (err_ != cudaSuccess) { printf("CUDA error %d (%s) at %s:%d\n", (int)err_, cudaGetErrorString(err_), __FILE__, __LINE__); exit(-1); } } while (0)

constexpr int GS = 64;    // q80 group size
constexpr int G4 = 128;   // int4 group size

inline int divUp(int a, int b) { return (a - 1) / b + 1; }

__device__ __forceinline__ float warpReduceSum(float v) {
    #pragma unroll
    for (int m = 16; m > 0; m >>= 1) v += __shfl_xor_sync(0xffffffff, v, m, 32);
    return v;
}
__device__ __forceinline__ float warpReduceMax(float v) {
    #pragma unroll
    for (int m = 16; m > 0; m >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, m, 32));
    return v;
}

// ---------------------------------------------------------------------------
// one warp per group, two values per lane
__global__ void quantize_q80_kernel(int8_t* qx, float* scales, const float* x, int n_groups) {
    int group = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    if (group >= n_groups) return;
    float2 v = reinterpret_cast<const float2*>(x)[group * (GS / 2) + lane];
    float wmax = warpReduceMax(fmaxf(fabsf(v.x), fabsf(v.y)));
    float scale = wmax / 127.0f;
    float inv = scale > 0.0f ? 1.0f / scale : 0.0f;
    char2 q;
    q.x = (signed char)__float2int_rn(v.x * inv);
    q.y = (signed char)__float2int_rn(v.y * inv);
    reinterpret_cast<char2*>(qx)[group * (GS / 2) + lane] = q;
    if (lane == 0) scales[group] = scale;
}

// out[token][row] = sum over groups of int dot * scales. 32x32 outputs per block, 256 threads, one group of 64 per step
__global__ void __launch_bounds__(256) matmul_q80_kernel(float* out, const int8_t* xq, const float* xs, const int8_t* wq, const float* ws,
                                                         int n_tokens, int n, int d) {
    __shared__ int sx[32][GS / 4 + 1];
    __shared__ int sw[32][GS / 4 + 1];
    __shared__ float sxs[32], sws[32];
    const int tok0 = blockIdx.y * 32, row0 = blockIdx.x * 32;
    const int tx = threadIdx.x % 32, ty = threadIdx.x / 32;  // tx: output row, ty: token group
    const int groups = n / GS;
    float acc[4] = {0, 0, 0, 0};
    for (int g = 0; g < groups; g++) {
        for (int i = threadIdx.x; i < 32 * (GS / 4); i += 256) {
            int r = i / (GS / 4), c = i % (GS / 4);
            sx[r][c] = tok0 + r < n_tokens ? reinterpret_cast<const int*>(xq + (size_t)(tok0 + r) * n + g * GS)[c] : 0;
            sw[r][c] = row0 + r < d ? reinterpret_cast<const int*>(wq + (size_t)(row0 + r) * n + g * GS)[c] : 0;
        }
        if (threadIdx.x < 32)
            sxs[threadIdx.x] = tok0 + threadIdx.x < n_tokens ? xs[(size_t)(tok0 + threadIdx.x) * groups + g] : 0.0f;
        else if (threadIdx.x < 64)
            sws[threadIdx.x - 32] = row0 + threadIdx.x - 32 < d ? ws[(size_t)(row0 + threadIdx.x - 32) * groups + g] : 0.0f;
        __syncthreads();
        int idot[4] = {0, 0, 0, 0};
        #pragma unroll
        for (int c = 0; c < GS / 4; c++) {
            int w = sw[tx][c];
            #pragma unroll
            for (int k = 0; k < 4; k++) idot[k] = __dp4a(w, sx[ty + 8 * k][c], idot[k]);
        }
        #pragma unroll
        for (int k = 0; k < 4; k++) acc[k] += (float)idot[k] * sws[tx] * sxs[ty + 8 * k];
        __syncthreads();
    }
    #pragma unroll
    for (int k = 0; k < 4; k++) {
        int tok = tok0 + ty + 8 * k;
        if (tok < n_tokens && row0 + tx < d) out[(size_t)tok * d + row0 + tx] = acc[k];
    }
}

// ---------------------------------------------------------------------------
// weights: [rows][cols/8] words, zeros (4 bit) packed 8 groups per word, scales half
__global__ void gemv_w4a16_kernel(half* out, const half* x, const uint32_t* qw, const uint32_t* qz, const half* scales,
                                  int rows, int cols, int zstride) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const int groups = cols / G4;
    float sum = 0.0f;
    // each lane takes 4 words = 32 weights a step; a group is 4 lanes wide
    for (int ygq = 0; ygq * 1024 < cols; ygq++) {
        int col = ygq * 1024 + threadIdx.x * 32;
        if (col < cols) {
            uint4 packed = *reinterpret_cast<const uint4*>(qw + (size_t)row * (cols / 8) + col / 8);
            int g = col / G4;
            int zero = (qz[row * zstride + g / 8] >> (4 * (g % 8))) & 0xf;
            float scale = __half2float(scales[row * groups + g]);
            uint32_t w[4] = {packed.x, packed.y, packed.z, packed.w};
            float part = 0.0f;
            #pragma unroll
            for (int j = 0; j < 4; j++) {
                uint4 xv = *reinterpret_cast<const uint4*>(x + col + j * 8);
                const half2* xh = reinterpret_cast<const half2*>(&xv);
                #pragma unroll
                for (int k = 0; k < 4; k++) {
                    float2 xf = __half22float2(xh[k]);
                    part += (float)((int)((w[j] >> (8 * k)) & 0xf) - zero) * xf.x;
                    part += (float)((int)((w[j] >> (8 * k + 4)) & 0xf) - zero) * xf.y;
                }
            }
            sum += scale * part;
        }
    }
    sum = warpReduceSum(sum);
    if (threadIdx.x == 0) out[row] = __float2half(sum);
}

__global__ void dequant_w4_kernel(half* w, const uint32_t* qw, const uint32_t* qz, const half* scales, int rows, int cols, int zstride) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;  // one word
    int words = cols / 8;
    if (idx >= rows * words) return;
    int row = idx / words, g = (idx % words) * 8 / G4;
    uint32_t p = qw[idx];
    int zero = (qz[row * zstride + g / 8] >> (4 * (g % 8))) & 0xf;
    float s = __half2float(scales[row * (cols / G4) + g]);
    __align__(16) half h[8];
    #pragma unroll
    for (int k = 0; k < 8; k++) h[k] = __float2half((float)((int)((p >> (4 * k)) & 0xf) - zero) * s);
    *reinterpret_cast<uint4*>(w + (size_t)idx * 8) = *reinterpret_cast<const uint4*>(h);
}

// ---------------------------------------------------------------------------
// blockIdx.x token, blockIdx.y head (first n_heads are q, the rest k)
__global__ void rope_kernel(half* q, half* k, const int* positions, int n_heads, int n_kv_heads, int head_size, float theta) {
    int t = blockIdx.x, h = blockIdx.y;
    half* p = h < n_heads ? q + ((size_t)t * n_heads + h) * head_size : k + ((size_t)t * n_kv_heads + (h - n_heads)) * head_size;
    int i = threadIdx.x;
    int half_size = head_size / 2;
    float freq = 1.0f / powf(theta, (float)(2 * i) / (float)head_size);
    float fcr, fci;
    sincosf(positions[t] * freq, &fci, &fcr);
    float v0 = __half2float(p[i]), v1 = __half2float(p[i + half_size]);
    p[i] = __float2half(v0 * fcr - v1 * fci);
    p[i + half_size] = __float2half(v0 * fci + v1 * fcr);
}

// ---------------------------------------------------------------------------
// flash-decoding. One warp per q head of the group; kv cache [batch][kv_head][max_seq][128]
template <int HD, int GROUP>
__global__ void __launch_bounds__(32 * GROUP)
decode_split_kernel(float* part_o, float* part_m, float* part_l, const half* q, const half* kc, const half* vc, const int* seq_lens,
                    int n_kv_heads, int max_seq, int n_splits, float scale) {
    constexpr int TILE = 32;
    __shared__ __align__(16) half ks[TILE][HD + 8];
    __shared__ __align__(16) half vs[TILE][HD];
    __shared__ float qs[GROUP][HD];
    const int split = blockIdx.x, kvh = blockIdx.y, b = blockIdx.z;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int n_heads = n_kv_heads * GROUP, head = kvh * GROUP + warp;
    const int len = seq_lens[b];
    const int chunk = (len + n_splits - 1) / n_splits;
    const int begin = split * chunk, end = min(len, begin + chunk);

    for (int i = lane; i < HD; i += 32) qs[warp][i] = __half2float(q[((size_t)b * n_heads + head) * HD + i]) * scale;
    const half* kb = kc + ((size_t)b * n_kv_heads + kvh) * max_seq * HD;
    const half* vb = vc + ((size_t)b * n_kv_heads + kvh) * max_seq * HD;

    float m = -1e30f, l = 0.0f, o[HD / 32] = {};
    for (int t0 = begin; t0 < end; t0 += TILE) {
        __syncthreads();
        for (int i = threadIdx.x; i < TILE * HD / 8; i += 32 * GROUP) {
            int r = i / (HD / 8), c = (i % (HD / 8)) * 8;
            uint4 kk = make_uint4(0, 0, 0, 0), vv = kk;
            if (t0 + r < end) {
                kk = *reinterpret_cast<const uint4*>(kb + (size_t)(t0 + r) * HD + c);
                vv = *reinterpret_cast<const uint4*>(vb + (size_t)(t0 + r) * HD + c);
            }
            *reinterpret_cast<uint4*>(&ks[r][c]) = kk;
            *reinterpret_cast<uint4*>(&vs[r][c]) = vv;
        }
        __syncthreads();
        // lane = key
        float s = 0.0f;
        #pragma unroll 8
        for (int c = 0; c < HD; c += 2) {
            float2 kf = __half22float2(*reinterpret_cast<const half2*>(&ks[lane][c]));
            s += qs[warp][c] * kf.x + qs[warp][c + 1] * kf.y;
        }
        if (t0 + lane >= end) s = -1e30f;
        float mn = fmaxf(m, warpReduceMax(s));
        float p = (t0 + lane < end) ? __expf(s - mn) : 0.0f;
        float corr = __expf(m - mn);
        l = l * corr + warpReduceSum(p);
        m = mn;
        #pragma unroll
        for (int c = 0; c < HD / 32; c++) o[c] *= corr;
        for (int t = 0; t < TILE; t++) {
            float pt = __shfl_sync(0xffffffff, p, t);
            #pragma unroll
            for (int c = 0; c < HD / 32; c++) o[c] += pt * __half2float(vs[t][c * 32 + lane]);
        }
    }
    size_t idx = ((size_t)b * n_heads + head) * n_splits + split;
    #pragma unroll
    for (int c = 0; c < HD / 32; c++) part_o[idx * HD + c * 32 + lane] = o[c];
    if (lane == 0) { part_m[idx] = m; part_l[idx] = l; }
}

__global__ void decode_combine_kernel(half* out, const float* part_o, const float* part_m, const float* part_l, int n_splits, int hd) {
    size_t bh = blockIdx.x;
    const float* pm = part_m + bh * n_splits;
    const float* pl = part_l + bh * n_splits;
    float m = -1e30f;
    for (int s = 0; s < n_splits; s++) m = fmaxf(m, pm[s]);
    float l = 0.0f, o = 0.0f;
    for (int s = 0; s < n_splits; s++) {
        float w = pl[s] > 0.0f ? __expf(pm[s] - m) : 0.0f;
        l += w * pl[s];
        o += w * part_o[(bh * n_splits + s) * hd + threadIdx.x];
    }
    out[bh * hd + threadIdx.x] = __float2half(o / l);
}

// ---------------------------------------------------------------------------
__device__ float blockSum(float v, float* red) {
    v = warpReduceSum(v);
    __syncthreads();
    if (threadIdx.x % 32 == 0) red[threadIdx.x / 32] = v;
    __syncthreads();
    float s = 0.0f;
    for (int w = 0; w < blockDim.x / 32; w++) s += red[w];
    return s;
}

// one block per sequence. The nucleus threshold is found by bisection on the (unnormalised) probability.
__global__ void sample_topp_kernel(int* tokens, float* thresholds, float* probs, const float* logits, const float* coins,
                                   int vocab, float temperature, float topp) {
    __shared__ float red[32];
    __shared__ float chunk_sum[1024];
    const float* lg = logits + (size_t)blockIdx.x * vocab;
    float* p = probs + (size_t)blockIdx.x * vocab;

    float m = -1e30f;
    for (int i = threadIdx.x; i < vocab; i += blockDim.x) m = fmaxf(m, lg[i]);
    m = warpReduceMax(m);
    if (threadIdx.x % 32 == 0) red[threadIdx.x / 32] = m;
    __syncthreads();
    for (int w = 0; w < blockDim.x / 32; w++) m = fmaxf(m, red[w]);

    float s = 0.0f;
    for (int i = threadIdx.x; i < vocab; i += blockDim.x) {
        float e = __expf((lg[i] - m) / temperature);
        p[i] = e;
        s += e;
    }
    float total = blockSum(s, red);
    // largest threshold whose kept mass is still >= topp
    float lo = 0.0f, hi = 1.0f;
    for (int it = 0; it < 24; it++) {
        float mid = 0.5f * (lo + hi), kept = 0.0f;
        for (int i = threadIdx.x; i < vocab; i += blockDim.x) kept += p[i] >= mid ? p[i] : 0.0f;
        kept = blockSum(kept, red);
        if (kept >= topp * total) lo = mid; else hi = mid;
    }
    // contiguous chunk per thread, then a serial walk of one thread
    int per = (vocab + blockDim.x - 1) / blockDim.x;
    int b = threadIdx.x * per, e = min(vocab, b + per);
    __syncthreads();
    s = 0.0f;
    for (int i = b; i < e; i++) s += p[i] >= lo ? p[i] : 0.0f;
    chunk_sum[threadIdx.x] = s;
    __syncthreads();
    if (threadIdx.x == 0) {
        float kept = 0.0f;
        for (int c = 0; c < blockDim.x; c++) kept += chunk_sum[c];
        float target = coins[blockIdx.x] * kept, run = 0.0f;
        int c = 0;
        while (c < (int)blockDim.x - 1 && run + chunk_sum[c] <= target) run += chunk_sum[c++];
        int pick = -1;
        for (int i = c * per; i < min(vocab, (c + 1) * per); i++) {
            if (p[i] < lo) continue;
            pick = i;
            run += p[i];
            if (run > target) break;
        }
        if (pick < 0) {  // rounding at the very end: fall back to the first kept token
            for (int i = 0; i < vocab && pick < 0; i++) if (p[i] >= lo) pick = i;
        }
        tokens[blockIdx.x] = pick;
        thresholds[blockIdx.x] = lo / total;
    }
}

// ---------------------------------------------------------------------------
template <typename T> T* upload(const std::vector<T>& h) {
    T* d; CUCHK(cudaMalloc(&d, h.size() * sizeof(T)));
    CUCHK(cudaMemcpy(d, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice));
    return d;
}
template <typename T> T* alloc(size_t n) { T* d; CUCHK(cudaMalloc(&d, n * sizeof(T))); return d; }
template <typename T> std::vector<T> fetch(const T* d, size_t n) {
    std::vector<T> h(n);
    CUCHK(cudaMemcpy(h.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost));
    return h;
}

int bad = 0;
void expect(const char* what, bool cond) { printf("%-18s %s\n", what, cond ? "ok" : "FAILED"); if (!cond) bad++; }

int main(int argc, char** argv) {
    unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 7u;
    std::mt19937 rng(seed);
    std::normal_distribution<float> gauss(0.0f, 1.0f);
    std::uniform_real_distribution<float> uni(0.0f, 1.0f);

    // ---- int8 prefill
    {
        const int tokens = 300, dim = 2048, hidden = 2750;
        std::vector<float> x((size_t)tokens * dim), ws((size_t)hidden * dim / GS);
        std::vector<int8_t> wq((size_t)hidden * dim);
        for (auto& v : x) v = gauss(rng);
        for (auto& v : wq) v = (int8_t)((int)(rng() % 255) - 127);
        for (auto& v : ws) v = 0.001f + 0.001f * uni(rng);
        float *dx = upload(x), *dws = upload(ws), *dxs = alloc<float>(x.size() / GS), *dout = alloc<float>((size_t)tokens * hidden);
        int8_t *dwq = upload(wq), *dxq = alloc<int8_t>(x.size());
        int n_groups = (int)(x.size() / GS);
        quantize_q80_kernel<<<divUp(n_groups, 4), 128>>>(dxq, dxs, dx, n_groups);
        CUCHK(cudaGetLastError());
        matmul_q80_kernel<<<dim3(divUp(hidden, 32), divUp(tokens, 32)), 256>>>(dout, dxq, dxs, dwq, dws, tokens, dim, hidden);
        CUCHK(cudaGetLastError());
        auto xq = fetch(dxq, x.size()); auto xs = fetch(dxs, x.size() / GS); auto out = fetch(dout, (size_t)tokens * hidden);
        float qerr = 0;
        for (size_t i = 0; i < x.size(); i++) qerr = std::max(qerr, fabsf(x[i] - xq[i] * xs[i / GS]) - 0.51f * xs[i / GS]);
        expect("quantize_q80", qerr <= 0.0f);
        float err = 0;
        for (int t = 0; t < tokens; t += 23)
            for (int r = 0; r < hidden; r++) {
                float acc = 0;
                for (int g = 0; g < dim / GS; g++) {
                    int id = 0;
                    for (int c = 0; c < GS; c++) id += (int)xq[(size_t)t * dim + g * GS + c] * wq[(size_t)r * dim + g * GS + c];
                    acc += (float)id * ws[(size_t)r * (dim / GS) + g] * xs[(size_t)t * (dim / GS) + g];
                }
                err = std::max(err, fabsf(acc - out[(size_t)t * hidden + r]));
            }
        expect("matmul_q80", err < 1e-2f);
        cudaFree(dx); cudaFree(dws); cudaFree(dxs); cudaFree(dout); cudaFree(dwq); cudaFree(dxq);
    }
    // ---- int4
    {
        const int rows = 5504, cols = 2176, groups = cols / G4, zstride = divUp(groups, 8);
        std::vector<uint32_t> qw((size_t)rows * cols / 8), qz((size_t)rows * zstride);
        std::vector<half> sc((size_t)rows * groups), x(cols);
        for (auto& v : qw) v = rng();
        for (auto& v : qz) v = rng();
        for (auto& v : sc) v = __float2half(0.005f + 0.01f * uni(rng));
        for (auto& v : x) v = __float2half(gauss(rng));
        uint32_t *dqw = upload(qw), *dqz = upload(qz);
        half *dsc = upload(sc), *dx = upload(x), *dout = alloc<half>(rows), *dw = alloc<half>((size_t)rows * cols);
        gemv_w4a16_kernel<<<divUp(rows, 4), dim3(32, 4)>>>(dout, dx, dqw, dqz, dsc, rows, cols, zstride);
        CUCHK(cudaGetLastError());
        dequant_w4_kernel<<<divUp(rows * (cols / 8), 256), 256>>>(dw, dqw, dqz, dsc, rows, cols, zstride);
        CUCHK(cudaGetLastError());
        auto out = fetch(dout, rows); auto w = fetch(dw, (size_t)rows * cols);
        float e1 = 0, e2 = 0;
        for (int r = 0; r < rows; r++) {
            float acc = 0;
            for (int c = 0; c < cols; c++) {
                int g = c / G4;
                int z = (qz[(size_t)r * zstride + g / 8] >> (4 * (g % 8))) & 15;
                int q = (qw[((size_t)r * cols + c) / 8] >> (4 * (c % 8))) & 15;
                float wv = (float)(q - z) * __half2float(sc[(size_t)r * groups + g]);
                acc += wv * __half2float(x[c]);
                e2 = std::max(e2, fabsf(wv - __half2float(w[(size_t)r * cols + c])));
            }
            e1 = std::max(e1, fabsf(acc - __half2float(out[r])));
        }
        expect("gemv_w4a16", e1 < 2e-2f);
        expect("dequant_w4", e2 < 1e-3f);
        cudaFree(dqw); cudaFree(dqz); cudaFree(dsc); cudaFree(dx); cudaFree(dout); cudaFree(dw);
    }
    // ---- rope
    {
        const int tokens = 410, nh = 16, nkv = 4, hs = 128;
        std::vector<half> q((size_t)tokens * nh * hs), k((size_t)tokens * nkv * hs);
        std::vector<int> pos(tokens);
        for (auto& v : q) v = __float2half(gauss(rng));
        for (auto& v : k) v = __float2half(gauss(rng));
        for (int t = 0; t < tokens; t++) pos[t] = t + 17;
        half *dq = upload(q), *dk = upload(k); int* dpos = upload(pos);
        rope_kernel<<<dim3(tokens, nh + nkv), hs / 2>>>(dq, dk, dpos, nh, nkv, hs, 10000.0f);
        CUCHK(cudaGetLastError());
        auto gq = fetch(dq, q.size()), gk = fetch(dk, k.size());
        float err = 0;
        for (int t = 0; t < tokens; t += 7)
            for (int h = 0; h < nh + nkv; h++)
                for (int i = 0; i < hs / 2; i++) {
                    const half* a = h < nh ? &q[((size_t)t * nh + h) * hs] : &k[((size_t)t * nkv + h - nh) * hs];
                    const half* b = h < nh ? &gq[((size_t)t * nh + h) * hs] : &gk[((size_t)t * nkv + h - nh) * hs];
                    double ang = pos[t] * pow(10000.0, -2.0 * i / hs);
                    float v0 = __half2float(a[i]), v1 = __half2float(a[i + hs / 2]);
                    err = std::max(err, fabsf((float)(v0 * cos(ang) - v1 * sin(ang)) - __half2float(b[i])));
                    err = std::max(err, fabsf((float)(v0 * sin(ang) + v1 * cos(ang)) - __half2float(b[i + hs / 2])));
                }
        expect("rope", err < 1e-2f);
        cudaFree(dq); cudaFree(dk); cudaFree(dpos);
    }
    // ---- decode attention
    {
        const int B = 6, nkv = 4, GROUP = 4, HD = 128, max_seq = 1100, splits = 7, nh = nkv * GROUP;
        std::vector<half> q((size_t)B * nh * HD), kc((size_t)B * nkv * max_seq * HD), vc(kc.size());
        std::vector<int> lens = {1100, 37, 512, 901, 5, 764};
        for (auto& v : q) v = __float2half(gauss(rng));
        for (size_t i = 0; i < kc.size(); i++) {
            kc[i] = __float2half(((int)(i * 2654435761u >> 16) % 2001 - 1000) * 1e-3f);
            vc[i] = __float2half(((int)(i * 40503u >> 4) % 1999 - 999) * 1e-3f);
        }
        half *dq = upload(q), *dk = upload(kc), *dv = upload(vc), *dout = alloc<half>(q.size());
        int* dl = upload(lens);
        float *po = alloc<float>(q.size() * splits), *pm = alloc<float>((size_t)B * nh * splits), *pl = alloc<float>((size_t)B * nh * splits);
        float scale = 1.0f / sqrtf((float)HD);
        decode_split_kernel<HD, GROUP><<<dim3(splits, nkv, B), 32 * GROUP>>>(po, pm, pl, dq, dk, dv, dl, nkv, max_seq, splits, scale);
        CUCHK(cudaGetLastError());
        decode_combine_kernel<<<B * nh, HD>>>(dout, po, pm, pl, splits, HD);
        CUCHK(cudaGetLastError());
        auto out = fetch(dout, q.size());
        float err = 0;
        for (int b = 0; b < B; b++)
            for (int h = 0; h < nh; h++) {
                const half* kk = &kc[((size_t)b * nkv + h / GROUP) * max_seq * HD];
                const half* vv = &vc[((size_t)b * nkv + h / GROUP) * max_seq * HD];
                std::vector<float> s(lens[b]);
                std::vector<float> o(HD, 0.f);
                float mx = -1e30f, sum = 0;
                for (int t = 0; t < lens[b]; t++) {
                    float a = 0;
                    for (int c = 0; c < HD; c++) a += __half2float(q[((size_t)b * nh + h) * HD + c]) * __half2float(kk[(size_t)t * HD + c]);
                    s[t] = a * scale; mx = std::max(mx, s[t]);
                }
                for (auto& v : s) { v = expf(v - mx); sum += v; }
                for (int t = 0; t < lens[b]; t++)
                    for (int c = 0; c < HD; c++) o[c] += s[t] / sum * __half2float(vv[(size_t)t * HD + c]);
                for (int c = 0; c < HD; c++) err = std::max(err, fabsf(o[c] - __half2float(out[((size_t)b * nh + h) * HD + c])));
            }
        expect("decode attention", err < 5e-3f);
        cudaFree(dq); cudaFree(dk); cudaFree(dv); cudaFree(dout); cudaFree(dl); cudaFree(po); cudaFree(pm); cudaFree(pl);
    }
    // ---- sampling
    {
        const int B = 9, vocab = 32003;
        const float temp = 0.8f, topp = 0.9f;
        std::vector<float> lg((size_t)B * vocab), coins(B);
        for (auto& v : lg) v = 2.0f * gauss(rng);
        for (auto& c : coins) c = uni(rng);
        float *dlg = upload(lg), *dc = upload(coins), *dp = alloc<float>(lg.size()), *dth = alloc<float>(B);
        int* dtok = alloc<int>(B);
        sample_topp_kernel<<<B, 640>>>(dtok, dth, dp, dlg, dc, vocab, temp, topp);
        CUCHK(cudaGetLastError());
        auto tok = fetch(dtok, B); auto th = fetch(dth, B);
        bool good = true;
        for (int b = 0; b < B; b++) {
            std::vector<double> p(vocab);
            double mx = -1e30, sum = 0, kept = 0;
            for (int i = 0; i < vocab; i++) mx = std::max(mx, (double)lg[(size_t)b * vocab + i]);
            for (int i = 0; i < vocab; i++) { p[i] = exp((lg[(size_t)b * vocab + i] - mx) / temp); sum += p[i]; }
            for (int i = 0; i < vocab; i++) { p[i] /= sum; if (p[i] >= th[b]) kept += p[i]; }
            if (tok[b] < 0 || tok[b] >= vocab || p[tok[b]] < th[b] * 0.999 || fabs(kept - topp) > 5e-3) good = false;
        }
        expect("sample_topp", good);
        cudaFree(dlg); cudaFree(dc); cudaFree(dp); cudaFree(dth); cudaFree(dtok);
    }
    return bad ? 1 : 0;
}
